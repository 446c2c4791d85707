// From reads of certificate Secrets to the pairs a node needs, or the refusal that the status shows.
//
// Init without a control plane object: what is missing is to be generated, but never what the user must supply. Init with
// one, and every join: all must exist.
import { checkCompleteness } from './certificates/certificate-checks.js';
import { certificateSet, readKeyPair } from './certificates/certificate-sets.js';
import type { CertificateSetKind } from './certificates/types.js';
import type { CertificatesResult, CertificateWant, ClusterFacts, KeyPair, SecretReads } from './bootstrap-types.js';
import type { BootstrapMode } from './node-data.js';
import { refuseCertificates } from './refusals.js';
import type { KubeadmConfigSpec } from './spec-types.js';

const setKinds: Readonly<Record<BootstrapMode, CertificateSetKind>> = {
  init: 'initialControlPlane',
  controlPlaneJoin: 'controlPlaneJoin',
  workerJoin: 'worker',
};

/** The certificates of a mode, in lookup order. */
export function wantedCertificates(
  mode: BootstrapMode,
  { cluster, spec }: { readonly cluster: ClusterFacts; readonly spec: KubeadmConfigSpec },
): readonly CertificateWant[] {
  return certificateSet(setKinds[mode], cluster, spec.clusterConfiguration);
}

/** Looks at the Secrets that were read for `wantedCertificates`. */
export function loadCertificates(
  mode: BootstrapMode,
  input: { readonly cluster: ClusterFacts; readonly spec: KubeadmConfigSpec; readonly secrets: SecretReads },
): CertificatesResult {
  const { cluster, secrets } = input;
  const isInit = mode === 'init';
  const wants = wantedCertificates(mode, input);
  const refuse = (want: CertificateWant, cause: string) =>
    refuseCertificates({ field: `Secret ${cluster.namespace}/${want.secretName}`, cause, isInit });

  const certificates: KeyPair[] = [];
  for (const want of wants) {
    const read = secrets.get(want.secretName) ?? { kind: 'notFound' };
    if (read.kind === 'failed') return refuse(want, `failed to get certificate : ${read.cause}`);
    if (read.kind === 'notFound') {
      // Upstream prints an empty name before the colon.
      const cause = `failed to get certificate : secrets "${want.secretName}" not found`;
      if (want.isExternal) return refuse(want, `external certificate not found: ${cause}`);
      continue;
    }
    const pair = readKeyPair(want, cluster.namespace, read.data);
    if (pair.kind === 'corrupt') return refuse(want, pair.message);
    certificates.push(pair.keyPair);
  }
  if (isInit && !cluster.hasControlPlaneRef) {
    const toGenerate = wants.filter((want) => !certificates.some((pair) => pair.want.purpose === want.purpose));
    return toGenerate.length === 0 ? { kind: 'loaded', certificates } : { kind: 'missing', certificates, toGenerate };
  }
  const check = checkCompleteness(setKinds[mode], wants, certificates);
  const incomplete = check.kind === 'incomplete' ? wants.find((want) => want.purpose === check.purpose) : undefined;
  if (check.kind === 'incomplete' && incomplete !== undefined) return refuse(incomplete, check.message);
  return { kind: 'loaded', certificates };
}
