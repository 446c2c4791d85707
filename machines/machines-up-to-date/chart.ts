// The chart of a KubeadmControlPlane's MachinesUpToDate: what its Machines say, put together.
import { assign, emit, setup } from 'xstate';
import {
  arrived,
  arrowsOf,
  newborn,
  noteOf,
  onFacts,
  recorded,
  state,
  type ChartContext,
  type RowParams,
} from '../kit/chart.js';
import type { ActorEvent, RowNote } from '../kit/row.js';
import type { Facts } from './facts.js';
import { guards } from './guards.js';
import { rows } from './rows.js';

/** Makes the chart of rows. Tests give rows with a planted mistake. */
export const createChart = (given: { readonly rows: typeof rows; readonly guards: typeof guards }) =>
  setup({
    types: {
      context: {} as ChartContext,
      events: {} as ActorEvent<Facts>,
      emitted: {} as RowNote<Facts>,
    },
    guards: onFacts(given.guards),
    actions: {
      record: assign((args, { row }: RowParams) => recorded(given.rows, args, row)),
      tell: emit((args, { row }: RowParams) => noteOf(args, row)),
      arrive: assign((args, { state }: { readonly state: string }) => arrived(args, state)),
    },
  }).createMachine({
    id: 'machines-up-to-date',
    context: newborn,
    initial: 'NoReplicas',
    // Every row is answered from every state: a crash or a lost snapshot heals with the next OBSERVED.
    on: arrowsOf(given.rows),
    states: {
      NoReplicas: state('NoReplicas', 'There is no Machine that counts.'),
      UpToDate: state('UpToDate', 'Every Machine is up to date.'),
      NotUpToDate: state('NotUpToDate', 'At least one Machine is not up to date.'),
      UpToDateUnknown: state('UpToDateUnknown', 'Of at least one Machine it is not known whether it is up to date.'),
      Unmanaged: state(
        'Unmanaged',
        'The control plane Machines are not all owned by this object: it does not speak for them.',
      ),
    },
  });

/** The chart. */
export const chart = createChart({ rows, guards });
