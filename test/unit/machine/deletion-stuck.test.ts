// Deletions that do not go on, as a person meets them: what the condition says, and what `explain` says would let them go on.
import { describe, expect, test } from '@jest/globals';
import type { OperatorConfig } from '../../../src/cli/config.js';
import { explainMachineLive } from '../../../src/cli/explain-machine.js';
import type { FullApiClient } from '../../../src/kube/client.js';
import { leafState } from '../../../machines/kit/step.js';
import { objectText } from '../../../machines/kit/failure-text.js';
import type { StoredMachine } from '../../../src/controllers/machine/objects.js';
import type { Explanation } from '../../../machines/kit/explanation.js';
import { at, change, find, put, putBudget, putPod, remove, saysOf } from './objects.js';
import {
  annotate,
  attach,
  hook,
  limits,
  nodeVolumes,
  pass,
  putApp,
  ready,
  running,
  silence,
  type MachineOptions,
} from './running.js';
import type { Operator, World } from './world.js';

interface Stuck {
  readonly name: string;
  readonly options?: MachineOptions;
  /** What holds the deletion up, before or after it begins. */
  readonly before?: (world: World) => Promise<unknown>;
  readonly after?: (world: World) => Promise<unknown>;
  /** Ends with the operator of a process that has never reached the workload cluster. */
  readonly restarts?: boolean;
  /** Of the condition Deleting: reason, and a part of the message. */
  readonly says: string;
  /** What `explain` waits for: the object, and words about it. */
  readonly waitsFor: string;
  /** Words of what would unblock it. */
  readonly unblocks: readonly string[];
  /** What the snapshot and `explain` keep of the last try, where it failed: effect, kind, object, and words of the message. */
  readonly failed?: readonly [request: string, kind: string, object: string, message: string];
  /** Clears it; the deletion then ends. */
  readonly remedy: (world: World) => Promise<unknown>;
}

const stay = { metadata: { finalizers: ['example.com/backup'] } };
const notDraining = 'machine.cluster.x-k8s.io/exclude-node-draining';
const held = (kind: 'InfraMachine' | 'KubeadmConfig', finalizer: string) => async (world: World) => {
  await change(world.user, kind, 'w-0', { metadata: { finalizers: [finalizer] } });
  const condition = { type: 'Ready', status: 'False', reason: 'InstanceBusy', message: 'instance i-1 has a volume' };
  const status = { conditions: [{ ...condition, lastTransitionTime: '2023-11-14T00:00:00Z' }] };
  if (kind === 'InfraMachine') await change(world.user, kind, 'w-0', { status });
};
const free = (kind: string) => (world: World) => change(world.user, kind, 'w-0', { metadata: { finalizers: null } });
const refuseNodes = (world: World): void =>
  world.workload.setFaults({
    request: ({ verb, resource }) =>
      verb === 'delete' && resource === 'nodes'
        ? { kind: 'status', code: 403, message: 'nodes "w-0" is forbidden' }
        : undefined,
  });

