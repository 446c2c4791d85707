// The questions that the Machine's rows ask. Pure, total, each one sentence; no guard throws.
//
// A guard that starts with `is` or `has` is one that a row shows on the chart. Rows are read in order, so a guard may take for
// granted what the rows above it have answered.

import { controlPlaneCleanupHook, nodeLeftAlone, oldCondition, oldReason, type NodeLeftAlone } from './names.js';
import type { MachineFacts } from './facts.js';
import type { LifeState, PhaseRequest } from './words.js';

/** Somebody asked for the Machine's deletion. */
export const isDeleting = ({ machine }: MachineFacts): boolean => machine.deletingSinceMs !== null;

/** Paused by its Cluster or by its own annotation. */
export const isPaused = ({ machine, cluster }: MachineFacts): boolean =>
  machine.isPausedItself || cluster?.isPaused === true;

/** A phase may still be tried in this turn. */
export const isUntried = (facts: MachineFacts, phase: PhaseRequest): boolean => !facts.attempted.includes(phase);

/** The external object can be worked with: it was read and is ours. */
export const isUsable = (reading: { readonly kind: string; readonly isAdopted?: boolean }): boolean =>
  reading.kind === 'found' && reading.isAdopted === true;

/** The bootstrap object is there, but not ours yet, or one of its fields cannot be used. */
export const isBootstrapUnsettled = ({ bootstrap }: MachineFacts): boolean =>
  bootstrap !== null && isUnsettled(bootstrap);

/** The same for the infrastructure object. */
export const isInfrastructureUnsettled = ({ infrastructure }: MachineFacts): boolean => isUnsettled(infrastructure);

function isUnsettled(reading: NonNullable<MachineFacts['bootstrap']> | MachineFacts['infrastructure']): boolean {
  if (reading.kind === 'found') return !reading.isAdopted || reading.problem !== null;
  return reading.kind === 'unreadable';
}

/** The Node differs from what the Machine wants, or cannot be looked up. */
export const isNodeUnsettled = ({ node, certificatesExpiry }: MachineFacts): boolean =>
  node.kind === 'unreachable' ||
  node.kind === 'ambiguous' ||
  (node.kind === 'found' && (!node.isSynced || node.problem !== null)) ||
  certificatesExpiry.kind === 'invalid';

/** The infrastructure object was there once and is not any more, under a Machine that lives. */
export const isInfrastructureLost = (facts: MachineFacts): boolean =>
  !isDeleting(facts) &&
  facts.infrastructure.kind === 'missing' &&
  facts.status.initialization?.infrastructureProvisioned === true;

/** The Machine had a Node, and no Node has its provider ID any more, under a Machine that lives. */
export const isNodeLost = (facts: MachineFacts): boolean =>
  !isDeleting(facts) && facts.node.kind === 'missing' && facts.status.nodeRef !== undefined;

/** An external object that a living Machine needs does not exist (yet): it is looked for again after 30 s. */
export const isObjectMissing = (facts: MachineFacts): boolean =>
  !isDeleting(facts) && (facts.bootstrap?.kind === 'missing' || facts.infrastructure.kind === 'missing');

/** Name of the Node: what status says, else what carries the provider ID. */
export function nodeName({ status, node }: MachineFacts): string | null {
  return status.nodeRef?.name ?? (node.kind === 'found' ? node.name : null);
}

/** Whether the Node of a deleting Machine may be touched. */
export type NodeOperations =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'leftAlone'; readonly cause: NodeLeftAlone }
  /** The workload cluster is still being connected to. */
  | { readonly kind: 'connecting' }
  | { readonly kind: 'unknown'; readonly message: string };

/** The guard of the deletion (isDeleteNodeAllowed), in the order in which its questions are asked. */
export function nodeOperations(facts: MachineFacts): NodeOperations {
  const { cluster, controlPlane } = facts;
  const leftAlone = (cause: NodeLeftAlone): NodeOperations => ({ kind: 'leftAlone', cause });
  if (cluster?.isDeleting === true) return leftAlone('clusterDeleting');
  if (nodeName(facts) === null) {
    return facts.node.kind === 'connecting' ? { kind: 'connecting' } : leftAlone('nilNodeRef');
  }
  switch (controlPlane.kind) {
    case 'unreadable':
      return { kind: 'unknown', message: controlPlane.message };
    case 'unwatched':
      return { kind: 'unknown', message: 'the control plane object was not read yet' };
    case 'found':
      if (controlPlane.isDeleting) return leftAlone('controlPlaneDeleting');
      if (controlPlane.isExternallyManaged) return reachable(facts);
      break;
    default:
  }
  if (facts.controlPlaneMachines > 0) return reachable(facts);
  return leftAlone(facts.machine.isControlPlane ? 'lastControlPlaneNode' : 'noControlPlaneNodes');
}

