// How this controller finds KubeadmConfigs: by their owner, and through owners by their cluster. Declared with the caches.
import { group } from '../../api/names.js';
import type { IndexFunction } from '../../kube/store.js';
import { groupOf, textOf, type StoredConfig, type StoredMachine, type StoredMachinePool } from './objects.js';

/** Names of the indexes. */
export const OWNER_INDEX = 'owner';
/** See OWNER_INDEX. */
export const CLUSTER_INDEX = 'cluster';

/** KubeadmConfigs by owner: `namespace/Kind/name`. */
export const configIndexes: Readonly<Record<string, IndexFunction<StoredConfig>>> = {
  [OWNER_INDEX]: ({ metadata }) =>
    (metadata.ownerReferences ?? [])
      .filter(({ apiVersion }) => groupOf(apiVersion) === group.cluster)
      .map(({ kind, name }) => ownerKey(metadata.namespace ?? '', kind, name)),
};

/** Machines and MachinePools by cluster: `namespace/name`. */
export const ownerIndexes: Readonly<Record<string, IndexFunction<StoredMachine | StoredMachinePool>>> = {
  [CLUSTER_INDEX]: ({ metadata, spec }) => {
    const cluster = textOf(spec?.clusterName);
    return cluster === '' ? [] : [`${metadata.namespace ?? ''}/${cluster}`];
  },
};

/** The value of OWNER_INDEX for an owner. */
export function ownerKey(namespace: string, kind: string, name: string): string {
  return `${namespace}/${kind}/${name}`;
}
