// Machines on a real API server that is management and workload cluster at once, and the people and programs around the operator:
// providers, kubelets, owners of hooks and the attach/detach controller.
//
//   M1. Everything that holds a deletion up only ever goes away: what the server shows before a call still holds at the call.
//   M2. Each of the operator's deletions is judged before it reaches the server; what should not be there yet is a violation.
import type { ApiClient, KubeObject } from '../../src/kube/contract.js';
import type { StoredMachine } from '../../src/controllers/machine/objects.js';
import { infrastructureGroup } from '../unit/machine/definitions.js';
import { at, nodeStatus, put, putMachine, resource } from '../unit/machine/objects.js';
import type { ProxiedRequest } from './api-proxy.js';
import { pause } from './operator-process.js';

export const ns = 'default';
export const hooks = {
  preDrain: 'pre-drain.delete.hook.machine.cluster.x-k8s.io/backup',
  preTerminate: 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/lb',
} as const;
const finalizers = { InfraMachine: 'test.example.com/infra', KubeadmConfig: 'test.example.com/bootstrap' } as const;

/** What a worker of a story has beside its objects. */
export interface WorkerOptions {
  readonly hooks?: readonly (keyof typeof hooks)[];
  readonly spec?: Record<string, unknown>;
}

/** Creates a Machine with the objects that it refers to, as nobody has worked on them yet. */
export async function createWorker(client: ApiClient, name: string, options: WorkerOptions = {}): Promise<void> {
  await put(client, 'KubeadmConfig', name, {
    metadata: { finalizers: [finalizers.KubeadmConfig] },
    spec: { joinConfiguration: { nodeRegistration: { name } } },
  });
  await put(client, 'InfraMachine', name, { metadata: { finalizers: [finalizers.InfraMachine] }, spec: {} });
  await putMachine({ user: client }, name, {
    annotations: Object.fromEntries((options.hooks ?? []).map((each) => [hooks[each], ''])),
    ...(options.spec === undefined ? {} : { spec: options.spec }),
  });
}

/** A Pod that runs on a worker's Node, ready, with a label `app` of its name. */
export async function runPod(client: ApiClient, name: string, node: string, more: object = {}): Promise<void> {
  await put(client, 'Pod', name, {
    metadata: { labels: { app: name } },
    spec: { nodeName: node, containers: [{ name: 'c', image: 'x' }], terminationGracePeriodSeconds: 30, ...more },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  });
}

/** A volume with a claim, attached to a worker's Node as the Node and an attachment say. */
export async function attachVolume(client: ApiClient, name: string, node: string): Promise<void> {
  await put(client, 'PersistentVolume', name, {
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      csi: { driver: 'csi.example.com', volumeHandle: name },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: ns, name },
    },
  });
  await put(client, 'VolumeAttachment', name, {
    spec: { attacher: 'csi.example.com', nodeName: node, source: { persistentVolumeName: name } },
    status: { attached: true },
  });
  const volumesAttached = [{ name: `kubernetes.io/csi/csi.example.com^${name}`, devicePath: '' }];
  await client.mergePatch(at('Node', node), { status: { volumesAttached } }, { subresource: 'status' });
}

/** What a detach comes to: the Node no longer names the volume, and the attachment is gone. */
export async function detachVolume(client: ApiClient, name: string, node: string): Promise<void> {
  await client
    .mergePatch(at('Node', node), { status: { volumesAttached: null } }, { subresource: 'status' })
    .catch(() => undefined);
  await client.delete(at('VolumeAttachment', name)).catch(() => undefined);
}

/** Reads an object; null when there is none. */
export async function read<T extends KubeObject>(client: ApiClient, kind: string, name: string): Promise<T | null> {
  try {
    return await client.get<T>(at(kind, name));
  } catch (error) {
    if ((error as { failure?: { kind?: string } }).failure?.kind === 'NotFound') return null;
    throw error;
  }
}

/** State of a Machine's actor, and what its deletion says; `gone` when there is no such Machine. */
export async function saying(
  client: ApiClient,
  name: string,
): Promise<{ readonly state: string; readonly phase: string; readonly deleting: string; readonly message: string }> {
  const machine = await read<StoredMachine>(client, 'Machine', name);
  if (machine === null) return { state: 'gone', phase: 'gone', deleting: 'gone', message: '' };
  const { conditions = [], phase = '' } = machine.status ?? {};
  const actor = conditions.find(({ type }) => type === 'ActorState');
  const deleting = conditions.find(({ type, status }) => type === 'Deleting' && status === 'True');
  return {
    state: actor?.reason.split(':').at(-1) ?? '',
    phase,
    deleting: deleting?.reason ?? '',
    message: deleting?.message ?? '',
  };
}

