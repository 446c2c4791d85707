// The generic runtime: wakes keys, runs their turns, waits for their views, backs off, rests.
//
//   H1. At most one turn per key at a time.
//   H4. No turn starts on a view older than our own writes.
//   H6. A wake-up or change during a turn means one more turn, never a second one beside it.
//   H7. A resting object costs its rest (a few hundred bytes) and no timer but its wake-up.

import { createRowMachine } from '../../machines/kit/row-machine.js';
import type { Failure } from '../../machines/kit/row.js';
import type { Rest } from '../../machines/kit/step.js';
import type { Clock, Freshness, HostObserver, Key, Random, WakeCause } from './contract.js';
import { readEnvelope } from './envelope.js';
import { createLedgers } from './ledger.js';
import { BACKOFF_FIRST_MS, BACKOFF_MAX_MS, STOP_GRACE_MS } from './limits.js';
import { createQueue, type QueueObserver } from './queue.js';
import { runTurn, type AnyController, type TurnPorts } from './turn.js';

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
  readonly inspect?: TurnPorts['inspect'];
  readonly queueObserver?: QueueObserver;
}

/** A running host of one controller. */
export interface Host {
  /** Something happened that this key's actor may want to see. */
  wake(key: Key, cause: WakeCause): void;
  /** Starts turns; wakes before it are kept. */
  start(): void;
  /** No new turns; running effects get a grace, then are aborted. Resolves when nothing runs. */
  stop(): Promise<void>;
  /** The actor at rest, as the host remembers it; null when the host has not seen it. */
  rest(key: Key): { readonly uid: string; readonly rest: Rest; readonly failure: Failure | null } | null;
  /** True when no turn runs, none is ready and no key waits for its view or its backoff. */
  readonly isSettled: boolean;
  readonly depth: number;
  readonly active: number;
}

interface Memory {
  uid: string;
  rest: Rest | null;
  failures: number;
  failure: Failure | null;
  /** While set, only causes that end the backoff make the key ready. */
  isBackingOff: boolean;
  /** Cancels the wait for a view that shows our own writes. */
  parked: (() => void) | null;
}

