// The demo's operator when its drops, its starts and its end meet.

import { expect, test } from '@jest/globals';
import { createOperators, type Operators } from '../../../src/cli/demo-operators.js';

interface Life {
  stop(): Promise<void>;
  drop(): Promise<void>;
}

interface Lives {
  readonly operators: Operators<Life>;
  /** Numbers of those that run. */
  readonly running: ReadonlySet<number>;
  readonly started: () => number;
}

/** Each start takes some turns of the event loop. */
function lives(): Lives {
  const running = new Set<number>();
  let count = 0;
  const startOne = async (): Promise<Life> => {
    const life = (count += 1);
    const end = (): Promise<void> => {
      running.delete(life);
      return Promise.resolve();
    };
    await new Promise(setImmediate);
    running.add(life);
    return { stop: end, drop: end };
  };
  return { operators: createOperators(startOne), running, started: () => count };
}

test('two drops at once -> one operator runs, and none after the end', async () => {
  const { operators, running } = lives();
  await operators.start();
  await Promise.all([operators.drop(), operators.drop()]);
  expect([...running]).toEqual([3]);
  await operators.stop();
  expect(running.size).toBe(0);
});

test('the end while an operator is dropped and started again -> none runs, none starts later', async () => {
  const { operators, running, started } = lives();
  await operators.start();
  const dropped = operators.drop();
  await operators.stop();
  await dropped;
  expect(running.size).toBe(0);
  const before = started();
  await operators.drop();
  expect(started()).toBe(before);
});
