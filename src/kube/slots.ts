// A bounded number of slots, handed out in the order in which they were asked for.

/** Slots for work that must not all run at once. */
export interface Slots {
  /** Waits for a slot; resolves with its release function, or null when the signal ended the wait. */
  take(signal: AbortSignal): Promise<(() => void) | null>;
  readonly taken: () => number;
}

/** `max` slots. Releasing twice is harmless. */
export function createSlots(max: number): Slots {
  const waiting: (() => void)[] = [];
  let taken = 0;
  const releaser = (): (() => void) => {
    let released = false;
    return () => {
      if (released) return;
      released = true;
      const next = waiting.shift();
      if (next === undefined) taken -= 1;
      else next();
    };
  };
  return {
    taken: () => taken,
    take(signal) {
      if (signal.aborted) return Promise.resolve(null);
      if (taken < max) {
        taken += 1;
        return Promise.resolve(releaser());
      }
      return new Promise((resolve) => {
        const onAbort = (): void => {
          waiting.splice(waiting.indexOf(wake), 1);
          resolve(null);
        };
        const wake = (): void => {
          signal.removeEventListener('abort', onAbort);
          resolve(releaser());
        };
        waiting.push(wake);
        signal.addEventListener('abort', onAbort, { once: true });
      });
    },
  };
}
