// Who waits until a store shows a write. Each is found by the object that was written and by the version that the write made, so
// that a change costs those whom it may concern, however many others wait.
//
//   N1. A listener is told after every change that may have ended its wait, perhaps too often, and never after it was taken off.
//   N2. The version of the whole store only tells those whom it passes: it ends waits for what is absent.

import type { WriteReceipt } from '../host/contract.js';
import { compareVersions } from './resource-version.js';

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

/** Those who have gone stay in the order of versions until they surface, or until there are this many more of them than others. */
const SLACK = 64;

/** Nobody waits yet. `call` runs a listener. */
export function createShownWaiters(call: (listener: () => void) => void): ShownWaiters {
  const byKey = new Map<string, Set<Waiter>>();
  /** Oldest version first; those whom the store has passed since its last list are not in it. */
  let ordered: Waiter[] = [];
  let size = 0;
  const tell = (waiters: Iterable<Waiter>): void => {
    for (const waiter of [...waiters]) if (!waiter.isOver) call(waiter.listener);
  };
  const remove = (key: string, waiter: Waiter): void => {
    if (waiter.isOver) return;
    waiter.isOver = true;
    size -= 1;
    const waiters = byKey.get(key);
    waiters?.delete(waiter);
    if (waiters?.size === 0) byKey.delete(key);
    if (ordered.length > 2 * size + SLACK) ordered = ordered.filter(({ isOver }) => !isOver);
  };
  return {
    add(key, resourceVersion, listener) {
      const waiter: Waiter = { resourceVersion, listener, isOver: false };
      const waiters = byKey.get(key) ?? new Set();
      byKey.set(key, waiters.add(waiter));
      // Versions grow: nearly always it is the last one.
      let index = ordered.length;
      while (index > 0 && compareVersions(ordered[index - 1]?.resourceVersion ?? '', resourceVersion) > 0) index -= 1;
      ordered.splice(index, 0, waiter);
      size += 1;
      return () => remove(key, waiter);
    },
    tellOfObject: (key) => tell(byKey.get(key) ?? []),
    tellOfVersion(resourceVersion) {
      const count = ordered.findIndex((each) => compareVersions(each.resourceVersion, resourceVersion) > 0);
      tell(ordered.splice(0, count === -1 ? ordered.length : count));
    },
    tellAll() {
      ordered = [...byKey.values()].flatMap((waiters) => [...waiters]);
      ordered.sort((one, other) => compareVersions(one.resourceVersion, other.resourceVersion));
      tell(ordered);
    },
  };
}
