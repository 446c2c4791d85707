import { describe, expect, test } from '@jest/globals';
import type { StoredConfigMap } from '../../../src/controllers/machine/objects.js';
import type { Settings } from '../../../src/controllers/machine/ports.js';
import { readEnvelope } from '../../../src/host/envelope.js';
import { at, change, find, machine, put, putCluster, putMachine, putObjects, putRunning, remove } from './objects.js';
import { createWorld, type Operator, type World } from './world.js';

type Store = Settings['snapshotStore'];
const stores = [['status'], ['annotation'], ['configmap']] as const;

const writes = ({ seen }: World): readonly string[] =>
  seen.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb)).map(({ verb, what }) => `${verb} ${what}`);

/** The snapshot as it lies in the cluster. */
async function storedRest(world: World, store: Store) {
  const stored = await machine(world);
  const configMap = await find<StoredConfigMap>(world.user, 'ConfigMap', 'w-0-machine-actor');
  const text =
    store === 'status'
      ? stored.status?.conditions?.find(({ type }) => type === 'ActorState')?.message
      : store === 'annotation'
        ? stored.metadata.annotations?.['kubeadm-bootstrap-operator/actor']
        : configMap?.data?.['actor'];
  const read = readEnvelope(text ?? 'none', stored.metadata.uid ?? '');
  return 'rest' in read ? read.rest : read;
}

const restOf = ({ host }: Operator) => host.rest('default/w-0')?.rest;

/** A change that says nothing to the Machine, but wakes it. */
const poke = (world: World, value: string): Promise<void> =>
  change(world.user, 'InfraMachine', 'w-0', { metadata: { annotations: { poke: value } } });

describe('Machine: snapshots', () => {
  test.each(stores)('store %s: a settled Machine is looked at again and again -> no write', async (snapshotStore) => {
    const world = createWorld();
    const operator = await world.start({ snapshotStore });
    await putCluster(world);
    await putRunning(world);
    const turns = operator.transitions.length;
    world.seen.length = 0;
    for (const value of ['1', '2', '3']) {
      await poke(world, value);
      await world.settle();
    }
    expect(operator.transitions.length).toBeGreaterThanOrEqual(turns + 3);
    expect(writes(world)).toEqual([]);
    operator.kill();
  });

  test.each(stores)('store %s: a deletion that waits is looked at again -> no write', async (snapshotStore) => {
    const world = createWorld();
    const operator = await world.start({ snapshotStore });
    await putCluster(world);
    await putRunning(world);
    await world.user.mergePatch(at('InfraMachine', 'w-0'), { metadata: { finalizers: ['test/holds'] } });
    await remove(world);
    expect(restOf(operator)?.value).toEqual({ Deleting: 'DeletingInfrastructure' });
    world.seen.length = 0;
    for (const value of ['1', '2', '3']) {
      await poke(world, value);
      await world.settle();
    }
    expect(writes(world)).toEqual([]);
    operator.kill();
  });

  test.each(stores)(
    'store %s: restarted later -> since comes from the snapshot, and nothing is written',
    async (snapshotStore) => {
      const world = createWorld();
      const first = await world.start({ snapshotStore });
      await putCluster(world);
      await putRunning(world);
      const before = restOf(first);
      expect(before?.value).toBe('Running');
      expect(await storedRest(world, snapshotStore)).toMatchObject({
        value: 'Running',
        context: { sinceMs: before?.context.sinceMs, row: before?.context.row },
      });
      first.kill();
      await world.clock.advance(3_600_000);
      world.seen.length = 0;
      const second = await world.start({ snapshotStore });
      await world.settle();
      expect(restOf(second)?.context.sinceMs).toBe(before?.context.sinceMs);
      expect(writes(world)).toEqual([]);
      second.kill();
    },
  );

  test('store none: restarted later -> the state is derived again, since now', async () => {
    const world = createWorld();
    const first = await world.start({ snapshotStore: 'none' });
    await putCluster(world);
    await putRunning(world);
    first.kill();
    await world.clock.advance(3_600_000);
    const second = await world.start({ snapshotStore: 'none' });
    await world.settle();
    expect(restOf(second)?.value).toBe('Running');
    expect(restOf(second)?.context.sinceMs).toBeGreaterThanOrEqual(1_700_000_000_000 + 3_600_000);
    second.kill();
  });

  test('store configmap: an object without status -> its state is kept, labelled and owned by the Machine', async () => {
    const world = createWorld();
    const operator = await world.start({ snapshotStore: 'configmap' });
    await putCluster(world);
    await putMachine(world, 'w-0');
    await world.settle();
    const { metadata } = await machine(world);
    const configMap = await find(world.user, 'ConfigMap', 'w-0-machine-actor');
    expect(configMap?.metadata.labels).toEqual({ 'cluster.x-k8s.io/cluster-name': 'c1' });
    expect(configMap?.metadata.ownerReferences).toMatchObject([{ kind: 'Machine', name: 'w-0', uid: metadata.uid }]);
    expect(await storedRest(world, 'configmap')).toMatchObject({ value: 'Pending' });
    await putObjects(world, 'w-0');
    await world.settle();
    expect(await storedRest(world, 'configmap')).toMatchObject({ value: 'Provisioned' });
    operator.kill();
  });

  test('store configmap: a snapshot that somebody deletes or spoils -> written anew with the next look', async () => {
    const world = createWorld();
    const operator = await world.start({ snapshotStore: 'configmap' });
    await putCluster(world);
    await putRunning(world);
    await change(world.user, 'ConfigMap', 'w-0-machine-actor', { data: { actor: 'spoilt' } });
    await poke(world, '1');
    await world.settle();
    expect(await storedRest(world, 'configmap')).toMatchObject({ value: 'Running' });
    await change(world.user, 'ConfigMap', 'w-0-machine-actor', {
      metadata: { labels: { 'cluster.x-k8s.io/cluster-name': null } },
    });
    await poke(world, '2');
    await world.settle();
    const labels = (await find(world.user, 'ConfigMap', 'w-0-machine-actor'))?.metadata.labels;
    expect(labels).toEqual({ 'cluster.x-k8s.io/cluster-name': 'c1' });
    operator.kill();
  });

  test('store configmap: a snapshot of a Machine that had the same name -> not taken over', async () => {
    const world = createWorld();
    await putCluster(world);
    await put(world.user, 'ConfigMap', 'w-0-machine-actor', {
      metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
      data: {
        actor: JSON.stringify({
          v: 1,
          uid: 'another-life',
          since: '2020-01-01T00:00:00Z',
          snapshot: { value: 'Running', context: { row: 'M24', sinceMs: 1, wakeAtMs: null } },
        }),
      },
    });
    const operator = await world.start({ snapshotStore: 'configmap' });
    await putRunning(world);
    expect(restOf(operator)?.context.sinceMs).toBeGreaterThanOrEqual(1_700_000_000_000);
    expect(operator.logs).toContainEqual(expect.objectContaining({ msg: 'Snapshot discarded' }));
    operator.kill();
  });
});
