// Whether a workload cluster answers, judged by time alone.
//
//   R1. Any answer counts as heard: a list, a watch that was answered, an event, the answer to a call.
//   R2. A cluster is down when every attempt has failed for WORKLOAD_DOWN_AFTER_MS: how many attempts those were tells how often
//       this process tried, not how the cluster is.
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
}

/** Before anything was tried. */
export const untried: Reach = Object.freeze({ lastHeardMs: null, failingSinceMs: null, isDown: false, message: '' });

/** After an answer. */
export function heard(nowMs: number): Reach {
  return { lastHeardMs: nowMs, failingSinceMs: null, isDown: false, message: '' };
}

/** After an attempt without an answer. */
export function failed(reach: Reach, message: string, nowMs: number): Reach {
  return { ...reach, failingSinceMs: reach.failingSinceMs ?? nowMs, message };
}

/** After failures that have lasted for WORKLOAD_DOWN_AFTER_MS. */
export function down(reach: Reach): Reach {
  return { ...reach, isDown: true };
}
