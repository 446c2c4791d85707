// A token bucket: so many requests a second on average, so many at once.
//
// Requests leave in the order in which they asked. One that gives up returns its token.

import type { Clock } from '../host/contract.js';
import { sleep } from './waiting.js';

/** Lets requests through one by one. */
export interface RateLimiter {
  /** Waits for a token; false when the signal ended the wait. `waitedMs` is told to the callback. */
  take(signal: AbortSignal): Promise<boolean>;
}

/** Options of a limiter. */
export interface RateLimiterOptions {
  readonly qps: number;
  readonly burst: number;
  readonly clock: Clock;
  /** Told how long each request waited, in milliseconds. */
  readonly onWait?: (waitedMs: number) => void;
}

/** A limiter whose bucket starts full. */
export function createRateLimiter({ qps, burst, clock, onWait }: RateLimiterOptions): RateLimiter {
  let tokens = burst;
  let filledAtMs = clock.monotonicMs();
  return {
    async take(signal) {
      if (signal.aborted) return false;
      const nowMs = clock.monotonicMs();
      tokens = Math.min(burst, tokens + ((nowMs - filledAtMs) / 1000) * qps) - 1;
      filledAtMs = nowMs;
      const waitMs = tokens >= 0 ? 0 : (-tokens / qps) * 1000;
      onWait?.(waitMs);
      if (waitMs === 0) return true;
      if (await sleep(clock, waitMs, signal)) return true;
      tokens += 1;
      return false;
    },
  };
}
