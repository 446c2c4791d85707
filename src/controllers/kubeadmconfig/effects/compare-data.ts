// In shadow mode: would this operator have stored the same bootstrap data as the provider that did?
//
// The data is made again from the spec as it is, and told as the write that it would have been; the client says which of its
// fields differ. Once for each version of the Secret, and never more than that: nothing waits for it.
import {
  neededSecrets,
  needsControlPlaneVersion,
  renderControlPlaneJoin,
  renderInit,
  renderWorkerJoin,
} from '../../../bootstrap/bootstrap-data.js';
import type { BootstrapMode, RenderInput, RenderResult } from '../../../bootstrap/bootstrap-types.js';
import { clusterFacts } from '../../../bootstrap/cluster-facts.js';
import { kinds, targetOf, type StoredSecret } from '../objects.js';
import { mentionsInit } from '../stored-data.js';
import { specOf } from '../turn.js';
import { certificatesFor, readSecretsLive } from './certificate-secrets.js';
import { orNull, type Work } from './context.js';
import { readControlPlaneVersion } from './control-plane-version.js';

const renderers: Readonly<Record<BootstrapMode, (input: RenderInput) => RenderResult>> = {
  init: renderInit,
  controlPlaneJoin: renderControlPlaneJoin,
  workerJoin: renderWorkerJoin,
};

/** Compares stored data with what would be made now. Throws ApiError or EffectFailure where that cannot be told. */
export async function compareData(work: Work): Promise<void> {
  const { turn, client, call, view } = work;
  const { namespace = '', name } = turn.config.metadata;
  const target = targetOf(kinds.secret, namespace, view.owner.dataSecretName || name);
  const secret = await orNull(client.get<StoredSecret>(target, call));
  const stored = Buffer.from(secret?.data?.['value'] ?? '', 'base64').toString('latin1');
  if (stored === '') return;
  const spec = specOf(turn);
  const mode = mentionsInit(stored) ? 'init' : view.owner.isControlPlaneMachine ? 'controlPlaneJoin' : 'workerJoin';
  const rendered = renderers[mode]({
    spec,
    namespace,
    cluster: clusterFacts(turn.cluster),
    kubernetesVersion: view.owner.kubernetesVersion,
    certificates: await certificatesFor(work, mode),
    secrets: await readSecretsLive(work, neededSecrets(spec)),
    controlPlaneVersion: needsControlPlaneVersion(spec) ? await readControlPlaneVersion(work) : { kind: 'absent' },
    sizeLimitBytes: 0,
  });
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
