// A clock that knows how many of its timers are armed: what a program forgets to cancel shows here.
import type { Clock } from '../../../src/host/contract.js';

/** A clock with a count. */
export interface CountedClock extends Clock {
  /** Timers that are set and have neither fired nor been cancelled. */
  readonly armed: number;
}

/** Counts the timers of a clock. */
export function countedClock(clock: Clock): CountedClock {
  let armed = 0;
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    schedule(delayMs, run) {
      let isArmed = true;
      armed += 1;
      const end = (): boolean => {
        const was = isArmed;
        isArmed = false;
        if (was) armed -= 1;
        return was;
      };
      const cancel = clock.schedule(delayMs, () => {
        if (end()) run();
      });
      return () => {
        end();
        cancel();
      };
    },
    get armed() {
      return armed;
    },
  };
}
