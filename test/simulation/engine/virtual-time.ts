// Time that moves only when nothing else can: a heap of timers, and promises drained between two of them.
//
//   V1. One timer fires at a time, in the order of its due time, then of its making.
//   V2. Everything that a timer started has settled before the next one fires.
//   V3. A process's clock can be killed: none of its timers fires any more, and new ones never do.
//   V4. A process can be frozen: its timers wait for its end, in their order, while its clocks go on.
import { setImmediate as nextTick } from 'node:timers/promises';
import type { Clock } from '../../../src/host/contract.js';

/** The time of a simulated world. */
export interface VirtualTime {
  /** Milliseconds since the world began. */
  readonly nowMs: number;
  /** The clock of what never dies: servers and infrastructure. */
  readonly clock: Clock;
  /** The clock of one process. */
  process(): ProcessClock;
  /** Waits in simulated time. */
  sleep(ms: number): Promise<void>;
  /** Moves on until `isOver` says so (asked after each timer) or the time is there. True when it said so. */
  runUntil(endMs: number, isOver: () => boolean): Promise<boolean>;
  /** Real work off the event loop that simulated time must wait for. */
  awaitReal(isBusy: () => boolean): void;
  readonly timersFired: number;
}

/** The clock of a process that may be killed or frozen, or whose wall clock may jump. */
export interface ProcessClock extends Clock {
  kill(): void;
  jump(ms: number): void;
  freeze(ms: number): void;
  /** Waits until the process is not frozen. */
  thawed(): Promise<void>;
}

interface Timer {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
  isCancelled: boolean;
}

/** 2026-01-01, so that dates in objects look like dates. */
export const EPOCH_MS = 1_767_225_600_000;

/** So many timers at one moment are a loop that simulated time will never leave. */
const AT_ONCE_MAX = 100_000;
/** Making certificates takes some hundreds of rounds of the event loop. */
const REAL_ROUNDS_MAX = 2_000_000;

/** Time at zero. */
export function createVirtualTime(): VirtualTime {
  const heap: Timer[] = [];
  let nowMs = 0;
  let order = 0;
  let fired = 0;
  let atOnce = 0;
  let isBusy = (): boolean => false;

  const schedule = (delayMs: number, run: () => void): Timer => {
    // Whole milliseconds: a rest of a rounded fraction would fire for ever without time moving on.
    const timer = { atMs: nowMs + Math.max(0, Math.ceil(delayMs)), order: (order += 1), run, isCancelled: false };
    push(heap, timer);
    return timer;
  };
  const clock: Clock = {
    nowMs: () => EPOCH_MS + nowMs,
    monotonicMs: () => nowMs,
    schedule(delayMs, run) {
      const timer = schedule(delayMs, run);
      return () => void (timer.isCancelled = true);
    },
  };
  const drain = async (): Promise<void> => {
    await nextTick();
    for (let rounds = 0; isBusy(); rounds += 1) {
      if (rounds > REAL_ROUNDS_MAX) throw new Error('work off the event loop does not end');
      await nextTick();
    }
  };

  return {
    get nowMs() {
      return nowMs;
    },
    get timersFired() {
      return fired;
    },
    clock,
    process() {
      let offsetMs = 0;
      let frozenUntilMs = 0;
      let isDead = false;
      return {
        nowMs: () => Math.floor(EPOCH_MS + nowMs + offsetMs),
        monotonicMs: () => nowMs,
        schedule(delayMs, run) {
          if (isDead) return () => undefined;
          const fire = (): void => {
            if (isDead) return;
            if (nowMs < frozenUntilMs) timer = schedule(frozenUntilMs - nowMs, fire);
            else run();
          };
          let timer = schedule(delayMs, fire);
          return () => void (timer.isCancelled = true);
        },
        kill: () => void (isDead = true),
        jump: (ms) => void (offsetMs = ms),
        freeze: (ms) => void (frozenUntilMs = nowMs + ms),
        async thawed() {
          while (nowMs < frozenUntilMs)
            await new Promise<void>((resolve) => void schedule(frozenUntilMs - nowMs, resolve));
        },
      };
    },
    sleep: (ms) => new Promise((resolve) => void schedule(ms, resolve)),
    awaitReal: (next) => void (isBusy = next),
    async runUntil(endMs, isOver) {
      await drain();
      while (!isOver()) {
        const timer = heap[0];
        if (timer === undefined || timer.atMs > endMs) {
          nowMs = Math.max(nowMs, endMs);
          return false;
        }
        pop(heap);
        if (timer.isCancelled) continue;
        atOnce = timer.atMs > nowMs ? 0 : atOnce + 1;
        if (atOnce > AT_ONCE_MAX) throw new Error(`timers fire for ever at ${nowMs} ms`);
        nowMs = Math.max(nowMs, timer.atMs);
        fired += 1;
        timer.run();
        await drain();
      }
      return true;
    },
  };
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
}

function push(heap: Timer[], timer: Timer): void {
  let index = heap.length;
  while (index > 0) {
    const above = (index - 1) >> 1;
    const parent = heap[above] as Timer;
    if (!isBefore(timer, parent)) break;
    heap[index] = parent;
    index = above;
  }
  heap[index] = timer;
}

function pop(heap: Timer[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let index = 0;
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Timer, heap[child] as Timer)) child += 1;
    if (!isBefore(heap[child] as Timer, last)) break;
    heap[index] = heap[child] as Timer;
    index = child;
  }
  heap[index] = last;
}
