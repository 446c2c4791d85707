import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../src/kube/contract.js';
import { addClusterSecrets, addMachine, addPool, cluster, config, create, patch, read, remove } from './objects.js';
import { configOf, exists, payload, says, secretOf, tokenOf } from './readings.js';
import { createWorld, TTL_MS, type Operator, type World } from './world.js';

interface Pool {
  readonly world: World;
  readonly operator: Operator;
}

const bootstrapOf = (bootstrap: object): Parameters<typeof patch>[3] => ({
  spec: { template: { spec: { bootstrap } } },
});

/** Refers the pool to another KubeadmConfig, as a user does. */
const refer = (world: World, name: string): Promise<KubeObject> =>
  patch(
    world.user,
    'MachinePool',
    'p',
    bootstrapOf({ configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name } }),
  );

/** The MachinePool controller: the pool keeps the old name until the KubeadmConfig that it refers to says that its data is there. */
async function tellPool({ world, operator }: Pool, name: string): Promise<void> {
  const { status } = await configOf(world.user, name);
  if (status?.initialization?.dataSecretCreated !== true) return;
  await patch(world.user, 'MachinePool', 'p', bootstrapOf({ dataSecretName: status.dataSecretName }));
  await world.settle(operator);
}

async function poolsData(world: World): Promise<string> {
  const pool = await read<{ spec: { template: { spec: { bootstrap: { dataSecretName?: string } } } } }>(
    world.user,
    'MachinePool',
    'p',
  );
  return pool.spec.template.spec.bootstrap.dataSecretName ?? '';
}

async function pool(): Promise<Pool> {
  const world = createWorld({ hasOwnWorkload: true, garbageCollector: true });
  await create(world.user, cluster({ initialized: true }));
  await addClusterSecrets(world.user);
  await addPool(world.user, 'p', { replicas: 1 });
  const operator = await world.start();
  await world.settle();
  await tellPool({ world, operator }, 'p');
  return { world, operator };
}

/** Rolls the pool out with a second KubeadmConfig. */
async function rolledOut(): Promise<Pool> {
  const at = await pool();
  const { world, operator } = at;
  const owner = await read(world.user, 'MachinePool', 'p');
  const spec = { preKubeadmCommands: ['echo new'], joinConfiguration: { nodeRegistration: { name: 'w' } } };
  await create(world.user, config(owner, 'p-new', spec));
  await refer(world, 'p-new');
  await world.settle(operator);
  return at;
}

