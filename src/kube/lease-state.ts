// Who holds a Lease, as an explicit state machine with client-go's rules.
//
//   E1. Others' clocks are not trusted: a Lease has run out when it has not changed for its duration on our monotonic clock.
//   E2. We lead from the moment at which our last successful write was begun, not from its answer.
//   E3. Not renewed for the renew deadline, or seen in another's hand: lost, for good.
//
// Pure: `step` says what we know, lease-elector.ts acts upon it.

import type { KubeObject } from './contract.js';

/** A Lease as the API has it. */
export interface Lease extends KubeObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    /** MicroTime. */
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
  };
}

/** A Lease and when it was first seen like that, on the monotonic clock. */
export interface Observed {
  readonly lease: Lease;
  readonly sinceMs: number;
}

/** What an elector knows. */
export type LeaseState =
  | { readonly kind: 'following'; readonly observed: Observed | null }
  | { readonly kind: 'leading'; readonly observed: Observed; readonly renewedAtMs: number }
  | { readonly kind: 'lost' }
  | { readonly kind: 'released' };

/** What happened. */
export type LeaseHappening =
  /** A read or a watch showed the Lease; null: there is none. */
  | { readonly kind: 'saw'; readonly lease: Lease | null; readonly atMs: number }
  /** A write of ours succeeded. */
  | { readonly kind: 'wrote'; readonly lease: Lease; readonly startedAtMs: number }
  | { readonly kind: 'time'; readonly atMs: number }
  | { readonly kind: 'released' };

/** Names and durations of an elector. */
export interface LeaseSettings {
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
}

/** The state at the start. */
export const unobserved: LeaseState = Object.freeze({ kind: 'following', observed: null });

/** The next state. */
export function step(state: LeaseState, happening: LeaseHappening, settings: LeaseSettings): LeaseState {
  if (state.kind === 'lost' || state.kind === 'released') return state;
  switch (happening.kind) {
    case 'saw':
      return afterSeen(state, happening.lease, happening.atMs, settings);
    case 'wrote': {
      const observed = { lease: happening.lease, sinceMs: happening.startedAtMs };
      return { kind: 'leading', observed, renewedAtMs: happening.startedAtMs };
    }
    case 'time':
      return state.kind === 'leading' && happening.atMs >= state.renewedAtMs + settings.renewDeadlineMs
        ? { kind: 'lost' }
        : state;
    case 'released':
      return { kind: 'released' };
  }
}

function afterSeen(
  state: Extract<LeaseState, { kind: 'following' | 'leading' }>,
  lease: Lease | null,
  atMs: number,
  { identity }: LeaseSettings,
): LeaseState {
  const holder = lease?.spec?.holderIdentity ?? '';
  if (state.kind === 'leading') {
    if (lease === null) return state;
    return holder !== '' && holder !== identity ? { kind: 'lost' } : { ...state, observed: { lease, sinceMs: atMs } };
  }
  if (lease === null) return { kind: 'following', observed: null };
  const isSame = state.observed !== null && recordOf(state.observed.lease) === recordOf(lease);
  return { kind: 'following', observed: { lease, sinceMs: isSame ? (state.observed?.sinceMs ?? atMs) : atMs } };
}

function recordOf({ spec }: Lease): string {
  return JSON.stringify([
    spec?.holderIdentity,
    spec?.leaseDurationSeconds,
    spec?.acquireTime,
    spec?.renewTime,
    spec?.leaseTransitions,
  ]);
}

/** True when nobody else holds what we see. */
export function isTakeable({ lease, sinceMs }: Observed, identity: string, atMs: number): boolean {
  const { holderIdentity = '', leaseDurationSeconds = 0 } = lease.spec ?? {};
  return holderIdentity === '' || holderIdentity === identity || atMs >= sinceMs + leaseDurationSeconds * 1000;
}

/** For how long from now a write of ours may be under way: nothing once the renew deadline has passed. */
export function remainingMs(state: LeaseState, atMs: number, settings: LeaseSettings): number {
  if (state.kind !== 'leading' || atMs >= state.renewedAtMs + settings.renewDeadlineMs) return 0;
  return state.renewedAtMs + settings.leaseDurationMs - atMs;
}

/** The Lease in our hand, made from what is there. */
export function heldLease(
  before: Lease | null,
  settings: LeaseSettings,
  target: { readonly namespace: string; readonly name: string; readonly nowMs: number },
): Lease {
  const { identity, leaseDurationMs } = settings;
  const now = microTime(target.nowMs);
  const isOurs = before?.spec?.holderIdentity === identity;
  const transitions = before?.spec?.leaseTransitions ?? 0;
  return {
    ...(before ?? emptyLease(target)),
    spec: {
      ...before?.spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.max(1, Math.round(leaseDurationMs / 1000)),
      acquireTime: isOurs ? (before.spec?.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: before === null ? 0 : isOurs ? transitions : transitions + 1,
    },
  };
}

/** The Lease in nobody's hand. */
export function freedLease(before: Lease, nowMs: number): Lease {
  const now = microTime(nowMs);
  return {
    ...before,
    spec: { ...before.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now },
  };
}

function emptyLease({ namespace, name }: { readonly namespace: string; readonly name: string }): Lease {
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace } };
}

/** RFC 3339 with microseconds, as the API wants it. */
export function microTime(atMs: number): string {
  return new Date(atMs).toISOString().replace(/(\.\d{3})Z$/, '$1000Z');
}