/** Makes a host. Nothing runs before `start`. */
export function createHost(options: HostOptions): Host {
  const { controller, clock, random, log } = options;
  const memories = new Map<Key, Memory>();
  const ledgers = createLedgers(clock, options.freshness);
  const machine = createRowMachine(controller.table);
  const stopping = new AbortController();
  const observer = combine(options.observers ?? []);
  const ports: TurnPorts = { clock, machine, observer, inspect: options.inspect, stopping: stopping.signal };
  let isRunning = false;
  let active = 0;
  let onIdle: (() => void) | null = null;
  let isPumping = false;

  const pump = (): void => {
    if (!isRunning || isPumping) return;
    isPumping = true;
    queueMicrotask(() => {
      isPumping = false;
      while (isRunning && active < options.concurrency) {
        const key = queue.take();
        if (key === null) return;
        active += 1;
        void handle(key).finally(() => {
          active -= 1;
          queue.done(key);
          if (active === 0) onIdle?.();
          pump();
        });
      }
    });
  };
  const queue = createQueue(clock, pump, options.queueObserver ?? {});

  const memoryOf = (key: Key, uid: string): Memory => {
    const known = memories.get(key);
    if (known !== undefined && known.uid === uid) return known;
    if (known !== undefined) leave(key, known);
    const memory: Memory = { uid, rest: null, failures: 0, failure: null, isBackingOff: false, parked: null };
    memories.set(key, memory);
    return memory;
  };

  const leave = (key: Key, memory: Memory): void => {
    memory.parked?.();
    memories.delete(key);
    ledgers.forget(key);
    queue.cancel(key);
    observer.onGone?.(controller.name, key, memory.uid);
  };

  /** Waits until the caches show our own writes; false when the turn has to wait. */
  const isViewFresh = async (key: Key, memory: Memory): Promise<boolean> => {
    memory.parked?.();
    memory.parked = null;
    const check = ledgers.check(key);
    if (check.kind === 'fresh') return true;
    if (check.kind === 'readLive') {
      await ledgers.readLive(key, stopping.signal);
      return true;
    }
    const cancels: (() => void)[] = [];
    const resume = (): void => {
      if (memory.parked === null) return;
      memory.parked();
      memory.parked = null;
      queue.add(key);
    };
    memory.parked = () => cancels.splice(0).forEach((cancel) => cancel());
    const { whenShown } = options.freshness;
    cancels.push(clock.schedule(whenShown === undefined ? Math.min(20, check.giveUpInMs) : check.giveUpInMs, resume));
    for (const receipt of check.receipts)
      if (whenShown !== undefined) cancels.push(whenShown.call(options.freshness, receipt, resume));
    return false;
  };

  const restOfView = (key: Key, view: object, memory: Memory): Rest | null => {
    if (memory.rest !== null) return memory.rest;
    const text = controller.readEnvelope(view);
    if (text === null) return null;
    const read = readEnvelope(text, memory.uid);
    if ('rest' in read) return read.rest;
    log.info('Snapshot discarded', { controller: controller.name, object: key, reason: read.discarded });
    return null;
  };

  const backOff = (key: Key, memory: Memory, failure: Failure | null): void => {
    memory.failures += 1;
    memory.failure = failure;
    memory.isBackingOff = true;
    const usual = Math.min(BACKOFF_MAX_MS, BACKOFF_FIRST_MS * 2 ** Math.min(40, memory.failures - 1));
    const delayMs = controller.backoffMs?.(failure, memory.failures, random) ?? usual;
    queue.cancel(key);
    queue.addAfter(key, delayMs);
  };

  const settle = (key: Key, memory: Memory): void => {
    memory.failures = 0;
    memory.failure = null;
    const wakeAtMs = memory.rest?.context.wakeAtMs ?? null;
    queue.cancel(key);
    if (wakeAtMs !== null) queue.addAfter(key, Math.max(0, wakeAtMs - clock.nowMs()));
  };

  const handle = async (key: Key): Promise<void> => {
    const startedMs = clock.monotonicMs();
    const known = memories.get(key);
    let memory = known;
    try {
      if (known !== undefined) {
        known.isBackingOff = false;
        if (!(await isViewFresh(key, known))) return;
      }
      const view = controller.observe(key);
      if (view === null) {
        if (known !== undefined) leave(key, known);
        return;
      }
      memory = memoryOf(key, controller.uid(view));
      const result = await runTurn(controller, ports, {
        key,
        view,
        rest: restOfView(key, view, memory),
        ledger: ledgers.of(key),
      });
      memory.rest = result.rest;
      if (result.failure === null) settle(key, memory);
      else backOff(key, memory, result.failure);
      const isAgain = result.rest.context.wakeAtMs !== null;
      const outcome = result.failure !== null ? 'error' : isAgain ? 'requeue_after' : 'success';
      observer.onTurn?.({
        controller: controller.name,
        key,
        tookMs: clock.monotonicMs() - startedMs,
        steps: result.steps,
        result: outcome,
      });
    } catch (error) {
      if (stopping.signal.aborted) return;
      log.error('Turn failed', { controller: controller.name, object: key, err: error });
      if (memory !== undefined) backOff(key, memory, memory.failure);
      else queue.addAfter(key, 1000);
      observer.onTurn?.({
        controller: controller.name,
        key,
        tookMs: clock.monotonicMs() - startedMs,
        steps: 0,
        result: 'error',
      });
    }
  };

  return {
    wake(key, cause) {
      const memory = memories.get(key);
      if (memory?.parked) {
        if (cause.kind === 'self' && ledgers.isOwn(key, cause.resourceVersion) && ledgers.check(key).kind === 'wait')
          return;
        memory.parked();
        memory.parked = null;
        queue.add(key);
        return;
      }
      if (cause.kind === 'self' && ledgers.isOwn(key, cause.resourceVersion)) return;
      if (memory?.isBackingOff === true && !controller.endsBackoff(cause, memory.failure)) return;
      queue.add(key);
    },
    start() {
      isRunning = true;
      pump();
    },
    async stop() {
      isRunning = false;
      queue.close();
      for (const memory of memories.values()) memory.parked?.();
      if (active === 0) return;
      const cancel = clock.schedule(STOP_GRACE_MS, () => stopping.abort());
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
      cancel();
    },
    rest(key) {
      const memory = memories.get(key);
      return memory?.rest ? { uid: memory.uid, rest: memory.rest, failure: memory.failure } : null;
    },
    get isSettled() {
      if (active > 0 || queue.depth > 0) return false;
      for (const memory of memories.values()) if (memory.parked !== null || memory.isBackingOff) return false;
      return true;
    },
    get depth() {
      return queue.depth;
    },
    get active() {
      return active;
    },
  };
}

/** Many observers as one; a bug in one never reaches a turn. */
function combine(observers: readonly HostObserver[]): HostObserver {
  const each = (call: (observer: HostObserver) => void): void => {
    for (const observer of observers) {
      try {
        call(observer);
      } catch {
        // An observer's bug is its own: turns go on.
      }
    }
  };
  return {
    onTransition: (note) => each((observer) => observer.onTransition?.(note)),
    onEffect: (note) => each((observer) => observer.onEffect?.(note)),
    onTurn: (note) => each((observer) => observer.onTurn?.(note)),
    onGone: (controller, key, uid) => each((observer) => observer.onGone?.(controller, key, uid)),
  };
}
