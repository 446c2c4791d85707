// The rows before anything is decided about a Machine's life: is it ours to work on, and are the always phases done?
//
// An always phase is a row with a request and no target: the table is read again afterwards, with what is known then. What a
// phase could not do never keeps the next one from its work; the turn ends in an error all the same.

import { silent } from './intents.js';
import { row, timer, type MachineRow } from './row.js';
import { waitForNode, waitForObject } from './waits-life.js';
import { waitForCluster, waitForOwner, waitForUnpause } from './waits.js';

/** Rows that end a turn or ask for a phase, in the requirement's order. */
export const entryRows: readonly MachineRow[] = [
  row({
    id: 'M01',
    requirements: ['MA-002', 'MA-004', 'MA-008'],
    title: 'Cluster not found',
    description:
      'No cache shows the Cluster of spec.clusterName. It is read live; without it nothing is done, not even to the finalizer.',
    guard: 'isClusterMissing',
    request: 'readCluster',
    waitsFor: waitForCluster,
  }),
  row({
    id: 'M02',
    requirements: ['MA-002', 'MA-005'],
    title: 'finalizer missing',
    description: 'The Machine gets its finalizer before anything else happens to it; the rest is for the next look.',
    from: ['Pending'],
    guard: 'isFinalizerMissing',
    request: 'addFinalizer',
  }),
  row({
    id: 'M03',
    requirements: ['MA-009', 'MA-010', 'MA-011'],
    title: 'paused',
    description:
      'The Cluster or the Machine is paused. Only the condition Paused is written; a deletion does not go on either.',
    guard: 'isPaused',
    waitsFor: waitForUnpause,
  }),
  row({
    id: 'M04',
    requirements: ['MA-012'],
    title: 'owner not found',
    description:
      'The owning MachineSet or its MachineDeployment is not in the cache. It is read live; without it nothing is done.',
    guard: 'isOwnerMissing',
    request: 'readOwners',
    waitsFor: waitForOwner,
  }),
  row({
    id: 'M05',
    requirements: ['MA-022', 'MA-029', 'MA-084', 'MA-089', 'MA-145', 'MA-146'],
    title: 'something is not watched yet',
    description:
      'The kinds of the bootstrap, infrastructure and control plane objects and the Nodes are watched from the first Machine that needs them.',
    guard: 'isSomethingUnwatched',
    request: 'openWatches',
  }),
  row({
    id: 'M06',
    requirements: ['MA-014', 'MA-019', 'MA-027', 'MA-028', 'MA-035', 'MA-036', 'MA-038', 'MA-082', 'MA-092'],
    title: 'Machine to be patched',
    description:
      'Owner, cluster label, data secret name, provider ID and failure domain are written in one patch, before status says that they are there.',
    guard: 'hasMachineChanges',
    request: 'patchMachine',
  }),
  row({
    id: 'M07',
    requirements: ['MA-014', 'MA-083'],
    title: 'bootstrap object to be adopted',
    description:
      'The bootstrap object gets the Machine as its controller and the cluster label; what cannot be read of it is an error.',
    guard: 'isBootstrapUnsettled',
    request: 'adoptBootstrap',
    waitsFor: waitForObject('bootstrap'),
  }),
  row({
    id: 'M08',
    requirements: ['MA-014', 'MA-088'],
    title: 'infrastructure object to be adopted',
    description:
      'The infrastructure object gets the Machine as its controller and the cluster label; what cannot be read of it is an error.',
    guard: 'isInfrastructureUnsettled',
    request: 'adoptInfrastructure',
    waitsFor: waitForObject('infrastructure'),
  }),
  row({
    id: 'M09',
    requirements: ['MA-014', 'MA-042', 'MA-046', 'MA-047'],
    title: 'Node to be brought in line',
    description:
      'Labels, annotations and taints of the Machine are brought to its Node; a Node that cannot be looked up is an error.',
    guard: 'isNodeUnsettled',
    request: 'syncNode',
    waitsFor: waitForNode,
  }),
  row({
    id: 'M10',
    requirements: ['MA-005'],
    title: 'finalizer added',
    description: 'The pass ends; the next look starts at once.',
    on: 'FINALIZER_ADDED',
    from: ['Pending'],
    guard: 'always',
    requeue: timer.lookAgain,
    conditions: silent,
  }),
];
