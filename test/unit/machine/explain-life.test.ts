// Machines that do not get on, as a person meets them: what `explain` names, and what it says would let them go on.
import { describe, expect, test } from '@jest/globals';
import { leafState } from '../../../machines/kit/step.js';
import type { Explanation } from '../../../machines/kit/explanation.js';
import { parseConfig } from '../../../src/cli/config.js';
import { explainMachineLive } from '../../../src/cli/explain-machine.js';
import type { FullApiClient } from '../../../src/kube/client.js';
import { at, change, put, putCluster, putMachine, putNode, putObjects, putRunning } from './objects.js';
import { ofSet, setReference } from './owners.js';
import type { Operator, World } from './world.js';
import { useWorlds } from './worlds.js';

const start = useWorlds();
const infra = ['InfraMachine', 'w-0'] as const;

interface Case {
  readonly what: string;
  readonly state: string;
  /** Brings the world there; there is no Cluster yet. */
  readonly given: (world: World) => Promise<unknown>;
  /** The object that is waited for. */
  readonly object: string;
  /** What about it. */
  readonly field: string;
  readonly remedy: string;
}

const made = (how: Parameters<typeof putObjects>[2]) => async (world: World) => {
  await putCluster(world);
  await putObjects(world, 'w-0', how);
  await putMachine(world, 'w-0');
};

