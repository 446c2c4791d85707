import { describe, expect, test } from '@jest/globals';
import { coreDefinitions } from '../../../src/embedded/crds.js';
import { withHookTimes } from './definitions.js';
import {
  at,
  change,
  machine,
  nodeStatus,
  oldSaysOf,
  putMachine,
  putNode,
  putObjects,
  putRunning,
  remove,
  saysOf,
} from './objects.js';
import { putOwners, template } from './owners.js';
import type { Operator, World } from './world.js';
import { againInMs, useWorlds } from './worlds.js';

const start = useWorlds();
const time = '2024-02-03T04:05:06Z';
const infra = ['InfraMachine', 'w-0'] as const;
const ready = (status: string, reason: string, message: string) => ({
  conditions: [{ type: 'Ready', status, reason, message, lastTransitionTime: time }],
});
const hook = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/a';

describe('Machine: phase', () => {
  test('MA-115 every situation of a life -> a phase of the API, never another word', async () => {
    const { world } = await start();
    const seen = new Set<unknown>();
    world.management.store.subscribe(({ object, resource }) => {
      if (resource !== 'cluster.x-k8s.io/machines') return;
      const { phase } = (object['status'] ?? {}) as { phase?: string };
      if (phase !== undefined) seen.add(phase);
    });
    await putMachine(world, 'w-0', { annotations: { [hook]: '' } });
    await world.settle();
    await putObjects(world, 'w-0', { provisioned: false });
    await world.settle();
    await change(world.user, ...infra, {
      spec: { providerID: 'test://w-0' },
      status: { initialization: { provisioned: true } },
    });
    await world.settle();
    await putNode(world, 'w-0');
    await world.settle();
    const updating = 'in-place-updates.internal.cluster.x-k8s.io/update-in-progress';
    await change(world.user, 'Machine', 'w-0', { metadata: { annotations: { [updating]: '' } } });
    await world.settle();
    await change(world.user, ...infra, { status: { failureReason: 'CreateError' } });
    await world.settle();
    await remove(world);
    expect([...seen]).toEqual(['Pending', 'Provisioning', 'Provisioned', 'Running', 'Updating', 'Failed', 'Deleting']);
  });

  test('MA-118 a Machine that is being deleted -> Deleting, whatever it was, with the time of the change', async () => {
    const { world } = await start();
    await putRunning(world, 'w-0', { annotations: { [hook]: '' } });
    const before = (await machine(world)).status?.lastUpdated;
    await world.clock.advance(60_000);
    await remove(world);
    const { status } = await machine(world);
    expect(status?.phase).toBe('Deleting');
    expect(Date.parse(status?.lastUpdated ?? '') - Date.parse(before ?? '')).toBe(60_000);
    await change(world.user, ...infra, { status: { failureReason: 'CreateError' } });
    await world.settle();
    expect((await machine(world)).status?.phase).toBe('Deleting');
  });
});

