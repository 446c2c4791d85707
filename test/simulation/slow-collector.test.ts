// A collector that takes seconds, as those of busy clusters do: what an earlier life made is still there when the next one begins.
import { describe, expect, jest, test } from '@jest/globals';
import type { KubeObject } from '../../src/kube/contract.js';
import { sized } from '../test-size.js';
import { altered, isKind } from './engine/sabotage-kit.js';
import type { Sabotage } from './engine/operator.js';
import { planOf, type Fault, type Plan } from './engine/plan.js';
import { runPlan } from './engine/run.js';

jest.setTimeout(30 * 60_000);

const AGAIN: readonly string[] = ['recreate', 'recreateConfig', 'recreateMachine', 'recreateLockHolder'];
const COLLECT_MS = 3_000;
/** In this one a KubeadmConfig that has stored its data is made again before anybody is told. */
const ADOPTING_SEED = 128;

/** The plans in which objects are made again, from seed 1 on. */
function plansWithLives(count: number): readonly Plan[] {
  const isAgain = (fault: Fault): boolean =>
    (fault.kind === 'race' || fault.kind === 'act') && AGAIN.includes(fault.what);
  const plans: Plan[] = [];
  for (let seed = 1; plans.length < count; seed += 1) {
    const plan = planOf(seed);
    if (!plan.world.machines && plan.faults.some(isAgain)) plans.push(slow(plan));
  }
  return plans;
}

function slow(plan: Plan): Plan {
  return { ...plan, world: { ...plan.world, collectMs: COLLECT_MS } };
}

/** Data counts as one's own whichever life of the KubeadmConfig made it. */
function adoptingAll(): Sabotage {
  const lives = new Map<string, string>();
  return {
    controller: (controller) => ({
      ...controller,
      observe(key) {
        const view = controller.observe(key);
        if (view !== null) lives.set(key, controller.uid(view));
        return view;
      },
    }),
    client: (client) =>
      altered(client, {
        async get<T extends KubeObject>(...[target, options]: Parameters<typeof client.get>) {
          const object = await client.get<T>(target, options);
          const uid = lives.get(`${target.namespace}/${target.name}`);
          if (!isKind(target, 'Secret') || uid === undefined) return object;
          const owners = object.metadata.ownerReferences?.map((each) =>
            each.kind === 'KubeadmConfig' ? { ...each, uid } : each,
          );
          return owners === undefined
            ? object
            : { ...object, metadata: { ...object.metadata, ownerReferences: owners } };
        },
      }),
  };
}

describe('objects made again while what was theirs is still there', () => {
  test('faults and foreign hands: no invariant breaks, and every node joins', async () => {
    for (const plan of plansWithLives(sized(8, 300)))
      expect([plan.seed, (await runPlan(plan)).violation]).toEqual([plan.seed, null]);
  });

  test('planted bug: data of an earlier life is adopted -> found, and not without it', async () => {
    const plan = slow(planOf(ADOPTING_SEED));
    expect((await runPlan(plan)).violation).toBeNull();
    expect((await runPlan(plan, { sabotage: adoptingAll() })).violation?.invariant).toBe('created-true');
  });
});
