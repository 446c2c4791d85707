import { afterEach, describe, expect, test } from '@jest/globals';
import { resources } from '../../../src/api/names.js';
import type { KubeObject } from '../../../src/kube/contract.js';
import { createInformer, type Informer } from '../../../src/kube/informer.js';
import { createInformers } from '../../../src/kube/informers.js';
import { createNameStream } from '../../../src/kube/name-stream.js';
import { born, step, type ReflectorState } from '../../../src/kube/reflector-state.js';
import type { ListFrom } from '../../../src/kube/reflector-state.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { createScriptedClient, machine, type ScriptedClient } from './scripted-client.js';
import { createTestClock, fixedRandom, type TestClock } from './test-clock.js';

const resource = resourceOf(resources.Machine);
const page = (items: KubeObject[], resourceVersion: string, continueToken: string | null = null) => ({
  items,
  resourceVersion,
  continueToken,
});

interface World extends ScriptedClient {
  readonly clock: TestClock;
  readonly informer: Informer<KubeObject>;
  readonly controller: AbortController;
  readonly names: () => string[];
}

let world: World;
afterEach(async () => {
  world.controller.abort();
  await world.clock.settle();
  expect(world.clock.pending()).toBe(0);
});

async function start(firstList: ListFrom = 'any'): Promise<World> {
  const scripted = createScriptedClient();
  const clock = createTestClock();
  const informer = createInformer(
    { client: scripted.client, clock, random: fixedRandom(0.5) },
    { resource, firstList },
  );
  const controller = new AbortController();
  void informer.run(controller.signal);
  world = {
    ...scripted,
    clock,
    informer,
    controller,
    names: () => informer.store.list().map(({ metadata }) => `${metadata.name}@${metadata.resourceVersion}`),
  };
  await clock.settle();
  return world;
}

async function synced(): Promise<World> {
  const it = await start();
  it.lists[0]?.answer(page([machine('a', '5')], '10'));
  await it.clock.settle();
  return it;
}

describe('reflector: list', () => {
  test('first list -> any version in pages of 500, then a watch from its version with bookmarks and a timeout', async () => {
    const { lists, watches, clock, names, informer } = await start();
    expect(lists[0]?.options).toMatchObject({ resourceVersion: '0', limit: 500 });
    lists[0]?.answer(page([machine('a', '5')], '10', 'next'));
    await clock.settle();
    expect(informer.store.synced).toBe(false);
    expect(lists[1]?.options).toMatchObject({ limit: 500, continueToken: 'next' });
    expect(lists[1]?.options).not.toHaveProperty('resourceVersion');
    lists[1]?.answer(page([machine('b', '6')], '10'));
    await clock.settle();
    expect(names()).toEqual(['a@5', 'b@6']);
    expect(watches[0]?.options).toMatchObject({ resourceVersion: '10', timeoutSeconds: 450 });
  });

  test('first list of what safety reads -> the current version', async () => {
    const { lists } = await start('current');
    expect(lists[0]?.options).not.toHaveProperty('resourceVersion');
  });

  test('410 between pages -> once more from the start, then in one piece', async () => {
    const { lists, clock, names } = await start();
    lists[0]?.answer(page([machine('old', '5')], '10', 'next'));
    await clock.settle();
    lists[1]?.fail('Gone');
    await clock.settle();
    expect(lists[2]?.options).toMatchObject({ limit: 500 });
    expect(lists[2]?.options).not.toHaveProperty('continueToken');
    expect(lists[2]?.options).not.toHaveProperty('resourceVersion');
    lists[2]?.answer(page([machine('old', '5')], '11', 'next'));
    await clock.settle();
    lists[3]?.fail('Gone');
    await clock.settle();
    expect(lists[4]?.options).not.toHaveProperty('limit');
    lists[4]?.answer(page([machine('new', '12')], '13'));
    await clock.settle();
    expect(names()).toEqual(['new@12']);
  });

  test('failures -> 0.8 s doubling to 30 s with jitter, Retry-After honoured, the problem is told until it is over', async () => {
    const { lists, clock, informer } = await start();
    const delays: number[] = [];
    for (const retryAfterMs of [null, null, null, null, null, null, null, 45_000]) {
      lists.at(-1)?.fail('Unavailable', { retryAfterMs });
      const before = lists.length;
      const startedMs = clock.monotonicMs();
      while (lists.length === before) await clock.advance(100);
      delays.push(clock.monotonicMs() - startedMs);
    }
    expect(delays).toEqual([1200, 2400, 4800, 9600, 19_200, 30_000, 30_000, 45_000]);
    expect(informer.problem()?.kind).toBe('Unavailable');
    lists.at(-1)?.answer(page([], '10'));
    await clock.settle();
    expect(informer.problem()).toBeNull();
  });

  test('stop in the middle of a list -> ends, no watch is started', async () => {
    const { watches, controller, lists, clock } = await start();
    lists[0]?.answer(page([], '10', 'next'));
    await clock.settle();
    controller.abort();
    await clock.settle();
    expect(watches).toHaveLength(0);
  });
});

