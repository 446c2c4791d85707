// What is seen of the world around one KubeadmControlPlane at the start of a turn. Synchronous, from caches, frozen.

import { group, label } from '../../api/names.js';
import type { Cache } from '../../kube/contract.js';
import { CLUSTER_LABEL_INDEX } from '../cluster-initialized/indexes.js';
import { groupOf, isSelected } from '../one-condition/paused.js';
import type { StoredCluster, StoredControlPlane, StoredMachine } from './objects.js';

/** One view. */
export interface View {
  readonly key: string;
  readonly controlPlane: StoredControlPlane;
  readonly isHandled: boolean;
  /** Name of the Cluster that an owner reference names; empty where none does. */
  readonly clusterName: string;
  readonly cluster: StoredCluster | null;
  /** Control plane Machines of the Cluster, whoever owns them; null where they cannot be listed. */
  readonly machines: readonly StoredMachine[] | null;
}

/** What views are made of. */
export interface Eyes {
  readonly controlPlanes: Pick<Cache<StoredControlPlane>, 'get'>;
  readonly clusters: Pick<Cache<StoredCluster>, 'get'>;
  readonly machines: Pick<Cache<StoredMachine>, 'byIndex' | 'synced'>;
  readonly watchFilter: string;
}

/** The view of a key; null when the object does not exist. */
export function viewOf(eyes: Eyes, key: string): View | null {
  const slash = key.indexOf('/');
  const namespace = key.slice(0, slash);
  const controlPlane = eyes.controlPlanes.get(namespace, key.slice(slash + 1));
  if (controlPlane === undefined) return null;
  const clusterName = ownerClusterName(controlPlane);
  return Object.freeze({
    key,
    controlPlane,
    isHandled: isSelected(controlPlane, eyes.watchFilter),
    clusterName,
    cluster: clusterName === '' ? null : (eyes.clusters.get(namespace, clusterName) ?? null),
    machines: eyes.machines.synced
      ? eyes.machines.byIndex(CLUSTER_LABEL_INDEX, `${namespace}/${clusterName}`).filter(isControlPlaneMachine)
      : null,
  });
}

/** The first owner that is a Cluster, of any version; empty where there is none. */
export function ownerClusterName({ metadata }: StoredControlPlane): string {
  const isCluster = (each: { readonly kind: string; readonly apiVersion: string }): boolean =>
    each.kind === 'Cluster' && groupOf(each.apiVersion) === group.cluster;
  return metadata.ownerReferences?.find(isCluster)?.name ?? '';
}

/** PARITY: the label must be there with the value that the control plane controller writes: the empty one. */
export function isControlPlaneMachine({ metadata }: StoredMachine): boolean {
  return metadata.labels?.[label.controlPlane] === '';
}

/** A Machine is owned by any reference of group, kind and name: version, uid and the controller flag do not count. */
export function isOwnedBy({ metadata }: StoredMachine, controlPlaneName: string): boolean {
  return (metadata.ownerReferences ?? []).some(
    ({ apiVersion, kind, name }) =>
      groupOf(apiVersion) === group.controlPlane && kind === 'KubeadmControlPlane' && name === controlPlaneName,
  );
}

/** Nobody controls the Machine: the control plane controller will adopt it. */
export function isAdoptable({ metadata }: StoredMachine): boolean {
  return !(metadata.ownerReferences ?? []).some(({ controller }) => controller === true);
}
