// The bootstrap Secret: looked at before anything is rendered, created, and updated without losing what others put there.
//
//   D1. A Secret that is somebody else's (foreign-secret.ts) is never touched. Its type travels with every patch, so that the API
//       server judges it, too.
//   D2. A Secret of another life of this KubeadmConfig is replaced once the new data is made, unless somebody has been told to use
//       it. Who has been told, and which life is over, is read live: caches may be older than the Secret.
//   D3. Data that is there already, is ours and fits is adopted: neither rendered nor written again.
//   D4. Data of this life that does not fit is made again, unless its Machine, read live, has been told to use it.
import { annotation, label, secretType } from '../../../api/names.js';
import type { BootstrapFormat } from '../../../bootstrap/bootstrap-types.js';
import { tokenId } from '../../../bootstrap/bootstrap-token.js';
import { dataSecret, dataSecretData, dataSecretOwnerReference } from '../../../bootstrap/data-secret.js';
import { isApiError } from '../../../kube/failures.js';
import { foreignText } from '../../../../machines/kubeadmconfig/reasons.js';
import { failure, failureOfApi } from '../failures.js';
import { forWhom, whyForeign } from '../foreign-secret.js';
import { mentionsInit } from '../stored-data.js';
import {
  isKubeadmConfigReference,
  kinds,
  objectName,
  targetOf,
  type StoredConfig,
  type StoredMachine,
  type StoredMachinePool,
  type StoredSecret,
} from '../objects.js';
import { toldDataOf } from '../owner.js';
import { controllerOf, hasTokenDiscovery } from '../view.js';
import type { OwnerReference } from '../../../api/core.js';
import { answer, orNull, type Answer, type Work } from './context.js';

/** What data this turn wants: init data, or join data with a token (empty: without one). */
export type WantedData = { readonly mode: 'init' } | { readonly mode: 'join'; readonly token: string };

/** What is there already. */
export type ExistingData =
  { readonly kind: 'none' } | { readonly kind: 'adopt' | 'update' | 'replace'; readonly secret: StoredSecret };

/** Looks at the Secret that is there, if any. One of another life is to be replaced, once there is what takes its place. */
export async function existingData(work: Work, wanted: WantedData): Promise<ExistingData> {
  const { turn, client, call, view } = work;
  const { namespace = '', name, uid } = turn.config.metadata;
  const secret = await orNull(client.get<StoredSecret>(targetOf(kinds.secret, namespace, name), call));
  if (secret === null) return { kind: 'none' };
  const object = objectName('secret', namespace, name);
  const controller = controllerOf(secret);
  refuseForeign(work, secret);
  if (secret.metadata.deletionTimestamp !== undefined) {
    throw failure('DataSecretEnding', `Waiting for bootstrap Secret ${namespace}/${name} to be deleted`, object);
  }
  if (controller === undefined) return { kind: 'update', secret };
  if (controller.uid === uid) return { kind: isFitting(secret, wanted) ? 'adopt' : 'update', secret };
  if (view.owner.dataSecretName !== '') return { kind: 'update', secret };
  await refuseIfInUse(work);
  return { kind: 'replace', secret };
}

/** A Secret that was read live, keys included, is not somebody else's. */
export function refuseForeign({ view, turn, facts }: Work, secret: StoredSecret): void {
  const whom = forWhom({ ...view, config: turn.config });
  const dataSecretProblem = whyForeign({ ...secret, data: secret.data ?? {} }, whom);
  if (dataSecretProblem === '') return;
  const { namespace = '', name } = secret.metadata;
  const object = objectName('secret', namespace, name);
  throw failure('DataSecretForeign', foreignText({ names: facts.names, dataSecretProblem }), object);
}

/** Removes data of another life, unless somebody was told of it while its successor was made. */
async function removeData(work: Work, { metadata }: StoredSecret): Promise<void> {
  await refuseIfInUse(work);
  const { namespace = '', name, uid = '', resourceVersion = '' } = metadata;
  const preconditions = { uid, resourceVersion };
  await work.client.delete(targetOf(kinds.secret, namespace, name), { ...work.call, preconditions });
}

/** Caches may be older than the Secret: data of a later life, or data that the owner knows by now, is not ours to remove. */
async function refuseIfInUse(work: Work): Promise<void> {
  await refuseAnEarlierLife(work);
  await refuseIfTold(work, 'of an earlier life is in use');
}

/** One live read: the owner has not been told to use the data. */
async function refuseIfTold({ view, turn, client, call }: Work, inUse: string): Promise<void> {
  const { namespace = '', name } = turn.config.metadata;
  const kind = view.owner.kind === 'MachinePool' ? 'machinePool' : 'machine';
  const owner = await orNull(
    client.get<StoredMachine | StoredMachinePool>(targetOf(kinds[kind], namespace, view.owner.name), call),
  );
  if (owner === null || toldDataOf(owner, name) === '') return;
  const object = objectName(kind, namespace, view.owner.name);
  throw failure('StoreFailed', `bootstrap Secret ${namespace}/${name} ${inUse}`, object);
}

/** One live read: this KubeadmConfig is the one that lives. */
export async function refuseAnEarlierLife({ turn, client, call }: Work): Promise<void> {
  const { namespace = '', name, uid } = turn.config.metadata;
  const living = await orNull(client.get<StoredConfig>(targetOf(kinds.kubeadmConfig, namespace, name), call));
  if (living?.metadata.uid === uid) return;
  const object = objectName('kubeadmConfig', namespace, name);
  throw failure('StoreFailed', `KubeadmConfig ${namespace}/${name} was deleted`, object);
}

