// The objects that a user would create: clusters of virtual machines in CAPD's memory, with and without a ClusterClass.
import { namespace } from './api.js';

/** One cluster, as the user wants it at this moment. Phases change it; judges compare the world with it. */
export interface Wanted {
  readonly name: string;
  readonly hasTopology: boolean;
  readonly hasPool: boolean;
  controlPlanes: number;
  workers: number;
  controlPlaneVersion: string;
  workerVersion: string;
  /** Name of the KubeadmConfig of the pool. */
  poolConfig: string;
}

/** Nodes of each pool. */
export const poolReplicas = 1;
/** The ClusterClass. */
export const className = 'in-memory';
/** The label by which everything of a cluster is found. */
export const clusterLabel = 'cluster.x-k8s.io/cluster-name';
/** How long each part of a machine takes to come up. */
const startup = { provisioning: { startupDuration: '1s', startupJitter: '0.2' } };

const versions = {
  core: 'cluster.x-k8s.io',
  bootstrap: 'bootstrap.cluster.x-k8s.io',
  controlPlane: 'controlplane.cluster.x-k8s.io',
  infrastructure: 'infrastructure.cluster.x-k8s.io',
} as const;

const object = (
  group: keyof typeof versions,
  kind: string,
  name: string,
  spec: object,
  metadata: object = {},
): object => ({
  apiVersion: `${versions[group]}/v1beta2`,
  kind,
  metadata: { name, namespace, ...metadata },
  spec,
});

const ref = (group: keyof typeof versions, kind: string, name: string): object => ({
  apiGroup: versions[group],
  kind,
  name,
});

const templateRef = (group: keyof typeof versions, kind: string, name: string): object => ({
  templateRef: { apiVersion: `${versions[group]}/v1beta2`, kind, name },
});

const registration = {
  nodeRegistration: {
    criSocket: 'unix:///var/run/containerd/containerd.sock',
    kubeletExtraArgs: [{ name: 'eviction-hard', value: 'nodefs.available<0%' }],
  },
};

const controlPlaneConfig = {
  clusterConfiguration: { apiServer: { certSANs: ['localhost', '127.0.0.1'] } },
  initConfiguration: registration,
  joinConfiguration: registration,
  files: [{ path: '/etc/motd', owner: 'root:root', permissions: '0644', content: 'A control plane.\n' }],
  preKubeadmCommands: ['hostname'],
};

const workerConfig = {
  joinConfiguration: registration,
  files: [{ path: '/etc/motd', owner: 'root:root', permissions: '0644', content: 'A worker.\n' }],
};

const virtualMachine = { backend: { inMemory: { vm: startup, node: startup, apiServer: startup, etcd: startup } } };
// CAPD writes into the annotations without asking whether there are any.
const annotated = { annotations: { 'example.com/stack': 'yes' } };
const network = {
  pods: { cidrBlocks: ['192.168.0.0/16'] },
  services: { cidrBlocks: ['10.128.0.0/12'] },
  serviceDomain: 'cluster.local',
};

/** What clusters with a topology are made from. */
export function classObjects(): readonly object[] {
  return [
    object('infrastructure', 'DevClusterTemplate', className, {
      template: { metadata: annotated, spec: { backend: { inMemory: {} } } },
    }),
    object('infrastructure', 'DevMachineTemplate', className, { template: { spec: virtualMachine } }),
    object('controlPlane', 'KubeadmControlPlaneTemplate', className, {
      template: { spec: { kubeadmConfigSpec: controlPlaneConfig } },
    }),
    object('bootstrap', 'KubeadmConfigTemplate', className, { template: { spec: workerConfig } }),
    object('core', 'ClusterClass', className, {
      infrastructure: templateRef('infrastructure', 'DevClusterTemplate', className),
      controlPlane: {
        ...templateRef('controlPlane', 'KubeadmControlPlaneTemplate', className),
        machineInfrastructure: templateRef('infrastructure', 'DevMachineTemplate', className),
      },
      workers: {
        machineDeployments: [
          {
            class: 'default-worker',
            bootstrap: templateRef('bootstrap', 'KubeadmConfigTemplate', className),
            infrastructure: templateRef('infrastructure', 'DevMachineTemplate', className),
          },
        ],
      },
    }),
  ];
}

