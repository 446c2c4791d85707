import { describe, expect, test } from '@jest/globals';
import { createHost } from '../../../src/host/host.js';
import { createTestClock, fixedRandom } from '../kube/test-clock.js';
import { apiError, createToyWorld, toyController } from './toy-controller.js';
import { other, self, toyHost } from './toy-host.js';

describe('host: views', () => {
  test('a lagging cache: a wake before it shows our write -> the turn waits for it', async () => {
    const { world, clock, host, notes } = toyHost();
    world.put('a', { ready: true });
    world.isLagging = true;
    await clock.settle();
    expect(notes.turns).toHaveLength(1);
    host.wake('a', other);
    await clock.advance(5000);
    expect([notes.turns.length, host.isSettled]).toEqual([1, false]);
    expect(notes.log).toContain('a waits for Toy');
    world.catchUp();
    await clock.advance(20);
    expect([notes.turns.length, world.liveReads]).toEqual([2, 0]);
    expect(world.writes).toEqual(['a makes one', 'a makes two', 'a status Watching', 'a status Watching']);
  });

  test('a cache that can tell: -> resumes at once, without looking now and then', async () => {
    const world = createToyWorld();
    const shown: (() => void)[] = [];
    const freshness = {
      ...world.freshness,
      whenShown: (_: unknown, run: () => void) => (shown.push(run), () => undefined),
    };
    const { clock, host, notes } = toyHost({}, { freshness }, world);
    world.put('a', { ready: true });
    world.isLagging = true;
    await clock.settle();
    host.wake('a', other);
    await clock.settle();
    const timers = clock.pending();
    world.onChange = () => undefined;
    world.catchUp();
    shown.forEach((run) => run());
    await clock.settle();
    expect([notes.turns.length, timers]).toEqual([2, 1]);
  });

  test('a cache that stays behind: after 60 s -> read live, then a turn', async () => {
    const { world, clock, host, notes } = toyHost();
    world.put('a', { ready: true });
    world.isLagging = true;
    await clock.settle();
    host.wake('a', other);
    await clock.advance(59_999);
    expect([notes.turns.length, world.liveReads]).toEqual([1, 0]);
    await clock.advance(100);
    expect([notes.turns.length, world.liveReads]).toEqual([2, 1]);
  });

  test('a write of unknown outcome: -> read live before the next turn; a failed read is tried again, and is no bug', async () => {
    const world = createToyWorld();
    let reads = 0;
    const freshness = {
      ...world.freshness,
      readLive: async (object: { readonly name: string }) => {
        if ((reads += 1) === 1) throw apiError('Unavailable');
        await world.freshness.readLive(object as never, new AbortController().signal);
      },
    };
    let isFirst = true;
    const { clock, notes } = toyHost(
      {
        effects: {
          make: async (_, __, { key, ledger }) => {
            if (!isFirst) return { type: 'MADE', learned: { made: true } };
            isFirst = false;
            ledger.noteUnknown({ kind: 'Toy', namespace: 'ns', name: key });
            throw apiError('Unknown');
          },
          check: async () => ({ type: 'CHECKED', learned: {} }),
        },
      },
      { freshness },
      world,
    );
    world.put('a', { ready: true });
    await clock.advance(100);
    expect([reads, world.liveReads, notes.bugs]).toEqual([2, 1, []]);
    expect(notes.turns.map(({ result }) => result)).toEqual(['error', 'error', 'requeue_after']);
  });
});

describe('host: snapshots', () => {
  const stored = (uid: string) =>
    JSON.stringify({
      v: 1,
      uid,
      since: '2020-01-01T00:00:00Z',
      snapshot: { value: 'Waiting', context: { row: 'T01', sinceMs: 7, wakeAtMs: null } },
    });

  test('a stored snapshot: -> the actor goes on from there, since and all', async () => {
    const { world, clock, host } = toyHost();
    world.put('a', { snapshot: stored('u1') });
    await clock.settle();
    expect(host.rest('a')?.rest.context.sinceMs).toBe(7);
  });

  test.each([
    ['another life', stored('u0'), 'another object’s life'],
    ['no JSON', '{', 'not JSON'],
    ['a state that is not there', stored('u1').replace('Waiting', 'Nowhere'), 'does not restore'],
  ])('a stored snapshot of %s: -> told once, and derived anew', async (_, snapshot, reason) => {
    const { world, clock, host, notes } = toyHost({ persist: async () => undefined });
    world.put('a', { snapshot, ready: true });
    await clock.settle();
    host.wake('a', other);
    await clock.settle();
    expect([notes.log, host.rest('a')?.rest.value]).toEqual([[`a ${reason}`], 'Watching']);
  });
});

describe('host: start and stop', () => {
  test('before start: wakes are kept; after stop: they are not', async () => {
    const world = createToyWorld();
    const clock = createTestClock();
    const ended: string[] = [];
    const host = createHost({
      controller: toyController(world),
      clock,
      random: fixedRandom(),
      freshness: world.freshness,
      concurrency: 1,
      log: { info: () => undefined, error: () => undefined },
      observers: [{ onTurn: ({ key }) => ended.push(key) }],
    });
    world.onChange = (key, object, before) => host.wake(key, self(String(object.version), before));
    world.put('a', { ready: true });
    await clock.settle();
    expect([ended, host.depth]).toEqual([[], 1]);
    host.start();
    await clock.settle();
    expect(ended).toEqual(['a']);
    await host.stop();
    host.start();
    world.put('b', { ready: true });
    await clock.settle();
    expect([ended, host.depth, clock.pending()]).toEqual([['a'], 0, 0]);
  });

  test('stop: a running effect -> gets its grace and finishes; no new turn', async () => {
    const world = createToyWorld();
    let finish = (): void => undefined;
    const { clock, host, notes } = toyHost(
      {
        effects: {
          make: () =>
            new Promise((resolve) => {
              finish = () => resolve({ type: 'MADE', learned: { made: true } });
            }),
          check: async () => ({ type: 'CHECKED', learned: {} }),
        },
      },
      {},
      world,
    );
    world.put('a', { ready: true });
    await clock.settle();
    const stopped = host.stop();
    world.put('b', { ready: true });
    await clock.advance(4999);
    finish();
    await stopped;
    expect([notes.turns.length, world.writes, clock.pending()]).toEqual([1, ['a status Watching'], 0]);
  });

  test('stop: past the grace -> aborted, nothing written about it', async () => {
    const world = createToyWorld();
    let reason: unknown;
    const { clock, host, notes } = toyHost(
      {
        effects: {
          make: (_, __, { signal }) =>
            new Promise((_resolve, reject) =>
              signal.addEventListener('abort', () => {
                reason = signal.reason;
                reject(new Error('stop'));
              }),
            ),
          check: async () => ({ type: 'CHECKED', learned: {} }),
        },
      },
      {},
      world,
    );
    world.put('a', { ready: true });
    await clock.settle();
    const stopped = host.stop();
    await clock.advance(5000);
    await stopped;
    expect([reason, world.writes, notes.bugs, notes.turns]).toEqual(['the operator stops', [], [], []]);
  });
});
