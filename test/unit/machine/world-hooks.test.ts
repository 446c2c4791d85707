import { describe, expect, test } from '@jest/globals';
import { staleDeletionMs } from '../../../machines/machine/status/summary.js';
import { at, change, endPod, find, machine, oldSaysOf, putPod, putRunning, remove, saysOf } from './objects.js';
import { annotate, deletions, evictions } from './running.js';
import { againInMs, breaking, calls, rowsOf, stateOf, useWorlds } from './worlds.js';

const start = useWorlds();
const preDrain = 'pre-drain.delete.hook.machine.cluster.x-k8s.io';
const preTerminate = 'pre-terminate.delete.hook.machine.cluster.x-k8s.io';

/** The first connection is never done: no step can be told. */
const connecting = breaking(calls('list', 'nodes'), { kind: 'hang-before' });

describe('Machine: a deletion, step by step', () => {
  test('MA-016 nothing holds any step -> each object goes in its turn, the finalizer last', async () => {
    const { world, operator } = await start();
    await putRunning(world);
    world.seen.length = 0;
    await remove(world);
    const steps = operator.effects
      .filter(({ key, request }) => key === 'default/w-0' && /drain|Volumes|^delete|^remove/.test(request))
      .map(({ request }) => request);
    expect(steps.filter((step, index) => step !== steps[index - 1])).toEqual([
      'drainNode',
      'checkVolumes',
      'deleteInfrastructure',
      'deleteBootstrap',
      'deleteNode',
      'removeFinalizer',
    ]);
    expect(deletions(world)).toEqual(['inframachines/default/w-0', 'kubeadmconfigs/default/w-0', 'nodes/w-0']);
  });

  test('MA-051 nothing tells a step yet -> reason Deleting, and Deletion started', async () => {
    const { world, operator } = await start();
    await putRunning(world, 'w-0', { annotations: { 'pre-drain.delete.hook.machine.cluster.x-k8s.io/a': '' } });
    world.workload.setFaults(connecting);
    await world.user.delete(at('Machine', 'w-0'));
    operator.kill();
    const later = await world.start();
    await world.settle();
    expect(await saysOf(world, 'Deleting')).toBe('True Deleting Deletion started');
    later.kill();
  });

  test('MA-095 a deletion timestamp -> Deleting is True; without one it is False', async () => {
    const { world, operator } = await start();
    await putRunning(world);
    expect(await saysOf(world, 'Deleting')).toBe('False NotDeleting');
    world.workload.setFaults(connecting);
    await world.user.delete(at('Machine', 'w-0'));
    operator.kill();
    const later = await world.start();
    await world.settle();
    const { status } = await machine(world);
    expect(status?.conditions?.find(({ type }) => type === 'Deleting')).toMatchObject({
      status: 'True',
      reason: 'Deleting',
    });
    expect(status?.phase).toBe('Deleting');
    later.kill();
  });

  test('MA-122 a deletion goes from step to step -> Deleting tells each of them, with what is waited for', async () => {
    const { world } = await start();
    await putRunning(world, 'w-0', {
      annotations: { [`${preDrain}/a`]: '', [`${preTerminate}/b`]: '' },
      finalizers: ['test/holds'],
    });
    await change(world.user, 'InfraMachine', 'w-0', { metadata: { finalizers: ['test/holds'] } });
    await change(world.user, 'KubeadmConfig', 'w-0', { metadata: { finalizers: ['test/holds'] } });
    await putPod(world, 'app', 'w-0');
    const told: string[] = [];
    const tell = async (): Promise<void> =>
      void told.push((await saysOf(world, 'Deleting')).replace(/started at \S+\)/, 'started at T)'));
    await remove(world);
    await tell();
    await annotate(world, `${preDrain}/a`, null);
    await tell();
    await endPod(world, 'app');
    await world.settle();
    await tell();
    await annotate(world, `${preTerminate}/b`, null);
    await tell();
    for (const kind of ['InfraMachine', 'KubeadmConfig']) {
      await change(world.user, kind, 'w-0', { metadata: { finalizers: [] } });
      await world.settle();
      await tell();
    }
    expect(told).toEqual([
      `True WaitingForPreDrainHook Waiting for pre-drain hooks to succeed (hooks: ${preDrain}/a)`,
      'True DrainingNode Drain not completed yet (started at T):\n* Pod default/app: deletionTimestamp set, but still not removed from the Node',
      `True WaitingForPreTerminateHook Waiting for pre-terminate hooks to succeed (hooks: ${preTerminate}/b)`,
      'True WaitingForInfrastructureDeletion Waiting for InfraMachine to be deleted',
      'True WaitingForBootstrapDeletion Waiting for KubeadmConfig to be deleted',
      'True DeletionCompleted Deletion completed',
    ]);
  });

  test('MA-060 one pre-drain hook -> the deletion waits for it by name, with no timer, and nothing is drained or deleted', async () => {
    const { world, operator } = await start();
    await putRunning(world, 'w-0', { annotations: { [`${preDrain}/a`]: '' } });
    await putPod(world, 'app', 'w-0');
    await remove(world);
    const waiting = `True WaitingForPreDrainHook Waiting for pre-drain hooks to succeed (hooks: ${preDrain}/a)`;
    expect(await saysOf(world, 'Deleting')).toBe(waiting);
    world.seen.length = 0;
    const looks = rowsOf(operator).length;
    // Later, `Ready` tells that it takes long.
    await world.clock.advance(staleDeletionMs - 1_000);
    await world.settle();
    expect([rowsOf(operator).length - looks, world.seen]).toEqual([0, []]);
    expect(await saysOf(world, 'Deleting')).toBe(waiting);
  });

  test('MA-107 the Node cannot be deleted -> the reason is DeletingNode', async () => {
    const { world } = await start();
    await putRunning(world);
    world.workload.setFaults(breaking(calls('delete', 'nodes'), { kind: 'status', code: 403 }));
    await remove(world);
    await world.clock.advance(11_000);
    await world.settle();
    expect(await saysOf(world, 'Deleting')).toBe(
      'True DeletingNode Error deleting Node, please check controller logs for errors',
    );
  });

  test('MA-132 a deletion -> the deprecated VolumeDetachSucceeded exists, though no list names it', async () => {
    const { world } = await start();
    await putRunning(world, 'w-0', { annotations: { [`${preTerminate}/b`]: '' } });
    expect(await oldSaysOf(world, 'VolumeDetachSucceeded')).toBe('none');
    await remove(world);
    expect(await oldSaysOf(world, 'VolumeDetachSucceeded')).toBe('True');
  });
});

