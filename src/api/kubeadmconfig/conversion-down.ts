// From v1beta2 to v1beta1.
//
// v1beta1 cannot say everything: an explicit `false` reads as absent, and most time limits have no place. The caller keeps
// the whole object in an annotation, so that nothing is lost when it comes back (conversion-up.ts).

import { secondsAsDuration } from '../text-forms.js';
import type * as v1beta1 from './v1beta1.js';
import type * as v1beta2 from './v1beta2.js';
import { nonEmpty, whole } from './whole.js';

/** Converts a spec. */
export function specDown(src: v1beta2.KubeadmConfigSpec): v1beta1.KubeadmConfigSpec {
  return whole<v1beta1.KubeadmConfigSpec>({
    clusterConfiguration: clusterConfigurationDown(src),
    initConfiguration: src.initConfiguration && said(initConfigurationDown(src.initConfiguration)),
    joinConfiguration: src.joinConfiguration && said(joinConfigurationDown(src.joinConfiguration)),
    files: src.files,
    diskSetup: diskSetupDown(src.diskSetup),
    mounts: src.mounts,
    bootCommands: src.bootCommands,
    preKubeadmCommands: src.preKubeadmCommands,
    postKubeadmCommands: src.postKubeadmCommands,
    users: src.users,
    ntp: src.ntp,
    format: src.format,
    verbosity: src.verbosity,
    useExperimentalRetryJoin: undefined,
    ignition: src.ignition,
  });
}

/** Converts a status. */
export function statusDown(src: v1beta2.KubeadmConfigStatus): v1beta1.KubeadmConfigStatus {
  const old = src.deprecated?.v1beta1;
  return whole<v1beta1.KubeadmConfigStatus>({
    ready: src.initialization?.dataSecretCreated ?? false,
    dataSecretName: src.dataSecretName,
    failureReason: old?.failureReason,
    failureMessage: old?.failureMessage,
    observedGeneration: src.observedGeneration,
    conditions: old?.conditions,
    v1beta2: src.conditions && { conditions: src.conditions },
  });
}

// An object of which v1beta1 can say nothing is left out.
function said<T extends object>(value: T): T | undefined {
  return Object.keys(value).length > 0 ? value : undefined;
}

function clusterConfigurationDown(spec: v1beta2.KubeadmConfigSpec): v1beta1.ClusterConfiguration | undefined {
  const limit = spec.initConfiguration?.timeouts?.controlPlaneComponentHealthCheckSeconds;
  if (spec.clusterConfiguration === undefined && limit === undefined) return undefined;
  const src = spec.clusterConfiguration ?? {};
  const apiServer = {
    ...componentDown(src.apiServer),
    ...(src.apiServer?.certSANs === undefined ? {} : { certSANs: src.apiServer.certSANs }),
    ...(limit === undefined ? {} : { timeoutForControlPlane: secondsAsDuration(limit) }),
  };
  return whole<v1beta1.ClusterConfiguration>({
    kind: undefined,
    apiVersion: undefined,
    etcd: etcdDown(src.etcd),
    networking: undefined,
    kubernetesVersion: undefined,
    controlPlaneEndpoint: src.controlPlaneEndpoint,
    apiServer,
    controllerManager: componentDown(src.controllerManager),
    scheduler: componentDown(src.scheduler),
    dns: src.dns,
    clusterName: undefined,
    certificatesDir: src.certificatesDir,
    imageRepository: src.imageRepository,
    featureGates: src.featureGates,
    certificateValidityPeriodDays: src.certificateValidityPeriodDays,
    caCertificateValidityPeriodDays: src.caCertificateValidityPeriodDays,
    encryptionAlgorithm: src.encryptionAlgorithm,
  });
}

function etcdDown(src: v1beta2.ClusterConfiguration['etcd']): v1beta1.ClusterConfiguration['etcd'] | undefined {
  if (src?.local?.extraArgs === undefined) return src as v1beta1.ClusterConfiguration['etcd'] | undefined;
  return { ...src, local: { ...src.local, extraArgs: argMap(src.local.extraArgs) } };
}

function componentDown(
  src: v1beta2.ClusterConfiguration['scheduler'],
): NonNullable<v1beta1.ClusterConfiguration['scheduler']> {
  return whole<NonNullable<v1beta1.ClusterConfiguration['scheduler']>>({
    extraArgs: src?.extraArgs && argMap(src.extraArgs),
    extraVolumes: nonEmpty(src?.extraVolumes),
    extraEnvs: src?.extraEnvs,
  });
}

// Of several arguments with one name the last one wins: v1beta1 can hold only one. An old object may have one without a value.
function argMap(args: readonly v1beta2.Arg[]): Readonly<Record<string, string>> {
  return Object.fromEntries(args.map(({ name, value }: Partial<v1beta2.Arg>) => [name ?? '', value ?? '']));
}

function nodeRegistrationDown(src: v1beta2.NodeRegistration | undefined): v1beta1.NodeRegistration | undefined {
  if (src === undefined) return undefined;
  const { kubeletExtraArgs, ...rest } = src;
  return { ...rest, ...(kubeletExtraArgs === undefined ? {} : { kubeletExtraArgs: argMap(kubeletExtraArgs) }) };
}

function initConfigurationDown(src: v1beta2.InitConfiguration): v1beta1.InitConfiguration {
  return whole<v1beta1.InitConfiguration>({
    kind: undefined,
    apiVersion: undefined,
    bootstrapTokens: src.bootstrapTokens?.map(({ ttlSeconds, ...token }) => ({
      ...token,
      ...(ttlSeconds === undefined ? {} : { ttl: secondsAsDuration(ttlSeconds) }),
    })),
    nodeRegistration: nodeRegistrationDown(src.nodeRegistration),
    localAPIEndpoint: src.localAPIEndpoint,
    skipPhases: src.skipPhases,
    patches: src.patches,
  });
}

function joinConfigurationDown(src: v1beta2.JoinConfiguration): v1beta1.JoinConfiguration {
  const limit = src.timeouts?.tlsBootstrapSeconds;
  const timeout = limit === undefined ? {} : { timeout: secondsAsDuration(limit) };
  return whole<v1beta1.JoinConfiguration>({
    kind: undefined,
    apiVersion: undefined,
    nodeRegistration: nodeRegistrationDown(src.nodeRegistration),
    caCertPath: src.caCertPath,
    discovery: said({ ...src.discovery, ...timeout }),
    controlPlane: src.controlPlane,
    skipPhases: src.skipPhases,
    patches: src.patches,
  });
}

function diskSetupDown(src: v1beta2.DiskSetup | undefined): v1beta1.KubeadmConfigSpec['diskSetup'] | undefined {
  if (src?.partitions === undefined) return src as v1beta1.KubeadmConfigSpec['diskSetup'] | undefined;
  return {
    ...src,
    partitions: src.partitions.map((partition) => ({ ...partition, layout: partition.layout ?? false })),
  };
}