function reachable({ node }: MachineFacts): NodeOperations {
  return { kind: node.kind === 'connecting' ? 'connecting' : 'allowed' };
}

/** Text of why the Node is left alone; null when it is not. */
export function leftAloneText(facts: MachineFacts): string | null {
  const operations = nodeOperations(facts);
  return operations.kind === 'leftAlone' ? nodeLeftAlone[operations.cause] : null;
}

/** Node operations run. */
export const isNodeTouched = (facts: MachineFacts): boolean => nodeOperations(facts).kind === 'allowed';

/** Hooks before the drain block. */
export const hasPreDrainHooks = (facts: MachineFacts): boolean =>
  isNodeTouched(facts) && facts.machine.preDrainHooks.length > 0;

/** Hooks before the end of the infrastructure block, whether or not the Node is touched. */
export const hasPreTerminateHooks = ({ machine }: MachineFacts): boolean => machine.preTerminateHooks.length > 0;

/** True when more than `timeoutMs` passed since a recorded start. Zero is no limit. */
function hasPassed(timeoutMs: number, start: string | undefined, nowMs: number): boolean {
  const startMs = start === undefined ? Number.NaN : Date.parse(start);
  return timeoutMs > 0 && !Number.isNaN(startMs) && nowMs - startMs >= timeoutMs;
}

/** The drain took longer than the Machine allows. */
export const isDrainTimeoutExceeded = ({ machine, status, nowMs }: MachineFacts): boolean =>
  hasPassed(machine.drainTimeoutMs, status.deletion?.nodeDrainStartTime, nowMs);

/** The wait for volumes took longer than the Machine allows. */
export const isVolumeTimeoutExceeded = ({ machine, status, nowMs }: MachineFacts): boolean =>
  hasPassed(machine.volumeTimeoutMs, status.deletion?.waitForNodeVolumeDetachStartTime, nowMs);

/** The Node could not be deleted for longer than the Machine allows, counted from the Machine's deletion. */
export const isNodeDeletionTimeoutExceeded = ({ machine, nowMs }: MachineFacts): boolean =>
  machine.nodeDeletionTimeoutMs > 0 &&
  machine.deletingSinceMs !== null &&
  nowMs - machine.deletingSinceMs >= machine.nodeDeletionTimeoutMs;

/**
 * A hook after drain and detach was really waited for, so that its owner may have taken from the Node what it needs. Where the
 * CRD keeps no time of it, this is known while the wait lasts, and of the control plane's own hook later too, by its absence.
 */
const wasHookAwaited = ({ machine, status, keepsHookTimes }: MachineFacts): boolean =>
  keepsHookTimes
    ? status.deletion?.waitForPreTerminateHookStartTime !== undefined
    : isHookAwaited(status) ||
      (machine.isControlPlane &&
        machine.hasKubeadmControlPlane &&
        !machine.preTerminateHooks.includes(controlPlaneCleanupHook));

/** The last turn ended with a wait for such a hook. That the condition is there, or True, says nothing: it is set without hooks too. */
const isHookAwaited = ({ deprecated }: MachineFacts['status']): boolean =>
  deprecated?.v1beta1?.conditions?.some(
    ({ type, status, reason }) =>
      type === oldCondition.preTerminate && status === 'False' && reason === oldReason.waitingExternalHook,
  ) === true;

/** The Node serves nobody any more: a hook after drain and detach is behind us, or its infrastructure is gone or going. */
const isNodePast = (facts: MachineFacts): boolean => {
  const { infrastructure } = facts;
  return (
    wasHookAwaited(facts) ||
    infrastructure.kind === 'missing' ||
    (infrastructure.kind === 'found' && infrastructure.isDeleting)
  );
};

/** The Node is drained in this deletion (isNodeDrainAllowed). */
export const isDrainAllowed = (facts: MachineFacts): boolean =>
  isNodeTouched(facts) && !facts.machine.isDrainExcluded && !isNodePast(facts) && !isDrainTimeoutExceeded(facts);

