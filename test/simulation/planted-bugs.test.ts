// A checker that finds nothing has proved nothing: every planted bug is found, by an invariant that it breaks, and the run without
// the bug is clean.
//
// Each is looked for from seed 1 on. Every run takes those that are found within a few seeds; the nightly size takes all.
import { describe, expect, jest, test } from '@jest/globals';
import { isNightly } from '../test-size.js';
import { PLANTED_BUGS } from './engine/bugs.js';
import { MACHINE_BUGS } from './engine/machine-bugs.js';
import { hasMachines } from './engine/machine-plan.js';
import type { InvariantName } from './engine/invariants.js';
import { planOf } from './engine/plan.js';
import { runPlan } from './engine/run.js';
import type { PlantedBug } from './engine/sabotage-kit.js';
import { STORY_BUGS } from './engine/story-bugs.js';

jest.setTimeout(3 * 60 * 60_000);

/** Seeds that are tried one after the other before a bug counts as not found. */
const BUDGET = isNightly ? 1_000 : 8;
/** Those that every run looks for: found by their first seeds. */
const CHEAP_UP_TO = 4;
/** The same, among the seeds with the Machine controller. */
const MACHINES_CHEAP_UP_TO = 3;

interface Found {
  readonly seed: number;
  readonly invariant: InvariantName;
}

/** Seeds in their order; a bug of the Machine controller needs one that runs. */
function* seedsFor(isOfMachines: boolean): Generator<number> {
  for (let seed = 1; ; seed += 1) if (!isOfMachines || hasMachines(seed)) yield seed;
}

async function firstFound({ sabotage }: PlantedBug, isOfMachines: boolean): Promise<Found | null> {
  let tried = 0;
  for (const seed of seedsFor(isOfMachines)) {
    if ((tried += 1) > BUDGET) break;
    const { violation } = await runPlan(planOf(seed), { sabotage });
    if (violation !== null) return { seed, invariant: violation.invariant };
  }
  return null;
}

async function mustBeFound(bug: PlantedBug, isOfMachines: boolean): Promise<void> {
  const found = await firstFound(bug, isOfMachines);
  if (found === null) throw new Error(`not found within ${BUDGET} seeds`);
  expect(bug.invariants).toContain(found.invariant);
  expect((await runPlan(planOf(found.seed))).violation).toBeNull();
}

describe('planted bug', () => {
  const all = [...PLANTED_BUGS, ...STORY_BUGS];
  const looked = all.filter(({ hint }) => isNightly || hint <= CHEAP_UP_TO);

  test.each(looked.map((bug) => [bug.name, bug] as const))('%s -> found, and not without it', async (_, bug) => {
    await mustBeFound(bug, false);
  });

  const lookedInMachines = MACHINE_BUGS.filter(({ hint }) => isNightly || hint <= MACHINES_CHEAP_UP_TO);

  test.each(lookedInMachines.map((bug) => [bug.name, bug] as const))(
    'of the Machine controller: %s -> found, and not without it',
    async (_, bug) => {
      await mustBeFound(bug, true);
    },
  );

  test('those of the Machine controller: counted -> at least ten, each with a name of its own', () => {
    expect(new Set(MACHINE_BUGS.map(({ name }) => name)).size).toBe(MACHINE_BUGS.length);
    expect(MACHINE_BUGS.length).toBeGreaterThanOrEqual(10);
    expect(lookedInMachines.length).toBeGreaterThanOrEqual(6);
  });

  test('all of them: counted -> at least fifteen, ten of them upstream’s, each with a name of its own', () => {
    expect(all.length).toBeGreaterThanOrEqual(15);
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    expect(all.filter(({ upstream }) => upstream !== null).length).toBeGreaterThanOrEqual(10);
    expect(looked.length).toBeGreaterThanOrEqual(6);
  });
});
