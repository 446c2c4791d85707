import { describe, expect, test } from '@jest/globals';
import { restingRow } from '../../../machines/kubeadmconfig/table.js';
import { resources } from '../../../src/api/names.js';
import type { ApiObject } from '../../../src/embedded/types.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { SNAPSHOT_STORES, type SnapshotStoreKind } from '../../../src/host/snapshot-stores.js';
import { addClusterSecrets, addMachine, addPool, cluster, create, NAMESPACE, patch, read, remove } from './objects.js';
import { configOf } from './readings.js';
import { createWorld, type Operator, type World } from './world.js';

const ACTOR = 'kubeadm-bootstrap-operator/actor';
const joins = { joinConfiguration: { nodeRegistration: { name: 'w' } } };
/** One KubeadmConfig for each way to rest. */
const names = ['cp-0', 'cp-1', 'failing', 'file', 'joined', 'pool', 'waiting'] as const;

interface Actor {
  readonly state: unknown;
  readonly row: string;
  readonly sinceMs: number;
  readonly wakeAtMs: number | null;
}

/** A world at rest: an initialising control plane with a rival and a worker, and a cluster that others join. */
async function resting(snapshotStore: SnapshotStoreKind): Promise<{ world: World; operator: Operator }> {
  const world = createWorld();
  await create(world.user, cluster());
  await create(world.user, cluster({ name: 'c2', initialized: true }));
  for (const name of ['c1', 'c2']) await addClusterSecrets(world.user, { name });
  await addMachine(world.user, 'cp-0', { controlPlane: true });
  const operator = await world.start({ snapshotStore });
  await world.settle();
  await addMachine(world.user, 'cp-1', { controlPlane: true });
  await addMachine(world.user, 'waiting');
  await addMachine(world.user, 'joined', { cluster: 'c2' });
  await addPool(world.user, 'pool', { cluster: 'c2' });
  const kubeConfig = { user: { exec: { command: '/x' } } };
  const discovery = { file: { kubeConfigPath: '/f', kubeConfig } };
  await addMachine(world.user, 'file', { cluster: 'c2', spec: { joinConfiguration: { discovery } } });
  const files = [{ path: '/f', contentFrom: { secret: { name: 'nowhere', key: 'k' } } }];
  await addMachine(world.user, 'failing', { cluster: 'c2', spec: { ...joins, files } });
  await world.settle();
  return { world, operator };
}

function actors(operator: Operator): Readonly<Record<string, Actor>> {
  return Object.fromEntries(
    names.map((name) => {
      const rest = operator.host.rest(`${NAMESPACE}/${name}`)?.rest;
      if (rest === undefined) throw new Error(`${name} has no actor`);
      const { row, sinceMs, wakeAtMs } = rest.context;
      return [name, { state: rest.value, row: restingRow(row ?? ''), sinceMs, wakeAtMs }];
    }),
  );
}

/** Takes every snapshot away, as somebody would who knows where they are. */
async function deleteSnapshots(world: World, store: SnapshotStoreKind): Promise<void> {
  for (const name of names) {
    if (store === 'annotation') {
      await patch(world.user, 'KubeadmConfig', name, { metadata: { annotations: { [ACTOR]: null } } });
    }
    if (store === 'configmap') await remove(world.user, 'ConfigMap', `${name}-actor`);
    if (store !== 'status') continue;
    const { status } = await configOf(world.user, name);
    const conditions = status?.conditions?.filter(({ type }) => type !== 'ActorState') ?? [];
    const target = { resource: resourceOf(resources.KubeadmConfig), namespace: NAMESPACE, name };
    await world.user.mergePatch(target, { status: { conditions } }, { subresource: 'status' });
  }
}

/** Everything that is stored, without snapshots and without the marks of a write. */
function truth(world: World): Readonly<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const resource of ['kubeadmconfigs.bootstrap.cluster.x-k8s.io', 'secrets', 'configmaps']) {
    for (const { metadata, ...object } of world.server.store.list(resource)) {
      if (metadata.name.endsWith('-actor')) continue;
      const { resourceVersion: _v, managedFields: _m, annotations = {}, ...others } = metadata;
      const { [ACTOR]: _a, ...kept } = annotations;
      found[`${resource} ${metadata.namespace}/${metadata.name}`] = {
        ...withoutActorState(object as unknown as ApiObject),
        metadata: { ...others, annotations: kept },
      };
    }
  }
  return found;
}

function withoutActorState(object: ApiObject): object {
  const { status } = object as unknown as { readonly status?: { readonly conditions?: readonly { type: string }[] } };
  if (status === undefined) return object;
  const conditions = status.conditions?.filter(({ type }) => type !== 'ActorState');
  return { ...object, status: { ...status, conditions } };
}

/** Writes that changed something; the failing one tries its token again, which is there. */
const changes = ({ seen }: World): readonly string[] =>
  seen
    .filter(({ verb, status }) => verb !== 'get' && status < 400)
    .map(({ verb, what }) => `${verb} ${what}`)
    .toSorted();

/** The write that keeps one snapshot. */
const snapshotWrite: Readonly<Record<SnapshotStoreKind, (name: string) => string>> = {
  status: (name) => `patch kubeadmconfigs/default/${name}/status`,
  annotation: (name) => `patch kubeadmconfigs/default/${name}`,
  configmap: (name) => `patch configmaps/default/${name}-actor`,
  none: () => '',
};
const snapshotWrites = (store: SnapshotStoreKind): readonly string[] =>
  store === 'none' ? [] : names.map((name) => snapshotWrite[store](name)).toSorted();

