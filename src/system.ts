// The one place that touches the real clock, timers, randomness and the environment.
//
// Everything else takes them as ports, so that tests and simulations can replace them. No logic lives here.

import { randomBytes } from 'node:crypto';
import type { Clock, Random } from './host/contract.js';

/** Node's timers take at most this delay; longer ones are split. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** The real clock. Timers keep the process alive until they are cancelled or have run. */
export const systemClock: Clock = Object.freeze({
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  schedule,
});

/** Real randomness. */
export const systemRandom: Random = Object.freeze({
  next: () => Math.random(),
  bytes: (count: number) => new Uint8Array(randomBytes(count)),
});

/** Runs something when the event loop has been round: sockets and timers that are due come first. */
export function afterOthers(run: () => void): void {
  setImmediate(run);
}

/** The environment variables of this process, as they are now. */
export function environment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

function schedule(delayMs: number, run: () => void): () => void {
  let timer: NodeJS.Timeout;
  let leftMs = Math.max(0, delayMs);
  const arm = (): void => {
    const stepMs = Math.min(leftMs, TIMER_MAX_MS);
    leftMs -= stepMs;
    timer = setTimeout(leftMs > 0 ? arm : run, stepMs);
  };
  arm();
  return () => clearTimeout(timer);
}
