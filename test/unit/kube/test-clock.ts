// A clock for tests: time moves only when it is told to.
import type { Clock, Random } from '../../../src/host/contract.js';

export interface TestClock extends Clock {
  /** Runs what becomes due within `ms`, in order, and lets promises settle in between. */
  advance(ms: number): Promise<void>;
  /** Time goes by and nothing runs, as for a process that is stopped; what became due runs at the next `advance`. */
  pause(ms: number): void;
  /** Lets promises settle without moving time. */
  settle(): Promise<void>;
  /** Timers that wait. */
  pending(): number;
}

export function createTestClock(startMs = 1_700_000_000_000): TestClock {
  let now = 0;
  let sequence = 0;
  const timers = new Map<number, { readonly atMs: number; readonly run: () => void }>();
  const settle = async (): Promise<void> => {
    for (let round = 0; round < 50; round += 1) await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    for (let round = 0; round < 50; round += 1) await Promise.resolve();
  };
  return {
    nowMs: () => startMs + now,
    monotonicMs: () => now,
    schedule(delayMs, run) {
      const id = (sequence += 1);
      timers.set(id, { atMs: now + Math.max(0, delayMs), run });
      return () => void timers.delete(id);
    },
    async advance(ms) {
      const end = now + ms;
      await settle();
      for (;;) {
        const due = [...timers]
          .filter(([, timer]) => timer.atMs <= end)
          .sort(([a, x], [b, y]) => x.atMs - y.atMs || a - b)[0];
        if (due === undefined) break;
        const [id, timer] = due;
        timers.delete(id);
        now = Math.max(now, timer.atMs);
        timer.run();
        await settle();
      }
      now = end;
    },
    pause(ms) {
      now += ms;
    },
    settle,
    pending: () => timers.size,
  };
}

/** Randomness that always says the same. */
export function fixedRandom(value = 0.5): Random {
  return { next: () => value, bytes: (count) => new Uint8Array(count).fill(7) };
}
