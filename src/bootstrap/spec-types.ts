// The parts of KubeadmConfig v1beta2 that bootstrap data is made of, as plain structural types.
//
// Everything the CRD lets a user leave out is optional, and so is everything that reaches us from files (`render`),
// where no schema has been applied. Nothing here validates; see `src/api` for the schema.

/** A `{name, value}` argument. An absent value counts as empty. */
export interface Arg {
  readonly name: string;
  readonly value?: string;
}

/** An environment variable of a control plane component, as Kubernetes' core EnvVar. */
export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: EnvVarSource;
}

/** Where an environment variable's value comes from. */
export interface EnvVarSource {
  readonly fieldRef?: { readonly apiVersion?: string; readonly fieldPath: string };
  readonly resourceFieldRef?: {
    readonly containerName?: string;
    readonly resource: string;
    readonly divisor?: string | number;
  };
  readonly configMapKeyRef?: KeyRef;
  readonly secretKeyRef?: KeyRef;
  readonly fileKeyRef?: {
    readonly volumeName: string;
    readonly path: string;
    readonly key: string;
    readonly optional?: boolean;
  };
}

/** A key of a ConfigMap or Secret. */
export interface KeyRef {
  readonly name?: string;
  readonly key: string;
  readonly optional?: boolean;
}

/** A host directory mounted into a static pod. */
export interface HostPathMount {
  readonly name: string;
  readonly hostPath: string;
  readonly mountPath: string;
  readonly readOnly?: boolean;
  readonly pathType?: string;
}

/** What apiServer, controllerManager and scheduler have in common. */
export interface ControlPlaneComponent {
  readonly extraArgs?: readonly Arg[];
  readonly extraVolumes?: readonly HostPathMount[];
  readonly extraEnvs?: readonly EnvVar[];
}

/** The API server's own settings. */
export interface ApiServer extends ControlPlaneComponent {
  readonly certSANs?: readonly string[];
}

/** An etcd member that kubeadm runs. */
export interface LocalEtcd {
  readonly imageRepository?: string;
  readonly imageTag?: string;
  readonly dataDir?: string;
  readonly extraArgs?: readonly Arg[];
  readonly extraEnvs?: readonly EnvVar[];
  readonly serverCertSANs?: readonly string[];
  readonly peerCertSANs?: readonly string[];
}

