// Listing and watching one resource as an explicit state machine, with client-go's semantics.
//
//   R1. A watch that ends politely, or breaks after it has worked, is followed by another from the last version at once: no
//       list, no delay, nothing lost.
//   R2. 410, and errors inside the stream that say nothing of the version, lead to a full list.
//   R3. What fails again and again waits 0.8 s doubling to 30 s, with jitter, or as long as the server asked.
//   R4. Only a watch that showed something, or lived for a while, counts as a recovery.
//   R7. A list that is too large is read again at once in pages of half the length, from the current version.
//
// Pure: what to do next follows from the state alone (reflector.ts does it).

import type { ApiFailure } from './contract.js';
import { TOO_LARGE } from './kept-bytes.js';
import { LIST_PAGE_MAX, WATCH_BACKOFF_MAX_MS, WATCH_BACKOFF_MIN_MS, WATCH_SHORT_CLOSES_MAX } from '../limits.js';

/** From where to list: any version that the server has at hand, or the current one. */
export type ListFrom = 'any' | 'current';

/** Reading the next page. */
export interface Listing {
  readonly kind: 'listing';
  readonly from: ListFrom;
  readonly paged: boolean;
  /** Objects of a page. */
  readonly pageMax: number;
  readonly continueToken: string | null;
  readonly cause: 'first' | 'expired' | 'error';
  readonly failures: number;
}

/** Reading events. */
export interface Watching {
  readonly kind: 'watching';
  readonly resourceVersion: string;
  readonly failures: number;
  /** Watches in a row that ended at once without showing anything. */
  readonly shortCloses: number;
}

/** Doing nothing for a while. */
export interface Waiting {
  readonly kind: 'waiting';
  readonly delayMs: number;
  readonly next: Listing | Watching;
}

/** Where a reflector is. */
export type ReflectorState = Listing | Watching | Waiting;

/** How a watch ended. */
export type WatchEnd =
  | { readonly kind: 'closed' }
  /** No byte for too long: the connection is dead. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'failed'; readonly failure: Pick<ApiFailure, 'kind' | 'retryAfterMs'> }
  /** An ERROR event in the stream, as the failure that it stands for. */
  | { readonly kind: 'error'; readonly failure: Pick<ApiFailure, 'kind' | 'retryAfterMs'> };

/** What happened to a reflector. */
export type ReflectorHappening =
  | { readonly kind: 'page'; readonly resourceVersion: string; readonly continueToken: string | null }
  | { readonly kind: 'list-failed'; readonly failure: Pick<ApiFailure, 'kind' | 'retryAfterMs' | 'reason'> }
  | {
      readonly kind: 'watch-ended';
      readonly end: WatchEnd;
      readonly resourceVersion: string;
      /** Events and bookmarks that it showed. */
      readonly events: number;
      /** Since the server has answered that it watches. */
      readonly livedMs: number;
    }
  | { readonly kind: 'waited' };

/** The state at the start. */
export function born(from: ListFrom): Listing {
  return {
    kind: 'listing',
    from,
    paged: true,
    pageMax: LIST_PAGE_MAX,
    continueToken: null,
    cause: 'first',
    failures: 0,
  };
}

/** The next state. `random` is in [0, 1). */
export function step(state: ReflectorState, happening: ReflectorHappening, random: number): ReflectorState {
  switch (happening.kind) {
    case 'waited':
      return state.kind === 'waiting' ? state.next : misfit(state, happening);
    case 'page':
      return state.kind === 'listing' ? afterPage(state, happening) : misfit(state, happening);
    case 'list-failed':
      return state.kind === 'listing' ? afterListFailure(state, happening.failure, random) : misfit(state, happening);
    case 'watch-ended':
      return state.kind === 'watching' ? afterWatch(state, happening, random) : misfit(state, happening);
  }
}

function afterPage(state: Listing, page: { resourceVersion: string; continueToken: string | null }): ReflectorState {
  if (page.continueToken !== null) return { ...state, continueToken: page.continueToken };
  return { kind: 'watching', resourceVersion: page.resourceVersion, failures: state.failures, shortCloses: 0 };
}