/** Whether the data is complete and of the wanted kind; for a token join it must hold the spec's token. */
function isFitting({ data = {} }: StoredSecret, wanted: WantedData): boolean {
  const { value, format } = data;
  if (value === undefined || format === undefined) return false;
  const text = Buffer.from(value, 'base64').toString('latin1');
  if (wanted.mode === 'init') return mentionsInit(text);
  return wanted.token === '' ? !mentionsInit(text) : text.includes(wanted.token);
}

/** Data to store. */
export interface StorableData {
  readonly format: BootstrapFormat;
  readonly bytes: Uint8Array;
  /** The token inside; empty for none. */
  readonly token: string;
}

/** Stores data: creates the Secret, or updates the one that was found. DATA_STORED, or DATA_ADOPTED if it appeared meanwhile. */
export async function storeData(work: Work, data: StorableData, existing: ExistingData): Promise<Answer> {
  const { client, call, ports, turn, facts } = work;
  const { namespace = '', name } = turn.config.metadata;
  if (existing.kind === 'update') {
    await updateSecret(work, data, existing.secret);
    return stored(work);
  }
  if (existing.kind === 'replace') await removeData(work, existing.secret);
  const isCreated = await attempt(work, 'create', async () => {
    try {
      await client.create<StoredSecret>(kinds.secret, newSecret(work, data), call);
      return true;
    } catch (error) {
      if (isApiError(error, 'AlreadyExists')) return false;
      throw error;
    }
  });
  if (isCreated) return stored(work);
  ports.log.info('Bootstrap data secret for KubeadmConfig already exists, updating', { Secret: { namespace, name } });
  const wanted: WantedData =
    facts.lock === 'mine' && !facts.controlPlaneInitialized ? { mode: 'init' } : { mode: 'join', token: data.token };
  const found = await existingData(work, wanted);
  if (found.kind === 'adopt' && facts.dataStored === 'no') return answer('DATA_ADOPTED', learnedData(work));
  if (found.kind === 'adopt' || found.kind === 'update') {
    await updateSecret(work, data, found.secret);
    return stored(work);
  }
  if (found.kind === 'replace') await removeData(work, found.secret);
  await attempt(work, 'create', () => client.create(kinds.secret, newSecret(work, data), call));
  return stored(work);
}

/** What is known once data is there. */
export function learnedData(work: Work): Answer['learned'] {
  const { config } = work.turn;
  return {
    dataStored: 'yes',
    dataSecret: 'ours',
    dataSecretName: config.metadata.name,
    dataToken: 'same',
    generation: config.metadata.generation ?? 0,
    hasToken: (config.spec?.joinConfiguration?.discovery?.bootstrapToken?.token ?? '') !== '',
    isTokenDiscovery: hasTokenDiscovery(config),
  };
}

function stored(work: Work): Answer {
  return answer('DATA_STORED', learnedData(work));
}

/** A definite refusal is a failure that names the Secret; an unknown outcome is remembered, for the lock's sake. */
async function attempt<T>(work: Work, verb: 'create' | 'update', write: () => Promise<T>): Promise<T> {
  const { namespace = '', name } = work.turn.config.metadata;
  const sentAtMs = work.nowMs();
  try {
    return await write();
  } catch (error) {
    if (isApiError(error, 'Unknown', 'TooManyRequests', 'Conflict')) work.memory.storeUnknown(work.key, sentAtMs);
    const prefix = `failed to ${verb} bootstrap data secret for KubeadmConfig ${namespace}/${name}: `;
    throw failureOfApi({ kind: 'StoreFailed', prefix, object: objectName('secret', namespace, name) }, error);
  }
}

function newSecret(work: Work, data: StorableData): object {
  const { namespace = '', name, uid = '' } = work.turn.config.metadata;
  return dataSecret({ namespace, name, uid }, { ...data, clusterName: work.turn.cluster.metadata.name });
}

/** A pool reads its data again for every new node, a Machine once. */
async function refuseIfStarted(work: Work, { data }: StoredSecret): Promise<void> {
  const { kind, dataSecretName } = work.view.owner;
  if (kind === 'Machine' && dataSecretName === '' && data?.value !== undefined) {
    await refuseIfTold(work, 'is in use and is not written again');
  }
}

async function updateSecret(work: Work, data: StorableData, secret: StoredSecret): Promise<void> {
  await refuseIfStarted(work, secret);
  const { namespace = '', name, uid, resourceVersion } = secret.metadata;
  const body = {
    metadata: {
      uid,
      resourceVersion,
      labels: { [label.clusterName]: work.turn.cluster.metadata.name },
      annotations: { [annotation.token]: data.token === '' ? null : tokenId(data.token) },
      ownerReferences: repairedOwners(
        secret.metadata.ownerReferences ?? [],
        dataSecretOwnerReference(work.turn.config.metadata),
      ),
    },
    type: secretType.cluster,
    data: dataSecretData(data),
  };
  await attempt(work, 'update', () => work.client.mergePatch(targetOf(kinds.secret, namespace, name), body, work.call));
}

/** Owner references with this controller: it takes the place of the first one to a KubeadmConfig of its name, or comes last. */
export function repairedOwners(
  owners: readonly OwnerReference[],
  controller: OwnerReference,
): readonly OwnerReference[] {
  const isReplaced = (reference: OwnerReference): boolean =>
    isKubeadmConfigReference(reference) && (reference.name === controller.name || reference.controller === true);
  const place = owners.findIndex(isReplaced);
  const kept = owners.filter((reference, index) => index === place || !isReplaced(reference));
  if (place < 0) return [...kept, controller];
  return kept.map((reference) => (reference === owners[place] ? controller : reference));
}
