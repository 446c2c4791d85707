// What bootstrap data takes from the objects around a KubeadmConfig. Total: a field of another shape counts as absent.
import type { Cluster, KubernetesObject } from '../api/core.js';
import { conditionType, label } from '../api/names.js';
import type { ClusterFacts } from './bootstrap-types.js';

/** The facts of a Cluster. */
export function clusterFacts(cluster: Cluster): ClusterFacts {
  const { spec } = cluster;
  const endpoint = spec?.controlPlaneEndpoint;
  const ref = spec?.controlPlaneRef;
  return {
    name: cluster.metadata.name ?? '',
    namespace: cluster.metadata.namespace ?? '',
    controlPlaneEndpoint: { host: textOf(endpoint?.host), port: numberOf(endpoint?.port) },
    serviceDomain: textOf(spec?.clusterNetwork?.serviceDomain),
    serviceCidrBlocks: textsOf(spec?.clusterNetwork?.services?.cidrBlocks),
    podCidrBlocks: textsOf(spec?.clusterNetwork?.pods?.cidrBlocks),
    hasControlPlaneRef: [ref?.apiGroup, ref?.kind, ref?.name].some((part) => textOf(part) !== ''),
  };
}

/** Whether the Cluster's condition says that its control plane is initialised. Absent counts as no. */
export function isControlPlaneInitialized(cluster: Cluster): boolean {
  const { conditions } = cluster.status ?? {};
  if (!Array.isArray(conditions)) return false;
  return conditions.some(({ type, status }) => type === conditionType.controlPlaneInitialized && status === 'True');
}

/** Whether this owner is a control plane Machine. A MachinePool never is; the label's value does not matter. */
export function isControlPlaneMachine(owner: KubernetesObject): boolean {
  return owner.kind === 'Machine' && owner.metadata.labels?.[label.controlPlane] !== undefined;
}

/** The Kubernetes version of a Machine or MachinePool, empty if it has none. */
export function ownerKubernetesVersion(owner: KubernetesObject): string {
  const { spec } = owner as { readonly spec?: { readonly version?: unknown; readonly template?: unknown } };
  if (owner.kind === 'Machine') return textOf(spec?.version);
  const template = spec?.template as { readonly spec?: { readonly version?: unknown } } | undefined;
  return textOf(template?.spec?.version);
}

/** The text, empty if it is something else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(textOf) : [];
}