describe('kubeadmconfig worlds: a pool is rolled out by another KubeadmConfig', () => {
  test('Q-14 a pool that still names the old data: referred to a new KubeadmConfig -> data of its own, with its commands and its token', async () => {
    const { world } = await rolledOut();
    const made = await configOf(world.user, 'p-new');
    expect(made.status).toMatchObject({ initialization: { dataSecretCreated: true }, dataSecretName: 'p-new' });
    expect(await payload(world.user, 'p-new')).toContain('echo new');
    expect(await payload(world.user, 'p-new')).toContain(tokenOf(made));
    expect(await poolsData(world)).toBe('p');
  });

  test('Q-14 rolled out: time goes by -> the old KubeadmConfig keeps its data, its name and its token', async () => {
    const at = await rolledOut();
    const before = await configOf(at.world.user, 'p');
    await tellPool(at, 'p-new');
    await at.world.clock.advance(TTL_MS / 3);
    await at.world.settle(at.operator);
    const after = await configOf(at.world.user, 'p');
    expect(await poolsData(at.world)).toBe('p-new');
    expect(after.status?.dataSecretName).toBe('p');
    expect(tokenOf(after)).toBe(tokenOf(before));
    expect(await payload(at.world.user, 'p')).not.toContain('echo new');
  });

  test('Q-14 rolled out: referred to the old KubeadmConfig again -> the pool gets the old data, the new one keeps its own', async () => {
    const at = await rolledOut();
    await tellPool(at, 'p-new');
    await refer(at.world, 'p');
    await at.world.settle(at.operator);
    await tellPool(at, 'p');
    expect(await poolsData(at.world)).toBe('p');
    for (const name of ['p', 'p-new']) {
      const each = await configOf(at.world.user, name);
      expect(each.status?.dataSecretName).toBe(name);
      expect(await payload(at.world.user, name)).toContain(tokenOf(each));
      expect(says(each, 'DataSecretAvailable')).toBe('True Available');
    }
  });

  test('Q-14 rolled out: the old KubeadmConfig deleted -> its data goes, that of the new one stays and its token lives on', async () => {
    const at = await rolledOut();
    const { world, operator } = at;
    await tellPool(at, 'p-new');
    await remove(world.user, 'KubeadmConfig', 'p');
    await world.settle(operator);
    await world.clock.advance(TTL_MS * 2);
    await world.settle(operator);
    expect(await exists(secretOf(world.user, 'p'))).toBe(false);
    const made = await configOf(world.user, 'p-new');
    expect(await poolsData(world)).toBe('p-new');
    expect(await payload(world.user, 'p-new')).toContain(tokenOf(made));
    const [id] = tokenOf(made).split('.');
    expect(await exists(read(world.remote, 'Secret', `bootstrap-token-${id}`, 'kube-system'))).toBe(true);
  });

  test('Q-14 a pool moved in the middle of a roll-out: restored without status -> each KubeadmConfig speaks of its own data', async () => {
    const { world, operator } = await rolledOut();
    await operator.stop();
    const remake = async (name: string): Promise<void> => {
      const { metadata, spec } = await configOf(world.user, name);
      const { annotations = {} } = metadata;
      const secret = await secretOf(world.user, name);
      await remove(world.user, 'KubeadmConfig', name);
      await world.clock.advance(60_000);
      const owner = await read(world.user, 'MachinePool', 'p');
      const again = await create(world.user, config(owner, name, spec as never, { annotations }));
      const { apiVersion, kind } = again;
      const { labels, annotations: marks } = secret.metadata;
      const reference = { apiVersion, kind, name, uid: again.metadata.uid, controller: true };
      await create(world.user, {
        apiVersion: 'v1',
        kind: 'Secret',
        type: secret.type,
        metadata: { name, namespace: 'default', labels, annotations: marks, ownerReferences: [reference] },
        data: secret.data,
      });
    };
    const tokens = new Map<string, string>();
    for (const name of ['p', 'p-new']) {
      tokens.set(name, tokenOf(await configOf(world.user, name)));
      await remake(name);
    }
    const next = await world.start();
    await world.settle(next);
    for (const name of ['p', 'p-new']) {
      const each = await configOf(world.user, name);
      expect(each.status).toMatchObject({ initialization: { dataSecretCreated: true }, dataSecretName: name });
      expect(tokenOf(each)).toBe(tokens.get(name));
      expect(await payload(world.user, name)).toContain(tokenOf(each));
    }
  });
});

describe('kubeadmconfig worlds: the name of stored data', () => {
  test('Q-14 a Machine told another name later: looked at -> status.dataSecretName stays as it was set', async () => {
    const world = createWorld({ hasOwnWorkload: true });
    await create(world.user, cluster({ initialized: true }));
    await addClusterSecrets(world.user);
    await addMachine(world.user, 'w-0');
    const operator = await world.start();
    await world.settle();
    await patch(world.user, 'Machine', 'w-0', { spec: { bootstrap: { dataSecretName: 'by-hand' } } });
    await world.settle(operator);
    await world.clock.advance(TTL_MS);
    await world.settle(operator);
    expect((await configOf(world.user, 'w-0')).status?.dataSecretName).toBe('w-0');
  });

  test('Q-14 a Machine with data and a KubeadmConfig without status: restored -> the name that the Machine was told', async () => {
    const world = createWorld({ hasOwnWorkload: true });
    await create(world.user, cluster({ initialized: true }));
    await addClusterSecrets(world.user);
    const configRef = { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name: 'w-0' };
    await addMachine(world.user, 'w-0', { machineSpec: { bootstrap: { configRef, dataSecretName: 'by-hand' } } });
    const operator = await world.start();
    await world.settle(operator);
    expect((await configOf(world.user, 'w-0')).status).toMatchObject({
      initialization: { dataSecretCreated: true },
      dataSecretName: 'by-hand',
    });
  });
});
