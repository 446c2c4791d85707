// kubeadm's InitConfiguration and JoinConfiguration.
//
// `discovery.file.kubeConfig` is never written here: it becomes a file of its own (see ../discovery-kubeconfig.ts).
import type { YamlValue } from '../go-format/go-yaml.js';
import { goRfc3339 } from '../go-format/go-time.js';
import {
  isDefined,
  type Discovery,
  type InitConfiguration,
  type InitToken,
  type JoinConfiguration,
} from '../spec-types.js';
import { kubeadmApiVersion, type KubeadmApi } from './kubeadm-api.js';
import {
  duration,
  filled,
  filledList,
  localApiEndpoint,
  nodeRegistration,
  patches,
  timeouts,
  type YamlMap,
} from './shared-fields.js';

/** The taint that Cluster API takes off a worker once it knows the Node. */
export const uninitializedTaint = { key: 'node.cluster.x-k8s.io/uninitialized', effect: 'NoSchedule' } as const;

/** The document in the given API version. */
export function initConfiguration(api: KubeadmApi, spec: InitConfiguration | undefined): YamlValue {
  return {
    apiVersion: kubeadmApiVersion(api),
    kind: 'InitConfiguration',
    bootstrapTokens: filledList(spec?.bootstrapTokens)?.map(initToken),
    localAPIEndpoint: localApiEndpoint(spec?.localAPIEndpoint),
    nodeRegistration: nodeRegistration(api, spec?.nodeRegistration),
    patches: patches(spec?.patches),
    skipPhases: filledList(spec?.skipPhases),
    timeouts: timeouts(api, spec?.timeouts),
  };
}

/** The document in the given API version. */
export function joinConfiguration(api: KubeadmApi, spec: JoinConfiguration | undefined): YamlValue {
  const isOld = api === 'v1beta3';
  const { controlPlane } = spec ?? {};
  return {
    apiVersion: kubeadmApiVersion(api),
    kind: 'JoinConfiguration',
    caCertPath: filled(spec?.caCertPath),
    controlPlane: controlPlane && { localAPIEndpoint: localApiEndpoint(controlPlane.localAPIEndpoint) },
    discovery: {
      ...discovery(spec?.discovery),
      timeout: isOld ? duration(spec?.timeouts?.tlsBootstrapSeconds) : undefined,
    },
    nodeRegistration: nodeRegistration(api, spec?.nodeRegistration),
    patches: patches(spec?.patches),
    skipPhases: filledList(spec?.skipPhases),
    timeouts: timeouts(api, spec?.timeouts),
  };
}

/** The configuration of a worker: with the uninitialized taint, unless it is there. The given one is not changed. */
export function withUninitializedTaint(spec: JoinConfiguration | undefined): JoinConfiguration {
  const taints = spec?.nodeRegistration?.taints ?? [];
  const isThere = taints.some(
    ({ key, effect }) => key === uninitializedTaint.key && effect === uninitializedTaint.effect,
  );
  if (isThere) return spec ?? {};
  return { ...spec, nodeRegistration: { ...spec?.nodeRegistration, taints: [...taints, uninitializedTaint] } };
}

function initToken({ token, description, ttlSeconds, expires, usages, groups }: InitToken): YamlMap {
  return {
    token: filled(token) ?? null,
    description: filled(description),
    ttl: duration(ttlSeconds),
    expires: expires === undefined ? undefined : goRfc3339(expires),
    usages: filledList(usages),
    groups: filledList(groups),
  };
}

function discovery(spec: Discovery | undefined): YamlMap {
  const { bootstrapToken, file, tlsBootstrapToken } = spec ?? {};
  return {
    bootstrapToken: isDefined(bootstrapToken)
      ? {
          token: bootstrapToken?.token ?? '',
          apiServerEndpoint: filled(bootstrapToken?.apiServerEndpoint),
          caCertHashes: filledList(bootstrapToken?.caCertHashes),
          unsafeSkipCAVerification: bootstrapToken?.unsafeSkipCAVerification === true ? true : undefined,
        }
      : undefined,
    file: isDefined(file) ? { kubeConfigPath: file?.kubeConfigPath ?? '' } : undefined,
    tlsBootstrapToken: filled(tlsBootstrapToken),
  };
}
