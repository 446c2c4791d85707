import { describe, expect, test } from '@jest/globals';
import { change, find, put, putCluster, putMachine, putObjects, putRunning, remove, saysOf } from './objects.js';
import { putOwners } from './owners.js';
import { againInMs, breaking, calls, errorsOf, rowsOf, useWorlds, type Started } from './worlds.js';

const start = useWorlds();

/** How often a Machine was looked at while something happened, without time passing. */
async function looksDuring({ world, operator }: Started, what: () => Promise<unknown>, name = 'w-0'): Promise<number> {
  const before = rowsOf(operator, name).length;
  await what();
  await world.settle();
  return rowsOf(operator, name).length - before;
}

describe('Machine: watches', () => {
  test('MA-140 a Machine changes -> that Machine is looked at, no other', async () => {
    const started = await start();
    const { world } = started;
    await putRunning(world, 'w-0');
    await putRunning(world, 'w-1');
    const poke = () => change(world.user, 'Machine', 'w-0', { spec: { minReadySeconds: 1 } });
    expect(await looksDuring(started, poke)).toBeGreaterThan(0);
    expect(
      await looksDuring(started, () => change(world.user, 'Machine', 'w-0', { spec: { minReadySeconds: 2 } }), 'w-1'),
    ).toBe(0);
  });

  test('MA-141 the Cluster is paused, and not any more -> its Machines are looked at, those of another are not', async () => {
    const started = await start();
    const { world } = started;
    await putRunning(world);
    await put(world.user, 'Cluster', 'c2', { spec: { controlPlaneEndpoint: { host: 'x', port: 1 } } });
    await putMachine(world, 'x-0', { labels: { 'cluster.x-k8s.io/cluster-name': 'c2' }, spec: { clusterName: 'c2' } });
    await world.settle();
    const pause = (paused: boolean) => () => change(world.user, 'Cluster', 'c1', { spec: { paused } });
    expect(await looksDuring(started, pause(true))).toBeGreaterThan(0);
    expect(await saysOf(world, 'Paused')).toContain('True');
    expect(await looksDuring(started, pause(false))).toBeGreaterThan(0);
    expect(await saysOf(world, 'Paused')).toContain('False');
    expect(await looksDuring(started, pause(true), 'x-0')).toBe(0);
  });

  test('MA-142 the control plane becomes initialised -> the Machines of the Cluster are looked at', async () => {
    const started = await start();
    const { world } = started;
    await change(world.user, 'Cluster', 'c1', { status: { conditions: [] } });
    await putRunning(world);
    expect(await saysOf(world, 'NodeReady')).toContain('Waiting for Cluster control plane to be initialized');
    const condition = {
      type: 'ControlPlaneInitialized',
      status: 'True',
      reason: 'Initialized',
      message: '',
      lastTransitionTime: '2023-11-14T00:00:00Z',
    };
    expect(
      await looksDuring(started, () => change(world.user, 'Cluster', 'c1', { status: { conditions: [condition] } })),
    ).toBeGreaterThan(0);
    expect(await saysOf(world, 'NodeReady')).toBe('True NodeReady');
  });

  test.each([
    ['MA-143', 'MachineSet', 'ms'],
    ['MA-144', 'MachineDeployment', 'md'],
  ])('%s a %s changes -> its Machines are looked at, others are not', async (_id, kind, name) => {
    const started = await start();
    const { world } = started;
    await putRunning(world, 'w-0', await putOwners(world));
    await putRunning(world, 'w-1');
    const version = (value: string) => () =>
      change(world.user, kind, name, { spec: { template: { spec: { version: value } } } });
    expect(await looksDuring(started, version('v1.37.0'))).toBeGreaterThan(0);
    expect(await saysOf(world, 'UpToDate')).toContain('False NotUpToDate');
    expect(await looksDuring(started, version('v1.36.1'), 'w-1')).toBe(0);
  });

  test('MA-145 the connection to the workload cluster is made -> its Machines are looked at, before any timer is due', async () => {
    const { world, operator } = await start({ cluster: null });
    world.workload.setFaults(breaking(calls('list', 'nodes'), { kind: 'delay', ms: 2_000 }));
    await putCluster(world);
    await putObjects(world, 'w-0');
    await putMachine(world, 'w-0');
    await world.settle();
    expect(await saysOf(world, 'NodeReady')).toBe('Unknown ConnectionDown Remote connection not established yet');
    expect(againInMs(world, operator)).toBe(30_000);
    await world.clock.advance(2_000);
    await world.settle();
    expect(await saysOf(world, 'NodeReady')).toBe(
      'Unknown InspectionFailed Waiting for a Node with spec.providerID test://w-0 to exist',
    );
  });

  test('MA-145 the connection to the workload cluster is lost -> its Machines are looked at', async () => {
    const started = await start();
    const { world } = started;
    await putRunning(world);
    const lose = async (): Promise<void> => {
      world.isReachable = false;
      world.workload.setFaults(breaking(() => true, { kind: 'drop-before' }));
      world.workload.store.closeWatches('break');
      await world.clock.advance(60_000);
    };
    expect(await looksDuring(started, lose)).toBeGreaterThan(0);
    expect(errorsOf(started.operator)[0]).toContain('connection to the workload cluster is down');
  });

  test.each([
    [
      'a bootstrap object',
      (world: Started['world']) =>
        change(world.user, 'KubeadmConfig', 'w-0', { metadata: { annotations: { poke: '1' } } }),
    ],
    [
      'an infrastructure object',
      (world: Started['world']) =>
        change(world.user, 'InfraMachine', 'w-0', { metadata: { annotations: { poke: '1' } } }),
    ],
    [
      'a Node',
      (world: Started['world']) => change(world.remote, 'Node', 'w-0', { metadata: { labels: { poke: '1' } } }),
    ],
  ] as const)('MA-146 %s changes -> its Machine is looked at, no other', async (_what, poke) => {
    const started = await start();
    const { world } = started;
    await putRunning(world, 'w-0');
    await putRunning(world, 'w-1');
    const others = rowsOf(started.operator, 'w-1').length;
    expect(await looksDuring(started, () => poke(world))).toBeGreaterThan(0);
    expect(rowsOf(started.operator, 'w-1')).toHaveLength(others);
  });

  test('the last Machine of a cluster goes -> its workload cluster is watched no longer; before, it is', async () => {
    const { world } = await start();
    await putRunning(world, 'w-0');
    // After an hour each watch that was open has come to its end at the server; those that are wanted are opened again.
    const watchesLater = async (): Promise<number> => {
      await world.clock.advance(3_600_000);
      await world.settle();
      return world.workload.store.watchCount();
    };
    await remove(world, 'w-0');
    expect(await find(world.user, 'Machine', 'cp-0')).toBeDefined();
    expect(await watchesLater()).toBeGreaterThan(0);
    await remove(world, 'cp-0');
    await world.settle();
    expect(await find(world.user, 'Machine', 'cp-0')).toBeUndefined();
    expect(await watchesLater()).toBe(0);
  });
});
