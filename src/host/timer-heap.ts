// Many wake-ups on one timer: a heap of due times, one per key.
//
//   T1. A key has at most one due time. Setting it again replaces it.
//   T2. One timer of the clock is armed, for the earliest; none when nothing waits.

import type { Clock, Key } from './contract.js';

/** Due times of keys. */
export interface TimerHeap {
  /** Calls back for the key after a while; replaces what was set. */
  set(key: Key, delayMs: number): void;
  cancel(key: Key): void;
  /** Monotonic time at which the key is due; null when it does not wait. */
  dueMs(key: Key): number | null;
  readonly size: number;
  close(): void;
}

interface Entry {
  readonly key: Key;
  readonly dueMs: number;
  readonly order: number;
}

/** Cancelled entries stay in the heap until they surface, or until there are this many more of them than live ones. */
const SLACK = 64;

/** Makes a heap that calls `onDue` once for each key that became due. */
export function createTimerHeap(clock: Clock, onDue: (key: Key) => void): TimerHeap {
  const live = new Map<Key, Entry>();
  let heap: Entry[] = [];
  let order = 0;
  let armed: { readonly dueMs: number; readonly cancel: () => void } | null = null;

  const arm = (): void => {
    while (heap[0] !== undefined && live.get(heap[0].key) !== heap[0]) removeFirst(heap);
    const dueMs = heap[0]?.dueMs ?? null;
    if (armed !== null && armed.dueMs === dueMs) return;
    armed?.cancel();
    armed = dueMs === null ? null : { dueMs, cancel: clock.schedule(Math.max(0, dueMs - clock.monotonicMs()), fire) };
  };
  const fire = (): void => {
    armed = null;
    const nowMs = clock.monotonicMs();
    const due: Key[] = [];
    for (let first = heap[0]; first !== undefined && first.dueMs <= nowMs; first = heap[0]) {
      removeFirst(heap);
      if (live.get(first.key) !== first) continue;
      live.delete(first.key);
      due.push(first.key);
    }
    arm();
    due.forEach(onDue);
  };
  const cancel = (key: Key): void => {
    if (!live.delete(key)) return;
    if (heap.length > 2 * live.size + SLACK) heap = rebuilt([...live.values()]);
    arm();
  };

  return {
    set(key, delayMs) {
      const entry = { key, dueMs: clock.monotonicMs() + Math.max(0, delayMs), order: (order += 1) };
      live.set(key, entry);
      insert(heap, entry);
      arm();
    },
    cancel,
    dueMs: (key) => live.get(key)?.dueMs ?? null,
    get size() {
      return live.size;
    },
    close() {
      live.clear();
      heap = [];
      arm();
    },
  };
}

function isBefore(one: Entry, other: Entry): boolean {
  return one.dueMs < other.dueMs || (one.dueMs === other.dueMs && one.order < other.order);
}

function insert(heap: Entry[], entry: Entry): void {
  let index = heap.length;
  while (index > 0) {
    const above = (index - 1) >> 1;
    const parent = heap[above];
    if (parent === undefined || !isBefore(entry, parent)) break;
    heap[index] = parent;
    index = above;
  }
  heap[index] = entry;
}

function removeFirst(heap: Entry[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    const [a, b] = [heap[left], heap[left + 1]];
    if (a === undefined) break;
    const isRight = b !== undefined && isBefore(b, a);
    const child = isRight ? b : a;
    if (!isBefore(child, last)) break;
    heap[index] = child;
    index = isRight ? left + 1 : left;
  }
  heap[index] = last;
}

function rebuilt(entries: readonly Entry[]): Entry[] {
  const heap: Entry[] = [];
  for (const entry of entries) insert(heap, entry);
  return heap;
}
