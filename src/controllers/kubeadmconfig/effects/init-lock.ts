// The init lock: one control plane Machine of a cluster at a time makes init data.
//
//   L1. Before the control plane is initialised the lock is deleted by its holder, or once live reads show its holder gone.
//   L2. Every deletion names uid and version: a lock that somebody took meanwhile is never deleted.
//   L3. A lock that cannot be read is never deleted before initialisation.
//   L4. A lock names the Machine that lives: where the KubeadmConfig names another uid than the cache shows, it is read live.
//   L5. A lock of this Machine that may be older than this life of the KubeadmConfig is written to before anything is done under
//       it: whoever saw the holder gone deletes the version before that, and fails (claim-lock.ts).
import { label, resources } from '../../../api/names.js';
import { isApiError } from '../../../kube/failures.js';
import { LOCK_ROUNDS_MAX } from '../limits.js';
import { failure } from '../failures.js';
import {
  isConfigLost,
  isHeldBy,
  LOCK_KEY,
  lockName,
  lockText,
  parseLock,
  type LockInformation,
  type LockingMachine,
} from '../lock-view.js';
import {
  clusterReference,
  kinds,
  objectName,
  targetOf,
  type StoredConfig,
  type StoredConfigMap,
  type StoredMachine,
  type StoredSecret,
} from '../objects.js';
import { dataSecretNameOf } from '../owner.js';
import { claimLock } from './claim-lock.js';
import { orNull, type Work } from './context.js';

/** What taking the lock gave. */
export type TakeResult =
  | { readonly kind: 'taken' }
  | { readonly kind: 'held'; readonly holder: string }
  | { readonly kind: 'unreadable'; readonly problem: string };

/** Takes the lock for the Machine of this turn. Safe to repeat: the holder gets it again. */
export async function takeLock(work: Work): Promise<TakeResult> {
  const { view } = work;
  const machine = await ownMachine(work);
  let isKnown = view.lock.kind !== 'free';
  let holder = view.lock.kind === 'held' ? view.lock.information.machineName : '';
  for (let round = 0; round < LOCK_ROUNDS_MAX; round += 1) {
    if (!isKnown && (await createLock(work, machine))) return { kind: 'taken' };
    isKnown = false;
    const lock = await readLockLive(work);
    if (lock === null) continue;
    const information = parseLock(lock);
    if ('problem' in information) return { kind: 'unreadable', problem: information.problem };
    holder = information.machineName;
    if (isHeldBy(information, machine)) {
      const own = await claimLock(work, lock);
      if (own === null) continue;
      work.turn.lock = own;
      return { kind: 'taken' };
    }
    if (!(await isHolderGoneLive(work, information))) return { kind: 'held', holder };
    await deleteLock(work, lock);
  }
  return { kind: 'held', holder };
}

/** The lock as the API server has it now. */
export function readLockLive(work: Work): Promise<StoredConfigMap | null> {
  return orNull(work.client.get<StoredConfigMap>(lockTarget(work), work.call));
}

/** Whether the lock that is there now is the one of this Machine. */
export async function isOwnLock(work: Work, lock: StoredConfigMap | null): Promise<boolean> {
  if (lock === null) return false;
  const information = parseLock(lock);
  return !('problem' in information) && isHeldBy(information, await ownMachine(work));
}

/**
 * The Machine of this turn as a lock names it. A cache may show an earlier life of it, whose lock others would take for that of
 * a Machine that is gone, data or not: the KubeadmConfig names the uid of the life that it belongs to.
 */
async function ownMachine({ view, turn, client, call }: Work): Promise<LockingMachine> {
  const { owner } = view;
  const { namespace = '', ownerReferences = [] } = turn.config.metadata;
  const named = ownerReferences.find(({ kind, name }) => kind === owner.kind && name === owner.name)?.uid ?? '';
  if (named === '' || named === owner.uid) return owner;
  const machine = await orNull(client.get<StoredMachine>(targetOf(kinds.machine, namespace, owner.name), call));
  if (machine === null) {
    const object = objectName('machine', namespace, owner.name);
    throw failure('LockFailed', `Machine ${namespace}/${owner.name} was deleted`, object);
  }
  return { name: owner.name, uid: machine.metadata.uid ?? '', dataSecretName: dataSecretNameOf(machine) };
}

/** Deletes exactly this lock. False when another one is there. */
export async function deleteLock(work: Work, lock: StoredConfigMap): Promise<boolean> {
  const { uid = '', resourceVersion = '' } = lock.metadata;
  try {
    await work.client.delete(lockTarget(work), { ...work.call, preconditions: { uid, resourceVersion } });
  } catch (error) {
    if (isApiError(error, 'NotFound')) return true;
    if (isApiError(error, 'Conflict')) return false;
    throw error;
  }
  return true;
}

/** Creates the lock; false when there is one. */
async function createLock(work: Work, machine: LockingMachine): Promise<boolean> {
  const { turn, memory } = work;
  const { namespace = '', name } = turn.cluster.metadata;
  const lock = {
    apiVersion: resources.ConfigMap.apiVersion,
    kind: 'ConfigMap',
    metadata: {
      name: lockName(name),
      namespace,
      labels: { [label.clusterName]: name },
      ownerReferences: [clusterReference(turn.cluster)],
    },
    data: { [LOCK_KEY]: lockText(machine) },
  };
  try {
    turn.lock = await work.client.create<StoredConfigMap>(kinds.configMap, lock, work.call);
  } catch (error) {
    if (isApiError(error, 'AlreadyExists')) return false;
    throw error;
  }
  turn.hasCreatedLock = true;
  memory.created(turn.lock.metadata.uid ?? '', turn.config.metadata.uid ?? '');
  return true;
}

/** Whether live reads show that the holder will never finish. Any doubt means that it lives. */
async function isHolderGoneLive(work: Work, information: LockInformation): Promise<boolean> {
  const { client, call, turn } = work;
  const { namespace = '' } = turn.cluster.metadata;
  try {
    const machine = await orNull(
      client.get<StoredMachine>(targetOf(kinds.machine, namespace, information.machineName), call),
    );
    if (machine === null) return true;
    if (dataSecretNameOf(machine) !== '') return false;
    if (information.machineUid !== null && machine.metadata.uid !== information.machineUid) return true;
    const configName = machine.spec?.bootstrap?.configRef?.name ?? '';
    if (configName === '') return false;
    const config = await orNull(client.get<StoredConfig>(targetOf(kinds.kubeadmConfig, namespace, configName), call));
    if (!isConfigLost(config)) return false;
    return (await orNull(client.get<StoredSecret>(targetOf(kinds.secret, namespace, configName), call))) === null;
  } catch (error) {
    if (isApiError(error) && error.failure.kind !== 'Aborted') return false;
    throw error;
  }
}

function lockTarget({ turn }: Work) {
  const { namespace = '', name } = turn.cluster.metadata;
  return targetOf(kinds.configMap, namespace, lockName(name));
}
