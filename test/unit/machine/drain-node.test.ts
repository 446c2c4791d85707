import { describe, expect, test } from '@jest/globals';
import {
  allowDisruptions,
  at,
  change,
  endPod,
  find,
  nodeStatus,
  oldSaysOf,
  put,
  putBudget,
  putPod,
  remove,
  saysOf,
} from './objects.js';
import { evictions, limits, pass, putApp, running, stay, times, writes } from './running.js';
import type { World } from './world.js';

const startOf = async (world: World): Promise<string> => (await times(world))['nodeDrainStartTime'] ?? 'none';
const rule = (world: World, name: string, drain: object, app: string): Promise<unknown> =>
  put(world.user, 'MachineDrainRule', name, { spec: { drain, pods: [{ selector: { matchLabels: { app } } }] } });

describe('a Node that is drained', () => {
  test('MA-063 start: a drain begins -> its start is written before the Node is cordoned and the first Pod evicted', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app');
    world.seen.length = 0;
    await remove(world);
    const order = writes(world).filter(
      (write) => !write.includes('inframachines') && !write.includes('kubeadmconfigs'),
    );
    expect(order.slice(0, 3)).toEqual([
      'patch machines/default/w-0/status',
      'patch nodes/w-0',
      'create pods/default/app/eviction',
    ]);
    expect(await startOf(world)).toBe('2023-11-14T22:13:20Z');
    expect(await saysOf(world, 'Deleting')).toBe(
      'True DrainingNode Drain not completed yet (started at 2023-11-14T22:13:20Z):\n* Pod default/app: deletionTimestamp set, but still not removed from the Node',
    );
    operator.kill();
  });

  test('start: an operator that dies and comes back -> the start stays, and with it the time limit', async () => {
    const { world, operator } = await running(limits({ nodeDrainTimeoutSeconds: 60 }));
    await putApp(world, 'app');
    await putBudget(world, 'app', 'app', 0);
    await remove(world);
    const start = await startOf(world);
    await pass(world, 30_000);
    operator.kill();
    await world.clock.advance(5_000);
    const second = await world.start();
    await world.settle();
    expect(await startOf(world)).toBe(start);
    expect(await saysOf(world, 'Deleting')).toContain('DrainingNode');
    await pass(world, 40_000);
    expect(await find(world.user, 'Machine', 'w-0')).toBeUndefined();
    second.kill();
  });

  test('cordon: several passes -> once, and never taken back', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app');
    await putBudget(world, 'app', 'app', 0);
    world.seen.length = 0;
    await remove(world);
    await pass(world);
    await pass(world);
    expect((await find<{ spec: object } & never>(world.remote, 'Node', 'w-0'))?.['spec']).toMatchObject({
      unschedulable: true,
    });
    expect(writes(world).filter((write) => write === 'patch nodes/w-0')).toHaveLength(1);
    operator.kill();
  });

  test('order: rules with orders -> the lowest goes first, the next when it is gone', async () => {
    const { world, operator } = await running();
    await rule(world, 'db', { behavior: 'Drain', order: 10 }, 'db');
    await rule(world, 'front', { behavior: 'Drain', order: -5 }, 'front');
    for (const name of ['db', 'front', 'other']) await putApp(world, name);
    await remove(world);
    expect(evictions(world)).toEqual(['front']);
    expect(await saysOf(world, 'Deleting')).toContain(
      '\nAfter above Pods have been removed from the Node, the following Pods will be evicted: default/db, default/other',
    );
    await endPod(world, 'front');
    await world.settle();
    expect(evictions(world)).toEqual(['front', 'other']);
    await endPod(world, 'other');
    await world.settle();
    expect(evictions(world)).toEqual(['front', 'other', 'db']);
    await endPod(world, 'db');
    await world.settle();
    expect(await find(world.user, 'Machine', 'w-0')).toBeUndefined();
    operator.kill();
  });

  test('rules of other namespaces: -> of no weight', async () => {
    const { world, operator } = await running();
    await put(world.user, 'Namespace', 'elsewhere', {});
    await world.user.create(at('MachineDrainRule', 'x').resource, {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'MachineDrainRule',
      metadata: { name: 'skip-all', namespace: 'elsewhere' },
      spec: { drain: { behavior: 'Skip' } },
    });
    await putApp(world, 'app');
    await remove(world);
    expect(evictions(world)).toEqual(['app']);
    operator.kill();
  });

  test('MA-099 time limit: a rule that waits for ever -> only the limit of the Machine ends the drain', async () => {
    const { world, operator } = await running(limits({ nodeDrainTimeoutSeconds: 100 }));
    await rule(world, 'job', { behavior: 'WaitCompleted' }, 'job');
    await putApp(world, 'job');
    await remove(world);
    for (let round = 0; round < 4; round += 1) await pass(world);
    expect(await saysOf(world, 'Deleting')).toContain('* Pod default/job: waiting for completion');
    expect(evictions(world)).toEqual([]);
    await pass(world);
    expect(await find(world.user, 'Machine', 'w-0')).toBeUndefined();
    operator.kill();
  });

  test('no time limit: 0 or none -> the drain never gives up', async () => {
    const { world, operator } = await running(limits({ nodeDrainTimeoutSeconds: 0 }));
    await putApp(world, 'app');
    await putBudget(world, 'app', 'app', 0);
    await remove(world);
    await pass(world, 1_800_000);
    expect(await saysOf(world, 'Deleting')).toContain('DrainingNode');
    operator.kill();
  });

  test('time limit: passed -> the drain ends, its old condition stays False', async () => {
    const { world, operator } = await running({
      ...limits({ nodeDrainTimeoutSeconds: 10 }),
      annotations: { 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/stay': '' },
    });
    await putApp(world, 'app');
    await putBudget(world, 'app', 'app', 0);
    await remove(world);
    await pass(world);
    expect(await saysOf(world, 'Deleting')).toContain('WaitingForPreTerminateHook');
    expect(await oldSaysOf(world, 'DrainingSucceeded')).toMatch(/^False Info Draining Drain not completed yet/);
    operator.kill();
  });

  test('Pods that are left alone: DaemonSet, static, label, rule -> the Node is drained at once', async () => {
    const { world, operator } = await running();
    await put(world.remote, 'DaemonSet', 'agent', {
      spec: { selector: { matchLabels: { app: 'agent' } }, template: { metadata: { labels: { app: 'agent' } } } },
    });
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'u', controller: true };
    await putApp(world, 'agent-1', { metadata: { ownerReferences: [owner] } });
    await putApp(world, 'static', { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } });
    await putApp(world, 'labelled', { metadata: { labels: { 'cluster.x-k8s.io/drain': 'skip' } } });
    await rule(world, 'skip', { behavior: 'Skip' }, 'ruled');
    await putApp(world, 'ruled');
    await putPod(world, 'elsewhere', 'w-1');
    await remove(world);
    expect(evictions(world)).toEqual([]);
    expect(await find(world.user, 'Machine', 'w-0')).toBeUndefined();
    expect(operator.events.map(({ reason }) => reason)).toContain('SuccessfulDrainNode');
    operator.kill();
  });

  test('a DaemonSet that is gone: -> its Pod is evicted', async () => {
    const { world, operator } = await running();
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'u', controller: true };
    await putApp(world, 'agent-1', { metadata: { ownerReferences: [owner] } });
    await remove(world);
    expect(evictions(world)).toEqual(['agent-1']);
    operator.kill();
  });

  test('a DaemonSet that cannot be read: -> nothing is evicted, the drain is an error that names the Pod', async () => {
    const { world, operator } = await running();
    const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'u', controller: true };
    await putApp(world, 'agent-1', { metadata: { ownerReferences: [owner] } });
    await putApp(world, 'app');
    world.workload.setFaults({
      request: ({ resource }) =>
        resource === 'daemonsets' ? { kind: 'status', code: 403, message: 'daemonsets are secret' } : undefined,
    });
    await remove(world);
    expect(evictions(world)).toEqual([]);
    expect(await saysOf(world, 'Deleting')).toBe(
      'True DrainingNode Error draining Node, please check controller logs for errors',
    );
    expect(await oldSaysOf(world, 'DrainingSucceeded')).toBe(
      'False Warning DrainingFailed failed to get Pods for eviction: Pods with error "failed to get DaemonSet default/agent: daemonsets are secret": default/agent-1',
    );
    operator.kill();
  });

  test('a budget that is lifted: -> evicted with the next pass after 20 s, the reason told until then', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app');
    await putBudget(world, 'app', 'app', 0);
    await remove(world);
    expect(await saysOf(world, 'Deleting')).toContain(
      "\n* Pod default/app: cannot evict pod as it would violate the pod's disruption budget. The disruption budget app needs 1 healthy pods and has 1 currently",
    );
    expect(await oldSaysOf(world, 'DrainingSucceeded')).toMatch(/^False Info Draining Drain not completed yet/);
    await allowDisruptions(world, 'app', 1);
    await pass(world, 19_000);
    expect((await find(world.remote, 'Pod', 'app'))?.metadata.deletionTimestamp).toBeUndefined();
    await pass(world, 1_000);
    expect((await find(world.remote, 'Pod', 'app'))?.metadata.deletionTimestamp).toBeDefined();
    operator.kill();
  });

  test('a Node that is gone: -> drained', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app');
    await world.remote.delete(at('Node', 'w-0'));
    await world.settle();
    await remove(world);
    expect(evictions(world)).toEqual([]);
    expect(await find(world.user, 'Machine', 'w-0')).toBeUndefined();
    operator.kill();
  });

  test('more than one page of Pods: -> all are evicted', async () => {
    const { world, operator } = await running();
    const names = Array.from({ length: 130 }, (_, index) => `p-${String(index).padStart(3, '0')}`);
    for (const name of names) await putApp(world, name);
    await remove(world);
    expect(evictions(world)).toEqual(names);
    expect(await saysOf(world, 'Deleting')).toContain(
      '* Pods default/p-000, default/p-001, default/p-002, ... (127 more): deletionTimestamp set',
    );
    operator.kill();
  });

  test('Pods that were going before: -> listed before those that were asked now', async () => {
    const { world, operator } = await running();
    await putApp(world, 'z');
    await world.remote.delete(at('Pod', 'z'));
    await putApp(world, 'a');
    await remove(world);
    expect(await saysOf(world, 'Deleting')).toContain('* Pods default/z, default/a: deletionTimestamp set');
    operator.kill();
  });
});

