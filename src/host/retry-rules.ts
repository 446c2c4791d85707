// When a failed turn comes again: the controller's rules, guarded. A bug in a rule is told and never stops retries.

import type { Failure } from '../../machines/kit/row.js';
import { AT_ONCE_IN_A_ROW_MAX, BACKOFF_FIRST_MS, BACKOFF_MAX_MS } from '../limits.js';
import type { Key, Random, WakeCause } from './contract.js';
import type { Memory } from './memory.js';
import type { AnyController } from './turn.js';

/** The rules of one host. */
export interface RetryRules {
  /** Delay after the n-th failure in a row. */
  delayMs(key: Key, failure: Failure | null, failures: number): number;
  /** Whether a cause may end the wait. */
  mayEnd(key: Key, cause: WakeCause, failure: Failure | null): boolean;
}

/** The rules of a controller; `onBug` is told what they throw. */
export function createRetryRules(
  controller: Pick<AnyController, 'backoffMs' | 'endsBackoff'>,
  random: Random,
  onBug: (key: Key, error: unknown) => void,
): RetryRules {
  const guarded = <T>(key: Key, otherwise: T, ask: () => T): T => {
    try {
      return ask();
    } catch (error) {
      onBug(key, error);
      return otherwise;
    }
  };
  return {
    delayMs(key, failure, failures) {
      const usualMs = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(40, failures - 1));
      return Math.max(
        1,
        guarded(key, usualMs, () => controller.backoffMs?.(failure, failures, random) ?? usualMs),
      );
    },
    mayEnd: (key, cause, failure) => guarded(key, true, () => controller.endsBackoff(cause, failure)),
  };
}

/** How long one of too many turns that ask for the next one at once is held back; null when there were not too many in a row. */
export function heldBack(
  rules: Pick<RetryRules, 'delayMs'>,
  key: Key,
  { memory, waitMs }: { readonly memory: Memory; readonly waitMs: number | null },
): number | null {
  memory.atOnce = waitMs !== null && waitMs <= 0 ? memory.atOnce + 1 : 0;
  const tooMany = memory.atOnce - AT_ONCE_IN_A_ROW_MAX;
  return tooMany <= 0 ? null : rules.delayMs(key, null, tooMany);
}
