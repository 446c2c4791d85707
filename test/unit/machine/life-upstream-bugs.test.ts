// Bugs that upstream's Machine controller once had in phases and status, by the numbers of docs/upstream-bugs.md.
import { describe, expect, test } from '@jest/globals';
import {
  at,
  change,
  find,
  machine,
  nodeStatus,
  put,
  putMachine,
  putNode,
  putObjects,
  putPod,
  putRunning,
  remove,
  saysOf,
} from './objects.js';
import { machineDeployment, machineSet, ofSet, putOwners, setReference } from './owners.js';
import { annotate } from './running.js';
import { againInMs, breaking, calls, errorsOf, useWorlds, writesOf } from './worlds.js';

const start = useWorlds();
const infra = ['InfraMachine', 'w-0'] as const;

describe('Machine: bugs that upstream once had in a life', () => {
  test('upstream bug 48: the first status of a Machine, and one of a failed pass -> every condition is set', async () => {
    const { world } = await start();
    const types = async () =>
      ((await machine(world)).status?.conditions ?? []).map(({ type }) => type).filter((type) => type !== 'ActorState');
    const all = [
      'Available',
      'Ready',
      'BootstrapConfigReady',
      'InfrastructureReady',
      'NodeHealthy',
      'NodeReady',
      'Updating',
      'Paused',
      'Deleting',
    ];
    await putMachine(world, 'w-0');
    await world.settle();
    expect(await types()).toEqual(all);
    world.management.setFaults(breaking(calls('patch', 'kubeadmconfigs'), { kind: 'status', code: 403 }));
    await putObjects(world, 'w-0');
    await world.settle();
    expect(await types()).toEqual(all);
  });

  test('upstream bug 49: a phase fails -> status is patched, and observedGeneration stays behind until a pass works', async () => {
    const { world } = await start();
    await putRunning(world);
    const before = (await machine(world)).status?.observedGeneration;
    world.workload.setFaults(breaking(calls('patch', 'nodes'), { kind: 'status', code: 403 }));
    await change(world.user, 'Machine', 'w-0', {
      metadata: { labels: { 'node.cluster.x-k8s.io/x': 'y' } },
      spec: { minReadySeconds: 600 },
    });
    await world.settle();
    expect(await saysOf(world, 'Available')).toBe('False WaitingForMinReadySeconds');
    expect((await machine(world)).status?.observedGeneration).toBe(before);
    world.workload.setFaults(undefined);
    await world.clock.advance(30_000);
    await world.settle();
    const { metadata, status } = await machine(world);
    expect(status?.observedGeneration).toBe(metadata.generation);
  });

  test('upstream bug 50: hooks in any order of annotations -> one message, sorted, and no look at it changes anything', async () => {
    const { world } = await start();
    const prefix = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/';
    await putRunning(world, 'w-0', { annotations: { [`${prefix}c`]: '', [`${prefix}a`]: '', [`${prefix}b`]: '' } });
    await remove(world);
    expect(await saysOf(world, 'Deleting')).toContain(`(hooks: ${prefix}a,${prefix}b,${prefix}c)`);
    world.seen.length = 0;
    await annotate(world, 'poke', '1');
    await annotate(world, 'poke', '2');
    expect(writesOf(world)).toEqual([]);
  });

  test('upstream bug 51: one thing after the other -> every phase is reached; Provisioned is a provider ID without a Node', async () => {
    const { world } = await start();
    const phase = async () => (await machine(world)).status?.phase;
    await putMachine(world, 'w-0');
    await world.settle();
    expect(await phase()).toBe('Pending');
    await putObjects(world, 'w-0', { provisioned: false });
    await world.settle();
    expect(await phase()).toBe('Provisioning');
    await change(world.user, ...infra, {
      spec: { providerID: 'test://w-0' },
      status: { initialization: { provisioned: true } },
    });
    await world.settle();
    expect([await phase(), (await machine(world)).status?.nodeRef]).toEqual(['Provisioned', undefined]);
    await putNode(world, 'w-0');
    await world.settle();
    expect(await phase()).toBe('Running');
  });

  test('upstream bug 52: Nodes cannot be listed -> what was known is kept for the grace period, then Unknown, never False', async () => {
    const { world } = await start();
    await putRunning(world);
    const seen = new Set<string>();
    world.management.store.subscribe(({ object, resource }) => {
      if (resource !== 'cluster.x-k8s.io/machines' || object.metadata.name !== 'w-0') return;
      const { conditions = [] } = object['status'] as { conditions?: { type: string; status: string }[] };
      for (const { type, status } of conditions) if (type.startsWith('Node')) seen.add(`${type} ${status}`);
    });
    world.isReachable = false;
    world.workload.setFaults(breaking(() => true, { kind: 'status', code: 500 }));
    world.workload.store.closeWatches('break');
    await world.clock.advance(240_000);
    await world.settle();
    expect(await saysOf(world, 'NodeHealthy')).toBe('True NodeHealthy');
    await world.clock.advance(180_000);
    await world.settle();
    expect(await saysOf(world, 'NodeHealthy')).toContain('Unknown ConnectionDown Last successful probe at');
    expect([...seen].filter((each) => each.endsWith('False'))).toEqual([]);
  });

  test('upstream bug 53: two Nodes with one provider ID -> an error; none -> a wait without a timer', async () => {
    const { world, operator } = await start();
    await putObjects(world, 'w-0');
    await putMachine(world, 'w-0');
    await world.settle();
    expect([againInMs(world, operator), errorsOf(operator)]).toEqual([null, []]);
    await putNode(world, 'one', { spec: { providerID: 'test://w-0' }, status: nodeStatus() });
    await putNode(world, 'two', { spec: { providerID: 'test://w-0' }, status: nodeStatus() });
    await world.clock.advance(1_000);
    await world.settle();
    expect(errorsOf(operator).at(-1)).toBe('unexpectedly found more than one Node matching the providerID test://w-0');
    expect(await saysOf(world, 'NodeHealthy')).toBe('Unknown InternalError Please check controller logs for errors');
  });

  test('upstream bug 54: a life up to Running -> no object is read live, each comes from its watch', async () => {
    const { world } = await start();
    world.seen.length = 0;
    await putRunning(world);
    expect((await machine(world)).status?.phase).toBe('Running');
    expect(
      world.seen.filter(({ verb, what }) => verb === 'get' && !what.startsWith('customresourcedefinitions')),
    ).toEqual([]);
  });

  test('upstream bug 55: Ready a while, and the operator starts again meanwhile -> Available on time', async () => {
    const { world, operator } = await start();
    await putRunning(world, 'w-0', { spec: { minReadySeconds: 60 } });
    await world.clock.advance(40_000);
    operator.kill();
    const later = await world.start();
    await world.settle();
    expect(againInMs(world, later)).toBe(20_000);
    await world.clock.advance(20_000);
    await world.settle();
    expect(await saysOf(world, 'Available')).toBe('True Available');
    later.kill();
  });

  test('upstream bug 55: 128 addresses -> all are on the Machine', async () => {
    const { world } = await start();
    await putRunning(world);
    const addresses = Array.from({ length: 128 }, (_, index) => ({ type: 'InternalIP', address: `10.0.0.${index}` }));
    await change(world.user, ...infra, { status: { addresses } });
    await world.settle();
    expect((await machine(world)).status?.addresses).toEqual(addresses);
  });

  test('upstream bug 57: the infrastructure object is deleted under a running Machine -> a failure, and none is made anew', async () => {
    const { world } = await start();
    await putRunning(world);
    world.seen.length = 0;
    await world.user.delete(at(...infra));
    await world.clock.advance(120_000);
    await world.settle();
    expect((await machine(world)).status?.deprecated?.v1beta1?.failureReason).toBe('InvalidConfiguration');
    expect(await find(world.user, ...infra)).toBeUndefined();
    expect(world.seen.filter(({ verb }) => verb === 'create')).toEqual([]);
  });

  test('upstream bug 58: owners are missing for an hour -> few errors, and work starts when they come', async () => {
    const { world, operator } = await start();
    await putObjects(world, 'w-0');
    await putMachine(world, 'w-0', { labels: ofSet, ownerReferences: [{ ...setReference, uid: 'u' }] });
    await world.clock.advance(3_600_000);
    await world.settle();
    expect(errorsOf(operator).length).toBeLessThan(30);
    await put(world.user, 'MachineDeployment', 'md', machineDeployment);
    await put(world.user, 'MachineSet', 'ms', machineSet);
    await world.settle();
    expect((await machine(world)).status?.phase).toBe('Provisioned');
  });

  test('upstream bug 58: taints, labels and annotations of others on the Node -> never touched', async () => {
    const { world } = await start();
    await putObjects(world, 'w-0');
    const taints = [
      { key: 'theirs', effect: 'NoExecute', value: 'x' },
      { key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' },
    ];
    const theirs = { 'topology.kubernetes.io/zone': 'a', 'company.xyz/x': '' };
    await putNode(world, 'w-0', {
      metadata: { labels: theirs, annotations: theirs },
      spec: { providerID: 'test://w-0', taints },
      status: nodeStatus(),
    });
    await putMachine(world, 'w-0', { labels: { 'company.xyz/x': 'mine' } });
    await world.settle();
    const node = await find<{ spec?: { taints?: unknown } } & Awaited<ReturnType<typeof put>>>(
      world.remote,
      'Node',
      'w-0',
    );
    expect(node?.spec?.taints).toEqual([taints[0]]);
    expect(node?.metadata.labels).toEqual(theirs);
    expect(node?.metadata.annotations).toMatchObject(theirs);
  });

  test.each([
    ['in the future', 3_600_000, 'True UpToDate'],
    [
      'in the past, and the MachineSet is older',
      -1_000,
      'False NotUpToDate * MachineDeployment spec.rolloutAfter expired',
    ],
  ])('upstream bug 59: rollout.after is %s -> UpToDate says so', async (_when, fromNowMs, says) => {
    const { world } = await start();
    const owners = await putOwners(world);
    await world.clock.advance(60_000);
    await putRunning(world, 'w-0', owners);
    const after = new Date(world.clock.nowMs() + fromNowMs).toISOString().replace(/\.\d+Z/, 'Z');
    await change(world.user, 'MachineDeployment', 'md', { spec: { rollout: { after } } });
    await world.settle();
    expect(await saysOf(world, 'UpToDate')).toBe(says);
  });

  test('upstream bug 59: time limits change while a Node is drained -> they count at once, and none is ever unset', async () => {
    const { world } = await start();
    await putRunning(world, 'w-0', { spec: { deletion: { nodeDeletionTimeoutSeconds: 10 } } });
    await change(world.user, ...infra, { metadata: { finalizers: ['test/holds'] } });
    await putPod(world, 'app', 'w-0', { metadata: { finalizers: ['test/holds'] } });
    await remove(world);
    expect(await saysOf(world, 'Deleting')).toContain('True DrainingNode');
    await world.clock.advance(30_000);
    await change(world.user, 'Machine', 'w-0', { spec: { deletion: { nodeDrainTimeoutSeconds: 10 } } });
    await world.clock.advance(20_000);
    await world.settle();
    expect(await saysOf(world, 'Deleting')).toContain('True WaitingForInfrastructureDeletion');
    expect((await machine(world)).spec.deletion).toEqual({
      nodeDeletionTimeoutSeconds: 10,
      nodeDrainTimeoutSeconds: 10,
    });
  });
});