const cases: readonly Case[] = [
  {
    what: 'no Cluster',
    state: 'Pending',
    given: (world) => putMachine(world, 'w-0'),
    object: 'Cluster default/c1',
    field: 'to exist',
    remedy: 'Create Cluster c1.',
  },
  {
    what: 'its Cluster is paused',
    state: 'Pending',
    given: async (world) => {
      await made({})(world);
      await change(world.user, 'Cluster', 'c1', { spec: { paused: true } });
    },
    object: 'Cluster default/c1',
    field: 'spec.paused to be false',
    remedy: 'Set spec.paused of the Cluster to false.',
  },
  {
    what: 'it is paused itself',
    state: 'Pending',
    given: async (world) => {
      await putCluster(world);
      await putMachine(world, 'w-0', { annotations: { 'cluster.x-k8s.io/paused': '' } });
    },
    object: 'Machine default/w-0',
    field: 'the annotation cluster.x-k8s.io/paused to be removed',
    remedy: 'Remove the annotation cluster.x-k8s.io/paused from the Machine.',
  },
  {
    what: 'its MachineSet is missing',
    state: 'Pending',
    given: async (world) => {
      await putCluster(world);
      await putMachine(world, 'w-0', { labels: ofSet, ownerReferences: [{ ...setReference, uid: 'u' }] });
    },
    object: 'MachineSet default/ms',
    field: 'to exist',
    remedy: 'Create the MachineSet again, or remove its owner reference from the Machine.',
  },
  {
    what: 'the bootstrap object is missing',
    state: 'Pending',
    given: async (world) => {
      await putCluster(world);
      await put(world.user, ...infra, { spec: {} });
      await putMachine(world, 'w-0');
    },
    object: 'KubeadmConfig default/w-0',
    field: 'to exist',
    remedy: 'Create KubeadmConfig w-0.',
  },
  {
    what: 'the infrastructure object is missing',
    state: 'Provisioning',
    given: async (world) => {
      await made({})(world);
      await world.user.delete(at(...infra));
    },
    object: 'InfraMachine default/w-0',
    field: 'to exist',
    remedy: 'Create InfraMachine w-0.',
  },
  {
    what: 'there is no data',
    state: 'Pending',
    given: made({ data: false, provisioned: false }),
    object: 'KubeadmConfig default/w-0',
    field: 'status.initialization.dataSecretCreated to be true',
    remedy: 'See what the conditions of KubeadmConfig w-0 say.',
  },
  {
    what: 'there is data without the name of its Secret',
    state: 'Pending',
    given: async (world) => {
      await made({ provisioned: false })(world);
      await change(world.user, 'KubeadmConfig', 'w-0', { status: { dataSecretName: null } });
    },
    object: 'KubeadmConfig default/w-0',
    field: 'failed to read dataSecretName from KubeadmConfig default/w-0',
    remedy: 'Correct this field of KubeadmConfig w-0, or see why its own controller does not.',
  },
  {
    what: 'the bootstrap object belongs to somebody else',
    state: 'Pending',
    given: async (world) => {
      await made({ data: false, provisioned: false })(world);
      const ownerReferences = [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true }];
      await change(world.user, 'KubeadmConfig', 'w-0', { metadata: { ownerReferences } });
    },
    object: 'KubeadmConfig default/w-0',
    field: 'to be readable',
    remedy: 'already owned by another Pod controller p',
  },
  {
    what: 'the infrastructure is not provisioned',
    state: 'Provisioning',
    given: made({ provisioned: false }),
    object: 'InfraMachine default/w-0',
    field: 'status.initialization.provisioned to be true',
    remedy: 'See what the conditions of InfraMachine w-0 say.',
  },
  {
    what: 'the infrastructure has no provider ID',
    state: 'Provisioning',
    given: async (world) => {
      await made({ provisioned: false })(world);
      await change(world.user, ...infra, { status: { initialization: { provisioned: true } } });
    },
    object: 'InfraMachine default/w-0',
    field: 'spec.providerID to be set',
    remedy: 'See what the conditions of InfraMachine w-0 say.',
  },
  {
    what: 'the infrastructure of the Cluster is not provisioned',
    state: 'Provisioned',
    given: async (world) => {
      await made({})(world);
      await change(world.user, 'Cluster', 'c1', { status: { initialization: { infrastructureProvisioned: false } } });
    },
    object: 'Cluster default/c1',
    field: 'status.initialization.infrastructureProvisioned to be true',
    remedy: 'See what the conditions of Cluster c1 say.',
  },
  {
    what: 'the workload cluster does not answer',
    state: 'Provisioned',
    given: async (world) => {
      world.isReachable = false;
      await made({})(world);
    },
    object: 'Cluster default/c1',
    field: 'its API server to answer',
    remedy: 'c1-kubeconfig',
  },
  {
    what: 'no Node has registered',
    state: 'Provisioned',
    given: made({}),
    object: 'Node ',
    field: 'to exist with spec.providerID test://w-0',
    remedy: 'See the console of the machine',
  },
  {
    what: 'two Nodes have its provider ID',
    state: 'Provisioned',
    given: async (world) => {
      await made({})(world);
      await putNode(world, 'one', { spec: { providerID: 'test://w-0' } });
      await putNode(world, 'two', { spec: { providerID: 'test://w-0' } });
    },
    object: 'Node ',
    field: 'to be the only one with spec.providerID test://w-0',
    remedy: 'Delete the Node that is not this machine.',
  },
  {
    what: 'the Node refuses what the Machine brings',
    state: 'Running',
    given: async (world) => {
      await putCluster(world);
      await putRunning(world);
      await change(world.user, ...infra, { status: { interruptible: 'yes' } });
    },
    object: 'Node w-0',
    field: 'to take over what the Machine brings',
    remedy: 'failed to get status interruptible from infra machine default/w-0',
  },
  {
    what: 'the expiry of its certificates is no date',
    state: 'Running',
    given: async (world) => {
      await putCluster(world);
      await putRunning(world, 'w-0', {
        labels: { 'cluster.x-k8s.io/control-plane': '' },
        annotations: { 'machine.cluster.x-k8s.io/certificates-expiry': 'soon' },
      });
    },
    object: 'Machine default/w-0',
    field: 'the annotation machine.cluster.x-k8s.io/certificates-expiry to be a date',
    remedy: 'Correct the annotation machine.cluster.x-k8s.io/certificates-expiry',
  },
  {
    what: 'an update in place runs',
    state: 'Updating',
    given: async (world) => {
      await putCluster(world);
      await putRunning(world, 'w-0', {
        annotations: { 'in-place-updates.internal.cluster.x-k8s.io/update-in-progress': '' },
      });
    },
    object: 'Machine default/w-0',
    field: 'the annotations of the update in place to be removed',
    remedy: 'See the owner of the Machine',
  },
  {
    what: 'the infrastructure object was deleted',
    state: 'Failed',
    given: async (world) => {
      await putCluster(world);
      await putRunning(world);
      await world.user.delete(at(...infra));
    },
    object: 'InfraMachine default/w-0',
    field: 'to exist',
    remedy: 'Replace the Machine',
  },
  {
    what: 'its Node was deleted',
    state: 'Failed',
    given: async (world) => {
      await putCluster(world);
      await putRunning(world);
      await world.remote.delete(at('Node', 'w-0'));
    },
    object: 'Node w-0',
    field: 'to exist with spec.providerID test://w-0',
    remedy: 'See the console of the machine',
  },
  {
    what: 'the infrastructure object reports a failure',
    state: 'Failed',
    given: async (world) => {
      await putCluster(world);
      await putRunning(world);
      await change(world.user, ...infra, { status: { failureReason: 'CreateError', failureMessage: 'no quota' } });
    },
    object: 'InfraMachine default/w-0',
    field: 'status.failureReason and status.failureMessage to be empty',
    remedy: 'Replace the Machine',
  },
];

