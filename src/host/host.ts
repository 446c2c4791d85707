// The generic runtime: wakes keys, runs their turns, waits for their views, backs off, rests.
//
//   H1. At most one turn per key at a time.
//   H4. No turn starts on a view older than our own writes.
//   H6. A wake-up or change during a turn means one more turn, never a second one beside it; after a failure it does so only
//       if it may end the backoff, so that an actor's own traces never make it spin.
//   H7. A resting object costs its rest (a few hundred bytes) and its place in one timer heap.

import { createRowMachine } from '../../machines/kit/row-machine.js';
import type { Failure } from '../../machines/kit/row.js';
import { born, restore, type Rest, type Snapshot } from '../../machines/kit/step.js';
import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS, STALE_VIEW_POLL_MS, STOP_GRACE_MS } from '../limits.js';
import { createWakeCauses } from './causes.js';
import type { Clock, Freshness, HostObserver, Key, Random, TurnNote, WakeCause } from './contract.js';
import { AbortedWork } from './deadline.js';
import { failureOf } from './effect-failure.js';
import { readEnvelope } from './envelope.js';
import { createLedgers } from './ledger.js';
import { combineObservers } from './observers.js';
import { createQueue, type QueueObserver } from './queue.js';
import { runTurn, type ActorInspector, type AnyController } from './turn.js';

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
  readonly log: HostLog;
  readonly observers?: readonly HostObserver[];
  readonly inspect?: ActorInspector | undefined;
  readonly queueObserver?: QueueObserver;
}

/** An actor as the host remembers it between turns. */
export interface RestingActor {
  readonly uid: string;
  readonly rest: Rest;
  readonly failure: Failure | null;
}

/** A running host of one controller. */
export interface Host {
  /** Something happened that this key's actor may want to see. */
  wake(key: Key, cause: WakeCause): void;
  /** Starts turns; wakes before it are kept. */
  start(): void;
  /** No new turns; running ones get a grace, then are aborted. Resolves when nothing runs. */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
  /** The actor at rest; null when the host has not seen it. */
  rest(key: Key): RestingActor | null;
  /** Keys of all actors that the host has seen. */
  keys(): readonly Key[];
  /** Turns that run now, with the monotonic time at which they began. */
  running(): readonly { readonly key: Key; readonly sinceMs: number }[];
  /** True when no turn runs, none is ready and no key waits for its view or its backoff. */
  readonly isSettled: boolean;
  readonly depth: number;
  readonly active: number;
}

interface Memory {
  readonly uid: string;
  rest: Rest | null;
  failures: number;
  failure: Failure | null;
  /** While set, only causes that end the backoff make the key ready. */
  isBackingOff: boolean;
  isDiscardTold: boolean;
  /** Cancels the wait for a view that shows our own writes. */
  parked: (() => void) | null;
}

