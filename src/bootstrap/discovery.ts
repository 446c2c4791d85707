// How a joining node finds its cluster: what is completed in the spec before a join is rendered.
//
// The user's values win field by field. With file discovery no token field is read or written. What is known is returned
// also when something is still missing, so that it can be stored before the wait.
import { caCertHashes } from './certificates/ca-cert-hashes.js';
import type { Certificates, ClusterFacts, DiscoveryResult } from './bootstrap-types.js';
import { endpointText, hasEndpoint } from './endpoint.js';
import { textToBytes } from './go-format/go-string.js';
import { textOf } from './loose-json.js';
import { refuseData } from './refusals.js';
import { isDefined, type Discovery, type KubeadmConfigSpec, type TokenDiscovery } from './spec-types.js';

/** What completing takes. */
export interface DiscoveryInput {
  readonly spec: KubeadmConfigSpec;
  readonly cluster: ClusterFacts;
  readonly certificates: Certificates;
}

/** Completes a join's discovery as far as the Cluster and its CA allow. */
export function completeDiscovery(input: DiscoveryInput): DiscoveryResult {
  return isDefined(input.spec.joinConfiguration?.discovery?.file) ? completeFile(input) : completeToken(input);
}

/** The token in join data of this spec, where file discovery does not replace it; empty for none. */
export function dataToken({ joinConfiguration }: KubeadmConfigSpec): string {
  const { bootstrapToken, file } = joinConfiguration?.discovery ?? {};
  return isDefined(file) ? '' : textOf(bootstrapToken?.token);
}

/** The spec with this token for discovery. */
export function withToken(spec: KubeadmConfigSpec, token: string): KubeadmConfigSpec {
  return withTokenDiscovery(spec, { token });
}

function completeToken({ spec, cluster, certificates }: DiscoveryInput): DiscoveryResult {
  let completed = spec;
  if ((tokenDiscovery(spec).caCertHashes ?? []).length === 0) {
    const answer = caCertHashes(clusterCa(certificates));
    const field = `Secret ${cluster.namespace}/${cluster.name}-ca, key tls.crt`;
    if (answer.kind === 'unusable') return { ...refuseData({ field, cause: answer.message }), spec };
    completed = withTokenDiscovery(completed, { caCertHashes: answer.hashes });
  }
  if (!tokenDiscovery(completed).apiServerEndpoint) {
    if (!hasEndpoint(cluster)) return { kind: 'waitEndpoint', spec: completed };
    completed = withTokenDiscovery(completed, { apiServerEndpoint: endpointText(cluster) });
  }
  return { kind: tokenDiscovery(completed).token ? 'complete' : 'needToken', spec: completed };
}

function completeFile({ spec, cluster, certificates }: DiscoveryInput): DiscoveryResult {
  const discovery = spec.joinConfiguration?.discovery;
  const kubeConfig = discovery?.file?.kubeConfig;
  if (discovery?.file === undefined || kubeConfig === undefined || !isDefined(kubeConfig))
    return { kind: 'complete', spec };
  let { cluster: kubeCluster = {} } = kubeConfig;
  const completed = (): KubeadmConfigSpec =>
    withDiscovery(spec, {
      ...discovery,
      file: { ...discovery.file!, kubeConfig: { ...kubeConfig, cluster: kubeCluster } },
    });
  if (!kubeCluster.server) {
    if (!hasEndpoint(cluster)) return { kind: 'waitEndpoint', spec };
    kubeCluster = { ...kubeCluster, server: `https://${endpointText(cluster)}` };
  }
  if (!kubeCluster.certificateAuthorityData) {
    const ca = clusterCa(certificates);
    const field = `Secret ${cluster.namespace}/${cluster.name}-ca, key tls.crt`;
    if (ca === '') return { ...refuseData({ field, cause: 'failed to retrieve Cluster CA' }), spec: completed() };
    kubeCluster = { ...kubeCluster, certificateAuthorityData: Buffer.from(textToBytes(ca)).toString('base64') };
  }
  return { kind: 'complete', spec: completed() };
}

function clusterCa(certificates: Certificates): string {
  return certificates.find(({ want }) => want.purpose === 'ca')?.cert ?? '';
}

function tokenDiscovery(spec: KubeadmConfigSpec): TokenDiscovery {
  return spec.joinConfiguration?.discovery?.bootstrapToken ?? {};
}

function withTokenDiscovery(spec: KubeadmConfigSpec, more: TokenDiscovery): KubeadmConfigSpec {
  const discovery = spec.joinConfiguration?.discovery ?? {};
  return withDiscovery(spec, { ...discovery, bootstrapToken: { ...discovery.bootstrapToken, ...more } });
}

function withDiscovery(spec: KubeadmConfigSpec, discovery: Discovery): KubeadmConfigSpec {
  return { ...spec, joinConfiguration: { ...spec.joinConfiguration, discovery } };
}
