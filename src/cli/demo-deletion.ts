// The deletion that `demo` shows where the operator runs the Machine controller: a worker goes, and three things hold it up, one
// after the other: a hook, a drain that a budget forbids, and a volume.
//
//   D1. It plays the people and programs around the operator: the hook's owner, the budget's owner, the kubelet and the
//       attach/detach controller. What the operator does it leaves to the operator.
//   D2. Each step waits until the Machine says that it is held up by it, so that it can be seen, and a moment longer.
//   D3. A step that fails is done again: steps are safe to repeat.

import { failureKind, machines, nodes, orNull, targetOf, unlessExists } from '../embedded/infrastructure/resources.js';
import type { KubeObject, Resource } from '../api/rest.js';
import type { InfrastructureClient } from '../embedded/infrastructure/ports.js';
import type { ApiObject } from '../embedded/types.js';
import type { Clock } from '../host/contract.js';
import type { DemoWorld, DoomedMachine } from './demo-world.js';

/** How often it looks, and how long people see what holds the Machine up. */
const LOOK_MS = 200;
const HOLD_MS = 2_000;

const HOOK = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/backup';
const POD = 'web-0';
const BUDGET = 'web';
const VOLUME = 'data-web-0';
const ATTACHMENT = 'csi-data-web-0';
const DRIVER = 'csi.demo.example.com';

const core = { group: '', version: 'v1' } as const;
const pods: Resource = { ...core, plural: 'pods', kind: 'Pod', namespaced: true };
const claims: Resource = {
  ...core,
  plural: 'persistentvolumeclaims',
  kind: 'PersistentVolumeClaim',
  namespaced: true,
};
const volumes: Resource = { ...core, plural: 'persistentvolumes', kind: 'PersistentVolume', namespaced: false };
const budgets: Resource = {
  group: 'policy',
  version: 'v1',
  plural: 'poddisruptionbudgets',
  kind: 'PodDisruptionBudget',
  namespaced: true,
};
const attachments: Resource = {
  group: 'storage.k8s.io',
  version: 'v1',
  plural: 'volumeattachments',
  kind: 'VolumeAttachment',
  namespaced: false,
};

/** A deletion that is being shown. */
export interface DeletionStory {
  readonly isOver: boolean;
  /** The step that comes next, for people who ask why nothing happens. */
  readonly next: string;
  stop(): void;
}

/** What the story is made of. */
export interface DeletionStoryOptions {
  readonly world: Pick<DemoWorld, 'management' | 'workloads' | 'client'>;
  readonly clock: Clock;
  readonly machine: DoomedMachine;
  /** The world is complete: the deletion may begin. */
  readonly isTime: () => boolean;
  readonly say: (text: string, fields: Readonly<Record<string, unknown>>) => void;
}

interface Step {
  readonly name: string;
  readonly isDue: () => boolean;
  readonly holdMs: number;
  readonly act: () => Promise<void>;
  /** What was done. */
  readonly text: string;
}

/** Begins to look for its time. */
export function startDeletionStory(options: DeletionStoryOptions): DeletionStory {
  const { clock, machine, say } = options;
  const steps = stepsOf(options);
  let index = 0;
  let dueSinceMs: number | null = null;
  let isStopped = false;
  let cancel: () => void = () => undefined;

  const look = async (): Promise<void> => {
    if (index >= steps.length || isStopped) return;
    // Somebody else may have done a step: the latest that is due counts.
    const due = steps.findLastIndex((each, at) => at >= index && each.isDue());
    if (due > index) dueSinceMs = null;
    index = Math.max(index, due);
    const step = steps[index];
    if (step === undefined) return;
    try {
      dueSinceMs = step.isDue() ? (dueSinceMs ?? clock.nowMs()) : null;
      if (dueSinceMs !== null && clock.nowMs() - dueSinceMs >= step.holdMs) {
        await step.act();
        index += 1;
        dueSinceMs = null;
        say(step.text, { step: step.name, machine: `${machine.namespace}/${machine.name}` });
      }
    } catch {
      // D3: the next look does it again.
    }
    if (!isStopped) cancel = clock.schedule(LOOK_MS, () => void look());
  };
  cancel = clock.schedule(LOOK_MS, () => void look());
  return {
    get isOver() {
      return index >= steps.length;
    },
    get next() {
      return steps[index]?.name ?? '';
    },
    stop() {
      isStopped = true;
      cancel();
    },
  };
}

