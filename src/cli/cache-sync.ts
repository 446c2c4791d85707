// Ends a start whose caches do not fill: somebody sees a process that ends with a reason, and nobody one that does nothing.

import type { Clock } from '../host/contract.js';
import type { Informers } from '../kube/informers.js';
import { resourceName } from '../kube/resource-paths.js';
import { CACHE_SYNC_TIME_MAX_MS } from '../limits.js';

/** Calls `onOverdue` once when a declared cache has no first list in time; the signal ends the wait. */
export function watchCacheSync(
  informers: Pick<Informers, 'running' | 'problems' | 'whenSynced'>,
  {
    clock,
    signal,
    onOverdue,
  }: {
    readonly clock: Pick<Clock, 'schedule'>;
    readonly signal: AbortSignal;
    readonly onOverdue: (error: Error) => void;
  },
): void {
  const cancel = clock.schedule(CACHE_SYNC_TIME_MAX_MS, () => {
    if (!signal.aborted) onOverdue(new Error(overdueText(informers)));
  });
  signal.addEventListener('abort', cancel, { once: true });
  void informers.whenSynced(signal).then(cancel);
}

function overdueText(informers: Pick<Informers, 'running' | 'problems'>): string {
  const problems = informers.problems();
  const missing = informers
    .running()
    .filter(({ synced }) => !synced)
    .map(({ resource }) => {
      const problem = problems.find((each) => resourceName(each.resource) === resourceName(resource));
      return `${resourceName(resource)} (${problem?.failure.message ?? 'no answer yet'})`;
    });
  return `caches have no first list after ${CACHE_SYNC_TIME_MAX_MS / 60_000} minutes: ${missing.join('; ')}`;
}
