// The manifests of the sample world: clusters with control planes, workers, one Ignition worker and a machine pool.
//
// Pure: the same size gives the same objects. The control planes are standalone Machines, so that the operator generates the
// cluster's certificates too.

/** How large the world is. */
export interface SampleSize {
  readonly clusters: number;
  readonly controlPlanes: number;
  readonly workers: number;
  readonly poolReplicas: number;
  /** Kubernetes version of all nodes. */
  readonly version: string;
  readonly namespace: string;
  /** The last worker of each cluster uses Ignition. */
  readonly ignition: boolean;
  /** Machines have infrastructure objects: somebody else than the simulation is their controller. */
  readonly demoMachines: boolean;
}

/** The world that `demo` shows. */
export const defaultSampleSize: SampleSize = {
  clusters: 1,
  controlPlanes: 3,
  workers: 3,
  poolReplicas: 2,
  version: 'v1.36.0',
  namespace: 'demo',
  ignition: true,
  demoMachines: false,
};

const core = 'cluster.x-k8s.io/v1beta2';
const bootstrap = 'bootstrap.cluster.x-k8s.io/v1beta2';
const infrastructureGroup = 'infrastructure.cluster.x-k8s.io';

/** All objects of the world, in an order in which they can be created. */
export function sampleWorld(size: Partial<SampleSize> = {}): readonly object[] {
  const whole = { ...defaultSampleSize, ...size };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: whole.namespace } };
  const names = Array.from({ length: whole.clusters }, (_, index) =>
    whole.clusters === 1 ? 'sample' : `sample-${index + 1}`,
  );
  return [namespace, ...names.flatMap((name) => sampleCluster(name, whole))];
}

/** One cluster of the world. */
export function sampleCluster(name: string, size: SampleSize): readonly object[] {
  const nodes = (role: string, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${name}-${role}-${index}`);
  const workers = nodes('worker', size.workers);
  return [
    cluster(name, size),
    ...nodes('control-plane', size.controlPlanes).flatMap((node) => [
      machine(name, node, size, { 'cluster.x-k8s.io/control-plane': '' }),
      ...infrastructure(name, node, size),
      config(name, node, size, controlPlaneSpec(name, size)),
    ]),
    ...workers.flatMap((node, index) => {
      const usesIgnition = size.ignition && index === workers.length - 1 && index > 0;
      return [
        machine(name, node, size, {}),
        ...infrastructure(name, node, size),
        config(name, node, size, usesIgnition ? ignitionSpec() : workerSpec()),
      ];
    }),
    ...(size.poolReplicas > 0 ? [pool(name, size), config(name, `${name}-pool`, size, workerSpec())] : []),
  ];
}

function meta(cluster: string, name: string, size: SampleSize, labels: Readonly<Record<string, string>> = {}): object {
  return { name, namespace: size.namespace, labels: { 'cluster.x-k8s.io/cluster-name': cluster, ...labels } };
}

function cluster(name: string, size: SampleSize): object {
  return {
    apiVersion: core,
    kind: 'Cluster',
    metadata: meta(name, name, size),
    spec: {
      clusterNetwork: {
        pods: { cidrBlocks: ['10.244.0.0/16'] },
        services: { cidrBlocks: ['10.96.0.0/12'] },
        serviceDomain: 'cluster.local',
      },
      infrastructureRef: { apiGroup: infrastructureGroup, kind: 'DemoCluster', name },
    },
  };
}

function template(clusterName: string, name: string, size: SampleSize): object {
  return {
    clusterName,
    version: size.version,
    bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name } },
    infrastructureRef: { apiGroup: infrastructureGroup, kind: 'DemoMachine', name },
  };
}

function machine(
  clusterName: string,
  name: string,
  size: SampleSize,
  labels: Readonly<Record<string, string>>,
): object {
  return {
    apiVersion: core,
    kind: 'Machine',
    metadata: meta(clusterName, name, size, labels),
    spec: template(clusterName, name, size),
  };
}

function infrastructure(clusterName: string, name: string, size: SampleSize): readonly object[] {
  if (!size.demoMachines) return [];
  const apiVersion = `${infrastructureGroup}/v1beta2`;
  return [{ apiVersion, kind: 'DemoMachine', metadata: meta(clusterName, name, size), spec: {} }];
}

function pool(clusterName: string, size: SampleSize): object {
  const name = `${clusterName}-pool`;
  return {
    apiVersion: core,
    kind: 'MachinePool',
    metadata: meta(clusterName, name, size),
    spec: { clusterName, replicas: size.poolReplicas, template: { spec: template(clusterName, name, size) } },
  };
}

function config(clusterName: string, name: string, size: SampleSize, spec: object): object {
  return { apiVersion: bootstrap, kind: 'KubeadmConfig', metadata: meta(clusterName, name, size), spec };
}

const registration = { nodeRegistration: { kubeletExtraArgs: [{ name: 'cloud-provider', value: 'external' }] } };

function controlPlaneSpec(name: string, size: SampleSize): object {
  return {
    clusterConfiguration: { apiServer: { certSANs: [`${name}.${size.namespace}.cluster.internal`] } },
    initConfiguration: registration,
    joinConfiguration: { controlPlane: {}, ...registration },
    files: [{ path: '/etc/motd', owner: 'root:root', permissions: '0644', content: `A control plane of ${name}.\n` }],
  };
}

function workerSpec(): object {
  return { joinConfiguration: registration, preKubeadmCommands: ['hostname'] };
}

function ignitionSpec(): object {
  return {
    format: 'ignition',
    joinConfiguration: registration,
    ignition: {
      containerLinuxConfig: { additionalConfig: 'systemd:\n  units:\n  - name: locksmithd.service\n    mask: true\n' },
    },
  };
}
