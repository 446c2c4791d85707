// The generic runtime: wakes keys, runs their turns, waits for their views, backs off, rests.
//
//   H1. At most one turn per key at a time.
//   H4. No turn starts on a view older than our own writes.
//   H6. A wake-up or change during a turn means one more turn, never a second one beside it; after a failure it does so only
//       if it may end the backoff, so that an actor's own traces never make it spin.
//   H7. What comes next is decided in the same breath in which the key leaves the queue's hands: no wake falls between.
//   H9. Turns that ask for the next one at once are bounded in a row: two repairs that undo each other come as errors do.
//   H8. A resting object costs its rest (a few hundred bytes) and its place in one timer heap.

import { setMaxListeners } from 'node:events';
import type { Failure } from '../../machines/kit/row.js';
import type { Rest } from '../../machines/kit/step.js';
import { LOW_TURN_WAIT_MS, STALE_VIEW_POLL_MS, STOP_GRACE_MS } from '../limits.js';
import { createWakeCauses, type WakeCauses } from './causes.js';
import type { Key, TurnNote, WakeCause } from './contract.js';
import { AbortedWork } from './deadline.js';
import { failureOf } from './effect-failure.js';
import type { HostOptions } from './host-options.js';
import { createLedgers, type Ledgers } from './ledger.js';
import { newMemory, snapshotOf, type Memory } from './memory.js';
import { combineObservers, discardLog } from './observers.js';
import { createQueue, type KeyQueue, type Priority } from './queue.js';
import { createRetryRules, heldBack, type RetryRules } from './retry-rules.js';
import { nextPass } from './sync-period.js';
import { runTurn, type TurnPorts } from './turn.js';

export type { HostOptions } from './host-options.js';

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
  /** Keys that are ready, of one priority. */
  depthOf(priority: Priority): number;
  readonly active: number;
}

/** Everything that belongs to one host. */
interface Running {
  readonly options: HostOptions;
  readonly memories: Map<Key, Memory>;
  /** Turns that run now, with their monotonic start. */
  readonly turns: Map<Key, number>;
  /** Turns that have decided when their key comes again, and only have to end. */
  readonly decided: Set<Key>;
  readonly causes: WakeCauses;
  readonly ledgers: Ledgers;
  readonly queue: KeyQueue;
  readonly ports: TurnPorts;
  readonly retries: RetryRules;
  readonly stopping: AbortController;
  phase: 'new' | 'running' | 'stopped';
  isPumping: boolean;
  onIdle: () => void;
}

/** How the handling of a key ended. */
type Verdict =
  | { readonly kind: 'settled'; readonly memory: Memory }
  | { readonly kind: 'failed'; readonly memory: Memory; readonly failure: Failure | null }
  | { readonly kind: 'gone' | 'parked' };

/** Makes a host. Nothing runs before `start`. */
export function createHost(options: HostOptions): Host {
  const host = prepare(options);
  return {
    wake: (key, cause) => wake(host, key, cause),
    start() {
      if (host.phase === 'new') host.phase = 'running';
      pump(host);
    },
    stop: ({ graceMs = STOP_GRACE_MS } = {}) => stop(host, graceMs),
    rest(key) {
      const memory = host.memories.get(key);
      return memory?.rest ? { uid: memory.uid, rest: memory.rest, failure: memory.failure } : null;
    },
    keys: () => [...host.memories.keys()],
    running: () => [...host.turns].map(([key, sinceMs]) => ({ key, sinceMs })),
    get isSettled() {
      if (host.turns.size > 0 || host.queue.depth > 0) return false;
      for (const memory of host.memories.values()) if (memory.parked !== null || memory.isBackingOff) return false;
      return true;
    },
    get depth() {
      return host.queue.depth;
    },
    depthOf: (priority) => host.queue.depthOf(priority),
    get active() {
      return host.turns.size;
    },
  };
}

