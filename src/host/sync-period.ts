// Every object gets a pass once in a period, whatever else happens to it: what an event should have told is found then.
//
//   P1. A pass of any kind begins the object's period anew, so that only what rests, or waits longer, is looked at for this.
//   P2. It comes within the last part of the period, at random: a fleet that started at once does not come at once.
//   P3. A backoff ends with the period, too; a wake-up that the actor wished for is neither moved nor made due by it.

import { SYNC_PERIOD_SPREAD } from '../limits.js';
import type { Random } from './contract.js';

/** When a key comes again, and whether only the period brings it. */
export interface NextPass {
  readonly delayMs: number;
  readonly isSync: boolean;
}

/** The next pass of a key that has to wait for `waitMs`, or for nothing (null); null when nothing brings it. `periodMs` 0 is none. */
export function nextPass(waitMs: number | null, periodMs: number, random: Random): NextPass | null {
  const syncMs = periodMs <= 0 ? Number.POSITIVE_INFINITY : periodMs * (1 - SYNC_PERIOD_SPREAD * random.next());
  if (waitMs !== null && waitMs <= syncMs) return { delayMs: waitMs, isSync: false };
  return Number.isFinite(syncMs) ? { delayMs: syncMs, isSync: true } : null;
}
