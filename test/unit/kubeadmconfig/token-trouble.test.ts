// A token that only its maker can make again: what the object says of it between two looks.
import { expect, test } from '@jest/globals';
import { addClusterSecrets, addMachine, cluster, create, patch } from './objects.js';
import { configOf, says } from './readings.js';
import { createWorld, TTL_MS, type World } from './world.js';

const TOKEN = 'abcdef.0123456789abcdef';

/** A worker with the user's token, which is nowhere. */
async function lost(): Promise<World> {
  const world = createWorld();
  await create(world.user, cluster({ initialized: true }));
  await addClusterSecrets(world.user);
  await addMachine(world.user, 'x', {
    spec: { joinConfiguration: { discovery: { bootstrapToken: { token: TOKEN } } } },
  });
  return world;
}

const data = async (world: World): Promise<string> => says(await configOf(world.user, 'x'), 'DataSecretAvailable');

test('KC-182 user’s token found missing: other changes wake the object -> still said, with one Event; made -> True at the next look', async () => {
  const world = await lost();
  const operator = await world.start();
  await world.settle();
  await world.clock.advance(TTL_MS / 3);
  await world.settle();
  expect(await data(world)).toContain('is not in workload cluster default/c1');
  await patch(world.user, 'Secret', 'x', { metadata: { annotations: { a: 'b' } } });
  await world.settle();
  await world.clock.advance(TTL_MS / 3);
  await world.settle();
  expect(await data(world)).toContain('is not in workload cluster default/c1');
  expect(operator.events.map(({ reason }) => reason)).toEqual(['TokenLost']);

  const [id, secret] = TOKEN.split('.');
  const encoded = Object.entries({ 'token-id': id, 'token-secret': secret }).map(([key, value = '']) => [
    key,
    Buffer.from(value).toString('base64'),
  ]);
  await create(world.user, {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'bootstrap.kubernetes.io/token',
    metadata: { name: `bootstrap-token-${id}`, namespace: 'kube-system' },
    data: Object.fromEntries(encoded) as Record<string, string>,
  });
  await world.clock.advance(TTL_MS / 3);
  await world.settle();
  expect(await data(world)).toBe('True Available');
});

test('KC-182 user’s token found missing: the operator is started again -> still said, from the snapshot', async () => {
  const world = await lost();
  const operator = await world.start();
  await world.settle();
  await world.clock.advance(TTL_MS / 3);
  await world.settle();
  operator.kill();
  await world.start();
  await world.settle();
  expect(await data(world)).toContain('is not in workload cluster default/c1');
});
