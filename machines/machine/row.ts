// How a row of the Machine's table is written down, and the timers that rows share.

import type { Requeue, Row } from '../kit/row.js';
import type { Guard } from './chart-guards.js';
import type { MachineFacts } from './facts.js';
import { isObjectMissing } from './guards.js';
import { silent } from './intents.js';
import { availableAgainInMs } from './status/project.js';
import { staleDeletionMs } from './status/summary.js';
import type { MachineReply, MachineRequest, MachineState } from './words.js';

/** One line of the table. */
export type MachineRow = Row<MachineState, MachineFacts, MachineRequest, MachineReply, Guard>;

type Needed = 'id' | 'requirements' | 'title' | 'description' | 'guard';

/** A row; what is left out is: on a look, drawn nowhere, staying, asking nothing, saying nothing. */
export function row(given: Partial<MachineRow> & Pick<MachineRow, Needed>): MachineRow {
  return { on: 'OBSERVED', from: [], target: null, request: null, requeue: null, conditions: silent, ...given };
}

/** A missing external object is looked for again after this long, though its watch tells earlier. */
export const objectMissingRetryMs = 30_000;
/** An unfinished drain goes on after this long, or when a Pod of the Node is gone. */
export const drainRetryMs = 20_000;
/** Volumes are looked at again after this long, or when an attachment changes. */
export const volumeRetryMs = 20_000;

/** The timers. Rows that mean one timer share one object: it is not pushed by the next row. */
export const timer = {
  lookAgain: { afterMs: () => 0, why: 'the pass ended early on purpose' },
  life: { afterMs: nextLookInMs, why: 'a missing object is looked for every 30 s, and Available has a date' },
  drain: { afterMs: () => drainRetryMs, why: 'a drain goes on every 20 s' },
  volumes: { afterMs: () => volumeRetryMs, why: 'volumes are looked at every 20 s' },
  removal: { afterMs: untilStaleMs, why: 'Ready tells of a deletion that takes more than 15 minutes' },
} as const satisfies Readonly<Record<string, Requeue<MachineFacts>>>;

/** When a living Machine is looked at again although nothing changed; null for never, and after a failure, whose backoff decides. */
function nextLookInMs(facts: MachineFacts): number | null {
  if (facts.phaseFailure !== null) return null;
  const wishes = [
    isObjectMissing(facts) ? objectMissingRetryMs : null,
    availableAgainInMs(facts),
    untilJudgedMs(facts),
  ];
  const times = wishes.filter((wish): wish is number => wish !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** A deletion that waits for others is looked at once more when its summary changes; after a failure the backoff decides. */
function untilStaleMs({ machine, nowMs, phaseFailure }: MachineFacts): number | null {
  if (phaseFailure !== null || machine.deletingSinceMs === null) return null;
  const staleAtMs = machine.deletingSinceMs + staleDeletionMs + 1;
  return staleAtMs <= nowMs ? null : staleAtMs - nowMs;
}

/** A connection that is not there yet is judged when its grace is over, and looked at on the way. */
function untilJudgedMs({ connection, node, nowMs }: MachineFacts): number | null {
  if (node.kind !== 'connecting' && node.kind !== 'unreachable') return null;
  const judgedAtMs = (connection.lastHeardMs ?? nowMs) + connection.graceMs + 1;
  return judgedAtMs <= nowMs ? null : Math.min(judgedAtMs - nowMs, objectMissingRetryMs);
}