describe('a Node that does not answer', () => {
  const unreachable = async (world: World): Promise<void> => {
    await change(world.remote, 'Node', 'w-0', { status: nodeStatus('Unknown') });
    await world.settle();
  };

  test('Pods: -> evicted with a grace of 1 s, and not waited for 2 s later', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app', stay);
    await unreachable(world);
    await remove(world);
    expect((await find(world.remote, 'Pod', 'app'))?.metadata).toMatchObject({ deletionGracePeriodSeconds: 1 });
    expect(await saysOf(world, 'Deleting')).toContain('DrainingNode');
    await pass(world);
    expect(await find(world.user, 'Machine', 'w-0')).toBeUndefined();
    expect(await find(world.remote, 'Pod', 'app')).toBeDefined();
    operator.kill();
  });

  test('a Node that is not ready, but answers: -> Pods keep their grace and are waited for', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app', stay);
    await change(world.remote, 'Node', 'w-0', { status: nodeStatus('False') });
    await world.settle();
    await remove(world);
    expect((await find(world.remote, 'Pod', 'app'))?.metadata).toMatchObject({ deletionGracePeriodSeconds: 30 });
    await pass(world, 600_000);
    expect(await saysOf(world, 'Deleting')).toContain('deletionTimestamp set, but still not removed from the Node');
    operator.kill();
  });

  test('a budget: allows 0 -> respected all the same', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app');
    await putBudget(world, 'app', 'app', 0);
    await unreachable(world);
    await remove(world);
    await pass(world, 600_000);
    expect(await saysOf(world, 'Deleting')).toContain(
      "cannot evict pod as it would violate the pod's disruption budget",
    );
    expect((await find(world.remote, 'Pod', 'app'))?.metadata.deletionTimestamp).toBeUndefined();
    operator.kill();
  });

  test('a Pod that waits for completion and was deleted long ago: -> passed over too', async () => {
    const { world, operator } = await running();
    await putApp(world, 'job', {
      metadata: { labels: { 'cluster.x-k8s.io/drain': 'wait-completed' }, finalizers: ['example.com/stay'] },
    });
    await world.remote.delete(at('Pod', 'job'));
    await world.clock.advance(40_000);
    await unreachable(world);
    await remove(world);
    expect(await find(world.user, 'Machine', 'w-0')).toBeUndefined();
    expect(await find(world.remote, 'Pod', 'job')).toBeDefined();
    operator.kill();
  });
});
