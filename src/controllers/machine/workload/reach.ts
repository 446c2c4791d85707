// Whether a workload cluster answers, judged by time alone.
//
//   R1. Any answer counts as heard: a list, a watch that was answered, an event, the answer to a call.
//   R2. A cluster is down when every attempt has failed for WORKLOAD_DOWN_AFTER_MS: how many attempts those were tells how often
//       this process tried, not how the cluster is.
//   R3. The Nodes have a reach of their own: they may stay unreadable while their server answers everything else.
//
// Pure; times are of the wall clock, as they are shown.

/** What is known. */
export interface Reach {
  /** When something was last heard; null for never. */
  readonly lastHeardMs: number | null;
  /** First failure since then; null while the cluster answers or was never tried. */
  readonly failingSinceMs: number | null;
  /** The failures have lasted long enough. */
  readonly isDown: boolean;
  /** Why the last attempt failed; empty for none. */
  readonly message: string;
  /** The last attempt failed before the cluster was asked: its kubeconfig could not be read. */
  readonly isUnasked: boolean;
}

/** Before anything was tried. */
export const untried: Reach = Object.freeze({
  lastHeardMs: null,
  failingSinceMs: null,
  isDown: false,
  message: '',
  isUnasked: false,
});

/** After an answer. */
export function heard(nowMs: number): Reach {
  return { ...untried, lastHeardMs: nowMs };
}

/** After an attempt without an answer. */
export function failed(
  reach: Reach,
  { message, isUnasked = false }: { readonly message: string; readonly isUnasked?: boolean },
  nowMs: number,
): Reach {
  return { ...reach, failingSinceMs: reach.failingSinceMs ?? nowMs, message, isUnasked };
}

/** After failures that have lasted for WORKLOAD_DOWN_AFTER_MS. */
export function down(reach: Reach): Reach {
  return { ...reach, isDown: true };
}

/** The one of several that tells how the cluster is: what cannot be reached before what fails, and the first of them. */
export function worstOf(reaches: readonly [Reach, ...Reach[]]): Reach {
  return reaches.find(isOut) ?? reaches.find(({ failingSinceMs }) => failingSinceMs !== null) ?? reaches[0];
}

/** Down, or never heard from and failing: there is nothing that could be shown instead. */
export function isOut({ isDown, failingSinceMs, lastHeardMs }: Reach): boolean {
  return isDown || (failingSinceMs !== null && lastHeardMs === null);
}
