import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createQueue } from '../../../src/host/queue.js';
import { createTimerHeap } from '../../../src/host/timer-heap.js';
import { createTestClock } from '../kube/test-clock.js';

const queueWith = (options: { readonly beside?: { readonly lowMax: number; readonly afterMs: number } } = {}) => {
  const clock = createTestClock();
  const seen = { ready: 0, due: [] as string[], depths: [] as number[], waited: [] as number[] };
  const queue = createQueue({
    ...options,
    clock,
    onReady: () => (seen.ready += 1),
    onDue(key) {
      seen.due.push(key);
      return 'normal';
    },
    observer: { onAdd: (depth) => seen.depths.push(depth), onTake: (waitedMs) => seen.waited.push(waitedMs) },
  });
  return { clock, queue, seen };
};

describe('queue', () => {
  test('dedup: a key added twice -> taken once', () => {
    const { queue, seen } = queueWith();
    queue.add('a');
    queue.add('a');
    expect([queue.take(), queue.take(), queue.depth]).toEqual(['a', null, 0]);
    expect(seen.ready).toBe(1);
  });

  test('a key that is being handled: added again -> ready only after it is done, and once', () => {
    const { queue } = queueWith();
    queue.add('a');
    expect(queue.take()).toBe('a');
    queue.add('a');
    queue.add('a', 'low');
    expect([queue.take(), queue.isHandled('a')]).toEqual([null, true]);
    queue.done('a');
    expect([queue.take(), queue.take()]).toEqual(['a', null]);
  });

  test('order: low before normal in time -> normal first, each in order of arrival; raising keeps the waiting time', async () => {
    const { clock, queue, seen } = queueWith();
    queue.add('low1', 'low');
    queue.add('low2', 'low');
    await clock.advance(50);
    queue.add('b');
    queue.add('low2');
    queue.add('b', 'low');
    expect([queue.take(), queue.take(), queue.take()]).toEqual(['b', 'low2', 'low1']);
    expect(seen.waited).toEqual([0, 50, 50]);
    expect(seen.depths).toEqual([1, 2, 3, 3]);
  });

  test('low beside normal: so many are handled already -> the next one waits until the normal ones are done', () => {
    const { queue } = queueWith({ beside: { lowMax: 1, afterMs: 0 } });
    queue.add('normal');
    for (const key of ['low1', 'low2', 'low3']) queue.add(key, 'low');
    expect([queue.take(), queue.take(), queue.take()]).toEqual(['normal', 'low1', null]);
    queue.done('low1');
    expect([queue.take(), queue.take()]).toEqual(['low2', null]);
    queue.done('normal');
    expect(queue.take()).toBe('low3');
  });

  test('low beside normal: it waits for so long, is told when, and waits no longer than for the normal ones', async () => {
    const { clock, queue, seen } = queueWith({ beside: { lowMax: 2, afterMs: 1_000 } });
    queue.add('normal');
    expect(queue.take()).toBe('normal');
    queue.add('low1', 'low');
    await clock.advance(400);
    queue.add('low2', 'low');
    seen.ready = 0;
    expect([queue.take(), queue.take()]).toEqual([null, null]);
    expect(clock.pending()).toBe(1);
    await clock.advance(599);
    expect([seen.ready, queue.take()]).toEqual([0, null]);
    await clock.advance(1);
    expect([seen.ready, queue.take(), queue.take()]).toEqual([1, 'low1', null]);
    queue.done('normal');
    expect([queue.take(), queue.take()]).toEqual(['low2', null]);
    expect(seen.waited).toEqual([0, 1_000, 600]);
    queue.close();
    expect(clock.pending()).toBe(0);
  });

  test('later: two times for a key -> the earlier counts; ready now -> the later time is gone', async () => {
    const { clock, queue, seen } = queueWith();
    queue.addAfter('a', 100);
    queue.addAfter('a', 200);
    queue.addAfter('b', 200);
    queue.addAfter('b', 50);
    queue.addAfter('c', 10);
    queue.add('c');
    queue.addAfter('c', 10);
    expect(queue.waiting).toBe(2);
    await clock.advance(60);
    expect([queue.take(), queue.take(), queue.take()]).toEqual(['c', 'b', null]);
    await clock.advance(500);
    expect([queue.take(), queue.take()]).toEqual(['a', null]);
    expect(seen.due).toEqual(['b', 'a']);
  });

  test('cancel: a time that was set -> forgotten; no delay -> ready at once', async () => {
    const { clock, queue } = queueWith();
    queue.addAfter('a', 100);
    queue.cancel('a');
    queue.addAfter('b', 0);
    await clock.advance(200);
    expect([queue.take(), queue.take()]).toEqual(['b', null]);
    expect(clock.pending()).toBe(0);
  });

  test('close: ready, waiting and handled keys -> nothing comes any more', async () => {
    const { clock, queue } = queueWith();
    queue.add('a');
    queue.take();
    queue.add('a');
    queue.add('b');
    queue.addAfter('c', 10);
    queue.close();
    queue.done('a');
    queue.add('d');
    await clock.advance(100);
    expect([queue.take(), queue.depth, clock.pending()]).toEqual([null, 0, 0]);
  });
});

