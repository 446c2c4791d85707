// What a controller gives to the host, and what the host gives to a controller.
//
// The host is generic: it knows keys, turns, actors, snapshots and effects, and nothing of Cluster API. Types only.
//
//   H1. At most one turn per key at a time.
//   H2. A turn ends within TURN_STEPS_MAX effects, or it is a bug.
//   H3. A settled object causes no write.
//   H4. No turn starts on a view older than our own writes.
//   H5. A turn that throws leaves the actor where it was.

import type { AnyStateMachine } from 'xstate';
import type { ActorContext, BaseFacts, Table } from '../../machines/kit/row.js';

/** Time as a port. All in milliseconds; `monotonicMs` never jumps. */
export interface Clock {
  nowMs(): number;
  monotonicMs(): number;
  /** Calls `run` once after `delayMs`; returns a cancel function. */
  schedule(delayMs: number, run: () => void): () => void;
}

/** Randomness as a port. */
export interface Random {
  /** In [0, 1). For jitter and schedules, never for secrets. */
  next(): number;
  /** Cryptographically strong bytes, for tokens and keys. */
  bytes(count: number): Uint8Array;
}

/** `namespace/name` of the object whose actor this is. */
export type Key = string;

/** An object we wrote, as the write's reply named it. */
export interface WriteReceipt {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /**
   * The resourceVersion that guarded the write; empty for a create. The event that shows the new version right after this one
   * starts no turn: nobody else's change lies between. Absent: the event starts one.
   */
  readonly guardedBy?: string;
}

/** Where writes of one turn are noted, so that the next turn waits until its view has them. */
export interface WriteLedger {
  note(receipt: WriteReceipt): void;
  /** A write to the management cluster whose outcome is not known: the host reads that object live before the next turn. */
  noteUnknown(object: Pick<WriteReceipt, 'kind' | 'namespace' | 'name'>): void;
}

/** Handed to every effect and to `persist`. */
export interface EffectContext {
  readonly key: Key;
  /** Aborted at the effect's deadline, on shutdown and when the Lease is lost. */
  readonly signal: AbortSignal;
  /** Monotonic time at which the turn began: requests of older turns go first. */
  readonly sinceMs: number;
  readonly nowMs: () => number;
  readonly ledger: WriteLedger;
  /** Told the stored text of a snapshot once the write that carried it has arrived. */
  readonly noteSnapshot?: (text: string) => void;
}

/** An effect's answer: the reply event's type and what is now known on top of the facts that it started from. */
export interface EffectReply<Facts, Reply extends string> {
  readonly type: Reply;
  readonly learned: Partial<Facts>;
}

/**
 * Carries out one request. Safe to repeat. It resolves with exactly one reply; an expected failure is thrown as
 * `EffectFailure` (src/host/effect-failure.ts) or as the client's ApiError and becomes EFFECT_FAILED.
 */
export type Effect<View, Facts, Reply extends string> = (
  view: View,
  facts: Facts,
  context: EffectContext,
) => Promise<EffectReply<Facts, Reply>>;

/** The persisted actor, under 1 KiB as JSON. */
export interface Envelope {
  readonly v: 1;
  readonly uid: string;
  /** When the state was entered, RFC 3339 seconds. */
  readonly since: string;
  readonly snapshot: { readonly value: unknown; readonly context: ActorContext };
  /** What the last turn failed with, where it did: for people and `explain`. Nothing is decided by it. */
  readonly failed?: RecordedFailure;
}

/** A failure as it is kept. */
export interface RecordedFailure {
  /** Effect that failed. */
  readonly request?: string;
  readonly kind: string;
  /** Cut where there is no room. */
  readonly message: string;
  /** `Secret default/c1-ca`. */
  readonly object?: string;
  readonly place?: string;
}

/** What a turn leaves behind for `persist`. */
export interface Outcome<State extends string, Facts> {
  readonly state: State;
  /** Every row that decided in this turn, in order, with the facts it saw: conditions are folded over all of them. */
  readonly trail: readonly { readonly row: string; readonly facts: Facts }[];
  readonly row: string;
  readonly facts: Facts;
  readonly context: ActorContext;
  /**
   * Whether the turn ends as an error, with backoff: an effect failed and the row that decided last has no requeue. Then
   * `status.observedGeneration` stays.
   */
  readonly failed: boolean;
  /** Envelope to store, or null when this object's snapshot must not be written (no owner, paused, deleting, ...). */
  readonly envelope: Envelope | null;
}

/** A controller: one machine, its eyes and its hands. */
export interface Controller<
  View,
  State extends string,
  Facts extends BaseFacts<Request>,
  Request extends string,
  Reply extends string,
