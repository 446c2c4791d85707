// The management cluster as the stack's runner uses it: objects of one namespace by kind, as a user who may do everything.
import type { EnvtestServer } from '../envtest/api-server.js';

/** Where all clusters live. */
export const namespace = 'stack';

const groups = {
  core: 'cluster.x-k8s.io',
  bootstrap: 'bootstrap.cluster.x-k8s.io',
  controlPlane: 'controlplane.cluster.x-k8s.io',
  infrastructure: 'infrastructure.cluster.x-k8s.io',
} as const;

/** Group and plural by kind; no group for the kinds of `v1`. */
export const kinds = {
  Secret: ['', 'secrets'],
  ConfigMap: ['', 'configmaps'],
  Cluster: [groups.core, 'clusters'],
  ClusterClass: [groups.core, 'clusterclasses'],
  Machine: [groups.core, 'machines'],
  MachineSet: [groups.core, 'machinesets'],
  MachineDeployment: [groups.core, 'machinedeployments'],
  MachinePool: [groups.core, 'machinepools'],
  MachineHealthCheck: [groups.core, 'machinehealthchecks'],
  KubeadmConfig: [groups.bootstrap, 'kubeadmconfigs'],
  KubeadmConfigTemplate: [groups.bootstrap, 'kubeadmconfigtemplates'],
  KubeadmControlPlane: [groups.controlPlane, 'kubeadmcontrolplanes'],
  KubeadmControlPlaneTemplate: [groups.controlPlane, 'kubeadmcontrolplanetemplates'],
  DevCluster: [groups.infrastructure, 'devclusters'],
  DevClusterTemplate: [groups.infrastructure, 'devclustertemplates'],
  DevMachine: [groups.infrastructure, 'devmachines'],
  DevMachineTemplate: [groups.infrastructure, 'devmachinetemplates'],
  DevMachinePool: [groups.infrastructure, 'devmachinepools'],
} as const;

export type Kind = keyof typeof kinds;

/** What every object has. */
export interface Metadata {
  readonly name: string;
  readonly uid: string;
  readonly generation?: number;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly OwnerReference[];
}

export interface OwnerReference {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly blockOwnerDeletion?: boolean;
}

/** An object as it was read. */
export interface Seen {
  readonly kind?: string;
  readonly metadata: Metadata;
  readonly [field: string]: unknown;
}

/** A field deep inside an object; undefined where a step is missing. */
export function at(object: unknown, ...path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (value, step) => (value as Readonly<Record<string | number, unknown>> | null | undefined)?.[step],
    object,
  );
}

/** The calls that phases and judges make. */
export interface Api {
  get(kind: Kind, name: string): Promise<Seen | null>;
  list(kind: Kind, version?: string): Promise<readonly Seen[]>;
  /** Metadata alone: what a garbage collector needs. */
  listMetadata(kind: Kind): Promise<readonly Seen[]>;
  create(object: object): Promise<void>;
  /** A JSON merge patch. */
  patch(kind: Kind, name: string, patch: object, subresource?: 'status'): Promise<void>;
  remove(kind: Kind, name: string): Promise<void>;
}

/** The path of a kind's collection. */
export function collectionOf(kind: Kind, version = 'v1beta2'): string {
  const [group, plural] = kinds[kind];
  return `${group === '' ? '/api/v1' : `/apis/${group}/${version}`}/namespaces/${namespace}/${plural}`;
}

const metadataOnly = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** How often a call is made again that a webhook or a conversion could not answer: managers restart. */
const attemptsMax = 60;
const attemptEachMs = 500;

/** Calls on a server. A call that the server fails is made again for a while. */
export function apiOf(server: EnvtestServer): Api {
  const call = async (
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly body: unknown }> => {
    for (let attempt = 1; ; attempt += 1) {
      const { 'content-type': contentType, ...rest } = headers;
      const answer = await server
        .call(method, path, body, { headers: rest, ...(contentType === undefined ? {} : { contentType }) })
        .catch((error: unknown) => ({ status: 599, body: {}, text: String(error) }));
      if (answer.status < 400 || answer.status === 404) return answer;
      if (answer.status < 500 || attempt === attemptsMax)
        throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 600)}`);
      await new Promise((resolve) => setTimeout(resolve, attemptEachMs));
    }
  };
  const itemsOf = ({ body }: { readonly body: unknown }): readonly Seen[] =>
    (at(body, 'items') ?? []) as readonly Seen[];
  return {
    async get(kind, name) {
      const { status, body } = await call('GET', `${collectionOf(kind)}/${name}`);
      return status === 404 ? null : (body as Seen);
    },
    list: async (kind, version) => itemsOf(await call('GET', collectionOf(kind, version))),
    listMetadata: async (kind) => itemsOf(await call('GET', collectionOf(kind), undefined, { accept: metadataOnly })),
    async create(object) {
      const { kind } = object as { readonly kind: Kind };
      await call('POST', collectionOf(kind), object);
    },
    async patch(kind, name, patch, subresource) {
      const path = `${collectionOf(kind)}/${name}${subresource === undefined ? '' : `/${subresource}`}`;
      const { status } = await call('PATCH', path, patch, { 'content-type': 'application/merge-patch+json' });
      if (status === 404) throw new Error(`PATCH ${path}: it is not there`);
    },
    async remove(kind, name) {
      await call('DELETE', `${collectionOf(kind)}/${name}`);
    },
  };
}
