import { describe, expect, test } from '@jest/globals';
import {
  allowDisruptions,
  at,
  change,
  endPod,
  find,
  nodeStatus,
  put,
  putBudget,
  putMachine,
  putNode,
  putObjects,
  remove,
  saysOf,
} from './objects.js';
import {
  annotate,
  attach,
  evictions,
  hook,
  isGone,
  nodeVolumes,
  pass,
  putApp,
  running,
  silence,
  stay,
} from './running.js';
import type { World } from './world.js';

/** Calls of the operator while something is done. */
const callsDuring = async (world: World, work: () => Promise<unknown>): Promise<string[]> => {
  world.seen.length = 0;
  await work();
  await world.settle();
  return world.seen.map(({ verb, what }) => `${verb} ${what}`);
};

describe('a deletion that rests', () => {
  test('a drain: nothing changes -> no call for 20 s, then one pass', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app', stay);
    await remove(world);
    expect(await callsDuring(world, () => world.clock.advance(19_999))).toEqual([]);
    const calls = await callsDuring(world, () => world.clock.advance(1));
    expect(calls.filter((call) => call === 'list pods')).toHaveLength(1);
    operator.kill();
  });

  test('a drain: one of several Pods goes -> the next pass comes at once', async () => {
    const { world, operator } = await running();
    await putApp(world, 'one');
    await putApp(world, 'two');
    await remove(world);
    const calls = await callsDuring(world, () => endPod(world, 'one'));
    expect(calls).toContain('list pods');
    expect(await saysOf(world, 'Deleting')).toContain('* Pod default/two: deletionTimestamp set');
    operator.kill();
  });

  test('a drain: Pods of other Nodes come and go, the Node reports -> it rests on', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app', stay);
    await remove(world);
    const calls = await callsDuring(world, async () => {
      await put(world.remote, 'Pod', 'far', { spec: { nodeName: 'w-1', containers: [{ name: 'c', image: 'x' }] } });
      await endPod(world, 'far');
      await change(world.remote, 'Node', 'w-0', { metadata: { labels: { 'example.com/seen': 'now' } } });
    });
    expect(calls.filter((call) => call === 'list pods')).toEqual([]);
    operator.kill();
  });

  test('a drain: a rule that skips its Pods comes -> it ends at once', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app');
    await putBudget(world, 'app', 'app', 0);
    await remove(world);
    await put(world.user, 'MachineDrainRule', 'leave', { spec: { drain: { behavior: 'Skip' } } });
    await world.settle();
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('a drain: its exclusion is annotated -> it ends at once', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app', stay);
    await remove(world);
    await annotate(world, 'machine.cluster.x-k8s.io/exclude-node-draining', '');
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('a drain: the last control plane Machine goes -> its Node is left alone, and it ends at once', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app', stay);
    await remove(world);
    await change(world.user, 'Machine', 'cp-0', { metadata: { finalizers: null } });
    await world.user.delete(at('Machine', 'cp-0'));
    await world.settle();
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('a drain: other workers come and go -> it rests on', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app', stay);
    await remove(world);
    const calls = await callsDuring(world, async () => {
      await putMachine(world, 'w-1');
      await world.settle();
      await change(world.user, 'Machine', 'w-1', { metadata: { finalizers: null } });
      await world.user.delete(at('Machine', 'w-1'));
    });
    expect(calls.filter((call) => call === 'list pods')).toEqual([]);
    operator.kill();
  });

  test('a drain: the operator dies, the Pod goes, another one starts -> it goes on at once', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app');
    await remove(world);
    operator.kill();
    await endPod(world, 'app');
    const second = await world.start();
    await world.settle();
    expect(await isGone(world)).toBe(true);
    second.kill();
  });

  test('volumes: the operator dies, the volume is detached, another one starts -> it goes on at once', async () => {
    const { world, operator } = await running();
    await attach(world, 'data', { node: false });
    await remove(world);
    operator.kill();
    await world.remote.delete(at('VolumeAttachment', 'csi-data'));
    const second = await world.start();
    await world.settle();
    expect(await isGone(world)).toBe(true);
    second.kill();
  });

  test('volumes: nothing changes -> no call for 20 s, then one look; the Pods are not asked for again', async () => {
    const { world, operator } = await running();
    await attach(world, 'data');
    await remove(world);
    expect(await callsDuring(world, () => world.clock.advance(19_999))).toEqual([]);
    const calls = await callsDuring(world, () => world.clock.advance(1));
    expect(calls.filter((call) => call === 'list persistentvolumes')).toHaveLength(1);
    operator.kill();
  });

  test('volumes: the attachment says that it is detached -> the next look comes at once', async () => {
    const { world, operator } = await running();
    await attach(world, 'data', { node: false });
    await remove(world);
    await change(world.remote, 'VolumeAttachment', 'csi-data', { status: { attached: false } });
    await world.settle();
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('volumes: the Node no longer names them -> the next look comes at once', async () => {
    const { world, operator } = await running();
    await attach(world, 'data', { attachment: false });
    await remove(world);
    await nodeVolumes(world, []);
    await world.settle();
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('hooks: nothing changes -> one write when the summary tells of 15 minutes, and no other call, ever', async () => {
    const { world, operator } = await running({ annotations: { [hook.preTerminate]: '' } });
    await remove(world);
    const before = await saysOf(world, 'Ready');
    expect(await callsDuring(world, () => world.clock.advance(900_000))).toEqual([]);
    expect(await callsDuring(world, () => world.clock.advance(86_400_000))).toEqual([
      'patch machines/default/w-0/status',
    ]);
    const stage = 'stage: WaitingForPreTerminateHook';
    expect([before, await saysOf(world, 'Ready')]).toEqual([
      `False NotReady * Deleting: Machine deletion in progress, ${stage}`,
      `False NotReady * Deleting: Machine deletion in progress since more than 15m, ${stage}`,
    ]);
    operator.kill();
  });

  test('a budget is lifted: budgets are not watched -> the timer of the table does, within 20 s', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app');
    await putBudget(world, 'app', 'app', 0);
    await remove(world);
    await allowDisruptions(world, 'app', 1);
    await world.settle();
    expect(evictions(world)).toHaveLength(1);
    await pass(world);
    expect(evictions(world)).toHaveLength(2);
    operator.kill();
  });
});

describe('the way to the workload cluster', () => {
  test('MA-145 down and up again while a Node is drained: -> told, tried again, and on at once when it is back', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app');
    await remove(world);
    world.isReachable = false;
    silence(world);
    await endPod(world, 'app');
    await pass(world, 400_000);
    expect(await saysOf(world, 'Deleting')).toBe(
      'True DrainingNode Error draining Node, please check controller logs for errors',
    );
    expect(await saysOf(world, 'NodeHealthy')).toMatch(/^Unknown ConnectionDown Last successful probe at 2023-/);
    world.isReachable = true;
    world.hanging.clear();
    await pass(world, 40_000);
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('a cluster that is never reached: a Machine with a Node -> the drain says so, its time limit ends it', async () => {
    const { world, operator } = await running();
    operator.kill();
    world.isReachable = false;
    const second = await world.start();
    await change(world.user, 'Machine', 'w-0', {
      spec: {
        deletion: { nodeDrainTimeoutSeconds: 60, nodeVolumeDetachTimeoutSeconds: 60, nodeDeletionTimeoutSeconds: 10 },
      },
    });
    await remove(world);
    await pass(world, 10_000);
    expect(await saysOf(world, 'Deleting')).toContain('DrainingNode Error draining Node');
    await pass(world, 300_000);
    expect(await isGone(world)).toBe(true);
    expect(await find(world.remote, 'Node', 'w-0')).toBeDefined();
    second.kill();
  });

  test('tries: a cluster that refuses -> 1 s to 30 s apart, not ever longer', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app', stay);
    await remove(world);
    operator.kill();
    world.isReachable = false;
    const second = await world.start();
    await world.settle();
    await pass(world, 600_000);
    const failed = second.transitions.filter(({ event }) => event === 'EFFECT_FAILED').map(({ atMs }) => atMs);
    const gaps = failed.slice(1).map((atMs, index) => atMs - (failed[index] ?? 0));
    expect(Math.max(...gaps)).toBeLessThanOrEqual(31_000);
    expect(failed.length).toBeGreaterThan(18);
    expect(failed.length).toBeLessThan(200);
    second.kill();
  });

  test('a cluster that hangs: many of its Machines are being deleted -> a Machine of another cluster goes all the same', async () => {
    const { world, operator } = await running();
    const names = Array.from({ length: 15 }, (_, index) => `w-${index}`);
    for (const name of names.slice(1)) {
      await putObjects(world, name);
      await putMachine(world, name);
      await putNode(world, name);
    }
    const cluster = await find<{ spec: object; status: object } & NonNullable<Awaited<ReturnType<typeof find>>>>(
      world.user,
      'Cluster',
      'c1',
    );
    await put(world.user, 'Cluster', 'c2', { spec: cluster?.spec, status: cluster?.status });
    const ofOther = { labels: { 'cluster.x-k8s.io/cluster-name': 'c2' } };
    await putMachine(world, 'cp-2', {
      labels: { ...ofOther.labels, 'cluster.x-k8s.io/control-plane': '' },
      spec: { clusterName: 'c2', bootstrap: { dataSecretName: 'x' } },
    });
    await putObjects(world, 'other');
    await putMachine(world, 'other', { ...ofOther, spec: { clusterName: 'c2' } });
    await putNode(world, 'other');
    await world.settle();
    expect(await saysOf(world, 'Ready', 'other')).toContain('True');
    world.hanging.add('c1');
    for (const name of names) await world.user.delete(at('Machine', name));
    await world.settle();
    await world.user.delete(at('Machine', 'other'));
    await pass(world, 12_000);
    expect(await find(world.user, 'Machine', 'other')).toBeUndefined();
    expect(await find(world.remote, 'Node', 'other')).toBeUndefined();
    expect(await find(world.user, 'Machine', 'w-3')).toBeDefined();
    world.seen.length = 0;
    // Once the silence was noticed, nobody waits for it in a turn any more.
    await pass(world, 5_000);
    await putObjects(world, 'late');
    await putMachine(world, 'late', { ...ofOther, spec: { clusterName: 'c2' } });
    await world.settle();
    expect(await saysOf(world, 'BootstrapConfigReady', 'late')).toContain('True');
    operator.kill();
  });

  test('a Node that does not answer for a while: its conditions change back -> nothing is lost', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app', stay);
    await remove(world);
    await change(world.remote, 'Node', 'w-0', { status: nodeStatus('Unknown') });
    await world.settle();
    expect(await saysOf(world, 'NodeHealthy')).toMatch(/^Unknown NodeHealthyUnknown/);
    await change(world.remote, 'Node', 'w-0', { status: nodeStatus('True') });
    await world.settle();
    expect(await saysOf(world, 'Deleting')).toContain('DrainingNode');
    operator.kill();
  });
});
