// Objects of the worlds of the Machine's tests: one cluster `c1` with an initialised control plane, and what belongs to it.
import { resources } from '../../../src/api/names.js';
import type { ApiClient, KubeObject, Resource, Target } from '../../../src/kube/contract.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import type { StoredMachine } from '../../../src/controllers/machine/objects.js';
import { infrastructureGroup } from './definitions.js';
import type { World } from './world.js';

type Json = Record<string, unknown>;

export const ns = 'default';
const time = '2023-11-14T00:00:00Z';

/** The REST resource of a kind. */
export function resource(kind: string): Resource {
  const known = (resources as Record<string, Parameters<typeof resourceOf>[0]>)[kind];
  if (known !== undefined) return resourceOf(known);
  const version = kind === 'OldMachine' ? 'v1beta1' : 'v1beta2';
  return { group: infrastructureGroup, version, plural: `${kind.toLowerCase()}s`, kind, namespaced: true };
}

export const at = (kind: string, name: string, namespace = ns): Target => ({
  resource: resource(kind),
  namespace: resource(kind).namespaced ? namespace : '',
  name,
});

/** Creates an object; a `status` in it is written to the status subresource. */
export async function put(
  client: ApiClient,
  kind: string,
  name: string,
  { status, ...body }: Json & { status?: unknown },
): Promise<KubeObject> {
  const { group, version, namespaced } = resource(kind);
  const metadata = { name, ...(namespaced ? { namespace: ns } : {}), ...(body['metadata'] as Json) };
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const object = await client.create(resource(kind), { apiVersion, kind, ...body, metadata });
  if (status === undefined) return object;
  return client.mergePatch(at(kind, name), { status }, { subresource: 'status' });
}

/** Patches an object, `status` by its subresource. */
export async function change(
  client: ApiClient,
  kind: string,
  name: string,
  { status, ...body }: Json & { status?: unknown },
): Promise<void> {
  if (Object.keys(body).length > 0) await client.mergePatch(at(kind, name), body);
  if (status !== undefined) await client.mergePatch(at(kind, name), { status }, { subresource: 'status' });
}

/** What there is, or undefined. */
export async function find<T extends KubeObject>(
  client: ApiClient,
  kind: string,
  name: string,
): Promise<T | undefined> {
  return client.get<T>(at(kind, name)).catch(() => undefined);
}

/** A Machine that must be there. */
export async function machine(world: World, name = 'w-0'): Promise<StoredMachine> {
  const found = await find<StoredMachine>(world.user, 'Machine', name);
  if (found === undefined) throw new Error(`there is no Machine ${name}`);
  return found;
}

/** A condition of a Machine as `status reason message`. */
export async function saysOf(world: World, type: string, name = 'w-0'): Promise<string> {
  const { status } = await machine(world, name);
  const found = status?.conditions?.find((each) => each.type === type);
  return found === undefined ? 'none' : `${found.status} ${found.reason} ${found.message}`.trimEnd();
}

/** A deprecated condition of a Machine as `status severity reason message`. */
export async function oldSaysOf(world: World, type: string, name = 'w-0'): Promise<string> {
  const { status } = await machine(world, name);
  const found = status?.deprecated?.v1beta1?.conditions?.find((each) => each.type === type);
  return found === undefined
    ? 'none'
    : [found.status, found.severity, found.reason, found.message]
        .filter((part) => part !== undefined && part !== '')
        .join(' ');
}

const conditionsOf = (ready: 'True' | 'False' | 'Unknown'): readonly Json[] => [
  ...['MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => ({
    type,
    status: 'False',
    reason: 'Kubelet',
    message: `${type} says fine`,
    lastTransitionTime: time,
  })),
  { type: 'Ready', status: ready, reason: 'Kubelet', message: `Ready says ${ready}`, lastTransitionTime: time },
];

/** Status of a Node. */
export function nodeStatus(ready: 'True' | 'False' | 'Unknown' = 'True'): Json {
  return {
    conditions: conditionsOf(ready),
    nodeInfo: {
      kubeletVersion: 'v1.36.0',
      architecture: 'amd64',
      bootID: 'b',
      containerRuntimeVersion: 'containerd://2',
      kernelVersion: '6',
      kubeProxyVersion: '',
      machineID: 'm',
      operatingSystem: 'linux',
      osImage: 'img',
      systemUUID: 'u',
    },
  };
}

