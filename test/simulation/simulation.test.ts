// The operator under everything that can go wrong, a seed at a time: safe always, settled once faults stop.
//
// TEST_SEED=<seed> runs that seed alone, with its whole trace; what fails is made small before it is shown.
import { describe, expect, jest, test } from '@jest/globals';
import { givenSeed, sized } from '../test-size.js';
import { planOf } from './engine/plan.js';
import { runPlan } from './engine/run.js';
import { report, shrink } from './engine/shrink.js';

jest.setTimeout(6 * 60 * 60_000);

const given = givenSeed();
const SEEDS = given === null ? sized(25, 10_000) : 1;
const BATCH = 25;

async function failureOf(seed: number): Promise<string> {
  const plan = planOf(seed);
  const { violation } = await runPlan(plan);
  return violation === null ? '' : report(await shrink(plan, violation.invariant));
}

describe('operator', () => {
  const batches = Array.from({ length: Math.ceil(SEEDS / BATCH) }, (_, index) => (given ?? 1) + index * BATCH);
  test.each(batches)(
    'faults, crashes and foreign hands, seeds from %s on: no invariant breaks, and every node joins',
    async (first) => {
      for (let seed = first; seed < Math.min(first + BATCH, (given ?? 1) + SEEDS); seed += 1)
        expect(await failureOf(seed)).toBe('');
    },
  );

  test('the same seed -> the same trace, line for line', async () => {
    for (const seed of [3, 19, 22]) {
      const [one, other] = [
        await runPlan(planOf(seed), { keepTrace: true }),
        await runPlan(planOf(seed), { keepTrace: true }),
      ];
      expect(other.trace).toEqual(one.trace);
      expect(other.hash).toBe(one.hash);
    }
  });

  test('a fault less -> what the others decide stays', async () => {
    const plan = planOf(3);
    expect(planOf(3)).toEqual(plan);
    const without = { ...plan, faults: plan.faults.slice(1) };
    expect((await runPlan(without)).violation).toBeNull();
  });
});
