// Takes a Lease, renews it, and says at once when it is lost.
//
//   E4. Standbys watch the Lease, so that a released one changes hands at once; without permission to watch they still look
//       every retry period.
//   E5. `remainingMs` is the write gate: it closes by the monotonic clock, whether or not a timer has run.
//   E6. Stopping releases the Lease if we hold it; nothing renews it afterwards.

import type { Clock, Random } from '../host/contract.js';
import { resources } from '../api/names.js';
import type { ApiClient, ApiFailure, Target } from './contract.js';
import { isApiError } from './failures.js';
import {
  freedLease,
  heldLease,
  isTakeable,
  remainingMs,
  step,
  unobserved,
  type Lease,
  type LeaseHappening,
  type LeaseSettings,
  type LeaseState,
} from './lease-state.js';
import { runReflector } from './reflector.js';
import { resourceOf } from './resource-paths.js';
import { sleep } from './waiting.js';

/** What an elector needs. */
export interface LeaseElectorOptions extends LeaseSettings {
  /** A client of its own: neither gated nor throttled by other work. Its calls should time out after half the renew deadline. */
  readonly client: ApiClient;
  readonly namespace: string;
  readonly name: string;
  readonly retryPeriodMs: number;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly onAcquired: () => void;
  /** The Lease was ours and is no more: whatever runs under it must end now. Called once. */
  readonly onLost: () => void;
  readonly observer?: LeaseObserver;
}

/** What an elector tells: for metrics and logs. */
export interface LeaseObserver {
  onFailure?(failure: ApiFailure): void;
  /** Another holds the Lease; told when the holder changes. */
  onHolder?(holder: string): void;
  /** A renewal had to read the Lease first. */
  onSlowPath?(): void;
}

/** One contender for one Lease. */
export interface LeaseElector {
  /** Starts; once. */
  start(): void;
  isLeader(): boolean;
  /** For how many milliseconds a write may be under way; 0 refuses it. */
  remainingMs(): number;
  /** Stops and releases. Ends when that is done or has failed. */
  stop(): Promise<void>;
}

const leases = resourceOf(resources.Lease);

/** An elector that does nothing until it is started. */
export function createLeaseElector(options: LeaseElectorOptions): LeaseElector {
  const contest: Contest = {
    options,
    target: { resource: leases, namespace: options.namespace, name: options.name },
    state: unobserved,
    stopping: new AbortController(),
    following: new AbortController(),
    hurry: new AbortController(),
    cancelDeadline: () => undefined,
    holder: '',
    wake: () => undefined,
  };
  let running: Promise<void> = Promise.resolve();
  return {
    start() {
      running = run(contest);
    },
    isLeader: () => contest.state.kind === 'leading',
    remainingMs: () => remainingMs(contest.state, options.clock.monotonicMs(), options),
    async stop() {
      contest.stopping.abort();
      contest.following.abort();
      const cancel = options.clock.schedule(LAST_WRITE_TIMEOUT_MS, () => contest.hurry.abort());
      await running;
      cancel();
      contest.cancelDeadline();
      const { state } = contest;
      contest.state = step(state, { kind: 'released' }, options);
      if (state.kind === 'leading') await release(contest, state.observed.lease);
    },
  };
}

interface Contest {
  readonly options: LeaseElectorOptions;
  readonly target: Target;
  state: LeaseState;
  readonly stopping: AbortController;
  /** Ends the watch of a standby. */
  readonly following: AbortController;
  /** Ends a write that is under way when we stop and does not come back. */
  readonly hurry: AbortController;
  cancelDeadline: () => void;
  holder: string;
  wake: () => void;
}

async function run(contest: Contest): Promise<void> {
  const { options, stopping } = contest;
  void watchLease(contest);
  while (!stopping.signal.aborted && !isOver(contest)) {
    await tryOnce(contest).catch((error: unknown) => {
      if (!isApiError(error)) throw error;
      if (!stopping.signal.aborted) options.observer?.onFailure?.(error.failure);
    });
    if (isOver(contest)) return;
    const jitter = contest.state.kind === 'leading' ? 0 : 1.2 * options.random.next();
    await pause(contest, options.retryPeriodMs * (1 + jitter));
  }
}

function isOver({ state }: Contest): boolean {
  return state.kind === 'lost' || state.kind === 'released';
}

/** Takes one step and does what follows from it. */
function happen(contest: Contest, happening: LeaseHappening): void {
  const { options } = contest;
  const before = contest.state;
  const after = step(before, happening, options);
  contest.state = after;
  if (after.kind === 'leading') setDeadline(contest, after.renewedAtMs + options.renewDeadlineMs);
  else contest.cancelDeadline();
  if (after.kind === 'leading' && before.kind !== 'leading') {
    contest.following.abort();
    options.onAcquired();
  }
  if (after.kind === 'lost' && before.kind !== 'lost') {
    contest.following.abort();
    contest.wake();
    options.onLost();
  }
  if (after.kind === 'following') tellHolder(contest, after.observed?.lease.spec?.holderIdentity ?? '');
}