/** The programs and people around the operator. */
export interface Players {
  /** Why one of them could not do its work; empty when all is well. */
  readonly problems: readonly string[];
  stop(): Promise<void>;
}

/** What the players do, and how long each of them takes. */
export interface PlayersOptions {
  readonly client: ApiClient;
  readonly delayMs: () => number;
  /** Workers with other names are left alone. */
  readonly isOurs?: (name: string) => boolean;
  /** False: hooks, Pods and volumes stay as they are. */
  readonly playsPeople?: boolean;
}

type Act = readonly [id: string, act: () => Promise<unknown>];

/** Starts to look and to act, each thing once, a while after it became due. */
export function startPlayers({ client, delayMs, isOurs = () => true, playsPeople = true }: PlayersOptions): Players {
  const dueAt = new Map<string, number>();
  const problems: string[] = [];
  let isStopped = false;
  const round = async (): Promise<void> => {
    const acts = await dueActs(client, playsPeople);
    for (const [id, act] of acts.filter(([each]) => isOurs(each.split(' ')[1] ?? ''))) {
      const due = dueAt.get(id) ?? performance.now() + delayMs();
      dueAt.set(id, due);
      if (due > performance.now()) continue;
      await act().catch((error: unknown) => {
        const { kind } = (error as { failure?: { kind?: string } }).failure ?? {};
        if (!['NotFound', 'Conflict', 'AlreadyExists'].includes(kind ?? '')) problems.push(`${id}: ${String(error)}`);
      });
    }
  };
  const loop = (async () => {
    while (!isStopped) {
      await round().catch((error: unknown) => problems.push(String(error)));
      await pause(40);
    }
  })();
  return {
    problems,
    async stop() {
      isStopped = true;
      await loop;
    },
  };
}

async function dueActs(client: ApiClient, playsPeople: boolean): Promise<readonly Act[]> {
  const list = async <T extends KubeObject>(kind: string): Promise<readonly T[]> =>
    (await client.list<T>(resource(kind), resource(kind).namespaced ? { namespace: ns } : {})).items;
  const [infras, configs, machines, nodes, pods] = await Promise.all([
    list<KubeObject & { spec?: { providerID?: string } }>('InfraMachine'),
    list<KubeObject & { status?: { dataSecretName?: string } }>('KubeadmConfig'),
    list<StoredMachine>('Machine'),
    list('Node'),
    list<KubeObject & { spec?: { nodeName?: string } }>('Pod'),
  ]);
  const hasNode = new Set(nodes.map(({ metadata }) => metadata.name));
  return [
    ...infras.flatMap((each) => infraActs(client, each, hasNode)),
    ...configs.flatMap((each) => configActs(client, each)),
    ...(playsPeople ? machines.flatMap((each) => hookActs(client, each)) : []),
    ...pods
      .filter(({ metadata }) => playsPeople && metadata.deletionTimestamp !== undefined)
      .map(({ metadata, spec }): Act => {
        const end = () => client.delete(at('Pod', metadata.name), { gracePeriodSeconds: 0 });
        return [`kubelet ${spec?.nodeName ?? ''} ${metadata.uid ?? ''}`, end];
      }),
  ];
}

function infraActs(
  client: ApiClient,
  { metadata, spec }: KubeObject & { spec?: { providerID?: string } },
  hasNode: ReadonlySet<string>,
): readonly Act[] {
  const { name, uid = '', deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined)
    return [[`infra-gone ${name} ${uid}`, () => release(client, 'InfraMachine', name)]];
  const providerID = `test://${name}`;
  if (spec?.providerID === undefined) {
    const provision = async (): Promise<void> => {
      await client.mergePatch(at('InfraMachine', name), { spec: { providerID } });
      const status = { initialization: { provisioned: true } };
      await client.mergePatch(at('InfraMachine', name), { status }, { subresource: 'status' });
    };
    return [[`infra ${name} ${uid}`, provision]];
  }
  if (hasNode.has(name)) return [];
  return [[`join ${name} ${uid}`, () => put(client, 'Node', name, { spec: { providerID }, status: nodeStatus() })]];
}

function configActs(
  client: ApiClient,
  { metadata, status }: KubeObject & { status?: { dataSecretName?: string } },
): readonly Act[] {
  const { name, uid = '', deletionTimestamp } = metadata;
  if (deletionTimestamp !== undefined) {
    return [[`bootstrap-gone ${name} ${uid}`, () => release(client, 'KubeadmConfig', name)]];
  }
  if (status?.dataSecretName !== undefined) return [];
  const data = { status: { dataSecretName: name, initialization: { dataSecretCreated: true } } };
  const finish = () => client.mergePatch(at('KubeadmConfig', name), data, { subresource: 'status' });
  return [[`bootstrap ${name} ${uid}`, finish]];
}

