// The kubeconfig file of file discovery, as upstream prints it: no apiVersion, no kind, no preferences, but nulls for
// what an exec or auth provider user leaves unset.
import { goYaml, GoYamlError, type YamlValue } from './go-format/go-yaml.js';
import type { NodeFile } from './node-data.js';
import { isDefined, type DiscoveryKubeConfig, type KubeadmConfigSpec } from './spec-types.js';

const name = 'default';
const execApiVersion = 'client.authentication.k8s.io/v1';
const field = 'spec.joinConfiguration.discovery.file.kubeConfig';

/** The file, null if the spec has no such kubeconfig, or Go's words for why it cannot be printed. */
export type DiscoveryFile =
  | { readonly kind: 'file'; readonly file: NodeFile | null }
  | { readonly kind: 'invalid'; readonly field: string; readonly cause: string };

/** Makes the file from a completed spec. */
export function discoveryKubeConfigFile(spec: KubeadmConfigSpec): DiscoveryFile {
  const file = spec.joinConfiguration?.discovery?.file;
  if (file?.kubeConfig === undefined || !isDefined(file.kubeConfig)) return { kind: 'file', file: null };
  try {
    const content = goYaml(kubeConfigDocument(file.kubeConfig));
    const path = file.kubeConfigPath ?? '';
    return { kind: 'file', file: { field, path, owner: 'root:root', permissions: '0640', content } };
  } catch (error) {
    if (!(error instanceof GoYamlError)) throw error;
    const cause = `failed to marshal kubeconfig from JoinConfiguration.Discovery.File.KubeConfig: ${error.message}`;
    return { kind: 'invalid', field, cause };
  }
}

function kubeConfigDocument({ cluster = {}, user }: DiscoveryKubeConfig): YamlValue {
  const ca = Buffer.from(cluster.certificateAuthorityData ?? '', 'base64').toString('base64');
  return {
    clusters: [
      {
        cluster: {
          'certificate-authority-data': ca === '' ? undefined : ca,
          'insecure-skip-tls-verify': cluster.insecureSkipTLSVerify === true ? true : undefined,
          'proxy-url': cluster.proxyURL === '' ? undefined : cluster.proxyURL,
          server: cluster.server ?? '',
          'tls-server-name': cluster.tlsServerName === '' ? undefined : cluster.tlsServerName,
        },
        name,
      },
    ],
    contexts: [{ context: { cluster: name, user: name }, name }],
    'current-context': name,
    users: [{ name, user: { 'auth-provider': authProvider(user), exec: exec(user) } }],
  };
}

function authProvider(user: DiscoveryKubeConfig['user'] | undefined): YamlValue | undefined {
  const given = user?.authProvider;
  if (given === undefined || !isDefined(given)) return undefined;
  return { config: given.config ?? null, name: given.name ?? '' };
}

function exec(user: DiscoveryKubeConfig['user'] | undefined): YamlValue | undefined {
  const given = user?.exec;
  if (given === undefined || !isDefined(given)) return undefined;
  return {
    apiVersion: given.apiVersion || execApiVersion,
    args: given.args ?? null,
    command: given.command ?? '',
    env: given.env === undefined ? null : given.env.map((variable) => ({ name: variable.name, value: variable.value })),
    interactiveMode: 'Never',
    provideClusterInfo: given.provideClusterInfo === true,
  };
}
