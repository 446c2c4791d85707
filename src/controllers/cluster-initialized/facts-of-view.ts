// Facts from a view: total and pure.

import type { ControlPlaneFact, Facts, MachinesFact } from '../../../machines/cluster-initialized/facts.js';
import type { ReasonProfile } from '../../../machines/cluster-initialized/facts.js';
import { CONDITION } from '../../../machines/cluster-initialized/reasons.js';
import { isConditionTrue } from '../../conditions/condition.js';
import type { ExternalLook } from '../machine/external/readings.js';
import { hasPausedAnnotation } from '../one-condition/paused.js';
import { initializedField } from './initialized-field.js';
import type { StoredCluster, StoredMachine } from './objects.js';
import { controlPlaneReference, type View } from './view.js';

/** The facts of a view. */
export function factsOf({ cluster, isHandled, controlPlane, machines }: View, reasons: ReasonProfile): Facts {
  const { metadata, spec, status } = cluster;
  const reference = controlPlaneReference(cluster);
  const twin = status?.deprecated?.v1beta1?.conditions?.find(({ type }) => type === CONDITION);
  return {
    isHandled,
    isPaused: spec?.paused === true || hasPausedAnnotation(cluster),
    isDeleting: metadata.deletionTimestamp !== undefined,
    isInitialized: isConditionTrue(status?.conditions ?? [], CONDITION),
    hasControlPlaneRef: reference !== null,
    hasTopology: isTopologyDefined(cluster),
    machines: machinesFact(machines),
    ...controlPlaneFacts(controlPlane),
    isTwinInitialized: twin?.status === 'True',
    reasons,
    names: {
      namespace: metadata.namespace ?? '',
      cluster: metadata.name,
      controlPlaneGroup: reference?.apiGroup ?? '',
      controlPlaneKind: reference?.kind ?? '',
      controlPlane: reference?.name ?? '',
    },
    failure: null,
  };
}

/** What a look at the control plane object tells. */
export function controlPlaneFacts(
  look: ExternalLook | null,
): Pick<Facts, 'controlPlane' | 'isControlPlaneDeleting' | 'problem'> {
  const plain = (controlPlane: ControlPlaneFact, problem = '') => ({
    controlPlane,
    problem,
    isControlPlaneDeleting: false,
  });
  if (look === null) return plain('missing');
  if (look.kind === 'unreadable') return plain('unavailable', look.message);
  if (look.kind !== 'found') return plain(look.kind);
  const field = initializedField(look.object, look.contract);
  const isControlPlaneDeleting = look.object.metadata.deletionTimestamp !== undefined;
  const problem = field.kind === 'unreadable' ? field.problem : '';
  return { controlPlane: field.kind, problem, isControlPlaneDeleting };
}

/** A topology counts when it says anything. */
function isTopologyDefined({ spec }: StoredCluster): boolean {
  return hasContent(spec?.topology);
}

function hasContent(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return false;
  if (typeof value !== 'object') return true;
  return Object.values(value).some(hasContent);
}

function machinesFact(machines: readonly StoredMachine[] | null): MachinesFact {
  if (machines === null) return 'unlisted';
  const withNode = machines.filter(({ status }) => (status?.nodeRef?.name ?? '') !== '');
  if (withNode.length === 0) return 'noNode';
  return withNode.some(({ metadata }) => metadata.deletionTimestamp === undefined) ? 'node' : 'leavingNode';
}