describe.each(SNAPSHOT_STORES.map((store) => [store]))('kubeadmconfig worlds: --snapshot-store=%s', (store) => {
  test('killed a while after it came to rest: started again -> since, row and wake-up are the snapshot’s, nothing is written', async () => {
    const { world, operator } = await resting(store);
    const before = actors(operator);
    const objects = truth(world);
    operator.kill();
    await world.clock.advance(7_000);
    world.seen.length = 0;
    const restartedMs = world.clock.nowMs();
    const after = actors(await restarted(world, store));
    expect(changes(world)).toEqual([]);
    expect(truth(world)).toEqual(objects);
    for (const name of names) {
      expect([name, after[name]?.state, after[name]?.row]).toEqual([name, before[name]?.state, before[name]?.row]);
      const sinceMs = store === 'none' ? restartedMs : before[name]?.sinceMs;
      expect([name, after[name]?.sinceMs]).toEqual([name, sinceMs]);
    }
    const timed = ['cp-1', 'joined', 'pool', 'waiting'] as const;
    const wakesOf = (all: typeof before) => timed.map((name) => [name, all[name]?.wakeAtMs]);
    if (store !== 'none') expect(wakesOf(after)).toEqual(wakesOf(before));
  });

  test('every snapshot deleted while it runs: settled again -> the same states, only snapshots are written', async () => {
    const { world, operator } = await resting(store);
    const before = actors(operator);
    const objects = truth(world);
    world.seen.length = 0;
    await deleteSnapshots(world, store);
    // Long enough for the backoff of the failing one.
    await world.clock.advance(1_000);
    await world.settle();
    // Nobody waits for the ConfigMap of an actor: it is written again with the next look, as the failing one has it.
    expect(changes(world)).toEqual(
      store === 'configmap' ? [snapshotWrite.configmap('failing')] : snapshotWrites(store),
    );
    expect(truth(world)).toEqual(objects);
    expect(statesOf(actors(operator))).toEqual(statesOf(before));
  });

  test('every snapshot deleted while nothing runs: started again -> the same states, only snapshots are written', async () => {
    const { world, operator } = await resting(store);
    const before = actors(operator);
    operator.kill();
    await deleteSnapshots(world, store);
    const objects = truth(world);
    await world.clock.advance(7_000);
    world.seen.length = 0;
    const after = actors(await restarted(world, store));
    expect(changes(world)).toEqual(snapshotWrites(store));
    expect(truth(world)).toEqual(objects);
    expect(statesOf(after)).toEqual(statesOf(before));
    world.seen.length = 0;
    await world.settle();
    expect(changes(world)).toEqual([]);
  });
});

test('store configmap: an actor’s ConfigMap loses its label -> it gets it back with one write at the next look, and no error', async () => {
  const { world, operator } = await resting('configmap');
  const label = 'cluster.x-k8s.io/cluster-name';
  await patch(world.user, 'ConfigMap', 'joined-actor', { metadata: { labels: { [label]: null } } });
  await world.settle();
  world.seen.length = 0;
  operator.logs.length = 0;
  await patch(world.user, 'KubeadmConfig', 'joined', { metadata: { annotations: { look: 'again' } } });
  await world.settle();
  const healed = await read<{ metadata: { labels?: object }; data: { actor: string } }>(
    world.user,
    'ConfigMap',
    'joined-actor',
  );
  expect(healed.metadata.labels).toEqual({ [label]: 'c2' });
  expect(JSON.parse(healed.data.actor)).toMatchObject({ snapshot: { value: 'TokenMonitoring' } });
  expect(changes(world).filter((each) => each.includes('configmaps'))).toEqual([
    'patch configmaps/default/joined-actor',
  ]);
  expect(JSON.stringify(operator.logs)).not.toContain('Reconciler error');
  operator.kill();
});

test('store annotation: somebody else writes between the read and the write of it -> written again, the turn is no failure', async () => {
  const world = createWorld();
  await create(world.user, cluster({ initialized: true }));
  await addClusterSecrets(world.user);
  const operator = await world.start({ snapshotStore: 'annotation' });
  let conflicts = 0;
  world.setFaults({
    request: ({ verb, resource, subresource, name }) => {
      const isSnapshot = verb === 'patch' && resource === 'kubeadmconfigs' && subresource === '' && name === 'w-0';
      if (!isSnapshot || world.server.store.get('secrets', NAMESPACE, 'w-0') === undefined || conflicts > 0)
        return undefined;
      conflicts += 1;
      return { kind: 'status', code: 409 };
    },
  });
  await addMachine(world.user, 'w-0');
  await world.settle(operator);
  expect(conflicts).toBe(1);
  const { metadata } = await configOf(world.user, 'w-0');
  expect(JSON.parse(metadata.annotations?.[ACTOR] ?? '{}')).toMatchObject({ snapshot: { value: 'TokenMonitoring' } });
  expect(JSON.stringify(operator.logs)).not.toContain('Reconciler error');
  operator.kill();
});

async function restarted(world: World, snapshotStore: SnapshotStoreKind): Promise<Operator> {
  const operator = await world.start({ snapshotStore });
  await world.settle();
  return operator;
}

function statesOf(all: Readonly<Record<string, Actor>>): readonly unknown[] {
  return Object.entries(all).map(([name, { state }]) => [name, state]);
}
