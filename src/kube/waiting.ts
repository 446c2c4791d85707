// Waiting on an injected clock, and signals that end with their reason.
//
// Listeners are always taken off again: signals of a process live as long as the process.

import type { Clock } from '../host/contract.js';

/** Waits; false when the signal ended the wait. */
export function sleep(clock: Clock, delayMs: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onAbort = (): void => {
      cancel();
      resolve(false);
    };
    const cancel = clock.schedule(delayMs, () => {
      signal.removeEventListener('abort', onAbort);
      resolve(true);
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

/** A signal that ends with its parent or at a deadline, whichever comes first. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** True when the deadline ended it. */
  readonly expired: () => boolean;
  /** Moves the deadline closer; later ones are ignored. */
  shorten(delayMs: number): void;
  /** Takes off the timer and the listener. */
  release(): void;
}

/** Starts a deadline. Infinity sets no timer. */
export function startDeadline(clock: Clock, delayMs: number, parent: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let expired = false;
  let endsAtMs = Number.POSITIVE_INFINITY;
  let cancel = (): void => undefined;
  const onParent = (): void => controller.abort();
  const arm = (afterMs: number): void => {
    const atMs = clock.monotonicMs() + afterMs;
    if (atMs >= endsAtMs) return;
    endsAtMs = atMs;
    cancel();
    cancel = clock.schedule(afterMs, () => {
      expired = true;
      controller.abort();
    });
  };
  if (parent?.aborted === true) controller.abort();
  else parent?.addEventListener('abort', onParent, { once: true });
  arm(delayMs);
  return {
    signal: controller.signal,
    expired: () => expired,
    shorten: arm,
    release() {
      cancel();
      parent?.removeEventListener('abort', onParent);
    },
  };
}

/** The promise, or a rejection with `failure()` as soon as the signal ends. The promise itself goes on. */
export function orAborted<T>(work: Promise<T>, signal: AbortSignal, failure: () => Error): Promise<T> {
  if (signal.aborted) return Promise.reject(failure());
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(failure());
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