/** A pass of the drain is due: whatever is not known to be drained is not. */
export const isDrainDue = (facts: MachineFacts): boolean =>
  isDrainAllowed(facts) && facts.drain.kind !== 'drained' && facts.drain.kind !== 'resting';

/** The last pass of the drain left Pods, and nothing changed since. */
export const isDrainResting = (facts: MachineFacts): boolean => isDrainAllowed(facts) && facts.drain.kind === 'resting';

/** Volumes are waited for in this deletion (isNodeVolumeDetachAllowed). */
export const isVolumeWaitAllowed = (facts: MachineFacts): boolean =>
  isNodeTouched(facts) && !facts.machine.isVolumeWaitExcluded && !isNodePast(facts) && !isVolumeTimeoutExceeded(facts);

/** The volumes have to be looked at: whatever is not known to be detached is not. */
export const areVolumesDue = (facts: MachineFacts): boolean =>
  isVolumeWaitAllowed(facts) && facts.volumes.kind !== 'detached' && facts.volumes.kind !== 'resting';

/** The same right after a drain: then a look that is young counts for nothing. */
export const areVolumesInQuestion = (facts: MachineFacts): boolean =>
  isVolumeWaitAllowed(facts) && facts.volumes.kind !== 'detached';

/** The last look found volumes, and nothing changed since. */
export const areVolumesResting = (facts: MachineFacts): boolean =>
  isVolumeWaitAllowed(facts) && facts.volumes.kind === 'resting';

/** The wait for volumes was ended by its timeout, not by their detachment. */
export const wasVolumeWaitCut = (facts: MachineFacts): boolean =>
  isNodeTouched(facts) && !facts.machine.isVolumeWaitExcluded && isVolumeTimeoutExceeded(facts);

/** Nothing before the end of the infrastructure is left to do: the last word before what cannot be taken back. */
export const isInfrastructureReleased = (facts: MachineFacts): boolean =>
  isDeleting(facts) &&
  !hasPreTerminateHooks(facts) &&
  !hasPreDrainHooks(facts) &&
  (!isDrainAllowed(facts) || facts.drain.kind === 'drained') &&
  !areVolumesInQuestion(facts) &&
  nodeOperations(facts).kind !== 'unknown' &&
  nodeOperations(facts).kind !== 'connecting';

/** The infrastructure object is neither gone nor readable: nothing after it may be deleted. */
export const isInfrastructureUnclear = ({ infrastructure }: MachineFacts): boolean =>
  infrastructure.kind !== 'missing' && !isUsable(infrastructure);

/** The infrastructure object has to be deleted. */
export const isInfrastructureLeft = ({ infrastructure }: MachineFacts): boolean =>
  infrastructure.kind === 'found' && !infrastructure.isDeleting;

/** The infrastructure object is on its way out. */
export const isInfrastructureGoing = ({ infrastructure }: MachineFacts): boolean =>
  infrastructure.kind === 'found' && infrastructure.isDeleting;

/** The bootstrap object is neither gone nor readable. */
export const isBootstrapUnclear = ({ bootstrap }: MachineFacts): boolean =>
  bootstrap !== null && bootstrap.kind !== 'missing' && !isUsable(bootstrap);

/** The bootstrap object has to be deleted. */
export const isBootstrapLeft = ({ bootstrap }: MachineFacts): boolean =>
  bootstrap?.kind === 'found' && !bootstrap.isDeleting;

/** The bootstrap object is on its way out. */
export const isBootstrapGoing = ({ bootstrap }: MachineFacts): boolean =>
  bootstrap?.kind === 'found' && bootstrap.isDeleting;

/** Kind of a failure: the workload cluster answered that it does not delete the Node. */
export const nodeNotDeleted = 'NodeNotDeleted';
/** Kind of a failure: the workload cluster does not answer. */
export const workloadUnreachable = 'WorkloadUnreachable';
/** Kind of a failure: the kubeconfig Secret could not be read in the management cluster, so the workload cluster was not asked. */
export const kubeconfigUnread = 'KubeconfigUnread';

/** The workload cluster itself did not delete the Node; a doubt about the management cluster is no such answer. */
export const isNodeDeletionRefused = ({ failure }: MachineFacts): boolean =>
  failure?.request === 'deleteNode' && (failure.kind === nodeNotDeleted || failure.kind === workloadUnreachable);