> {
  readonly name: string;
  /** Kind of the object that has the actor, for logs and metrics: `KubeadmConfig`. */
  readonly kind: string;
  readonly group: string;
  /** The chart: it decides. */
  readonly chart: AnyStateMachine;
  /** The same chart as rows and states, for people. */
  readonly table: Table<State, Facts, Request, Reply>;
  /** The view from the caches, synchronous; null when the object is gone. Frozen: effects must not change it. */
  observe(key: Key): View | null;
  /** Identity of the object in a view: another uid is another life. */
  uid(view: View): string;
  /** Drops what is remembered of a key: a turn has found nothing there. What the turns before it left behind goes with it. */
  forget?(key: Key): void;
  /**
   * Total and pure. `context` is the actor's own memory: a wake-up is due when `context.wakeAtMs <= nowMs`. `causes` is why this
   * turn runs: everything since the last turn that succeeded, without our own guarded writes.
   */
  facts(view: View, nowMs: number, context: ActorContext, causes: readonly WakeCause[]): Facts;
  readonly effects: { readonly [R in Request]: Effect<View, Facts, Reply> };
  /** Deadline of one effect, milliseconds. */
  readonly effectTimeoutMs: number;
  /** True when nothing may be written about this object (no owner or Cluster, paused, deleting, failed, filtered out). */
  mayPersistSnapshot(view: View, facts: Facts): boolean;
  /** The stored envelope as text, from the view; null when there is none. */
  readEnvelope(view: View): string | null;
  /** Writes status (and snapshot) if they changed: at most one call per turn where possible. */
  persist(view: View, outcome: Outcome<State, Facts>, context: EffectContext): Promise<void>;
  /**
   * Whether what is woken for `cause` may cut an error backoff short. Causes are the wake reasons that the controller's own
   * wiring passes to `host.wake`; also those that arrive while the failing turn runs are asked about. `failure` is null after a bug.
   */
  endsBackoff(cause: WakeCause, failure: BaseFacts<Request>['failure']): boolean;
  /** Backoff after the n-th consecutive failure; null takes the default 5 ms * 2^n up to 1000 s. */
  backoffMs?(failure: BaseFacts<Request>['failure'], failures: number, random: Random): number | null;
}

/** Why a key is put into the queue. */
export type WakeCause =
  /** First list, relist or bookmark: nobody changed anything. */
  | { readonly kind: 'sync' }
  /**
   * The object itself changed. `before` is the version that the cache showed until then, empty for none: with it the event of our
   * own guarded write starts no turn.
   */
  | { readonly kind: 'self'; readonly resourceVersion: string; readonly before?: string }
  /** An object that this actor looks at changed; with both versions, the event of our own guarded write starts no turn. */
  | {
      readonly kind: 'object';
      readonly objectKind: string;
      readonly namespace: string;
      readonly name: string;
      readonly resourceVersion?: string;
      readonly before?: string;
      /** The actor cannot go on yet, as far as the change tells: those who can go first. */
      readonly priority?: 'low';
    }
  /** A wake-up came due, or the workload connection changed. */
  | { readonly kind: 'timer' }
  | { readonly kind: 'connection'; readonly cluster: string };

/** Whether the caches behind a controller show a write. Implemented by src/kube. */
export interface Freshness {
  /** True when the cache for this kind shows the receipt's version or later, another uid, or absence at a later list or bookmark. True for kinds without a cache. */
  shows(receipt: WriteReceipt): boolean;
  /** Reads live into the cache (the 404 counts): the new floor. */
  readLive(object: Pick<WriteReceipt, 'kind' | 'namespace' | 'name'>, signal: AbortSignal): Promise<void>;
  /** Calls `run` once, as soon as the cache shows the receipt; returns a cancel function. Without it the host looks now and then. */
  whenShown?(receipt: WriteReceipt, run: () => void): () => void;
}

/** What the host tells anybody who watches: inspector, metrics, events. Never contains secrets beyond what facts contain. */
export interface HostObserver {
  onTransition?(note: TransitionNote): void;
  onEffect?(note: EffectNote): void;
  onTurn?(note: TurnNote): void;
  onGone?(controller: string, key: Key, uid: string): void;
  /** A stored snapshot that was not used: told once per life of an object. */
  onDiscarded?(controller: string, key: Key, reason: string): void;
  /** A turn that threw what nobody expected: a bug of ours. The actor is where it was. */
  onBug?(controller: string, key: Key, error: unknown): void;
  /** A turn that waits until a cache shows our own write of this kind. */
  onStaleView?(controller: string, key: Key, kind: string): void;
  /** An effect or a status write that was told to stop because its time was up. */
  onTimeout?(controller: string, key: Key, what: string): void;
  /** A snapshot was written; its size as stored. */
  onSnapshot?(controller: string, key: Key, bytes: number): void;
}

export interface TransitionNote {
  readonly controller: string;
  readonly key: Key;
  readonly uid: string;
  readonly atMs: number;
  readonly event: string;
  readonly row: string;
  readonly from: string;
  readonly to: string;
  readonly request: string | null;
  readonly wakeAtMs: number | null;
  readonly facts: unknown;
}

export interface EffectNote {
  readonly controller: string;
  readonly key: Key;
  readonly request: string;
  readonly startedMs: number;
  readonly tookMs: number;
  readonly result: string;
  readonly failure: { readonly kind: string; readonly message: string } | null;
}

export interface TurnNote {
  readonly controller: string;
  readonly key: Key;
  readonly tookMs: number;
  readonly steps: number;
  readonly result: 'success' | 'error' | 'requeue_after';
}
