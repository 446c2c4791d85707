// The names by which we and other programs find each other in the API: groups, versions, kinds, labels, annotations,
// finalizers and condition types.
//
// Every one of them is read by somebody else. Changing one breaks a running cluster.

/** API groups. */
export const group = {
  bootstrap: 'bootstrap.cluster.x-k8s.io',
  cluster: 'cluster.x-k8s.io',
  controlPlane: 'controlplane.cluster.x-k8s.io',
  apiExtensions: 'apiextensions.k8s.io',
  coordination: 'coordination.k8s.io',
  policy: 'policy',
  storage: 'storage.k8s.io',
  apps: 'apps',
  authentication: 'authentication.k8s.io',
  authorization: 'authorization.k8s.io',
} as const;

/** The version that is stored and that our code works with. */
export const storageVersion = 'v1beta2';

/** The version that is served by conversion. */
export const legacyVersion = 'v1beta1';

/** All versions of the API, the preferred one first. */
export const servedVersions = [storageVersion, legacyVersion] as const;

/** Where a kind is found in the API. */
export interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

const namespaced = (apiVersion: string, kind: string, plural: string): Resource => ({
  apiVersion,
  kind,
  plural,
  namespaced: true,
});
const clusterWide = (apiVersion: string, kind: string, plural: string): Resource => ({
  apiVersion,
  kind,
  plural,
  namespaced: false,
});

/** Every kind that we read or write, by kind. */
export const resources = {
  KubeadmConfig: namespaced(`${group.bootstrap}/${storageVersion}`, 'KubeadmConfig', 'kubeadmconfigs'),
  KubeadmConfigTemplate: namespaced(
    `${group.bootstrap}/${storageVersion}`,
    'KubeadmConfigTemplate',
    'kubeadmconfigtemplates',
  ),
  Cluster: namespaced(`${group.cluster}/v1beta2`, 'Cluster', 'clusters'),
  Machine: namespaced(`${group.cluster}/v1beta2`, 'Machine', 'machines'),
  MachinePool: namespaced(`${group.cluster}/v1beta2`, 'MachinePool', 'machinepools'),
  MachineSet: namespaced(`${group.cluster}/v1beta2`, 'MachineSet', 'machinesets'),
  MachineDeployment: namespaced(`${group.cluster}/v1beta2`, 'MachineDeployment', 'machinedeployments'),
  MachineDrainRule: namespaced(`${group.cluster}/v1beta2`, 'MachineDrainRule', 'machinedrainrules'),
  KubeadmControlPlane: namespaced(`${group.controlPlane}/v1beta2`, 'KubeadmControlPlane', 'kubeadmcontrolplanes'),
  Secret: namespaced('v1', 'Secret', 'secrets'),
  ConfigMap: namespaced('v1', 'ConfigMap', 'configmaps'),
  Event: namespaced('v1', 'Event', 'events'),
  Pod: namespaced('v1', 'Pod', 'pods'),
  PersistentVolumeClaim: namespaced('v1', 'PersistentVolumeClaim', 'persistentvolumeclaims'),
  PersistentVolume: clusterWide('v1', 'PersistentVolume', 'persistentvolumes'),
  Namespace: clusterWide('v1', 'Namespace', 'namespaces'),
  Node: clusterWide('v1', 'Node', 'nodes'),
  DaemonSet: namespaced(`${group.apps}/v1`, 'DaemonSet', 'daemonsets'),
  Lease: namespaced(`${group.coordination}/v1`, 'Lease', 'leases'),
  PodDisruptionBudget: namespaced(`${group.policy}/v1`, 'PodDisruptionBudget', 'poddisruptionbudgets'),
  VolumeAttachment: clusterWide(`${group.storage}/v1`, 'VolumeAttachment', 'volumeattachments'),
  CustomResourceDefinition: clusterWide(
    `${group.apiExtensions}/v1`,
    'CustomResourceDefinition',
    'customresourcedefinitions',
  ),
} as const satisfies Readonly<Record<string, Resource>>;