describe('reflector: watch', () => {
  test('polite end after events -> at once another from the last version, no list, nothing lost', async () => {
    const { lists, watches, clock, names } = await synced();
    for (let round = 0; round < 20; round += 1) {
      const version = String(11 + round);
      watches[round]?.send({ type: 'MODIFIED', object: machine('a', version) });
      watches[round]?.close();
      await clock.settle();
      expect(watches[round + 1]?.options.resourceVersion).toBe(version);
    }
    expect([lists.length, names(), clock.monotonicMs()]).toEqual([1, ['a@30'], 0]);
  });

  test('bookmark -> the next watch starts there', async () => {
    const { watches, clock, informer } = await synced();
    watches[0]?.send({ type: 'BOOKMARK', resourceVersion: '99' });
    watches[0]?.close();
    await clock.settle();
    expect([watches[1]?.options.resourceVersion, informer.store.resourceVersion]).toEqual(['99', '99']);
  });

  test('closed at once again and again without an event -> three times at once, then with backoff', async () => {
    const { watches, clock } = await synced();
    for (let round = 0; round < 4; round += 1) {
      watches[round]?.close();
      await clock.settle();
    }
    expect(watches).toHaveLength(4);
    await clock.advance(1199);
    expect(watches).toHaveLength(4);
    await clock.advance(1);
    expect(watches).toHaveLength(5);
  });

  test('break after an event -> at once another; break again and again -> backoff, no list', async () => {
    const { lists, watches, clock } = await synced();
    watches[0]?.send({ type: 'MODIFIED', object: machine('a', '11') });
    watches[0]?.fail('Unavailable');
    await clock.settle();
    expect(watches[1]?.options.resourceVersion).toBe('11');
    watches[1]?.fail('Refused');
    await clock.advance(1199);
    expect(watches).toHaveLength(2);
    await clock.advance(1);
    expect(watches).toHaveLength(3);
    watches[2]?.fail('TooManyRequests', { retryAfterMs: 7000 });
    await clock.advance(6999);
    expect(watches).toHaveLength(3);
    await clock.advance(1);
    expect([watches.length, lists.length]).toEqual([4, 1]);
  });

  test('a list that is too large -> again at once from the current version, in pages of half the length', async () => {
    const { lists, informer, clock } = await start();
    expect(lists[0]?.options).toMatchObject({ limit: 500, resourceVersion: '0' });
    for (const index of [0, 1, 2]) {
      lists[index]?.fail('Unavailable', { reason: 'TooLarge' });
      await clock.settle();
    }
    expect(lists.slice(1).map(({ options }) => [options.limit, options.resourceVersion])).toEqual([
      [250, undefined],
      [125, undefined],
      [63, undefined],
    ]);
    lists[3]?.answer(page([machine('a', '5')], '10', 'more'));
    await clock.settle();
    expect(lists[4]?.options).toMatchObject({ limit: 63, continueToken: 'more' });
    lists[4]?.answer(page([machine('b', '6')], '10'));
    await clock.settle();
    expect(informer.store.list()).toHaveLength(2);
  });

  test('a list for which others have left no room -> backoff, in pages of the same length', async () => {
    const { lists, clock } = await start();
    lists[0]?.fail('Unavailable', { reason: 'Crowded' });
    await clock.settle();
    expect(lists).toHaveLength(1);
    await clock.advance(2_000);
    expect(lists.map(({ options }) => options.limit)).toEqual([500, 500]);
  });

  test('one object that is too large by itself -> backoff, not a circle', async () => {
    const { lists, clock } = await start();
    for (let index = 0; index < 30; index += 1) {
      lists[index]?.fail('Unavailable', { reason: 'TooLarge' });
      await clock.settle();
    }
    expect(lists.length).toBeLessThan(15);
    expect(lists.at(-1)?.options.limit).toBe(1);
  });

  test('answered and cut after 35 s without an event, again and again -> at once another, no backoff', async () => {
    const { lists, watches, clock } = await synced();
    for (let cut = 0; cut < 20; cut += 1) {
      expect(watches).toHaveLength(cut + 1);
      watches[cut]?.open();
      await clock.advance(35_000);
      watches[cut]?.fail('Unavailable');
      await clock.settle();
    }
    expect(lists).toHaveLength(1);
  });

  test('not answered for 35 s, then cut -> backoff', async () => {
    const { watches, clock } = await synced();
    await clock.advance(35_000);
    watches[0]?.fail('Unavailable');
    await clock.advance(1_199);
    expect(watches).toHaveLength(1);
    await clock.advance(1);
    expect(watches).toHaveLength(2);
  });

  test('a watch after a failure is answered -> nothing keeps the cache from being up to date, before any event', async () => {
    const { informer, watches, clock } = await synced();
    watches[0]?.fail('Refused');
    await clock.advance(1_200);
    expect(informer.problem()).not.toBeNull();
    watches[1]?.open();
    expect(informer.problem()).toBeNull();
  });

  test.each([
    ['as an answer', (w: World) => w.watches[0]?.fail('Gone')],
    [
      'as an event',
      (w: World) => w.watches[0]?.send({ type: 'ERROR', status: 410, reason: 'Expired', message: 'too old' }),
    ],
  ])('410 %s -> a full current list at once, differences told as sync', async (_, expire) => {
    const it = await synced();
    const changes: string[] = [];
    it.informer.store.subscribe(({ type, sync }) => changes.push(`${type} ${sync}`));
    expire(it);
    await it.clock.settle();
    expect(it.lists[1]?.options).toMatchObject({ limit: 500 });
    expect(it.lists[1]?.options).not.toHaveProperty('resourceVersion');
    it.lists[1]?.answer(page([machine('b', '20')], '25'));
    await it.clock.settle();
    expect([it.names(), it.watches[1]?.options.resourceVersion, changes.sort()]).toEqual([
      ['b@20'],
      '25',
      ['added true', 'deleted true'],
    ]);
  });

  test('410 after every list -> lists with backoff, never in a circle', async () => {
    const { lists, watches, clock } = await synced();
    watches[0]?.fail('Gone');
    await clock.settle();
    lists[1]?.answer(page([], '20'));
    await clock.settle();
    watches[1]?.fail('Gone');
    await clock.settle();
    expect(lists).toHaveLength(2);
    await clock.advance(2400);
    expect(lists).toHaveLength(3);
  });

  test('error inside the stream: overload -> the same version later; anything else -> a list later', async () => {
    const { lists, watches, clock } = await synced();
    watches[0]?.send({ type: 'ERROR', status: 429, reason: 'TooManyRequests', message: 'busy' });
    await clock.advance(1200);
    expect([watches[1]?.options.resourceVersion, lists.length]).toEqual(['10', 1]);
    watches[1]?.send({ type: 'ERROR', status: 500, reason: 'InternalError', message: 'cannot decode' });
    await clock.advance(30_000);
    expect(lists).toHaveLength(2);
  });

  test('no byte for 150 s -> the connection is dead: another from the same version', async () => {
    const { watches, clock, lists } = await synced();
    await clock.advance(100_000);
    watches[0]?.send({ type: 'BOOKMARK', resourceVersion: '12' });
    await clock.advance(149_999);
    expect(watches).toHaveLength(1);
    await clock.advance(1);
    expect([watches.length, watches[0]?.signal?.aborted, watches[1]?.options.resourceVersion, lists.length]).toEqual([
      2,
      true,
      '12',
      1,
    ]);
  });

  test('listener that throws -> events go on, and none is read twice', async () => {
    const { watches, clock, informer, names } = await synced();
    informer.store.subscribe(() => {
      throw new Error('bug');
    });
    watches[0]?.send({ type: 'MODIFIED', object: machine('a', '11') });
    watches[0]?.send({ type: 'ADDED', object: machine('b', '12') });
    watches[0]?.close();
    await clock.settle();
    expect([names(), watches[1]?.options.resourceVersion]).toEqual([['a@11', 'b@12'], '12']);
  });
});

