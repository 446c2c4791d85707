// The chart of a Machine: it comes to life step by step, and goes step by step.
//
// A living Machine is where its objects say it is. A deletion is the parent state Deleting with a state for each step.
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
import { guards } from './chart-guards.js';
import type { MachineFacts } from './facts.js';
import { rows } from './rows.js';
import type { MachineReply, MachineRequest } from './words.js';

/** Makes the chart of rows. Tests give rows with a planted mistake. */
export const createChart = (given: { readonly rows: typeof rows; readonly guards: typeof guards }) =>
  setup({
    types: {
      context: {} as ChartContext,
      events: {} as ActorEvent<MachineFacts, MachineReply>,
      emitted: {} as EffectRequest<MachineRequest> | RowNote<MachineFacts>,
    },
    guards: onFacts(given.guards),
    actions: {
      record: assign((args, { row }: RowParams) => recorded(given.rows, args, row)),
      tell: emit((args, { row }: RowParams) => noteOf(args, row)),
      arrive: assign((args, { state }: { readonly state: string }) => arrived(args, state)),
      readCluster: emit({ type: 'readCluster' }),
      addFinalizer: emit({ type: 'addFinalizer' }),
      readOwners: emit({ type: 'readOwners' }),
      openWatches: emit({ type: 'openWatches' }),
      patchMachine: emit({ type: 'patchMachine' }),
      adoptBootstrap: emit({ type: 'adoptBootstrap' }),
      adoptInfrastructure: emit({ type: 'adoptInfrastructure' }),
      syncNode: emit({ type: 'syncNode' }),
      confirmInfrastructure: emit({ type: 'confirmInfrastructure' }),
      confirmNode: emit({ type: 'confirmNode' }),
      readControlPlane: emit({ type: 'readControlPlane' }),
      drainNode: emit({ type: 'drainNode' }),
      checkVolumes: emit({ type: 'checkVolumes' }),
      deleteInfrastructure: emit({ type: 'deleteInfrastructure' }),
      deleteBootstrap: emit({ type: 'deleteBootstrap' }),
      deleteNode: emit({ type: 'deleteNode' }),
      removeFinalizer: emit({ type: 'removeFinalizer' }),
    },
  }).createMachine({
    id: 'machine',
    context: newborn,
    initial: 'Pending',
    // Every row is answered from every state, so that a lost result, a crash or a lost snapshot heals with the next OBSERVED.
    on: arrowsOf(given.rows),
    states: {
      Pending: state('Pending', 'Neither bootstrap data nor infrastructure is ready.'),
      Provisioning: state('Provisioning', 'Bootstrap data exists; the infrastructure is being made.'),
      Provisioned: state('Provisioned', 'The infrastructure is there; its Node has not joined.'),
      Running: state('Running', 'Infrastructure and Node are there.'),
      Updating: state('Updating', 'Somebody updates the Machine in place.'),
      Failed: state('Failed', 'A failure field is set; work goes on all the same.'),
      Deleting: {
        description: 'The Machine is being deleted, step by step.',
        initial: 'PreDrainHooks',
        states: {
          PreDrainHooks: state('PreDrainHooks', 'Annotations of others hold the drain.'),
          Draining: state('Draining', 'Pods leave the Node.'),
          DetachingVolumes: state('DetachingVolumes', 'Volumes are detached from the Node.'),
          PreTerminateHooks: state('PreTerminateHooks', 'Annotations of others hold the end of the infrastructure.'),
          DeletingInfrastructure: state('DeletingInfrastructure', 'The infrastructure object goes.'),
          DeletingBootstrap: state('DeletingBootstrap', 'The bootstrap object goes.'),
          DeletingNode: state('DeletingNode', 'The Node goes.'),
          RemovingFinalizer: state('RemovingFinalizer', 'Everything is gone; the Machine itself may go.'),
        },
      },
    },
  });

/** The chart. */
export const chart = createChart({ rows, guards });
