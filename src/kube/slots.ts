// A bounded number of slots. Of those who wait the oldest work gets the next one.
//
// Where many do the same at once, each in several steps, the order of asking would bring all to their last step at the same
// late time. The order of age finishes one after the other: the last is as late as before, the middle one in half the time.
// Where a further slot costs more than a short wait, it is given only to who has waited for a while.

import type { Clock } from '../host/contract.js';

/** Slots for work that must not all run at once. */
export interface Slots {
  /**
   * Waits for a slot; resolves with its release function, or null when the signal ended the wait. `sinceMs` tells the age of the
   * work that the slot is for; who is of one age is served in order.
   */
  take(signal: AbortSignal, sinceMs?: number): Promise<(() => void) | null>;
  readonly taken: () => number;
}

interface Waiter {
  readonly sinceMs: number;
  readonly wake: () => void;
}

/** When slots beside the first are given. */
export interface Reluctance {
  /** How long somebody must have waited without a break before there is a further slot, in milliseconds. */
  readonly furtherAfterMs: number;
  readonly clock: Pick<Clock, 'schedule'>;
}

/** `max` slots, all of them at once unless there is a reluctance. Releasing twice is harmless. */
export function createSlots(max: number, reluctance?: Reluctance): Slots {
  /** By age, the oldest first. */
  const waiting: Waiter[] = [];
  let taken = 0;
  let cancelGrowth: (() => void) | null = null;
  const growLater = (): void => {
    if (reluctance === undefined || taken >= max) return;
    cancelGrowth ??= reluctance.clock.schedule(reluctance.furtherAfterMs, () => {
      cancelGrowth = null;
      taken += 1;
      waiting.shift()?.wake();
      if (waiting.length > 0) growLater();
    });
  };
  const stayIfNobodyWaits = (): void => {
    if (waiting.length > 0) return;
    cancelGrowth?.();
    cancelGrowth = null;
  };
  const releaser = (): (() => void) => {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = waiting.shift();
      if (next === undefined) taken -= 1;
      else next.wake();
      stayIfNobodyWaits();
    };
  };
  return {
    taken: () => taken,
    take(signal, sinceMs = 0) {
      if (signal.aborted) return Promise.resolve(null);
      if (taken < (reluctance === undefined ? max : 1)) {
        taken += 1;
        return Promise.resolve(releaser());
      }
      return new Promise((resolve) => {
        const onAbort = (): void => {
          waiting.splice(waiting.indexOf(waiter), 1);
          stayIfNobodyWaits();
          resolve(null);
        };
        const wake = (): void => {
          signal.removeEventListener('abort', onAbort);
          resolve(releaser());
        };
        const waiter: Waiter = { sinceMs, wake };
        const younger = waiting.findLastIndex((other) => other.sinceMs <= sinceMs) + 1;
        waiting.splice(younger, 0, waiter);
        growLater();
        signal.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}
