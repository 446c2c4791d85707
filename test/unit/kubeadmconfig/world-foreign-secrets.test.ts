// Secrets that bear the data's name: whose they are, and what is done with them.
import { describe, expect, test } from '@jest/globals';
import { resources } from '../../../src/api/names.js';
import { addClusterSecrets, addMachine, cluster, config, create, machine, patch, remove, secret } from './objects.js';
import { calls, configOf, exists, payload, says, secretOf, writes } from './readings.js';
import { createWorld, TTL_MS, type Operator, type World } from './world.js';

async function prepared(): Promise<World> {
  const world = createWorld();
  await create(world.user, cluster({ initialized: true }));
  await addClusterSecrets(world.user);
  return world;
}

async function started(world: World): Promise<Operator> {
  const operator = await world.start();
  await world.settle();
  return operator;
}

const label = { 'cluster.x-k8s.io/cluster-name': 'c1' };
const ofType = (
  type: string,
  data: Readonly<Record<string, string>>,
  labels: object,
): Readonly<Record<string, unknown>> => ({
  ...secret('w-0', data, { labels: labels as never }),
  type,
});
const reference = (kind: string) => ({ apiVersion: 'apps/v1', kind, name: 'x', uid: 'of-x', controller: true });

const foreign: Readonly<Record<string, readonly [Readonly<Record<string, unknown>>, string]>> = {
  'a password without any label': [ofType('Opaque', { password: 'p' }, {}), 'its type is Opaque'],
  'a password with the cluster label': [ofType('Opaque', { password: 'p' }, label), 'its type is Opaque'],
  'a certificate of a web server': [
    ofType('kubernetes.io/tls', { 'tls.crt': 'c', 'tls.key': 'k' }, {}),
    'its type is kubernetes.io/tls',
  ],
  'another Secret of the cluster API type': [
    ofType('cluster.x-k8s.io/secret', { 'tls.crt': 'c' }, {}),
    'its keys are not just value and format',
  ],
  'an empty Secret of that type without a label': [ofType('cluster.x-k8s.io/secret', {}, {}), 'neither the label'],
  'a Secret that another kind controls': [
    secret('w-0', { value: 'x', format: 'cloud-config' }, { ownerReferences: [reference('Deployment')] }),
    'it is already controlled by Deployment x',
  ],
};

