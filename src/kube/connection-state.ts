// The way to one workload cluster as an explicit state machine.
//
//   N1. At most one attempt at a time; whoever asks meanwhile waits for that one.
//   N2. An attempt is made only because somebody asked: at once, or at the end of the backoff. Who asked a minute ago and not
//       again does not wait any more: workload-connections.ts then forgets the failure.
//   N3. A changed kubeconfig ends a connection and a backoff at once; so does a 401, unless the connection is brand new.
//
// Pure: `step` says what follows, workload-connections.ts does it.

import { CONNECTION_BACKOFF_MAX_MS, CONNECTION_BACKOFF_MIN_MS } from '../limits.js';

/** Where a connection is. `failures` counts attempts in a row that came to nothing. */
export type ConnectionPhase =
  | { readonly kind: 'none'; readonly failures: number }
  | {
      readonly kind: 'connecting';
      readonly failures: number;
      /** The kubeconfig changed while we tried: try again with the new one, whatever comes of this. */
      readonly outdated: boolean;
      /** Read the kubeconfig live: the last one did not work. */
      readonly fresh: boolean;
    }
  | { readonly kind: 'connected'; readonly failures: number; readonly sinceMs: number }
  | {
      readonly kind: 'failed';
      readonly failures: number;
      readonly message: string;
      /** The kubeconfig could not be read: the cluster was not asked. */
      readonly isUnasked?: boolean;
      readonly sinceMs: number;
      readonly retryAtMs: number;
    };

/** What happened to a connection. Times are monotonic. */
export type ConnectionHappening =
  | { readonly kind: 'wanted' }
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly message: string; readonly isUnasked?: boolean }
  | { readonly kind: 'kubeconfig-changed' }
  | { readonly kind: 'unauthorized'; readonly message: string }
  | { readonly kind: 'idle' }
  | { readonly kind: 'retry-due' };

/** A connection that proves bad within this time was never a good one: it backs off. */
const NEW_MS = 10_000;

/** The phase at the start. */
export const unconnected: ConnectionPhase = Object.freeze({ kind: 'none', failures: 0 });

/** The next phase. `random` is in [0, 1). */
export function step(
  phase: ConnectionPhase,
  happening: ConnectionHappening,
  now: { readonly ms: number; readonly random: number },
): ConnectionPhase {
  switch (happening.kind) {
    case 'wanted':
      return afterWanted(phase, now.ms);
    case 'succeeded':
      if (phase.kind !== 'connecting') return phase;
      return phase.outdated ? attempt(0) : { kind: 'connected', failures: phase.failures, sinceMs: now.ms };
    case 'failed':
      if (phase.kind !== 'connecting') return phase;
      return phase.outdated ? attempt(0) : failed(phase.failures + 1, happening, now);
    case 'kubeconfig-changed':
      return afterChange(phase);
    case 'unauthorized':
      if (phase.kind !== 'connected') return phase;
      return now.ms - phase.sinceMs < NEW_MS
        ? failed(phase.failures + 1, happening, now)
        : { kind: 'none', failures: 1 };
    case 'idle':
      return phase.kind === 'connected' ? unconnected : phase;
    case 'retry-due':
      return phase.kind === 'failed' ? attempt(phase.failures) : phase;
  }
}

function afterWanted(phase: ConnectionPhase, nowMs: number): ConnectionPhase {
  if (phase.kind === 'none') return attempt(phase.failures);
  if (phase.kind !== 'failed') return phase;
  return nowMs >= phase.retryAtMs ? attempt(phase.failures) : phase;
}

function afterChange(phase: ConnectionPhase): ConnectionPhase {
  switch (phase.kind) {
    case 'none':
    case 'connected':
      return unconnected;
    case 'connecting':
      return { ...phase, outdated: true };
    case 'failed':
      return attempt(0);
  }
}

function attempt(failures: number): ConnectionPhase {
  return { kind: 'connecting', failures, outdated: false, fresh: failures > 0 };
}

function failed(
  failures: number,
  { message, isUnasked = false }: { readonly message: string; readonly isUnasked?: boolean },
  now: { readonly ms: number; readonly random: number },
): ConnectionPhase {
  const base = Math.min(CONNECTION_BACKOFF_MAX_MS, CONNECTION_BACKOFF_MIN_MS * 2 ** Math.min(failures - 1, 20));
  const jittered = base * (0.8 + 0.4 * now.random);
  const delayMs = Math.min(CONNECTION_BACKOFF_MAX_MS, Math.max(CONNECTION_BACKOFF_MIN_MS, jittered));
  const unasked = isUnasked ? { isUnasked } : {};
  return { kind: 'failed', failures, message, ...unasked, sinceMs: now.ms, retryAtMs: now.ms + delayMs };
}
