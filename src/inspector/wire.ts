// What the server tells the page, as types that both use. Names in rows are short: five thousand rows are sent on connect.

import type { Explanation } from '../../machines/kit/explanation.js';

/** One actor in the list. */
export interface WireRow {
  /** Key: `<machine>/<uid>`. */
  readonly k: string;
  readonly m: string;
  readonly ns: string;
  readonly n: string;
  /** Cluster and role; empty where there is none. */
  readonly c: string;
  readonly r: string;
  readonly st: string;
  /** Since when it is in this state, in milliseconds since 1970, as all times here. */
  readonly since: number;
  readonly row: string;
  readonly ev: string;
  /** `Source->Target` of the last change of state; empty before the first. */
  readonly ed: string;
  /** The row that took it. */
  readonly er: string;
  /** When it is looked at again although nothing happens; null for never. */
  readonly wake: number | null;
  readonly err: string | null;
  /** What it waits for: `Cluster c1`; empty for nothing. */
  readonly w: string;
  /** True while an effect that it asked for is under way. */
  readonly busy: boolean;
  /** Number of transitions seen. */
  readonly tx: number;
}

/** The first event of a stream: `full`. More rows may follow as `delta`. */
export interface WireFull {
  readonly epoch: string;
  readonly now: number;
  readonly rows: readonly WireRow[];
}

/** What changed: `delta`. */
export interface WireDelta {
  readonly now: number;
  readonly up: readonly WireRow[];
  readonly rm: readonly string[];
}

/** Another object that an actor waits for. */
export interface WireWait {
  readonly kind: string;
  readonly name: string;
}

/** One transition of an actor, or several alike that changed nothing. */
export interface WireHistory {
  readonly seq: number;
  readonly atMs: number;
  /** When it happened last, and how often in a row. */
  readonly lastMs: number;
  readonly times: number;
  readonly event: string;
  readonly row: string;
  /** Empty for the first. */
  readonly from: string;
  readonly to: string;
  readonly request: string | null;
  readonly error: string | null;
  readonly waitsFor: WireWait | null;
}

/** What an actor's object says of itself: read from memory when somebody looks. */
export interface ObjectDetails {
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
    readonly lastTransitionTime: string;
  }[];
  /** Events that this operator recorded, newest first. */
  readonly events: readonly {
    readonly type: string;
    readonly reason: string;
    readonly message: string;
    readonly count: number;
    readonly atMs: number;
  }[];
  readonly plural: string;
}

/** One actor in full. */
export interface WireDetail {
  readonly key: string;
  readonly history: readonly WireHistory[];
  /** The answer of `explain`; null when its object is gone. */
  readonly why: Explanation | null;
  readonly details: ObjectDetails | null;
  /** How long others stayed in this state; null while too few left it. */
  readonly others: { readonly p50Ms: number; readonly p95Ms: number; readonly count: number } | null;
}

/** A stretch of time that an actor spent in one state, waiting for the same object. */
export interface WireSpan {
  readonly state: string;
  readonly fromMs: number;
  /** Null while it lasts. */
  readonly toMs: number | null;
  readonly row: string;
  /** It held the cluster's init lock. */
  readonly holdsLock: boolean;
  readonly waitsFor: WireWait | null;
  /** The lane of what it waits for; null when that has none. */
  readonly waitsForKey: string | null;
  /** That lane is of the same Machine: its KubeadmConfig waits for it, or the other way round. */
  readonly isOwn: boolean;
}

/** One actor's life. */
export interface WireLane {
  readonly key: string;
  readonly machine: string;
  readonly name: string;
  readonly role: string;
  readonly spans: readonly WireSpan[];
}

/** The actors of one cluster, side by side. */
export interface WireTimeline {
  readonly now: number;
  readonly lanes: readonly WireLane[];
}

/** An age as kubectl prints it: `42s`, `5m`, `3h`, `2d`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
