// The guards of the Machine's chart, by the names that it shows.
//
// Steps of a deletion are asked of Machines that are being deleted alone; phases at most once in a reconcile.

import type { Guards } from '../kit/chart.js';
import type { MachineFacts } from './facts.js';
import * as is from './guards.js';
import {
  infrastructureGone,
  nodeGone,
  requestTexts,
  staleView,
  type MachineRequest,
  type PhaseRequest,
} from './words.js';

type Holds = (facts: MachineFacts) => boolean;

const inDeletion =
  (holds: Holds): Holds =>
  (facts) =>
    is.isDeleting(facts) && holds(facts);
const untried =
  (phase: PhaseRequest, holds: Holds): Holds =>
  (facts) =>
    holds(facts) && is.isUntried(facts, phase);
const always: Holds = () => true;

/** `hasFailedTo_drainNode` and its like: which effect failed. */
const failures = Object.fromEntries(
  Object.keys(requestTexts).map((request) => [
    `hasFailedTo_${request}`,
    ({ failure }: MachineFacts) => failure?.request === request,
  ]),
) as Record<`hasFailedTo_${MachineRequest}`, Holds>;

/** All guards. */
export const guards = {
  isClusterMissing: ({ cluster }) => cluster === null,
  isFinalizerMissing: (facts) => !is.isDeleting(facts) && !facts.machine.hasFinalizer,
  isPaused: is.isPaused,
  isOwnerMissing: ({ missingOwner }) => missingOwner !== null,
  isSomethingUnwatched: untried('openWatches', ({ unwatched }) => unwatched.length > 0),
  hasMachineChanges: untried('patchMachine', ({ machineChanges }) => machineChanges.length > 0),
  isBootstrapUnsettled: untried('adoptBootstrap', is.isBootstrapUnsettled),
  isInfrastructureUnsettled: untried('adoptInfrastructure', is.isInfrastructureUnsettled),
  isNodeUnsettled: untried('syncNode', is.isNodeUnsettled),
  isNodeGuardUnknown: inDeletion((facts) => is.nodeOperations(facts).kind === 'unknown'),
  isConnecting: inDeletion((facts) => is.nodeOperations(facts).kind === 'connecting'),
  hasPreDrainHooks: inDeletion(is.hasPreDrainHooks),
  areVolumesResting: inDeletion(is.areVolumesResting),
  isDrainDue: inDeletion(is.isDrainDue),
  isDrainResting: inDeletion(is.isDrainResting),
  areVolumesDue: inDeletion(is.areVolumesDue),
  areVolumesInQuestion: is.areVolumesInQuestion,
  hasPreTerminateHooks: inDeletion(is.hasPreTerminateHooks),
  isInfrastructureUnclear: inDeletion(is.isInfrastructureUnclear),
  isInfrastructureLeft: inDeletion(is.isInfrastructureLeft),
  isInfrastructureGoing: inDeletion(is.isInfrastructureGoing),
  isBootstrapUnclear: inDeletion(is.isBootstrapUnclear),
  isBootstrapLeft: inDeletion(is.isBootstrapLeft),
  isBootstrapGoing: inDeletion(is.isBootstrapGoing),
  isNodeGivenUp: inDeletion(is.isNodeGivenUp),
  isNodeLeft: inDeletion(
    (facts) => is.isNodeTouched(facts) && (facts.machine.hasFinalizer || facts.node.kind === 'found'),
  ),
  isFinalizerLeft: inDeletion(({ machine }) => machine.hasFinalizer),
  isOnlyHeldByOthers: inDeletion(always),
  isInfrastructureLost: is.isInfrastructureLost,
  isNodeLost: is.isNodeLost,
  isFailed: (facts) => is.lifeOf(facts) === 'Failed',
  isUpdating: (facts) => is.lifeOf(facts) === 'Updating',
  isRunning: (facts) => is.lifeOf(facts) === 'Running',
  isProvisioned: (facts) => is.lifeOf(facts) === 'Provisioned',
  isProvisioning: (facts) => is.lifeOf(facts) === 'Provisioning',
  wasViewStale: ({ failure }) => failure?.kind === staleView,
  isInfrastructureGone: ({ failure }) =>
    failure?.request === 'confirmInfrastructure' && failure.kind === infrastructureGone,
  isNodeGone: ({ failure }) => failure?.request === 'confirmNode' && failure.kind === nodeGone,
  isNodeDeletionOutOfTime: (facts) => is.isNodeDeletionRefused(facts) && is.isNodeDeletionTimeoutExceeded(facts),
  isNodeDeletionRefused: is.isNodeDeletionRefused,
  ...failures,
  always,
  otherwise: always,
} as const satisfies Guards<MachineFacts>;

/** Name of a guard. */
export type Guard = keyof typeof guards;
