// Makes the init data of the first control plane and stores it, under the lock.
//
//   I1. Nothing is rendered or stored before one live read of the Cluster has succeeded after this process first saw itself as
//       the lock's holder: a cached Cluster may not know yet that it is initialised.
//   I2. A KubeadmConfig that has failed for good or is going, as the caches show by then, gets no data: others may have the lock.
//   I3. In a turn that did not create the lock, the lock is read live before data is stored. A lock of an earlier life of the
//       KubeadmConfig is made its own before that, and before data is adopted.
import { clusterFacts, isControlPlaneInitialized, prepareInit } from '../../../bootstrap/bootstrap-data.js';
import { isApiError } from '../../../kube/failures.js';
import { failure, failureOfRefusal } from '../failures.js';
import { isConfigLost, lockName } from '../lock-view.js';
import { kinds, objectName, targetOf, type StoredCluster } from '../objects.js';
import { specOf } from '../turn.js';
import { certificatesFor } from './certificate-secrets.js';
import { needsClaim } from './claim-lock.js';
import { patchSpec } from './config-patch.js';
import { answer, type Answer, type Work } from './context.js';
import { existingData, learnedData, storeData, type ExistingData } from './data-secret.js';
import { deleteLock, isOwnLock, readLockLive, takeLock } from './init-lock.js';
import { renderData } from './render-data.js';

/** DATA_STORED, DATA_ADOPTED, or CONTROL_PLANE_INITIALIZED after the lock was released; LOCK_HELD when it was lost. */
export async function storeInitData(work: Work): Promise<Answer> {
  const { view, turn, ports } = work;
  await makeLockOwn(work);
  if (!(await isStillToInitialize(work))) {
    if (turn.lock !== null) await deleteLock(work, turn.lock);
    return answer('CONTROL_PLANE_INITIALIZED', { controlPlaneInitialized: true, lock: 'free' });
  }
  const isSecretSeen = view.dataSecret !== null;
  const existing: ExistingData = isSecretSeen ? await existingData(work, { mode: 'init' }) : { kind: 'none' };
  if (existing.kind === 'adopt') return answer('DATA_ADOPTED', learnedData(work));

  const { namespace = '', name } = turn.config.metadata;
  ports.log.info('Creating BootstrapData for the first control plane', { KubeadmConfig: { namespace, name } });
  await prepare(work);
  const certificates = await certificatesFor(work, 'init');
  const sizeLimitBytes = ports.settings.bootstrapDataSizeLimitBytes;
  const rendered = await renderData(work, 'init', { certificates, sizeLimitBytes });
  if (rendered.kind === 'refused') throw failureOfRefusal(rendered, { view, mode: 'init', phase: 'render' });
  refuseIfLost(work);
  if (!turn.hasCreatedLock) {
    const lock = await readLockLive(work);
    if (!(await isOwnLock(work, lock))) throw lockLost(work);
    turn.lock = lock;
  }
  return storeData(work, { ...rendered, token: '' }, existing);
}

/** A lock that the cache shows as this Machine's may be that of an earlier life, and about to be deleted. */
async function makeLockOwn(work: Work): Promise<void> {
  const { turn } = work;
  if (turn.lock !== null && !needsClaim(work, turn.lock)) return;
  if ((await takeLock(work)).kind !== 'taken') throw lockLost(work);
}

/** The lock is not this Machine's any more: there is none to give up. */
function lockLost({ turn }: Work): Error {
  const { namespace = '', name } = turn.cluster.metadata;
  turn.lock = null;
  const message = `the init lock ${namespace}/${lockName(name)} was taken away`;
  return failure('LockFailed', message, objectName('configMap', namespace, lockName(name)));
}

/** While certificates were made somebody may have given this KubeadmConfig up, and another may have taken its lock. */
function refuseIfLost({ turn, ports }: Work): void {
  const { namespace = '', name, uid } = turn.config.metadata;
  const seen = ports.caches.configs.get(namespace, name);
  if (seen === undefined || seen.metadata.uid !== uid || !isConfigLost(seen)) return;
  const object = objectName('kubeadmConfig', namespace, name);
  throw failure('LockFailed', `KubeadmConfig ${namespace}/${name} failed or is being deleted`, object);
}

/** One live read of the Cluster, the first time that this process holds this lock. */
async function isStillToInitialize(work: Work): Promise<boolean> {
  const { turn, memory, client, call } = work;
  const lockUid = turn.lock?.metadata.uid ?? '';
  if (memory.isConfirmed(lockUid)) return true;
  const { namespace = '', name, uid } = turn.cluster.metadata;
  try {
    turn.cluster = await client.get<StoredCluster>(targetOf(kinds.cluster, namespace, name), call);
  } catch (error) {
    if (!isApiError(error) || error.failure.kind === 'Aborted') throw error;
    const message = `failed to get Cluster ${namespace}/${name}: ${error.failure.message}`;
    throw failure('ClusterUnreadable', message, objectName('cluster', namespace, name));
  }
  if (turn.cluster.metadata.uid !== uid) {
    const message = `Cluster ${namespace}/${name} was created again`;
    throw failure('ClusterUnreadable', message, objectName('cluster', namespace, name));
  }
  if (isControlPlaneInitialized(turn.cluster)) return false;
  memory.confirm(lockUid);
  return true;
}

/** The spec that init needs is stored before anything is made from it; a refusal stores what it may, too. */
async function prepare(work: Work): Promise<void> {
  const { view, turn } = work;
  const prepared = prepareInit({
    spec: specOf(turn),
    cluster: clusterFacts(turn.cluster),
    kubernetesVersion: view.owner.kubernetesVersion,
  });
  await patchSpec(work, prepared.spec);
  if (prepared.kind === 'refused') throw failureOfRefusal(prepared, { view, mode: 'init', phase: 'prepare' });
}
