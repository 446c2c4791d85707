// Makes the join data of a control plane, a worker or a machine pool and stores it.
//
//   J1. The order for a new token: connection, token, one guarded spec patch with its mark, the workload Secret, the data
//       Secret. A process that dies anywhere goes on with the token in the spec.
//   J2. Before a wait, what is known already is stored in the spec, once.
//   J3. A token of ours is verified in the workload cluster before it is rendered; another's needs no connection.
import {
  clusterFacts,
  completeDiscovery,
  dataToken,
  prepareControlPlaneJoin,
  prepareWorkerJoin,
  withToken,
} from '../../../bootstrap/bootstrap-data.js';
import type { KubeadmConfigSpec } from '../../../api/kubeadmconfig/v1beta2.js';
import type { ApiClient } from '../../../kube/contract.js';
import { isApiError } from '../../../kube/failures.js';
import { failure, failureOfRefusal } from '../failures.js';
import { TOKEN_ROUNDS_MAX } from '../limits.js';
import { specOf } from '../turn.js';
import { hasFileDiscovery, hasTokenDiscovery, isTokenMarked } from '../view.js';
import { certificatesFor } from './certificate-secrets.js';
import { patchSpec } from './config-patch.js';
import { answer, type Answer, type Work } from './context.js';
import { existingData, learnedData, storeData, type ExistingData } from './data-secret.js';
import { renderData } from './render-data.js';
import { releaseLock } from './release-init-lock.js';
import { ensureToken, newToken, parseToken, workloadClient } from './workload-token.js';

/** DATA_STORED, DATA_ADOPTED, ENDPOINT_MISSING, or TOKEN_TAKEN where the data may not be written again. */
export async function storeJoinData(work: Work): Promise<Answer> {
  await releaseLeftOverLock(work);
  const existing = await lookForData(work);
  if (existing.kind === 'adopt') return answer('DATA_ADOPTED', learnedData(work));
  return makeAndStore(work, { existing, isTokenRenewed: false });
}

/** A new token, then new data with it: for pools, and for data that nobody has been told of. */
export async function rotateToken(work: Work): Promise<Answer> {
  work.ports.log.info('Creating new bootstrap token, the existing one should be rotated', { KubeadmConfig: work.key });
  return makeAndStore(work, { existing: await lookForData(work), isTokenRenewed: true });
}

/** What is there. Only data that the status does not know may be adopted, and none before the spec has the token that it must hold. */
async function lookForData(work: Work): Promise<ExistingData> {
  const { view, facts, turn } = work;
  if (view.dataSecret === null) return { kind: 'none' };
  const token = dataToken(specOf(turn));
  const existing = await existingData(work, { mode: 'join', token });
  const isMadeAgain = facts.dataStored !== 'no' || (token === '' && !hasFileDiscovery(turn.config));
  return existing.kind === 'adopt' && isMadeAgain ? { ...existing, kind: 'update' } : existing;
}

async function makeAndStore(
  work: Work,
  given: { readonly existing: ExistingData; readonly isTokenRenewed: boolean },
): Promise<Answer> {
  const { view, turn, facts, ports } = work;
  const mode = view.owner.isControlPlaneMachine ? 'controlPlaneJoin' : 'workerJoin';
  const message =
    mode === 'workerJoin'
      ? 'Creating BootstrapData for the worker node'
      : 'Creating BootstrapData for the joining control plane';
  ports.log.info(message, { KubeadmConfig: work.key });

  const spec = specOf(turn);
  const prepared = mode === 'workerJoin' ? prepareWorkerJoin({ spec }) : prepareControlPlaneJoin({ spec });
  if (prepared.kind === 'refused') throw failureOfRefusal(prepared, { view, mode: 'join', phase: 'prepare' });
  const certificates = await certificatesFor(work, mode);
  const discovered = completeDiscovery({ spec: prepared.spec, cluster: clusterFacts(turn.cluster), certificates });
  if (discovered.kind === 'refused') throw failureOfRefusal(discovered, { view, mode: 'join', phase: 'render' });
  if (discovered.kind === 'waitEndpoint') {
    const generation = await patchSpec(work, discovered.spec);
    return answer('ENDPOINT_MISSING', { generation });
  }
  const isReady = await completeToken(work, discovered.spec, given.isTokenRenewed);
  if (!isReady) return answer('TOKEN_TAKEN', { generation: turn.config.metadata.generation ?? facts.generation });
  const sizeLimitBytes = ports.settings.bootstrapDataSizeLimitBytes;
  const rendered = await renderData(work, mode, { certificates, sizeLimitBytes });
  if (rendered.kind === 'refused') throw failureOfRefusal(rendered, { view, mode: 'join', phase: 'render' });
  const token = dataToken(specOf(turn));
  const result = await storeData(work, { ...rendered, token }, given.existing);
  work.memory.tokenLooked(work.key, work.view.remembered.touch);
  return result;
}

/** The spec with its token is stored, and a token of ours is in the workload cluster. False when its id is taken. */
async function completeToken(work: Work, spec: KubeadmConfigSpec, isTokenRenewed: boolean): Promise<boolean> {
  const { turn, view, ports } = work;
  const hasTokens = hasTokenDiscovery({ ...turn.config, spec });
  const token = hasTokens ? (spec.joinConfiguration?.discovery?.bootstrapToken?.token ?? '') : '';
  if (!hasTokens || (token !== '' && !isTokenRenewed && !isTokenMarked({ ...turn.config, spec }))) {
    await patchSpec(work, spec);
    return true;
  }
  const client = await connect(work, spec);
  if (token !== '' && !isTokenRenewed) {
    await patchSpec(work, spec);
    if ((await ensureToken(work, client, parseToken(token))) === 'ready') return true;
    if (view.owner.kind === 'Machine' && view.owner.dataSecretName !== '') return false;
  }
  for (let round = 0; round < TOKEN_ROUNDS_MAX; round += 1) {
    const fresh = newToken(ports);
    await patchSpec(work, withToken(spec, fresh.text), { newToken: fresh.text });
    if ((await ensureToken(work, client, fresh)) === 'ready') return true;
  }
  throw failure('TokenFailed', 'failed to create new bootstrap token: every id that was tried is taken');
}

/** The connection; before a wait for it, what is known of the spec is stored. */
async function connect(work: Work, spec: KubeadmConfigSpec): Promise<ApiClient> {
  try {
    return await workloadClient(work);
  } catch (error) {
    await patchSpec(work, spec);
    throw error;
  }
}

/** The control plane is initialised, so its lock has done its work. A failure here keeps nobody from joining. */
async function releaseLeftOverLock(work: Work): Promise<void> {
  const { lock } = work.view;
  if (lock.kind === 'free') return;
  try {
    await releaseLock(work, lock.configMap);
  } catch (error) {
    if (!isApiError(error)) throw error;
    work.ports.log.error('Error deleting the config map underlying the control plane init lock', {
      ConfigMap: { namespace: lock.configMap.metadata.namespace ?? '', name: lock.configMap.metadata.name },
      err: error.failure.message,
    });
  }
}
