// Every object is looked at once in each period, and nothing else changes by it.
import { describe, expect, test } from '@jest/globals';
import type { WakeCause } from '../../../src/host/contract.js';
import { EffectFailure } from '../../../src/host/effect-failure.js';
import { nextPass } from '../../../src/host/sync-period.js';
import { fixedRandom } from '../kube/test-clock.js';
import { createToyWorld, toyController } from './toy-controller.js';
import { other, toyHost } from './toy-host.js';

const MINUTE_MS = 60_000;

/** A toy host with a period of a minute that notes why turns run. */
function watched(change: Parameters<typeof toyHost>[0] = {}, periodMs = MINUTE_MS) {
  const causes: (readonly WakeCause[])[] = [];
  const world = createToyWorld();
  const plain = toyController(world);
  const toy = toyHost(
    {
      ...change,
      facts: (view, nowMs, context, why) => (causes.push(why), plain.facts(view, nowMs, context, why) as never),
    },
    { syncPeriodMs: periodMs },
    world,
  );
  return { ...toy, causes };
}

describe('the period of all objects', () => {
  test.each([
    [null, 0, 0.5, null],
    [5_000, 0, 0.5, { delayMs: 5_000, isSync: false }],
    [null, 600_000, 0, { delayMs: 600_000, isSync: true }],
    [null, 600_000, 0.5, { delayMs: 540_000, isSync: true }],
    [1_000_000, 600_000, 0.5, { delayMs: 540_000, isSync: true }],
    [540_000, 600_000, 0.5, { delayMs: 540_000, isSync: false }],
  ])('the next pass: wait %s, period %s, random %s -> %j', (waitMs, periodMs, random, expected) => {
    expect(nextPass(waitMs, periodMs, fixedRandom(random))).toEqual(expected);
  });

  test('a settled object: ten periods -> a pass in each, with cause sync, no write, and the wake-up stays', async () => {
    const { world, clock, host, notes, causes } = watched({}, 20_000);
    world.put('a', { ready: true });
    await clock.settle();
    host.wake('a', other);
    await clock.settle();
    const { length } = world.writes;
    const wakeAtMs = host.rest('a')?.rest.context.wakeAtMs;
    const before = notes.turns.length;
    await clock.advance(10 * 20_000);
    expect(notes.turns.length - before).toBeGreaterThanOrEqual(10);
    expect(
      new Set(
        causes
          .slice(before)
          .flat()
          .map(({ kind }) => kind),
      ),
    ).toEqual(new Set(['sync']));
    expect(world.writes).toHaveLength(length);
    expect(host.rest('a')?.rest.context.wakeAtMs).toBe(wakeAtMs);
    expect(host.isSettled).toBe(true);
  });

  test('no period: an object that rests -> is left alone', async () => {
    const { world, clock, notes } = watched({}, 0);
    world.put('a', { ready: true });
    await clock.settle();
    const { length } = notes.turns;
    await clock.advance(299_000);
    expect(notes.turns).toHaveLength(length);
  });

  test('a pass for another reason -> begins the period anew', async () => {
    const { world, clock, host, notes } = watched();
    world.put('a', { ready: true });
    await clock.settle();
    for (let look = 0; look < 6; look += 1) {
      await clock.advance(40_000);
      host.wake('a', other);
      await clock.settle();
    }
    expect(notes.turns).toHaveLength(7);
  });

  test('a backoff longer than the period: -> a pass in each period; a shorter one is waited out', async () => {
    const failing: Parameters<typeof toyHost>[0] = {
      backoffMs: () => 150_000,
      endsBackoff: () => false,
      effects: {
        check: toyController(createToyWorld()).effects.check as never,
        make: () => Promise.reject(new EffectFailure('Broken', 'broken')),
      },
    };
    const long = watched(failing);
    long.world.put('a', { ready: true });
    await long.clock.settle();
    await long.clock.advance(150_000);
    expect(long.notes.turns.map(({ result }) => result)).toEqual(['error', 'error', 'error']);
    const short = watched(failing, 400_000);
    short.world.put('a', { ready: true });
    await short.clock.settle();
    await short.clock.advance(150_000);
    expect(short.notes.turns).toHaveLength(2);
  });

  test('the object goes: -> nothing is left that brings it back', async () => {
    const { world, clock, host, notes } = watched();
    world.put('a', { ready: true });
    await clock.settle();
    world.cache.delete('a');
    world.objects.delete('a');
    host.wake('a', other);
    await clock.settle();
    const { length } = notes.turns;
    await clock.advance(5 * MINUTE_MS);
    expect(notes.turns).toHaveLength(length);
    expect(clock.pending()).toBe(0);
  });
});
