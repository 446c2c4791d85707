// kubeadm's ClusterConfiguration: what a user asks for, with what only the Cluster and the Machine know.
//
// Structs are written even when they are empty, so a cluster with nothing set still prints `dns: {}` and the like.
import type { ClusterFacts } from '../bootstrap-types.js';
import type { YamlValue } from '../go-format/go-yaml.js';
import {
  isDefined,
  type ApiServer,
  type ClusterConfiguration,
  type ControlPlaneComponent,
  type Etcd,
} from '../spec-types.js';
import { kubeadmApiVersion, type KubeadmApi } from './kubeadm-api.js';
import { args, duration, extraEnvs, extraVolumes, filled, filledList, type YamlMap } from './shared-fields.js';

const secondsPerDay = 86_400;

/** What the spec does not say. */
export interface AdditionalData {
  readonly clusterName: string;
  /** As the Machine has it, with its `v`; empty if it has none. */
  readonly kubernetesVersion: string;
  readonly dnsDomain: string;
  readonly serviceSubnet: string;
  readonly podSubnet: string;
  /** From `initConfiguration.timeouts`; only v1beta3 has it here. */
  readonly controlPlaneComponentHealthCheckSeconds: number | undefined;
}

/** What the Cluster and the Machine add. */
export function additionalData(
  cluster: ClusterFacts,
  kubernetesVersion: string,
  healthCheckSeconds: number | undefined,
): AdditionalData {
  return {
    clusterName: cluster.name,
    kubernetesVersion,
    dnsDomain: cluster.serviceDomain,
    serviceSubnet: cluster.serviceCidrBlocks.join(','),
    podSubnet: cluster.podCidrBlocks.join(','),
    controlPlaneComponentHealthCheckSeconds: healthCheckSeconds,
  };
}

/** The document in the given API version. */
export function clusterConfiguration(
  api: KubeadmApi,
  spec: ClusterConfiguration | undefined,
  additional: AdditionalData,
): YamlValue {
  const isNew = api === 'v1beta4';
  const { featureGates } = spec ?? {};
  return {
    apiVersion: kubeadmApiVersion(api),
    kind: 'ClusterConfiguration',
    apiServer: apiServer(api, spec?.apiServer, additional),
    caCertificateValidityPeriod: isNew ? days(spec?.caCertificateValidityPeriodDays) : undefined,
    certificateValidityPeriod: isNew ? days(spec?.certificateValidityPeriodDays) : undefined,
    certificatesDir: filled(spec?.certificatesDir),
    clusterName: filled(additional.clusterName),
    controlPlaneEndpoint: filled(spec?.controlPlaneEndpoint),
    controllerManager: component(api, spec?.controllerManager),
    dns: { imageRepository: filled(spec?.dns?.imageRepository), imageTag: filled(spec?.dns?.imageTag) },
    encryptionAlgorithm: isNew ? filled(spec?.encryptionAlgorithm) : undefined,
    etcd: etcd(api, spec?.etcd),
    featureGates: featureGates !== undefined && Object.keys(featureGates).length > 0 ? featureGates : undefined,
    imageRepository: filled(spec?.imageRepository),
    kubernetesVersion: filled(additional.kubernetesVersion),
    networking: {
      dnsDomain: filled(additional.dnsDomain),
      podSubnet: filled(additional.podSubnet),
      serviceSubnet: filled(additional.serviceSubnet),
    },
    proxy: isNew ? {} : undefined,
    scheduler: component(api, spec?.scheduler),
  };
}

function apiServer(api: KubeadmApi, spec: ApiServer | undefined, additional: AdditionalData): YamlMap {
  const { controlPlaneComponentHealthCheckSeconds: seconds } = additional;
  return {
    ...component(api, spec),
    certSANs: filledList(spec?.certSANs),
    timeoutForControlPlane: api === 'v1beta3' ? duration(seconds) : undefined,
  };
}

function component(api: KubeadmApi, spec: ControlPlaneComponent | undefined): YamlMap {
  return {
    extraArgs: args(api, spec?.extraArgs),
    extraEnvs: extraEnvs(api, spec?.extraEnvs),
    extraVolumes: extraVolumes(spec?.extraVolumes),
  };
}

function etcd(api: KubeadmApi, spec: Etcd | undefined): YamlMap {
  const { local, external } = spec ?? {};
  return {
    local: isDefined(local)
      ? {
          dataDir: local?.dataDir ?? '',
          extraArgs: args(api, local?.extraArgs),
          extraEnvs: extraEnvs(api, local?.extraEnvs),
          imageRepository: filled(local?.imageRepository),
          imageTag: filled(local?.imageTag),
          peerCertSANs: filledList(local?.peerCertSANs),
          serverCertSANs: filledList(local?.serverCertSANs),
        }
      : undefined,
    external: isDefined(external)
      ? {
          caFile: external?.caFile ?? '',
          certFile: external?.certFile ?? '',
          endpoints: external?.endpoints ?? null,
          keyFile: external?.keyFile ?? '',
        }
      : undefined,
  };
}

function days(count: number | undefined): string | undefined {
  return count === undefined || count === 0 ? undefined : duration(count * secondsPerDay);
}
