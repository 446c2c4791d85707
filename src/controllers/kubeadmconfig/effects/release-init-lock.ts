// Releases the init lock of an initialised cluster, whoever holds it.
//
// Many actors of a cluster see the same lock at the same moment: those of this process share one deletion.
import type { StoredConfigMap } from '../objects.js';
import { answer, type Answer, type Work } from './context.js';
import { deleteLock, readLockLive } from './init-lock.js';

/** LOCK_RELEASED once the lock that was seen is gone. */
export async function releaseInitLock(work: Work): Promise<Answer> {
  const { lock } = work.view;
  if (lock.kind !== 'free') await releaseLock(work, lock.configMap);
  return answer('LOCK_RELEASED', { lock: 'free' });
}

/** Deletes the lock that was seen; where it was changed meanwhile, as it is now. */
export async function releaseLock(work: Work, lock: StoredConfigMap): Promise<void> {
  const { releases } = work.memory;
  const id = lock.metadata.uid ?? '';
  const known = releases.get(id);
  if (known !== undefined) return known;
  const release = deleteNewest(work, lock).finally(() => releases.delete(id));
  releases.set(id, release);
  return release;
}

async function deleteNewest(work: Work, lock: StoredConfigMap): Promise<void> {
  if (await deleteLock(work, lock)) return;
  const newest = await readLockLive(work);
  if (newest !== null && newest.metadata.uid === lock.metadata.uid) await deleteLock(work, newest);
}
