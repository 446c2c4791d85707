// From v1beta1 to v1beta2.
//
// v1beta1 cannot say everything that v1beta2 can. What was lost on the way down was kept in an annotation, as the object in
// v1beta2; from it, and from nothing else, time limits and explicit `false` values are restored. What v1beta1 itself says
// about a time limit wins. Values here are decoded ones (wire.ts): neither side holds empty texts.
//
//   C1. v1beta1 false becomes v1beta2 false only where the annotation says false; otherwise it becomes absent.
//   C2. Fields that v1beta2 does not have are dropped: nothing has read them since v1beta2 exists.

import { parseDuration, wholeSeconds } from '../text-forms.js';
import type * as v1beta1 from './v1beta1.js';
import type * as v1beta2 from './v1beta2.js';
import { nonEmpty, whole, type Whole } from './whole.js';

/** Converts a spec. `restored` is the spec in the annotation. */
export function specUp(src: v1beta1.KubeadmConfigSpec, restored: v1beta2.KubeadmConfigSpec): v1beta2.KubeadmConfigSpec {
  const limits = timeLimits(src, restored);
  return whole<v1beta2.KubeadmConfigSpec>({
    clusterConfiguration: clusterConfigurationUp(src.clusterConfiguration ?? {}, restored.clusterConfiguration ?? {}),
    initConfiguration: initConfigurationUp(src.initConfiguration ?? {}, limits.init),
    joinConfiguration: joinConfigurationUp(src.joinConfiguration ?? {}, restored.joinConfiguration ?? {}, limits.join),
    files: src.files?.map((file) => {
      const before = restored.files?.find(({ path }) => path === file.path);
      return { ...file, ...recalled('append', file, before) };
    }),
    diskSetup: diskSetupUp(src.diskSetup),
    mounts: src.mounts,
    bootCommands: src.bootCommands,
    preKubeadmCommands: src.preKubeadmCommands,
    postKubeadmCommands: src.postKubeadmCommands,
    users: src.users,
    ntp: src.ntp,
    format: src.format,
    verbosity: src.verbosity,
    ignition: ignitionUp(src.ignition, restored.ignition),
  });
}

/** Converts a status. `restored` is the status in the annotation. */
export function statusUp(
  src: v1beta1.KubeadmConfigStatus,
  restored: v1beta2.KubeadmConfigStatus,
): v1beta2.KubeadmConfigStatus {
  const dataSecretCreated =
    src.ready === true ? true : restored.initialization?.dataSecretCreated === false ? false : undefined;
  return whole<v1beta2.KubeadmConfigStatus>({
    conditions: src.v1beta2?.conditions,
    initialization: dataSecretCreated === undefined ? undefined : { dataSecretCreated },
    dataSecretName: src.dataSecretName,
    observedGeneration: src.observedGeneration,
    deprecated: {
      v1beta1: whole<NonNullable<NonNullable<v1beta2.KubeadmConfigStatus['deprecated']>['v1beta1']>>({
        conditions: src.conditions,
        failureReason: src.failureReason,
        failureMessage: src.failureMessage,
      }),
    },
  });
}

/** An explicit false that v1beta1 could not say, by C1. */
function recalled<K extends string>(
  name: K,
  now: { readonly [name in K]?: boolean } | undefined,
  before: { readonly [name in K]?: boolean } | undefined,
): { readonly [name in K]?: boolean } {
  const isFalse = now?.[name] !== true && before?.[name] === false;
  return isFalse ? ({ [name]: false } as { readonly [name in K]: boolean }) : {};
}

function timeLimits(src: v1beta1.KubeadmConfigSpec, restored: v1beta2.KubeadmConfigSpec) {
  const controlPlane = seconds(src.clusterConfiguration?.apiServer?.timeoutForControlPlane);
  const tlsBootstrap = seconds(src.joinConfiguration?.discovery?.timeout);
  const init = { ...restored.initConfiguration?.timeouts };
  const { controlPlaneComponentHealthCheckSeconds: before, ...join } = { ...restored.joinConfiguration?.timeouts };
  const said = <K extends string>(name: K, value: number | undefined) =>
    (value === undefined ? {} : { [name]: value }) as { readonly [name in K]?: number };
  const isSaid = controlPlane !== undefined || tlsBootstrap !== undefined;
  return {
    init: { ...init, ...said('controlPlaneComponentHealthCheckSeconds', controlPlane) },
    join: {
      ...join,
      ...said('controlPlaneComponentHealthCheckSeconds', isSaid ? controlPlane : before),
      ...said('tlsBootstrapSeconds', tlsBootstrap),
    },
  };
}

function seconds(duration: string | undefined): number | undefined {
  const nanoseconds = duration === undefined ? undefined : parseDuration(duration);
  return nanoseconds === undefined ? undefined : wholeSeconds(nanoseconds);
}

function clusterConfigurationUp(
  src: v1beta1.ClusterConfiguration,
  restored: v1beta2.ClusterConfiguration,
): v1beta2.ClusterConfiguration {
  return whole<v1beta2.ClusterConfiguration>({
    etcd:
      src.etcd &&
      whole<NonNullable<v1beta2.ClusterConfiguration['etcd']>>({
        local: src.etcd.local && withArgList(src.etcd.local),
        external: src.etcd.external,
      }),
    controlPlaneEndpoint: src.controlPlaneEndpoint,
    apiServer: {
      ...componentUp(src.apiServer ?? {}, restored.apiServer),
      ...(src.apiServer?.certSANs === undefined ? {} : { certSANs: src.apiServer.certSANs }),
    },
    controllerManager: componentUp(src.controllerManager ?? {}, restored.controllerManager),
    scheduler: componentUp(src.scheduler ?? {}, restored.scheduler),
    dns: src.dns,
    certificatesDir: src.certificatesDir,
    imageRepository: src.imageRepository,
    featureGates: src.featureGates,
    certificateValidityPeriodDays: src.certificateValidityPeriodDays,
    caCertificateValidityPeriodDays: src.caCertificateValidityPeriodDays,
    encryptionAlgorithm: src.encryptionAlgorithm,
  });
}

