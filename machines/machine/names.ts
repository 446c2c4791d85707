// Condition types, reasons and fixed texts of Machines, in one table, byte for byte as other programs read them.
//
// Texts with placeholders are in messages.ts. Nothing here is chosen by us except `ACTOR` names elsewhere: other controllers
// and people's scripts parse these.

/** Condition types of `status.conditions` that this controller writes. */
export const condition = {
  available: 'Available',
  ready: 'Ready',
  upToDate: 'UpToDate',
  bootstrapConfigReady: 'BootstrapConfigReady',
  infrastructureReady: 'InfrastructureReady',
  nodeHealthy: 'NodeHealthy',
  nodeReady: 'NodeReady',
  updating: 'Updating',
  paused: 'Paused',
  deleting: 'Deleting',
  /** Written by MachineHealthCheck, read for the summary. */
  healthCheckSucceeded: 'HealthCheckSucceeded',
} as const;

/** Condition types of `status.deprecated.v1beta1.conditions`. */
export const oldCondition = {
  ready: 'Ready',
  bootstrapReady: 'BootstrapReady',
  infrastructureReady: 'InfrastructureReady',
  nodeHealthy: 'NodeHealthy',
  preDrain: 'PreDrainDeleteHookSucceeded',
  draining: 'DrainingSucceeded',
  volumeDetach: 'VolumeDetachSucceeded',
  preTerminate: 'PreTerminateDeleteHookSucceeded',
  /** Written by MachineHealthCheck and by owners. */
  healthCheckSucceeded: 'HealthCheckSucceeded',
  ownerRemediated: 'OwnerRemediated',
} as const;

/** The hook with which a KubeadmControlPlane takes the etcd member off a Node before its infrastructure goes. */
export const controlPlaneCleanupHook = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/kcp-cleanup';

/** Reasons. */
export const reason = {
  paused: 'Paused',
  notPaused: 'NotPaused',
  ready: 'Ready',
  notReady: 'NotReady',
  readyUnknown: 'ReadyUnknown',
  available: 'Available',
  waitingForMinReadySeconds: 'WaitingForMinReadySeconds',
  upToDate: 'UpToDate',
  notUpToDate: 'NotUpToDate',
  updating: 'Updating',
  notUpdating: 'NotUpdating',
  inPlaceUpdating: 'InPlaceUpdating',
  dataSecretProvided: 'DataSecretProvided',
  invalidConditionReported: 'InvalidConditionReported',
  noReasonReported: 'NoReasonReported',
  internalError: 'InternalError',
  objectDeleted: 'ObjectDeleted',
  objectDoesNotExist: 'ObjectDoesNotExist',
  inspectionFailed: 'InspectionFailed',
  connectionDown: 'ConnectionDown',
  nodeDeleted: 'NodeDeleted',
  nodeDoesNotExist: 'NodeDoesNotExist',
  nodeReady: 'NodeReady',
  nodeNotReady: 'NodeNotReady',
  nodeReadyUnknown: 'NodeReadyUnknown',
  nodeHealthy: 'NodeHealthy',
  nodeNotHealthy: 'NodeNotHealthy',
  nodeHealthyUnknown: 'NodeHealthyUnknown',
  notDeleting: 'NotDeleting',
  deleting: 'Deleting',
  waitingForPreDrainHook: 'WaitingForPreDrainHook',
  drainingNode: 'DrainingNode',
  waitingForVolumeDetach: 'WaitingForVolumeDetach',
  waitingForPreTerminateHook: 'WaitingForPreTerminateHook',
  waitingForInfrastructureDeletion: 'WaitingForInfrastructureDeletion',
  waitingForBootstrapDeletion: 'WaitingForBootstrapDeletion',
  deletingNode: 'DeletingNode',
  deletionCompleted: 'DeletionCompleted',
  notYetReported: 'NotYetReported',
} as const;

/** Reasons of the deprecated conditions. */
export const oldReason = {
  waitingForDataSecret: 'WaitingForDataSecret',
  waitingForInfrastructure: 'WaitingForInfrastructure',
  waitingForNodeRef: 'WaitingForNodeRef',
  nodeProvisioning: 'NodeProvisioning',
  nodeNotFound: 'NodeNotFound',
  nodeInspectionFailed: 'NodeInspectionFailed',
  nodeConditionsFailed: 'NodeConditionsFailed',
  waitingExternalHook: 'WaitingExternalHook',
  draining: 'Draining',
  drainingFailed: 'DrainingFailed',
  waitingForVolumeDetach: 'WaitingForVolumeDetach',
  deleting: 'Deleting',
  deleted: 'Deleted',
  deletionFailed: 'DeletionFailed',
} as const;

/** Value of `failureReason` when the infrastructure went away under a provisioned Machine. */
export const invalidConfiguration = 'InvalidConfiguration';

/** Fixed messages. */
export const text = {
  checkLogs: 'Please check controller logs for errors',
  deletionStarted: 'Deletion started',
  deletionCompleted: 'Deletion completed',
  drainError: 'Error draining Node, please check controller logs for errors',
  volumesError: 'Error waiting for volumes to be detached from Node, please check controller logs for errors',
  nodeDeletionError: 'Error deleting Node, please check controller logs for errors',
  notYetReported: 'Condition not yet reported',
  inPlaceUpdating: 'In-place update in progress',
  waitingForClusterInfrastructure: 'Waiting for Cluster status.initialization.infrastructureProvisioned to be true',
  waitingForControlPlane: 'Waiting for Cluster control plane to be initialized',
  notConnectedYet: 'Remote connection not established yet',
  nodeDoesNotExist: 'Node does not exist',
  drainStarts: 'Draining the node before deletion',
  volumeWaitStarts: 'Waiting for node volumes to be detached',
  nodeProvisioning: 'Waiting for a node with matching ProviderID to exist',
  nodeInspectionFailed: 'Failed to get the Node for this Machine by ProviderID',
  clusterPaused: 'Cluster spec.paused is set to true',
  machinePaused: 'Machine has the cluster.x-k8s.io/paused annotation',
} as const;

/** Why the Node of a deleting Machine is left alone: the text of upstream's error of that name, as it is logged. */
export const nodeLeftAlone = {
  clusterDeleting: 'cluster is being deleted',
  nilNodeRef: 'noderef is nil',
  controlPlaneDeleting: 'control plane is being deleted',
  noControlPlaneNodes: 'no control plane members',
  lastControlPlaneNode: 'last control plane member',
} as const;

/** Why a Node is left alone, by name. */
export type NodeLeftAlone = keyof typeof nodeLeftAlone;
