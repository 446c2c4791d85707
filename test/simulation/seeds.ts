// The suite of seeds: each is a world under faults of its own. Two test files share it, so that two workers do.
//
// TEST_SEED=<seed> runs that seed alone; what fails is made small before it is shown (engine/shrink.ts).
import { describe, expect, jest, test } from '@jest/globals';
import { givenSeed, sized } from '../test-size.js';
import { planOf } from './engine/plan.js';
import { runPlan } from './engine/run.js';
import { report, shrink } from './engine/shrink.js';

/** Seeds of a whole run: both halves together. */
export const SEEDS = sized(300, 10_000);
const BATCH = 25;

/** What is wrong with a seed, as a text for people; empty for nothing. */
export async function failureOf(seed: number): Promise<string> {
  const plan = planOf(seed);
  const { violation } = await runPlan(plan);
  return violation === null ? '' : report(await shrink(plan, violation.invariant));
}

/** Declares the tests of the seeds `first` to `last`; where a seed was asked for, of that alone, in the first half. */
export function describeSeeds(first: number, last: number): void {
  jest.setTimeout(6 * 60 * 60_000);
  const given = givenSeed();
  const isElsewhere = given !== null && first !== 1;
  const [from, to] = given === null ? [first, last] : [given, given];
  const batches = isElsewhere
    ? []
    : Array.from({ length: Math.ceil((to - from + 1) / BATCH) }, (_, index) => {
        const start = from + index * BATCH;
        return [start, Math.min(to, start + BATCH - 1)] as const;
      });
  describe('operator', () => {
    test('a seed that is asked for alone -> runs in the first half', () => {
      expect(batches.length > 0).toBe(!isElsewhere);
    });

    for (const [start, end] of batches)
      test(`faults, crashes and foreign hands, seeds ${start} to ${end}: no invariant breaks, and every node joins`, async () => {
        for (let seed = start; seed <= end; seed += 1) expect(await failureOf(seed)).toBe('');
      });
  });
}
