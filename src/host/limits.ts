// The host's bounds, each with its reason. The host knows nothing of the program around it, so they are its own.

/** Effects of one turn: init with a lock, data and a release needs four; more is a loop. */
export const TURN_STEPS_MAX = 8;
/** Keys in one queue: ten times the largest fleet in sight. */
export const QUEUE_KEYS_MAX = 100_000;
/** Envelope as JSON: a condition's message must stay readable. */
export const SNAPSHOT_BYTES_MAX = 1024;
/** First retry of a failed turn; doubles with each failure (upstream's limiter). */
export const BACKOFF_FIRST_MS = 5;
/** Longest retry of a failed turn (upstream's limiter). */
export const BACKOFF_MAX_MS = 1_000_000;
/** A view that does not show our own write for so long is read live. */
export const STALE_VIEW_MAX_MS = 60_000;
/** Running effects may finish for so long after SIGTERM. */
export const STOP_GRACE_MS = 5_000;