function prepare(options: HostOptions): Running {
  const { controller, clock, freshness, inspect, queueObserver, log, random } = options;
  const stopping = new AbortController();
  // Every effect that runs listens to it.
  setMaxListeners(0, stopping.signal);
  const observer = combineObservers([discardLog(log), ...(options.observers ?? [])]);
  const host: Running = {
    options,
    memories: new Map(),
    turns: new Map(),
    decided: new Set(),
    causes: createWakeCauses(),
    ledgers: createLedgers(clock, freshness),
    queue: createQueue({
      clock,
      // One thread does everybody's work: a turn that nobody waits for delays those that somebody waits for.
      beside: { lowMax: Math.max(1, Math.floor(options.concurrency / 8)), afterMs: LOW_TURN_WAIT_MS },
      onReady: () => pump(host),
      onDue: (key) => due(host, key),
      ...(queueObserver === undefined ? {} : { observer: queueObserver }),
    }),
    ports: {
      controller,
      clock,
      observer,
      inspect,
      stopping: stopping.signal,
    },
    retries: createRetryRules(controller, random, (key, error) => {
      log.error('Retry rule failed', { controller: controller.name, object: key, err: error });
      observer.onBug(controller.name, key, error);
    }),
    stopping,
    phase: 'new',
    isPumping: false,
    onIdle: () => undefined,
  };
  return host;
}

function wake(host: Running, key: Key, cause: WakeCause): void {
  if (host.phase === 'stopped') return;
  const { memories, causes, queue, ledgers, retries } = host;
  const memory = memories.get(key);
  const own = isOwn(host, key, cause);
  if (!own) causes.add(key, cause);
  // The turn that runs asks about its causes when it decides what comes next; what comes after that must not be lost.
  if (queue.isHandled(key) && !host.decided.has(key)) return;
  if (memory !== undefined && memory.parked !== null) {
    if (ledgers.check(key).kind !== 'wait') unpark(host, key, memory);
    return;
  }
  if (own || (memory?.isBackingOff === true && !retries.mayEnd(key, cause, memory.failure))) return;
  queue.add(key, priorityOf([cause]));
}

/** A time that was set has come: the actor's own wish, the end of a backoff, or the period of all. */
function due({ memories, causes }: Running, key: Key): Priority {
  const memory = memories.get(key);
  if (memory?.isSyncNext === true) causes.add(key, { kind: 'sync' });
  else if (memory?.isBackingOff === false) causes.add(key, { kind: 'timer' });
  return memory?.isSyncNext === true ? 'low' : 'normal';
}

/** Nobody waits for what a list showed, nor for an actor that still has to wait. */
function priorityOf(causes: readonly WakeCause[]): Priority {
  const isLow = (cause: WakeCause): boolean =>
    cause.kind === 'sync' || (cause.kind === 'object' && cause.priority === 'low');
  return causes.every(isLow) ? 'low' : 'normal';
}

async function stop(host: Running, graceMs: number): Promise<void> {
  host.phase = 'stopped';
  host.queue.close();
  for (const memory of host.memories.values()) memory.parked?.();
  if (host.turns.size === 0) return;
  const idle = new Promise<void>((resolve) => void (host.onIdle = resolve));
  const cancel = host.options.clock.schedule(graceMs, () => host.stopping.abort());
  await idle;
  cancel();
}

/** Starts turns for ready keys, as many as may run at once. Probes and the Lease get their turn between them. */
function pump(host: Running): void {
  if (host.phase !== 'running' || host.isPumping) return;
  const { queue, turns, options } = host;
  const { afterOthers = queueMicrotask } = options;
  host.isPumping = true;
  afterOthers(() => {
    host.isPumping = false;
    while (host.phase === 'running' && turns.size < options.concurrency) {
      const key = queue.take();
      if (key === null) return;
      turns.set(key, options.clock.monotonicMs());
      void handle(host, key);
      if (options.afterOthers !== undefined) return pump(host);
    }
  });
}

