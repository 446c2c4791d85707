import { describe, expect, test } from '@jest/globals';
import {
  endPod,
  find,
  machine,
  putCluster,
  putMachine,
  putNode,
  putObjects,
  putPod,
  putRunning,
  remove,
  saysOf,
} from '../unit/machine/objects.js';
import { createWorld } from '../unit/machine/world.js';

describe('a Machine on the embedded server', () => {
  test('life: objects come one after the other -> Pending, Provisioned, Running', async () => {
    const world = createWorld();
    const operator = await world.start();
    await putCluster(world);
    await putMachine(world, 'w-0');
    await world.settle();
    expect((await machine(world)).status?.phase).toBe('Pending');
    await putObjects(world, 'w-0');
    await world.settle();
    expect((await machine(world)).status?.phase).toBe('Provisioned');
    await putNode(world, 'w-0');
    await world.settle();
    expect((await machine(world)).status?.phase).toBe('Running');
    expect(await saysOf(world, 'Ready')).toBe('True Ready');
    operator.kill();
  });

  test('deletion: a Node with a Pod -> drained, then everything goes in order', async () => {
    const world = createWorld();
    const operator = await world.start();
    await putCluster(world);
    await putRunning(world);
    await putPod(world, 'app', 'w-0');
    await remove(world);
    expect(await saysOf(world, 'Deleting')).toContain('True DrainingNode Drain not completed yet');
    await endPod(world, 'app');
    await world.settle();
    expect(await find(world.user, 'Machine', 'w-0')).toBeUndefined();
    expect(await find(world.user, 'InfraMachine', 'w-0')).toBeUndefined();
    expect(await find(world.user, 'KubeadmConfig', 'w-0')).toBeUndefined();
    expect(await find(world.remote, 'Node', 'w-0')).toBeUndefined();
    expect(operator.host.keys()).toEqual(['default/cp-0']);
    operator.kill();
  });
});