const deletions: readonly Stuck[] = [
  {
    name: 'a pre-drain hook',
    options: { annotations: { [hook.preDrain]: '' } },
    says: `WaitingForPreDrainHook Waiting for pre-drain hooks to succeed (hooks: ${hook.preDrain})`,
    waitsFor: `Machine w-0: the owner of each hook to remove its annotation: ${hook.preDrain}`,
    unblocks: [`See why backup has not finished, or remove the annotation ${hook.preDrain} from the Machine`],
    remedy: (world) => annotate(world, hook.preDrain, null),
  },
  {
    name: 'a budget that allows nothing',
    before: async (world) => {
      await putApp(world, 'web');
      await putBudget(world, 'web-pdb', 'web', 0);
    },
    says: "DrainingNode Drain not completed yet (started at 2023-11-14T22:13:20Z):\n* Pod default/web: cannot evict pod as it would violate the pod's disruption budget. The disruption budget web-pdb needs 1 healthy pods and has 1 currently",
    waitsFor: 'Node w-0: PDB default/web-pdb allows 0 disruptions; Pods default/web',
    unblocks: [
      'PDB default/web-pdb',
      'spec.minAvailable, spec.maxUnavailable',
      notDraining,
      'spec.deletion.nodeDrainTimeoutSeconds',
    ],
    remedy: (world) => annotate(world, notDraining, ''),
  },
  {
    name: 'a Pod that does not end',
    before: (world) => putApp(world, 'slow', stay),
    says: 'DrainingNode Drain not completed yet (started at 2023-11-14T22:13:20Z):\n* Pod default/slow: deletionTimestamp set, but still not removed from the Node',
    waitsFor: 'Node w-0: Pods default/slow to end: they have a deletionTimestamp',
    unblocks: ['metadata.finalizers and spec.terminationGracePeriodSeconds of default/slow', notDraining],
    remedy: async (world) => {
      await change(world.remote, 'Pod', 'slow', { metadata: { finalizers: null } });
      await world.remote.delete(at('Pod', 'slow'), { gracePeriodSeconds: 0 }).catch(() => undefined);
    },
  },
  {
    name: 'an eviction that the server cannot do',
    before: async (world) => {
      await putApp(world, 'db');
      await putBudget(world, 'one', 'db', 1);
      await putBudget(world, 'two', 'db', 1);
    },
    says: 'DrainingNode Drain not completed yet (started at 2023-11-14T22:13:20Z):\n* Pod default/db: failed to evict Pod, This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    waitsFor: 'Node w-0: Pods default/db to be evicted: This pod has more than one PodDisruptionBudget',
    unblocks: ['Let one PodDisruptionBudget alone select default/db (spec.selector)', notDraining],
    remedy: async (world) => {
      await world.remote.delete(at('PodDisruptionBudget', 'one'));
      await world.remote.delete(at('PodDisruptionBudget', 'two'));
      await pass(world);
      await world.remote.delete(at('Pod', 'db'), { gracePeriodSeconds: 0 });
    },
  },
  {
    name: 'a Pod that is waited for',
    before: (world) =>
      putPod(world, 'job', 'w-0', {
        metadata: { labels: { 'cluster.x-k8s.io/drain': 'wait-completed' } },
        status: ready,
      }),
    says: 'DrainingNode Drain not completed yet (started at 2023-11-14T22:13:20Z):\n* Pod default/job: waiting for completion',
    waitsFor: 'Node w-0: Pods default/job to complete and be deleted',
    unblocks: [
      'Delete default/job, or set their label cluster.x-k8s.io/drain to skip, or change their MachineDrainRule',
    ],
    remedy: (world) => world.remote.delete(at('Pod', 'job'), { gracePeriodSeconds: 0 }),
  },
  {
    name: 'a rule whose selector cannot be read',
    before: async (world) => {
      await putApp(world, 'web');
      const selector = { matchLabels: { app: 'not a value' } };
      await put(world.user, 'MachineDrainRule', 'odd', { spec: { drain: { behavior: 'Skip' }, pods: [{ selector }] } });
    },
    says: 'DrainingNode Error draining Node, please check controller logs for errors',
    waitsFor:
      'Node w-0: the drain to work: failed to get Pods for eviction: failed to get matching MachineDrainRules: invalid selectors in MachineDrainRule odd',
    unblocks: ['Correct or delete MachineDrainRule odd', notDraining],
    failed: [
      'drainNode',
      'InvalidDrainRule',
      'MachineDrainRule default/odd',
      'invalid selectors in MachineDrainRule odd',
    ],
    remedy: async (world) => {
      await world.user.delete(at('MachineDrainRule', 'odd'));
      await world.settle();
      await world.remote.delete(at('Pod', 'web'), { gracePeriodSeconds: 0 });
    },
  },
  {
    name: 'a volume that stays attached',
    before: (world) => attach(world, 'data'),
    says: 'WaitingForVolumeDetach Waiting for Node volumes to be detached (started at 2023-11-14T22:13:20Z)\n* PersistentVolumeClaims: default/data',
    waitsFor: 'Node w-0: to be detached: PersistentVolumeClaims: default/data',
    unblocks: [
      'VolumeAttachments of the Node',
      'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach',
      'spec.deletion.nodeVolumeDetachTimeoutSeconds',
    ],
    remedy: async (world) => {
      await world.remote.delete(at('VolumeAttachment', 'csi-data'));
      await nodeVolumes(world, []);
    },
  },
  {
    name: 'volumes that may not be read',
    before: async (world) => {
      await attach(world, 'data');
      world.workload.setFaults({
        request: ({ verb, resource }) =>
          verb === 'list' && resource === 'volumeattachments'
            ? { kind: 'status', code: 403, message: 'volumeattachments is forbidden; token: abcdef.0123456789abcdef' }
            : undefined,
      });
    },
    says: 'WaitingForVolumeDetach Error waiting for volumes to be detached',
    waitsFor: 'Node w-0: the volumes to be readable: failed to list VolumeAttachments',
    unblocks: ['spec.deletion.nodeVolumeDetachTimeoutSeconds'],
    failed: ['checkVolumes', 'ApiForbidden', 'Node w-0', 'volumeattachments is forbidden'],
    remedy: async (world) => {
      world.workload.setFaults(undefined);
      await world.remote.delete(at('VolumeAttachment', 'csi-data'));
      await nodeVolumes(world, []);
      await pass(world);
    },
  },
  {
    name: 'a pre-terminate hook',
    options: { annotations: { [hook.preTerminate]: '' } },
    says: `WaitingForPreTerminateHook Waiting for pre-terminate hooks to succeed (hooks: ${hook.preTerminate})`,
    waitsFor: `Machine w-0: the owner of each hook to remove its annotation: ${hook.preTerminate}`,
    unblocks: [`remove the annotation ${hook.preTerminate} from the Machine`],
    remedy: (world) => annotate(world, hook.preTerminate, null),
  },
  {
    name: 'an infrastructure object that stays',
    before: held('InfraMachine', 'cloud.example.com/instance'),
    says: 'WaitingForInfrastructureDeletion Waiting for InfraMachine to be deleted',
    waitsFor: 'InfraMachine w-0: to be deleted: held by its finalizers cloud.example.com/instance',
    unblocks: [
      'metadata.finalizers (cloud.example.com/instance) of InfraMachine w-0',
      'Its condition Ready says False (InstanceBusy): instance i-1 has a volume',
    ],
    remedy: free('InfraMachine'),
  },
  {
    name: 'a bootstrap object that stays',
    before: held('KubeadmConfig', 'example.com/audit'),
    says: 'WaitingForBootstrapDeletion Waiting for KubeadmConfig to be deleted',
    waitsFor: 'KubeadmConfig w-0: to be deleted: held by its finalizers example.com/audit',
    unblocks: ['metadata.finalizers (example.com/audit) of KubeadmConfig w-0'],
    remedy: free('KubeadmConfig'),
  },
  {
    name: 'a Node that cannot be deleted',
    options: limits({ nodeDeletionTimeoutSeconds: 3600 }),
    before: async (world) => refuseNodes(world),
    after: (world) => pass(world, 12_000),
    says: 'DeletingNode Error deleting Node, please check controller logs for errors',
    waitsFor: 'Node w-0: to be deleted: error deleting node w-0: ',
    unblocks: ['Event FailedDeleteNode', 'spec.deletion.nodeDeletionTimeoutSeconds'],
    failed: ['deleteNode', 'NodeNotDeleted', 'Node w-0', 'nodes "w-0" is forbidden'],
    remedy: async (world) => {
      world.workload.setFaults(undefined);
      await pass(world, 40_000);
    },
  },
  {
    name: 'a workload cluster that does not answer',
    before: async (world) => {
      await putApp(world, 'web');
      world.isReachable = false;
      silence(world);
    },
    after: (world) => pass(world, 400_000),
    says: 'DrainingNode Error draining Node, please check controller logs for errors',
    waitsFor: 'Cluster c1: its API server to answer (unreachable since 2023-11-14T22:',
    unblocks: ['Make the address in Secret default/c1-kubeconfig reachable', notDraining],
    failed: ['drainNode', 'WorkloadUnreachable', 'Cluster default/c1', 'connection to the workload cluster is down'],
    remedy: async (world) => {
      world.isReachable = true;
      world.hanging.clear();
      await world.remote.delete(at('Pod', 'web'), { gracePeriodSeconds: 0 });
      await pass(world, 60_000);
    },
  },
  {
    name: 'a kubeconfig that is missing',
    restarts: true,
    before: async (world) =>
      void (world.kubeconfigProblem = 'error getting kubeconfig secret: secrets "c1-kubeconfig" not found'),
    after: (world) => pass(world, 5_000),
    says: 'DrainingNode Error draining Node, please check controller logs for errors',
    waitsFor: 'Cluster c1: Secret default/c1-kubeconfig with a kubeconfig that can be used: ',
    unblocks: ['Create or repair Secret default/c1-kubeconfig: its key `value`'],
    failed: ['drainNode', 'WorkloadUnreachable', 'Secret default/c1-kubeconfig', 'secrets "c1-kubeconfig" not found'],
    remedy: async (world) => {
      world.kubeconfigProblem = null;
      await pass(world, 60_000);
    },
  },
  {
    name: 'a Machine that is paused',
    options: { annotations: { 'cluster.x-k8s.io/paused': '' } },
    says: 'none',
    waitsFor: 'Machine w-0: the annotation cluster.x-k8s.io/paused to be removed',
    unblocks: ['Remove the annotation cluster.x-k8s.io/paused from the Machine'],
    remedy: (world) => annotate(world, 'cluster.x-k8s.io/paused', null),
  },
  {
    name: 'a Cluster that is paused',
    before: (world) => change(world.user, 'Cluster', 'c1', { spec: { paused: true } }).then(() => world.settle()),
    says: 'False NotDeleting',
    waitsFor: 'Cluster c1: spec.paused to be false',
    unblocks: ['Set spec.paused of the Cluster to false'],
    remedy: (world) => change(world.user, 'Cluster', 'c1', { spec: { paused: false } }),
  },
  {
    name: 'a finalizer of somebody else',
    options: { finalizers: ['example.com/inventory'] },
    says: 'DeletionCompleted Deletion completed',
    waitsFor: 'Machine w-0: its other finalizers to be removed: example.com/inventory',
    unblocks: ['The owners of example.com/inventory have to remove them from metadata.finalizers of the Machine'],
    remedy: (world) => change(world.user, 'Machine', 'w-0', { metadata: { finalizers: null } }),
  },
  {
    name: 'a control plane kind that is not served',
    before: async (world) => {
      const controlPlaneRef = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'LostControlPlane', name: 'x' };
      await change(world.user, 'Cluster', 'c1', { spec: { controlPlaneRef } });
      await world.settle();
    },
    says: 'InternalError Please check controller logs for errors',
    waitsFor: 'Cluster c1: the object of spec.controlPlaneRef to be readable',
    unblocks: ['Correct spec.controlPlaneRef of the Cluster', 'lostcontrolplanes.controlplane.cluster.x-k8s.io'],
    failed: ['readControlPlane', 'ControlPlaneUnreadable', 'LostControlPlane default/x', 'the kind LostControlPlane'],
    remedy: async (world) => {
      const controlPlaneRef = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: 'c1-cp' };
      await change(world.user, 'Cluster', 'c1', { spec: { controlPlaneRef } });
      await pass(world, 10_000);
    },
  },
];

