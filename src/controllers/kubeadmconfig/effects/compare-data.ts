// In shadow mode: would this operator have stored the same bootstrap data as the provider that did?
//
// The data is made again from the spec as it is, and told as the write that it would have been; the client says which of its
// fields differ. Once for each version of the Secret, and never more than that: nothing waits for it.
import { kinds, targetOf, type StoredSecret } from '../objects.js';
import { mentionsInit } from '../stored-data.js';
import { certificatesFor } from './certificate-secrets.js';
import { orNull, type Work } from './context.js';
import { renderData } from './render-data.js';

/** Compares stored data with what would be made now. Throws ApiError or EffectFailure where that cannot be told. */
export async function compareData(work: Work): Promise<void> {
  const { turn, client, call, view } = work;
  const { namespace = '', name } = turn.config.metadata;
  const target = targetOf(kinds.secret, namespace, view.owner.dataSecretName || name);
  const secret = await orNull(client.get<StoredSecret>(target, call));
  const stored = Buffer.from(secret?.data?.['value'] ?? '', 'base64').toString('latin1');
  if (stored === '') return;
  const mode = mentionsInit(stored) ? 'init' : view.owner.isControlPlaneMachine ? 'controlPlaneJoin' : 'workerJoin';
  const certificates = await certificatesFor(work, mode);
  const rendered = await renderData(work, mode, { certificates, sizeLimitBytes: 0 });
  if (rendered.kind === 'refused') {
    const { cause, field } = rendered;
    work.ports.log.info('Would not have made the bootstrap data that is stored', {
      KubeadmConfig: work.key,
      err: cause,
      field,
    });
    return;
  }
  const value = Buffer.from(rendered.bytes).toString('base64');
  const format = Buffer.from(rendered.format).toString('base64');
  await client.mergePatch(target, { data: { value, format } }, call);
}
