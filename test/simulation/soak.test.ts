// Days of a fleet: clusters come and go, tokens are renewed, watches end, servers fail, the operator restarts. What it holds
// afterwards is what lives, and nothing of what does not.
import { describe, expect, jest, test } from '@jest/globals';
import { printedSeed, sized } from '../test-size.js';
import { liveThrough, type Shift } from './soak/day.js';
import { measure, row, title, type Day } from './soak/measure.js';
import { startSoakOperator, type SoakOperator } from './soak/operator.js';
import { CONFIGS_OF_CLUSTER, createSoakWorld, type SoakWorld } from './soak/world.js';

jest.setTimeout(3 * 3_600_000);

const clusters = sized(2, 250);
const days = sized(3, 10);
const MIB = 1024 * 1024;

/** Starts operators one after the other, and counts what they did. */
function operatorsOf(world: SoakWorld, counts: { turns: number; bugs: unknown[] }): Shift {
  const { time, management, workloads, material } = world;
  let lives = 0;
  const start = (): SoakOperator =>
    startSoakOperator({
      time,
      random: { next: world.random.next, bytes: world.random.bytes },
      management,
      workloads,
      keys: material.keys,
      observer: {
        onTurn: () => void (counts.turns += 1),
        onBug: (_controller, key, error) => void counts.bugs.push(`${key}: ${String(error)}`),
      },
    });
  let operator = start();
  return {
    get operator() {
      return operator;
    },
    async restart(how) {
      lives += 1;
      if (how === 'kill') operator.kill();
      else {
        let isOver = false;
        const ending = operator.stop().then(() => (isOver = true));
        await time.runUntil(time.nowMs + 600_000, () => isOver);
        await ending;
        expect({ life: lives, timers: operator.armed, listeners: operator.listeners }).toEqual({
          life: lives,
          timers: 0,
          listeners: 0,
        });
      }
      operator = start();
    },
  };
}

describe('soak', () => {
  test(`${clusters * CONFIGS_OF_CLUSTER} KubeadmConfigs, ${days} days: nothing of what is gone is held, and nothing grows`, async () => {
    const seed = printedSeed('soak');
    const world = await createSoakWorld(seed, clusters * CONFIGS_OF_CLUSTER);
    const counts = { turns: 0, bugs: [] };
    const shift = operatorsOf(world, counts);
    await world.pass(60_000);
    for (let index = 0; index < clusters; index += 1) await world.createCluster(`fleet${index}-d0`);
    process.stdout.write(`${title}\n`);
    const seen: Day[] = [];
    for (let day = 1; day <= days; day += 1) {
      const before = { turns: counts.turns, revision: world.management.store.revision(), cpu: process.cpuUsage() };
      await liveThrough(world, shift, day);
      const figures = await measure(world, shift.operator, { ...before, day, turnsNow: counts.turns });
      process.stdout.write(`${row(figures)}\n`);
      expect(counts.bugs).toEqual([]);
      expect(figures.problems).toEqual([]);
      seen.push(figures);
    }
    // The first days fill what has a bound.
    const [early, late] = [seen[sized(1, 2)], seen.at(-1)];
    if (early === undefined || late === undefined) throw new Error('a soak has three days at least');
    const most = (value: number, slack: number): number => value * 1.1 + slack;
    expect(late.heapBytes).toBeLessThan(most(early.heapBytes, 8 * MIB));
    expect(late.externalBytes).toBeLessThan(most(early.externalBytes, 8 * MIB));
    expect(late.entries).toBeLessThan(most(early.entries, 1_000));
    expect(late.armed).toBeLessThan(most(early.armed, 50));
    expect(late.listeners).toBeLessThanOrEqual(most(early.listeners, 5));
    expect(late.watches).toBeLessThan(most(early.watches, 20));
    expect(late.series).toBeLessThan(most(early.series, 1_000));
    expect(late.turns).toBeLessThan(1.5 * early.turns + 1_000);
    process.stdout.write(
      `microseconds of CPU a turn, last day to an early one: ${(late.turnMicros / early.turnMicros).toFixed(2)}\n`,
    );
  });
});