/** The deletion of the Node was tried before and is out of time: no further attempt is made. */
export const isNodeGivenUp = (facts: MachineFacts): boolean =>
  isNodeTouched(facts) && isNodeDeletionTimeoutExceeded(facts) && wasNodeDeletionTried(facts);

function wasNodeDeletionTried(facts: MachineFacts): boolean {
  if (isNodeDeletionRefused(facts)) return true;
  return facts.status.conditions?.some(({ type, reason }) => type === 'Deleting' && reason === 'DeletingNode') === true;
}

/** What the Machine's status will say once this turn is written. */
export interface Milestones {
  readonly dataSecretCreated: boolean;
  readonly infrastructureProvisioned: boolean;
  readonly providerId: string;
  readonly nodeRef: string | null;
}

/** How far the Machine has come. What could not be written to the Machine's spec in this turn does not count. */
export function milestones(facts: MachineFacts): Milestones {
  const { machine, status, bootstrap, infrastructure } = facts;
  const { bootstrapDataSecretCreated = false, infrastructureProvisioned = false } = status.initialization ?? {};
  const isWritten = facts.machineChanges.length === 0;
  const hasData =
    bootstrap?.kind === 'found' &&
    bootstrap.isAdopted &&
    (machine.dataSecretName !== null || isDataReported(bootstrap));
  return {
    dataSecretCreated: bootstrapDataSecretCreated || (hasData && isWritten),
    infrastructureProvisioned: infrastructureProvisioned || (isProvisionReported(infrastructure) && isWritten),
    providerId: machine.providerId,
    nodeRef: nodeName(facts),
  };
}

/** The bootstrap object reports its data, and which Secret holds it. */
export function isDataReported(bootstrap: MachineFacts['bootstrap']): boolean {
  return (
    bootstrap?.kind === 'found' &&
    !bootstrap.isDeleting &&
    bootstrap.isCompleted &&
    bootstrap.problem === null &&
    bootstrap.dataSecretName !== ''
  );
}

/** The infrastructure object reports that it is provisioned, and under which provider ID. */
export function isProvisionReported(infrastructure: MachineFacts['infrastructure']): boolean {
  return isInfrastructureCopied(infrastructure) && infrastructure.kind === 'found' && infrastructure.isCompleted;
}

/** Provider ID, addresses and failure domains are taken from the infrastructure object. */
export function isInfrastructureCopied(infrastructure: MachineFacts['infrastructure']): boolean {
  return (
    infrastructure.kind === 'found' &&
    infrastructure.isAdopted &&
    !infrastructure.isDeleting &&
    infrastructure.problem === null &&
    infrastructure.providerId !== ''
  );
}

/** A failure field of status is set once this turn is written. */
export function hasFailureFields(facts: MachineFacts): boolean {
  const { failureReason = '', failureMessage = '' } = facts.status.deprecated?.v1beta1 ?? {};
  const isCleared = failureReason === '' && isNodeLossText(failureMessage) && !isNodeLost(facts);
  if (!isCleared && (failureReason !== '' || failureMessage !== '')) return true;
  const reported = [facts.bootstrap, facts.infrastructure].some(
    (reading) => reading?.kind === 'found' && (reading.failureReason !== '' || reading.failureMessage !== ''),
  );
  return reported || isInfrastructureLost(facts) || isNodeLost(facts);
}

/** `failureMessage` of a Machine whose Node is gone; it is taken back when the Node is there again. */
export function nodeLossText(name: string): string {
  return `Node ${name} has been deleted while the Machine still exists`;
}

/** Whether a `failureMessage` is the one above. */
export function isNodeLossText(message: string): boolean {
  return /^Node \S+ has been deleted while the Machine still exists$/.test(message);
}

/** Where a living Machine is; for a deleting one, where it was. */
export function lifeOf(facts: MachineFacts): LifeState {
  const { dataSecretCreated, infrastructureProvisioned, providerId, nodeRef } = milestones(facts);
  if (hasFailureFields(facts)) return 'Failed';
  if (facts.machine.isUpdating) return 'Updating';
  if (nodeRef !== null && infrastructureProvisioned) return 'Running';
  if (providerId !== '') return 'Provisioned';
  if (dataSecretCreated && !infrastructureProvisioned) return 'Provisioning';
  const before = facts.status.phase;
  return before === 'Provisioning' || before === 'Provisioned' || before === 'Running' ? before : 'Pending';
}
