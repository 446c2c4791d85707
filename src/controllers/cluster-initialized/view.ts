// What is seen of the world around one Cluster at the start of a turn. Synchronous, from caches, frozen.

import { label } from '../../api/names.js';
import type { Cache } from '../../kube/contract.js';
import type { ExternalLook } from '../machine/external/readings.js';
import type { ExternalObjects } from '../machine/external/external-objects.js';
import { isSelected } from '../one-condition/paused.js';
import { CLUSTER_LABEL_INDEX } from './indexes.js';
import type { StoredCluster, StoredMachine } from './objects.js';

/** One view. */
export interface View {
  readonly key: string;
  readonly cluster: StoredCluster;
  readonly isHandled: boolean;
  /** Null where the Cluster names no control plane object. */
  readonly controlPlane: ExternalLook | null;
  /** Control plane Machines by label; null where they cannot be listed. */
  readonly machines: readonly StoredMachine[] | null;
}

/** What views are made of. */
export interface Eyes {
  readonly clusters: Pick<Cache<StoredCluster>, 'get'>;
  readonly machines: Pick<Cache<StoredMachine>, 'byIndex' | 'synced'>;
  readonly controlPlanes: Pick<ExternalObjects, 'look' | 'kindOf'>;
  readonly watchFilter: string;
}

/** The view of a key; null when the Cluster does not exist. */
export function viewOf(eyes: Eyes, key: string): View | null {
  const slash = key.indexOf('/');
  const namespace = key.slice(0, slash);
  const cluster = eyes.clusters.get(namespace, key.slice(slash + 1));
  if (cluster === undefined) return null;
  return Object.freeze({
    key,
    cluster,
    isHandled: isSelected(cluster, eyes.watchFilter),
    controlPlane: lookAtControlPlane(eyes, cluster, namespace),
    machines: eyes.machines.synced
      ? eyes.machines
          .byIndex(CLUSTER_LABEL_INDEX, key)
          .filter(({ metadata }) => metadata.labels?.[label.controlPlane] !== undefined)
      : null,
  });
}

/** The reference to the control plane object; null where no field of it is set. */
export function controlPlaneReference({
  spec,
}: StoredCluster): { apiGroup: string; kind: string; name: string } | null {
  const { apiGroup = '', kind = '', name = '' } = spec?.controlPlaneRef ?? {};
  return apiGroup === '' && kind === '' && name === '' ? null : { apiGroup, kind, name };
}

/** A kind that is known but whose first list has not come in is opened again: only trying tells whether it is there now. */
function lookAtControlPlane({ controlPlanes }: Eyes, cluster: StoredCluster, namespace: string): ExternalLook | null {
  const reference = controlPlaneReference(cluster);
  if (reference === null) return null;
  const look = controlPlanes.look(reference, namespace);
  if (look.kind !== 'unreadable') return look;
  const isOverdue = controlPlanes.kindOf(reference) !== null || look.message.endsWith('has not come in');
  return isOverdue ? { kind: 'unwatched' } : look;
}