describe('kubeadmconfig worlds: a Secret of somebody else has the name of the data', () => {
  for (const [what, [object, problem]] of Object.entries(foreign)) {
    test(`KC-213 ${what}: data to store -> the Secret is untouched, condition and Event say why; gone -> data is made`, async () => {
      const world = await prepared();
      const before = await create(world.user, object);
      await addMachine(world.user, 'w-0');
      const operator = await started(world);
      await world.clock.advance(60_000);
      await world.settle(operator);
      expect(await secretOf(world.user, 'w-0')).toEqual(before);
      expect(
        writes(world).filter((call) => call.includes('secrets/default/w-0') && !call.startsWith('create')),
      ).toEqual([]);
      expect(says(await configOf(world.user, 'w-0'), 'DataSecretAvailable')).toContain(problem);
      const said = expect.objectContaining({
        type: 'Warning',
        reason: 'DataSecretForeign',
        message: expect.stringContaining(problem),
      });
      expect(operator.events).toContainEqual(said);
      await remove(world.user, 'Secret', 'w-0');
      await world.clock.advance(60_000);
      await world.settle(operator);
      expect(await payload(world.user, 'w-0')).toContain('kubeadm join');
    });
  }

  for (const purpose of ['ca', 'etcd', 'sa', 'kubeconfig']) {
    test(`KC-213 a KubeadmConfig named like the cluster’s ${purpose} Secret, which nobody controls -> that stays as it is`, async () => {
      const world = await prepared();
      const name = `c1-${purpose}`;
      const before = await secretOf(world.user, name);
      await addMachine(world.user, name);
      await started(world);
      expect(await secretOf(world.user, name)).toEqual(before);
      expect(says(await configOf(world.user, name), 'DataSecretAvailable')).toContain(
        'its keys are not just value and format',
      );
    });
  }

  test('KC-213 a Secret with other keys, the type and the label of bootstrap data: looked at -> no owner is added, condition and Event say why', async () => {
    const world = await prepared();
    const before = await create(
      world.user,
      ofType('cluster.x-k8s.io/secret', { 'tls.crt': 'c', 'tls.key': 'k' }, label),
    );
    await addMachine(world.user, 'w-0');
    const operator = await started(world);
    await world.clock.advance(60_000);
    await world.settle(operator);
    expect(await secretOf(world.user, 'w-0')).toEqual(before);
    expect(says(await configOf(world.user, 'w-0'), 'DataSecretAvailable')).toContain(
      'its keys are not just value and format',
    );
    expect(operator.events.map(({ reason }) => reason)).toContain('DataSecretForeign');
  });

  test('KC-213 data is stored, then a Secret with other keys takes its name -> no owner is added', async () => {
    const world = await prepared();
    await addMachine(world.user, 'w-0');
    const operator = await started(world);
    await remove(world.user, 'Secret', 'w-0');
    const before = await create(world.user, ofType('cluster.x-k8s.io/secret', { 'tls.crt': 'c' }, label));
    await world.settle(operator);
    await world.clock.advance(60_000);
    await world.settle(operator);
    expect(await secretOf(world.user, 'w-0')).toEqual(before);
  });

  for (const [what, labels, data] of [
    ['labelled', label, { 'tls.crt': 'c', 'tls.key': 'k' }],
    ['without label', {}, { 'tls.crt': 'c', 'tls.key': 'k' }],
    ['labelled and empty', label, {}],
  ] as const) {
    test(`KC-213 a KubeadmConfig named like the cluster’s etcd client certificate (${what}) -> that stays as it is, in few calls`, async () => {
      const world = await prepared();
      const name = 'c1-apiserver-etcd-client';
      const before = await create(world.user, {
        ...secret(name, data, { labels: labels as never }),
        type: 'cluster.x-k8s.io/secret',
      });
      await addMachine(world.user, name);
      const operator = await started(world);
      await world.clock.advance(60_000);
      await world.settle(operator);
      expect(await secretOf(world.user, name)).toEqual(before);
      expect(
        writes(world).filter((call) => call.includes(`secrets/default/${name}`) && !call.startsWith('create')),
      ).toEqual([]);
      expect(operator.events.map(({ reason }) => reason)).toContain('DataSecretForeign');
    });
  }

  test('KC-213 a certificate that the KubeadmConfig of its name controls: looked at -> the Cluster gets it, no data is written to it', async () => {
    const world = await prepared();
    const name = 'c1-apiserver-etcd-client';
    const owner = await create(world.user, machine(name));
    const spec = { joinConfiguration: { nodeRegistration: { name: 'w' } } };
    const made = await create(world.user, config(owner, name, spec));
    const { apiVersion, kind } = resources.KubeadmConfig;
    const ownerReferences = [{ apiVersion, kind, name, uid: made.metadata.uid, controller: true }];
    await create(world.user, {
      ...secret(
        name,
        { 'tls.crt': 'c', 'tls.key': 'k' },
        { labels: label as never, ownerReferences: ownerReferences as never },
      ),
      type: 'cluster.x-k8s.io/secret',
    });
    const operator = await started(world);
    await world.clock.advance(60_000);
    await world.settle(operator);
    const after = await secretOf(world.user, name);
    expect(Object.keys(after.data ?? {})).toEqual(['tls.crt', 'tls.key']);
    expect(after.metadata.ownerReferences).toMatchObject([{ kind: 'Cluster', name: 'c1' }]);
  });

  test('KC-213 data of a KubeadmConfig named like a certificate that the cluster does not have -> stays the KubeadmConfig’s, with nothing written again', async () => {
    const world = await prepared();
    const name = 'c1-apiserver-etcd-client';
    await addMachine(world.user, name);
    const operator = await started(world);
    const made = await secretOf(world.user, name);
    expect(made.metadata.ownerReferences).toMatchObject([{ kind: 'KubeadmConfig', name, controller: true }]);
    await world.clock.advance(60_000);
    await world.settle(operator);
    expect(await secretOf(world.user, name)).toEqual(made);
  });

  test('KC-213 data is stored, then its Secret is made anew by somebody: looked at -> the data stays available, an Event tells', async () => {
    const world = await prepared();
    await addMachine(world.user, 'w-0');
    const operator = await started(world);
    await remove(world.user, 'Secret', 'w-0');
    await create(world.user, ofType('Opaque', { password: 'p' }, label));
    await world.settle(operator);
    await world.clock.advance(TTL_MS);
    await world.settle(operator);
    const after = await configOf(world.user, 'w-0');
    for (const type of ['Ready', 'DataSecretAvailable', 'CertificatesAvailable'])
      expect(says(after, type)).toMatch(/^True/);
    expect(operator.events.map(({ reason }) => reason)).toEqual(['DataSecretForeign']);
    expect(operator.controller.explain('default/w-0', null)).toMatchObject({
      row: { id: 'K10' },
      waitsFor: { kind: 'Secret', name: 'w-0', what: expect.stringContaining('its type is Opaque') },
    });
    expect((await secretOf(world.user, 'w-0')).metadata.ownerReferences).toBeUndefined();
  });
});

