// Token buckets: so many requests a second on average, so many at once, for each resource on its own.
//
//   L1. Requests of one priority leave in the order in which they asked. One that gives up takes no token.
//   L2. What may wait leaves only while nothing else waits and the bucket is well filled, so that a burst of what must not wait
//       finds its tokens; after LOW_REQUEST_WAIT_MAX_MS it is like any other request.
//   L3. Each resource has a bucket, as each kind has in controller-runtime, whose clients are made by kind: Secrets never wait for
//       Events. Versions and subresources share the bucket of their resource, and all paths without a resource have one.

import type { Clock } from '../host/contract.js';
import { LOW_REQUEST_BUCKET_SHARE, LOW_REQUEST_WAIT_MAX_MS } from '../limits.js';
import type { RequestPriority } from './contract.js';

/** Lets requests through one by one. */
export interface RateLimiter {
  /** Waits for a token; false when the signal ended the wait. */
  take(signal: AbortSignal, priority?: RequestPriority): Promise<boolean>;
}

/** The limiter of each resource, by its name as `resourceNameOfPath` gives it. */
export type RateLimiters = (resourceName: string) => RateLimiter;

/** Options of a limiter. */
export interface RateLimiterOptions {
  readonly qps: number;
  readonly burst: number;
  readonly clock: Clock;
  /** Told how long each request waited, in milliseconds. */
  readonly onWait?: (waitedMs: number) => void;
}

interface Waiter {
  readonly sinceMs: number;
  readonly leave: () => void;
}

/** Limiters of the same options, each made when it is first asked for (L3). */
export function createRateLimiters(options: RateLimiterOptions): RateLimiters {
  const limiters = new Map<string, RateLimiter>();
  return (resourceName) => {
    const known = limiters.get(resourceName);
    if (known !== undefined) return known;
    const made = createRateLimiter(options);
    limiters.set(resourceName, made);
    return made;
  };
}

/** A limiter whose bucket starts full. */
export function createRateLimiter(options: RateLimiterOptions): RateLimiter {
  const { qps, burst, clock, onWait } = options;
  const normal = new Set<Waiter>();
  const low = new Set<Waiter>();
  /** What must be left in the bucket when a request of low priority leaves. */
  const reserve = Math.min(burst - 1, Math.floor(burst * LOW_REQUEST_BUCKET_SHARE));
  let tokens = burst;
  let filledAtMs = clock.monotonicMs();
  let cancelTimer: (() => void) | null = null;

  const fill = (): number => {
    const nowMs = clock.monotonicMs();
    tokens = Math.min(burst, tokens + ((nowMs - filledAtMs) / 1000) * qps);
    filledAtMs = nowMs;
    return nowMs;
  };
  const first = (
    nowMs: number,
  ): { readonly from: Set<Waiter>; readonly waiter: Waiter; readonly needs: number } | null => {
    const [waiting] = normal;
    const [mayWait] = low;
    const isOverdue = mayWait !== undefined && nowMs - mayWait.sinceMs >= LOW_REQUEST_WAIT_MAX_MS;
    if (mayWait !== undefined && isOverdue && (waiting === undefined || mayWait.sinceMs <= waiting.sinceMs))
      return { from: low, waiter: mayWait, needs: 1 };
    if (waiting !== undefined) return { from: normal, waiter: waiting, needs: 1 };
    return mayWait === undefined ? null : { from: low, waiter: mayWait, needs: 1 + reserve };
  };
  const serve = (): void => {
    cancelTimer?.();
    cancelTimer = null;
    const nowMs = fill();
    for (let next = first(nowMs); next !== null; next = first(nowMs)) {
      const missing = next.needs - tokens;
      // Clocks count whole microseconds at best: what is missing by rounding is not missing.
      if (missing > 1e-6) {
        cancelTimer = clock.schedule(delayMs(next, missing, nowMs), serve);
        return;
      }
      tokens -= 1;
      next.from.delete(next.waiter);
      onWait?.(nowMs - next.waiter.sinceMs);
      next.waiter.leave();
    }
  };
  /** Nobody waits and there are tokens: the usual case. */
  const isOpen = (priority: RequestPriority): boolean => {
    if (normal.size > 0 || low.size > 0) return false;
    fill();
    if (tokens < (priority === 'low' ? 1 + reserve : 1)) return false;
    tokens -= 1;
    onWait?.(0);
    return true;
  };
  const delayMs = ({ needs, waiter }: { needs: number; waiter: Waiter }, missing: number, nowMs: number): number => {
    const fillMs = (missing / qps) * 1000;
    return needs === 1 ? fillMs : Math.min(fillMs, waiter.sinceMs + LOW_REQUEST_WAIT_MAX_MS - nowMs);
  };
  return {
    take(signal, priority = 'normal') {
      if (signal.aborted) return Promise.resolve(false);
      if (isOpen(priority)) return Promise.resolve(true);
      return new Promise((resolve) => {
        const waiters = priority === 'low' ? low : normal;
        const onAbort = (): void => {
          waiters.delete(waiter);
          resolve(false);
        };
        const waiter: Waiter = {
          sinceMs: clock.monotonicMs(),
          leave() {
            signal.removeEventListener('abort', onAbort);
            resolve(true);
          },
        };
        waiters.add(waiter);
        signal.addEventListener('abort', onAbort, { once: true });
        serve();
      });
    },
  };
}
