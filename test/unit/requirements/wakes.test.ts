// Who wakes a KubeadmConfig. The clock stands still: only an event can have brought what is seen.
import { describe, expect, test } from '@jest/globals';
import { FEATURE_GATES } from '../../../src/cli/feature-gates.js';
import { RUN_FLAGS } from '../../../src/cli/run-flags.js';
import { validateKubeadmConfig } from '../../../src/api/kubeadmconfig/validation.js';
import {
  addClusterSecrets,
  addMachine,
  addPool,
  cluster,
  clusterStatus,
  config,
  create,
  machine,
  patch,
  patchStatus,
  pool,
  read,
  remove,
  secret,
} from '../kubeadmconfig/objects.js';
import { createWorld, type World } from '../kubeadmconfig/world.js';

const joins = { joinConfiguration: { nodeRegistration: { name: 'w' } } };

function hasData(world: World, name: string): boolean {
  return world.server.store.get('secrets', 'default', name) !== undefined;
}

/** An initialised cluster in which everything can join. */
async function joinable(options: { readonly hasMachinePools?: boolean } = {}): Promise<World> {
  const world = createWorld();
  await create(world.user, cluster({ initialized: true }));
  await addClusterSecrets(world.user);
  await world.start(options);
  await world.settle();
  return world;
}

describe('kubeadmconfig: what wakes it', () => {
  test('KC-006 BC-019 KubeadmConfig: created beside its Machine -> data at once', async () => {
    const world = await joinable();
    const owner = await create(world.user, machine('w-0'));
    await world.settle();
    expect(hasData(world, 'w-0')).toBe(false);
    await create(world.user, config(owner, 'w-0', joins));
    await world.settle();
    expect(hasData(world, 'w-0')).toBe(true);
  });

  test('BC-020 KubeadmConfig: created, changed, deleted -> each is answered', async () => {
    const world = await joinable();
    const wrong = { joinConfiguration: { ...joins.joinConfiguration, controlPlane: {} } };
    await addMachine(world.user, 'w-0', { spec: wrong });
    await world.settle();
    const refused = await read<{ status: { conditions: { type: string; message: string }[] } }>(
      world.user,
      'KubeadmConfig',
      'w-0',
    );
    expect(refused.status.conditions.find(({ type }) => type === 'DataSecretAvailable')?.message).toContain('Worker');
    await patch(world.user, 'KubeadmConfig', 'w-0', { spec: { joinConfiguration: { controlPlane: null } } });
    await world.settle();
    expect(hasData(world, 'w-0')).toBe(true);
    await remove(world.user, 'KubeadmConfig', 'w-0');
    await world.settle();
    world.seen.length = 0;
    await world.clock.advance(3_600_000);
    expect(world.seen).toEqual([]);
  });

  test('KC-007 Machine: created after the KubeadmConfig that names it -> data at once', async () => {
    const world = await joinable();
    const { uid = '' } = (await create(world.user, machine('w-0'))).metadata;
    await patch(world.user, 'Machine', 'w-0', { spec: { clusterName: 'c2' } }).catch(() => undefined);
    const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', metadata: { name: 'w-1', uid } };
    await create(world.user, config(owner, 'w-1', joins));
    await world.settle();
    expect(hasData(world, 'w-1')).toBe(false);
    await create(world.user, machine('w-1'));
    await world.settle();
    expect(hasData(world, 'w-1')).toBe(true);
  });

  test('KC-008 MachinePool: created after its KubeadmConfig -> data at once, with the gate; never without', async () => {
    for (const hasMachinePools of [true, false]) {
      const world = await joinable({ hasMachinePools });
      const owner = {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'MachinePool',
        metadata: { name: 'p-0', uid: 'u' },
      };
      await create(world.user, config(owner, 'p-0', joins));
      await world.settle();
      expect(hasData(world, 'p-0')).toBe(false);
      await create(world.user, pool('p-0'));
      await world.settle();
      expect(hasData(world, 'p-0')).toBe(hasMachinePools);
    }
  });

  test('KC-009 Cluster: infrastructure, initialisation, endpoint -> every KubeadmConfig of it is looked at, no other', async () => {
    const world = createWorld();
    await create(world.user, cluster({ provisioned: false, endpoint: false }));
    await create(world.user, cluster({ provisioned: false, endpoint: false, name: 'c2' }));
    await addClusterSecrets(world.user);
    const names = ['w-0', 'w-1', 'w-2'];
    for (const name of names) await addMachine(world.user, name);
    await addMachine(world.user, 'other', { cluster: 'c2' });
    const operator = await world.start();
    await world.settle();
    operator.transitions.length = 0;
    await patchStatus(world.user, 'Cluster', 'c1', clusterStatus({ initialized: true }));
    await world.settle();
    const keys = new Set(operator.transitions.map(({ key }) => key));
    expect([...keys].sort()).toEqual(names.map((name) => `default/${name}`));
    expect(names.map((name) => hasData(world, name))).toEqual([false, false, false]);
    await patch(world.user, 'Cluster', 'c1', {
      spec: { controlPlaneEndpoint: { host: 'api.c1.example.com', port: 6443 } },
    });
    await world.settle();
    expect(names.map((name) => hasData(world, name))).toEqual([true, true, true]);
    expect(hasData(world, 'other')).toBe(false);
  });

  test('KC-010 workload connection: possible at last -> those who wait for it get their data', async () => {
    const world = createWorld();
    await create(world.user, cluster({ initialized: true }));
    await addClusterSecrets(world.user, { kubeconfig: null });
    await addMachine(world.user, 'w-0');
    await world.start();
    await world.settle();
    expect(hasData(world, 'w-0')).toBe(false);
    await create(world.user, secret('c1-kubeconfig', { value: 'working' }));
    await world.settle();
    expect(hasData(world, 'w-0')).toBe(true);
  });

  test('KC-035 KC-053 no object, no owner, no Cluster: looked at -> no write and no error', async () => {
    const world = createWorld();
    await create(world.user, config(null, 'alone', joins));
    await addMachine(world.user, 'w-0', { cluster: 'missing' });
    const operator = await world.start();
    operator.host.wake('default/never', { kind: 'changed', resource: 'KubeadmConfig' } as never);
    await world.settle();
    await world.clock.advance(600_000);
    expect(world.seen.filter(({ verb }) => verb !== 'get')).toEqual([]);
    expect(operator.logs.filter(({ level }) => level === 'error')).toEqual([]);
  });
});

