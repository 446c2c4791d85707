// The requirement's table as examples, and the table's check that the mutation test runs on every mutant.

import { expect } from '@jest/globals';
import { createChart } from '../../../machines/machines-up-to-date/chart.js';
import type { Facts, State } from '../../../machines/machines-up-to-date/facts.js';
import type { table } from '../../../machines/machines-up-to-date/table.js';
import type { ConditionIntent } from '../../../machines/kit/row.js';
import { leafState, restore, restOf, step, type Snapshot } from '../../../machines/kit/step.js';

/** A control plane whose Machines are all up to date. */
export const base: Facts = {
  isHandled: true,
  hasOwnerCluster: true,
  hasCluster: true,
  isPaused: false,
  machines: 'True',
  message: '',
  nextOldEnoughInMs: null,
  reasons: 'table',
  names: { namespace: 'ns', controlPlane: 'cp', cluster: 'c1' },
  failure: null,
};

/** One line of the requirement. */
export interface Example {
  readonly ids: string;
  readonly title: string;
  readonly given: Partial<Facts>;
  readonly row: string;
  /** Null: the state stays. */
  readonly state: State | null;
  /** `status/reason/message`, with the upstream reason after `|`; null for no change. */
  readonly says: string | null;
  /** Whether the ten-second rule may wake. */
  readonly wakes: boolean;
}

const silent = (
  ids: string,
  title: string,
  given: Partial<Facts>,
  row: string,
  state: State | null = null,
): Example => ({ ids, title, given, row, state, says: null, wakes: false });
const says = (ids: string, title: string, given: Partial<Facts>, row: string, state: State, text: string): Example => ({
  ids,
  title,
  given,
  row,
  state,
  says: text,
  wakes: true,
});
const cause = 'Please check controller logs for errors';

/** Every row of the requirement and every precondition of the specification. */
export const examples: readonly Example[] = [
  silent(
    'watch filter',
    'not selected, without owner',
    { isHandled: false, hasOwnerCluster: false, hasCluster: false },
    'U01',
  ),
  silent('UP-2', 'no owner', { hasOwnerCluster: false, hasCluster: false, isPaused: true }, 'U02'),
  silent('UP-3', 'Cluster missing, although paused', { hasCluster: false, isPaused: true }, 'U03'),
  silent('UP-5', 'paused, Machines cannot be listed', { isPaused: true, machines: 'unlisted' }, 'U04'),
  silent('UP-5', 'paused, Machines outdated', { isPaused: true, machines: 'False' }, 'U04'),
  silent('UP-7', 'Machines cannot be listed', { machines: 'unlisted' }, 'U05'),
  silent('UP-8', 'a Machine to be adopted', { machines: 'adoptable' }, 'U06', 'Unmanaged'),
  silent('UP-9', 'a foreign Machine', { machines: 'foreign' }, 'U07', 'Unmanaged'),
  says('MU-002 U-1', 'no Machine counts', { machines: 'none' }, 'U10', 'NoReplicas', 'True/NoReplicas/'),
  says(
    'MU-009 U-5',
    'aggregation failed',
    { machines: 'failed' },
    'U11',
    'UpToDateUnknown',
    `Unknown/InternalError/${cause}`,
  ),
  says(
    'MU-005 MU-006 MU-016 U-3',
    'a Machine is not up to date',
    { machines: 'False', message: '* Machine m1: old' },
    'U12',
    'NotUpToDate',
    'False/MachinesNotUpToDate|NotUpToDate/* Machine m1: old',
  ),
  says(
    'MU-007 MU-008 MU-016 U-4',
    'a Machine is unknown',
    { machines: 'Unknown', message: '* Machine m1: who knows' },
    'U13',
    'UpToDateUnknown',
    'Unknown/MachinesUpToDateUnknown|UpToDateUnknown/* Machine m1: who knows',
  ),
  says(
    'MU-003 MU-004 MU-016 U-2a',
    'all Machines are up to date',
    {},
    'U14',
    'UpToDate',
    'True/MachinesUpToDate|UpToDate/',
  ),
  says(
    'MU-004 U-2b',
    'all up to date, with something to tell',
    { message: '* Machine m1: hello' },
    'U14',
    'UpToDate',
    'True/MachinesUpToDate|UpToDate/* Machine m1: hello',
  ),
];

const profiles = ['table', 'upstream'] as const;

/** Runs an example on a table, from every state, in both profiles of reasons, with and without a Machine that is too young. */
export function checkExample(given: typeof table, example: Example): void {
  const machine = createChart(given as never);
  for (const reasons of profiles) {
    for (const nextOldEnoughInMs of [null, 3_001]) {
      const facts: Facts = Object.freeze({ ...base, ...example.given, reasons, nextOldEnoughInMs });
      for (const from of Object.keys(given.states)) {
        const start = restore(machine, { value: from, context: { row: null, sinceMs: 0, wakeAtMs: null } }) as Snapshot;
        const { after, requests } = step(machine, start, { type: 'OBSERVED', nowMs: 1000, facts } as never);
        const { row, wakeAtMs } = restOf(after).context;
        const intents = given.rows.find(({ id }) => id === row)?.conditions(facts) ?? [];
        expect({ row, state: leafState(after.value), requests, wakeAtMs, says: intents.map(said).join() }).toEqual({
          row: example.row,
          state: example.state ?? from,
          requests: [],
          wakeAtMs: example.wakes && nextOldEnoughInMs !== null ? 1000 + nextOldEnoughInMs : null,
          says:
            example.says === null
              ? ''
              : `MachinesUpToDate/${example.says.replace(/(\w+)\|(\w+)/, reasons === 'table' ? '$1' : '$2')}`,
        });
      }
    }
  }
}

const said = ({ type, status, reason, message, v1beta1, onlyIfAbsent, only }: ConditionIntent): string =>
  `${type}/${status}/${reason}/${message}${v1beta1 === undefined ? '' : ' twin'}${onlyIfAbsent === true ? ' if absent' : ''}${only ?? ''}`;
