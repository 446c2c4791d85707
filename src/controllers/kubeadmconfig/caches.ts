// The caches that this controller reads, declared once per process with their indexes and projections.
//
// KubeadmConfigs, Machines, Clusters and lock ConfigMaps are listed as they are now, not as some cache remembers them:
// decisions of safety read them right after a start.
import { label } from '../../api/names.js';
import type { Resource } from '../../kube/contract.js';
import type { Informers } from '../../kube/informers.js';
import { projectSecret } from '../../kube/projections.js';
import { configIndexes, ownerIndexes } from './indexes.js';
import {
  kinds,
  type StoredCluster,
  type StoredConfig,
  type StoredConfigMap,
  type StoredMachine,
  type StoredMachinePool,
} from './objects.js';
import type { Caches } from './ports.js';

/** What to watch. */
export interface CacheScope {
  /** One namespace; all when empty. */
  readonly namespace: string;
  readonly hasMachinePools: boolean;
}

/** The kinds that must be served before the start. */
export function watchedResources({ hasMachinePools }: Pick<CacheScope, 'hasMachinePools'>): readonly Resource[] {
  const { kubeadmConfig, machine, machinePool, cluster, secret, configMap } = kinds;
  return [kubeadmConfig, machine, ...(hasMachinePools ? [machinePool] : []), cluster, secret, configMap];
}

/** Declares the caches. */
export function declareCaches(informers: Pick<Informers, 'declare'>, scope: CacheScope): Caches {
  const where = scope.namespace === '' ? {} : { namespace: scope.namespace };
  const current = { ...where, firstList: 'current' as const };
  const labelled = { labelSelector: label.clusterName };
  return {
    configs: informers.declare<StoredConfig>({ resource: kinds.kubeadmConfig, ...current, indexes: configIndexes }),
    machines: informers.declare<StoredMachine>({ resource: kinds.machine, ...current, indexes: ownerIndexes }),
    machinePools: scope.hasMachinePools
      ? informers.declare<StoredMachinePool>({ resource: kinds.machinePool, ...where, indexes: ownerIndexes })
      : null,
    clusters: informers.declare<StoredCluster>({ resource: kinds.cluster, ...current }),
    secrets: informers.declare({ resource: kinds.secret, ...where, ...labelled, project: projectSecret }),
    configMaps: informers.declare<StoredConfigMap>({ resource: kinds.configMap, ...current, ...labelled }),
  };
}
