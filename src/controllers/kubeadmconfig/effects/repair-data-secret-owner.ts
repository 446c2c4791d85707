// Makes this KubeadmConfig the controller of its bootstrap Secret again, once a live read has shown that it holds data. Everything
// else about the Secret stays; its type travels along, so that the API server refuses a Secret that is none of bootstrap data.
import { secretType } from '../../../api/names.js';
import { dataSecretOwnerReference } from '../../../bootstrap/data-secret.js';
import { failureOfApi } from '../failures.js';
import { kinds, objectName, targetOf, type StoredSecret } from '../objects.js';
import { answer, type Answer, type Work } from './context.js';
import { refuseAnEarlierLife, refuseForeign, repairedOwners } from './data-secret.js';

/** DATA_SECRET_OWNER_REPAIRED. Guarded by the version that was read: a changed Secret is looked at again. */
export async function repairDataSecretOwner(work: Work): Promise<Answer> {
  const { view, turn, client, call } = work;
  const repaired = answer('DATA_SECRET_OWNER_REPAIRED', { dataSecret: 'ours' });
  if (view.dataSecret === null) return repaired;
  // Data that goes with an earlier life is collected as garbage, whoever boots with it.
  await refuseAnEarlierLife(work);
  const { namespace = '', name } = view.dataSecret.metadata;
  const target = targetOf(kinds.secret, namespace, name);
  const fail = (error: unknown): never => {
    const prefix = `could not add KubeadmConfig ${turn.config.metadata.name} as ownerReference to bootstrap Secret ${name}: `;
    throw failureOfApi({ kind: 'StoreFailed', prefix, object: objectName('secret', namespace, name) }, error);
  };
  const secret = await client.get<StoredSecret>(target, call).catch(fail);
  refuseForeign(work, secret);
  const { uid, resourceVersion, ownerReferences = [] } = secret.metadata;
  const owners = repairedOwners(ownerReferences, dataSecretOwnerReference(turn.config.metadata));
  const body = { metadata: { uid, resourceVersion, ownerReferences: owners }, type: secretType.cluster };
  await client.mergePatch(target, body, call).catch(fail);
  return repaired;
}
