// What a host is made of.

import type { Clock, Freshness, HostObserver, Random } from './contract.js';
import type { QueueObserver } from './queue.js';
import type { ActorInspector, AnyController } from './turn.js';

/** What a host logs to. */
export interface HostLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** What a host is made of. */
export interface HostOptions {
  readonly controller: AnyController;
  readonly clock: Clock;
  readonly random: Random;
  readonly freshness: Freshness;
  readonly concurrency: number;
  /** Runs something after all others of this process had their turn. With it turns start one by one; absent: all in one breath. */
  readonly afterOthers?: (run: () => void) => void;
  /** Wake-ups come no sooner than this after a turn: for shadow mode, where what a turn writes never shows. */
  readonly restMinMs?: number;
  /** Every object gets a pass in each period of this length (sync-period.ts); 0 and absent: none. */
  readonly syncPeriodMs?: number;
  readonly log: HostLog;
  readonly observers?: readonly HostObserver[];
  readonly inspect?: ActorInspector | undefined;
  readonly queueObserver?: QueueObserver;
}
