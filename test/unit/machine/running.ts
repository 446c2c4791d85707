// A worker that runs, and what tests of its deletion look at.
import { change, find, machine, put, putCluster, putPod, putRunning, saysOf } from './objects.js';
import { createWorld, type Operator, type StartOptions, type World, type WorldOptions } from './world.js';

export type MachineOptions = NonNullable<Parameters<typeof putRunning>[2]>;

/** Status of a Pod that counts for a budget. */
export const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
export const hook = {
  preDrain: 'pre-drain.delete.hook.machine.cluster.x-k8s.io/backup',
  preTerminate: 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/backup',
} as const;

/** A worker `w-0` of cluster `c1` that runs, with an operator that looks after it. */
export async function running(
  options: MachineOptions = {},
  worldOptions: WorldOptions = {},
  settings: StartOptions = {},
): Promise<{ readonly world: World; readonly operator: Operator }> {
  const world = createWorld(worldOptions);
  const operator = await world.start(settings);
  await putCluster(world);
  await putRunning(world, 'w-0', options);
  return { world, operator };
}

/** Options with `spec.deletion`. */
export const limits = (deletion: object): MachineOptions => ({ spec: { deletion } });

/** Lets time pass, 20 s unless said otherwise, and what follows from it. */
export async function pass(world: World, ms = 20_000): Promise<void> {
  await world.clock.advance(ms);
  await world.settle();
}

/** Pods whose eviction was asked for, in order; refused ones too. */
export const evictions = (world: World): string[] =>
  world.seen.filter(({ what }) => what.endsWith('/eviction')).map(({ what }) => what.split('/')[2] ?? '');

/** Calls of the operator that changed something, as `verb what`. */
export const writes = (world: World): string[] =>
  world.seen
    .filter(({ verb, status }) => ['create', 'update', 'patch', 'delete'].includes(verb) && status < 400)
    .map(({ verb, what }) => `${verb} ${what}`);

/** What was deleted, in order. */
export const deletions = (world: World): string[] =>
  writes(world).flatMap((write) => (write.startsWith('delete ') ? [write.slice('delete '.length)] : []));

/** A Pod with a label `app` of its name. */
export const putApp = (world: World, name: string, more: object = {}): Promise<void> =>
  putPod(world, name, 'w-0', { metadata: { labels: { app: name } }, status: ready, ...more });

/** What keeps an object that was deleted. */
export const stay = { metadata: { finalizers: ['example.com/stay'] } };

/** Takes all finalizers from an object of the management cluster that is called `w-0`, and lets what follows happen. */
export async function release(world: World, kind: string): Promise<void> {
  await change(world.user, kind, 'w-0', { metadata: { finalizers: null } });
  await world.settle();
}

/** The reason of the condition Deleting. */
export const deletingReason = async (world: World): Promise<string> =>
  (await saysOf(world, 'Deleting')).split(' ')[1] ?? '';

/** The workload cluster takes calls and answers none. */
export function silence(world: World): void {
  world.hanging.add('c1');
  world.workload.store.closeWatches('break');
}

/** Takes an annotation from the Machine, or gives it one. */
export async function annotate(world: World, key: string, value: string | null, name = 'w-0'): Promise<void> {
  await change(world.user, 'Machine', name, { metadata: { annotations: { [key]: value } } });
  await world.settle();
}

/** A volume of the driver `csi` with its claim in the default namespace, attached to `w-0` as the Node and as an attachment say. */
export async function attach(
  world: World,
  name: string,
  {
    claim = name,
    node = true,
    attachment = true,
  }: { claim?: string | null; node?: boolean; attachment?: boolean } = {},
): Promise<void> {
  const claimRef = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'default', name: claim };
  await put(world.remote, 'PersistentVolume', name, {
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      csi: { driver: 'csi', volumeHandle: name },
      ...(claim === null ? {} : { claimRef }),
    },
  });
  if (attachment) await attachVolume(world, name);
  if (node) await nodeVolumes(world, [`kubernetes.io/csi/csi^${name}`]);
}

/** A VolumeAttachment of a volume to `w-0`. */
export async function attachVolume(world: World, volume: string, node = 'w-0', attached = true): Promise<void> {
  await put(world.remote, 'VolumeAttachment', `csi-${volume}`, {
    spec: { attacher: 'csi', nodeName: node, source: { persistentVolumeName: volume } },
    status: { attached },
  });
}

/** What the Node says is attached. */
export async function nodeVolumes(world: World, names: readonly string[]): Promise<void> {
  const volumesAttached = names.map((name) => ({ name, devicePath: '' }));
  await change(world.remote, 'Node', 'w-0', { status: { volumesAttached: volumesAttached } });
}

/** True once nothing is left of the worker. */
export async function isGone(world: World): Promise<boolean> {
  return (await find(world.user, 'Machine', 'w-0')) === undefined;
}

/** The waits that `status.deletion` records. */
export async function times(world: World): Promise<Record<string, string>> {
  return ((await machine(world)).status?.deletion ?? {}) as Record<string, string>;
}