/** Makes a host. Nothing runs before `start`. */
export function createHost(options: HostOptions): Host {
  const { controller, clock, random, log, freshness } = options;
  const { name } = controller;
  const memories = new Map<Key, Memory>();
  const turns = new Map<Key, number>();
  const causes = createWakeCauses();
  const ledgers = createLedgers(clock, freshness);
  const machine = createRowMachine(controller.table);
  const stopping = new AbortController();
  const observer = combineObservers(options.observers ?? []);
  const ports = { controller, machine, clock, observer, inspect: options.inspect, stopping: stopping.signal };
  let isRunning = false;
  let isStopped = false;
  let isPumping = false;
  let onIdle = (): void => undefined;

  const queue = createQueue({
    clock,
    onReady: pump,
    onDue: (key) => {
      if (memories.get(key)?.isBackingOff === false) causes.add(key, { kind: 'timer' });
    },
    ...(options.queueObserver === undefined ? {} : { observer: options.queueObserver }),
  });

  function pump(): void {
    if (!isRunning || isPumping) return;
    isPumping = true;
    queueMicrotask(() => {
      isPumping = false;
      while (isRunning && turns.size < options.concurrency) {
        const key = queue.take();
        if (key === null) return;
        turns.set(key, clock.monotonicMs());
        void handle(key);
      }
    });
  }

  /** Runs the turn of a key, and decides when it comes again. Never rejects. */
  async function handle(key: Key): Promise<void> {
    const known = memories.get(key);
    const taken = causes.take(key).filter((cause) => !isOwn(key, cause));
    let memory = known;
    try {
      if (known !== undefined) {
        known.isBackingOff = false;
        if (!(await isViewFresh(key, known))) {
          causes.add(key, ...taken);
          return;
        }
      }
      const view = controller.observe(key);
      if (view === null) {
        if (known !== undefined) leave(key, known);
        return;
      }
      memory = memoryOf(key, controller.uid(view));
      const snapshot = snapshotOf(key, view, memory);
      const result = await runTurn(ports, {
        key,
        uid: memory.uid,
        view,
        snapshot,
        causes: taken,
        ledger: ledgers.of(key),
      });
      if (result.isPersisted) memory.rest = result.rest;
      if (result.failure === null) settle(key, memory);
      else backOff(key, memory, result.failure, taken);
      const resultName =
        result.failure !== null ? 'error' : result.rest.context.wakeAtMs !== null ? 'requeue_after' : 'success';
      tell(key, result.steps, resultName);
    } catch (error) {
      if (stopping.signal.aborted || error instanceof AbortedWork) return;
      const failure = failureOf('readLive', error);
      if (failure === null) {
        log.error('Turn failed', { controller: name, object: key, err: error });
        observer.onBug(name, key, error);
      }
      memory ??= memoryOf(key, '');
      backOff(key, memory, failure, taken);
      tell(key, 0, 'error');
    } finally {
      end(key);
    }
  }

  /** In the same breath as the decision what comes next: a wake between the two would be lost. */
  function end(key: Key): void {
    turns.delete(key);
    queue.done(key);
    if (turns.size === 0) onIdle();
    pump();
  }

  /** Waits until the caches show our own writes; false when the turn has to wait. */
  async function isViewFresh(key: Key, memory: Memory): Promise<boolean> {
    const check = ledgers.check(key);
    if (check.kind === 'fresh') return true;
    if (check.kind === 'readLive') {
      await ledgers.readLive(key, stopping.signal);
      return true;
    }
    check.receipts.forEach((receipt) => observer.onStaleView(name, key, receipt.kind));
    const cancels: (() => void)[] = [];
    const resume = (): void => unpark(key, memory);
    memory.parked = () => cancels.splice(0).forEach((cancel) => cancel());
    const canTell = freshness.whenShown !== undefined;
    cancels.push(clock.schedule(canTell ? check.giveUpInMs : Math.min(STALE_VIEW_POLL_MS, check.giveUpInMs), resume));
    for (const receipt of check.receipts) cancels.push(freshness.whenShown?.(receipt, resume) ?? (() => undefined));
    return false;
  }

  function unpark(key: Key, memory: Memory): void {
    if (memory.parked === null) return;
    memory.parked();
    memory.parked = null;
    queue.add(key);
  }

  function isOwn(key: Key, cause: WakeCause): boolean {
    if (cause.kind !== 'self' && cause.kind !== 'object') return false;
    const { before, resourceVersion: after } = cause;
    return before !== undefined && after !== undefined && ledgers.isOwn(key, { before, after });
  }

  function memoryOf(key: Key, uid: string): Memory {
    const known = memories.get(key);
    if (known !== undefined && known.uid === uid) return known;
    if (known !== undefined) leave(key, known);
    const memory: Memory = {
      uid,
      rest: null,
      failures: 0,
      failure: null,
      isBackingOff: false,
      isDiscardTold: false,
      parked: null,
    };
    memories.set(key, memory);
    return memory;
  }

  function leave(key: Key, memory: Memory): void {
    memory.parked?.();
    memories.delete(key);
    ledgers.forget(key);
    queue.cancel(key);
    if (memory.uid !== '') observer.onGone(name, key, memory.uid);
  }

  /** The actor as it was: from memory, else from its stored snapshot, else newly born. */
  function snapshotOf(key: Key, view: object, memory: Memory): Snapshot {
    if (memory.rest !== null) return restore(machine, memory.rest) ?? born(machine);
    const text = controller.readEnvelope(view);
    if (text === null) return born(machine);
    const read = readEnvelope(text, memory.uid);
    const snapshot = 'rest' in read ? restore(machine, read.rest) : null;
    if (snapshot !== null) return snapshot;
    if (!memory.isDiscardTold) {
      memory.isDiscardTold = true;
      const reason = 'discarded' in read ? read.discarded : 'does not restore';
      log.info('Snapshot discarded', { controller: name, object: key, reason });
      observer.onDiscarded(name, key, reason);
    }
    return born(machine);
  }

  function settle(key: Key, memory: Memory): void {
    memory.failures = 0;
    memory.failure = null;
    const wakeAtMs = memory.rest?.context.wakeAtMs ?? null;
    queue.cancel(key);
    if (wakeAtMs !== null) queue.addAfter(key, Math.max(0, wakeAtMs - clock.nowMs()));
    const arrived = causes.take(key).filter((cause) => !isOwn(key, cause));
    causes.add(key, ...arrived);
    if (arrived.length > 0) queue.add(key);
  }

  function backOff(key: Key, memory: Memory, failure: Failure | null, taken: readonly WakeCause[]): void {
    memory.failures += 1;
    memory.failure = failure;
    memory.isBackingOff = true;
    queue.cancel(key);
    queue.addAfter(key, Math.max(1, delayAfter(key, failure, memory.failures)));
    const arrived = causes.take(key).filter((cause) => !isOwn(key, cause));
    causes.add(key, ...taken, ...arrived);
    if (arrived.some((cause) => mayEndBackoff(key, cause, failure))) queue.add(key);
  }

  function delayAfter(key: Key, failure: Failure | null, failures: number): number {
    const usualMs = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(40, failures - 1));
    return guarded(key, () => controller.backoffMs?.(failure, failures, random) ?? usualMs, usualMs);
  }

  function mayEndBackoff(key: Key, cause: WakeCause, failure: Failure | null): boolean {
    return guarded(key, () => controller.endsBackoff(cause, failure), true);
  }

  /** What a controller says about retries; a bug in it is told and never stops them. */
  function guarded<T>(key: Key, ask: () => T, otherwise: T): T {
    try {
      return ask();
    } catch (error) {
      log.error('Retry rule failed', { controller: name, object: key, err: error });
      observer.onBug(name, key, error);
      return otherwise;
    }
  }

  function tell(key: Key, steps: number, result: TurnNote['result']): void {
    const tookMs = clock.monotonicMs() - (turns.get(key) ?? clock.monotonicMs());
    observer.onTurn({ controller: name, key, tookMs, steps, result });
  }

  return {
    wake(key, cause) {
      if (isStopped) return;
      const memory = memories.get(key);
      const own = isOwn(key, cause);
      if (!own) causes.add(key, cause);
      if (queue.isHandled(key)) return;
      if (memory !== undefined && memory.parked !== null) {
        if (ledgers.check(key).kind !== 'wait') unpark(key, memory);
        return;
      }
      if (own || (memory?.isBackingOff === true && !mayEndBackoff(key, cause, memory.failure))) return;
      queue.add(key, cause.kind === 'sync' ? 'low' : 'normal');
    },
    start() {
      isRunning = !isStopped;
      pump();
    },
    async stop({ graceMs = STOP_GRACE_MS } = {}) {
      isRunning = false;
      isStopped = true;
      queue.close();
      for (const memory of memories.values()) memory.parked?.();
      if (turns.size === 0) return;
      const idle = new Promise<void>((resolve) => {
        onIdle = resolve;
      });
      const cancel = clock.schedule(graceMs, () => stopping.abort());
      await idle;
      cancel();
    },
    rest(key) {
      const memory = memories.get(key);
      return memory?.rest ? { uid: memory.uid, rest: memory.rest, failure: memory.failure } : null;
    },
    keys: () => [...memories.keys()],
    running: () => [...turns].map(([key, sinceMs]) => ({ key, sinceMs })),
    get isSettled() {
      if (turns.size > 0 || queue.depth > 0) return false;
      for (const memory of memories.values()) if (memory.parked !== null || memory.isBackingOff) return false;
      return true;
    },
    get depth() {
      return queue.depth;
    },
    get active() {
      return turns.size;
    },
  };
}