/** An etcd that is managed elsewhere. */
export interface ExternalEtcd {
  readonly endpoints?: readonly string[];
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/** `spec.clusterConfiguration`. */
export interface ClusterConfiguration {
  readonly etcd?: { readonly local?: LocalEtcd; readonly external?: ExternalEtcd };
  readonly controlPlaneEndpoint?: string;
  readonly apiServer?: ApiServer;
  readonly controllerManager?: ControlPlaneComponent;
  readonly scheduler?: ControlPlaneComponent;
  readonly dns?: { readonly imageRepository?: string; readonly imageTag?: string };
  readonly certificatesDir?: string;
  readonly imageRepository?: string;
  readonly featureGates?: Readonly<Record<string, boolean>>;
  readonly certificateValidityPeriodDays?: number;
  readonly caCertificateValidityPeriodDays?: number;
  readonly encryptionAlgorithm?: string;
}

/** A node taint. */
export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

/** How the kubelet registers its Node. */
export interface NodeRegistration {
  readonly name?: string;
  readonly criSocket?: string;
  readonly taints?: readonly Taint[];
  readonly kubeletExtraArgs?: readonly Arg[];
  readonly ignorePreflightErrors?: readonly string[];
  readonly imagePullPolicy?: string;
  readonly imagePullSerial?: boolean;
}

/** Where the API server of this node listens. */
export interface ApiEndpoint {
  readonly advertiseAddress?: string;
  readonly bindPort?: number;
}

/** How long kubeadm waits for what, in seconds. */
export interface Timeouts {
  readonly controlPlaneComponentHealthCheckSeconds?: number;
  readonly kubeletHealthCheckSeconds?: number;
  readonly kubernetesAPICallSeconds?: number;
  readonly etcdAPICallSeconds?: number;
  readonly tlsBootstrapSeconds?: number;
  readonly discoverySeconds?: number;
}

/** A bootstrap token that `kubeadm init` creates. */
export interface InitToken {
  readonly token?: string;
  readonly description?: string;
  readonly ttlSeconds?: number;
  readonly expires?: string;
  readonly usages?: readonly string[];
  readonly groups?: readonly string[];
}

/** `spec.initConfiguration`. */
export interface InitConfiguration {
  readonly bootstrapTokens?: readonly InitToken[];
  readonly nodeRegistration?: NodeRegistration;
  readonly localAPIEndpoint?: ApiEndpoint;
  readonly skipPhases?: readonly string[];
  readonly patches?: { readonly directory?: string };
  readonly timeouts?: Timeouts;
}

/** Discovery by bootstrap token. */
export interface TokenDiscovery {
  readonly token?: string;
  readonly apiServerEndpoint?: string;
  readonly caCertHashes?: readonly string[];
  readonly unsafeSkipCAVerification?: boolean;
}

/** The cluster part of a discovery kubeconfig. */
export interface KubeConfigCluster {
  readonly server?: string;
  readonly tlsServerName?: string;
  readonly insecureSkipTLSVerify?: boolean;
  /** Base64, as in the API's JSON. */
  readonly certificateAuthorityData?: string;
  readonly proxyURL?: string;
}

/** The credentials of a discovery kubeconfig. */
export interface KubeConfigUser {
  readonly authProvider?: { readonly name: string; readonly config?: Readonly<Record<string, string>> };
  readonly exec?: {
    readonly command: string;
    readonly args?: readonly string[];
    readonly env?: readonly { readonly name: string; readonly value: string }[];
    readonly apiVersion?: string;
    readonly provideClusterInfo?: boolean;
  };
}

/** Discovery by a kubeconfig file. */
export interface FileDiscovery {
  readonly kubeConfigPath?: string;
  readonly kubeConfig?: { readonly cluster?: KubeConfigCluster; readonly user?: KubeConfigUser };
}

/** `spec.joinConfiguration.discovery`. */
export interface Discovery {
  readonly bootstrapToken?: TokenDiscovery;
  readonly file?: FileDiscovery;
  readonly tlsBootstrapToken?: string;
}

/** `spec.joinConfiguration`. */
export interface JoinConfiguration {
  readonly nodeRegistration?: NodeRegistration;
  readonly caCertPath?: string;
  readonly discovery?: Discovery;
  readonly controlPlane?: { readonly localAPIEndpoint?: ApiEndpoint };
  readonly skipPhases?: readonly string[];
  readonly patches?: { readonly directory?: string };
  readonly timeouts?: Timeouts;
}

/** A reference to one key of a Secret in the KubeadmConfig's namespace. */
export interface SecretSource {
  readonly secret?: { readonly name?: string; readonly key?: string };
}

/** One entry of `spec.files`. */
export interface SpecFile {
  readonly path: string;
  readonly owner?: string;
  readonly permissions?: string;
  readonly encoding?: string;
  readonly append?: boolean;
  readonly content?: string;
  readonly contentFrom?: SecretSource;
  readonly contentFormat?: string;
}

/** One entry of `spec.users`. */
export interface SpecUser {
  readonly name: string;
  readonly gecos?: string;
  readonly groups?: string;
  readonly homeDir?: string;
  readonly inactive?: boolean;
  readonly shell?: string;
  readonly passwd?: string;
  readonly passwdFrom?: SecretSource;
  readonly primaryGroup?: string;
  readonly lockPassword?: boolean;
  readonly sudo?: string;
  readonly sshAuthorizedKeys?: readonly string[];
}

/** `spec.ntp`. */
export interface Ntp {
  readonly servers?: readonly string[];
  readonly enabled?: boolean;
}

/** One disk of `spec.diskSetup`. */
export interface DiskPartition {
  readonly device: string;
  readonly layout?: boolean;
  readonly diskLayout?: readonly { readonly percentage: number; readonly partitionType?: string }[];
  readonly overwrite?: boolean;
  readonly tableType?: string;
}

/** One filesystem of `spec.diskSetup`. */
export interface DiskFilesystem {
  readonly device: string;
  readonly filesystem: string;
  readonly label?: string;
  readonly partition?: string;
  readonly overwrite?: boolean;
  readonly replaceFS?: string;
  readonly extraOpts?: readonly string[];
}

/** `spec.diskSetup`. */
export interface DiskSetup {
  readonly partitions?: readonly DiskPartition[];
  readonly filesystems?: readonly DiskFilesystem[];
}

/** `spec.ignition`. */
export interface IgnitionSpec {
  readonly containerLinuxConfig?: { readonly additionalConfig?: string; readonly strict?: boolean };
}

/** `spec` of a KubeadmConfig, v1beta2. */
export interface KubeadmConfigSpec {
  readonly clusterConfiguration?: ClusterConfiguration;
  readonly initConfiguration?: InitConfiguration;
  readonly joinConfiguration?: JoinConfiguration;
  readonly files?: readonly SpecFile[];
  readonly diskSetup?: DiskSetup;
  readonly mounts?: readonly (readonly string[])[];
  readonly bootCommands?: readonly string[];
  readonly preKubeadmCommands?: readonly string[];
  readonly postKubeadmCommands?: readonly string[];
  readonly users?: readonly SpecUser[];
  readonly ntp?: Ntp;
  readonly format?: string;
  readonly verbosity?: number;
  readonly ignition?: IgnitionSpec;
}
