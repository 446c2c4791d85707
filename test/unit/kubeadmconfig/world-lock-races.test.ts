// The init lock where caches lag or somebody gives its holder up: still at most one node is told to initialise.
import { describe, expect, test } from '@jest/globals';
import {
  addClusterSecrets,
  addMachine,
  cluster,
  clusterStatus,
  create,
  patch,
  patchStatus,
  remove,
  secret,
} from './objects.js';
import { calls, configOf, lockOf, payload, secretOf, stateOf, writes } from './readings.js';
import { createInitWorld, createWorld, type World } from './world.js';

async function uidOf(world: World, name: string): Promise<string> {
  const machine = world.server.store.get('machines.cluster.x-k8s.io', 'default', name);
  return machine?.metadata.uid ?? '';
}

async function machineUidOfLock(world: World): Promise<string> {
  const { machineUID } = JSON.parse((await lockOf(world.user)).data['lock-information'] ?? '') as Record<
    string,
    string
  >;
  return machineUID ?? '';
}

/** A control plane Machine that was created again under its name, of which the operator's cache has not heard. */
async function recreatedUnseen(): Promise<{ readonly world: World; readonly before: string }> {
  const world = createWorld();
  await create(world.user, cluster({ provisioned: false }));
  await addClusterSecrets(world.user);
  await addMachine(world.user, 'cp-0', { controlPlane: true });
  await world.start();
  await world.settle();
  const before = await uidOf(world, 'cp-0');
  const delay = { kind: 'delay', ms: 60_000 } as const;
  world.setFaults({ watchEvent: ({ resource }) => (resource === 'machines' ? delay : undefined) });
  await remove(world.user, 'KubeadmConfig', 'cp-0');
  await remove(world.user, 'Machine', 'cp-0');
  await addMachine(world.user, 'cp-0', { controlPlane: true });
  await world.settle();
  return { world, before };
}

/** An operator that waits for the end of a pause, a Secret of the data, and caches of these kinds that do not move any more. */
async function pausedBeforeData(lagging: readonly string[], act: (world: World) => Promise<void>): Promise<World> {
  const world = createWorld();
  await create(world.user, cluster({ initialized: true, spec: { paused: true } }));
  await addClusterSecrets(world.user);
  await addMachine(world.user, 'w-0');
  await world.start();
  await world.settle();
  const delay = { kind: 'delay', ms: 600_000 } as const;
  world.setFaults({ watchEvent: ({ resource }) => (lagging.includes(resource) ? delay : undefined) });
  await act(world);
  await patch(world.user, 'Cluster', 'c1', { spec: { paused: null } });
  await world.settle();
  return world;
}

async function addData(world: World, uid: string, value = '#cloud-config\n'): Promise<void> {
  const controller = {
    apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmConfig',
    name: 'w-0',
    uid,
    controller: true,
  };
  const data = { value, format: 'cloud-config' };
  await create(world.user, secret('w-0', data, { ownerReferences: [controller] }));
}

