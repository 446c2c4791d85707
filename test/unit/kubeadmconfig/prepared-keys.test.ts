// Keys that are made ahead of need are given back when nobody will need them.
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
} from './objects.js';
import { configOf, exists, secretOf } from './readings.js';
import { createWorld, type Operator, type World } from './world.js';

/** A control plane Machine that waits for infrastructure, with its keys prepared. */
async function waiting(): Promise<{ readonly world: World; readonly operator: Operator }> {
  const world = createWorld();
  await create(world.user, cluster({ provisioned: false }));
  await addMachine(world.user, 'cp-0', { controlPlane: true });
  const operator = await world.start();
  await world.settle();
  expect(operator.keyPool.load().preparedSets).toBe(1);
  return { world, operator };
}

const ends: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  'its KubeadmConfig is deleted': (world) => remove(world.user, 'KubeadmConfig', 'cp-0'),
  'its Cluster is deleted': (world) => remove(world.user, 'Cluster', 'c1'),
  'its Machine is no control plane any more': (world) =>
    patch(world.user, 'Machine', 'cp-0', { metadata: { labels: { 'cluster.x-k8s.io/control-plane': null } } }),
  'its Machine goes to another cluster': async (world) => {
    await create(world.user, cluster({ name: 'c2' }));
    await addClusterSecrets(world.user, { name: 'c2' });
    await patch(world.user, 'Machine', 'cp-0', { spec: { clusterName: 'c2' } });
  },
  'the user brings a CA': async (world) => {
    await addClusterSecrets(world.user);
    await patch(world.user, 'KubeadmConfig', 'cp-0', { metadata: { labels: { look: 'again' } } });
  },
  'a control plane object takes over': async (world) => {
    const controlPlaneRef = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: 'cp' };
    await patch(world.user, 'Cluster', 'c1', { spec: { controlPlaneRef } });
  },
  'the cluster is initialised by others': (world) =>
    patchStatus(world.user, 'Cluster', 'c1', clusterStatus({ initialized: true })),
};

describe('kubeadmconfig worlds: keys made ahead of need', () => {
  for (const [what, act] of Object.entries(ends)) {
    test(`${what} -> nothing stays prepared`, async () => {
      const { world, operator } = await waiting();
      await act(world);
      await world.settle(operator);
      expect(operator.keyPool.load().preparedSets).toBe(0);
    });
  }

  test('many clusters come and go -> the last one is prepared for as the first one was', async () => {
    const { world, operator } = await waiting();
    for (let round = 0; round < 20; round += 1) {
      const name = `later-${round}`;
      await create(world.user, cluster({ name, provisioned: false }));
      await addMachine(world.user, name, { controlPlane: true, cluster: name });
      await world.settle(operator);
      expect([round, operator.keyPool.load().preparedSets]).toEqual([round, 2]);
      await remove(world.user, 'KubeadmConfig', name);
      await remove(world.user, 'Cluster', name);
      await world.settle(operator);
    }
    expect(operator.keyPool.load().preparedSets).toBe(1);
  });

  test('infrastructure there -> the keys are used, and nothing stays prepared', async () => {
    const { world, operator } = await waiting();
    await patchStatus(world.user, 'Cluster', 'c1', clusterStatus({}));
    for (let wait = 0; wait < 200 && !(await exists(secretOf(world.user, 'cp-0'))); wait += 1) {
      await world.settle(operator);
    }
    expect((await configOf(world.user, 'cp-0')).status?.dataSecretName).toBe('cp-0');
    expect(operator.keyPool.load()).toMatchObject({ preparedSets: 0, waiting: 0 });
  });
});
