// The model of the Machine's machine: facts that differ in every way that a row asks about, and all that effects may answer.

import type { MachineFacts } from '../../machines/machine/facts.js';
import { infrastructureGone, nodeGone, staleView } from '../../machines/machine/words.js';
import { createChart } from '../../machines/machine/chart.js';
import { kubeconfigUnread, nodeNotDeleted, workloadUnreachable } from '../../machines/machine/guards.js';
import { machineTable } from '../../machines/machine/table.js';
import type { MachineReply, MachineRequest, PhaseRequest } from '../../machines/machine/words.js';
import {
  base,
  bootstrap,
  cluster,
  connection,
  deleting,
  drainStart,
  infrastructure,
  lostBootstrap,
  lostInfrastructure,
  machine,
  minutesAgo,
  noBootstrap,
  node,
  noInfrastructure,
  report,
  runningStatus,
  volumeReport,
} from '../unit/machine/facts.js';
import { anyModel, type Answer } from './kit/model.js';

const deletion = { nodeDrainStartTime: drainStart, waitForNodeVolumeDetachStartTime: drainStart };
const conditions = [{ type: 'Deleting', status: 'True', reason: 'DeletingNode', message: '' }];
const failure = { request: 'syncNode', kind: 'Api', message: 'no' } as const;

const answer = (type: MachineReply, learned: Partial<MachineFacts> = {}): Answer<MachineFacts, MachineReply> => ({
  type,
  learned,
});

/** A phase works, or fails; one failure in a turn tells as much as several. */
const phase = (name: PhaseRequest) => (facts: MachineFacts) => {
  const attempted = [...facts.attempted, name];
  const done = answer('OBSERVED', { attempted, machineChanges: [], unwatched: [] });
  return facts.phaseFailure === null
    ? [done, answer('OBSERVED', { attempted, failure, phaseFailure: failure })]
    : [done];
};

const failed = (request: MachineRequest, kind = 'Api') => ({ request, kind, message: 'no' });

