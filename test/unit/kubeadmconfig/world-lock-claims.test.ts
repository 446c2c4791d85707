// A KubeadmConfig that was created again under a lock of its earlier life, while a rival that saw none removes that lock.
import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../src/kube/contract.js';
import type { RequestFault, RequestInfo } from '../../../src/embedded/types.js';
import { addClusterSecrets, addMachine, cluster, config, create, machine, read, remove, secret } from './objects.js';
import { calls, configOf, exists, lockOf, payload, secretOf, stateOf, writes } from './readings.js';
import { createInitWorld, createWorld, type World } from './world.js';

const CLAIM = 'kubeadm-bootstrap-operator/claimed-by';
const CLAIMING = 'patch configmaps/default/c1-lock';
const init = { initConfiguration: { nodeRegistration: { name: 'n' } } };

/** A cluster whose lock names the Machine cp-0, as of now. */
async function locked(given: { readonly information?: object } = {}): Promise<{ world: World; owner: KubeObject }> {
  const world = createWorld();
  await create(world.user, cluster());
  await addClusterSecrets(world.user);
  const owner = await create(world.user, machine('cp-0', { controlPlane: true }));
  await addLock(world, given.information ?? { machineName: 'cp-0', machineUID: owner.metadata.uid });
  return { world, owner };
}

async function addLock(world: World, information: object): Promise<void> {
  await create(world.user, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'c1-lock', namespace: 'default', labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
    data: { 'lock-information': JSON.stringify(information) },
  });
}

/** Who holds the lock. */
async function holderOf(world: World): Promise<string> {
  const { machineName = '' } = JSON.parse((await lockOf(world.user)).data['lock-information'] ?? '{}') as {
    machineName?: string;
  };
  return machineName;
}

/** Whose data says `kubeadm init`. */
async function initialisers(world: World): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of ['cp-0', 'cp-1']) {
    if (!(await exists(secretOf(world.user, name)))) continue;
    if ((await payload(world.user, name)).includes('kubeadm init')) found.push(name);
  }
  return found;
}

async function claimedBy(world: World): Promise<string | undefined> {
  return (await lockOf(world.user)).metadata.annotations?.[CLAIM];
}

const isOnLock = ({ resource, name }: RequestInfo): boolean => resource === 'configmaps' && name === 'c1-lock';
const isDeletion = (info: RequestInfo): boolean => info.verb === 'delete' && isOnLock(info);
const isLockCreation = ({ verb, resource }: RequestInfo): boolean => verb === 'create' && resource === 'configmaps';
/** The first write of who finds the lock to be its own: the claim, or what is done under the lock. */
const isFirstStep = (info: RequestInfo): boolean =>
  (info.verb === 'patch' && isOnLock(info)) ||
  (info.verb === 'create' && info.resource === 'secrets' && info.namespace === 'default');

/**
 * The KubeadmConfig of the holder is gone, cp-1 has seen that live and deletes the lock: on its way, that meets the second life of
 * the KubeadmConfig. Each kind of request is late, the first time, by so much.
 */
async function raced(late: { readonly deletion: number; readonly step?: number; readonly creation?: number }) {
  const { world, owner } = await locked();
  await addMachine(world.user, 'cp-1', { controlPlane: true });
  const waits = new Map<(info: RequestInfo) => boolean, number>();
  let again: Promise<KubeObject> | undefined;
  const onDeletion = (): void => {
    again = create(world.user, config(owner, 'cp-0', init));
    waits.set(isFirstStep, late.step ?? 0).set(isLockCreation, late.creation ?? 0);
  };
  world.setFaults({
    request(info): RequestFault | undefined {
      if (!info.userAgent.startsWith('operator')) return undefined;
      if (again === undefined && isDeletion(info)) {
        onDeletion();
        return { kind: 'delay', ms: late.deletion };
      }
      for (const [is, ms] of waits) if (is(info) && waits.delete(is)) return { kind: 'delay', ms };
      return undefined;
    },
  });
  await world.start();
  await world.settle();
  const second = await again;
  await world.clock.advance(5_000);
  await world.settle();
  return { world, uid: second?.metadata.uid };
}

