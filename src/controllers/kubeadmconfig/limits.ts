// The bounds of this controller, each with its reason.

/** A write whose answer was lost may still be carried out by the API server within this time, its own request timeout. */
export const STORE_MAY_ARRIVE_MS = 60_000;

/** Rounds of taking the lock in one turn: create, remove a stale one, create again; more is a race that others win. */
export const LOCK_ROUNDS_MAX = 3;

/**
 * A KubeadmConfig that is older than a lock by this much, as their creation times say, was there before it: the times are whole
 * seconds of the clocks of several API servers. One that is younger than that claims the lock, which is never wrong.
 */
export const LOCK_AGE_MARGIN_MS = 60_000;

/** Tokens made in one turn: an id that is taken is one in two thousand million, twice in a row is a bug. */
export const TOKEN_ROUNDS_MAX = 3;

/** Tries of one status patch: somebody else may write between our read and our write. */
export const STATUS_TRIES_MAX = 3;

/** First and longest wait after a failed workload connection. */
export const CONNECTION_BACKOFF_MS = { first: 1_000, max: 30_000 } as const;

/**
 * A token of which nothing is known is looked at within this part of its TTL after the start. The Go provider leaves a token half
 * of its TTL at least: what remains is what a downtime may last.
 */
export const FIRST_LOOK_PART_OF_TTL = 30;
