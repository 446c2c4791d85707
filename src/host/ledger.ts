// Which of our own writes the caches do not show yet, by key: no turn starts on a view older than them (H4).
//
// It holds names and versions, never objects, and forgets a write as soon as its cache shows it.

import { OWN_VERSIONS_MAX, STALE_VIEW_MAX_MS } from '../limits.js';
import type { Clock, Freshness, Key, WriteLedger, WriteReceipt } from './contract.js';

type ObjectName = Pick<WriteReceipt, 'kind' | 'namespace' | 'name'>;

interface Outstanding {
  /** The newest write whose version is known. */
  readonly receipt: WriteReceipt | null;
  readonly object: ObjectName;
  readonly sinceMs: number;
  /** A write whose outcome is not known: only a live read settles it, whatever was written since. */
  readonly isUnknown: boolean;
}

/** What the host asks before a turn. */
export interface Ledgers {
  /** The ledger that effects of a key note their writes in. */
  of(key: Key): WriteLedger;
  /** What the caches do not show yet: nothing, something to wait for, or something to read live first. */
  check(key: Key): LedgerCheck;
  /** Reads live what `check` asked for; throws when that fails. */
  readLive(key: Key, signal: AbortSignal): Promise<void>;
  /** True when a guarded write of ours for the key made this version of that one: nobody else's change lies between. */
  isOwn(key: Key, versions: { readonly before: string; readonly after: string }): boolean;
  forget(key: Key): void;
}

/** The answer of `check`. */
export type LedgerCheck =
  | { readonly kind: 'fresh' }
  | { readonly kind: 'wait'; readonly receipts: readonly WriteReceipt[]; readonly giveUpInMs: number }
  | { readonly kind: 'readLive' };

/** Makes the ledgers of a host. */
export function createLedgers(clock: Clock, freshness: Freshness): Ledgers {
  const outstanding = new Map<Key, Map<string, Outstanding>>();
  const own = new Map<Key, { readonly before: string; readonly after: string }[]>();

  const put = (key: Key, object: ObjectName, receipt: WriteReceipt | null): void => {
    const objects = outstanding.get(key) ?? new Map<string, Outstanding>();
    outstanding.set(key, objects);
    const before = objects.get(idOf(object));
    objects.set(idOf(object), {
      receipt: receipt ?? before?.receipt ?? null,
      object,
      sinceMs: clock.monotonicMs(),
      isUnknown: receipt === null || before?.isUnknown === true,
    });
  };

  const open = (key: Key): readonly Outstanding[] => {
    const objects = outstanding.get(key);
    if (objects === undefined) return [];
    for (const [id, each] of objects) {
      if (!each.isUnknown && each.receipt !== null && freshness.shows(each.receipt)) objects.delete(id);
    }
    if (objects.size === 0) outstanding.delete(key);
    return [...objects.values()];
  };

  return {
    of: (key) => ({
      note(receipt) {
        put(key, receipt, receipt);
        // A write that changed nothing has no echo, and the last one of an object that it ends is answered with the version before:
        // what comes after either of them is news.
        if (receipt.guardedBy === undefined || receipt.guardedBy === receipt.resourceVersion) return;
        const versions = own.get(key) ?? [];
        own.set(key, versions);
        versions.push({ before: receipt.guardedBy, after: receipt.resourceVersion });
        if (versions.length > OWN_VERSIONS_MAX) versions.shift();
      },
      noteUnknown: (object) => put(key, object, null),
    }),
    check(key) {
      const left = open(key);
      if (left.length === 0) return { kind: 'fresh' };
      const nowMs = clock.monotonicMs();
      const isOverdue = (each: Outstanding): boolean => each.isUnknown || nowMs - each.sinceMs >= STALE_VIEW_MAX_MS;
      if (left.some(isOverdue)) return { kind: 'readLive' };
      const giveUpInMs = Math.min(...left.map((each) => each.sinceMs + STALE_VIEW_MAX_MS - nowMs));
      return { kind: 'wait', receipts: left.flatMap((each) => each.receipt ?? []), giveUpInMs };
    },
    async readLive(key, signal) {
      for (const each of open(key)) {
        await freshness.readLive(each.object, signal);
        outstanding.get(key)?.delete(idOf(each.object));
      }
    },
    isOwn: (key, { before, after }) =>
      own.get(key)?.some((each) => each.after === after && each.before === before) === true,
    forget(key) {
      outstanding.delete(key);
      own.delete(key);
    },
  };
}

function idOf({ kind, namespace, name }: ObjectName): string {
  return `${kind}/${namespace}/${name}`;
}
