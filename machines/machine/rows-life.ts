// The rows of a Machine that lives: what is lost, and how far it has come.
//
// The state is a function of what is known (lifeOf), so every row may be reached from every state; drawn are the steps that
// people expect.

import { row, timer, type MachineRow } from './row.js';
import { waitForFailure, waitForLife, waitForLostInfrastructure, waitForNode, waitForUpdate } from './waits-life.js';

/** Rows of living Machines, the last of which always fits. */
export const lifeRows: readonly MachineRow[] = [
  row({
    id: 'M20',
    requirements: ['MA-031', 'MA-108'],
    title: 'infrastructure lost',
    description:
      'The infrastructure object is gone although the Machine was provisioned. A live read confirms it before the Machine fails.',
    guard: 'isInfrastructureLost',
    request: 'confirmInfrastructure',
    waitsFor: waitForLostInfrastructure,
  }),
  row({
    id: 'M21',
    requirements: ['MA-050', 'MA-109', 'MA-110'],
    title: 'Node lost',
    description:
      'No Node has the provider ID any more although the Machine had one. A live read confirms it before the Machine fails.',
    guard: 'isNodeLost',
    request: 'confirmNode',
    waitsFor: waitForNode,
  }),
  row({
    id: 'M22',
    requirements: ['MA-119', 'MA-115'],
    title: 'a failure field is set',
    description: 'failureReason or failureMessage is set. Work goes on: nothing here is final.',
    from: ['Provisioned', 'Running', 'Failed'],
    guard: 'isFailed',
    target: 'Failed',
    requeue: timer.life,
    waitsFor: waitForFailure,
  }),
  row({
    id: 'M23',
    requirements: ['MA-015', 'MA-123'],
    title: 'updated in place',
    description:
      'The annotations say that an update in place is under way. It is not carried out here; an Event tells it.',
    from: ['Running', 'Updating'],
    guard: 'isUpdating',
    target: 'Updating',
    requeue: timer.life,
    waitsFor: waitForUpdate,
  }),
  row({
    id: 'M24',
    requirements: ['MA-045', 'MA-048', 'MA-094', 'MA-120', 'MA-121'],
    title: 'running',
    description: 'Infrastructure and Node are there. Conditions follow the Node; nothing else is waited for.',
    from: ['Provisioned', 'Running', 'Updating', 'Failed'],
    guard: 'isRunning',
    target: 'Running',
    requeue: timer.life,
  }),
  row({
    id: 'M25',
    requirements: ['MA-039', 'MA-043', 'MA-044', 'MA-093'],
    title: 'provisioned, no Node yet',
    description: 'The provider ID is known. The Node that registers with it wakes the Machine; there is no time limit.',
    from: ['Provisioning', 'Provisioned'],
    guard: 'isProvisioned',
    target: 'Provisioned',
    requeue: timer.life,
    waitsFor: waitForLife,
  }),
  row({
    id: 'M26',
    requirements: ['MA-025', 'MA-032', 'MA-033', 'MA-034', 'MA-087', 'MA-091', 'MA-117'],
    title: 'data there, infrastructure not yet',
    description:
      'The bootstrap data exists. The infrastructure object has to be provisioned and to tell its provider ID.',
    from: ['Pending', 'Provisioning'],
    guard: 'isProvisioning',
    target: 'Provisioning',
    requeue: timer.life,
    waitsFor: waitForLife,
  }),
  row({
    id: 'M27',
    requirements: ['MA-021', 'MA-024', 'MA-026', 'MA-086', 'MA-116'],
    title: 'nothing there yet',
    description: 'Neither bootstrap data nor infrastructure is ready.',
    from: ['Pending'],
    guard: 'otherwise',
    target: 'Pending',
    requeue: timer.life,
    waitsFor: waitForLife,
  }),
];
