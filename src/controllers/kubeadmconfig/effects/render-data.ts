// The bootstrap data of a turn's spec: what rendering reads is read here, live, and nothing is written.
import {
  clusterFacts,
  neededSecrets,
  needsControlPlaneVersion,
  renderMode,
} from '../../../bootstrap/bootstrap-data.js';
import type { BootstrapMode, Certificates, RenderResult } from '../../../bootstrap/bootstrap-types.js';
import { specOf } from '../turn.js';
import { readSecretsLive } from './certificate-secrets.js';
import type { Work } from './context.js';
import { readControlPlaneVersion } from './control-plane-version.js';

/** Renders the data with these certificates; data above the limit is refused. Throws ApiError for what cannot be read. */
export async function renderData(
  work: Work,
  mode: BootstrapMode,
  { certificates, sizeLimitBytes }: { readonly certificates: Certificates; readonly sizeLimitBytes: number },
): Promise<RenderResult> {
  const { turn, view } = work;
  const spec = specOf(turn);
  return renderMode(mode, {
    spec,
    namespace: turn.config.metadata.namespace ?? '',
    cluster: clusterFacts(turn.cluster),
    kubernetesVersion: view.owner.kubernetesVersion,
    certificates,
    secrets: await readSecretsLive(work, neededSecrets(spec)),
    controlPlaneVersion: needsControlPlaneVersion(spec) ? await readControlPlaneVersion(work) : { kind: 'absent' },
    sizeLimitBytes,
  });
}