const settings = {
  watchFilter: '',
  featureGates: {},
  snapshotStore: 'status',
  additionalSyncLabels: [],
  additionalSyncAnnotations: [],
} as unknown as OperatorConfig;

/** As the command answers: from the clusters alone. */
async function explained(world: World): Promise<Explanation> {
  await put(world.user, 'Secret', 'c1-kubeconfig', { data: { value: 'eA==' } }).catch(() => undefined);
  if (world.kubeconfigProblem !== null) await world.user.delete(at('Secret', 'c1-kubeconfig'));
  const explanation = await explainMachineLive({
    client: world.user,
    config: settings,
    namespace: 'default',
    name: 'w-0',
    nowMs: world.clock.nowMs(),
    connectWorkload: () =>
      world.isReachable
        ? Promise.resolve({ ...world.remote, close: () => Promise.resolve() } as FullApiClient)
        : Promise.reject(new Error('cluster is not reachable: connect ECONNREFUSED')),
  });
  if (explanation === null) throw new Error('there is no Machine w-0');
  return explanation;
}

/** As the inspector of the running operator answers. */
function fromInside({ host, parts }: Operator): Explanation {
  const key = 'default/w-0';
  const resting = host.rest(key);
  if (resting === null) throw new Error('the host does not know the Machine');
  const { rest, failure } = resting;
  const explanation = parts.explain(key, { state: leafState(rest.value), context: rest.context, failure });
  if (explanation === null) throw new Error('there is no Machine w-0');
  return explanation;
}

