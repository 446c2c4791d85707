// What a host remembers of an actor between turns, and how the actor is brought back: from memory, else from its stored snapshot,
// else newly born. A snapshot that cannot be used is told once per life of its object, and then re-derived.

import type { Failure } from '../../machines/kit/row.js';
import { born, restore, type Rest, type Snapshot } from '../../machines/kit/step.js';
import type { Key } from './contract.js';
import { readEnvelope } from './envelope.js';
import type { TurnPorts } from './turn.js';

/** What the host remembers of an actor. */
export interface Memory {
  readonly uid: string;
  rest: Rest | null;
  failures: number;
  failure: Failure | null;
  /** Turns in a row that asked for the next one at once. */
  atOnce: number;
  /** While set, only causes that end the backoff make the key ready. */
  isBackingOff: boolean;
  /** What brings the next pass is the period of all objects, and nothing else. */
  isSyncNext: boolean;
  isDiscardTold: boolean;
  /** Cancels the wait for a view that shows our own writes. */
  parked: (() => void) | null;
}

/** The memory of a life that begins. */
export function newMemory(uid: string): Memory {
  return {
    uid,
    rest: null,
    failures: 0,
    failure: null,
    atOnce: 0,
    isBackingOff: false,
    isSyncNext: false,
    isDiscardTold: false,
    parked: null,
  };
}

/** The actor as it was. */
export function snapshotOf(
  { controller, observer }: TurnPorts,
  key: Key,
  { view, memory }: { readonly view: object; readonly memory: Memory },
): Snapshot {
  const { chart } = controller;
  if (memory.rest !== null) return restore(chart, memory.rest) ?? born(chart);
  const text = controller.readEnvelope(view);
  if (text === null) return born(chart);
  const read = readEnvelope(text, memory.uid);
  const snapshot = 'rest' in read ? restore(chart, read.rest) : null;
  if (snapshot !== null) return snapshot;
  if (!memory.isDiscardTold) {
    memory.isDiscardTold = true;
    observer.onDiscarded(controller.name, key, 'discarded' in read ? read.discarded : 'does not restore');
  }
  return born(chart);
}
