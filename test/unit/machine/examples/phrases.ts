// What rows say about conditions, as examples write it: `type status reason: message`, and `old` before a deprecated one.

export const preDrain = 'old PreDrainDeleteHookSucceeded True';
export const preTerminate = 'old PreTerminateDeleteHookSucceeded True';
export const waitsForInfra = 'Deleting True WaitingForInfrastructureDeletion: Waiting for InfraMachine to be deleted';
export const waitsForBootstrap = 'Deleting True WaitingForBootstrapDeletion: Waiting for KubeadmConfig to be deleted';
export const infraDeleted = 'old InfrastructureReady False/Info/Deleted';
export const bootstrapDeleted = 'old BootstrapReady False/Info/Deleted';
export const drainHeader = 'Deleting True DrainingNode: Drain not completed yet (started at 2024-10-09T16:13:59Z):';
export const drainFirst = 'old DrainingSucceeded False/Info/Draining/Draining the node before deletion (if absent)';
export const volumesHeader =
  'Deleting True WaitingForVolumeDetach: Waiting for Node volumes to be detached (started at 2024-10-09T16:13:59Z)';
export const volumesFirst =
  'old VolumeDetachSucceeded False/Info/WaitingForVolumeDetach/Waiting for node volumes to be detached (if absent)';
export const drainedWord = 'old DrainingSucceeded True';
export const detachedWord = 'old VolumeDetachSucceeded True';
export const completedWord = 'Deleting True DeletionCompleted: Deletion completed';
export const preTerminateWait = [
  'Deleting True WaitingForPreTerminateHook: Waiting for pre-terminate hooks to succeed (hooks: pre-terminate.delete.hook.machine.cluster.x-k8s.io/a,pre-terminate.delete.hook.machine.cluster.x-k8s.io/b)',
  'old PreTerminateDeleteHookSucceeded False/Info/WaitingExternalHook',
];
export const allGone = [preDrain, preTerminate, infraDeleted, bootstrapDeleted];
