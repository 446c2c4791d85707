// What follows when an effect did not get its work done. The turn ends in an error, with backoff, unless a row goes on.
//
// A view that turned out to be stale changes nothing: the next look, with a newer view, decides.

import type { Guard } from './chart-guards.js';
import {
  bootstrapStays,
  drainFailed,
  infrastructureStays,
  internalError,
  nodeStays,
  silent,
  volumesFailed,
  type Say,
} from './intents.js';
import { row, type MachineRow } from './row.js';
import { waitForCluster, waitForControlPlane, waitForOwner, type Wait } from './waits.js';
import { waitForDrain, waitForNodeRemoval, waitForRemoval, waitForVolumes } from './waits-deletion.js';
import { waitForLostInfrastructure, waitForNode } from './waits-life.js';
import type { MachineRequest, MachineState } from './words.js';

interface FailureRow {
  readonly id: string;
  readonly of: MachineRequest;
  readonly guard?: Guard;
  readonly requirements: readonly string[];
  readonly title: string;
  readonly description: string;
  readonly target?: MachineState;
  readonly conditions?: Say;
  readonly waitsFor?: Wait;
}

const failed = ({
  id,
  of,
  guard = `hasFailedTo_${of}`,
  requirements,
  title,
  description,
  target,
  conditions = silent,
  waitsFor,
}: FailureRow): MachineRow =>
  row({
    id,
    requirements,
    title,
    description,
    on: 'EFFECT_FAILED',
    from: target === undefined ? [] : [target],
    guard,
    target: target ?? null,
    conditions,
    ...(waitsFor === undefined ? {} : { waitsFor }),
  });

/** Rows of failures, the last of which always fits. */
export const failureRows: readonly MachineRow[] = [
  row({
    id: 'M80',
    requirements: ['MA-114'],
    title: 'the view was stale',
    description: 'A live read showed something else than the cache. Nothing was done; the next look decides.',
    on: 'EFFECT_FAILED',
    guard: 'wasViewStale',
  }),
  failed({
    id: 'M81',
    of: 'readCluster',
    requirements: ['MA-008', 'MA-114'],
    title: 'Cluster not readable',
    description: 'There is no such Cluster, or it cannot be read. Nothing is done until it can.',
    waitsFor: waitForCluster,
  }),
  failed({
    id: 'M82',
    of: 'readOwners',
    requirements: ['MA-012', 'MA-114'],
    title: 'owner not readable',
    description:
      'The owning MachineSet or MachineDeployment is not there, or cannot be read. Nothing is done until it can.',
    waitsFor: waitForOwner,
  }),
  failed({
    id: 'M83',
    of: 'addFinalizer',
    requirements: ['MA-006', 'MA-114'],
    title: 'finalizer not added',
    description: 'The finalizer could not be added. It is tried again.',
  }),
  failed({
    id: 'M84',
    of: 'confirmInfrastructure',
    guard: 'isInfrastructureGone',
    requirements: ['MA-031', 'MA-108', 'MA-119'],
    title: 'infrastructure is gone',
    description: 'The infrastructure object was deleted under a provisioned Machine. It is never made again.',
    target: 'Failed',
    waitsFor: waitForLostInfrastructure,
  }),
  failed({
    id: 'M85',
    of: 'confirmNode',
    guard: 'isNodeGone',
    requirements: ['MA-050', 'MA-109', 'MA-110', 'MA-119'],
    title: 'Node is gone',
    description: 'The Node was deleted under a living Machine. The Machine recovers when it comes back.',
    target: 'Failed',
    waitsFor: waitForNode,
  }),
  failed({
    id: 'M86',
    of: 'readControlPlane',
    requirements: ['MA-057'],
    title: 'control plane object not readable',
    description: 'Without it nobody knows whether the Node may be touched, so the deletion stops here.',
    conditions: internalError,
    waitsFor: waitForControlPlane,
  }),
  failed({
    id: 'M87',
    of: 'drainNode',
    requirements: ['MA-067'],
    title: 'drain failed',
    description: 'The drain could not be carried out. It is tried again, until its time limit if there is one.',
    target: 'Draining',
    conditions: drainFailed,
    waitsFor: waitForDrain,
  }),
  failed({
    id: 'M88',
    of: 'checkVolumes',
    requirements: ['MA-070', 'MA-114'],
    title: 'volumes not readable',
    description:
      'What is attached to the Node could not be read. It is tried again, until its time limit if there is one.',
    target: 'DetachingVolumes',
    conditions: volumesFailed,
    waitsFor: waitForVolumes,
  }),
  failed({
    id: 'M89',
    of: 'deleteInfrastructure',
    requirements: ['MA-114'],
    title: 'infrastructure not deleted',
    description: 'The API server refused the deletion of the infrastructure object. It is tried again.',
    target: 'DeletingInfrastructure',
    conditions: infrastructureStays,
    waitsFor: waitForRemoval('infrastructure'),
  }),
  failed({
    id: 'M90',
    of: 'deleteBootstrap',
    requirements: ['MA-114'],
    title: 'bootstrap object not deleted',
    description: 'The API server refused the deletion of the bootstrap object. It is tried again.',
    target: 'DeletingBootstrap',
    conditions: bootstrapStays,
    waitsFor: waitForRemoval('bootstrap'),
  }),
  row({
    id: 'M91',
    requirements: ['MA-113'],
    title: 'Node not deleted, out of time',
    description: 'The Node could not be deleted and the time that the Machine allows is over: it is left behind.',
    on: 'EFFECT_FAILED',
    from: ['DeletingNode'],
    guard: 'isNodeDeletionOutOfTime',
    target: 'RemovingFinalizer',
    request: 'removeFinalizer',
    conditions: nodeStays,
  }),
  row({
    id: 'M92',
    requirements: ['MA-106', 'MA-107'],
    title: 'Node not deleted',
    description: 'The workload cluster did not delete the Node. It is tried again.',
    on: 'EFFECT_FAILED',
    from: ['DeletingNode'],
    guard: 'isNodeDeletionRefused',
    target: 'DeletingNode',
    conditions: nodeStays,
    waitsFor: waitForNodeRemoval,
  }),
  row({
    id: 'M93',
    requirements: ['MA-114'],
    title: 'something failed',
    description:
      'An API call failed. It is logged and tried again with backoff. What could not be confirmed ends no deletion.',
    on: 'EFFECT_FAILED',
    guard: 'otherwise',
  }),
];