describe('kubeadmconfig worlds: a lock of an earlier life of its KubeadmConfig', () => {
  test('KC-139 rival deletes it on an old look, the new life is first -> the deletion fails, the rival waits: one init', async () => {
    const { world, uid } = await raced({ deletion: 1_000 });
    expect(world.seen.filter(({ verb, what }) => verb === 'delete' && what.endsWith('c1-lock'))).toMatchObject([
      { status: 409 },
    ]);
    expect(await initialisers(world)).toEqual(['cp-0']);
    expect([await holderOf(world), await claimedBy(world)]).toEqual(['cp-0', uid]);
    expect(stateOf(await configOf(world.user, 'cp-1'))).toBe('WaitingCPInit');
  });

  test('KC-139 rival deletes it on an old look and takes it, the new life is late -> that one waits: one init', async () => {
    const { world, uid } = await raced({ deletion: 100, step: 1_000 });
    expect(uid).toBeDefined();
    expect(await initialisers(world)).toEqual(['cp-1']);
    expect([await holderOf(world), await claimedBy(world)]).toEqual(['cp-1', undefined]);
    expect(stateOf(await configOf(world.user, 'cp-0'))).toBe('WaitingCPInit');
  });

  test('KC-139 rival has deleted it on an old look and not taken it yet -> the new life makes one of its own: one init', async () => {
    const { world, uid } = await raced({ deletion: 100, step: 200, creation: 1_000 });
    expect(uid).toBeDefined();
    expect(await initialisers(world)).toHaveLength(1);
    expect([await holderOf(world)]).toEqual(await initialisers(world));
    expect(await claimedBy(world)).toBeUndefined();
  });

  test('data of this life is there -> the lock is claimed before the data is adopted', async () => {
    const { world, owner } = await locked();
    const { metadata } = await create(world.user, config(owner, 'cp-0', init));
    const { uid } = metadata;
    const reference = { kind: 'KubeadmConfig', name: 'cp-0', uid, controller: true };
    const data = { value: '#cloud-config\nkubeadm init\n', format: 'cloud-config' };
    const ownerReferences = [{ apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2', ...reference }];
    await create(world.user, secret('cp-0', data, { ownerReferences }));
    await world.start();
    await world.settle();
    expect(writes(world)).toEqual([CLAIMING, 'patch kubeadmconfigs/default/cp-0/status']);
    expect(await claimedBy(world)).toBe(uid);
  });

  test.each([403, 500])(
    'claim answered with %d -> nothing is made under that lock, which is given up once nothing of another process can arrive',
    async (code) => {
      const { world, owner } = await locked();
      const before = (await lockOf(world.user)).metadata.uid;
      await create(world.user, config(owner, 'cp-0', init));
      world.setFaults({
        request: (info) => (info.verb === 'patch' && isOnLock(info) ? { kind: 'status', code } : undefined),
      });
      await world.start();
      await world.settle();
      await world.clock.advance(300_000);
      await world.settle();
      expect((await lockOf(world.user)).metadata.uid).not.toBe(before);
      expect(await payload(world.user, 'cp-0')).toContain('kubeadm init');
      const order = writes(world).filter((write) => write.includes('c1-lock') || write.startsWith('create '));
      expect(order.filter((write) => write !== CLAIMING)).toEqual([
        'delete configmaps/default/c1-lock',
        'create configmaps/default',
        'create secrets/default',
      ]);
    },
  );

  test('one process sees both lives -> what it made for the first it claims for the second', async () => {
    const world = await createInitWorld();
    let isLost = false;
    world.setFaults({
      request: (info): RequestFault | undefined => {
        if (isLost || info.verb !== 'create' || info.resource !== 'secrets') return undefined;
        isLost = true;
        return { kind: 'drop-before' };
      },
    });
    await world.start();
    for (let round = 0; round < 50 && !isLost; round += 1) await world.clock.settle();
    const lock = await lockOf(world.user);
    await remove(world.user, 'KubeadmConfig', 'cp-0');
    const owner = await read(world.user, 'Machine', 'cp-0');
    const { metadata } = await create(world.user, config(owner, 'cp-0', init));
    await world.settle();
    await world.clock.advance(60_000);
    await world.settle();
    expect(calls(world)).not.toContain('delete configmaps/default/c1-lock');
    expect((await lockOf(world.user)).metadata).toMatchObject({
      uid: lock.metadata.uid,
      annotations: { [CLAIM]: metadata.uid },
    });
    expect(await payload(world.user, 'cp-0')).toContain('kubeadm init');
  });
});

describe('kubeadmconfig worlds: a lock of this life of its KubeadmConfig', () => {
  test('made in this process -> not written to, and has no annotation', async () => {
    const world = await createInitWorld();
    await world.start();
    await world.settle();
    expect(await payload(world.user, 'cp-0')).toContain('kubeadm init');
    expect(writes(world)).not.toContain(CLAIMING);
    expect((await lockOf(world.user)).metadata).not.toHaveProperty('annotations');
  });

  test.each([
    ['a minute later than the KubeadmConfig', 60_000, []],
    ['less than a minute later: a clock may be wrong', 59_000, [CLAIMING]],
  ])('found, made %s -> written to or not', async (_, ms, expected) => {
    const world = await createInitWorld();
    await world.clock.advance(ms);
    const { metadata } = await read(world.user, 'Machine', 'cp-0');
    await addLock(world, { machineName: 'cp-0', machineUID: metadata.uid });
    await world.start();
    await world.settle();
    expect(await payload(world.user, 'cp-0')).toContain('kubeadm init');
    expect(writes(world).filter((write) => write.includes('configmaps'))).toEqual(expected);
  });

  test('of the Go provider, which names no uid -> claimed, however old the KubeadmConfig is; its text stays', async () => {
    const { world, owner } = await locked({ information: { machineName: 'cp-0' } });
    await remove(world.user, 'ConfigMap', 'c1-lock');
    const { metadata } = await create(world.user, config(owner, 'cp-0', init));
    await world.clock.advance(600_000);
    await addLock(world, { machineName: 'cp-0' });
    await world.start();
    await world.settle();
    expect(await claimedBy(world)).toBe(metadata.uid);
    expect((await lockOf(world.user)).data).toEqual({ 'lock-information': '{"machineName":"cp-0"}' });
  });

  test('claimed, and the process starts again before there is data -> not claimed again', async () => {
    const { world, owner } = await locked();
    await create(world.user, config(owner, 'cp-0', init));
    world.setFaults({
      request: ({ verb, resource, namespace }) =>
        verb === 'create' && resource === 'secrets' && namespace === 'default' ? { kind: 'hang-before' } : undefined,
    });
    const first = await world.start();
    for (let round = 0; round < 50; round += 1) await world.clock.settle();
    expect(writes(world)).toContain(CLAIMING);
    first.kill();
    world.setFaults(undefined);
    world.seen.length = 0;
    await world.start();
    await world.settle();
    expect(await payload(world.user, 'cp-0')).toContain('kubeadm init');
    expect(writes(world)).not.toContain(CLAIMING);
  });

  test('a shadow finds it -> nothing is written to it, nor said to be', async () => {
    const { world, owner } = await locked();
    await create(world.user, config(owner, 'cp-0', init));
    const operator = await world.start({ shadow: true });
    await world.settle();
    expect(writes(world)).toEqual([]);
    expect(JSON.stringify(operator.logs)).not.toContain('c1-lock');
  });
});