/** Labels. */
export const label = {
  clusterName: 'cluster.x-k8s.io/cluster-name',
  controlPlane: 'cluster.x-k8s.io/control-plane',
  controlPlaneName: 'cluster.x-k8s.io/control-plane-name',
  machineSetName: 'cluster.x-k8s.io/set-name',
  machineDeploymentName: 'cluster.x-k8s.io/deployment-name',
  machinePoolName: 'cluster.x-k8s.io/pool-name',
  watchFilter: 'cluster.x-k8s.io/watch-filter',
  interruptible: 'cluster.x-k8s.io/interruptible',
  drain: 'cluster.x-k8s.io/drain',
  provider: 'cluster.x-k8s.io/provider',
} as const;

/** Annotations. */
export const annotation = {
  paused: 'cluster.x-k8s.io/paused',
  conversionData: 'cluster.x-k8s.io/conversion-data',
  topologyDryRun: 'topology.cluster.x-k8s.io/dry-run',
  crdMigrationObservedGeneration: 'crd-migration.cluster.x-k8s.io/observed-generation',
  token: 'kubeadm-bootstrap-operator/token',
  claimedBy: 'kubeadm-bootstrap-operator/claimed-by',
  excludeNodeDraining: 'machine.cluster.x-k8s.io/exclude-node-draining',
  excludeWaitForNodeVolumeDetach: 'machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach',
  preDrainHookPrefix: 'pre-drain.delete.hook.machine.cluster.x-k8s.io',
  preTerminateHookPrefix: 'pre-terminate.delete.hook.machine.cluster.x-k8s.io',
  certificatesExpiry: 'machine.cluster.x-k8s.io/certificates-expiry',
  updateInProgress: 'in-place-updates.internal.cluster.x-k8s.io/update-in-progress',
  pendingHooks: 'runtime.cluster.x-k8s.io/pending-hooks',
  revision: 'machinedeployment.clusters.x-k8s.io/revision',
  clusterName: 'cluster.x-k8s.io/cluster-name',
  clusterNamespace: 'cluster.x-k8s.io/cluster-namespace',
  machine: 'cluster.x-k8s.io/machine',
  ownerKind: 'cluster.x-k8s.io/owner-kind',
  ownerName: 'cluster.x-k8s.io/owner-name',
  labelsFromMachine: 'cluster.x-k8s.io/labels-from-machine',
  annotationsFromMachine: 'cluster.x-k8s.io/annotations-from-machine',
  taintsFromMachine: 'cluster.x-k8s.io/taints-from-machine',
  mirrorPod: 'kubernetes.io/config.mirror',
} as const;

/** Finalizers. */
export const finalizer = {
  machine: 'machine.cluster.x-k8s.io',
} as const;

/** Keys of Node taints. */
export const taintKey = {
  uninitialized: 'node.cluster.x-k8s.io/uninitialized',
  outdatedRevision: 'node.cluster.x-k8s.io/outdated-revision',
} as const;

/** Types of Secrets. */
export const secretType = {
  cluster: 'cluster.x-k8s.io/secret',
  bootstrapToken: 'bootstrap.kubernetes.io/token',
} as const;

/** Condition types of all kinds, standard shape and old shape. */
export const conditionType = {
  actorState: 'ActorState',
  available: 'Available',
  bootstrapConfigReady: 'BootstrapConfigReady',
  bootstrapReady: 'BootstrapReady',
  certificatesAvailable: 'CertificatesAvailable',
  controlPlaneInitialized: 'ControlPlaneInitialized',
  dataSecretAvailable: 'DataSecretAvailable',
  deleting: 'Deleting',
  drainingSucceeded: 'DrainingSucceeded',
  healthCheckSucceeded: 'HealthCheckSucceeded',
  infrastructureReady: 'InfrastructureReady',
  machinesUpToDate: 'MachinesUpToDate',
  nodeHealthy: 'NodeHealthy',
  nodeReady: 'NodeReady',
  ownerRemediated: 'OwnerRemediated',
  paused: 'Paused',
  preDrainDeleteHookSucceeded: 'PreDrainDeleteHookSucceeded',
  preTerminateDeleteHookSucceeded: 'PreTerminateDeleteHookSucceeded',
  ready: 'Ready',
  updating: 'Updating',
  upToDate: 'UpToDate',
  volumeDetachSucceeded: 'VolumeDetachSucceeded',
} as const;

/** The name under which this operator writes fields. */
export const fieldManager = 'kubeadm-bootstrap-operator';
