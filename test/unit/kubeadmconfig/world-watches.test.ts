import { describe, expect, test } from '@jest/globals';
import {
  addClusterSecrets,
  addMachine,
  addPool,
  cluster,
  clusterStatus,
  create,
  patch,
  patchStatus,
  remove,
  secret,
} from './objects.js';
import { configOf, exists, lockOf, payload, says, secretOf, stateOf } from './readings.js';
import { createInitWorld, createWorld, type Operator, type World } from './world.js';

const endpoint = { host: 'api.example.com', port: 6443 };

/** Who got a turn from what `act` does, by name. The clock stands still: no timer can have brought it. */
async function wokenBy(world: World, operator: Operator, act: () => Promise<unknown>): Promise<readonly string[]> {
  const nowMs = world.clock.nowMs();
  operator.transitions.length = 0;
  await act();
  await world.settle(operator);
  expect(world.clock.nowMs()).toBe(nowMs);
  return [...new Set(operator.transitions.map(({ key }) => key.replace('default/', '')))].toSorted();
}

/** Which of these have data. */
async function withData(world: World, names: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(names.map((name) => exists(secretOf(world.user, name))));
  return names.filter((_, index) => found[index]);
}

async function running(world: World): Promise<Operator> {
  const operator = await world.start();
  await world.settle();
  return operator;
}

