// Every Machine gets a pass once in a period: a settled one costs nothing by it, one that waits longer is looked at.
import { expect, test } from '@jest/globals';
import { remove, saysOf } from './objects.js';
import { annotate, hook, pass, running } from './running.js';

const PERIOD_MS = 600_000;

test('a Machine that runs: three periods -> a pass in each, and not one call', async () => {
  const { world, operator } = await running({}, {}, { syncPeriodMs: PERIOD_MS });
  await pass(world, 60_000);
  await world.settle();
  world.seen.length = 0;
  const before = operator.transitions.length;
  for (let period = 0; period < 3; period += 1) await pass(world, PERIOD_MS);
  expect(operator.transitions.length - before).toBeGreaterThanOrEqual(3);
  expect(world.seen.filter(({ verb }) => !['watch', 'list'].includes(verb))).toEqual([]);
  operator.kill();
});

test('a deletion that waits for a hook: a quarter of an hour later -> Ready says so, though nothing changed', async () => {
  const { world, operator } = await running({}, {}, { syncPeriodMs: PERIOD_MS });
  await annotate(world, hook.preDrain, '');
  await remove(world);
  expect(await saysOf(world, 'Ready')).not.toContain('since more than 15m');
  await pass(world, 15 * 60_000 + PERIOD_MS);
  expect(await saysOf(world, 'Ready')).toContain('since more than 15m');
  operator.kill();
});
