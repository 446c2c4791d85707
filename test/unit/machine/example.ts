// An example of the Machine's table: what is given, and what must come of it. The unit tests run examples on the table, the
// mutation test on every mutant of it.

import { expect } from '@jest/globals';
import type { ConditionIntent } from '../../../machines/kit/row.js';
import { leafState, restore, restOf, step, type Snapshot } from '../../../machines/kit/step.js';
import { createChart } from '../../../machines/machine/chart.js';
import type { MachineFacts } from '../../../machines/machine/facts.js';
import type { MachineTable } from '../../../machines/machine/table.js';
import type { MachineReply, MachineRequest, MachineState } from '../../../machines/machine/words.js';

/** One line of the table. */
export interface Example {
  /** The requirement row that it proves. */
  readonly id?: string;
  readonly title: string;
  readonly on?: MachineReply | 'EFFECT_FAILED';
  readonly given: MachineFacts;
  readonly row: string;
  /** Null: the state stays. */
  readonly state: MachineState | null;
  readonly request?: MachineRequest;
  readonly againInMs?: number;
  readonly says?: readonly string[];
}

const from = ['Pending', 'Running', 'Draining', 'RemovingFinalizer'] as const;

/** Runs an example on a table, from several states. */
export function checkExample(given: MachineTable, example: Example): void {
  const machine = createChart(given as never);
  for (const state of from) {
    const parent = given.states[state].parent;
    const value = parent === undefined ? state : { [parent]: state };
    const start = restore(machine, { value, context: { row: null, sinceMs: 0, wakeAtMs: null } }) as Snapshot;
    const { after, requests } = step(machine, start, {
      type: example.on ?? 'OBSERVED',
      nowMs: 1_000,
      facts: example.given,
    } as never);
    const { row, wakeAtMs } = restOf(after).context;
    const intents = given.rows.find(({ id }) => id === row)?.conditions(example.given) ?? [];
    expect({
      row,
      state: leafState(after.value),
      request: requests.map(({ type }) => type).join(),
      againInMs: wakeAtMs === null ? null : wakeAtMs - 1_000,
      says: intents.map(said),
    }).toEqual({
      row: example.row,
      state: example.state ?? state,
      request: example.request ?? '',
      againInMs: example.againInMs ?? null,
      says: example.says ?? [],
    });
  }
}

/** An intent as text. */
export function said({ type, status, reason, message, v1beta1, only, onlyIfAbsent }: ConditionIntent): string {
  const absent = onlyIfAbsent === true ? ' (if absent)' : '';
  if (only !== 'v1beta1')
    return `${type} ${status} ${reason}: ${message}${absent}${only ?? ''}${v1beta1 === undefined ? '' : ' twin'}`;
  const { status: is, severity, reason: why, message: text } = v1beta1 ?? { status: 'none' };
  const parts = [is, severity, why, text].filter((part) => part !== undefined);
  const same = status === is && message === (text ?? '') && reason === (why ?? is);
  return `old ${type} ${parts.join('/')}${absent}${same ? '' : ` but ${status} ${reason} ${message}`}`;
}
