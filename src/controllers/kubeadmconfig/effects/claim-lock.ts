// A lock that an earlier life of this KubeadmConfig made for the same Machine is taken over by a write to it.
//
// While there was no KubeadmConfig, live reads may have shown somebody that the holder is gone: a deletion of the lock may be
// under way, guarded by the version that was read before. A write since this life began changes that version, so that either the
// deletion or the write fails. The one whose deletion fails looks again, and finds that the holder lives.
import { annotation } from '../../../api/names.js';
import { isApiError } from '../../../kube/failures.js';
import { LOCK_AGE_MARGIN_MS } from '../limits.js';
import { parseLock } from '../lock-view.js';
import { kinds, targetOf, type StoredConfigMap } from '../objects.js';
import type { Work } from './context.js';

/**
 * Whether somebody may have seen this version of the lock and no KubeadmConfig after it: neither was the lock made for this life,
 * nor has this life claimed it, nor is the lock younger. True where that is not sure: a needless claim does no harm.
 */
export function needsClaim({ turn, memory, view, ports }: Work, lock: StoredConfigMap): boolean {
  // A shadow deletes nobody's lock and writes to none: no later read would show its claim.
  if (ports.settings.shadow) return false;
  const { uid = '', creationTimestamp = '' } = turn.config.metadata;
  if (memory.hasCreatedFor(lock.metadata.uid ?? '', uid)) return false;
  if (lock.metadata.annotations?.[annotation.claimedBy] === uid) return false;
  // Without a uid it may be the lock of an earlier life of the Machine, too.
  const information = parseLock(lock);
  if ('problem' in information || information.machineUid !== view.owner.uid) return true;
  const youngerMs = Date.parse(lock.metadata.creationTimestamp ?? '') - Date.parse(creationTimestamp);
  return !(youngerMs >= LOCK_AGE_MARGIN_MS);
}

/** The lock as this life's own, written to where that is needed; null when it was changed or deleted meanwhile. */
export async function claimLock(work: Work, lock: StoredConfigMap): Promise<StoredConfigMap | null> {
  if (!needsClaim(work, lock)) return lock;
  const { namespace = '', name, uid, resourceVersion } = lock.metadata;
  const annotations = { [annotation.claimedBy]: work.turn.config.metadata.uid ?? '' };
  const body = { metadata: { uid, resourceVersion, annotations } };
  try {
    return await work.client.mergePatch<StoredConfigMap>(targetOf(kinds.configMap, namespace, name), body, work.call);
  } catch (error) {
    if (isApiError(error, 'NotFound', 'Conflict')) return null;
    throw error;
  }
}
