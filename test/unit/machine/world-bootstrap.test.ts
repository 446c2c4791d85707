import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../src/kube/contract.js';
import { at, change, find, machine, ns, put, putCluster, putMachine, putObjects } from './objects.js';
import { createWorld, type World } from './world.js';

type Stored = KubeObject & { readonly spec?: unknown; readonly status?: unknown };

async function bootstrap(world: World): Promise<Stored> {
  const found = await find<Stored>(world.user, 'KubeadmConfig', 'w-0');
  if (found === undefined) throw new Error('there is no KubeadmConfig w-0');
  return found;
}

/** The operator's writes to bootstrap objects. */
function bootstrapWrites(world: World): readonly string[] {
  return world.seen
    .filter(({ verb, what }) => !['get', 'list'].includes(verb) && what.startsWith('kubeadmconfigs'))
    .map(({ verb, what }) => `${verb} ${what}`);
}

/** What the Machine controller may change is left out. */
function rest({ metadata, ...object }: Stored): unknown {
  const {
    ownerReferences: _o,
    labels: _l,
    resourceVersion: _v,
    managedFields: _m,
    ...others
  } = metadata as Record<string, unknown>;
  return { ...object, metadata: others };
}

describe('machine worlds: the bootstrap object', () => {
  test('BC-023 Machine with a configRef: looked at -> it becomes the controlling owner of what it names, of nothing else', async () => {
    const world = createWorld();
    await putCluster(world);
    await putObjects(world, 'w-0', { data: false, provisioned: false });
    await put(world.user, 'KubeadmConfig', 'unnamed', { spec: { verbosity: 1 } });
    await putMachine(world, 'w-0');
    await world.start();
    await world.settle();
    const { metadata } = await machine(world);
    const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', name: 'w-0', uid: metadata.uid };
    expect((await bootstrap(world)).metadata.ownerReferences).toEqual([
      expect.objectContaining({ ...owner, controller: true }),
    ]);
    const unnamed = await find<Stored>(world.user, 'KubeadmConfig', 'unnamed');
    expect(unnamed?.metadata.ownerReferences).toBeUndefined();
  });

  test('BC-038 Machine’s whole life: the bootstrap object -> only owner and label are written, and in the end it is deleted', async () => {
    const world = createWorld();
    await putCluster(world);
    await putObjects(world, 'w-0', { data: false, provisioned: false });
    await change(world.user, 'KubeadmConfig', 'w-0', {
      metadata: { annotations: { theirs: 'yes' }, labels: { theirs: 'yes' } },
    });
    const before = await bootstrap(world);
    await putMachine(world, 'w-0');
    await world.start();
    await world.settle();
    const owned = await bootstrap(world);
    expect(rest(owned)).toEqual(rest(before));
    expect(owned.metadata.labels).toEqual({ theirs: 'yes', 'cluster.x-k8s.io/cluster-name': 'c1' });
    expect(bootstrapWrites(world)).toEqual([`patch kubeadmconfigs/${ns}/w-0`]);

    const ready = { dataSecretName: 'w-0', initialization: { dataSecretCreated: true } };
    await change(world.user, 'KubeadmConfig', 'w-0', { status: ready });
    const infrastructure = { spec: { providerID: 'test://w-0' }, status: { initialization: { provisioned: true } } };
    await change(world.user, 'InfraMachine', 'w-0', infrastructure);
    await world.settle();
    await world.clock.advance(600_000);
    await world.settle();
    expect((await machine(world)).spec.bootstrap.dataSecretName).toBe('w-0');
    expect(bootstrapWrites(world)).toEqual([`patch kubeadmconfigs/${ns}/w-0`]);

    await world.user.delete(at('Machine', 'w-0'));
    await world.settle();
    await world.clock.advance(600_000);
    await world.settle();
    expect(new Set(bootstrapWrites(world))).toEqual(
      new Set([`patch kubeadmconfigs/${ns}/w-0`, `delete kubeadmconfigs/${ns}/w-0`]),
    );
  });
});