type ComponentUp = NonNullable<v1beta2.ClusterConfiguration['scheduler']>;

function componentUp(
  src: NonNullable<v1beta1.ClusterConfiguration['scheduler']>,
  restored: ComponentUp | undefined,
): ComponentUp {
  return whole<ComponentUp>({
    extraArgs: src.extraArgs && argList(src.extraArgs),
    extraVolumes: nonEmpty(src.extraVolumes)?.map((volume) => {
      const before = restored?.extraVolumes?.find(({ hostPath }) => hostPath === volume.hostPath);
      return { ...volume, ...recalled('readOnly', volume, before) };
    }),
    extraEnvs: src.extraEnvs,
  });
}

function withArgList<T extends { readonly extraArgs?: Readonly<Record<string, string>> }>({ extraArgs, ...rest }: T) {
  return { ...rest, ...(extraArgs === undefined ? {} : { extraArgs: argList(extraArgs) }) };
}

function argList(args: Readonly<Record<string, string>>): readonly v1beta2.Arg[] {
  const list = Object.entries(args).map(([name, value]) => ({ name, value }));
  return list.sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
}

function nodeRegistrationUp(src: v1beta1.NodeRegistration | undefined): v1beta2.NodeRegistration | undefined {
  if (src === undefined) return undefined;
  const { kubeletExtraArgs, ...rest } = src;
  return { ...rest, ...(kubeletExtraArgs === undefined ? {} : { kubeletExtraArgs: argList(kubeletExtraArgs) }) };
}

function initConfigurationUp(src: v1beta1.InitConfiguration, timeouts: v1beta2.Timeouts): v1beta2.InitConfiguration {
  return whole<v1beta2.InitConfiguration>({
    bootstrapTokens: src.bootstrapTokens?.map(({ ttl, ...token }) => {
      const ttlSeconds = seconds(ttl);
      return { ...token, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) };
    }),
    nodeRegistration: nodeRegistrationUp(src.nodeRegistration),
    localAPIEndpoint: src.localAPIEndpoint,
    skipPhases: src.skipPhases,
    patches: src.patches,
    timeouts,
  });
}

function joinConfigurationUp(
  src: v1beta1.JoinConfiguration,
  restored: v1beta2.JoinConfiguration,
  timeouts: v1beta2.Timeouts,
): v1beta2.JoinConfiguration {
  const { discovery } = src;
  return whole<v1beta2.JoinConfiguration>({
    nodeRegistration: nodeRegistrationUp(src.nodeRegistration),
    caCertPath: src.caCertPath,
    discovery:
      discovery &&
      whole<v1beta2.Discovery>({
        bootstrapToken: discovery.bootstrapToken && {
          ...discovery.bootstrapToken,
          ...recalled('unsafeSkipCAVerification', discovery.bootstrapToken, restored.discovery?.bootstrapToken),
        },
        file: discovery.file && fileDiscoveryUp(discovery.file, restored.discovery?.file),
        tlsBootstrapToken: discovery.tlsBootstrapToken,
      }),
    controlPlane: src.controlPlane,
    skipPhases: src.skipPhases,
    patches: src.patches,
    timeouts,
  });
}

function fileDiscoveryUp(
  src: v1beta2.FileDiscovery,
  restored: v1beta2.FileDiscovery | undefined,
): v1beta2.FileDiscovery {
  const { kubeConfig } = src;
  if (kubeConfig === undefined) return src;
  const exec = kubeConfig.user?.exec;
  const before = restored?.kubeConfig;
  const parts: Partial<Whole<v1beta2.FileDiscoveryKubeConfig>> = {
    ...(kubeConfig.cluster === undefined
      ? {}
      : {
          cluster: { ...kubeConfig.cluster, ...recalled('insecureSkipTLSVerify', kubeConfig.cluster, before?.cluster) },
        }),
    ...(exec === undefined
      ? {}
      : {
          user: {
            ...kubeConfig.user,
            exec: { ...exec, ...recalled('provideClusterInfo', exec, before?.user?.exec) },
          },
        }),
  };
  return { ...src, kubeConfig: { ...kubeConfig, ...parts } as v1beta2.FileDiscoveryKubeConfig };
}

// In v1beta1 `layout` cannot be absent, so its false always becomes an explicit one, as upstream's.
function diskSetupUp(src: v1beta1.KubeadmConfigSpec['diskSetup']): v1beta2.DiskSetup | undefined {
  if (src?.partitions === undefined) return src as v1beta2.DiskSetup | undefined;
  return {
    ...src,
    partitions: src.partitions.map((partition) => ({ ...partition, layout: partition.layout ?? false })),
  };
}

function ignitionUp(
  src: v1beta2.IgnitionSpec | undefined,
  restored: v1beta2.IgnitionSpec | undefined,
): v1beta2.IgnitionSpec | undefined {
  const config = src?.containerLinuxConfig;
  if (config === undefined) return src;
  return { containerLinuxConfig: { ...config, ...recalled('strict', config, restored?.containerLinuxConfig) } };
}