describe('Machine: summaries', () => {
  test('MA-124 a Machine of a MachineDeployment -> UpToDate tells what differs, and when nothing does', async () => {
    const { world } = await start();
    await putRunning(world, 'w-0', await putOwners(world));
    expect(await saysOf(world, 'UpToDate')).toBe('True UpToDate');
    await change(world.user, 'MachineDeployment', 'md', {
      spec: {
        template: {
          ...template,
          spec: {
            ...template.spec,
            version: 'v1.37.0',
            bootstrap: { configRef: { ...template.spec.bootstrap.configRef, name: 'other' } },
            infrastructureRef: { ...template.spec.infrastructureRef, name: 'other' },
            failureDomain: 'a',
          },
        },
      },
    });
    await world.settle();
    expect(await saysOf(world, 'UpToDate')).toBe(
      [
        'False NotUpToDate * Version v1.36.0, v1.37.0 required',
        '* KubeadmConfig is not up-to-date',
        '* InfraMachine is not up-to-date',
        '* Failure domain , a required',
      ].join('\n'),
    );
  });

  test.each([
    ['MA-124 controllers of v1.14: -> False, Updating', true, /^False Updating \* Node.*v1.35.9, v1.36.0 required$/],
    ['controllers of v1.13, which know no such rule: -> nothing differs', false, /^True UpToDate$/],
  ])('nothing differs but the version of the kubelet, beside %s', async (_title, keepsHookTimes, said) => {
    const { world } = await start({ keepsHookTimes });
    await putRunning(world, 'w-0', await putOwners(world));
    await change(world.remote, 'Node', 'w-0', {
      status: { nodeInfo: { ...(nodeStatus()['nodeInfo'] as object), kubeletVersion: 'v1.35.9' } },
    });
    await world.settle();
    expect(await saysOf(world, 'UpToDate')).toMatch(said);
  });

  test('the CRD of Machines becomes that of v1.14 under a running operator -> its rules count from the next look', async () => {
    const { world } = await start();
    await putRunning(world, 'w-0', await putOwners(world));
    await change(world.remote, 'Node', 'w-0', {
      status: { nodeInfo: { ...(nodeStatus()['nodeInfo'] as object), kubeletVersion: 'v1.35.9' } },
    });
    await world.settle();
    expect(await saysOf(world, 'UpToDate')).toBe('True UpToDate');
    const name = 'machines.cluster.x-k8s.io';
    const [newer] = withHookTimes(coreDefinitions.filter((each) => JSON.stringify(each).includes(`"${name}"`)));
    await world.user.mergePatch(at('CustomResourceDefinition', name), { spec: (newer as { spec: object }).spec });
    await change(world.user, 'Machine', 'w-0', { metadata: { annotations: { 'example.com/touched': 'yes' } } });
    await world.settle();
    expect(await saysOf(world, 'UpToDate')).toMatch(/^False Updating/);
  });

  test('MA-124 a Machine without such owners -> UpToDate is left to others', async () => {
    const { world } = await start();
    await putRunning(world);
    expect(await saysOf(world, 'UpToDate')).toBe('none');
    const mine = {
      type: 'UpToDate',
      status: 'False',
      reason: 'NotUpToDate',
      message: 'says KCP',
      lastTransitionTime: time,
    };
    const { status } = await machine(world);
    await change(world.user, 'Machine', 'w-0', { status: { conditions: [...(status?.conditions ?? []), mine] } });
    await change(world.user, ...infra, { status: ready('False', 'Broken', 'why') });
    await world.settle();
    expect(await saysOf(world, 'UpToDate')).toBe('False NotUpToDate says KCP');
  });

  test.each([
    [
      'InfrastructureReady',
      async (world: World) => change(world.user, ...infra, { status: ready('False', 'Broken', 'why') }),
      'False NotReady * InfrastructureReady: why',
    ],
    [
      'BootstrapConfigReady',
      async (world: World) =>
        change(world.user, 'KubeadmConfig', 'w-0', { status: ready('Unknown', 'Lost', 'who knows') }),
      'Unknown ReadyUnknown * BootstrapConfigReady: who knows',
    ],
    [
      'NodeHealthy',
      async (world: World) => change(world.remote, 'Node', 'w-0', { status: nodeStatus('False') }),
      'False NotReady * NodeHealthy:\n  * Node.Ready: Ready says False',
    ],
    [
      'Updating',
      async (world: World) =>
        change(world.user, 'Machine', 'w-0', {
          metadata: { annotations: { 'in-place-updates.internal.cluster.x-k8s.io/update-in-progress': '' } },
        }),
      'False NotReady * Updating: In-place update in progress',
    ],
    [
      'Deleting',
      async (world: World) => world.user.delete(at('Machine', 'w-0')),
      'False NotReady * Deleting: Machine deletion in progress, stage: WaitingForPreDrainHook',
    ],
    [
      'HealthCheckSucceeded',
      async (world: World) => addCondition(world, 'HealthCheckSucceeded', 'False', 'ill'),
      'False NotReady * HealthCheckSucceeded: ill',
    ],
    [
      'a readiness gate',
      async (world: World) => {
        await addCondition(world, 'Gate', 'False', 'shut');
        await change(world.user, 'Machine', 'w-0', { spec: { readinessGates: [{ conditionType: 'Gate' }] } });
      },
      'False NotReady * Gate: shut',
    ],
  ] as const)('MA-125 %s is not well -> Ready sums it up', async (_type, spoil, says) => {
    const { world } = await start();
    await putRunning(world, 'w-0', { annotations: { [hook]: '' } });
    expect(await saysOf(world, 'Ready')).toBe('True Ready');
    await spoil(world);
    await world.settle();
    expect(await saysOf(world, 'Ready')).toBe(says);
  });

  test('MA-125 several conditions are not well -> a line of each, the bad ones alone, in their order', async () => {
    const { world } = await start();
    await putRunning(world);
    await change(world.remote, 'Node', 'w-0', { status: nodeStatus('False') });
    await change(world.user, ...infra, { status: ready('Unknown', 'Lost', 'who knows') });
    await change(world.user, 'KubeadmConfig', 'w-0', { status: ready('False', 'Broken', 'why') });
    await world.settle();
    expect(await saysOf(world, 'Ready')).toBe(
      'False NotReady * BootstrapConfigReady: why\n* InfrastructureReady: who knows\n* NodeHealthy:\n  * Node.Ready: Ready says False',
    );
  });

  test('MA-126 Ready changes -> Available follows, after minReadySeconds', async () => {
    const { world, operator } = await start();
    await putMachine(world, 'w-0', { spec: { minReadySeconds: 60 } });
    await putObjects(world, 'w-0');
    await world.settle();
    expect(await saysOf(world, 'Available')).toBe('False NotReady');
    await putNode(world, 'w-0');
    await world.settle();
    expect(await saysOf(world, 'Ready')).toBe('True Ready');
    expect(await saysOf(world, 'Available')).toBe('False WaitingForMinReadySeconds');
    expect(againInMs(world, operator)).toBe(60_000);
    await world.clock.advance(60_000);
    await world.settle();
    expect(await saysOf(world, 'Available')).toBe('True Available');
    await change(world.user, ...infra, { status: ready('False', 'Broken', 'why') });
    await world.settle();
    expect(await saysOf(world, 'Available')).toBe('False NotReady');
  });

  test('MA-127 while it is made -> the deprecated Ready counts the steps that are done', async () => {
    const { world } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0', { data: false, provisioned: false });
    await world.settle();
    expect(await oldSaysOf(world, 'Ready')).toContain('0 of 2 completed');
    await change(world.user, 'KubeadmConfig', 'w-0', {
      status: { dataSecretName: 's', initialization: { dataSecretCreated: true } },
    });
    await world.settle();
    expect(await oldSaysOf(world, 'Ready')).toBe('False Info WaitingForInfrastructure 1 of 2 completed');
    await change(world.user, ...infra, {
      spec: { providerID: 'test://w-0' },
      status: { initialization: { provisioned: true } },
    });
    await world.settle();
    expect(await oldSaysOf(world, 'Ready')).toBe('True');
  });
});

