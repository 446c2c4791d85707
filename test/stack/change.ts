// What a user changes about a cluster: one function per wish, for clusters with and without a topology.
import { at, type Api } from './api.js';
import { poolConfig, type Wanted } from './manifests.js';

/** More or fewer workers. */
export async function setWorkers(api: Api, wanted: Wanted, workers: number): Promise<void> {
  wanted.workers = workers;
  if (!wanted.hasTopology) return api.patch('MachineDeployment', `${wanted.name}-md`, { spec: { replicas: workers } });
  const machineDeployments = [{ class: 'default-worker', name: 'md', replicas: workers }];
  await api.patch('Cluster', wanted.name, { spec: { topology: { workers: { machineDeployments } } } });
}

/** Another version of the control plane; with a topology, of the workers as well. */
export async function setControlPlaneVersion(api: Api, wanted: Wanted, version: string): Promise<void> {
  wanted.controlPlaneVersion = version;
  if (!wanted.hasTopology) return api.patch('KubeadmControlPlane', `${wanted.name}-cp`, { spec: { version } });
  wanted.workerVersion = version;
  await api.patch('Cluster', wanted.name, { spec: { topology: { version } } });
}

/** Another version of the workers; workers of a topology, which have it already, are made anew. */
export async function setWorkerVersion(api: Api, wanted: Wanted, version: string): Promise<void> {
  if (wanted.hasTopology) return rollOutWorkers(api, wanted);
  wanted.workerVersion = version;
  await api.patch('MachineDeployment', `${wanted.name}-md`, { spec: { template: { spec: { version } } } });
}

/** New Machines in the place of all workers, without any other change. */
export async function rollOutWorkers(api: Api, wanted: Wanted): Promise<void> {
  const name = await nameOf(api, 'MachineDeployment', wanted);
  await api.patch('MachineDeployment', name, { spec: { rollout: { after: now() } } });
}

/** New Machines in the place of all of the control plane, without any other change. */
export async function rollOutControlPlane(api: Api, wanted: Wanted): Promise<void> {
  const name = await nameOf(api, 'KubeadmControlPlane', wanted);
  await api.patch('KubeadmControlPlane', name, { spec: { rollout: { after: now() } } });
}

/** A new KubeadmConfig for the pool: the pool is pointed to another object. */
export async function setPoolConfig(api: Api, wanted: Wanted, name: string): Promise<void> {
  wanted.poolConfig = name;
  await api.create(poolConfig(wanted.name, name, `A node of a pool with ${name}.`));
  await api.patch('MachinePool', `${wanted.name}-pool`, {
    spec: { template: { spec: { bootstrap: { configRef: { name } } } } },
  });
}

/** Holds or releases everything of a cluster. */
export async function setPaused(api: Api, { name }: Wanted, paused: boolean): Promise<void> {
  await api.patch('Cluster', name, { spec: { paused } });
}

async function nameOf(
  api: Api,
  kind: 'MachineDeployment' | 'KubeadmControlPlane',
  { name, hasTopology }: Wanted,
): Promise<string> {
  if (!hasTopology) return kind === 'MachineDeployment' ? `${name}-md` : `${name}-cp`;
  if (kind === 'KubeadmControlPlane')
    return String(at(await api.get('Cluster', name), 'spec', 'controlPlaneRef', 'name'));
  const deployments = await api.list(kind);
  return deployments.find(({ metadata }) => metadata.name.startsWith(`${name}-`))?.metadata.name ?? '';
}

const now = (): string => new Date().toISOString().replace(/\.\d+Z$/u, 'Z');
