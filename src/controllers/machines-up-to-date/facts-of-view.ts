// Facts from a view: total and pure.

import { machinesFact, nextOldEnoughInMs, type SeenMachine } from '../../../machines/machines-up-to-date/considered.js';
import type { Facts } from '../../../machines/machines-up-to-date/facts.js';
import type { ReasonProfile } from '../../../machines/machines-up-to-date/facts.js';
import { label } from '../../api/names.js';
import { hasPausedAnnotation } from '../one-condition/paused.js';
import type { StoredCluster, StoredMachine } from './objects.js';
import { isAdoptable, isOwnedBy, type View } from './view.js';

/** The facts of a view. */
export function factsOf(view: View, nowMs: number, reasons: ReasonProfile): Facts {
  const { controlPlane, cluster, clusterName, isHandled } = view;
  return {
    isHandled,
    hasOwnerCluster: clusterName !== '',
    hasCluster: cluster !== null,
    isPaused: cluster?.spec?.paused === true || hasPausedAnnotation(controlPlane),
    ...machineFacts(view, nowMs),
    reasons,
    names: {
      namespace: controlPlane.metadata.namespace ?? '',
      controlPlane: controlPlane.metadata.name,
      cluster: clusterName,
    },
    failure: null,
  };
}

function machineFacts(
  { controlPlane, cluster, machines }: View,
  nowMs: number,
): Pick<Facts, 'machines' | 'message' | 'nextOldEnoughInMs'> {
  const plain = (fact: Facts['machines']) => ({ machines: fact, message: '', nextOldEnoughInMs: null });
  if (cluster === null || !isReachable(cluster)) return plain('none');
  if (machines === null) return plain('unlisted');
  const isDeleting = controlPlane.metadata.deletionTimestamp !== undefined;
  const isOwned = (machine: StoredMachine): boolean => isOwnedBy(machine, controlPlane.metadata.name);
  if (!isDeleting && machines.some(isAdoptable)) return plain('adoptable');
  if (!isDeleting && !machines.every(isOwned)) return plain('foreign');
  const seen = machines.filter(isOwned).map(seenMachine);
  return { ...machinesFact(seen, nowMs), nextOldEnoughInMs: nextOldEnoughInMs(seen, nowMs) };
}

/** Before infrastructure and endpoint are there, the control plane counts as having no Machines. */
export function isReachable({ spec, status }: StoredCluster): boolean {
  const { host = '', port = 0 } = spec?.controlPlaneEndpoint ?? {};
  return status?.initialization?.infrastructureProvisioned === true && host !== '' && port !== 0;
}

function seenMachine({ metadata, status }: StoredMachine): SeenMachine {
  const createdMs = Date.parse(metadata.creationTimestamp ?? '');
  return {
    name: metadata.name,
    createdMs: Number.isNaN(createdMs) ? null : createdMs,
    conditions: status?.conditions ?? [],
    isControlPlaneMachine: metadata.labels?.[label.controlPlane] !== undefined,
  };
}