describe('kubeadmconfig worlds: data of another life, and caches that lag', () => {
  test('KC-213 KubeadmConfig created again and its data stored, the cache shows its earlier life -> the data stays', async () => {
    const world = await pausedBeforeData(['kubeadmconfigs', 'machines'], async (lagging) => {
      await remove(lagging.user, 'KubeadmConfig', 'w-0');
      await remove(lagging.user, 'Machine', 'w-0');
      await addMachine(lagging.user, 'w-0');
      await addData(lagging, (await configOf(lagging.user, 'w-0')).metadata.uid ?? '');
    });
    expect(writes(world)).not.toContain('delete secrets/default/w-0');
  });

  test('KC-213 data of an earlier life that the Machine knows by now, the cache does not say so -> the data stays', async () => {
    const world = await pausedBeforeData(['machines'], async (lagging) => {
      await addData(lagging, 'of-an-earlier-life');
      await patch(lagging.user, 'Machine', 'w-0', { spec: { bootstrap: { dataSecretName: 'w-0' } } });
    });
    expect(writes(world)).not.toContain('delete secrets/default/w-0');
  });

  test('KC-185 data that does not fit and that the Machine knows by now, the cache does not say so -> the data stays', async () => {
    const world = await pausedBeforeData(['machines'], async (lagging) => {
      await addData(lagging, (await configOf(lagging.user, 'w-0')).metadata.uid ?? '', 'kubeadm init\n');
      await patch(lagging.user, 'Machine', 'w-0', { spec: { bootstrap: { dataSecretName: 'w-0' } } });
    });
    expect(writes(world)).not.toContain('patch secrets/default/w-0');
    expect(await payload(world.user, 'w-0')).not.toContain('kubeadm join');
  });

  test('KC-213 KubeadmConfig moved with its data, the cache shows its earlier life -> the data keeps its owner', async () => {
    let uid = '';
    const world = await pausedBeforeData(['kubeadmconfigs'], async (lagging) => {
      const { spec, metadata } = await configOf(lagging.user, 'w-0');
      await remove(lagging.user, 'KubeadmConfig', 'w-0');
      const { name, namespace, ownerReferences = [] } = metadata;
      const kind = { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2', kind: 'KubeadmConfig' };
      await create(lagging.user, { ...kind, metadata: { name, namespace, ownerReferences }, spec });
      uid = (await configOf(lagging.user, 'w-0')).metadata.uid ?? '';
      await addData(lagging, uid);
      await patch(lagging.user, 'Machine', 'w-0', { spec: { bootstrap: { dataSecretName: 'w-0' } } });
    });
    expect((await secretOf(world.user, 'w-0')).metadata.ownerReferences).toMatchObject([{ uid }]);
  });

  test('data that does not fit and that nobody knows -> made again', async () => {
    const world = await pausedBeforeData([], async (fresh) =>
      addData(fresh, (await configOf(fresh.user, 'w-0')).metadata.uid ?? '', 'kubeadm init\n'),
    );
    expect(writes(world)).toContain('patch secrets/default/w-0');
    expect(await payload(world.user, 'w-0')).toContain('kubeadm join');
  });

  test('data of an earlier life that nobody knows -> removed, and made again', async () => {
    const world = await pausedBeforeData([], (fresh) => addData(fresh, 'of-an-earlier-life'));
    expect(writes(world)).toContain('delete secrets/default/w-0');
    expect(await payload(world.user, 'w-0')).toContain('kubeadm join');
  });
});

describe('kubeadmconfig worlds: races for the init lock', () => {
  test('KC-139 Machine created again, the cache shows its earlier life: lock taken -> names the life that there is', async () => {
    const { world, before } = await recreatedUnseen();
    await patchStatus(world.user, 'Cluster', 'c1', clusterStatus({}));
    await world.settle();
    expect(await uidOf(world, 'cp-0')).not.toBe(before);
    const lock = await lockOf(world.user);
    expect(await machineUidOfLock(world)).toBe(await uidOf(world, 'cp-0'));
    await world.clock.advance(120_000);
    await world.settle();
    expect((await lockOf(world.user)).metadata.uid).toBe(lock.metadata.uid);
    expect(stateOf(await configOf(world.user, 'cp-0'))).toBe('Initializing');
  });

  test('KC-146 lock of the earlier life of a Machine, which the cache still shows: found -> not ours, replaced before data is stored', async () => {
    const { world, before } = await recreatedUnseen();
    await create(world.user, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c1-lock', namespace: 'default', labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
      data: { 'lock-information': JSON.stringify({ machineName: 'cp-0', machineUID: before }) },
    });
    await world.settle();
    await patchStatus(world.user, 'Cluster', 'c1', clusterStatus({}));
    await world.settle();
    await world.clock.advance(120_000);
    await world.settle();
    expect(await machineUidOfLock(world)).toBe(await uidOf(world, 'cp-0'));
    expect(writes(world).filter((write) => !write.includes('kubeadmconfigs'))).toEqual([
      'delete configmaps/default/c1-lock',
      'create configmaps/default',
      'create secrets/default',
    ]);
    expect(await payload(world.user, 'cp-0')).toContain('kubeadm init');
  });

  test('KC-144 Machine as the cache shows it: lock taken -> no other call for it', async () => {
    const world = await createInitWorld();
    await world.start();
    await world.settle();
    expect(calls(world).filter((call) => call.includes('machines'))).toEqual([]);
  });

  test('KC-139 holder failed for good while its data is on its way: stored -> its Machine is not told of it', async () => {
    const world = await createInitWorld();
    const deprecated = { v1beta1: { failureReason: 'Broken', failureMessage: 'given up' } };
    let failing: Promise<unknown> | undefined;
    world.setFaults({
      request({ verb, resource, namespace }) {
        if (verb !== 'create' || resource !== 'secrets' || namespace !== 'default' || failing !== undefined) return;
        failing = patchStatus(world.user, 'KubeadmConfig', 'cp-0', { deprecated });
        return { kind: 'delay', ms: 0 };
      },
    });
    await world.start();
    await world.settle();
    await failing;
    expect(failing).toBeDefined();
    expect((await secretOf(world.user, 'cp-0')).metadata.name).toBe('cp-0');
    expect((await configOf(world.user, 'cp-0')).status?.initialization?.dataSecretCreated).not.toBe(true);
  });
});
