// Gives the init lock up after a failure, so that another control plane Machine may try. The turn stays a failed one.
//
// Kept: when a live read shows data of this KubeadmConfig, when that read fails, or while a write of data may still arrive.
import type { Facts } from '../../../../machines/kubeadmconfig/facts.js';
import { isApiError } from '../../../kube/failures.js';
import { kinds, targetOf, type StoredConfigMap, type StoredSecret } from '../objects.js';
import { controllerOf } from '../view.js';
import { answer, orNull, type Answer, type Work } from './context.js';
import { deleteLock } from './init-lock.js';

/** LOCK_GIVEN_UP, or LOCK_KEPT. Never fails for an API error: the failure that led here is the one to show. */
export async function giveUpInitLock(work: Work): Promise<Answer> {
  const { lock } = work.turn;
  const { failure } = work.facts;
  if (lock === null) return answer('LOCK_GIVEN_UP', { lock: 'free', failure });
  try {
    if (await mayHaveData(work, lock)) return answer('LOCK_KEPT', { lock: 'mine', failure });
    if (!(await deleteLock(work, lock))) return answer('LOCK_KEPT', { lock: 'mine', failure });
  } catch (error) {
    if (!isApiError(error)) throw error;
    work.ports.log.error('Error deleting the config map underlying the control plane init lock', {
      ConfigMap: { namespace: lock.metadata.namespace ?? '', name: lock.metadata.name },
      err: error.failure.message,
    });
    return answer('LOCK_KEPT', { lock: 'mine', ...withUnlockFailure(work.facts) });
  }
  return answer('LOCK_GIVEN_UP', { lock: 'free', failure });
}

async function mayHaveData(work: Work, lock: StoredConfigMap): Promise<boolean> {
  const { view, memory, client, call, turn } = work;
  const isOwnLock = memory.hasCreated(lock.metadata.uid ?? '');
  if (memory.mayDataArrive(work.key, { nowMs: work.nowMs(), isOwnLock })) return true;
  const { namespace = '', name, uid } = turn.config.metadata;
  const secret = await orNull(client.get<StoredSecret>(targetOf(kinds.secret, namespace, name), call));
  return secret !== null && controllerOf(secret)?.uid === uid && view.config.metadata.uid === uid;
}

/** Upstream's aggregate of the error and the failed release. */
function withUnlockFailure({ failure }: Facts): Partial<Facts> {
  if (failure === null) return {};
  return { failure: { ...failure, message: `[${failure.message}, failed to unlock the kubeadm init lock]` } };
}