function afterListFailure(
  state: Listing,
  failure: Pick<ApiFailure, 'kind' | 'retryAfterMs' | 'reason'>,
  random: number,
): ReflectorState {
  const again: Listing = { ...state, from: 'current', continueToken: null, failures: state.failures + 1 };
  // The pages' version was forgotten while we read: once more from the start, and in one piece if that happens again.
  if (failure.kind === 'Gone' && state.continueToken !== null) return { ...again, paged: state.failures === 0 };
  // From any version a server ignores the length of pages.
  if (failure.reason === TOO_LARGE && state.pageMax > 1)
    return { ...again, paged: true, pageMax: Math.ceil(state.pageMax / 2), failures: state.failures };
  return wait({ ...again, from: failure.kind === 'Gone' ? 'current' : state.from }, failure.retryAfterMs, random);
}

/** A watch that lived this long after its answer has worked, even if nothing happened: load balancers cut what is idle for 35 s. */
const WORKING_AFTER_MS = 10_000;
/** A watch that ends within this time without an event is one that was closed at once. */
const SHORT_MS = 1_000;

function afterWatch(
  state: Watching,
  happening: { end: WatchEnd; resourceVersion: string; events: number; livedMs: number },
  random: number,
): ReflectorState {
  const { end, resourceVersion, events, livedMs } = happening;
  const worked = events > 0 || livedMs >= (end.kind === 'closed' ? SHORT_MS : WORKING_AFTER_MS);
  const failures = worked ? 0 : state.failures;
  const again: Watching = { kind: 'watching', resourceVersion, failures, shortCloses: 0 };
  switch (end.kind) {
    case 'closed':
      return afterClose({ ...again, shortCloses: worked ? 0 : state.shortCloses + 1 }, random);
    case 'idle':
      return again;
    case 'error':
      return afterError(again, end.failure, random);
    case 'failed':
      if (end.failure.kind === 'Gone') return relist('expired', failures, random);
      if (end.failure.kind === 'BadRequest' || end.failure.kind === 'Invalid')
        return wait(listing('error', failures + 1), null, random);
      // What had worked until it broke is tried again at once; only then does it count as a failure.
      return worked ? again : wait({ ...again, failures: failures + 1 }, end.failure.retryAfterMs, random);
  }
}

function afterClose(again: Watching, random: number): ReflectorState {
  return again.shortCloses <= WATCH_SHORT_CLOSES_MAX
    ? again
    : wait({ ...again, failures: again.failures + 1 }, null, random);
}

/** Overload says nothing about the version; any other error may mean that the server cannot go on from it. */
function afterError(
  again: Watching,
  failure: Pick<ApiFailure, 'kind' | 'retryAfterMs'>,
  random: number,
): ReflectorState {
  const failures = again.failures + 1;
  if (failure.kind === 'Gone') return relist('expired', again.failures, random);
  if (failure.kind === 'TooManyRequests' || failure.kind === 'Unavailable')
    return wait({ ...again, failures }, failure.retryAfterMs, random);
  return wait(listing('error', failures), failure.retryAfterMs, random);
}

/** A list right away, unless the last watch after a list had expired at once too. */
function relist(cause: 'expired', failures: number, random: number): ReflectorState {
  const next = listing(cause, failures + 1);
  return failures === 0 ? next : wait(next, null, random);
}

function listing(cause: Listing['cause'], failures: number): Listing {
  return {
    kind: 'listing',
    from: 'current',
    paged: true,
    pageMax: LIST_PAGE_MAX,
    continueToken: null,
    cause,
    failures,
  };
}

function wait(next: Listing | Watching, retryAfterMs: number | null, random: number): Waiting {
  const base = Math.min(WATCH_BACKOFF_MAX_MS, WATCH_BACKOFF_MIN_MS * 2 ** Math.min(next.failures - 1, 20));
  const delayMs = Math.min(WATCH_BACKOFF_MAX_MS, base * (1 + random));
  return { kind: 'waiting', delayMs: Math.max(delayMs, retryAfterMs ?? 0), next };
}

function misfit(state: ReflectorState, happening: ReflectorHappening): never {
  throw new Error(`a reflector that is ${state.kind} cannot have ${happening.kind}: a bug`);
}