/** The machine and its surroundings. */
export const machineModel = anyModel({
  table: machineTable,
  createChart,
  base,
  axes: {
    machine: [
      machine,
      { ...machine, providerId: '', dataSecretName: null },
      { ...machine, hasFinalizer: false },
      { ...machine, isPausedItself: true },
      { ...machine, isUpdating: true },
      { ...machine, ...deleting },
      { ...machine, ...deleting, hasFinalizer: false },
      { ...machine, ...deleting, isControlPlane: true },
      { ...machine, ...deleting, preDrainHooks: ['p/a'] },
      { ...machine, ...deleting, preTerminateHooks: ['t/a'] },
      { ...machine, ...deleting, isDrainExcluded: true },
      { ...machine, ...deleting, isVolumeWaitExcluded: true },
      { ...machine, ...deleting, drainTimeoutMs: 1_000, volumeTimeoutMs: 1_000 },
      { ...machine, ...deleting, nodeDeletionTimeoutMs: 0 },
    ],
    cluster: [
      cluster,
      null,
      { ...cluster, isPaused: true },
      { ...cluster, isDeleting: true },
      { ...cluster, controlPlaneInitialized: false },
    ],
    missingOwner: [null, { kind: 'MachineSet', name: 'ms' }],
    bootstrap: [
      bootstrap(),
      null,
      noBootstrap('missing'),
      noBootstrap('missing'),
      lostBootstrap,
      bootstrap({ isAdopted: false }),
      bootstrap({ isDeleting: true }),
      bootstrap({ isCompleted: false }),
      bootstrap({ problem: 'wrong' }),
    ],
    infrastructure: [
      infrastructure(),
      noInfrastructure('missing'),
      noInfrastructure('missing'),
      lostInfrastructure,
      infrastructure({ isAdopted: false }),
      infrastructure({ isDeleting: true }),
      infrastructure({ isCompleted: false }),
      infrastructure({ providerId: '' }),
      infrastructure({ failureReason: 'bad' }),
    ],
    node: [
      node(),
      node({ isSynced: false }),
      { kind: 'missing' },
      { kind: 'unsought' },
      { kind: 'connecting' },
      { kind: 'unreachable', message: 'down' },
      { kind: 'ambiguous', message: 'two' },
    ],
    status: [
      runningStatus,
      { phase: 'Pending' },
      { ...runningStatus, nodeRef: undefined as never },
      { ...runningStatus, deletion },
      { ...runningStatus, deletion: { ...deletion, waitForPreTerminateHookStartTime: minutesAgo(1) } },
      { ...runningStatus, conditions },
      { initialization: { bootstrapDataSecretCreated: true } },
    ],
    controlPlane: [
      { kind: 'none' } as const,
      { kind: 'missing' },
      { kind: 'unreadable', message: 'no kind' },
      { kind: 'found', isDeleting: true, isExternallyManaged: false },
      { kind: 'found', isDeleting: false, isExternallyManaged: true },
    ],
    controlPlaneMachines: [1, 0],
    connection: [connection, { ...connection, lastHeardMs: null, isConnected: false }],
    drain: [{ kind: 'due' }, { kind: 'resting' }, { kind: 'drained' }],
    volumes: [{ kind: 'due' }, { kind: 'resting' }, { kind: 'detached' }],
    machineChanges: [[], ['spec.providerID']],
    unwatched: [[], ['Node']],
    attempted: [[], ['openWatches', 'patchMachine', 'adoptBootstrap', 'adoptInfrastructure', 'syncNode']],
    phaseFailure: [null, failure],
    keepsHookTimes: [true, false],
    certificatesExpiry: [{ kind: 'unsought' } as const, { kind: 'invalid', message: 'no date' }],
  } as never,
  isPossible: ({ status, node: found, unwatched, attempted, drain, volumes }: MachineFacts) =>
    (status.nodeRef?.name !== undefined || status.nodeRef === undefined) &&
    (found.kind !== 'found' || unwatched.length === 0) &&
    attempted.length === 0 &&
    drain.kind !== 'drained' &&
    volumes.kind !== 'detached',
  answers: {
    readCluster: () => [],
    addFinalizer: () => [answer('FINALIZER_ADDED')],
    readOwners: () => [],
    openWatches: phase('openWatches'),
    patchMachine: phase('patchMachine'),
    adoptBootstrap: phase('adoptBootstrap'),
    adoptInfrastructure: phase('adoptInfrastructure'),
    syncNode: phase('syncNode'),
    confirmInfrastructure: () => [],
    confirmNode: () => [],
    readControlPlane: () => [answer('OBSERVED', { controlPlane: { kind: 'missing' } })],
    drainNode: () => [
      answer('PODS_LEFT', { drain: { kind: 'left', report } }),
      answer('NODE_DRAINED', { drain: { kind: 'drained' } }),
    ],
    checkVolumes: () => [
      answer('VOLUMES_ATTACHED', { volumes: { kind: 'attached', report: volumeReport } }),
      answer('VOLUMES_DETACHED', { volumes: { kind: 'detached' } }),
    ],
    deleteInfrastructure: () => [answer('INFRASTRUCTURE_DELETION_ASKED')],
    deleteBootstrap: () => [answer('BOOTSTRAP_DELETION_ASKED')],
    deleteNode: () => [answer('NODE_DELETED')],
    removeFinalizer: () => [answer('FINALIZER_REMOVED')],
  },
  failures: [
    ...(Object.keys(machineTable.requests) as MachineRequest[]).map((request) => failed(request)),
    failed('confirmInfrastructure', infrastructureGone),
    failed('confirmNode', nodeGone),
    failed('deleteInfrastructure', staleView),
    failed('deleteNode', nodeNotDeleted),
    failed('deleteNode', workloadUnreachable),
    failed('deleteNode', kubeconfigUnread),
  ],
});
