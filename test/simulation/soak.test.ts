// Days of a fleet: clusters come and go, tokens are renewed, watches end, servers fail, the operator restarts. What it holds
// afterwards is what lives, and nothing of what does not.
import { describe, expect, jest, test } from '@jest/globals';
import { printedSeed, sized } from '../test-size.js';
import { liveThrough, type Shift } from './soak/day.js';
import { measure, medianOf, row, title, type Day } from './soak/measure.js';
import { startSoakOperator, type SoakOperator } from './soak/operator.js';
import { createWaits, type Waits } from './soak/waits.js';
import { CONFIGS_OF_CLUSTER, createSoakWorld, type SoakWorld } from './soak/world.js';

jest.setTimeout(3 * 3_600_000);

const clusters = sized(2, 250);
const days = sized(3, 10);
const MIB = 1024 * 1024;

/** Starts operators one after the other, and counts what they did. */
function operatorsOf(world: SoakWorld, waits: Waits, counts: { turns: number; bugs: unknown[] }): Shift {
  const { time, management, workloads, material } = world;
  let lives = 0;
  const start = (): SoakOperator =>
    startSoakOperator({
      time,
      random: { next: world.random.next, bytes: world.random.bytes },
      management,
      workloads,
      keys: material.keys,
      observers: [
        waits.observer,
        {
          onTurn: () => void (counts.turns += 1),
          onBug: (_controller, key, error) => void counts.bugs.push(`${key}: ${String(error)}`),
        },
      ],
    });
  let operator = start();
  return {
    get operator() {
      return operator;
    },
    async restart(how) {
      lives += 1;
      if (how === 'kill') operator.kill();
      else await endOf(world, operator, lives);
      operator = start();
    },
  };
}

/** Ends a process as on SIGTERM: nothing of it is left. */
async function endOf({ time, workloads }: SoakWorld, operator: SoakOperator, life: number): Promise<void> {
  let isOver = false;
  const ending = operator.stop().then(() => (isOver = true));
  await time.runUntil(time.nowMs + 600_000, () => isOver);
  await ending;
  const { armed: timers, listeners, connections } = operator;
  const watches = workloads.all().reduce((sum, { store }) => sum + store.watchCount(), 0);
  expect({ life, timers, listeners, connections, watches }).toEqual({
    life,
    timers: 0,
    listeners: 0,
    connections: 0,
    watches: 0,
  });
}

/** The first day fills what has a bound; from then on nothing grows. */
function expectFlat(early: Day, late: Day): void {
  const most = (value: number, slack: number): number => value * 1.05 + slack;
  expect(late.heapBytes).toBeLessThan(most(early.heapBytes, 8 * MIB));
  expect(late.externalBytes).toBeLessThan(most(early.externalBytes, 8 * MIB));
  expect(late.entries).toBeLessThan(most(early.entries, 1_000));
  expect(late.actors).toBeLessThanOrEqual(most(early.actors, 0));
  expect(late.armed).toBeLessThan(most(early.armed, 50));
  expect(late.listeners).toBeLessThanOrEqual(most(early.listeners, 5));
  expect(late.watches).toBeLessThan(most(early.watches, 20));
  expect(late.series).toBeLessThan(1.1 * early.series + 1_000);
  expect(late.turns).toBeLessThan(1.5 * early.turns + 1_000);
  expect(medianOf(late.waitsMs)).toBeLessThan(most(medianOf(early.waitsMs), 20));
  expect(late.waitsMs.at(-1)).toBeLessThan(2 * (early.waitsMs.at(-1) ?? 0) + 1_000);
}

describe('soak', () => {
  test(`${clusters * CONFIGS_OF_CLUSTER} KubeadmConfigs, ${days} days: nothing of what is gone is held, and nothing grows`, async () => {
    const seed = printedSeed('soak');
    const world = await createSoakWorld(seed, clusters * CONFIGS_OF_CLUSTER);
    const counts = { turns: 0, bugs: [] };
    const waits = createWaits(world.time);
    const shift = operatorsOf(world, waits, counts);
    await world.pass(60_000);
    for (let index = 0; index < clusters; index += 1) await world.createCluster(`fleet${index}-d0`);
    process.stdout.write(`${title}\n`);
    const seen: Day[] = [];
    for (let day = 1; day <= days; day += 1) {
      const before = { turns: counts.turns, revision: world.management.store.revision(), cpu: process.cpuUsage() };
      await liveThrough(world, shift, waits, day);
      const given = { ...before, day, turnsNow: counts.turns, waitsMs: waits.take() };
      const figures = await measure(world, shift.operator, given);
      process.stdout.write(`${row(figures)}\n`);
      expect(counts.bugs).toEqual([]);
      expect(figures.problems).toEqual([]);
      seen.push(figures);
      const [, early] = seen;
      if (early !== undefined) expectFlat(early, figures);
    }
    await endOf(world, shift.operator, days + 1);
  });
});
