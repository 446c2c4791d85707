// The chart of a KubeadmConfig.
//
// Two stories: WaitingInfra -> AcquiringLock -> Initializing -> Done for the first control plane, and WaitingInfra ->
// WaitingCPInit -> Joining -> TokenMonitoring -> Done for everybody else. Rotating is where tokens are replaced or healed.
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
      repairDataSecretOwner: emit({ type: 'repairDataSecretOwner' }),
      adoptCertificates: emit({ type: 'adoptCertificates' }),
      acquireInitLock: emit({ type: 'acquireInitLock' }),
      storeInitData: emit({ type: 'storeInitData' }),
      giveUpInitLock: emit({ type: 'giveUpInitLock' }),
      releaseInitLock: emit({ type: 'releaseInitLock' }),
      storeJoinData: emit({ type: 'storeJoinData' }),
      refreshToken: emit({ type: 'refreshToken' }),
      checkTokenAge: emit({ type: 'checkTokenAge' }),
      restoreToken: emit({ type: 'restoreToken' }),
      rotateToken: emit({ type: 'rotateToken' }),
    },
  }).createMachine({
    id: 'kubeadmconfig',
    context: newborn,
    initial: 'WaitingInfra',
    // Every row is answered from every state, so that a lost result, a crash or a lost snapshot heals with the next OBSERVED.
    on: arrowsOf(given.rows),
    states: {
      WaitingInfra: state(
        'WaitingInfra',
        'No owner, no Cluster, or the infrastructure of the Cluster is not provisioned.',
      ),
      WaitingCPInit: state(
        'WaitingCPInit',
        'The control plane is not initialised: a worker waits for it, or another Machine holds the init lock.',
      ),
      AcquiringLock: state('AcquiringLock', 'This control plane Machine takes the init lock of its Cluster.'),
      Initializing: state(
        'Initializing',
        'The init lock is held: init data is made, and kept until the control plane is initialised.',
      ),
      Joining: state('Joining', 'The cluster is initialised: join data is made, until it is stored.'),
      TokenMonitoring: state(
        'TokenMonitoring',
        'Join data is stored: its token is kept alive until the node is there, a pool’s for ever.',
      ),
      Rotating: state('Rotating', 'A token is replaced with its data (machine pools), or a lost one is made again.'),
      Done: state('Done', 'The data is stored and nothing has to be kept alive.'),
    },
  });

/** The chart. */
export const chart = createChart({ rows, guards });