describe('reflector: live reads', () => {
  test('object -> one list by name, and the store shows it', async () => {
    const { informer, lists, clock, names } = await synced();
    const reading = informer.readLive('default', 'a', new AbortController().signal);
    expect(lists[1]?.options).toMatchObject({ namespace: 'default', fieldSelector: 'metadata.name=a' });
    lists[1]?.answer(page([machine('a', '14')], '20'));
    await reading;
    await clock.settle();
    expect(names()).toEqual(['a@14']);
  });

  test('absence -> the object is gone; failure -> thrown', async () => {
    const { informer, lists, names } = await synced();
    const { signal } = new AbortController();
    const failing = informer.readLive('default', 'a', signal);
    lists[1]?.fail('Unavailable');
    await expect(failing).rejects.toMatchObject({ failure: { kind: 'Unavailable' } });
    const reading = informer.readLive('default', 'a', signal);
    lists[2]?.answer(page([], '20'));
    await reading;
    expect(names()).toEqual([]);
  });
});

describe('reflector: states', () => {
  test('happening that does not fit -> a bug that shows itself', () => {
    expect(() => step(born('any'), { kind: 'waited' }, 0)).toThrow('a reflector that is listing cannot have waited');
  });

  test('400 to a watch -> a list: the version is none that the server knows', () => {
    const state: ReflectorState = { kind: 'watching', resourceVersion: '5', failures: 0, shortCloses: 0 };
    const end = { kind: 'failed', failure: { kind: 'BadRequest', retryAfterMs: null } } as const;
    expect(step(state, { kind: 'watch-ended', end, resourceVersion: '5', events: 0, livedMs: 3 }, 0)).toMatchObject({
      kind: 'waiting',
      delayMs: 800,
      next: { kind: 'listing', from: 'current' },
    });
  });
});

