// A bootstrap Secret that no cache shows is there already, and what is told right after the data is stored.
import { describe, expect, test } from '@jest/globals';
import { label } from '../../../src/api/names.js';
import { addClusterSecrets, addMachine, cluster, config, create, machine, patch, remove, secret } from './objects.js';
import { configOf, exists, payload, says, secretOf, type Config } from './readings.js';
import { createWorld, TTL_MS, type World } from './world.js';

const joins = { joinConfiguration: { nodeRegistration: { name: 'w' } } };
/** Without the cluster's label it is in no cache. */
const unlabelled = { labels: {} };

async function initialized(): Promise<World> {
  const world = createWorld({ hasOwnWorkload: true });
  await create(world.user, cluster({ initialized: true }));
  await addClusterSecrets(world.user);
  return world;
}

/** A KubeadmConfig and its Machine; the reference to it as its controller. */
async function worker(world: World): Promise<object> {
  const owner = await create(world.user, machine('w-0'));
  const { metadata } = await create(world.user, config(owner, 'w-0', joins));
  const { apiVersion, kind } = await configOf(world.user, 'w-0');
  return { apiVersion, kind, name: 'w-0', uid: metadata.uid, controller: true };
}

describe('kubeadmconfig worlds: a bootstrap Secret that no cache shows', () => {
  const leftOver = {
    'nobody controls': { value: 'old', format: 'cloud-config' },
    'this KubeadmConfig controls, with data of a join': {
      value: '#cloud-config\nkubeadm join\n',
      format: 'cloud-config',
    },
  };
  for (const [what, data] of Object.entries(leftOver)) {
    test(`one that ${what} is being deleted -> not written and not adopted; once it has gone, data is made`, async () => {
      const world = await initialized();
      const reference = await worker(world);
      const ownerReferences = what === 'nobody controls' ? {} : { ownerReferences: [reference as never] };
      await create(world.user, secret('w-0', data, { ...unlabelled, ...ownerReferences }));
      await patch(world.user, 'Secret', 'w-0', { metadata: { finalizers: ['example.com/stay'] } });
      await remove(world.user, 'Secret', 'w-0');
      const before = await secretOf(world.user, 'w-0');
      expect(before.metadata.deletionTimestamp).toBeDefined();
      await world.start();
      await world.settle();
      expect((await secretOf(world.user, 'w-0')).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
      expect(says(await configOf(world.user, 'w-0'), 'DataSecretAvailable')).toContain(
        'Waiting for bootstrap Secret default/w-0 to be deleted',
      );
      const done = world.seen.filter(({ verb, status }) => verb !== 'get' && status < 400).map(({ what }) => what);
      expect(done.filter((what) => what.startsWith('secrets'))).toEqual([]);
      await patch(world.user, 'Secret', 'w-0', { metadata: { finalizers: null } });
      await world.settle();
      expect(await payload(world.user, 'w-0')).toContain('kubeadm join');
      expect((await secretOf(world.user, 'w-0')).metadata.uid).not.toBe(before.metadata.uid);
    });
  }

  test('one without labels is taken over -> it has the label of its cluster, so that caches and tools find it', async () => {
    const world = await initialized();
    const reference = await worker(world);
    await create(world.user, secret('w-0', { value: 'old' }, { ...unlabelled, ownerReferences: [reference as never] }));
    await world.start();
    await world.settle();
    expect(await payload(world.user, 'w-0')).toContain('kubeadm join');
    expect((await secretOf(world.user, 'w-0')).metadata.labels).toEqual({ [label.clusterName]: 'c1' });
  });
});

test('kubeadmconfig worlds: data is stored for the first time, after a patch of the spec -> the same status write tells the new generation', async () => {
  const world = await initialized();
  const told: (readonly [number | undefined, number | undefined])[] = [];
  world.server.store.subscribe(({ object }) => {
    const { kind, metadata, status } = object as unknown as Config;
    if (kind !== 'KubeadmConfig' || status?.initialization?.dataSecretCreated !== true) return;
    told.push([status.observedGeneration, metadata.generation]);
  });
  await addMachine(world.user, 'w-0');
  await world.start();
  await world.settle();
  expect(await exists(secretOf(world.user, 'w-0'))).toBe(true);
  expect(told[0]).toEqual([2, 2]);
});

test('kubeadmconfig worlds: the token was looked at, later the data Secret is annotated -> a turn, and the next look is where it was', async () => {
  const world = await initialized();
  await addMachine(world.user, 'w-0');
  const operator = await world.start();
  await world.settle();
  const wakeAtMs = () => operator.host.rest('default/w-0')?.rest.context.wakeAtMs ?? 0;
  await world.clock.advance(wakeAtMs() - world.clock.nowMs());
  await world.settle();
  expect(operator.transitions.at(-1)?.event).toBe('TOKEN_EXTENDED');
  const nextLookMs = wakeAtMs();
  expect(nextLookMs).toBe(world.clock.nowMs() + TTL_MS / 3);
  operator.transitions.length = 0;
  for (const annotation of ['1', '2']) {
    await world.clock.advance(100_000);
    await patch(world.user, 'Secret', 'w-0', { metadata: { annotations: { annotation } } });
    await world.settle();
  }
  expect(operator.transitions.map(({ event }) => event)).toEqual(['OBSERVED', 'OBSERVED']);
  expect(wakeAtMs()).toBe(nextLookMs);
});