describe('kubeadmconfig worlds: a Secret that may be the data', () => {
  test('KC-212 both keys, neither label nor owner (a restore): data to store -> taken, with label and owner', async () => {
    const world = await prepared();
    await create(world.user, ofType('cluster.x-k8s.io/secret', { value: 'old', format: 'cloud-config' }, {}));
    await addMachine(world.user, 'w-0');
    await started(world);
    const data = await secretOf(world.user, 'w-0');
    expect(data.metadata.labels).toEqual(label);
    expect(data.metadata.ownerReferences).toMatchObject([{ kind: 'KubeadmConfig', name: 'w-0', controller: true }]);
    expect(await payload(world.user, 'w-0')).toContain('kubeadm join');
  });

  test('KC-212 stored data to which somebody added a key, its owner lost: looked at -> taken again', async () => {
    const world = await prepared();
    await addMachine(world.user, 'w-0');
    const operator = await started(world);
    await patch(world.user, 'Secret', 'w-0', { metadata: { ownerReferences: null }, data: { more: 'eA==' } });
    await world.settle(operator);
    const data = await secretOf(world.user, 'w-0');
    expect(data.metadata.ownerReferences).toMatchObject([{ kind: 'KubeadmConfig', name: 'w-0', controller: true }]);
  });

  test('KC-212 label without content and owner: looked at -> taken', async () => {
    const world = await prepared();
    await create(world.user, ofType('cluster.x-k8s.io/secret', {}, label));
    await addMachine(world.user, 'w-0');
    await started(world);
    expect(await payload(world.user, 'w-0')).toContain('kubeadm join');
  });

  test('KC-212 being deleted, which only a live read tells: data to store -> not written, its end is awaited', async () => {
    const world = await prepared();
    const ending = ofType('cluster.x-k8s.io/secret', { value: 'old', format: 'cloud-config' }, {}) as {
      readonly metadata?: object;
    };
    const metadata = { ...ending.metadata, finalizers: ['example.com/hold'] };
    await create(world.user, { ...ending, metadata });
    await remove(world.user, 'Secret', 'w-0');
    const before = await secretOf(world.user, 'w-0');
    expect(before.metadata.deletionTimestamp).toBeDefined();
    await addMachine(world.user, 'w-0');
    const operator = await started(world);
    expect(await secretOf(world.user, 'w-0')).toEqual(before);
    expect(calls(world)).not.toContain('patch secrets/default/w-0');
    expect(says(await configOf(world.user, 'w-0'), 'DataSecretAvailable')).toContain(
      'Waiting for bootstrap Secret default/w-0 to be deleted',
    );
    await patch(world.user, 'Secret', 'w-0', { metadata: { finalizers: null } });
    await world.clock.advance(60_000);
    await world.settle(operator);
    expect(await payload(world.user, 'w-0')).toContain('kubeadm join');
  });

  test('of an earlier life, and new data cannot be made yet (no CA): it stays until there is what takes its place', async () => {
    const world = createWorld();
    await create(world.user, cluster({ initialized: true }));
    await addClusterSecrets(world.user, { without: ['ca'] });
    const { apiVersion, kind } = resources.KubeadmConfig;
    const ownerReferences = [{ apiVersion, kind, name: 'w-0', uid: 'of-an-earlier-life', controller: true }];
    const before = await create(
      world.user,
      secret('w-0', { value: 'old', format: 'cloud-config' }, { ownerReferences }),
    );
    await addMachine(world.user, 'w-0');
    const operator = await started(world);
    expect(await secretOf(world.user, 'w-0')).toEqual(before);
    expect(writes(world).filter((call) => call.startsWith('delete'))).toEqual([]);
    const other = createWorld();
    await addClusterSecrets(other.user);
    const { data } = await secretOf(other.user, 'c1-ca');
    await create(world.user, { ...secret('c1-ca', {}), data });
    await world.settle(operator);
    const after = await secretOf(world.user, 'w-0');
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(await payload(world.user, 'w-0')).toContain('kubeadm join');
  });

  test('data stored for the first time: its turn has ended -> observedGeneration is that of the spec, with no further look', async () => {
    const world = await prepared();
    const operator = await started(world);
    await addMachine(world.user, 'w-0');
    await world.settle(operator);
    const made = await configOf(world.user, 'w-0');
    expect(await exists(secretOf(world.user, 'w-0'))).toBe(true);
    expect(made.metadata.generation).toBeGreaterThan(1);
    expect(made.status?.observedGeneration).toBe(made.metadata.generation);
    for (const { type, observedGeneration } of made.status?.conditions ?? []) {
      if (type !== 'ActorState') expect([type, observedGeneration]).toEqual([type, made.metadata.generation]);
    }
    const stored = operator.transitions.filter(({ event }) => event === 'DATA_STORED');
    expect(stored.at(-1)?.facts).toMatchObject({ generation: made.metadata.generation });
  });
});

test('KC-213 a Machine that was never told: its KubeadmConfig made again under the name -> its own data, of its own life', async () => {
  const world = await prepared();
  const operator = await started(world);
  await addMachine(world.user, 'w-0');
  await world.settle(operator);
  const first = await secretOf(world.user, 'w-0');
  await remove(world.user, 'KubeadmConfig', 'w-0');
  const owner = await create(world.user, machine('other'));
  await create(world.user, config(owner, 'w-0', { joinConfiguration: { nodeRegistration: { name: 'w' } } }));
  await world.settle(operator);
  const second = await secretOf(world.user, 'w-0');
  expect(second.metadata.uid).not.toBe(first.metadata.uid);
  const { uid } = (await configOf(world.user, 'w-0')).metadata;
  expect(second.metadata.ownerReferences).toMatchObject([{ uid }]);
});