/** As the command answers: from the clusters alone. */
async function fromClusters(world: World): Promise<Explanation | null> {
  await put(world.user, 'Secret', 'c1-kubeconfig', { data: { value: 'eA==' } }).catch(() => undefined);
  return explainMachineLive({
    client: world.user,
    config: parseConfig([], {}),
    namespace: 'default',
    name: 'w-0',
    nowMs: world.clock.nowMs(),
    connectWorkload: () =>
      world.isReachable
        ? Promise.resolve({ ...world.remote, close: () => Promise.resolve() } as FullApiClient)
        : Promise.reject(new Error('cluster is not reachable: connect ECONNREFUSED')),
  });
}

/** As the operator answers. */
function fromOperator({ host, parts }: Operator): Explanation | null {
  const resting = host.rest('default/w-0');
  if (resting === null) return parts.explain('default/w-0', null);
  const { rest, failure } = resting;
  return parts.explain('default/w-0', { state: leafState(rest.value), context: rest.context, failure });
}

const words = (explanation: Explanation | null): readonly string[] => {
  const { kind = '', namespace = '', name = '', what = '' } = explanation?.waitsFor ?? {};
  return [`${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`, what, explanation?.unblocks ?? ''];
};

describe('Machine: explain', () => {
  test.each(cases.map((each) => [each.what, each] as const))(
    '%s -> names object, field and remedy',
    async (_what, each) => {
      const { world, operator } = await start({ cluster: null });
      await each.given(world);
      await world.settle();
      const answers = [await fromClusters(world), fromOperator(operator)];
      for (const answer of answers) {
        const [object, field, remedy] = words(answer);
        expect({ state: answer?.state, object, field, remedy }).toEqual({
          state: each.state,
          object: each.object,
          field: expect.stringContaining(each.field),
          remedy: expect.stringContaining(each.remedy),
        });
      }
    },
  );

  test('nothing is awaited: a Machine that runs -> says that nothing is needed', async () => {
    const { world, operator } = await start();
    await putRunning(world);
    for (const answer of [await fromClusters(world), fromOperator(operator)])
      expect([answer?.state, answer?.waitsFor, answer?.unblocks]).toEqual(['Running', null, 'Nothing is needed.']);
  });

  test('Machines of the control plane: counted from the clusters alone -> workers are none, as the operator counts', async () => {
    const { world, operator } = await start();
    await putRunning(world);
    await world.settle();
    for (const answer of [await fromClusters(world), fromOperator(operator)])
      expect(answer?.facts['controlPlaneMachines']).toBe(1);
  });
});
