// Work with a deadline: it is told to stop by its signal, and abandoned when it does not listen.
//
// The signal also ends when the host stops. Work that was told to stop gets a moment to say how it ended, because only it knows
// whether its last write left.

import { EFFECT_ABORT_GRACE_MS } from '../limits.js';
import type { Clock } from './contract.js';

/** What bounds a piece of work. */
export interface Bounds {
  readonly clock: Clock;
  /** Ends when the host gives up its running work. */
  readonly stopping: AbortSignal;
  readonly timeoutMs: number;
  /** Name for the reason: `storeInitData`. */
  readonly what: string;
  /** Told when the time is up. */
  readonly onTimeout?: () => void;
}

/** Runs work under its bounds. Rejects as the work does, or with `signal.reason` as a text when it does not listen. */
export async function withinBounds<T>(
  { clock, stopping, timeoutMs, what, onTimeout }: Bounds,
  signalOf: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const { signal } = controller;
  let cancelGrace = (): void => undefined;
  let abandon = (_error: Error): void => undefined;
  const abandoned = new Promise<never>((_, reject) => {
    abandon = reject;
  });
  abandoned.catch(() => undefined);
  const abort = (reason: string): void => {
    if (signal.aborted) return;
    controller.abort(reason);
    cancelGrace = clock.schedule(EFFECT_ABORT_GRACE_MS, () => abandon(new AbortedWork(reason)));
  };
  const onStop = (): void => abort('the operator stops');
  const cancelTimeout = clock.schedule(timeoutMs, () => {
    if (!signal.aborted) onTimeout?.();
    abort(`${what} did not end in time`);
  });
  if (stopping.aborted) onStop();
  else stopping.addEventListener('abort', onStop, { once: true });
  const work = started(signalOf, signal);
  try {
    return await Promise.race([work, abandoned]);
  } catch (error) {
    throw signal.aborted && !isTold(error) ? new AbortedWork(String(signal.reason)) : error;
  } finally {
    cancelTimeout();
    cancelGrace();
    stopping.removeEventListener('abort', onStop);
    work.catch(() => undefined);
  }
}

/** Thrown for work that ended because it was told to. */
export class AbortedWork extends Error {
  override readonly name = 'AbortedWork';
}

/** Whether an error says more than that the work was told to stop. */
function isTold(error: unknown): boolean {
  const failure =
    typeof error === 'object' && error !== null ? (error as { failure?: { kind?: unknown } }).failure : null;
  const named = typeof error === 'object' && error !== null ? (error as { name?: unknown }).name : '';
  return named === 'EffectFailure' || (failure !== null && failure !== undefined && failure.kind !== 'Aborted');
}

async function started<T>(signalOf: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  return signalOf(signal);
}
