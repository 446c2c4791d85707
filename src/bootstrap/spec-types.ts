// Names for the parts of KubeadmConfig v1beta2 that bootstrap data is made of. The types themselves are the API's.
//
// Everything the CRD lets a user leave out is optional here. Nothing validates; see spec-shape.ts for what comes from files.
import type { KubeadmConfigSpec } from '../api/kubeadmconfig/v1beta2.js';

export type { KubeadmConfigSpec };

/** `spec.clusterConfiguration`. */
export type ClusterConfiguration = NonNullable<KubeadmConfigSpec['clusterConfiguration']>;
/** `spec.initConfiguration`. */
export type InitConfiguration = NonNullable<KubeadmConfigSpec['initConfiguration']>;
/** `spec.joinConfiguration`. */
export type JoinConfiguration = NonNullable<KubeadmConfigSpec['joinConfiguration']>;
/** The API server's settings; controller manager and scheduler have the same but for `certSANs`. */
export type ApiServer = NonNullable<ClusterConfiguration['apiServer']>;
/** Settings of the controller manager or the scheduler. */
export type ControlPlaneComponent = NonNullable<ClusterConfiguration['scheduler']>;
/** `spec.clusterConfiguration.etcd`. */
export type Etcd = NonNullable<ClusterConfiguration['etcd']>;
/** A `{name, value}` argument. */
export type Arg = NonNullable<ControlPlaneComponent['extraArgs']>[number];
/** An environment variable of a control plane component. */
export type EnvVar = NonNullable<ControlPlaneComponent['extraEnvs']>[number];
/** A host directory mounted into a static pod. */
export type HostPathMount = NonNullable<ControlPlaneComponent['extraVolumes']>[number];
/** How the kubelet registers its Node. */
export type NodeRegistration = NonNullable<InitConfiguration['nodeRegistration']>;
/** A node taint. */
export type Taint = NonNullable<NodeRegistration['taints']>[number];
/** How long kubeadm waits for what. */
export type Timeouts = NonNullable<InitConfiguration['timeouts']>;
/** A bootstrap token that `kubeadm init` creates. */
export type InitToken = NonNullable<InitConfiguration['bootstrapTokens']>[number];
/** Where the API server of this node listens. */
export type ApiEndpoint = NonNullable<InitConfiguration['localAPIEndpoint']>;
/** `spec.joinConfiguration.discovery`. */
export type Discovery = NonNullable<JoinConfiguration['discovery']>;
/** Discovery by bootstrap token. */
export type TokenDiscovery = NonNullable<Discovery['bootstrapToken']>;
/** Discovery by a kubeconfig file. */
export type FileDiscovery = NonNullable<Discovery['file']>;
/** The kubeconfig of file discovery. */
export type DiscoveryKubeConfig = NonNullable<FileDiscovery['kubeConfig']>;
/** One entry of `spec.files`. */
export type SpecFile = NonNullable<KubeadmConfigSpec['files']>[number];
/** One entry of `spec.users`. */
export type SpecUser = NonNullable<KubeadmConfigSpec['users']>[number];
/** `spec.ntp`. */
export type Ntp = NonNullable<KubeadmConfigSpec['ntp']>;
/** `spec.diskSetup`. */
export type DiskSetup = NonNullable<KubeadmConfigSpec['diskSetup']>;
/** One disk of `spec.diskSetup`. */
export type DiskPartition = NonNullable<DiskSetup['partitions']>[number];
/** One filesystem of `spec.diskSetup`. */
export type DiskFilesystem = NonNullable<DiskSetup['filesystems']>[number];
/** `spec.ignition`. */
export type IgnitionSpec = NonNullable<KubeadmConfigSpec['ignition']>;

/**
 * Whether Go would call the value defined: not equal to its zero value. A list or map that is present is defined even if
 * it is empty; an object is when one of its members is.
 */
export function isDefined(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (typeof value !== 'object' || Array.isArray(value)) return true;
  return Object.values(value).some(isDefined);
}