/** All objects of one cluster, in the order in which they are created. */
export function clusterObjects(wanted: Wanted): readonly object[] {
  const { name } = wanted;
  if (wanted.hasTopology)
    return [topologyCluster(wanted), ...(wanted.hasPool ? poolObjects(wanted, `${wanted.name}-pool`) : [])];
  const labels = { labels: { [clusterLabel]: name } };
  return [
    object('infrastructure', 'DevCluster', name, { backend: { inMemory: {} } }, annotated),
    object('infrastructure', 'DevMachineTemplate', name, { template: { spec: virtualMachine } }),
    object('controlPlane', 'KubeadmControlPlane', `${name}-cp`, {
      replicas: wanted.controlPlanes,
      version: wanted.controlPlaneVersion,
      machineTemplate: { spec: { infrastructureRef: ref('infrastructure', 'DevMachineTemplate', name) } },
      kubeadmConfigSpec: controlPlaneConfig,
    }),
    object('core', 'Cluster', name, {
      clusterNetwork: network,
      controlPlaneRef: ref('controlPlane', 'KubeadmControlPlane', `${name}-cp`),
      infrastructureRef: ref('infrastructure', 'DevCluster', name),
    }),
    object('bootstrap', 'KubeadmConfigTemplate', name, { template: { spec: workerConfig } }),
    object(
      'core',
      'MachineDeployment',
      `${name}-md`,
      {
        clusterName: name,
        replicas: wanted.workers,
        selector: { matchLabels: { deployment: name } },
        template: {
          metadata: { labels: { deployment: name } },
          spec: {
            clusterName: name,
            version: wanted.workerVersion,
            bootstrap: { configRef: ref('bootstrap', 'KubeadmConfigTemplate', name) },
            infrastructureRef: ref('infrastructure', 'DevMachineTemplate', name),
          },
        },
      },
      labels,
    ),
    ...(wanted.hasPool ? poolObjects(wanted, `${wanted.name}-pool`) : []),
  ];
}

function topologyCluster(wanted: Wanted): object {
  return object('core', 'Cluster', wanted.name, {
    clusterNetwork: network,
    topology: {
      classRef: { name: className },
      version: wanted.controlPlaneVersion,
      controlPlane: { replicas: wanted.controlPlanes },
      workers: { machineDeployments: [{ class: 'default-worker', name: 'md', replicas: wanted.workers }] },
    },
  });
}

/** A KubeadmConfig for a pool. */
export function poolConfig(cluster: string, name: string, motd: string): object {
  const files = [{ path: '/etc/motd', owner: 'root:root', permissions: '0644', content: `${motd}\n` }];
  return object(
    'bootstrap',
    'KubeadmConfig',
    name,
    { ...workerConfig, files },
    { labels: { [clusterLabel]: cluster } },
  );
}

/** A pool of a cluster with its KubeadmConfig. */
export function poolObjects({ name, poolConfig: config, workerVersion }: Wanted, pool: string): readonly object[] {
  return [
    // CAPD has no pools in memory: the runner plays their infrastructure (pool-infrastructure.ts).
    object('infrastructure', 'DevMachinePool', pool, { backend: { docker: {} } }),
    poolConfig(name, config, 'A node of a pool.'),
    object('core', 'MachinePool', pool, {
      clusterName: name,
      replicas: poolReplicas,
      template: {
        spec: {
          clusterName: name,
          version: workerVersion,
          bootstrap: { configRef: ref('bootstrap', 'KubeadmConfig', config) },
          infrastructureRef: ref('infrastructure', 'DevMachinePool', pool),
        },
      },
    }),
  ];
}

/** Replaces a Machine whose node says that it is broken. */
export function healthCheck(cluster: string): object {
  return object('core', 'MachineHealthCheck', `${cluster}-health`, {
    clusterName: cluster,
    selector: { matchLabels: { [clusterLabel]: cluster } },
    checks: { unhealthyNodeConditions: [{ type: 'StackFault', status: 'True', timeoutSeconds: 1 }] },
  });
}
