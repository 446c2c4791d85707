// Caches that more than one controller reads: one watch for each kind, with the indexes of all its readers.

import { label, resources } from '../api/names.js';
import { clusterIndexes, machineIndexes as labelIndexes } from '../controllers/cluster-initialized/indexes.js';
import { configIndexes, ownerIndexes } from '../controllers/kubeadmconfig/indexes.js';
import { machineIndexes } from '../controllers/machine/machine-indexes.js';
import type {
  StoredCluster,
  StoredConfig,
  StoredConfigMap,
  StoredMachine,
  StoredMachinePool,
} from '../controllers/kubeadmconfig/objects.js';
import type { Cache, KubeObject } from '../kube/contract.js';
import type { InformerOptions } from '../kube/informer.js';
import { projectSecret, type CachedSecret } from '../kube/projections.js';
import { resourceOf } from '../kube/resource-paths.js';
import type { IndexFunction } from '../kube/store.js';
import type { OperatorConfig } from './config.js';
import type { SharedCaches } from './controller-module.js';

/** What decides which objects a cache holds. */
export type CacheScope = Pick<OperatorConfig, 'namespace'>;

const declared = new WeakMap<SharedCaches, Map<string, Cache<KubeObject>>>();

/** A cache by name, declared by its first reader. */
function shared<T extends KubeObject>(
  caches: SharedCaches,
  { namespace }: CacheScope,
  options: InformerOptions<T>,
): Cache<T> {
  const known = declared.get(caches) ?? new Map<string, Cache<KubeObject>>();
  declared.set(caches, known);
  const name = options.resource.kind;
  const cache = known.get(name) ?? caches.informers.declare({ ...options, ...(namespace === '' ? {} : { namespace }) });
  known.set(name, cache as Cache<KubeObject>);
  return cache as Cache<T>;
}

/** KubeadmConfigs, by owner. */
export const configsCache = (caches: SharedCaches, scope: CacheScope): Cache<StoredConfig> =>
  shared(caches, scope, {
    resource: resourceOf(resources.KubeadmConfig),
    indexes: configIndexes,
    firstList: 'current',
  });

type AnyIndexes = Readonly<Record<string, IndexFunction<KubeObject>>>;

/** Indexes of Machines for all their readers. */
const allMachineIndexes = { ...ownerIndexes, ...machineIndexes, ...labelIndexes } as unknown as AnyIndexes;

/** Machines, by cluster, node, provider ID and what they refer to. */
export const machinesCache = <T extends KubeObject = StoredMachine>(
  caches: SharedCaches,
  scope: CacheScope,
): Cache<T> =>
  shared<KubeObject>(caches, scope, {
    resource: resourceOf(resources.Machine),
    indexes: allMachineIndexes,
    firstList: 'current',
  }) as Cache<T>;

/** MachinePools, by cluster. */
export const machinePoolsCache = (caches: SharedCaches, scope: CacheScope): Cache<StoredMachinePool> =>
  shared<KubeObject>(caches, scope, {
    resource: resourceOf(resources.MachinePool),
    indexes: ownerIndexes as unknown as AnyIndexes,
  }) as Cache<StoredMachinePool>;

/** Clusters, by their control plane object. */
export const clustersCache = (caches: SharedCaches, scope: CacheScope): Cache<StoredCluster> =>
  shared<StoredCluster>(caches, scope, {
    resource: resourceOf(resources.Cluster),
    indexes: clusterIndexes,
    firstList: 'current',
  });

/** Secrets with a cluster's label; data for CA and kubeconfig purposes only. */
export const secretsCache = (caches: SharedCaches, scope: CacheScope): Cache<CachedSecret> =>
  shared(caches, scope, {
    resource: resourceOf(resources.Secret),
    labelSelector: label.clusterName,
    project: projectSecret,
  });

/** ConfigMaps with a cluster's label: init locks, and actors with `--snapshot-store=configmap`. */
export const configMapsCache = (caches: SharedCaches, scope: CacheScope): Cache<StoredConfigMap> =>
  shared(caches, scope, {
    resource: resourceOf(resources.ConfigMap),
    labelSelector: label.clusterName,
    firstList: 'current',
  });

/** Any kind that has no index. */
export const plainCache = <T extends KubeObject>(
  caches: SharedCaches,
  scope: CacheScope,
  kind: keyof typeof resources,
): Cache<T> => shared<T>(caches, scope, { resource: resourceOf(resources[kind]) });
