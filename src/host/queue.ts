// A queue of keys: each at most once, each handled by at most one turn at a time.
//
//   Q1. A key that is added while its turn runs comes once more after the turn, never beside it.
//   Q2. A key waits for the earliest of its times; adding it again with a later time changes nothing.
//   Q3. Order is fair: first come, first served, urgent keys first.

import type { Clock, Key } from './contract.js';
import { QUEUE_KEYS_MAX } from './limits.js';

/** What the queue tells of itself, for metrics. */
export interface QueueObserver {
  onAdd?(depth: number): void;
  onTake?(waitedMs: number): void;
}

/** A queue of keys. */
export interface KeyQueue {
  /** Makes the key ready now. */
  add(key: Key, urgent?: boolean): void;
  /** Makes the key ready after a while, unless it is ready earlier. */
  addAfter(key: Key, delayMs: number): void;
  /** Forgets a later time that was set for the key. */
  cancel(key: Key): void;
  /** The next ready key, which is then being handled; null when there is none. */
  take(): Key | null;
  /** Ends the handling of a key. */
  done(key: Key): void;
  /** Keys that are ready. */
  readonly depth: number;
  /** Stops all timers; nothing becomes ready any more. */
  close(): void;
}

interface Waiting {
  readonly dueMs: number;
  readonly cancel: () => void;
}

/** Makes a queue. `onReady` is called when a key can be taken. */
export function createQueue(clock: Clock, onReady: () => void, observer: QueueObserver = {}): KeyQueue {
  const urgentKeys = new Map<Key, number>();
  const readyKeys = new Map<Key, number>();
  const handled = new Set<Key>();
  const again = new Map<Key, boolean>();
  const waiting = new Map<Key, Waiting>();
  let isClosed = false;

  const cancel = (key: Key): void => {
    waiting.get(key)?.cancel();
    waiting.delete(key);
  };
  const add = (key: Key, urgent = false): void => {
    if (isClosed) return;
    cancel(key);
    if (handled.has(key)) {
      again.set(key, urgent || again.get(key) === true);
      return;
    }
    if (urgentKeys.has(key)) return;
    const since = readyKeys.get(key) ?? clock.monotonicMs();
    if (urgent) {
      readyKeys.delete(key);
      urgentKeys.set(key, since);
    } else readyKeys.set(key, since);
    if (readyKeys.size + urgentKeys.size > QUEUE_KEYS_MAX)
      throw new Error(`the queue holds more than ${QUEUE_KEYS_MAX} keys`);
    observer.onAdd?.(readyKeys.size + urgentKeys.size);
    onReady();
  };

  return {
    add,
    addAfter(key, delayMs) {
      if (isClosed) return;
      if (delayMs <= 0) {
        add(key);
        return;
      }
      const dueMs = clock.monotonicMs() + delayMs;
      const known = waiting.get(key);
      if (known !== undefined && known.dueMs <= dueMs) return;
      known?.cancel();
      waiting.set(key, {
        dueMs,
        cancel: clock.schedule(delayMs, () => {
          waiting.delete(key);
          add(key);
        }),
      });
    },
    cancel,
    take() {
      const from = urgentKeys.size > 0 ? urgentKeys : readyKeys;
      const first = from.entries().next();
      if (first.done === true) return null;
      const [key, since] = first.value;
      from.delete(key);
      handled.add(key);
      observer.onTake?.(clock.monotonicMs() - since);
      return key;
    },
    done(key) {
      handled.delete(key);
      const urgent = again.get(key);
      if (urgent === undefined) return;
      again.delete(key);
      add(key, urgent);
    },
    get depth() {
      return readyKeys.size + urgentKeys.size;
    },
    close() {
      isClosed = true;
      for (const each of waiting.values()) each.cancel();
      waiting.clear();
      again.clear();
      readyKeys.clear();
      urgentKeys.clear();
    },
  };
}
