// Who waits until a store shows a write. Each is found by the object that was written and by the version that the write made, so
// that a change costs those whom it may concern, however many others wait.
//
//   N1. A listener is told after every change that may have ended its wait, perhaps too often, and never after it was taken off.
//   N2. The version of the whole store only tells those whom it passes: it ends waits for what is absent.

import type { WriteReceipt } from '../host/contract.js';
import { createVersionOrder } from './version-order.js';

/** A write, as far as a store is concerned. */
export type Shown = Pick<WriteReceipt, 'namespace' | 'name' | 'resourceVersion'>;

/** Those who wait at one store. */
export interface ShownWaiters {
  /** Adds one who waits; returns the way out. */
  add(key: string, resourceVersion: string, listener: () => void): () => void;
  /** Tells those who wait for this object. */
  tellOfObject(key: string): void;
  /** Tells those whom the store's version has passed since this was last called. */
  tellOfVersion(resourceVersion: string): void;
  /** Tells everybody. The store's version may have gone back: those whom it had passed are told again when it passes them again. */
  tellAll(): void;
}

interface Waiter {
  readonly resourceVersion: string;
  readonly listener: () => void;
  isOver: boolean;
}

/** Nobody waits yet. `call` runs a listener. */
export function createShownWaiters(call: (listener: () => void) => void): ShownWaiters {
  const byKey = new Map<string, Set<Waiter>>();
  let size = 0;
  /** Without those whom the store has passed since its last list. */
  const ordered = createVersionOrder<Waiter>({ isAlive: ({ isOver }) => !isOver, count: () => size });
  const tell = (waiters: Iterable<Waiter>): void => {
    for (const waiter of [...waiters]) if (!waiter.isOver) call(waiter.listener);
  };
  const everybody = (): Waiter[] => [...byKey.values()].flatMap((waiters) => [...waiters]);
  return {
    add(key, resourceVersion, listener) {
      const waiter: Waiter = { resourceVersion, listener, isOver: false };
      const waiters = byKey.get(key) ?? new Set();
      byKey.set(key, waiters.add(waiter));
      size += 1;
      ordered.add(waiter);
      return () => {
        if (waiter.isOver) return;
        waiter.isOver = true;
        size -= 1;
        waiters.delete(waiter);
        if (waiters.size === 0 && byKey.get(key) === waiters) byKey.delete(key);
      };
    },
    tellOfObject: (key) => tell(byKey.get(key) ?? []),
    tellOfVersion: (resourceVersion) => tell(ordered.take(resourceVersion)),
    tellAll() {
      ordered.reset(everybody());
      tell(everybody());
    },
  };
}
