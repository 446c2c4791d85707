// Whether the world is as its user wants it: read through the API alone.
import { at, type Api, type Seen } from './api.js';
import { clusterLabel, poolReplicas, type Wanted } from './manifests.js';

/** All objects that a look reads. */
export interface Look {
  readonly clusters: readonly Seen[];
  readonly machines: readonly Seen[];
  readonly configs: readonly Seen[];
  readonly controlPlanes: readonly Seen[];
  readonly deployments: readonly Seen[];
  readonly pools: readonly Seen[];
}

const controlPlaneLabel = 'cluster.x-k8s.io/control-plane';

/** Reads the world. */
export async function lookAt(api: Api): Promise<Look> {
  const [clusters, machines, configs, controlPlanes, deployments, pools] = await Promise.all([
    api.list('Cluster'),
    api.list('Machine'),
    api.list('KubeadmConfig'),
    api.list('KubeadmControlPlane'),
    api.list('MachineDeployment'),
    api.list('MachinePool'),
  ]);
  return { clusters, machines, configs, controlPlanes, deployments, pools };
}

/** Whether an object belongs to a cluster. */
export function belongsTo(cluster: string): (object: Seen) => boolean {
  return ({ metadata }) => metadata.labels?.[clusterLabel] === cluster;
}

/** Whether a Machine is one of the control plane. */
export function isControlPlane({ metadata }: Seen): boolean {
  return metadata.labels?.[controlPlaneLabel] !== undefined;
}

/** What is not yet as it is wanted; empty when everything has arrived. */
export function missing(look: Look, wanted: readonly Wanted[]): readonly string[] {
  const problems = wanted.flatMap((each) => missingOf(look, each));
  for (const config of look.configs) {
    if (at(config, 'status', 'initialization', 'dataSecretCreated') !== true)
      problems.push(`KubeadmConfig ${config.metadata.name} has no data`);
    if (config.metadata.deletionTimestamp !== undefined)
      problems.push(`KubeadmConfig ${config.metadata.name} is being deleted`);
  }
  return problems;
}

function missingOf(look: Look, wanted: Wanted): readonly string[] {
  const { name } = wanted;
  const machines = look.machines.filter(belongsTo(name));
  const problems = [
    ...missingMachines(`control plane of ${name}`, machines.filter(isControlPlane), {
      count: wanted.controlPlanes,
      version: wanted.controlPlaneVersion,
    }),
    ...missingMachines(
      `workers of ${name}`,
      machines.filter((machine) => !isControlPlane(machine)),
      { count: wanted.workers, version: wanted.workerVersion },
    ),
    ...missingReplicas(look.controlPlanes.find(belongsTo(name)), `control plane of ${name}`, wanted.controlPlanes),
    ...missingReplicas(look.deployments.find(belongsTo(name)), `workers of ${name}`, wanted.workers),
  ];
  if (wanted.hasPool) problems.push(...missingPool(look, wanted));
  return problems;
}

function missingMachines(
  what: string,
  machines: readonly Seen[],
  { count, version }: { readonly count: number; readonly version: string },
): readonly string[] {
  const up = machines.filter(
    (machine) =>
      machine.metadata.deletionTimestamp === undefined &&
      at(machine, 'status', 'nodeRef', 'name') !== undefined &&
      at(machine, 'spec', 'version') === version,
  );
  if (machines.length === count && up.length === count) return [];
  return [`${what}: ${machines.length} machines, ${up.length} up at ${version}, want ${count}`];
}

function missingReplicas(object: Seen | undefined, what: string, count: number): readonly string[] {
  const counts = ['replicas', 'readyReplicas', 'upToDateReplicas'].map((name) => at(object, 'status', name) ?? 0);
  const isObserved = at(object, 'status', 'observedGeneration') === object?.metadata.generation;
  if (isObserved && counts.every((each) => each === count)) return [];
  return [`${what}: replicas, ready, up to date ${counts.join(', ')}, want ${count}`];
}

function missingPool({ pools, configs }: Look, { name, poolConfig }: Wanted): readonly string[] {
  const pool = pools.find(({ metadata }) => metadata.name === `${name}-pool`);
  const nodes = ((at(pool, 'status', 'nodeRefs') ?? []) as readonly unknown[]).length;
  const problems = nodes === poolReplicas ? [] : [`pool of ${name}: ${nodes} nodes, want ${poolReplicas}`];
  const bootstrap = at(pool, 'spec', 'template', 'spec', 'bootstrap');
  const config = configs.find(({ metadata }) => metadata.name === poolConfig);
  const data = at(config, 'status', 'dataSecretName');
  if (data === undefined || at(bootstrap, 'dataSecretName') !== data)
    problems.push(
      `pool of ${name}: its data is ${String(at(bootstrap, 'dataSecretName'))}, want that of ${poolConfig}`,
    );
  return problems;
}
