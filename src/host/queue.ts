// A queue of keys: each at most once, each handled by at most one turn at a time.
//
//   Q1. A key that is added while its turn runs comes once more after the turn, never beside it.
//   Q2. A key waits for the earliest of its times; adding it again with a later time changes nothing.
//   Q3. First come, first served; what somebody changed goes before what a list merely showed or what still has to wait.
//   Q4. While keys of normal priority are handled, those of low priority wait for a while, and then only so many of them are handled:
//       their work would delay that of the others.

import { QUEUE_KEYS_MAX } from '../limits.js';
import type { Clock, Key } from './contract.js';
import { createTimerHeap } from './timer-heap.js';

/** How soon a key is served. `low` is for lists, where nobody changed anything, and for those who still have to wait. */
export type Priority = 'normal' | 'low';

/** What the queue tells of itself, for metrics. */
export interface QueueObserver {
  onAdd?(depth: number): void;
  onTake?(waitedMs: number, depth: number): void;
}

/** A queue of keys. */
export interface KeyQueue {
  /** Makes the key ready now. */
  add(key: Key, priority?: Priority): void;
  /** Makes the key ready after a while, unless it is ready earlier. */
  addAfter(key: Key, delayMs: number): void;
  /** Forgets a later time that was set for the key. */
  cancel(key: Key): void;
  /** The next ready key, which is then being handled; null when there is none. */
  take(): Key | null;
  /** Ends the handling of a key. */
  done(key: Key): void;
  isHandled(key: Key): boolean;
  /** Keys that are ready. */
  readonly depth: number;
  /** Keys that are ready, of one priority. */
  depthOf(priority: Priority): number;
  /** Keys that wait for a time. */
  readonly waiting: number;
  /** Stops all timers; nothing becomes ready any more. */
  close(): void;
}

/** What a queue is made of. */
export interface QueueOptions {
  readonly clock: Clock;
  /** Keys of low priority that are handled beside normal ones, each after it has waited; default all, at once. */
  readonly beside?: { readonly lowMax: number; readonly afterMs: number };
  /** Called when a key can be taken. */
  readonly onReady: () => void;
  /** Called when a time that was set came, right before the key is ready; answers with its priority. */
  readonly onDue?: (key: Key) => Priority;
  readonly observer?: QueueObserver;
}

/** Makes a queue. */
export function createQueue({
  clock,
  beside = { lowMax: Number.POSITIVE_INFINITY, afterMs: 0 },
  onReady,
  onDue,
  observer = {},
}: QueueOptions): KeyQueue {
  const normal = new Map<Key, number>();
  const low = new Map<Key, number>();
  const handled = new Map<Key, Priority>();
  let lowHandled = 0;
  const again = new Map<Key, Priority>();
  let isClosed = false;
  let cancelLook: (() => void) | null = null;
  const timers = createTimerHeap(clock, (key) => add(key, onDue?.(key)));
  const depth = (): number => normal.size + low.size;

  function add(key: Key, priority: Priority = 'normal'): void {
    if (isClosed) return;
    timers.cancel(key);
    if (handled.has(key)) {
      if (again.get(key) !== 'normal') again.set(key, priority);
      return;
    }
    if (normal.has(key) || (low.has(key) && priority === 'low')) return;
    const sinceMs = low.get(key) ?? clock.monotonicMs();
    low.delete(key);
    (priority === 'low' ? low : normal).set(key, sinceMs);
    if (depth() > QUEUE_KEYS_MAX) throw new Error(`the queue holds more than ${QUEUE_KEYS_MAX} keys`);
    observer.onAdd?.(depth());
    onReady();
  }

  /** Whether a key of low priority that is ready since then may be handled now. Where only time is missing, somebody looks again. */
  function hasRoomForLow(sinceMs: number): boolean {
    if (handled.size === lowHandled) return true;
    if (lowHandled >= beside.lowMax) return false;
    const leftMs = sinceMs + beside.afterMs - clock.monotonicMs();
    if (leftMs > 0) cancelLook ??= clock.schedule(leftMs, look);
    return leftMs <= 0;
  }

  function look(): void {
    cancelLook = null;
    onReady();
  }

  return {
    add,
    addAfter(key, delayMs) {
      if (isClosed || normal.has(key) || low.has(key) || again.has(key)) return;
      if (delayMs <= 0) {
        add(key);
        return;
      }
      const dueMs = timers.dueMs(key);
      if (dueMs === null || dueMs > clock.monotonicMs() + delayMs) timers.set(key, delayMs);
    },
    cancel: (key) => timers.cancel(key),
    take() {
      const from = normal.size > 0 ? normal : low;
      const first = from.entries().next();
      if (first.done === true) return null;
      const [key, sinceMs] = first.value;
      if (from === low && !hasRoomForLow(sinceMs)) return null;
      from.delete(key);
      handled.set(key, from === low ? 'low' : 'normal');
      if (from === low) lowHandled += 1;
      observer.onTake?.(clock.monotonicMs() - sinceMs, depth());
      return key;
    },
    done(key) {
      if (handled.get(key) === 'low') lowHandled -= 1;
      handled.delete(key);
      const priority = again.get(key);
      if (priority === undefined) return;
      again.delete(key);
      add(key, priority);
    },
    isHandled: (key) => handled.has(key),
    get depth() {
      return depth();
    },
    depthOf: (priority) => (priority === 'low' ? low : normal).size,
    get waiting() {
      return timers.size;
    },
    close() {
      isClosed = true;
      cancelLook?.();
      timers.close();
      again.clear();
      normal.clear();
      low.clear();
    },
  };
}