describe('kubeadmconfig worlds: what wakes those who wait, and nobody else', () => {
  test('ControlPlaneInitialized: holder, rival, workers and a pool wait -> all of that cluster at once; then nobody', async () => {
    const world = createWorld();
    await create(world.user, cluster());
    await create(world.user, cluster({ name: 'c2' }));
    await addClusterSecrets(world.user);
    await addMachine(world.user, 'cp-0', { controlPlane: true });
    const operator = await running(world);
    await addMachine(world.user, 'cp-1', { controlPlane: true });
    await addMachine(world.user, 'w-0');
    await addPool(world.user, 'p-0');
    await addMachine(world.user, 'elsewhere', { cluster: 'c2' });
    await world.settle();
    const initialize = () => patchStatus(world.user, 'Cluster', 'c1', clusterStatus({ initialized: true }));
    expect(await wokenBy(world, operator, initialize)).toEqual(['cp-0', 'cp-1', 'p-0', 'w-0']);
    expect(await withData(world, ['cp-1', 'p-0', 'w-0', 'elsewhere'])).toEqual(['cp-1', 'p-0', 'w-0']);
    const more = () =>
      patchStatus(world.user, 'Cluster', 'c1', { ...clusterStatus({ initialized: true }), phase: 'Provisioned' });
    expect(await wokenBy(world, operator, more)).toEqual([]);
  });

  test('endpoint: set -> those without data, not those who have it, not those of another cluster', async () => {
    const world = createWorld();
    await create(world.user, cluster({ initialized: true, endpoint: false }));
    await create(world.user, cluster({ initialized: true, endpoint: false, name: 'c2' }));
    for (const name of ['c1', 'c2']) await addClusterSecrets(world.user, { name });
    const own = { joinConfiguration: { discovery: { bootstrapToken: { apiServerEndpoint: 'mine:6443' } } } };
    await addMachine(world.user, 'has-data', { spec: own });
    await addMachine(world.user, 'w-0');
    await addMachine(world.user, 'w-1');
    await addMachine(world.user, 'elsewhere', { cluster: 'c2' });
    const operator = await running(world);
    expect(await withData(world, ['has-data', 'w-0', 'w-1'])).toEqual(['has-data']);
    const set = () => patch(world.user, 'Cluster', 'c1', { spec: { controlPlaneEndpoint: endpoint } });
    expect(await wokenBy(world, operator, set)).toEqual(['w-0', 'w-1']);
    expect(await withData(world, ['w-0', 'w-1'])).toEqual(['w-0', 'w-1']);
  });

  test('kubeconfig mended: connected -> those that wait for the connection, nobody who does not', async () => {
    const world = createWorld();
    await create(world.user, cluster({ initialized: true }));
    await addClusterSecrets(world.user, { kubeconfig: 'broken' });
    const file = { kubeConfigPath: '/f', kubeConfig: { user: { exec: { command: '/x' } } } };
    await addMachine(world.user, 'no-token', { spec: { joinConfiguration: { discovery: { file } } } });
    for (const name of ['w-0', 'w-1', 'w-2']) await addMachine(world.user, name);
    const operator = await running(world);
    expect(await withData(world, ['no-token', 'w-0', 'w-1', 'w-2'])).toEqual(['no-token']);
    const mend = () =>
      patch(world.user, 'Secret', 'c1-kubeconfig', { data: { value: Buffer.from('working').toString('base64') } });
    expect(await wokenBy(world, operator, mend)).toEqual(['w-0', 'w-1', 'w-2']);
    expect(await withData(world, ['w-0', 'w-1', 'w-2'])).toEqual(['w-0', 'w-1', 'w-2']);
  });

  test('connection back: the first retry succeeds -> all that wait for it go on in that instant', async () => {
    const world = createWorld();
    await create(world.user, cluster({ initialized: true }));
    await addClusterSecrets(world.user);
    world.isReachable = false;
    const names = ['w-0', 'w-1', 'w-2'];
    for (const name of names) await addMachine(world.user, name);
    const operator = await running(world);
    await world.clock.advance(120_000);
    await world.settle();
    operator.transitions.length = 0;
    world.isReachable = true;
    await world.clock.advance(31_000);
    await world.settle();
    const atMs = operator.transitions.filter(({ event }) => event === 'DATA_STORED').map((note) => note.atMs);
    expect(atMs).toHaveLength(3);
    expect(new Set(atMs).size).toBe(1);
  });

  test('a new connection that nobody waits for: made for a late Machine -> no turn for those who keep their tokens', async () => {
    const world = createWorld();
    await create(world.user, cluster({ initialized: true }));
    await addClusterSecrets(world.user);
    await addMachine(world.user, 'w-0');
    await addMachine(world.user, 'w-1');
    const operator = await running(world);
    await world.clock.advance(120_000);
    await world.settle();
    expect(operator.workload.state({ namespace: 'default', name: 'c1' }).kind).toBe('none');
    expect(await wokenBy(world, operator, () => addMachine(world.user, 'late'))).toEqual(['late']);
    expect(await withData(world, ['late'])).toEqual(['late']);
  });

  test('lock released by hand: two rivals and a worker wait -> the rivals, not the worker, not the rivals of another cluster', async () => {
    const world = createWorld();
    for (const name of ['c1', 'c2']) {
      await create(world.user, cluster({ name }));
      await addClusterSecrets(world.user, { name });
    }
    await addMachine(world.user, 'cp-0', { controlPlane: true });
    await addMachine(world.user, 'x-0', { controlPlane: true, cluster: 'c2' });
    const operator = await running(world);
    for (const name of ['cp-1', 'cp-2']) await addMachine(world.user, name, { controlPlane: true });
    await addMachine(world.user, 'x-1', { controlPlane: true, cluster: 'c2' });
    await addMachine(world.user, 'w-0');
    await world.settle();
    expect(await wokenBy(world, operator, () => remove(world.user, 'ConfigMap', 'c1-lock'))).toEqual(['cp-1', 'cp-2']);
    expect(JSON.parse((await lockOf(world.user)).data['lock-information'] ?? '')).toMatchObject({
      machineName: expect.stringMatching(/^cp-[12]$/),
    });
  });

  test('holder deleted: Machine, and KubeadmConfig with its data -> the rivals, not the worker; one of them initialises', async () => {
    const holderIsGone: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
      Machine: (world) => remove(world.user, 'Machine', 'cp-0'),
      KubeadmConfig: async (world) => {
        await remove(world.user, 'KubeadmConfig', 'cp-0');
        await remove(world.user, 'Secret', 'cp-0');
      },
    };
    for (const [what, act] of Object.entries(holderIsGone)) {
      const world = createWorld();
      await create(world.user, cluster());
      await addClusterSecrets(world.user);
      await addMachine(world.user, 'cp-0', { controlPlane: true });
      const operator = await running(world);
      for (const name of ['cp-1', 'cp-2']) await addMachine(world.user, name, { controlPlane: true });
      await addMachine(world.user, 'w-0');
      await world.settle();
      const woken = await wokenBy(world, operator, () => act(world));
      expect([what, woken.filter((name) => name !== 'cp-0')]).toEqual([what, ['cp-1', 'cp-2']]);
      const states = await Promise.all(['cp-1', 'cp-2'].map(async (name) => stateOf(await configOf(world.user, name))));
      expect([what, states.toSorted()]).toEqual([what, ['Initializing', 'WaitingCPInit']]);
    }
  });

  test('holder’s KubeadmConfig deleted, later its data: the lock -> kept by the data, taken as soon as the data has gone', async () => {
    const world = await createInitWorld();
    const operator = await running(world);
    await addMachine(world.user, 'cp-1', { controlPlane: true });
    await world.settle();
    expect(await wokenBy(world, operator, () => remove(world.user, 'KubeadmConfig', 'cp-0'))).toEqual(['cp-1']);
    expect(stateOf(await configOf(world.user, 'cp-1'))).toBe('WaitingCPInit');
    expect(await wokenBy(world, operator, () => remove(world.user, 'Secret', 'cp-0'))).toEqual(['cp-1']);
    expect(await payload(world.user, 'cp-1')).toContain('kubeadm init');
  });

  test('a rival deleted: it holds nothing -> nobody wakes', async () => {
    const world = await createInitWorld();
    const operator = await running(world);
    for (const name of ['cp-1', 'cp-2']) await addMachine(world.user, name, { controlPlane: true });
    await world.settle();
    const act = async () => {
      await remove(world.user, 'KubeadmConfig', 'cp-1');
      await remove(world.user, 'Machine', 'cp-1');
    };
    expect(await wokenBy(world, operator, act)).toEqual([]);
  });
});