/** Runs the turn of a key, and decides when it comes again. Never rejects. */
async function handle(host: Running, key: Key): Promise<void> {
  const { memories, causes, stopping, options, ports } = host;
  const taken = causes.take(key).filter((cause) => !isOwn(host, key, cause));
  let verdict: Verdict;
  try {
    verdict = await look(host, key, taken);
  } catch (error) {
    const failure = failureOf('readLive', error);
    const isStopped = stopping.signal.aborted || error instanceof AbortedWork;
    if (failure === null && !isStopped) {
      options.log.error('Turn failed', { controller: options.controller.name, object: key, err: error });
      ports.observer.onBug(options.controller.name, key, error);
    }
    verdict = isStopped
      ? { kind: 'gone' }
      : { kind: 'failed', memory: memories.get(key) ?? memoryOf(host, key, ''), failure };
    if (!isStopped) tell(host, key, { steps: 0, result: 'error' });
  }
  end(host, key, { verdict, taken });
}

async function look(host: Running, key: Key, taken: readonly WakeCause[]): Promise<Verdict> {
  const { controller } = host.options;
  const known = host.memories.get(key);
  if (known !== undefined) {
    known.isBackingOff = false;
    if (!(await isViewFresh(host, key, known))) return { kind: 'parked' };
  }
  const view = controller.observe(key);
  if (view === null) {
    leave(host, key);
    controller.forget?.(key);
    return { kind: 'gone' };
  }
  const memory = memoryOf(host, key, controller.uid(view));
  const { rest, isPersisted, failure, steps } = await runTurn(host.ports, {
    key,
    uid: memory.uid,
    sinceMs: host.turns.get(key) ?? host.options.clock.monotonicMs(),
    view,
    snapshot: snapshotOf(host.ports, key, { view, memory }),
    causes: taken,
    ledger: host.ledgers.of(key),
  });
  if (isPersisted) memory.rest = rest;
  const result = failure !== null ? 'error' : rest.context.wakeAtMs !== null ? 'requeue_after' : 'success';
  tell(host, key, { steps, result });
  return failure === null ? { kind: 'settled', memory } : { kind: 'failed', memory, failure };
}

/** Lets go of a key, and decides in the same breath when it comes again (H7). */
function end(
  host: Running,
  key: Key,
  { verdict, taken }: { readonly verdict: Verdict; readonly taken: readonly WakeCause[] },
): void {
  const { turns, queue, causes, retries } = host;
  const arrived = causes.take(key).filter((cause) => !isOwn(host, key, cause));
  turns.delete(key);
  queue.done(key);
  switch (verdict.kind) {
    case 'settled':
      causes.add(key, ...arrived);
      if (settle(host, key, verdict.memory)) {
        if (arrived.length > 0) queue.add(key, priorityOf(arrived));
      } else if (arrived.some((cause) => retries.mayEnd(key, cause, null))) queue.add(key);
      break;
    case 'failed':
      backOff(host, key, verdict);
      causes.add(key, ...taken, ...arrived);
      if (arrived.some((cause) => retries.mayEnd(key, cause, verdict.failure))) queue.add(key);
      break;
    case 'gone':
      causes.add(key, ...arrived);
      if (arrived.length > 0) queue.add(key, priorityOf(arrived));
      break;
    case 'parked':
      causes.add(key, ...taken, ...arrived);
  }
  if (turns.size === 0) host.onIdle();
  pump(host);
}

