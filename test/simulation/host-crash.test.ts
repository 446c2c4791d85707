import { describe, expect, test } from '@jest/globals';
import { createHost, type Host } from '../../src/host/host.js';
import { createToyWorld, toyController, type ToyWorld } from '../unit/host/toy-controller.js';
import { createTestClock, fixedRandom, type TestClock } from '../unit/kube/test-clock.js';
import { printedSeed, sized } from '../test-size.js';

/** A process: a host whose every await may be its last. Dropping it leaves the world as it is. */
function startProcess(world: ToyWorld, clock: TestClock, diesAt: number) {
  const state = { points: 0, isDead: false, died: '' };
  const between = (where: string): Promise<void> => {
    if (state.isDead) return new Promise(() => undefined);
    state.points += 1;
    if (state.points !== diesAt) return Promise.resolve();
    state.isDead = true;
    state.died = where;
    return new Promise(() => undefined);
  };
  const host: Host = createHost({
    controller: toyController(world, {}, between),
    clock,
    random: fixedRandom(),
    freshness: world.freshness,
    concurrency: 4,
    log: { info: () => undefined, error: () => undefined },
  });
  world.onChange = (key, object, before) => {
    if (!state.isDead) host.wake(key, { kind: 'self', resourceVersion: String(object.version), before });
  };
  world.catchUp();
  for (const key of world.objects.keys()) host.wake(key, { kind: 'sync' });
  host.start();
  return { host, state };
}

const settledWorld = { parts: ['one', 'two'], status: 'Made=True ' };

describe('host: a process that dies', () => {
  test('at every await: -> the next process converges, makes nothing twice, keeps since', async () => {
    const deaths: string[] = [];
    for (let diesAt = 1; ; diesAt += 1) {
      const world = createToyWorld();
      const clock = createTestClock();
      world.put('a', { ready: true });
      const { state } = startProcess(world, clock, diesAt);
      await clock.settle();
      if (!state.isDead) break;
      deaths.push(state.died);
      const stored = world.objects.get('a')?.snapshot;
      await clock.advance(60_000);
      const next = startProcess(world, clock, 0);
      await clock.settle();
      expect(world.objects.get('a')).toMatchObject(settledWorld);
      expect(world.writes.filter((write) => write.includes('makes')).toSorted()).toEqual([
        'a makes one',
        'a makes two',
      ]);
      if (stored !== null && stored !== undefined) {
        const { since } = JSON.parse(stored) as { since: string };
        expect(JSON.parse(world.objects.get('a')?.snapshot ?? '')).toMatchObject({ since });
      }
      expect(next.host.isSettled).toBe(true);
    }
    expect(deaths).toEqual(['before one', 'after one', 'before two', 'after two', 'before status', 'after status']);
  });

  test('again and again at random, with lagging caches: -> converges once it lives', async () => {
    const seed = printedSeed('host-crash');
    let random = seed;
    const next = (below: number): number => {
      random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
      return (random >>> 8) % below;
    };
    for (let run = 0; run < sized(40, 1000); run += 1) {
      const world = createToyWorld();
      const clock = createTestClock();
      const keys = ['a', 'b', 'c'];
      keys.forEach((key) => world.put(key, {}));
      for (let life = 0; life < 4; life += 1) {
        startProcess(world, clock, 1 + next(8));
        world.isLagging = next(2) === 0;
        keys.forEach((key) => world.put(key, { ready: true }));
        await clock.advance(next(200));
      }
      const last = startProcess(world, clock, 0);
      keys.forEach((key) => world.put(key, { ready: true }));
      await clock.advance(2000);
      for (const key of keys) expect(world.objects.get(key)).toMatchObject(settledWorld);
      expect(world.writes.filter((write) => write.includes('makes'))).toHaveLength(6);
      expect(last.host.isSettled).toBe(true);
    }
  });

  test('without its snapshots: -> re-derived, and nothing else changes', async () => {
    const world = createToyWorld();
    const clock = createTestClock();
    world.put('a', { ready: true });
    startProcess(world, clock, 0);
    await clock.settle();
    world.onChange = () => undefined;
    world.put('a', { snapshot: null });
    const made = world.writes.length;
    startProcess(world, clock, 0);
    await clock.settle();
    expect(world.writes.slice(made)).toEqual(['a status Watching']);
    expect(world.objects.get('a')).toMatchObject(settledWorld);
  });
});
