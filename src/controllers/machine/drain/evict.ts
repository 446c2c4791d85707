// Evicting Pods, one by one, within a budget of time.
//
//   E1. A refusal is a result, never an error: the pass goes on, and the Pod is tried again with the next one.
//   E2. Budgets are never gone around, not even on a Node that does not answer.

import type { Eviction } from '../../../api/core.js';
import type { ApiClient, ApiFailure } from '../../../kube/contract.js';
import { isApiError, THROTTLED } from '../../../kube/failures.js';
import { objectPath } from '../../../kube/resource-paths.js';
import { keyOf, kinds, targetOf, type StoredPod } from '../objects.js';

/** Time for the evictions of one pass. */
export const EVICTION_BUDGET_MS = 10_000;

/** The limits of this process held an eviction back: the API server was not asked. */
const throttledText = 'eviction was throttled, eviction will be retried';

/** What became of the Pods that were to be evicted. */
export interface EvictionResult {
  readonly evicted: readonly StoredPod[];
  readonly failed: readonly { readonly pod: string; readonly message: string }[];
}

/** What evictions need. */
export interface EvictionOptions {
  readonly client: Pick<ApiClient, 'post'>;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
  /** Given to Pods of a Node that does not answer; null leaves Pods their own. */
  readonly gracePeriodSeconds: number | null;
}

/** Asks for the eviction of each Pod. Throws only when it is aborted. */
export async function evictPods(pods: readonly StoredPod[], options: EvictionOptions): Promise<EvictionResult> {
  const endMs = options.nowMs() + EVICTION_BUDGET_MS;
  const evicted: StoredPod[] = [];
  const failed: { pod: string; message: string }[] = [];
  for (const pod of pods) {
    const leftMs = endMs - options.nowMs();
    if (leftMs <= 0) {
      failed.push({
        pod: keyOf(pod),
        message: `eviction timeout of ${EVICTION_BUDGET_MS / 1000}s reached, eviction will be retried`,
      });
      continue;
    }
    try {
      await evict(pod, options, leftMs);
      evicted.push(pod);
    } catch (error) {
      if (!isApiError(error)) throw error;
      if (error.failure.kind === 'Aborted' && options.signal.aborted) throw error;
      const message = error.failure.reason === THROTTLED ? throttledText : refusalText(error.failure);
      if (error.failure.kind !== 'NotFound') failed.push({ pod: keyOf(pod), message });
    }
  }
  return { evicted, failed };
}

async function evict(
  pod: StoredPod,
  { client, signal, gracePeriodSeconds }: EvictionOptions,
  timeoutMs: number,
): Promise<void> {
  const { name, namespace = '' } = pod.metadata;
  const eviction: Eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name, namespace },
    ...(gracePeriodSeconds === null ? {} : { deleteOptions: { gracePeriodSeconds } }),
  };
  await client.post(objectPath(targetOf(kinds.pod, namespace, name), 'eviction'), eviction, { signal, timeoutMs });
}

/** Why a Pod was not evicted, in the server's words. */
export function refusalText({ kind, message, causes }: ApiFailure): string {
  if (kind === 'TooManyRequests') {
    // As upstream writes it: details without causes leave a space at the end.
    return causes === undefined ? message : `${message} ${causes.map((cause) => cause.message).join(',')}`;
  }
  if (kind === 'Forbidden' && causes?.some(({ reason }) => reason === 'NamespaceTerminating') === true) {
    return 'Cannot evict pod from terminating namespace: unable to create eviction (kube-controller-manager should set deletionTimestamp)';
  }
  return message;
}
