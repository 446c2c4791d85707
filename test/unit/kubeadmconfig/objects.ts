// The objects of test worlds: a Cluster with its certificates, Machines, pools and their KubeadmConfigs.
import { readFileSync } from 'node:fs';
import type { ApiClient, KubeObject } from '../../../src/kube/contract.js';
import { resources } from '../../../src/api/names.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { createCaCertificate } from '../../../src/bootstrap/certificates/ca-certificate.js';
import {
  generateKeyPair as generateKey,
  privateKeyPem,
  publicKeyPem,
} from '../../../src/bootstrap/certificates/keys.js';

export const NAMESPACE = 'default';

type Json = Readonly<Record<string, unknown>>;

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Creates an object and then its status, as tools do. */
export async function create(client: ApiClient, object: Json): Promise<KubeObject> {
  const { kind } = object as { readonly kind: keyof typeof resources };
  const resource = resourceOf(resources[kind]);
  const { status, ...rest } = object;
  const created = await client.create<KubeObject>(resource, rest);
  if (status === undefined) return created;
  const { namespace = '', name } = created.metadata;
  return client.mergePatch<KubeObject>({ resource, namespace, name }, { status }, { subresource: 'status' });
}

/** A merge patch of an object. */
export function patch(client: ApiClient, kind: keyof typeof resources, name: string, body: Json): Promise<KubeObject> {
  return client.mergePatch({ resource: resourceOf(resources[kind]), namespace: NAMESPACE, name }, body);
}

/** A merge patch of an object's status. */
export function patchStatus(
  client: ApiClient,
  kind: keyof typeof resources,
  name: string,
  status: Json,
): Promise<KubeObject> {
  const target = { resource: resourceOf(resources[kind]), namespace: NAMESPACE, name };
  return client.mergePatch(target, { status }, { subresource: 'status' });
}

/** Deletes an object. */
export function remove(
  client: ApiClient,
  kind: keyof typeof resources,
  name: string,
  namespace = NAMESPACE,
): Promise<void> {
  return client.delete({ resource: resourceOf(resources[kind]), namespace, name });
}

/** Reads an object. */
export function read<T = Record<string, never>>(
  client: ApiClient,
  kind: keyof typeof resources,
  name: string,
  namespace = NAMESPACE,
): Promise<KubeObject & T> {
  return client.get({ resource: resourceOf(resources[kind]), namespace, name });
}

const initializedCondition = (status: 'True' | 'False') => ({
  type: 'ControlPlaneInitialized',
  status,
  reason: status === 'True' ? 'Initialized' : 'NotInitialized',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});

/** The status of a Cluster. */
export function clusterStatus(given: { readonly provisioned?: boolean; readonly initialized?: boolean }): Json {
  const { provisioned = true, initialized = false } = given;
  return {
    initialization: {
      infrastructureProvisioned: provisioned,
      ...(initialized ? { controlPlaneInitialized: true } : {}),
    },
    conditions: [initializedCondition(initialized ? 'True' : 'False')],
  };
}

/** A Cluster. */
export function cluster(
  given: {
    readonly provisioned?: boolean;
    readonly initialized?: boolean;
    readonly endpoint?: boolean;
    readonly name?: string;
    readonly spec?: Json;
  } = {},
): Json {
  const { name = 'c1', endpoint = true } = given;
  return {
    apiVersion: resources.Cluster.apiVersion,
    kind: 'Cluster',
    metadata: { name, namespace: NAMESPACE },
    spec: {
      ...(endpoint ? { controlPlaneEndpoint: { host: `api.${name}.example.com`, port: 6443 } } : {}),
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'InfraCluster', name },
      ...given.spec,
    },
    status: clusterStatus(given),
  };
}

/** A Machine that refers to a KubeadmConfig of its name. */
export function machine(
  name: string,
  given: { readonly controlPlane?: boolean; readonly cluster?: string; readonly spec?: Json } = {},
): Json {
  const { cluster: clusterName = 'c1' } = given;
  return {
    apiVersion: resources.Machine.apiVersion,
    kind: 'Machine',
    metadata: {
      name,
      namespace: NAMESPACE,
      labels: {
        'cluster.x-k8s.io/cluster-name': clusterName,
        ...(given.controlPlane === true ? { 'cluster.x-k8s.io/control-plane': '' } : {}),
      },
    },
    spec: {
      clusterName,
      version: 'v1.36.0',
      bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name } },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'InfraMachine', name },
      ...given.spec,
    },
  };
}

/** A MachinePool that refers to a KubeadmConfig of its name. */
export function pool(name: string, given: { readonly replicas?: number; readonly cluster?: string } = {}): Json {
  const { spec } = machine(name, given) as { readonly spec: Json };
  const { cluster: clusterName = 'c1', replicas = 2 } = given;
  return {
    apiVersion: resources.MachinePool.apiVersion,
    kind: 'MachinePool',
    metadata: { name, namespace: NAMESPACE, labels: { 'cluster.x-k8s.io/cluster-name': clusterName } },
    spec: { clusterName, replicas, template: { spec } },
  };
}