/** What the condition ActorState keeps of the last failure. */
async function recorded(world: World): Promise<Readonly<Record<string, string>>> {
  const machine = await find<StoredMachine>(world.user, 'Machine', 'w-0');
  const { message = '{}' } = machine?.status?.conditions?.find(({ type }) => type === 'ActorState') ?? {};
  return (JSON.parse(message) as { failed?: Readonly<Record<string, string>> }).failed ?? { message: '' };
}

const lastErrorText = ({ request, kind, object }: NonNullable<Explanation['lastError']>): string =>
  [request, kind, object === undefined ? '' : objectText(object)].join(' ');

const waits = ({ waitsFor }: Explanation): string => `${waitsFor?.kind} ${waitsFor?.name}: ${waitsFor?.what}`;

async function meet(stuck: Stuck): Promise<{ readonly world: World; readonly operator: Operator }> {
  const first = await running(stuck.options ?? {});
  const { world } = first;
  let { operator } = first;
  if (stuck.restarts === true) operator.kill();
  await stuck.before?.(world);
  if (stuck.restarts === true) operator = await world.start();
  await remove(world);
  await stuck.after?.(world);
  return { world, operator };
}

describe('stuck deletions', () => {
  test.each(deletions.map((stuck) => [stuck.name, stuck] as const))(
    '%s: -> the condition says what, explain says who and what would unblock it, and that does',
    async (_name, stuck) => {
      const { world, operator } = await meet(stuck);
      expect(await saysOf(world, 'Deleting')).toContain(stuck.says);
      for (const explanation of [await explained(world), fromInside(operator)]) {
        expect(waits(explanation)).toContain(stuck.waitsFor);
        for (const words of stuck.unblocks) expect(explanation.unblocks).toContain(words);
      }
      const last = stuck.failed?.slice(0, 3).join(' ');
      const { request, kind, object, message } = await recorded(world);
      expect([request, kind, object].join(' ').trim()).toBe(last ?? '');
      expect(message).toContain(stuck.failed?.[3] ?? '');
      expect(message).not.toContain('0123456789abcdef');
      const { lastError } = await explained(world);
      expect(lastError === null ? '' : lastErrorText(lastError)).toBe(last ?? '');
      await stuck.remedy(world);
      await world.settle();
      await pass(world);
      expect(await find(world.user, 'Machine', 'w-0')).toBeUndefined();
      operator.kill();
    },
  );

  test('all of them: -> each is told apart by what explain waits for, twelve and more', () => {
    const told = deletions.map(({ waitsFor }) => waitsFor);
    expect(new Set(told).size).toBe(told.length);
    expect(told.length).toBeGreaterThanOrEqual(12);
  });
});
