// Requirements whose rows alone prove little: what is asked for happens in the world, or does not.
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
  read,
  remove,
  tokens,
} from './objects.js';
import { calls, configOf, exists, lockOf, payload, says, secretOf, stateOf, tokenOf } from './readings.js';
import { createWorld, TTL_MS, type World } from './world.js';

async function prepared(given: Parameters<typeof cluster>[0] = { initialized: true }): Promise<World> {
  const world = createWorld({ hasOwnWorkload: true });
  await create(world.user, cluster(given));
  await addClusterSecrets(world.user);
  return world;
}

const initialized = (status: 'True' | 'False' | 'Unknown') => ({
  initialization: { infrastructureProvisioned: true },
  conditions: [
    {
      type: 'ControlPlaneInitialized',
      status,
      reason: 'Told',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
});

describe('kubeadmconfig worlds: what is required', () => {
  test('KC-107 file discovery, of a Machine and of a pool with and without its node: time goes by -> no token is made, read or written', async () => {
    const world = await prepared();
    const file = { kubeConfigPath: '/f', kubeConfig: { user: { exec: { command: '/x' } } } };
    await addMachine(world.user, 'w-0', { spec: { joinConfiguration: { discovery: { file } } } });
    await addPool(world.user, 'p-0', { replicas: 1 });
    await patch(world.user, 'KubeadmConfig', 'p-0', { spec: { joinConfiguration: { discovery: { file } } } });
    const operator = await world.start();
    await world.settle();
    for (const name of ['w-0', 'p-0']) {
      expect(await payload(world.user, name)).toContain('kubeadm join');
      expect(await payload(world.user, name)).not.toContain('token:');
      expect(tokenOf(await configOf(world.user, name))).toBe('');
      expect(stateOf(await configOf(world.user, name))).toBe('Done');
    }
    await patchStatus(world.user, 'MachinePool', 'p-0', { nodeRefs: [{ name: 'n-0', kind: 'Node' }] });
    await patch(world.user, 'Machine', 'w-0', { metadata: { labels: { a: 'b' } } });
    for (let look = 0; look < 4; look += 1) {
      await world.clock.advance(TTL_MS / 3);
      await world.settle(operator);
    }
    expect(await tokens(world.remote)).toEqual([]);
    expect(calls(world).filter((call) => call.includes('bootstrap-token-'))).toEqual([]);
  });

  test('CI-019 a worker, a pool and a second control plane: ControlPlaneInitialized is False, Unknown, True -> they wait, wait, go', async () => {
    const world = await prepared({ initialized: false });
    await addMachine(world.user, 'cp-0', { controlPlane: true });
    const operator = await world.start();
    await world.settle();
    const waiting = ['w-0', 'p-0', 'cp-1'];
    await addMachine(world.user, 'w-0');
    await addPool(world.user, 'p-0');
    await addMachine(world.user, 'cp-1', { controlPlane: true });
    for (const status of ['False', 'Unknown'] as const) {
      await patchStatus(world.user, 'Cluster', 'c1', initialized(status));
      await world.settle(operator);
      await world.clock.advance(60_000);
      await world.settle(operator);
      for (const name of waiting) {
        expect([status, name, stateOf(await configOf(world.user, name))]).toEqual([status, name, 'WaitingCPInit']);
        expect([status, name, await exists(secretOf(world.user, name))]).toEqual([status, name, false]);
      }
    }
    await patchStatus(world.user, 'Cluster', 'c1', initialized('True'));
    await world.settle(operator);
    for (const name of waiting) expect(await payload(world.user, name)).toContain('kubeadm join');
  });

  test('KC-015 init, join and a pool’s rotation: DataSecretAvailable turns True -> the Secret that it speaks of is there', async () => {
    const world = await prepared({ initialized: false });
    await addMachine(world.user, 'cp-0', { controlPlane: true });
    await addMachine(world.user, 'w-0');
    await addPool(world.user, 'p-0', { replicas: 1 });
    const names = ['cp-0', 'w-0', 'p-0'];
    const check = async (): Promise<readonly boolean[]> =>
      Promise.all(
        names.map(async (name) => {
          const config = await configOf(world.user, name);
          const isSaid = says(config, 'DataSecretAvailable').startsWith('True');
          const isThere = await exists(secretOf(world.user, config.status?.dataSecretName ?? name));
          expect([name, isSaid]).toEqual([name, isThere]);
          if (isThere) expect((await secretOf(world.user, name)).data['value']).not.toBe('');
          return isSaid;
        }),
      );
    const denied = { kind: 'status', code: 403, message: 'denied' } as const;
    world.setFaults({
      request: ({ verb, resource, namespace }) =>
        verb === 'create' && resource === 'secrets' && namespace === 'default' ? denied : undefined,
    });
    const operator = await world.start();
    await world.settle();
    expect(await check()).toEqual([false, false, false]);
    world.setFaults(undefined);
    await world.clock.advance(60_000);
    await world.settle(operator);
    expect(await check()).toEqual([true, false, false]);
    await patchStatus(world.user, 'Cluster', 'c1', clusterStatus({ initialized: true }));
    await world.settle(operator);
    expect(await check()).toEqual([true, true, true]);
    const first = tokenOf(await configOf(world.user, 'p-0'));
    await patchStatus(world.user, 'MachinePool', 'p-0', { nodeRefs: [{ name: 'n-0', kind: 'Node' }] });
    for (let look = 0; look < 3; look += 1) {
      await world.clock.advance(TTL_MS / 3);
      await world.settle(operator);
      await check();
    }
    const second = tokenOf(await configOf(world.user, 'p-0'));
    expect(second).not.toBe(first);
    expect(await payload(world.user, 'p-0')).toContain(second);
  });

  test('KC-063 first control plane: infrastructure not there -> nothing is made; there -> init data, and the spec that it was made from', async () => {
    const world = createWorld();
    await create(world.user, cluster({ provisioned: false }));
    await addMachine(world.user, 'cp-0', { controlPlane: true });
    const operator = await world.start();
    await world.settle();
    await world.clock.advance(60_000);
    await world.settle(operator);
    expect(await exists(secretOf(world.user, 'cp-0'))).toBe(false);
    expect(await exists(secretOf(world.user, 'c1-ca'))).toBe(false);
    expect(await exists(lockOf(world.user))).toBe(false);
    await patchStatus(world.user, 'Cluster', 'c1', clusterStatus({}));
    await world.settle(operator);
    // Keys are made by other threads.
    for (let wait = 0; wait < 200 && !(await exists(secretOf(world.user, 'cp-0'))); wait += 1)
      await world.settle(operator);
    expect(await payload(world.user, 'cp-0')).toContain('kubeadm init');
    const made = await configOf(world.user, 'cp-0');
    expect(made.spec.clusterConfiguration?.controlPlaneEndpoint).toBe('api.c1.example.com:6443');
    expect(made.status).toMatchObject({ initialization: { dataSecretCreated: true }, dataSecretName: 'cp-0' });
    expect(await exists(read(world.user, 'Secret', 'c1-ca'))).toBe(true);
  });

  test('KC-200 a pass ends with success, a wait, an error, and an error later -> each is written to the object', async () => {
    const world = await prepared();
    const joins = { joinConfiguration: { nodeRegistration: { name: 'w' } } };
    const users = [{ name: 'u', passwdFrom: { secret: { name: 'nowhere', key: 'k' } } }];
    await addMachine(world.user, 'well');
    await addMachine(world.user, 'error', { spec: { ...joins, users } });
    await create(world.user, cluster({ name: 'c2' }));
    await addMachine(world.user, 'wait', { cluster: 'c2' });
    const operator = await world.start();
    await world.settle();
    const told = async (name: string): Promise<string> => says(await configOf(world.user, name), 'DataSecretAvailable');
    expect(await told('well')).toBe('True Available');
    expect(await told('wait')).toBe('False NotAvailable Waiting for Cluster control plane to be initialized');
    expect(await told('error')).toBe('False NotAvailable Failed to read password from secrets for spec.users');
    expect(says(await configOf(world.user, 'error'), 'CertificatesAvailable')).toBe('True Available');
    expect((await configOf(world.user, 'error')).status?.observedGeneration).toBeUndefined();
    await remove(world.user, 'Secret', 'c1-ca');
    await addMachine(world.user, 'later');
    await world.settle(operator);
    expect(says(await configOf(world.user, 'later'), 'CertificatesAvailable')).toBe(
      'Unknown InternalError Please check controller logs for errors',
    );
  });
});