describe('Machine: hooks of a deletion', () => {
  test('MA-134 a pre-drain hook is removed by its owner -> the drain starts, not before', async () => {
    const { world, operator } = await start();
    await putRunning(world, 'w-0', { annotations: { [`${preDrain}/backup`]: 'me' } });
    await putPod(world, 'app', 'w-0');
    await remove(world);
    await world.clock.advance(3_600_000);
    await world.settle();
    expect(stateOf(operator)).toEqual({ Deleting: 'PreDrainHooks' });
    expect([againInMs(world, operator), evictions(world)]).toEqual([null, []]);
    expect(
      ((await find(world.remote, 'Node', 'w-0')) as { spec?: { unschedulable?: boolean } }).spec?.unschedulable,
    ).toBeUndefined();
    await annotate(world, `${preDrain}/backup`, null);
    expect(stateOf(operator)).toEqual({ Deleting: 'Draining' });
    expect(evictions(world)).toEqual(['app']);
  });

  test('MA-135 a pre-terminate hook is removed by its owner -> the infrastructure goes, not before', async () => {
    const { world, operator } = await start();
    await putRunning(world, 'w-0', { annotations: { [`${preTerminate}/backup`]: 'me' } });
    await remove(world);
    await world.clock.advance(3_600_000);
    await world.settle();
    expect(stateOf(operator)).toEqual({ Deleting: 'PreTerminateHooks' });
    expect([againInMs(world, operator), deletions(world)]).toEqual([null, []]);
    await annotate(world, `${preTerminate}/backup`, null);
    expect(deletions(world)[0]).toBe('inframachines/default/w-0');
  });

  test.each([
    ['MA-136 pre-drain', preDrain, 'PreDrainHooks'],
    ['MA-136 pre-terminate', preTerminate, 'PreTerminateHooks'],
  ])('%s hooks of two owners, one removed -> the other holds', async (_title, prefix, state) => {
    const { world, operator } = await start();
    await putRunning(world, 'w-0', { annotations: { [`${prefix}/b`]: '', [`${prefix}/a`]: '' } });
    await remove(world);
    expect(await saysOf(world, 'Deleting')).toContain(`(hooks: ${prefix}/a,${prefix}/b)`);
    await annotate(world, `${prefix}/a`, null);
    expect(stateOf(operator)).toEqual({ Deleting: state });
    expect(await saysOf(world, 'Deleting')).toContain(`(hooks: ${prefix}/b)`);
    await annotate(world, `${prefix}/b`, null);
    expect(await find(world.user, 'Machine', 'w-0')).toBeUndefined();
  });

  test('MA-137 hooks hold a deletion -> the controller leaves them where they are, and writes no annotation', async () => {
    const { world } = await start();
    const annotations = { [`${preDrain}/a`]: 'mine', [`${preTerminate}/b`]: 'mine too' };
    await putRunning(world, 'w-0', {
      annotations,
      spec: { deletion: { nodeDrainTimeoutSeconds: 1, nodeVolumeDetachTimeoutSeconds: 1 } },
    });
    await remove(world);
    await world.clock.advance(600_000);
    await world.settle();
    expect((await machine(world)).metadata.annotations).toEqual(annotations);
    await annotate(world, `${preDrain}/a`, null);
    await world.clock.advance(600_000);
    await world.settle();
    expect((await machine(world)).metadata.annotations).toEqual({ [`${preTerminate}/b`]: 'mine too' });
  });

  test.each([
    ['MA-097 exactly the prefix, without a slash', preDrain, true],
    ['MA-097 the prefix and more of the same word', `${preDrain}x`, true],
    ['MA-138 the prefix, a slash and a name', `${preDrain}/backup`, true],
    ['MA-097 a part of the prefix', 'pre-drain.delete.hook.machine.example.com/backup', false],
    ['MA-097 the prefix in the middle', `x.${preDrain}/backup`, false],
  ])('%s -> the drain is held, or not', async (_title, key, holds) => {
    const { world, operator } = await start();
    await putRunning(world, 'w-0', { annotations: { [key]: '' } });
    await putPod(world, 'app', 'w-0');
    await remove(world);
    expect(stateOf(operator)).toEqual({ Deleting: holds ? 'PreDrainHooks' : 'Draining' });
    expect(evictions(world)).toEqual(holds ? [] : ['app']);
  });

  test.each([
    ['MA-105 exactly the prefix, without a slash', preTerminate, true],
    ['MA-105 the prefix and more of the same word', `${preTerminate}x`, true],
    ['MA-139 the prefix, a slash and a name', `${preTerminate}/backup`, true],
    ['MA-105 a part of the prefix', 'pre-terminate.delete.hook.machine.example.com/backup', false],
    ['MA-105 the prefix in the middle', `x.${preTerminate}/backup`, false],
  ])('%s -> the end of the infrastructure is held, or not', async (_title, key, holds) => {
    const { world } = await start();
    await putRunning(world, 'w-0', { annotations: { [key]: '' } });
    await remove(world);
    expect((await find(world.user, 'InfraMachine', 'w-0')) !== undefined).toBe(holds);
  });
});