describe('kubeadmconfig: names, flags and gates', () => {
  test('BC-013 BC-014 BC-026 data Secret: two worlds with other randomness -> the KubeadmConfig’s name in both', async () => {
    for (const seed of [1, 99]) {
      const world = createWorld({ seed });
      await create(world.user, cluster({ initialized: true }));
      await addClusterSecrets(world.user);
      await addMachine(world.user, 'w-0');
      await world.start();
      await world.settle();
      const { status } = await read<{ status: { dataSecretName: string } }>(world.user, 'KubeadmConfig', 'w-0');
      expect(status.dataSecretName).toBe('w-0');
      expect(hasData(world, 'w-0')).toBe(true);
    }
  });

  test('KC-186 --bootstrap-token-ttl: not given -> 15 minutes', () => {
    expect(RUN_FLAGS.find(({ name }) => name === 'bootstrap-token-ttl')).toMatchObject({
      kind: 'duration',
      default: '15m',
    });
  });

  test('KC-152 format ignition: gate off, on -> refused by its field, allowed', () => {
    const object = { spec: { ...joins, format: 'ignition' } };
    const fields = (isOn: boolean): readonly string[] => {
      const validation = validateKubeadmConfig(object, { KubeadmBootstrapFormatIgnition: isOn });
      return 'errors' in validation ? validation.errors.map(({ field }) => field) : [validation.unreadable];
    };
    expect(FEATURE_GATES.KubeadmBootstrapFormatIgnition.default).toBe(false);
    expect(fields(false)).toEqual(['spec.format']);
    expect(fields(true)).toEqual([]);
  });

  test('KC-199 gate MachinePool: off -> a pool’s token is never replaced; on -> it is', async () => {
    for (const hasMachinePools of [true, false]) {
      const world = createWorld();
      await create(world.user, cluster({ initialized: true }));
      await addClusterSecrets(world.user);
      await addPool(world.user, 'p-0', { replicas: 1 });
      const first = await world.start();
      await world.settle();
      await first.stop();
      const token = async (): Promise<string> => {
        const { spec } = await read<{ spec: typeof joins & { joinConfiguration: { discovery?: object } } }>(
          world.user,
          'KubeadmConfig',
          'p-0',
        );
        return JSON.stringify(spec.joinConfiguration.discovery);
      };
      await patchStatus(world.user, 'MachinePool', 'p-0', { nodeRefs: [{ name: 'n', kind: 'Node' }] });
      const before = await token();
      expect(before).toContain('token');
      await world.start({ hasMachinePools });
      await world.settle();
      await world.clock.advance(700_000);
      expect((await token()) !== before).toBe(hasMachinePools);
    }
  });
});
