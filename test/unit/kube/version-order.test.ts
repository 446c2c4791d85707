import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createVersionOrder } from '../../../src/kube/version-order.js';
import { printedSeed } from '../../test-size.js';

interface Item {
  readonly id: number;
  readonly resourceVersion: string;
}

describe('things in the order of versions', () => {
  test('whatever comes, dies and is reached -> each living one is taken once, with the first version that reaches it', () => {
    const step = fc.record({
      kind: fc.constantFrom('add' as const, 'die' as const, 'take' as const, 'reset' as const),
      version: fc.integer({ min: 1, max: 2_000 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
        const alive = new Set<Item>();
        const waiting = new Set<Item>();
        const order = createVersionOrder<Item>({ isAlive: (item) => alive.has(item), count: () => alive.size });
        for (const [id, { kind, version }] of steps.entries()) {
          if (kind === 'add') {
            const item = { id, resourceVersion: String(version) };
            alive.add(item);
            waiting.add(item);
            order.add(item);
          } else if (kind === 'die') {
            const [oldest] = alive;
            if (oldest !== undefined) alive.delete(oldest);
          } else if (kind === 'reset') {
            order.reset(alive);
            for (const item of alive) waiting.add(item);
          } else {
            const due = [...waiting].filter((item) => Number(item.resourceVersion) <= version);
            due.forEach((item) => waiting.delete(item));
            expect(new Set(order.take(String(version)))).toEqual(new Set(due.filter((item) => alive.has(item))));
          }
        }
      }),
      { seed: printedSeed('order of versions'), numRuns: 1_000 },
    );
  });

  test('many that come and die, and a version that never moves -> they are not kept', () => {
    const alive = new Set<Item>();
    let asked = 0;
    const order = createVersionOrder<Item>({
      isAlive(item) {
        asked += 1;
        return alive.has(item);
      },
      count: () => alive.size,
    });
    for (let id = 0; id < 10_000; id += 1) {
      alive.clear();
      const item = { id, resourceVersion: String(1_000 + id) };
      alive.add(item);
      order.add(item);
    }
    asked = 0;
    expect(order.take('99999').map(({ id }) => id)).toEqual([9_999]);
    expect(asked).toBeLessThan(100);
  });
});
