// The kubeadm documents of a node as YAML text, or which field stands in their way.
//
// The owner's version picks the kubeadm API, for workers too, never the control plane's version.
import type { ClusterFacts, Refused } from './bootstrap-types.js';
import { goQuote } from './go-format/go-quote.js';
import { goYaml, GoYamlError, isYamlText, type YamlValue } from './go-format/go-yaml.js';
import { additionalData, clusterConfiguration } from './kubeadm/cluster-configuration.js';
import { kubeadmApiFor, kubeadmApiVersion, tooOldError, type KubeadmApi } from './kubeadm/kubeadm-api.js';
import { parseKubernetesVersion, versionError } from './kubeadm/kubernetes-version.js';
import { initConfiguration, joinConfiguration, withUninitializedTaint } from './kubeadm/node-configuration.js';
import type { BootstrapMode, KubeadmDocuments } from './node-data.js';
import { refuseData } from './refusals.js';
import type { KubeadmConfigSpec } from './spec-types.js';

const tokenForm = /^[a-z0-9]{6}\.[a-z0-9]{16}$/;

/** The documents, or why there are none. */
export type DocumentsResult = { readonly kind: 'documents'; readonly documents: KubeadmDocuments } | Refused;

/** What the documents are made of. */
export interface DocumentsInput {
  readonly spec: KubeadmConfigSpec;
  readonly cluster: ClusterFacts;
  readonly kubernetesVersion: string;
}

/** Makes the documents of a mode. For an init, the spec has its control plane endpoint already. */
export function kubeadmDocuments(mode: BootstrapMode, input: DocumentsInput): DocumentsResult {
  const { kubernetesVersion, spec } = input;
  const parsed = parseKubernetesVersion(kubernetesVersion);
  const field = 'spec.version of the owner';
  if (parsed.kind === 'invalid') return refuseData({ field, cause: versionError(kubernetesVersion, parsed.cause) });
  const api = kubeadmApiFor(parsed.version);
  if (api === null) return refuseData({ field, cause: tooOldError });
  return mode === 'init' ? initDocuments(api, input) : joinDocuments(api, mode, spec);
}

function initDocuments(api: KubeadmApi, { spec, cluster, kubernetesVersion }: DocumentsInput): DocumentsResult {
  const seconds = spec.initConfiguration?.timeouts?.controlPlaneComponentHealthCheckSeconds;
  const additional = additionalData(cluster, kubernetesVersion, seconds);
  const first = print(api, clusterConfiguration(api, spec.clusterConfiguration, additional), {
    field: 'spec.clusterConfiguration',
    source: spec.clusterConfiguration,
  });
  if (first.kind === 'refused') return first;
  const tokenProblem = malformedToken(spec);
  if (tokenProblem !== null) return tokenProblem;
  const second = print(api, initConfiguration(api, spec.initConfiguration), {
    field: 'spec.initConfiguration',
    source: spec.initConfiguration,
  });
  if (second.kind === 'refused') return second;
  const documents = { mode: 'init', clusterConfiguration: first.text, initConfiguration: second.text } as const;
  return { kind: 'documents', documents };
}

function joinDocuments(
  api: KubeadmApi,
  mode: 'controlPlaneJoin' | 'workerJoin',
  spec: KubeadmConfigSpec,
): DocumentsResult {
  const join = mode === 'workerJoin' ? withUninitializedTaint(spec.joinConfiguration) : spec.joinConfiguration;
  const printed = print(api, joinConfiguration(api, join), {
    field: 'spec.joinConfiguration',
    source: spec.joinConfiguration,
  });
  if (printed.kind === 'refused') return printed;
  return { kind: 'documents', documents: { mode, joinConfiguration: printed.text } };
}

function print(
  api: KubeadmApi,
  document: YamlValue,
  from: { readonly field: string; readonly source: unknown },
): { readonly kind: 'text'; readonly text: string } | Refused {
  try {
    return { kind: 'text', text: goYaml(document) };
  } catch (error) {
    if (!(error instanceof GoYamlError)) throw error;
    const cause = `failed to generate yaml for the Kubeadm API for version ${kubeadmApiVersion(api)}: ${error.message}`;
    return refuseData({ field: unprintableField(from.source, from.field) ?? from.field, cause });
  }
}

/** Go refuses to read a KubeadmConfig with such a token at all. */
function malformedToken(spec: KubeadmConfigSpec): Refused | null {
  const tokens = spec.initConfiguration?.bootstrapTokens ?? [];
  const index = tokens.findIndex(({ token }) => token !== undefined && token !== '' && !tokenForm.test(token));
  if (index < 0) return null;
  const field = `spec.initConfiguration.bootstrapTokens[${index}].token`;
  return refuseData({
    field,
    cause: `${field}: the bootstrap token was not of the form ${goQuote('\\A([a-z0-9]{6})\\.([a-z0-9]{16})\\z')}`,
  });
}

/** The path of the first text or key that cannot be printed. */
function unprintableField(value: unknown, path: string): string | null {
  if (typeof value === 'string') return isYamlText(value) ? null : path;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, member] of Object.entries(value)) {
    const memberPath = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
    if (!Array.isArray(value) && !isYamlText(key)) return path;
    const found = unprintableField(member, memberPath);
    if (found !== null) return found;
  }
  return null;
}