function stepsOf({ world, machine, isTime }: DeletionStoryOptions): readonly Step[] {
  const { namespace, name, cluster } = machine;
  const workload = (): InfrastructureClient => {
    const found = world.workloads.find({ namespace, name: cluster });
    if (found === undefined) throw new Error(`cluster ${namespace}/${cluster} has no API server`);
    return found.client;
  };
  const inWorkload = (resource: string, at: string, object: string): ApiObject | undefined =>
    world.workloads.server({ namespace, name: cluster })?.store.get(resource, at, object);
  const stored = (): ApiObject | undefined => world.management.store.get('machines.cluster.x-k8s.io', namespace, name);
  const heldBy = (reason: string, words = ''): boolean => {
    const held = deletingOf(stored());
    return held?.reason === reason && held.message.includes(words);
  };
  const target = { resource: machines, namespace, name };
  return [
    {
      name: 'delete',
      isDue: isTime,
      holdMs: 0,
      async act() {
        await putWorkload(workload(), name);
        await world.client.mergePatch(target, { metadata: { annotations: { [HOOK]: 'demo' } } });
        await world.client.delete(target);
      },
      text: `Machine ${namespace}/${name} is deleted; it has a pre-drain hook, and its Node a Pod with a budget and a volume`,
    },
    {
      name: 'remove-hook',
      isDue: () => heldBy('WaitingForPreDrainHook'),
      holdMs: HOLD_MS,
      act: async () => void (await world.client.mergePatch(target, { metadata: { annotations: { [HOOK]: null } } })),
      text: `The owner of the hook takes the annotation ${HOOK} away`,
    },
    {
      name: 'lift-budget',
      isDue: () => heldBy('DrainingNode', 'disruption budget'),
      holdMs: HOLD_MS,
      act: async () =>
        void (await orNull(workload().delete({ resource: budgets, namespace: 'default', name: BUDGET }))),
      text: `PodDisruptionBudget default/${BUDGET} is lifted; the drain asks again 20 s after it last did`,
    },
    {
      name: 'end-pod',
      isDue: () => inWorkload('pods', 'default', POD)?.metadata.deletionTimestamp !== undefined,
      holdMs: HOLD_MS / 2,
      act: async () => {
        const pod = { resource: pods, namespace: 'default', name: POD };
        await orNull(workload().delete(pod, { gracePeriodSeconds: 0 }));
      },
      text: `Pod default/${POD} has ended`,
    },
    {
      name: 'detach-volume',
      isDue: () => heldBy('WaitingForVolumeDetach'),
      holdMs: HOLD_MS,
      act: () => detachVolume(workload(), name),
      text: `Volume ${VOLUME} is detached`,
    },
    {
      name: 'gone',
      isDue: () => stored() === undefined && inWorkload('nodes', '', name) === undefined,
      holdMs: 0,
      act: () => Promise.resolve(),
      text: `Machine ${namespace}/${name} and its Node are gone`,
    },
  ];
}

/** The condition that says what a deletion waits for. */
export function deletingOf(
  object: ApiObject | undefined,
): { readonly reason: string; readonly message: string } | undefined {
  const { conditions = [] } = (object?.['status'] ?? {}) as {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason: string;
      readonly message?: string;
    }[];
  };
  const found = conditions.find(({ type, status }) => type === 'Deleting' && status === 'True');
  return found === undefined ? undefined : { reason: found.reason, message: found.message ?? '' };
}

/** A Pod that runs on the Node, may not be disrupted, and uses a volume that is attached there. */
async function putWorkload(client: InfrastructureClient, node: string): Promise<void> {
  const meta = { name: POD, namespace: 'default', labels: { app: 'web' } };
  const claimName = VOLUME;
  await put(client, volumes, {
    metadata: { name: VOLUME },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      csi: { driver: DRIVER, volumeHandle: VOLUME },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'default', name: claimName },
    },
  });
  await put(client, claims, {
    metadata: { name: claimName, namespace: 'default' },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '1Gi' } },
      volumeName: VOLUME,
    },
  });
  const attachment = await put(client, attachments, {
    metadata: { name: ATTACHMENT },
    spec: { attacher: DRIVER, nodeName: node, source: { persistentVolumeName: VOLUME } },
  });
  await setStatus(client, attachments, attachment, { attached: true });
  const volumesAttached = [{ name: `kubernetes.io/csi/${DRIVER}^${VOLUME}`, devicePath: '' }];
  await client.mergePatch(
    { resource: nodes, namespace: '', name: node },
    { status: { volumesAttached } },
    { subresource: 'status' },
  );
  const pod = await put(client, pods, {
    metadata: meta,
    spec: {
      nodeName: node,
      containers: [{ name: 'web', image: 'web', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName } }],
    },
  });
  const conditions = [{ type: 'Ready', status: 'True' }];
  await setStatus(client, pods, pod, { phase: 'Running', conditions });
  const budget = await put(client, budgets, {
    metadata: { name: BUDGET, namespace: 'default' },
    spec: { minAvailable: 1, selector: { matchLabels: meta.labels } },
  });
  const counts = { currentHealthy: 1, desiredHealthy: 1, expectedPods: 1, disruptionsAllowed: 0 };
  await setStatus(client, budgets, budget, { ...counts, observedGeneration: budget.metadata.generation ?? 1 });
}

async function put(client: InfrastructureClient, resource: Resource, body: object): Promise<KubeObject> {
  const { group, version, kind } = resource;
  const object = { apiVersion: group === '' ? version : `${group}/${version}`, kind, ...body } as KubeObject;
  await unlessExists(client.create(resource, object));
  return await client.get(targetOf(resource, object));
}

async function setStatus(
  client: InfrastructureClient,
  resource: Resource,
  object: KubeObject,
  status: object,
): Promise<void> {
  await client.mergePatch(targetOf(resource, object), { status }, { subresource: 'status' });
}

async function detachVolume(client: InfrastructureClient, node: string): Promise<void> {
  try {
    await client.mergePatch(
      { resource: nodes, namespace: '', name: node },
      { status: { volumesAttached: null } },
      { subresource: 'status' },
    );
  } catch (error) {
    if (failureKind(error) !== 'NotFound') throw error;
  }
  await orNull(client.delete({ resource: attachments, namespace: '', name: ATTACHMENT }));
}
