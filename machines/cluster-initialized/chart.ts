// The chart of a Cluster's ControlPlaneInitialized: a latch. Its states say what the latch waits for.
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
import type { ActorEvent, EffectRequest, RowNote } from '../kit/row.js';
import type { Facts, Reply, Request } from './facts.js';
import { guards } from './guards.js';
import { rows } from './rows.js';

/** Makes the chart of rows. Tests give rows with a planted mistake. */
export const createChart = (given: { readonly rows: typeof rows; readonly guards: typeof guards }) =>
  setup({
    types: {
      context: {} as ChartContext,
      events: {} as ActorEvent<Facts, Reply>,
      emitted: {} as EffectRequest<Request> | RowNote<Facts>,
    },
    guards: onFacts(given.guards),
    actions: {
      record: assign((args, { row }: RowParams) => recorded(given.rows, args, row)),
      tell: emit((args, { row }: RowParams) => noteOf(args, row)),
      arrive: assign((args, { state }: { readonly state: string }) => arrived(args, state)),
      watchControlPlane: emit({ type: 'watchControlPlane' }),
    },
  }).createMachine({
    id: 'cluster-initialized',
    context: newborn,
    initial: 'WaitingControlPlane',
    // Every row is answered from every state: a crash or a lost snapshot heals with the next OBSERVED.
    on: arrowsOf(given.rows),
    states: {
      WaitingTopology: state(
        'WaitingTopology',
        'The topology of the Cluster has not made the control plane object yet.',
      ),
      WaitingControlPlane: state('WaitingControlPlane', 'The control plane object is missing, or is not initialised.'),
      WaitingFirstNode: state(
        'WaitingFirstNode',
        'Without a control plane object: no control plane Machine has a node yet.',
      ),
      Unreadable: state('Unreadable', 'What would tell about initialization cannot be read.'),
      Initialized: state('Initialized', 'The control plane was initialised once. This never ends.'),
    },
  });

/** The chart. */
export const chart = createChart({ rows, guards });