/** A KubeadmConfig with its owner. */
export function config(
  owner: KubeObject | null,
  name: string,
  spec: Json,
  more: { readonly annotations?: Json; readonly labels?: Json; readonly status?: Json } = {},
): Json {
  const reference =
    owner === null
      ? null
      : {
          apiVersion: owner.apiVersion,
          kind: owner.kind,
          name: owner.metadata.name,
          uid: owner.metadata.uid,
          controller: true,
        };
  const { status, ...metadata } = more;
  return {
    apiVersion: resources.KubeadmConfig.apiVersion,
    kind: 'KubeadmConfig',
    metadata: {
      name,
      namespace: NAMESPACE,
      labels: { 'cluster.x-k8s.io/cluster-name': 'c1' },
      ...metadata,
      ...(reference === null ? {} : { ownerReferences: [reference] }),
    },
    spec,
    ...(status === undefined ? {} : { status }),
  };
}

/** Creates a Machine and its KubeadmConfig. */
export async function addMachine(
  client: ApiClient,
  name: string,
  given: {
    readonly controlPlane?: boolean;
    readonly spec?: Json;
    readonly cluster?: string;
    readonly machineSpec?: Json;
  } = {},
): Promise<void> {
  const owner = await create(client, machine(name, { ...given, spec: given.machineSpec ?? {} }));
  const spec =
    given.spec ??
    (given.controlPlane === true
      ? { initConfiguration: { nodeRegistration: { name: 'n' } } }
      : { joinConfiguration: { nodeRegistration: { name: 'w' } } });
  await create(client, config(owner, name, spec));
}

/** Creates a MachinePool and its KubeadmConfig. */
export async function addPool(
  client: ApiClient,
  name: string,
  given: { readonly replicas?: number; readonly cluster?: string } = {},
): Promise<void> {
  const owner = await create(client, pool(name, given));
  await create(client, config(owner, name, { joinConfiguration: { nodeRegistration: { name: 'w' } } }));
}

/** A Secret. */
export function secret(
  name: string,
  data: Readonly<Record<string, string>>,
  given: { readonly labels?: Json; readonly ownerReferences?: readonly Json[] } = {},
): Json {
  const { labels = { 'cluster.x-k8s.io/cluster-name': 'c1' }, ownerReferences } = given;
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'cluster.x-k8s.io/secret',
    metadata: { name, namespace: NAMESPACE, labels, ...(ownerReferences === undefined ? {} : { ownerReferences }) },
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
  };
}

let made: Promise<{
  readonly ca: { readonly cert: string; readonly key: string };
  readonly sa: { readonly cert: string; readonly key: string };
}> | null = null;

async function makePair() {
  const key = await generateKey('ECDSA-P256');
  const cert = await createCaCertificate({ key, nowMs: Date.UTC(2023, 0, 1), validityDays: 3650 });
  return { ca: { cert, key: privateKeyPem(key) }, sa: { cert: publicKeyPem(key), key: privateKeyPem(key) } };
}

/** Creates the certificate Secrets of a cluster, and a kubeconfig that leads to the workload cluster. Without labels none is cached. */
export async function addClusterSecrets(
  client: ApiClient,
  given: {
    readonly name?: string;
    readonly kubeconfig?: string | null;
    readonly without?: readonly string[];
    readonly isLabelled?: boolean;
  } = {},
): Promise<void> {
  const { name = 'c1', kubeconfig = 'working', without = [], isLabelled = true } = given;
  const labels = isLabelled ? { 'cluster.x-k8s.io/cluster-name': name } : {};
  const { ca, sa } = await (made ??= makePair());
  for (const purpose of ['ca', 'etcd', 'proxy', 'sa']) {
    if (without.includes(purpose)) continue;
    const pair = purpose === 'sa' ? sa : ca;
    await create(client, secret(`${name}-${purpose}`, { 'tls.crt': pair.cert, 'tls.key': pair.key }, { labels }));
  }
  if (kubeconfig !== null) await create(client, secret(`${name}-kubeconfig`, { value: kubeconfig }, { labels }));
}

/** The bootstrap tokens of the workload cluster, by name. */
export async function tokens(
  client: ApiClient,
): Promise<readonly (KubeObject & { readonly data: Readonly<Record<string, string>> })[]> {
  const list = await client.list<KubeObject & { readonly data: Readonly<Record<string, string>> }>(
    resourceOf(resources.Secret),
    { namespace: 'kube-system' },
  );
  return list.items.filter(({ metadata }) => metadata.name.startsWith('bootstrap-token-'));
}

/** A decoded key of a Secret. */
export function decoded(object: { readonly data?: Readonly<Record<string, string>> }, key: string): string {
  return Buffer.from(object.data?.[key] ?? '', 'base64').toString();
}

/** A JSON file. */
export function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(path, 'utf8')) as T;
}