describe('informers', () => {
  test('kind that is held twice -> one watch, ended a minute after the last release', async () => {
    const scripted = createScriptedClient();
    const clock = createTestClock();
    const controller = new AbortController();
    const informers = createInformers({ client: scripted.client, clock, random: fixedRandom() });
    informers.start(controller.signal);
    const [one, two] = [informers.hold({ resource }), informers.hold({ resource })];
    await clock.settle();
    scripted.lists[0]?.answer(page([machine('a', '5')], '10'));
    await one.whenSynced();
    expect([scripted.lists.length, two.cache.list().length]).toEqual([1, 1]);
    one.release();
    one.release();
    await clock.advance(120_000);
    expect(scripted.watches.at(-1)?.signal?.aborted).toBe(false);
    two.release();
    await clock.advance(59_999);
    const again = informers.hold({ resource });
    await clock.advance(60_000);
    expect(scripted.watches.at(-1)?.signal?.aborted).toBe(false);
    again.release();
    await clock.advance(60_000);
    expect(scripted.watches.at(-1)?.signal?.aborted).toBe(true);
    controller.abort();
    world = { ...scripted, clock, controller } as World;
  });

  test('freshness -> asks the caches of that kind, yes for kinds without one, live reads reach all of them', async () => {
    const scripted = createScriptedClient();
    const clock = createTestClock();
    const controller = new AbortController();
    const informers = createInformers({ client: scripted.client, clock, random: fixedRandom() });
    informers.declare({ resource });
    const synced = informers.whenSynced();
    informers.start(controller.signal);
    await clock.settle();
    scripted.lists[0]?.answer(page([], '10'));
    expect(await synced).toBe(true);
    const receipt = { kind: 'Machine', namespace: 'default', name: 'a', uid: 'u', resourceVersion: '12' };
    expect([informers.freshness.shows(receipt), informers.freshness.shows({ ...receipt, kind: 'Pod' })]).toEqual([
      false,
      true,
    ]);
    const shown: string[] = [];
    informers.freshness.whenShown(receipt, () => shown.push('event'));
    informers.freshness.whenShown({ ...receipt, kind: 'Pod' }, () => shown.push('no cache'));
    informers.freshness.whenShown(receipt, () => shown.push('cancelled'))();
    scripted.watches[0]?.send({ type: 'ADDED', object: machine('b', '11') });
    await clock.settle();
    expect(shown).toEqual(['no cache']);
    const reading = informers.freshness.readLive(receipt, controller.signal);
    scripted.lists[1]?.answer(page([], '15'));
    await reading;
    expect(informers.freshness.shows(receipt)).toBe(true);
    expect(shown).toEqual(['no cache', 'event']);
    controller.abort();
    world = { ...scripted, clock, controller } as World;
  });
});

describe('name stream', () => {
  test('changes -> names; start and gaps -> everybody looks; one object is listed, metadata only', async () => {
    const scripted = createScriptedClient();
    const clock = createTestClock();
    const controller = new AbortController();
    const stream = createNameStream(
      { client: scripted.client, clock, random: fixedRandom() },
      { resource: resourceOf(resources.Secret) },
    );
    const seen: string[] = [];
    stream.subscribe((change) => seen.push(change.kind === 'missed' ? 'missed' : `${change.namespace}/${change.name}`));
    void stream.run(controller.signal);
    await clock.settle();
    expect(scripted.lists[0]?.options).toMatchObject({ limit: 1, metadataOnly: true });
    scripted.lists[0]?.answer(page([machine('ignored', '5')], '10', 'more'));
    await clock.settle();
    scripted.watches[0]?.send({ type: 'ADDED', object: machine('s1', '11') });
    scripted.watches[0]?.send({ type: 'DELETED', object: machine('s2', '12') });
    scripted.watches[0]?.fail('Gone');
    await clock.settle();
    scripted.lists[1]?.answer(page([], '20'));
    await clock.settle();
    expect(seen).toEqual(['missed', 'default/s1', 'default/s2', 'missed']);
    expect(scripted.watches[1]?.options).toMatchObject({ resourceVersion: '20', metadataOnly: true });
    controller.abort();
    world = { ...scripted, clock, controller } as World;
  });
});
