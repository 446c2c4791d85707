// Which of our own writes the caches do not show yet, by key: no turn starts on a view older than them (H4).

import type { Clock, Freshness, Key, WriteLedger, WriteReceipt } from './contract.js';
import { STALE_VIEW_MAX_MS } from './limits.js';

type ObjectName = Pick<WriteReceipt, 'kind' | 'namespace' | 'name'>;

interface Outstanding {
  readonly receipt: WriteReceipt | null;
  readonly object: ObjectName;
  readonly sinceMs: number;
}

/** What the host asks before a turn. */
export interface Ledgers {
  /** The ledger that effects of a key note their writes in. */
  of(key: Key): WriteLedger;
  /** What the caches do not show yet: nothing, something to wait for, or something to read live first. */
  check(key: Key): LedgerCheck;
  /** Reads live what `check` asked for; throws when that fails. */
  readLive(key: Key, signal: AbortSignal): Promise<void>;
  /** True when this version of an object is one that we wrote ourselves for the key. */
  isOwn(key: Key, resourceVersion: string): boolean;
  forget(key: Key): void;
}

/** The answer of `check`. */
export type LedgerCheck =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'wait'; readonly receipts: readonly WriteReceipt[]; readonly giveUpInMs: number }
  | { readonly kind: 'readLive' };

/** How many own versions of one key are remembered: more writes than one turn makes. */
const OWN_VERSIONS_MAX = 16;

/** Makes the ledgers of a host. */
export function createLedgers(clock: Clock, freshness: Freshness): Ledgers {
  const outstanding = new Map<Key, Map<string, Outstanding>>();
  const own = new Map<Key, string[]>();

  const put = (key: Key, object: ObjectName, receipt: WriteReceipt | null): void => {
    const objects = outstanding.get(key) ?? new Map<string, Outstanding>();
    outstanding.set(key, objects);
    objects.set(`${object.kind}/${object.namespace}/${object.name}`, { receipt, object, sinceMs: clock.monotonicMs() });
  };

  const open = (key: Key): readonly Outstanding[] => {
    const objects = outstanding.get(key);
    if (objects === undefined) return [];
    for (const [id, each] of objects) if (each.receipt !== null && freshness.shows(each.receipt)) objects.delete(id);
    if (objects.size === 0) outstanding.delete(key);
    return [...objects.values()];
  };

  return {
    of: (key) => ({
      note(receipt) {
        put(key, receipt, receipt);
        const versions = own.get(key) ?? [];
        own.set(key, versions);
        versions.push(receipt.resourceVersion);
        if (versions.length > OWN_VERSIONS_MAX) versions.shift();
      },
      noteUnknown: (object) => put(key, object, null),
    }),
    check(key) {
      const left = open(key);
      if (left.length === 0) return { kind: 'fresh' };
      const nowMs = clock.monotonicMs();
      const isOverdue = (each: Outstanding): boolean =>
        each.receipt === null || nowMs - each.sinceMs >= STALE_VIEW_MAX_MS;
      if (left.some(isOverdue)) return { kind: 'readLive' };
      const giveUpInMs = Math.min(...left.map((each) => each.sinceMs + STALE_VIEW_MAX_MS - nowMs));
      return { kind: 'wait', receipts: left.flatMap((each) => each.receipt ?? []), giveUpInMs };
    },
    async readLive(key, signal) {
      for (const each of open(key)) {
        await freshness.readLive(each.object, signal);
        outstanding.get(key)?.delete(`${each.object.kind}/${each.object.namespace}/${each.object.name}`);
      }
    },
    isOwn: (key, resourceVersion) => own.get(key)?.includes(resourceVersion) === true,
    forget(key) {
      outstanding.delete(key);
      own.delete(key);
    },
  };
}
