// A cluster that is deleted while it is being made: nothing below it may stay, whoever was about to do what at that moment.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { isNightly, printedSeed } from '../test-size.js';
import { startSoakOperator, type SoakOperator } from './soak/operator.js';
import { createSoakWorld, type SoakWorld } from './soak/world.js';

jest.setTimeout(600_000);

const seed = printedSeed('deleted at once');
const bugs: string[] = [];
let world: SoakWorld;
let operator: SoakOperator;

beforeAll(async () => {
  world = await createSoakWorld(seed, 100);
  const { time, management, workloads, material, random } = world;
  operator = startSoakOperator({
    time,
    random,
    management,
    workloads,
    keys: material.keys,
    observers: [{ onBug: (_controller, key, error) => void bugs.push(`${key}: ${String(error)}`) }],
  });
  await world.pass(60_000);
});

afterAll(() => operator.kill());

const often = [0, 1, 3, 5, 10, 20, 50, 100, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 4_000, 5_000];
const moments = isNightly ? often : [0, 3, 50, 500, 2_000];

/** Names of Machines that cannot go without the operator any more. */
function held(cluster: string): readonly string[] {
  return world
    .objects('machines.cluster.x-k8s.io')
    .filter(({ metadata }) => metadata.name.startsWith(`${cluster}-`) && (metadata.finalizers ?? []).length > 0)
    .map(({ metadata }) => metadata.name);
}

async function expectNothingLeft(): Promise<void> {
  await world.pass(1_000);
  expect(bugs).toEqual([]);
  expect([...operator.hosts.values()].flatMap((host) => host.keys())).toEqual([]);
  expect(world.workloads.all()).toEqual([]);
}

describe('a cluster deleted at once', () => {
  test.each(moments)('Cluster deleted %i ms after its last object was made -> all below is gone', async (ms) => {
    const name = `c${ms}-d0`;
    await world.createCluster(name);
    await world.pass(ms);
    const machines = held(name);
    const orphans = await world.deleteClusters([name]);
    expect(orphans.filter((each) => machines.includes(each))).toEqual([]);
    await expectNothingLeft();
  });

  test.each(moments)('Cluster and all below deleted %i ms after their making, in one go -> all is gone', async (ms) => {
    const name = `all${ms}-d0`;
    await world.createCluster(name);
    await world.pass(ms);
    await world.deleteMembers(name);
    await world.deleteClusters([name]);
    await expectNothingLeft();
  });
});