/** Waits until the caches show our own writes; false when the turn has to wait. */
async function isViewFresh(host: Running, key: Key, memory: Memory): Promise<boolean> {
  const { ledgers, stopping, ports } = host;
  const { clock, freshness, controller } = host.options;
  const check = ledgers.check(key);
  if (check.kind === 'fresh') return true;
  if (check.kind === 'readLive') {
    await ledgers.readLive(key, stopping.signal);
    return true;
  }
  check.receipts.forEach((receipt) => ports.observer.onStaleView(controller.name, key, receipt.kind));
  const cancels: (() => void)[] = [];
  const resume = (): void => unpark(host, key, memory);
  memory.parked = () => cancels.splice(0).forEach((cancel) => cancel());
  const canTell = freshness.whenShown !== undefined;
  cancels.push(clock.schedule(canTell ? check.giveUpInMs : Math.min(STALE_VIEW_POLL_MS, check.giveUpInMs), resume));
  for (const receipt of check.receipts) cancels.push(freshness.whenShown?.(receipt, resume) ?? (() => undefined));
  return false;
}

function unpark({ queue }: Running, key: Key, memory: Memory): void {
  if (memory.parked === null) return;
  memory.parked();
  memory.parked = null;
  queue.add(key);
}

/** The echo of our own guarded write: nobody else changed anything between. */
function isOwn({ ledgers }: Running, key: Key, cause: WakeCause): boolean {
  if (cause.kind !== 'self' && cause.kind !== 'object') return false;
  const { before, resourceVersion: after } = cause;
  return before !== undefined && after !== undefined && ledgers.isOwn(key, { before, after });
}

function memoryOf(host: Running, key: Key, uid: string): Memory {
  const known = host.memories.get(key);
  if (known !== undefined && known.uid === uid) return known;
  leave(host, key);
  const memory = newMemory(uid);
  host.memories.set(key, memory);
  return memory;
}

/** Forgets a life that is over. */
function leave({ memories, ledgers, queue, ports, options }: Running, key: Key): void {
  const memory = memories.get(key);
  if (memory === undefined) return;
  memory.parked?.();
  memories.delete(key);
  ledgers.forget(key);
  queue.cancel(key);
  if (memory.uid !== '') ports.observer.onGone(options.controller.name, key, memory.uid);
}

/** After a turn that succeeded: rest until the wake-up; false for one of too many that come again at once (H9). */
function settle(host: Running, key: Key, memory: Memory): boolean {
  const { restMinMs = 0, clock, controller, log } = host.options;
  memory.failures = 0;
  memory.failure = null;
  const wakeAtMs = memory.rest?.context.wakeAtMs ?? null;
  const waitMs = wakeAtMs === null ? null : Math.max(restMinMs, wakeAtMs - clock.nowMs());
  const heldBackMs = heldBack(host.retries, key, { memory, waitMs });
  memory.isBackingOff = heldBackMs !== null;
  comeAgain(host, key, { memory, waitMs: heldBackMs ?? waitMs });
  if (heldBackMs === null) return true;
  log.error('Turns come again at once without end', {
    controller: controller.name,
    object: key,
    row: memory.rest?.context.row,
    waitMs: heldBackMs,
  });
  return false;
}

function comeAgain(
  { queue, options }: Running,
  key: Key,
  { memory, waitMs }: { readonly memory: Memory; readonly waitMs: number | null },
): void {
  const next = nextPass(waitMs, options.syncPeriodMs ?? 0, options.random);
  memory.isSyncNext = next?.isSync === true;
  queue.cancel(key);
  if (next !== null) queue.addAfter(key, next.delayMs);
}

/** After a turn that failed: wait. */
function backOff(
  host: Running,
  key: Key,
  { memory, failure }: { readonly memory: Memory; readonly failure: Failure | null },
): void {
  memory.failures += 1;
  memory.failure = failure;
  memory.isBackingOff = true;
  comeAgain(host, key, { memory, waitMs: host.retries.delayMs(key, failure, memory.failures) });
}

function tell({ ports, options, turns }: Running, key: Key, turn: Pick<TurnNote, 'steps' | 'result'>): void {
  const nowMs = options.clock.monotonicMs();
  const tookMs = nowMs - (turns.get(key) ?? nowMs);
  ports.observer.onTurn({ controller: options.controller.name, key, tookMs, ...turn });
}
