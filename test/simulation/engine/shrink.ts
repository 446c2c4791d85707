// Makes a failing plan small: faults are left out, the world gets fewer objects, as long as the same invariant breaks.
import { INVARIANTS, type InvariantName } from './invariants.js';
import type { Sabotage } from './operator.js';
import type { Plan, WorldPlan } from './plan.js';
import { runPlan, type RunResult } from './run.js';

/** A failing plan and how it failed. */
export interface Failing {
  readonly plan: Plan;
  readonly result: RunResult;
  readonly runs: number;
}

/** The smallest plan that is found within `runsMax` runs. */
export async function shrink(
  plan: Plan,
  invariant: InvariantName,
  options: { readonly sabotage?: Sabotage; readonly runsMax?: number } = {},
): Promise<Failing> {
  const { sabotage = {}, runsMax = 60 } = options;
  let runs = 0;
  let best = { plan, result: await runPlan(plan, { sabotage, keepTrace: true }) };
  const attempt = async (smaller: Plan): Promise<boolean> => {
    if (runs >= runsMax) return false;
    runs += 1;
    const result = await runPlan(smaller, { sabotage, keepTrace: true });
    if (result.violation?.invariant !== invariant) return false;
    best = { plan: smaller, result };
    return true;
  };
  let isSmaller = true;
  while (isSmaller && runs < runsMax) {
    isSmaller = false;
    for (const smaller of smallerPlans(best.plan)) {
      if (await attempt(smaller)) {
        isSmaller = true;
        break;
      }
    }
  }
  return { ...best, runs };
}

function* smallerPlans(plan: Plan): Generator<Plan> {
  const { faults, world } = plan;
  if (faults.length > 1) {
    const half = Math.ceil(faults.length / 2);
    yield { ...plan, faults: faults.slice(0, half) };
    yield { ...plan, faults: faults.slice(half) };
  }
  for (const left of faults) yield { ...plan, faults: faults.filter((fault) => fault !== left) };
  for (const smaller of smallerWorlds(world)) yield { ...plan, world: { ...world, ...smaller } };
}

function smallerWorlds(world: WorldPlan): readonly Partial<WorldPlan>[] {
  const {
    clusters,
    operators,
    poolReplicas,
    workers,
    controlPlanes,
    userToken,
    foreignSecretUntilMs,
    certificates,
    snapshotStore,
    machines,
    conditions,
  } = world;
  return [
    ...(clusters > 1 ? [{ clusters: 1 }] : []),
    ...(operators > 1 ? [{ operators: 1 as const }] : []),
    ...(poolReplicas > 0 ? [{ poolReplicas: 0 }] : []),
    ...(workers > 0 ? [{ workers: workers - 1, userToken: userToken && workers > 1 }] : []),
    ...(controlPlanes > 1 ? [{ controlPlanes: controlPlanes - 1 }] : []),
    ...(foreignSecretUntilMs === null ? [] : [{ foreignSecretUntilMs: null }]),
    ...(certificates === 'given' ? [] : [{ certificates: 'given' as const }]),
    ...(snapshotStore === 'status' ? [] : [{ snapshotStore: 'status' as const }]),
    ...(machines ? [{ machines: false }] : []),
    ...(conditions ? [{ conditions: false }] : []),
  ];
}

/** What a person needs to see of a failure: the plan, the end of the trace, and how to run it again. */
export function report({ plan, result, runs }: Failing): string {
  const { violation } = result;
  const tail = result.trace.slice(-60).join('\n  ');
  return [
    violation === null ? '' : `the invariant: ${INVARIANTS[violation.invariant]}`,
    `${violation?.invariant ?? 'nothing'} broke at ${((violation?.atMs ?? 0) / 1000).toFixed(3)} s: ${violation?.message ?? ''}`,
    `again: TEST_SEED=${plan.seed} npm test -- test/simulation/seeds-first-half.test.ts`,
    `smallest plan (after ${runs} runs): ${JSON.stringify(plan)}`,
    `trace (${result.trace.length} lines, hash ${result.hash}):`,
    `  ${tail}`,
  ].join('\n');
}
