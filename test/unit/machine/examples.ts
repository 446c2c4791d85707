// The Machine's table as examples: what is given, and what must come of it. The unit tests run them on the table, the mutation
// test on every mutant of it.

import { expect } from '@jest/globals';
import { createRowMachine } from '../../../machines/kit/row-machine.js';
import type { ConditionIntent } from '../../../machines/kit/row.js';
import { leafState, restore, restOf, step, type Snapshot } from '../../../machines/kit/step.js';
import type { MachineFacts } from '../../../machines/machine/facts.js';
import type { MachineTable } from '../../../machines/machine/table.js';
import type { MachineReply, MachineRequest, MachineState } from '../../../machines/machine/words.js';
import {
  bootstrap,
  connection,
  deleting,
  drainStart,
  factsOf,
  infrastructure,
  lostBootstrap,
  lostInfrastructure,
  minutesAgo,
  noBootstrap,
  node,
  noInfrastructure,
  report,
  volumeReport,
} from './facts.js';

/** One line of the table. */
export interface Example {
  /** Requirement rows that it proves. */
  readonly ids?: string;
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

const gone = { infrastructure: noInfrastructure('missing'), bootstrap: noBootstrap('missing') };
const dying = (more: Parameters<typeof factsOf>[0] = {}): MachineFacts =>
  factsOf({ ...more, machine: { ...deleting, ...more.machine } });
const deletion = { nodeDrainStartTime: drainStart, waitForNodeVolumeDetachStartTime: drainStart };
const drainDone = { drain: { kind: 'drained' } } as const;
const allDone = { ...drainDone, volumes: { kind: 'detached' } } as const;
const hooks = (prefix: string): readonly string[] => [
  `${prefix}.delete.hook.machine.cluster.x-k8s.io/a`,
  `${prefix}.delete.hook.machine.cluster.x-k8s.io/b`,
];
const failure = (request: MachineRequest, kind = 'ApiForbidden', message = 'no') => ({
  failure: { request, kind, message },
});
const tried = { conditions: [{ type: 'Deleting', status: 'True', reason: 'DeletingNode', message: '' }] };

const preDrain = 'old PreDrainDeleteHookSucceeded True';
const preTerminate = 'old PreTerminateDeleteHookSucceeded True';
const waitsForInfra = 'Deleting True WaitingForInfrastructureDeletion: Waiting for InfraMachine to be deleted';
const waitsForBootstrap = 'Deleting True WaitingForBootstrapDeletion: Waiting for KubeadmConfig to be deleted';
const infraDeleted = 'old InfrastructureReady False/Info/Deleted';
const bootstrapDeleted = 'old BootstrapReady False/Info/Deleted';
const drainHeader = 'Deleting True DrainingNode: Drain not completed yet (started at 2024-10-09T16:13:59Z):';
const drainFirst = 'old DrainingSucceeded False/Info/Draining/Draining the node before deletion (if absent)';
const volumesHeader =
  'Deleting True WaitingForVolumeDetach: Waiting for Node volumes to be detached (started at 2024-10-09T16:13:59Z)';
const volumesFirst =
  'old VolumeDetachSucceeded False/Info/WaitingForVolumeDetach/Waiting for node volumes to be detached (if absent)';
const drainedWord = 'old DrainingSucceeded True';
const detachedWord = 'old VolumeDetachSucceeded True';
const completedWord = 'Deleting True DeletionCompleted: Deletion completed';
const preTerminateWait = [
  'Deleting True WaitingForPreTerminateHook: Waiting for pre-terminate hooks to succeed (hooks: pre-terminate.delete.hook.machine.cluster.x-k8s.io/a,pre-terminate.delete.hook.machine.cluster.x-k8s.io/b)',
  'old PreTerminateDeleteHookSucceeded False/Info/WaitingExternalHook',
];
const allGone = [preDrain, preTerminate, infraDeleted, bootstrapDeleted];
const lonely = { controlPlaneMachines: 0 };

/** Every row, and every pair of neighbours that could both decide. */
export const examples: readonly Example[] = [
  {
    ids: 'MA-002 MA-008',
    title: 'no Cluster and no finalizer: the Cluster is read first',
    given: factsOf({ cluster: null, machine: { hasFinalizer: false } }),
    row: 'M01',
    state: null,
    request: 'readCluster',
  },
  {
    ids: 'MA-002 MA-005',
    title: 'no finalizer, paused: the finalizer comes first',
    given: factsOf({ cluster: { isPaused: true }, machine: { hasFinalizer: false } }),
    row: 'M02',
    state: null,
    request: 'addFinalizer',
  },
  {
    ids: 'MA-009',
    title: 'paused by annotation',
    given: factsOf({ machine: { isPausedItself: true }, missingOwner: { kind: 'MachineSet', name: 'ms' } }),
    row: 'M03',
    state: null,
  },
  {
    ids: 'MA-010',
    title: 'paused by its Cluster',
    given: factsOf({ cluster: { isPaused: true } }),
    row: 'M03',
    state: null,
  },
  {
    ids: 'MA-009',
    title: 'paused while it is being deleted: nothing goes on',
    given: dying({ machine: { isPausedItself: true, hasFinalizer: false } }),
    row: 'M03',
    state: null,
  },
  {
    ids: 'MA-012',
    title: 'an owner is missing',
    given: factsOf({ missingOwner: { kind: 'MachineSet', name: 'ms' }, unwatched: ['Node'] }),
    row: 'M04',
    state: null,
    request: 'readOwners',
  },
  {
    ids: 'MA-084 MA-089',
    title: 'kinds are not watched yet',
    given: factsOf({ unwatched: ['KubeadmConfig', 'InfraMachine'], machineChanges: ['x'] }),
    row: 'M05',
    state: null,
    request: 'openWatches',
  },
  {
    title: 'a watch that was tried is not tried again in the turn',
    given: factsOf({ unwatched: ['Node'], attempted: ['openWatches'] }),
    row: 'M24',
    state: 'Running',
  },
  {
    ids: 'MA-014 MA-019',
    title: 'the Machine has to be patched',
    given: factsOf({ machineChanges: ['spec.providerID'], bootstrap: bootstrap({ isAdopted: false }) }),
    row: 'M06',
    state: null,
    request: 'patchMachine',
  },
  {
    ids: 'MA-014 MA-083',
    title: 'the bootstrap object is not ours yet',
    given: factsOf({
      bootstrap: bootstrap({ isAdopted: false }),
      infrastructure: infrastructure({ isAdopted: false }),
    }),
    row: 'M07',
    state: null,
    request: 'adoptBootstrap',
  },
  {
    title: 'a field of the bootstrap object is wrong',
    given: factsOf({ bootstrap: bootstrap({ problem: 'wrong' }) }),
    row: 'M07',
    state: null,
    request: 'adoptBootstrap',
  },
  {
    ids: 'MA-014 MA-088',
    title: 'the infrastructure object is not ours yet',
    given: factsOf({ infrastructure: infrastructure({ isAdopted: false }), node: node({ isSynced: false }) }),
    row: 'M08',
    state: null,
    request: 'adoptInfrastructure',
  },
  {
    title: 'the infrastructure object cannot be read',
    given: factsOf({ infrastructure: lostInfrastructure }),
    row: 'M08',
    state: null,
    request: 'adoptInfrastructure',
  },
  {
    ids: 'MA-014 MA-046 MA-047',
    title: 'the Node differs, also of a Machine that is being deleted',
    given: dying({ node: node({ isSynced: false }), controlPlane: { kind: 'unreadable', message: 'no' } }),
    row: 'M09',
    state: null,
    request: 'syncNode',
  },
  {
    title: 'the Node cannot be looked up',
    given: factsOf({ node: { kind: 'unreachable', message: 'down' } }),
    row: 'M09',
    state: null,
    request: 'syncNode',
  },
  {
    title: 'an expiry date is none',
    given: factsOf({ certificatesExpiry: { kind: 'invalid', message: 'no' } }),
    row: 'M09',
    state: null,
    request: 'syncNode',
  },
  {
    ids: 'MA-005',
    title: 'the finalizer was added: the next look comes at once',
    on: 'FINALIZER_ADDED',
    given: factsOf(),
    row: 'M10',
    state: null,
    againInMs: 0,
  },

  {
    ids: 'MA-031 MA-108',
    title: 'the infrastructure object is gone, and the Node too',
    given: factsOf({ infrastructure: noInfrastructure('missing'), node: { kind: 'missing' } }),
    row: 'M20',
    state: null,
    request: 'confirmInfrastructure',
  },
  {
    ids: 'MA-050 MA-109',
    title: 'the Node is gone',
    given: factsOf({ node: { kind: 'missing' } }),
    row: 'M21',
    state: null,
    request: 'confirmNode',
  },
  {
    ids: 'MA-119',
    title: 'a failure is reported while it is updated in place',
    given: factsOf({ infrastructure: infrastructure({ failureReason: 'bad' }), machine: { isUpdating: true } }),
    row: 'M22',
    state: 'Failed',
  },
  {
    ids: 'MA-123',
    title: 'updated in place',
    given: factsOf({ machine: { isUpdating: true } }),
    row: 'M23',
    state: 'Updating',
  },
  { ids: 'MA-094', title: 'Node and infrastructure are there', given: factsOf(), row: 'M24', state: 'Running' },
  {
    ids: 'MA-093 MA-044',
    title: 'the Node has not come: no time limit, no requeue',
    given: factsOf({ status: { nodeRef: undefined as never }, node: { kind: 'missing' } }),
    row: 'M25',
    state: 'Provisioned',
  },
  {
    ids: 'MA-117 MA-033',
    title: 'data is there, infrastructure is not',
    given: factsOf({
      status: { phase: 'Pending', nodeRef: undefined as never, initialization: {} },
      machine: { providerId: '' },
      infrastructure: infrastructure({ isCompleted: false, providerId: '' }),
      node: { kind: 'unsought' },
    }),
    row: 'M26',
    state: 'Provisioning',
  },
  {
    ids: 'MA-116 MA-026',
    title: 'nothing is there',
    given: factsOf({
      status: { phase: 'Pending', nodeRef: undefined as never, initialization: {} },
      machine: { providerId: '', dataSecretName: null },
      bootstrap: bootstrap({ isCompleted: false }),
      infrastructure: infrastructure({ isCompleted: false, providerId: '' }),
      node: { kind: 'unsought' },
    }),
    row: 'M27',
    state: 'Pending',
  },
  {
    ids: 'MA-024',
    title: 'the bootstrap object does not exist',
    given: factsOf({
      status: { phase: 'Pending', nodeRef: undefined as never, initialization: {} },
      machine: { providerId: '', dataSecretName: null },
      bootstrap: noBootstrap('missing'),
      infrastructure: infrastructure({ isCompleted: false, providerId: '' }),
      node: { kind: 'unsought' },
    }),
    row: 'M27',
    state: 'Pending',
    againInMs: 30_000,
  },
  {
    ids: 'MA-032',
    title: 'the infrastructure object does not exist and never did',
    given: factsOf({
      status: { phase: 'Pending', nodeRef: undefined as never, initialization: {} },
      machine: { providerId: '' },
      infrastructure: noInfrastructure('missing'),
      node: { kind: 'unsought' },
    }),
    row: 'M26',
    state: 'Provisioning',
    againInMs: 30_000,
  },
  {
    title: 'a missing object after a failed phase: the backoff decides',
    given: factsOf({ bootstrap: noBootstrap('missing'), phaseFailure: failure('syncNode').failure }),
    row: 'M24',
    state: 'Running',
  },
  {
    title: 'a failure field, an object missing',
    given: factsOf({ bootstrap: noBootstrap('missing'), infrastructure: infrastructure({ failureReason: 'bad' }) }),
    row: 'M22',
    state: 'Failed',
    againInMs: 30_000,
  },
  {
    title: 'updated in place, an object missing',
    given: factsOf({ bootstrap: noBootstrap('missing'), machine: { isUpdating: true } }),
    row: 'M23',
    state: 'Updating',
    againInMs: 30_000,
  },
  {
    title: 'running, an object missing',
    given: factsOf({ bootstrap: noBootstrap('missing') }),
    row: 'M24',
    state: 'Running',
    againInMs: 30_000,
  },
  {
    title: 'provisioned, an object missing',
    given: factsOf({
      bootstrap: noBootstrap('missing'),
      status: { nodeRef: undefined as never },
      node: { kind: 'missing' },
    }),
    row: 'M25',
    state: 'Provisioned',
    againInMs: 30_000,
  },
  {
    title: 'the connection is being made: judged when its grace is over',
    given: factsOf({
      node: { kind: 'connecting' },
      connection: { ...connection, lastHeardMs: null, isConnected: false, graceMs: 9_000 },
    }),
    row: 'M24',
    state: 'Running',
    againInMs: 9_001,
  },

  {
    ids: 'MA-057',
    title: 'the control plane object cannot be read',
    given: dying({ controlPlane: { kind: 'unreadable', message: 'no' } }),
    row: 'M40',
    state: null,
    request: 'readControlPlane',
  },
  {
    title: 'the workload cluster is being connected to',
    given: dying({ node: { kind: 'connecting' } }),
    row: 'M41',
    state: null,
    againInMs: 20_000,
  },
  {
    ids: 'MA-060 MA-136',
    title: 'pre-drain hooks',
    given: dying({ machine: { preDrainHooks: hooks('pre-drain') }, volumes: { kind: 'resting' } }),
    row: 'M42',
    state: 'PreDrainHooks',
    says: [
      'Deleting True WaitingForPreDrainHook: Waiting for pre-drain hooks to succeed (hooks: pre-drain.delete.hook.machine.cluster.x-k8s.io/a,pre-drain.delete.hook.machine.cluster.x-k8s.io/b)',
      'old PreDrainDeleteHookSucceeded False/Info/WaitingExternalHook',
    ],
  },
  {
    ids: 'MA-071',
    title: 'volumes rest: the drain is not repeated meanwhile',
    given: dying({ volumes: { kind: 'resting' } }),
    row: 'M43',
    state: 'DetachingVolumes',
    againInMs: 20_000,
  },
  {
    ids: 'MA-061 MA-098',
    title: 'no hooks: the drain starts',
    given: dying({ status: { deletion } }),
    row: 'M44',
    state: 'Draining',
    request: 'drainNode',
    says: [preDrain, drainHeader, drainFirst],
  },
  {
    ids: 'MA-065',
    title: 'the drain rests',
    given: dying({ drain: { kind: 'resting' } }),
    row: 'M45',
    state: 'Draining',
    againInMs: 20_000,
  },
  {
    ids: 'MA-062',
    title: 'the drain is excluded: volumes are looked at',
    given: dying({
      machine: { isDrainExcluded: true, preTerminateHooks: hooks('pre-terminate') },
      status: { deletion },
    }),
    row: 'M46',
    state: 'DetachingVolumes',
    request: 'checkVolumes',
    says: [preDrain, volumesHeader, volumesFirst],
  },
  {
    ids: 'MA-111',
    title: 'the drain took too long: volumes are looked at',
    given: dying({ machine: { drainTimeoutMs: 60_000 }, status: { deletion } }),
    row: 'M46',
    state: 'DetachingVolumes',
    request: 'checkVolumes',
    says: [preDrain, volumesHeader, volumesFirst],
  },
  {
    ids: 'MA-073 MA-136',
    title: 'pre-terminate hooks, infrastructure not readable',
    given: dying({
      ...allDone,
      machine: { preTerminateHooks: hooks('pre-terminate') },
      infrastructure: lostInfrastructure,
      attempted: ['adoptInfrastructure'],
    }),
    row: 'M47',
    state: 'PreTerminateHooks',
    says: [preDrain, ...preTerminateWait],
  },
  {
    ids: 'MA-058',
    title: 'pre-terminate hooks hold also when the Node is left alone',
    given: dying({ ...lonely, machine: { preTerminateHooks: hooks('pre-terminate') } }),
    row: 'M47',
    state: 'PreTerminateHooks',
    says: preTerminateWait,
  },
  {
    ids: 'MA-104 MA-112',
    title: 'the wait for volumes took too long, hooks come next',
    given: dying({
      ...drainDone,
      machine: { volumeTimeoutMs: 60_000, preTerminateHooks: hooks('pre-terminate') },
      status: { deletion },
    }),
    row: 'M47',
    state: 'PreTerminateHooks',
    says: [preDrain, detachedWord, ...preTerminateWait],
  },
  {
    ids: 'MA-075',
    title: 'infrastructure not ours (any more): nothing behind it is deleted',
    given: dying({
      ...allDone,
      infrastructure: infrastructure({ isAdopted: false }),
      attempted: ['adoptInfrastructure'],
    }),
    row: 'M48',
    state: 'DeletingInfrastructure',
    says: [preDrain, preTerminate, waitsForInfra],
  },
  {
    ids: 'MA-068 MA-074',
    title: 'volumes excluded, no hooks: the infrastructure goes',
    given: dying({ ...drainDone, machine: { isVolumeWaitExcluded: true } }),
    row: 'M49',
    state: 'DeletingInfrastructure',
    request: 'deleteInfrastructure',
    says: [preDrain, preTerminate, waitsForInfra],
  },
  {
    ids: 'MA-052 MA-096',
    title: 'no control plane left: the Node is left alone',
    given: dying(lonely),
    row: 'M49',
    state: 'DeletingInfrastructure',
    request: 'deleteInfrastructure',
    says: [preTerminate, waitsForInfra],
  },
  {
    ids: 'MA-053 MA-096',
    title: 'the last control plane Machine: the Node is left alone',
    given: dying({ ...lonely, machine: { isControlPlane: true } }),
    row: 'M49',
    state: 'DeletingInfrastructure',
    request: 'deleteInfrastructure',
    says: [preTerminate, waitsForInfra],
  },
  {
    ids: 'MA-054 MA-096',
    title: 'no Node is known',
    given: dying({ status: { nodeRef: undefined as never }, node: { kind: 'missing' } }),
    row: 'M49',
    state: 'DeletingInfrastructure',
    request: 'deleteInfrastructure',
    says: [preTerminate, waitsForInfra],
  },
  {
    ids: 'MA-055 MA-096',
    title: 'the Cluster is being deleted',
    given: dying({ cluster: { isDeleting: true } }),
    row: 'M49',
    state: 'DeletingInfrastructure',
    request: 'deleteInfrastructure',
    says: [preTerminate, waitsForInfra],
  },
  {
    ids: 'MA-056 MA-096',
    title: 'the control plane object is being deleted',
    given: dying({ controlPlane: { kind: 'found', isDeleting: true, isExternallyManaged: true } }),
    row: 'M49',
    state: 'DeletingInfrastructure',
    request: 'deleteInfrastructure',
    says: [preTerminate, waitsForInfra],
  },
  {
    ids: 'MA-059',
    title: 'a pre-drain hook holds nothing when the Node is left alone',
    given: dying({ ...lonely, machine: { preDrainHooks: hooks('pre-drain') } }),
    row: 'M49',
    state: 'DeletingInfrastructure',
    request: 'deleteInfrastructure',
    says: [preTerminate, waitsForInfra],
  },
  {
    title: 'an externally managed control plane without Machines: the Node is touched',
    given: dying({
      ...lonely,
      controlPlane: { kind: 'found', isDeleting: false, isExternallyManaged: true },
      status: { deletion },
    }),
    row: 'M44',
    state: 'Draining',
    request: 'drainNode',
    says: [preDrain, drainHeader, drainFirst],
  },
  {
    ids: 'MA-075',
    title: 'the infrastructure is on its way out',
    given: dying({
      infrastructure: infrastructure({ isDeleting: true }),
      bootstrap: lostBootstrap,
      attempted: ['adoptBootstrap'],
    }),
    row: 'M50',
    state: 'DeletingInfrastructure',
    says: [preDrain, preTerminate, waitsForInfra],
  },
  {
    ids: 'MA-078',
    title: 'the bootstrap object is not ours (any more)',
    given: dying({
      infrastructure: noInfrastructure('missing'),
      bootstrap: bootstrap({ isAdopted: false }),
      attempted: ['adoptBootstrap'],
    }),
    row: 'M51',
    state: 'DeletingBootstrap',
    says: [preDrain, preTerminate, infraDeleted, waitsForBootstrap],
  },
  {
    ids: 'MA-076 MA-016',
    title: 'the infrastructure is gone: the bootstrap object goes',
    given: dying({ infrastructure: noInfrastructure('missing') }),
    row: 'M52',
    state: 'DeletingBootstrap',
    request: 'deleteBootstrap',
    says: [preDrain, preTerminate, infraDeleted, waitsForBootstrap],
  },
  {
    ids: 'MA-078',
    title: 'the bootstrap object is on its way out',
    given: dying({
      infrastructure: noInfrastructure('missing'),
      bootstrap: bootstrap({ isDeleting: true }),
      status: tried,
    }),
    row: 'M53',
    state: 'DeletingBootstrap',
    says: [preDrain, preTerminate, infraDeleted, waitsForBootstrap],
  },
  {
    ids: 'MA-113',
    title: 'the Node was tried before and time is over',
    given: dying({ ...gone, status: tried }),
    row: 'M54',
    state: 'RemovingFinalizer',
    request: 'removeFinalizer',
    says: allGone,
  },
  {
    ids: 'MA-106 MA-113',
    title: 'the Node was tried before and time is not over',
    given: dying({ ...gone, status: tried, machine: { nodeDeletionTimeoutMs: 600_000 } }),
    row: 'M55',
    state: 'DeletingNode',
    request: 'deleteNode',
    says: allGone,
  },
  {
    ids: 'MA-106',
    title: 'the Node was tried before and there is no limit',
    given: dying({ ...gone, status: tried, machine: { nodeDeletionTimeoutMs: 0 } }),
    row: 'M55',
    state: 'DeletingNode',
    request: 'deleteNode',
    says: allGone,
  },
  {
    ids: 'MA-079',
    title: 'everything before it is gone: the Node goes, though time is over',
    given: dying(gone),
    row: 'M55',
    state: 'DeletingNode',
    request: 'deleteNode',
    says: allGone,
  },
  {
    ids: 'MA-077',
    title: 'no bootstrap object to wait for: the Node goes',
    given: dying({ infrastructure: noInfrastructure('missing'), bootstrap: null }),
    row: 'M55',
    state: 'DeletingNode',
    request: 'deleteNode',
    says: [preDrain, preTerminate, infraDeleted],
  },
  {
    ids: 'MA-049',
    title: 'the Node is gone already: its deletion is asked for all the same',
    given: dying({ ...gone, node: { kind: 'missing' } }),
    row: 'M55',
    state: 'DeletingNode',
    request: 'deleteNode',
    says: allGone,
  },
  {
    ids: 'MA-080 MA-096',
    title: 'the Node is left alone: the finalizer goes',
    given: dying({ ...gone, ...lonely }),
    row: 'M56',
    state: 'RemovingFinalizer',
    request: 'removeFinalizer',
    says: [preTerminate, infraDeleted, bootstrapDeleted],
  },
  {
    ids: 'MA-080',
    title: 'only finalizers of others are left',
    given: dying({ ...gone, node: { kind: 'missing' }, machine: { hasFinalizer: false } }),
    row: 'M57',
    state: 'RemovingFinalizer',
    says: [...allGone, completedWord],
  },
  {
    title: 'no finalizer of ours, but a Node: it goes too',
    given: dying({ ...gone, machine: { hasFinalizer: false } }),
    row: 'M55',
    state: 'DeletingNode',
    request: 'deleteNode',
    says: allGone,
  },

  {
    ids: 'MA-064 MA-065',
    title: 'Pods are left',
    on: 'PODS_LEFT',
    given: dying({ drain: { kind: 'left', report }, status: { deletion } }),
    row: 'M60',
    state: 'Draining',
    againInMs: 20_000,
    says: [
      `${drainHeader}\n* Pods ns/a, ns/b: deletionTimestamp set, but still not removed from the Node`,
      'old DrainingSucceeded False/Info/Draining/Drain not completed yet (started at 2024-10-09T16:13:59Z):\n* Pods ns/a, ns/b: deletionTimestamp set, but still not removed from the Node',
    ],
  },
  {
    ids: 'MA-066 MA-100 MA-101',
    title: 'drained, with hooks: volumes first',
    on: 'NODE_DRAINED',
    given: dying({ ...drainDone, status: { deletion }, machine: { preTerminateHooks: hooks('pre-terminate') } }),
    row: 'M61',
    state: 'DetachingVolumes',
    request: 'checkVolumes',
    says: [drainedWord, preDrain, volumesHeader, volumesFirst],
  },
  {
    title: 'drained, the last look at the volumes is young: they are looked at all the same',
    on: 'NODE_DRAINED',
    given: dying({ ...drainDone, status: { deletion }, volumes: { kind: 'resting' } }),
    row: 'M61',
    state: 'DetachingVolumes',
    request: 'checkVolumes',
    says: [drainedWord, preDrain, volumesHeader, volumesFirst],
  },
  {
    ids: 'MA-072',
    title: 'drained, volumes excluded: hooks',
    on: 'NODE_DRAINED',
    given: dying({
      ...drainDone,
      infrastructure: lostInfrastructure,
      machine: { isVolumeWaitExcluded: true, preTerminateHooks: hooks('pre-terminate') },
    }),
    row: 'M62',
    state: 'PreTerminateHooks',
    says: [drainedWord, preDrain, ...preTerminateWait],
  },
  {
    title: 'drained, infrastructure not readable',
    on: 'NODE_DRAINED',
    given: dying({ ...drainDone, infrastructure: lostInfrastructure, machine: { isVolumeWaitExcluded: true } }),
    row: 'M63',
    state: 'DeletingInfrastructure',
    says: [drainedWord, preDrain, preTerminate, waitsForInfra],
  },
  {
    ids: 'MA-068 MA-074',
    title: 'drained, volumes excluded, no hooks',
    on: 'NODE_DRAINED',
    given: dying({ ...drainDone, machine: { isVolumeWaitExcluded: true } }),
    row: 'M64',
    state: 'DeletingInfrastructure',
    request: 'deleteInfrastructure',
    says: [drainedWord, preDrain, preTerminate, waitsForInfra],
  },
  {
    ids: 'MA-070 MA-071',
    title: 'volumes are attached',
    on: 'VOLUMES_ATTACHED',
    given: dying({ volumes: { kind: 'attached', report: volumeReport }, status: { deletion } }),
    row: 'M65',
    state: 'DetachingVolumes',
    againInMs: 20_000,
    says: [`${volumesHeader}\n* PersistentVolumeClaims: ns/claim`],
  },
  {
    ids: 'MA-072 MA-073 MA-103',
    title: 'detached: hooks',
    on: 'VOLUMES_DETACHED',
    given: dying({
      ...allDone,
      infrastructure: lostInfrastructure,
      machine: { preTerminateHooks: hooks('pre-terminate') },
    }),
    row: 'M66',
    state: 'PreTerminateHooks',
    says: [detachedWord, preDrain, ...preTerminateWait],
  },
  {
    ids: 'MA-103',
    title: 'detached, infrastructure not readable',
    on: 'VOLUMES_DETACHED',
    given: dying({ ...allDone, infrastructure: lostInfrastructure }),
    row: 'M67',
    state: 'DeletingInfrastructure',
    says: [detachedWord, preDrain, preTerminate, waitsForInfra],
  },
  {
    ids: 'MA-074 MA-103',
    title: 'detached, no hooks',
    on: 'VOLUMES_DETACHED',
    given: dying(allDone),
    row: 'M68',
    state: 'DeletingInfrastructure',
    request: 'deleteInfrastructure',
    says: [detachedWord, preDrain, preTerminate, waitsForInfra],
  },
  {
    ids: 'MA-075',
    title: 'the infrastructure was asked to go',
    on: 'INFRASTRUCTURE_DELETION_ASKED',
    given: dying(),
    row: 'M69',
    state: 'DeletingInfrastructure',
    says: [preDrain, preTerminate, waitsForInfra],
  },
  {
    ids: 'MA-078',
    title: 'the bootstrap object was asked to go',
    on: 'BOOTSTRAP_DELETION_ASKED',
    given: dying(),
    row: 'M70',
    state: 'DeletingBootstrap',
    says: [preDrain, preTerminate, infraDeleted, waitsForBootstrap],
  },
  {
    ids: 'MA-080 MA-081',
    title: 'the Node is deleted: the finalizer goes last',
    on: 'NODE_DELETED',
    given: dying(gone),
    row: 'M71',
    state: 'RemovingFinalizer',
    request: 'removeFinalizer',
    says: allGone,
  },
  {
    ids: 'MA-080',
    title: 'the finalizer is gone',
    on: 'FINALIZER_REMOVED',
    given: dying(gone),
    row: 'M72',
    state: 'RemovingFinalizer',
    says: [...allGone, completedWord],
  },

  {
    ids: 'MA-114',
    title: 'a stale view',
    on: 'EFFECT_FAILED',
    given: factsOf(failure('readCluster', 'StaleView')),
    row: 'M80',
    state: null,
  },
  {
    ids: 'MA-008',
    title: 'the Cluster cannot be read',
    on: 'EFFECT_FAILED',
    given: factsOf(failure('readCluster')),
    row: 'M81',
    state: null,
  },
  {
    ids: 'MA-012',
    title: 'the owner cannot be read',
    on: 'EFFECT_FAILED',
    given: factsOf(failure('readOwners')),
    row: 'M82',
    state: null,
  },
  {
    ids: 'MA-006',
    title: 'the finalizer cannot be added',
    on: 'EFFECT_FAILED',
    given: factsOf(failure('addFinalizer')),
    row: 'M83',
    state: null,
  },
  {
    ids: 'MA-031 MA-108',
    title: 'the infrastructure is really gone',
    on: 'EFFECT_FAILED',
    given: factsOf(failure('confirmInfrastructure', 'InfrastructureGone')),
    row: 'M84',
    state: 'Failed',
  },
  {
    title: 'whether the infrastructure is gone cannot be read',
    on: 'EFFECT_FAILED',
    given: factsOf(failure('confirmInfrastructure')),
    row: 'M93',
    state: null,
  },
  {
    ids: 'MA-050 MA-109',
    title: 'the Node is really gone',
    on: 'EFFECT_FAILED',
    given: factsOf(failure('confirmNode', 'NodeGone')),
    row: 'M85',
    state: 'Failed',
  },
  {
    title: 'whether the Node is gone cannot be read',
    on: 'EFFECT_FAILED',
    given: factsOf(failure('confirmNode')),
    row: 'M93',
    state: null,
  },
  {
    ids: 'MA-057',
    title: 'the control plane object cannot be read',
    on: 'EFFECT_FAILED',
    given: dying(failure('readControlPlane')),
    row: 'M86',
    state: null,
    says: ['Deleting True InternalError: Please check controller logs for errors'],
  },
  {
    ids: 'MA-067',
    title: 'the drain failed',
    on: 'EFFECT_FAILED',
    given: dying(failure('drainNode', 'Api', 'why')),
    row: 'M87',
    state: 'Draining',
    says: [
      'Deleting True DrainingNode: Error draining Node, please check controller logs for errors',
      'old DrainingSucceeded False/Warning/DrainingFailed/why',
    ],
  },
  {
    title: 'the volumes cannot be read',
    on: 'EFFECT_FAILED',
    given: dying(failure('checkVolumes')),
    row: 'M88',
    state: 'DetachingVolumes',
    says: [
      'Deleting True WaitingForVolumeDetach: Error waiting for volumes to be detached from Node, please check controller logs for errors',
    ],
  },
  {
    title: 'the infrastructure cannot be deleted',
    on: 'EFFECT_FAILED',
    given: dying(failure('deleteInfrastructure')),
    row: 'M89',
    state: 'DeletingInfrastructure',
    says: ['Deleting True InternalError: Failed to delete InfraMachine, please check controller logs for errors'],
  },
  {
    title: 'the bootstrap object cannot be deleted',
    on: 'EFFECT_FAILED',
    given: dying(failure('deleteBootstrap')),
    row: 'M90',
    state: 'DeletingBootstrap',
    says: ['Deleting True InternalError: Failed to delete KubeadmConfig, please check controller logs for errors'],
  },
  {
    ids: 'MA-113',
    title: 'the Node cannot be deleted and time is over',
    on: 'EFFECT_FAILED',
    given: dying(failure('deleteNode')),
    row: 'M91',
    state: 'RemovingFinalizer',
    request: 'removeFinalizer',
    says: [
      'Deleting True DeletingNode: Error deleting Node, please check controller logs for errors',
      'old NodeHealthy False/Warning/DeletionFailed',
    ],
  },
  {
    ids: 'MA-106 MA-107',
    title: 'the Node cannot be deleted',
    on: 'EFFECT_FAILED',
    given: dying({ ...failure('deleteNode'), machine: { nodeDeletionTimeoutMs: 0 } }),
    row: 'M92',
    state: 'DeletingNode',
    says: [
      'Deleting True DeletingNode: Error deleting Node, please check controller logs for errors',
      'old NodeHealthy False/Warning/DeletionFailed',
    ],
  },
  {
    title: 'a deletion that is not over time after all: minutes count',
    on: 'EFFECT_FAILED',
    given: dying({
      ...failure('deleteNode'),
      machine: { nodeDeletionTimeoutMs: 3_600_000 },
      status: { lastUpdated: minutesAgo(9) },
    }),
    row: 'M92',
    state: 'DeletingNode',
    says: [
      'Deleting True DeletingNode: Error deleting Node, please check controller logs for errors',
      'old NodeHealthy False/Warning/DeletionFailed',
    ],
  },
  {
    ids: 'MA-114',
    title: 'anything else fails',
    on: 'EFFECT_FAILED',
    given: dying(failure('removeFinalizer')),
    row: 'M93',
    state: null,
  },
];

const from = ['Pending', 'Running', 'Draining', 'RemovingFinalizer'] as const;

/** Runs an example on a table, from several states. */
export function checkExample(given: MachineTable, example: Example): void {
  const machine = createRowMachine(given as never);
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
function said({ type, status, reason, message, v1beta1, only, onlyIfAbsent }: ConditionIntent): string {
  const absent = onlyIfAbsent === true ? ' (if absent)' : '';
  if (only !== 'v1beta1')
    return `${type} ${status} ${reason}: ${message}${absent}${only ?? ''}${v1beta1 === undefined ? '' : ' twin'}`;
  const { status: is, severity, reason: why, message: text } = v1beta1 ?? { status: 'none' };
  const parts = [is, severity, why, text].filter((part) => part !== undefined);
  const same = status === is && message === (text ?? '') && reason === (why ?? is);
  return `old ${type} ${parts.join('/')}${absent}${same ? '' : ` but ${status} ${reason} ${message}`}`;
}