describe('kubeadmconfig worlds: a missing Secret appears', () => {
  const source = (name: string) => ({ secret: { name, key: 'k' } });
  const joins = { joinConfiguration: { nodeRegistration: { name: 'w' } } };

  for (const isLabelled of [true, false]) {
    const how = isLabelled ? 'with the cluster label' : 'without any label';
    test(`for a file, a user, a CA, a kubeconfig: created ${how} -> exactly those who wait for it, at once`, async () => {
      const world = createWorld();
      for (const [name, without, kubeconfig] of [
        ['c1', [], 'working'],
        ['c2', ['ca'], 'working'],
        ['c3', [], null],
        ['c4', ['etcd'], 'working'],
      ] as const) {
        const controlPlaneRef = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: 'cp' };
        const spec = name === 'c4' ? { controlPlaneRef } : {};
        await create(world.user, cluster({ name, initialized: name !== 'c4', spec }));
        await addClusterSecrets(world.user, { name, without, kubeconfig });
      }
      await addMachine(world.user, 'of-file', {
        spec: { ...joins, files: [{ path: '/f', contentFrom: source('f') }] },
      });
      await addMachine(world.user, 'of-user', { spec: { ...joins, users: [{ name: 'u', passwdFrom: source('u') }] } });
      await addMachine(world.user, 'of-ca-0', { cluster: 'c2' });
      await addMachine(world.user, 'of-ca-1', { cluster: 'c2', controlPlane: true, spec: joins });
      await addMachine(world.user, 'of-kubeconfig', { cluster: 'c3' });
      await addMachine(world.user, 'of-etcd', { cluster: 'c4', controlPlane: true });
      await addMachine(world.user, 'settled');
      const operator = await running(world);
      const waiting = ['of-file', 'of-user', 'of-ca-0', 'of-ca-1', 'of-kubeconfig', 'of-etcd'];
      expect(await withData(world, waiting)).toEqual([]);

      const labels = isLabelled ? { 'cluster.x-k8s.io/cluster-name': 'c1' } : {};
      const ca = await secretOf(world.user, 'c1-ca');
      const appear = async (name: string, data: Readonly<Record<string, string>>) =>
        wokenBy(world, operator, () => create(world.user, { ...secret(name, {}, { labels }), data }));
      expect(await appear('unrelated', { k: 'eA==' })).toEqual([]);
      expect(await appear('f', { k: 'eA==' })).toEqual(['of-file']);
      expect(await appear('u', { other: 'eA==' })).toEqual(['of-user']);
      expect(await withData(world, waiting)).toEqual(['of-file']);
      const addKey = () => patch(world.user, 'Secret', 'u', { data: { k: 'eA==' } });
      expect(await wokenBy(world, operator, addKey)).toEqual(['of-user']);
      expect(await appear('c2-ca', ca.data)).toEqual(['of-ca-0', 'of-ca-1']);
      expect(await appear('c3-kubeconfig', { value: Buffer.from('working').toString('base64') })).toEqual([
        'of-kubeconfig',
      ]);
      expect(await appear('c4-etcd', ca.data)).toEqual(['of-etcd']);
      expect(await withData(world, waiting)).toEqual(waiting);
      expect(says(await configOf(world.user, 'of-etcd'), 'Ready')).toBe('True Ready');
    });
  }
});

test('kubeadmconfig worlds: the stream of names breaks just when the missing Secret is made -> who waits for it is woken when the stream is back, long before its backoff ends', async () => {
  const world = createWorld();
  await create(world.user, cluster({ initialized: true }));
  await addClusterSecrets(world.user);
  const joins = { joinConfiguration: { nodeRegistration: { name: 'w' } } };
  const contentFrom = { secret: { name: 'f', key: 'k' } };
  await addMachine(world.user, 'waits', { spec: { ...joins, files: [{ path: '/f', contentFrom }] } });
  await addMachine(world.user, 'settled', {
    spec: {
      joinConfiguration: {
        discovery: { file: { kubeConfigPath: '/f', kubeConfig: { user: { exec: { command: '/x' } } } } },
      },
    },
  });
  const operator = await running(world);
  // By then the next try of its own is ten minutes away.
  await world.clock.advance(700_000);
  operator.transitions.length = 0;
  world.setFaults({
    watchEvent: ({ resource }, { object }) =>
      resource === 'secrets' && object.metadata.name === 'f' ? { kind: 'gone' } : undefined,
  });
  await create(world.user, { ...secret('f', {}, { labels: {} }), data: { k: 'eA==' } });
  await world.settle(operator);
  world.setFaults(undefined);
  await world.clock.advance(60_000);
  await world.settle(operator);
  expect([...new Set(operator.transitions.map(({ key }) => key))]).toEqual(['default/waits']);
  expect(await withData(world, ['waits', 'settled'])).toEqual(['waits', 'settled']);
});
