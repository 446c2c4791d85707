// The objects around a KubeadmConfig as this controller reads and names them. Types and names only.
import type { Cluster, ConfigMap, Machine, MachinePool, OwnerReference, Secret } from '../../api/core.js';
import type { KubeadmConfig } from '../../api/kubeadmconfig/v1beta2.js';
import { group, resources } from '../../api/names.js';
import type { KubeObject, Target } from '../../kube/contract.js';
import type { CachedSecret } from '../../kube/projections.js';
import { resourceOf } from '../../kube/resource-paths.js';

/** A KubeadmConfig that is stored. */
export type StoredConfig = KubeadmConfig & KubeObject;
/** A Machine that is stored. */
export type StoredMachine = Machine & KubeObject;
/** A MachinePool that is stored. */
export type StoredMachinePool = MachinePool & KubeObject;
/** A Cluster that is stored. */
export type StoredCluster = Cluster & KubeObject;
/** A ConfigMap that is stored. */
export type StoredConfigMap = ConfigMap & KubeObject;
/** A Secret that is stored, with its data. */
export type StoredSecret = Secret & KubeObject;
/** A Secret as the cache keeps it. */
export type { CachedSecret };

/** The REST resources that this controller reads or writes. */
export const kinds = {
  kubeadmConfig: resourceOf(resources.KubeadmConfig),
  machine: resourceOf(resources.Machine),
  machinePool: resourceOf(resources.MachinePool),
  cluster: resourceOf(resources.Cluster),
  secret: resourceOf(resources.Secret),
  configMap: resourceOf(resources.ConfigMap),
  customResourceDefinition: resourceOf(resources.CustomResourceDefinition),
} as const;

/** Where an object is. */
export function targetOf(resource: Target['resource'], namespace: string, name: string): Target {
  return { resource, namespace, name };
}

/** `kind namespace/name` for an error that names an object. */
export function objectName(
  kind: keyof typeof kinds,
  namespace: string,
  name: string,
): { readonly apiVersion: string; readonly kind: string; readonly namespace: string; readonly name: string } {
  const { group: apiGroup, version, kind: kindName } = kinds[kind];
  return { apiVersion: apiGroup === '' ? version : `${apiGroup}/${version}`, kind: kindName, namespace, name };
}

/** The reference by which a Cluster owns its lock and its certificates. */
export function clusterReference(cluster: StoredCluster): OwnerReference {
  const { name, uid = '' } = cluster.metadata;
  return { apiVersion: resources.Cluster.apiVersion, kind: 'Cluster', name, uid };
}

/** The group of an apiVersion; empty for the core group, null when it cannot be one. */
export function groupOf(apiVersion: string): string | null {
  const slash = apiVersion.indexOf('/');
  if (slash < 0) return '';
  return apiVersion.includes('/', slash + 1) ? null : apiVersion.slice(0, slash);
}

/** Whether a reference is to a KubeadmConfig, of any version. */
export function isKubeadmConfigReference({ apiVersion, kind }: OwnerReference): boolean {
  return kind === 'KubeadmConfig' && groupOf(apiVersion) === group.bootstrap;
}

/** A text from an object that may not have the shape of its kind. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
