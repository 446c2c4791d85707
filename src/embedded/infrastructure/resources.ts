// The resources that the infrastructure reads and writes, and how objects refer to each other.
import type { KubeObject, Resource, Target } from '../../api/rest.js';

const core = { group: 'cluster.x-k8s.io', version: 'v1beta2', namespaced: true } as const;

export const clusters: Resource = { ...core, plural: 'clusters', kind: 'Cluster' };
export const machines: Resource = { ...core, plural: 'machines', kind: 'Machine' };
export const machinePools: Resource = { ...core, plural: 'machinepools', kind: 'MachinePool' };
export const demoMachines: Resource = {
  group: 'infrastructure.cluster.x-k8s.io',
  version: 'v1beta2',
  plural: 'demomachines',
  kind: 'DemoMachine',
  namespaced: true,
};
export const kubeadmConfigs: Resource = {
  group: 'bootstrap.cluster.x-k8s.io',
  version: 'v1beta2',
  plural: 'kubeadmconfigs',
  kind: 'KubeadmConfig',
  namespaced: true,
};
export const secrets: Resource = {
  group: '',
  version: 'v1',
  plural: 'secrets',
  kind: 'Secret',
  namespaced: true,
};
export const configMaps: Resource = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
export const nodes: Resource = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false };
export const events: Resource = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };

/** The label by which everything of a cluster is found. */
export const clusterLabel = 'cluster.x-k8s.io/cluster-name';

/** A condition as v1beta2 objects have it. */
export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** Where the bootstrap data of a Machine comes from. */
export interface Bootstrap {
  readonly configRef?: { readonly kind: string; readonly name: string };
  readonly dataSecretName?: string;
}

export interface Cluster extends KubeObject {
  readonly spec?: {
    readonly paused?: boolean;
    readonly controlPlaneEndpoint?: { readonly host?: string; readonly port?: number };
  };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly Condition[];
    readonly initialization?: {
      readonly infrastructureProvisioned?: boolean;
      readonly controlPlaneInitialized?: boolean;
    };
  };
}

export interface Machine extends KubeObject {
  readonly spec: {
    readonly clusterName: string;
    readonly version?: string;
    readonly providerID?: string;
    readonly bootstrap: Bootstrap;
    readonly infrastructureRef?: { readonly kind: string; readonly name: string };
  };
  readonly status?: {
    readonly phase?: string;
    readonly nodeRef?: { readonly name: string };
    readonly nodeInfo?: object;
    readonly addresses?: readonly object[];
    readonly conditions?: readonly Condition[];
    readonly initialization?: {
      readonly infrastructureProvisioned?: boolean;
      readonly bootstrapDataSecretCreated?: boolean;
    };
  };
}

/** The simulated provider's machine. */
export interface DemoMachine extends KubeObject {
  readonly spec?: { readonly providerID?: string };
  readonly status?: {
    readonly initialization?: { readonly provisioned?: boolean };
    readonly conditions?: readonly Condition[];
  };
}

export interface MachinePool extends KubeObject {
  readonly spec: {
    readonly clusterName: string;
    readonly replicas?: number;
    readonly providerIDList?: readonly string[];
    readonly template: { readonly spec: { readonly version?: string; readonly bootstrap: Bootstrap } };
  };
  readonly status?: {
    readonly phase?: string;
    readonly replicas?: number;
    readonly nodeRefs?: readonly { readonly name?: string }[];
    readonly initialization?: {
      readonly infrastructureProvisioned?: boolean;
      readonly bootstrapDataSecretCreated?: boolean;
    };
  };
}

export interface KubeadmConfig extends KubeObject {
  readonly status?: {
    readonly dataSecretName?: string;
    readonly initialization?: { readonly dataSecretCreated?: boolean };
  };
}

export interface Secret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

export interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** The target of an object of a resource. */
export function targetOf(resource: Resource, object: KubeObject): Target {
  return { resource, namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}

/** A reference that makes `owner` the controller. */
export function controllerReference(owner: KubeObject): object {
  const { name, uid = '' } = owner.metadata;
  return { apiVersion: owner.apiVersion, kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

/** The failure's kind of a thrown error, as clients name it. */
export function failureKind(error: unknown): string {
  const { failure } = error as { failure?: { kind?: string } };
  return failure?.kind ?? 'none';
}

/** Reads an object, or null when there is none. */
export async function orNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (failureKind(error) === 'NotFound') return null;
    throw error;
  }
}

/** Creates an object unless it is there. */
export async function unlessExists(create: Promise<unknown>): Promise<void> {
  try {
    await create;
  } catch (error) {
    if (failureKind(error) !== 'AlreadyExists') throw error;
  }
}
