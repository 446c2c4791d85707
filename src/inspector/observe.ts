// From XState's inspection events to the store: the only file that knows them.
//
// XState calls an observer synchronously on the actor's own call stack, so this does little and never throws: a bug here is
// counted and forgotten. Only names, times and facts pass; an event's other content is never looked at.

import type { InspectionEvent } from 'xstate';
import type { ActorContext } from '../../machines/kit/row.js';
import type { AnyRow, AnyTable } from '../charts/model.js';
import { scrub } from './scrub.js';
import type { InspectionStore } from './store.js';
import type { WireWait } from './wire.js';

/** Which actor an observer belongs to. */
export interface ObservedActor {
  /** Machine id: `kubeadmconfig`. */
  readonly machine: string;
  readonly uid: string;
  /** `namespace/name`. */
  readonly id: string;
}

/** Gives an `inspect` callback for `createActor`. */
export type ActorObserver = (actor: ObservedActor) => (event: InspectionEvent) => void;

interface SeenSnapshot {
  readonly value?: unknown;
  readonly context?: ActorContext;
}

interface SeenEvent {
  readonly type: string;
  readonly nowMs?: number;
  readonly facts?: Readonly<Record<string, unknown>>;
}

/** Feeds the store from actors. `tables` are the machines whose rows name the requests. */
export function observeActors(store: InspectionStore, tables: readonly AnyTable[]): ActorObserver {
  const rows = new Map(tables.map((table) => [table.id, new Map(table.rows.map((row) => [row.id, row]))]));
  return (actor) => {
    let from = store.get(`${actor.machine}/${actor.uid}`)?.row.state ?? '';
    return (inspection) => {
      if (inspection.type !== '@xstate.snapshot') return;
      const event = inspection.event as SeenEvent;
      const snapshot = inspection.snapshot as SeenSnapshot;
      const to = stateText(snapshot.value);
      if (event.nowMs === undefined || event.facts === undefined || snapshot.context?.row === undefined) {
        if (from === '') from = to;
        return;
      }
      const row = snapshot.context.row ?? '';
      const known = rows.get(actor.machine)?.get(row);
      store.note({
        machine: actor.machine,
        uid: actor.uid,
        id: actor.id,
        atMs: event.nowMs,
        event: event.type,
        row,
        from,
        to,
        request: known?.request ?? null,
        sinceMs: snapshot.context.sinceMs,
        wakeAtMs: snapshot.context.wakeAtMs,
        facts: event.facts,
        waitsFor: waitOf(known, event.facts),
      });
      from = to;
    };
  };
}

/** A name that has no shape of a secret: most have this one, and are not looked through on every transition. */
const PLAIN_NAME = /^[a-z0-9-]{1,60}$/;

/** What a row waits for, as two names; a row that cannot say it waits for nothing here. */
function waitOf(row: AnyRow | undefined, facts: SeenEvent['facts']): WireWait | null {
  try {
    const wait = row?.waitsFor?.(facts as never) ?? null;
    return wait === null || wait.name === ''
      ? null
      : { kind: wait.kind, name: PLAIN_NAME.test(wait.name) ? wait.name : scrub(wait.name) };
  } catch {
    return null;
  }
}

/** The innermost state's name: nested states are named by their leaf. */
export function stateText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  const [, inner] = Object.entries(value)[0] ?? [];
  return stateText(inner);
}