/** A cluster that is up, with a control plane Machine that lives. */
export async function putCluster({ user }: World, more: Json = {}): Promise<void> {
  await put(user, 'Cluster', 'c1', {
    spec: {
      controlPlaneEndpoint: { host: 'api.c1', port: 6443 },
      infrastructureRef: { apiGroup: infrastructureGroup, kind: 'InfraCluster', name: 'c1' },
      controlPlaneRef: { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: 'c1-cp' },
    },
    status: {
      initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
      conditions: [
        {
          type: 'ControlPlaneInitialized',
          status: 'True',
          reason: 'Initialized',
          message: '',
          lastTransitionTime: time,
        },
      ],
    },
    ...more,
  });
  await put(user, 'KubeadmControlPlane', 'c1-cp', {
    spec: {
      replicas: 1,
      version: 'v1.36.0',
      machineTemplate: {
        spec: { infrastructureRef: { apiGroup: infrastructureGroup, kind: 'InfraMachineTemplate', name: 'cp' } },
      },
    },
  });
  await putMachine({ user }, 'cp-0', {
    labels: { 'cluster.x-k8s.io/control-plane': '' },
    spec: { bootstrap: { dataSecretName: 'made-elsewhere' } },
  });
}

interface MachineOptions {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly Json[];
  readonly spec?: Json;
}

/** A Machine of `c1`, without the objects that it refers to. */
export async function putMachine(
  { user }: Pick<World, 'user'>,
  name: string,
  options: MachineOptions = {},
): Promise<void> {
  const { spec, labels = {}, ...metadata } = options;
  await put(user, 'Machine', name, {
    metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'c1', ...labels }, ...metadata },
    spec: {
      clusterName: 'c1',
      version: 'v1.36.0',
      bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name } },
      infrastructureRef: { apiGroup: infrastructureGroup, kind: 'InfraMachine', name },
      ...spec,
    },
  });
}

/** Bootstrap and infrastructure object of a Machine, as far as their controllers have come. */
export async function putObjects(
  { user }: World,
  name: string,
  how: { readonly data?: boolean; readonly provisioned?: boolean } = {},
): Promise<void> {
  const { data = true, provisioned = true } = how;
  await put(user, 'KubeadmConfig', name, {
    spec: { joinConfiguration: { nodeRegistration: { name } } },
    ...(data ? { status: { dataSecretName: name, initialization: { dataSecretCreated: true } } } : {}),
  });
  await put(user, 'InfraMachine', name, {
    spec: provisioned ? { providerID: `test://${name}` } : {},
    status: { initialization: { provisioned } },
  });
}

/** A Node that has joined. */
export async function putNode({ remote }: World, name: string, more: Json & { status?: unknown } = {}): Promise<void> {
  await put(remote, 'Node', name, { spec: { providerID: `test://${name}` }, status: nodeStatus(), ...more });
}

/** A Pod on a Node. */
export async function putPod(
  { remote }: World,
  name: string,
  node: string,
  more: Json & { status?: unknown } = {},
): Promise<void> {
  const { metadata, spec, status, ...rest } = more;
  await put(remote, 'Pod', name, {
    metadata: metadata ?? {},
    spec: {
      nodeName: node,
      containers: [{ name: 'c', image: 'x' }],
      terminationGracePeriodSeconds: 30,
      ...(spec as Json),
    },
    status: status ?? { phase: 'Running' },
    ...rest,
  });
}

/** A worker that runs: Machine, objects and Node. */
export async function putRunning(world: World, name = 'w-0', options: MachineOptions = {}): Promise<void> {
  await putObjects(world, name);
  await putMachine(world, name, options);
  await putNode(world, name);
  await world.settle();
}

/** Asks for a Machine's deletion. */
export async function remove(world: World, name = 'w-0'): Promise<void> {
  await world.user.delete(at('Machine', name));
  await world.settle();
}

/** What a kubelet does in the end: the Pod is gone. */
export async function endPod({ remote }: World, name: string): Promise<void> {
  const pod = await find(remote, 'Pod', name);
  if (pod?.metadata.finalizers !== undefined)
    await remote.mergePatch(at('Pod', name), { metadata: { finalizers: [] } });
  await remote.delete(at('Pod', name), { gracePeriodSeconds: 0 }).catch(() => undefined);
}

/** A PodDisruptionBudget of the Pods with `app: <app>`, or of a selector, that allows so many disruptions now. */
export async function putBudget(
  { remote }: Pick<World, 'remote'>,
  name: string,
  selects: string | Json,
  disruptionsAllowed: number,
): Promise<void> {
  const selector = typeof selects === 'string' ? { matchLabels: { app: selects } } : selects;
  const { metadata } = await put(remote, 'PodDisruptionBudget', name, { spec: { minAvailable: 1, selector } });
  await allowDisruptions({ remote }, name, disruptionsAllowed, metadata.generation);
}

/** What a disruption controller writes: how many disruptions a budget allows. */
export async function allowDisruptions(
  { remote }: Pick<World, 'remote'>,
  name: string,
  disruptionsAllowed: number,
  observedGeneration = 1,
): Promise<void> {
  const counts = { currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed, observedGeneration };
  await change(remote, 'PodDisruptionBudget', name, { status: counts });
}