describe('Machine: updates in place', () => {
  const mark = 'in-place-updates.internal.cluster.x-k8s.io/update-in-progress';
  const hooks = 'runtime.cluster.x-k8s.io/pending-hooks';
  const told = ({ events }: Operator): number =>
    events.filter(({ type, reason }) => type === 'Warning' && reason === 'InPlaceUpdateNotCarriedOut').length;

  test.each([
    ['MA-123 marked', { [mark]: '' }],
    ['MA-123 the hook is pending', { [hooks]: 'Other,UpdateMachine' }],
  ])('%s -> phase and condition Updating, and back when the annotation goes', async (_title, annotations) => {
    const { world, operator } = await start();
    await putRunning(world);
    expect(await saysOf(world, 'Updating')).toBe('False NotUpdating');
    await change(world.user, 'Machine', 'w-0', { metadata: { annotations } });
    await world.settle();
    expect(await saysOf(world, 'Updating')).toBe('True InPlaceUpdating In-place update in progress');
    expect((await machine(world)).status?.phase).toBe('Updating');
    expect(told(operator)).toBe(0);
    const none = Object.fromEntries(Object.keys(annotations).map((key) => [key, null]));
    await change(world.user, 'Machine', 'w-0', { metadata: { annotations: none } });
    await world.settle();
    expect(await saysOf(world, 'Updating')).toBe('False NotUpdating');
    expect((await machine(world)).status?.phase).toBe('Running');
  });

  test('marked, and the hook is pending: nothing here calls it -> a Warning Event says so', async () => {
    const { world, operator } = await start();
    await putRunning(world);
    await change(world.user, 'Machine', 'w-0', { metadata: { annotations: { [mark]: '' } } });
    await world.settle();
    await change(world.user, 'Machine', 'w-0', { metadata: { annotations: { [hooks]: 'UpdateMachine' } } });
    await world.settle();
    expect(told(operator)).toBeGreaterThan(0);
  });
});

describe('Machine: conditions of others', () => {
  test.each([
    ['MA-130 HealthCheckSucceeded', 'HealthCheckSucceeded'],
    ['MA-131 OwnerRemediated', 'OwnerRemediated'],
  ])('%s is set by its owner -> kept as it is, whatever happens to the Machine', async (_title, type) => {
    const { world } = await start();
    await putRunning(world, 'w-0', { annotations: { [hook]: '' } });
    const { status } = await machine(world);
    const theirs = {
      type,
      status: 'False',
      severity: 'Warning',
      reason: 'Theirs',
      message: 'their words',
      lastTransitionTime: time,
    };
    const conditions = [...(status?.deprecated?.v1beta1?.conditions ?? []), theirs];
    await change(world.user, 'Machine', 'w-0', { status: { deprecated: { v1beta1: { conditions } } } });
    await change(world.user, ...infra, { status: ready('False', 'Broken', 'why') });
    await world.settle();
    const now = async () =>
      (await machine(world)).status?.deprecated?.v1beta1?.conditions?.find((each) => each.type === type);
    expect(await oldSaysOf(world, 'InfrastructureReady')).toBe('False Broken why');
    expect(await now()).toEqual(theirs);
    await remove(world);
    expect(await oldSaysOf(world, 'PreDrainDeleteHookSucceeded')).toBe('False Info WaitingExternalHook');
    expect(await now()).toEqual(theirs);
  });
});

async function addCondition(world: World, type: string, status: string, message: string): Promise<void> {
  const before = (await machine(world)).status?.conditions ?? [];
  const condition = { type, status, reason: 'Some', message, lastTransitionTime: time };
  await change(world.user, 'Machine', 'w-0', { status: { conditions: [...before, condition] } });
}
