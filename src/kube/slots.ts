// A bounded number of slots. Of those who wait the oldest work gets the next one.
//
// Where many do the same at once, each in several steps, the order of asking would bring all to their last step at the same
// late time. The order of age finishes one after the other: the last is as late as before, the middle one in half the time.

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

/** `max` slots. Releasing twice is harmless. */
export function createSlots(max: number): Slots {
  /** By age, the oldest first. */
  const waiting: Waiter[] = [];
  let taken = 0;
  const releaser = (): (() => void) => {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = waiting.shift();
      if (next === undefined) taken -= 1;
      else next.wake();
    };
  };
  return {
    taken: () => taken,
    take(signal, sinceMs = 0) {
      if (signal.aborted) return Promise.resolve(null);
      if (taken < max) {
        taken += 1;
        return Promise.resolve(releaser());
      }
      return new Promise((resolve) => {
        const onAbort = (): void => {
          waiting.splice(waiting.indexOf(waiter), 1);
          resolve(null);
        };
        const wake = (): void => {
          signal.removeEventListener('abort', onAbort);
          resolve(releaser());
        };
        const waiter: Waiter = { sinceMs, wake };
        const younger = waiting.findLastIndex((other) => other.sinceMs <= sinceMs) + 1;
        waiting.splice(younger, 0, waiter);
        signal.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}
