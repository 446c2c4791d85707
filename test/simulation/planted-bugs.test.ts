// A checker that finds nothing has proved nothing: every planted bug is found, by an invariant that it breaks, and made small.
import { describe, expect, jest, test } from '@jest/globals';
import { isNightly } from '../test-size.js';
import { PLANTED_BUGS, type PlantedBug } from './engine/bugs.js';
import { planOf } from './engine/plan.js';
import { runPlan } from './engine/run.js';
import { shrink } from './engine/shrink.js';

jest.setTimeout(3 * 60 * 60_000);

/** Seeds that are tried one after the other before a bug counts as not found. */
const BUDGET = isNightly ? 1_000 : 60;

async function firstSeed({
  sabotage,
  hint,
}: PlantedBug): Promise<{ readonly seed: number; readonly invariant: string; readonly message: string } | null> {
  const seeds = [...(isNightly ? [] : [hint]), ...Array.from({ length: BUDGET }, (_, index) => index + 1)];
  for (const seed of seeds) {
    const { violation } = await runPlan(planOf(seed), { sabotage });
    if (violation !== null) return { seed, ...violation };
  }
  return null;
}

describe('planted bug', () => {
  test.each(PLANTED_BUGS.map((bug) => [bug.name, bug] as const))('%s -> found', async (_, bug) => {
    const found = await firstSeed(bug);
    expect([found?.seed, found?.message, bug.invariants.includes(found?.invariant as never)]).toEqual([
      expect.any(Number),
      expect.any(String),
      true,
    ]);
    expect((await runPlan(planOf(found?.seed ?? 0))).violation).toBeNull();
  });

  test('there are at least fifteen, five of them upstream’s', () => {
    expect(PLANTED_BUGS.length).toBeGreaterThanOrEqual(15);
    expect(PLANTED_BUGS.filter(({ upstream }) => upstream !== null).length).toBeGreaterThanOrEqual(5);
  });

  test('a failing seed -> a smaller plan that breaks the same invariant', async () => {
    const bug = PLANTED_BUGS.find(({ upstream }) => upstream === 14) as PlantedBug;
    const found = await firstSeed(bug);
    const plan = planOf(found?.seed ?? 0);
    const { sabotage } = bug;
    const small = await shrink(plan, found?.invariant as never, { sabotage, runsMax: 30 });
    expect(small.result.violation?.invariant).toBe(found?.invariant);
    const again = await runPlan(small.plan, { sabotage });
    expect(again.hash).toBe(small.result.hash);
    const sizeOf = ({ faults, world }: typeof plan): number =>
      faults.length + world.workers + world.controlPlanes + world.clusters + world.operators;
    expect(sizeOf(small.plan)).toBeLessThanOrEqual(sizeOf(plan));
  });
});