describe('timer heap', () => {
  test('one timer: a thousand keys -> one is armed, for the earliest', () => {
    const clock = createTestClock();
    const heap = createTimerHeap(clock, () => undefined);
    for (let index = 0; index < 1000; index += 1) heap.set(`k${index}`, 1000 - index);
    expect([clock.pending(), heap.size, heap.dueMs('k999')]).toEqual([1, 1000, 1]);
    heap.close();
    expect([clock.pending(), heap.size, heap.dueMs('k999')]).toEqual([0, 0, null]);
  });

  test('a callback that sets its key again: -> due once more', async () => {
    const clock = createTestClock();
    const due: number[] = [];
    const heap = createTimerHeap(clock, (key) => {
      due.push(clock.monotonicMs());
      if (due.length < 3) heap.set(key, 10);
    });
    heap.set('a', 10);
    await clock.advance(100);
    expect(due).toEqual([10, 20, 30]);
  });

  test('any order of set, cancel and time -> as a plain map of due times says', async () => {
    const steps = fc.array(
      fc.oneof(
        fc.record({
          do: fc.constant('set' as const),
          key: fc.integer({ min: 0, max: 9 }),
          ms: fc.integer({ min: 0, max: 50 }),
        }),
        fc.record({ do: fc.constant('cancel' as const), key: fc.integer({ min: 0, max: 9 }), ms: fc.constant(0) }),
        fc.record({ do: fc.constant('wait' as const), key: fc.constant(0), ms: fc.integer({ min: 0, max: 30 }) }),
      ),
      { maxLength: 200 },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (list) => {
        let now = 0;
        let armed: { at: number; run: () => void } | null = null;
        const clock = {
          nowMs: () => now,
          monotonicMs: () => now,
          schedule(delayMs: number, run: () => void) {
            const mine = { at: now + delayMs, run };
            armed = mine;
            return () => void (armed === mine && (armed = null));
          },
        };
        const fired: string[] = [];
        const expected: string[] = [];
        const model = new Map<string, number>();
        const heap = createTimerHeap(clock, (key) => fired.push(key));
        for (const step of list) {
          const key = `k${step.key}`;
          if (step.do === 'set') {
            heap.set(key, step.ms);
            model.set(key, now + step.ms);
          } else if (step.do === 'cancel') {
            heap.cancel(key);
            model.delete(key);
          } else {
            const end = now + step.ms;
            for (
              let next = armed as { at: number; run: () => void } | null;
              next !== null && next.at <= end;
              next = armed
            ) {
              now = Math.max(now, next.at);
              armed = null;
              next.run();
            }
            now = end;
            const due = [...model].filter(([, at]) => at <= end).map(([name]) => name);
            due.forEach((name) => model.delete(name));
            expected.push(...due);
          }
        }
        expect(fired.toSorted()).toEqual(expected.toSorted());
        expect(heap.size).toBe(model.size);
        for (const [key, at] of model) expect(heap.dueMs(key)).toBe(at);
      }),
      { numRuns: 200 },
    );
  });
});