const release = (client: ApiClient, kind: keyof typeof finalizers, name: string): Promise<unknown> =>
  client.mergePatch(at(kind, name), { metadata: { finalizers: null } });

function hookActs(client: ApiClient, { metadata, status }: StoredMachine): readonly Act[] {
  const { name, uid = '' } = metadata;
  const reason = status?.conditions?.find(({ type, status: is }) => type === 'Deleting' && is === 'True')?.reason;
  const remove = (key: string) => () =>
    client.mergePatch(at('Machine', name), { metadata: { annotations: { [key]: null } } });
  switch (reason) {
    case 'WaitingForPreDrainHook':
      return [[`hook ${name} pre-drain ${uid}`, remove(hooks.preDrain)]];
    case 'WaitingForPreTerminateHook':
      return [[`hook ${name} pre-terminate ${uid}`, remove(hooks.preTerminate)]];
    case 'WaitingForVolumeDetach':
      return [[`detach ${name} ${uid}`, () => detachVolume(client, `${name}-data`, name)]];
    default:
      return [];
  }
}

/** What is wrong with a deletion or an eviction that is about to leave; null for nothing, and for all other calls. */
export async function earlyDeletion(client: ApiClient, { method, path }: ProxiedRequest): Promise<string | null> {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  if (method === 'POST' && name === 'eviction') return earlyEviction(client, parts.at(-2) ?? '');
  if (method !== 'DELETE') return null;
  switch (parts.at(-2)) {
    case 'nodes': {
      const left = await stillThere(client, name, ['InfraMachine', 'KubeadmConfig']);
      return left.length === 0 ? null : `Node ${name} is deleted before ${left.join(', ')}`;
    }
    case 'kubeadmconfigs': {
      const left = await stillThere(client, name, ['InfraMachine']);
      return left.length === 0 ? null : `KubeadmConfig ${name} is deleted before ${left.join(', ')}`;
    }
    case 'inframachines': {
      const held = await holds(client, name);
      return held.length === 0 ? null : `InfraMachine ${name} is deleted in spite of ${held.join(', ')}`;
    }
    default:
      return null;
  }
}

async function stillThere(client: ApiClient, name: string, kinds: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(kinds.map(async (kind) => ((await read(client, kind, name)) === null ? [] : [kind])));
  return found.flat();
}

/** Everything that must be gone before the infrastructure of a Machine goes. */
async function holds(client: ApiClient, name: string): Promise<readonly string[]> {
  const machine = await read<StoredMachine>(client, 'Machine', name);
  const pods = await client.list(resource('Pod'), { namespace: ns, fieldSelector: `spec.nodeName=${name}` });
  const attachments = await client.list<KubeObject & { spec: { nodeName: string } }>(resource('VolumeAttachment'), {});
  return [
    ...(machine === null ? ['a Machine that is gone'] : []),
    ...(machine !== null && machine.metadata.deletionTimestamp === undefined ? ['a Machine that lives'] : []),
    ...Object.keys(machine?.metadata.annotations ?? {}).filter((key) => key.includes('.delete.hook.machine.')),
    ...pods.items.map((pod) => `Pod ${pod.metadata.name}`),
    ...attachments.items
      .filter(({ spec }) => spec.nodeName === name)
      .map(({ metadata }) => `VolumeAttachment ${metadata.name}`),
  ];
}

async function earlyEviction(client: ApiClient, podName: string): Promise<string | null> {
  const pod = await read<KubeObject & { spec: { nodeName?: string } }>(client, 'Pod', podName);
  const machine = pod === null ? null : await read<StoredMachine>(client, 'Machine', pod.spec.nodeName ?? '');
  if (machine === null) return null;
  if (machine.metadata.deletionTimestamp === undefined) return `Pod ${podName} is evicted from a Machine that lives`;
  if (machine.metadata.annotations?.[hooks.preDrain] !== undefined)
    return `Pod ${podName} is evicted in spite of a hook`;
  return machine.status?.deletion?.nodeDrainStartTime === undefined
    ? `Pod ${podName} is evicted before the start of the drain is recorded`
    : null;
}

/** What is left of workers whose Machines are gone. */
export async function leftovers(client: ApiClient, names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    names.map(async (name) => {
      const left = await stillThere(client, name, ['InfraMachine', 'KubeadmConfig', 'Node']);
      return (await read(client, 'Machine', name)) === null ? left.map((kind) => `${kind} ${name}`) : [];
    }),
  );
  return found.flat();
}

/** The Secret with which the operator reaches the workload cluster `c1`. */
export async function putKubeconfig(client: ApiClient, kubeconfig: string): Promise<void> {
  await put(client, 'Secret', 'c1-kubeconfig', {
    metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
    type: 'cluster.x-k8s.io/secret',
    data: { value: Buffer.from(kubeconfig).toString('base64') },
  });
}

export { infrastructureGroup };