function setDeadline(contest: Contest, atMs: number): void {
  const { clock } = contest.options;
  contest.cancelDeadline();
  contest.cancelDeadline = clock.schedule(atMs - clock.monotonicMs(), () =>
    happen(contest, { kind: 'time', atMs: clock.monotonicMs() }),
  );
}

function tellHolder(contest: Contest, holder: string): void {
  if (holder === contest.holder) return;
  contest.holder = holder;
  contest.options.observer?.onHolder?.(holder);
}

/** Renews, or looks and takes what can be taken. */
async function tryOnce(contest: Contest): Promise<void> {
  const { options } = contest;
  // A process that was paused past its deadline must not send even the renewal.
  happen(contest, { kind: 'time', atMs: options.clock.monotonicMs() });
  const { state } = contest;
  if (isOver(contest)) return;
  if (state.kind === 'leading') {
    try {
      await write(contest, state.observed.lease);
      return;
    } catch (error) {
      if (!isApiError(error, 'Conflict', 'NotFound', 'Unknown')) throw error;
      options.observer?.onSlowPath?.();
    }
  }
  const seen = await read(contest);
  happen(contest, { kind: 'saw', lease: seen, atMs: options.clock.monotonicMs() });
  const now = contest.state;
  if (now.kind === 'lost' || now.kind === 'released' || contest.stopping.signal.aborted) return;
  if (seen === null || now.kind === 'leading' || isFree(contest, now)) await write(contest, seen);
}

function isFree({ options }: Contest, state: Extract<LeaseState, { kind: 'following' }>): boolean {
  return state.observed !== null && isTakeable(state.observed, options.identity, options.clock.monotonicMs());
}

async function read({ options, target, stopping }: Contest): Promise<Lease | null> {
  try {
    return await options.client.get<Lease>(target, { signal: stopping.signal });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return null;
    throw error;
  }
}

async function write(contest: Contest, before: Lease | null): Promise<void> {
  const { options, target } = contest;
  const { client, clock } = options;
  const startedAtMs = clock.monotonicMs();
  const wanted = heldLease(before, options, { namespace: target.namespace, name: target.name, nowMs: clock.nowMs() });
  const { signal } = contest.hurry;
  const lease =
    before === null
      ? await client.create<Lease>(leases, wanted, { signal })
      : await client.update<Lease>(target, wanted, { signal });
  happen(contest, { kind: 'wrote', lease, startedAtMs });
}

/** Waits, unless the watch shows something to act upon. */
function pause(contest: Contest, delayMs: number): Promise<unknown> {
  const early = new AbortController();
  contest.wake = () => early.abort();
  const end = (): void => early.abort();
  contest.stopping.signal.addEventListener('abort', end, { once: true });
  if (contest.stopping.signal.aborted) early.abort();
  return sleep(contest.options.clock, delayMs, early.signal).finally(() =>
    contest.stopping.signal.removeEventListener('abort', end),
  );
}

async function watchLease(contest: Contest): Promise<void> {
  const { options, target, following } = contest;
  const saw = (lease: Lease | null): void => {
    if (contest.state.kind !== 'following') return;
    happen(contest, { kind: 'saw', lease, atMs: options.clock.monotonicMs() });
    if (lease === null || isFree(contest, contest.state)) contest.wake();
  };
  await runReflector(
    {
      client: options.client,
      resource: target.resource,
      namespace: target.namespace,
      fieldSelector: `metadata.name=${target.name}`,
      clock: options.clock,
      random: options.random,
      target: {
        mark: () => 0,
        replace: (items) => saw((items[0] as Lease | undefined) ?? null),
        apply: (type, object) => saw(type === 'DELETED' ? null : (object as Lease)),
        bookmark: () => undefined,
      },
    },
    following.signal,
  );
}

/** A process that stops has 8 s for everything: a server that does not answer gets little of it. */
const LAST_WRITE_TIMEOUT_MS = 500;
const RELEASE_TIMEOUT_MS = 1_500;

async function release({ options, target }: Contest, lease: Lease): Promise<void> {
  try {
    await options.client.update(target, freedLease(lease, options.clock.nowMs()), { timeoutMs: RELEASE_TIMEOUT_MS });
  } catch (error) {
    if (!isApiError(error)) throw error;
    options.observer?.onFailure?.(error.failure);
  }
}

/** Who holds a Lease right now by its own times, or null: for a warning where leader election is off. */
export async function leaseHolder(
  client: Pick<ApiClient, 'get'>,
  lease: { readonly namespace: string; readonly name: string },
  options: { readonly nowMs: number; readonly signal: AbortSignal },
): Promise<string | null> {
  try {
    const { spec } = await client.get<Lease>({ resource: leases, ...lease }, { signal: options.signal });
    const holder = spec?.holderIdentity ?? '';
    const endsAtMs = Date.parse(spec?.renewTime ?? '') + (spec?.leaseDurationSeconds ?? 0) * 1000;
    return holder !== '' && endsAtMs > options.nowMs ? holder : null;
  } catch (error) {
    if (isApiError(error)) return null;
    throw error;
  }
}

/** A name for this process that nobody else has: host name and random digits, as client-go's. */
export function leaseIdentity(hostname: string, random: Pick<Random, 'bytes'>): string {
  const hex = Buffer.from(random.bytes(16)).toString('hex');
  return `${hostname}_${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
