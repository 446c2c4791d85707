// How this controller finds Clusters and Machines. Declared with the caches.

import { label } from '../../api/names.js';
import type { IndexFunction } from '../../kube/store.js';
import type { StoredCluster, StoredMachine } from './objects.js';

/** Clusters by the control plane object that they name: `namespace/group/kind/name`. */
export const CONTROL_PLANE_INDEX = 'control-plane';
/** Machines by the cluster that their label names: `namespace/name`. */
export const CLUSTER_LABEL_INDEX = 'cluster-label';

/** Indexes of Clusters. */
export const clusterIndexes: Readonly<Record<string, IndexFunction<StoredCluster>>> = {
  [CONTROL_PLANE_INDEX]: ({ metadata, spec }) => {
    const { apiGroup = '', kind = '', name = '' } = spec?.controlPlaneRef ?? {};
    return name === '' ? [] : [controlPlaneKey({ namespace: metadata.namespace ?? '', group: apiGroup, kind, name })];
  },
};

/** Indexes of Machines. */
export const machineIndexes: Readonly<Record<string, IndexFunction<StoredMachine>>> = {
  [CLUSTER_LABEL_INDEX]: ({ metadata }) => {
    const cluster = metadata.labels?.[label.clusterName] ?? '';
    return cluster === '' ? [] : [`${metadata.namespace ?? ''}/${cluster}`];
  },
};

/** The value of CONTROL_PLANE_INDEX for an object. */
export function controlPlaneKey(object: {
  readonly namespace: string;
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}): string {
  return `${object.namespace}/${object.group}/${object.kind}/${object.name}`;
}
