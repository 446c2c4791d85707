// The bounds of key generation, each with its reason.

/** Keys being made at a time: half of libuv's four threads, so that DNS look-ups and file reads never wait for keys. */
export const KEYS_RUNNING_MAX = 2;

/** Sets made ahead of need: enough for a wave of new clusters, and never more than a few hundred kilobytes of secrets. */
export const PREPARED_SETS_MAX = 8;

/** Keys of one set: cluster CA, service account, front proxy CA, etcd CA. */
export const DEFAULT_KEYS_PER_SET = 4;
