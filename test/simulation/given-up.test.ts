import { describe, expect, test } from '@jest/globals';
import { planOf } from './engine/plan.js';
import { runPlan } from './engine/run.js';

describe('init under a lock that is taken over', () => {
  test('a holder is given up while it makes certificates, and another takes the lock: -> the first stores no init data', async () => {
    const world = {
      ...planOf(292).world,
      controlPlanes: 2,
      workers: 0,
      operators: 1,
      snapshotStore: 'status',
      machines: false,
    } as const;
    const plan = {
      seed: 292,
      world,
      faults: [{ kind: 'act', atMs: 223, what: 'failLockHolderLate', target: 1 }],
    } as const;
    const { violation, trace } = await runPlan(plan, { keepTrace: true });
    expect(violation).toBeNull();
    expect(trace.some((line) => line.includes('failed or is being deleted'))).toBe(true);
    expect(trace.filter((line) => line.includes('control-plane-initialized'))).toHaveLength(1);
  });
});
