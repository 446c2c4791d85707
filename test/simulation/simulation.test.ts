// The simulation itself: a seed is a run, byte for byte, and taking something out of a plan leaves the rest of it as it was.
import { describe, expect, test } from '@jest/globals';
import { INVARIANTS } from './engine/invariants.js';
import { PLANTED_BUGS } from './engine/bugs.js';
import { MACHINE_BUGS } from './engine/machine-bugs.js';
import type { Ending } from './engine/machine-plan.js';
import { planOf, type ActName, type Fault } from './engine/plan.js';
import { runPlan } from './engine/run.js';
import { report, shrink } from './engine/shrink.js';

describe('simulation', () => {
  test('the same seed -> the same trace, byte for byte', async () => {
    for (const seed of [3, 19, 22]) {
      const [one, other] = [
        await runPlan(planOf(seed), { keepTrace: true }),
        await runPlan(planOf(seed), { keepTrace: true }),
      ];
      expect(other.trace.join('\n')).toBe(one.trace.join('\n'));
      expect(other.hash).toBe(one.hash);
    }
  });

  test('another seed -> another trace', async () => {
    expect((await runPlan(planOf(3))).hash).not.toBe((await runPlan(planOf(4))).hash);
  });

  test('a fault less -> what the others decide stays', async () => {
    const plan = planOf(3);
    expect(planOf(3)).toEqual(plan);
    const without = { ...plan, faults: plan.faults.slice(1) };
    expect((await runPlan(without)).violation).toBeNull();
  });

  test('the plans of some hundred seeds -> every kind of fault, every act and every kind of world', () => {
    const plans = Array.from({ length: 600 }, (_, index) => planOf(index + 1));
    const faults = plans.flatMap((plan) => plan.faults);
    const what = <K extends Fault['kind']>(kind: K): readonly Extract<Fault, { kind: K }>[] =>
      faults.filter((fault): fault is Extract<Fault, { kind: K }> => fault.kind === kind);
    const sorted = (all: readonly unknown[]): readonly string[] => [...new Set(all.map(String))].toSorted();
    expect(sorted(faults.map(({ kind }) => kind))).toEqual(
      [
        ...['act', 'clock', 'compact', 'ending', 'freeze', 'isolation', 'kill', 'machine-act', 'race', 'requests'],
        'watches',
      ].toSorted(),
    );
    expect(sorted(what('watches').map((fault) => fault.what))).toEqual(
      ['break', 'close', 'delay', 'drop', 'duplicate', 'gone', 'lapse', 'silent'].toSorted(),
    );
    expect(Math.max(...what('watches').map(({ ms }) => ms))).toBeGreaterThan(29_000);
    expect(sorted(what('requests').map((fault) => fault.what))).toEqual(
      ['delay', 'drop-after', 'drop-before', 'hang-after', 'hang-before', 'late', 'status'].toSorted(),
    );
    expect(sorted(what('requests').map(({ code }) => code))).toEqual(['409', '429', '500', '503', '504']);
    expect(sorted(what('isolation').map(({ from }) => from))).toEqual(['management', 'workload']);
    expect(sorted(plans.map(({ world }) => world.operators))).toEqual(['1', '2']);
    const acts = sorted(what('act').map((fault) => fault.what));
    for (const act of ['loseSnapshot', 'corruptSnapshot', 'recreateMachine', 'recreateConfig', 'addFile', 'loseToken'])
      expect(acts).toContain(act);
  });

  test('the plans of some hundred seeds -> every story, and most seeds without one', () => {
    const plans = Array.from({ length: 1_000 }, (_, index) => planOf(index + 1));
    const acts = (what: ActName) => (fault: Fault) => fault.kind === 'act' && fault.what === what;
    const stories: readonly ((fault: Fault) => boolean)[] = [
      ...(
        [
          ...(['removeWorker', 'dropLockLate', 'recreateLockHolder', 'rotateKubeconfig', 'renewKubeconfig'] as const),
          ...(['swapToken', 'pauseFirst'] as const),
        ] as const
      ).map(acts),
      (fault) => fault.kind === 'watches' && fault.what === 'lapse',
      (fault) => fault.kind === 'race' && fault.what === 'take',
      (fault) => fault.kind === 'watches' && fault.operator !== undefined && fault.resource !== 'machines',
      (fault) => fault.kind === 'requests' && fault.isWrite === true,
    ];
    const isOf = stories.map((isStory) => plans.filter(({ faults }) => faults.some(isStory)).length);
    for (const count of isOf) expect(count).toBeGreaterThan(0);
    expect(plans.filter(({ faults }) => stories.some((isStory) => faults.some(isStory))).length).toBeLessThan(200);
  });

  test('worlds with the Machine controller -> the same trace byte for byte, and every way to hold a deletion up', async () => {
    const plans = Array.from({ length: 600 }, (_, index) => planOf(index + 1)).filter(({ world }) => world.machines);
    expect(plans.length).toBeGreaterThan(60);
    const endings = plans.flatMap(({ faults }) => faults.filter((fault) => fault.kind === 'ending'));
    for (const isSo of [
      (ending: Ending) => ending.preDrainMs !== null,
      (ending: Ending) => ending.preTerminateMs !== null,
      (ending: Ending) => ending.pod !== null && ending.pod.budgetMs > 100_000,
      (ending: Ending) => ending.volumeMs !== null,
      (ending: Ending) => ending.drainTimeoutSeconds > 0,
      (ending: Ending) => ending.volumeTimeoutSeconds > 0,
      (ending: Ending) => ending.nodeVanishesMs !== null,
      (ending: Ending) => ending.comesAgain,
    ])
      expect(endings.filter(isSo).length).toBeGreaterThan(0);
    const [plan] = plans;
    if (plan === undefined) throw new Error('no world has the Machine controller');
    const [one, other] = [await runPlan(plan, { keepTrace: true }), await runPlan(plan, { keepTrace: true })];
    expect(other.trace.join('\n')).toBe(one.trace.join('\n'));
  });

  test('a failing seed -> a smaller plan that breaks the same invariant, and a report that says how to run it again', async () => {
    const bug = PLANTED_BUGS.find(({ upstream }) => upstream === 14);
    if (bug === undefined) throw new Error('the bug is not planted any more');
    const plan = planOf(bug.hint);
    const { sabotage } = bug;
    const found = (await runPlan(plan, { sabotage })).violation;
    if (found === null) throw new Error('the bug was not found');
    const small = await shrink(plan, found.invariant, { sabotage, runsMax: 25 });
    expect(small.result.violation?.invariant).toBe(found.invariant);
    expect((await runPlan(small.plan, { sabotage })).hash).toBe(small.result.hash);
    const sizeOf = ({ faults, world }: typeof plan): number =>
      faults.length + world.workers + world.controlPlanes + world.clusters + world.operators;
    expect(sizeOf(small.plan)).toBeLessThan(sizeOf(plan));
    expect(report(small)).toContain(
      `again: TEST_SEED=${bug.hint} npm test -- test/simulation/seeds-first-half.test.ts`,
    );
    expect(report(small)).toContain(INVARIANTS[found.invariant]);
  });
});

describe('simulation with the Machine controller', () => {
  test('a failing seed -> a smaller plan that breaks the same invariant', async () => {
    const bug = MACHINE_BUGS.find(({ invariants }) => invariants.includes('deletion-order'));
    if (bug === undefined) throw new Error('the bug is not planted any more');
    const plan = planOf(bug.hint);
    const found = (await runPlan(plan, bug)).violation;
    if (found === null) throw new Error('the bug was not found');
    const small = await shrink(plan, found.invariant, { sabotage: bug.sabotage, runsMax: 12 });
    expect(small.result.violation?.invariant).toBe(found.invariant);
    expect(small.plan.faults.length).toBeLessThan(plan.faults.length);
    expect(report(small)).toContain(INVARIANTS[found.invariant]);
  });
});
