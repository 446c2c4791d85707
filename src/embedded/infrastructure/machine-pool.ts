// Machine pools: one KubeadmConfig for all instances; each instance takes the data that is there when it is made.
//
// What a pool says of its replicas lags behind: their number follows the nodes a moment later, and never runs ahead of them.
import type { Boot, Instances } from './instances.js';
import type { ClusterName } from './ports.js';
import { kubeadmConfigs, machinePools, nodes, orNull, targetOf, type Cluster, type MachinePool } from './resources.js';
import { adopt, configOf, endpointOf, isPaused, release, reportedSecret, type Wait, type World } from './world.js';

const finalizer = 'machinepool.cluster.x-k8s.io';

/** Looks at one pool. */
export async function reconcileMachinePool(
  world: World,
  instances: Instances,
  namespace: string,
  name: string,
): Promise<Wait> {
  const pool = world.pools.get(namespace, name);
  if (pool === undefined) return null;
  const clusterName = { namespace, name: pool.spec.clusterName };
  const cluster = world.clusters.get(namespace, clusterName.name);
  if (pool.metadata.deletionTimestamp !== undefined) {
    await remove(world, instances, pool, clusterName);
    return null;
  }
  if (cluster === undefined || isPaused(cluster, pool)) return null;
  const isNew = await adopt(world, machinePools, pool, cluster, {
    cluster: clusterName.name,
    controller: false,
    finalizer,
  });
  if (isNew) return null;
  const { bootstrap } = pool.spec.template.spec;
  const config = configOf(world, pool, bootstrap);
  if (config !== undefined && config.metadata.deletionTimestamp === undefined) {
    await adopt(world, kubeadmConfigs, config, pool, { cluster: clusterName.name, controller: true, finalizer: null });
    const secret = reportedSecret(config);
    if (secret !== null && secret !== (bootstrap.dataSecretName ?? '')) {
      await takeData(world, pool, secret);
      return null;
    }
  }
  return await scale(world, instances, cluster, pool);
}

async function takeData(world: World, pool: MachinePool, secret: string): Promise<void> {
  const { client } = world.options;
  const target = targetOf(machinePools, pool);
  await client.mergePatch(target, { spec: { template: { spec: { bootstrap: { dataSecretName: secret } } } } });
  const status = { phase: 'Provisioning', initialization: { bootstrapDataSecretCreated: true } };
  await client.mergePatch(target, { status }, { subresource: 'status' });
}

function bootOf(cluster: Cluster, endpoint: string, pool: MachinePool, index: number): Boot {
  const { namespace = '', name } = pool.metadata;
  const node = `${name}-${index}`;
  const { version = 'v0.0.0', bootstrap } = pool.spec.template.spec;
  return {
    cluster: { namespace, name: cluster.metadata.name },
    endpoint,
    node,
    providerID: `demo://${namespace}/${node}`,
    version,
    secretName: bootstrap.dataSecretName ?? '',
  };
}

async function scale(world: World, instances: Instances, cluster: Cluster, pool: MachinePool): Promise<Wait> {
  const endpoint = endpointOf(cluster);
  const isReady = cluster.status?.initialization?.infrastructureProvisioned === true;
  if ((pool.spec.template.spec.bootstrap.dataSecretName ?? '') === '' || endpoint === null || !isReady) return null;
  const { namespace = '', name } = pool.metadata;
  const replicas = pool.spec.replicas ?? 1;
  const known = new Set((pool.status?.nodeRefs ?? []).map((reference) => reference.name));
  const joined: Boot[] = [];
  const waits: number[] = [];
  for (let index = 0; index < replicas; index += 1) {
    const boot = bootOf(cluster, endpoint, pool, index);
    if (known.has(boot.node)) {
      joined.push(boot);
      continue;
    }
    const wait = await advance(world, instances, boot, `machine/${namespace}/${name}/${index}`);
    if (wait === 'joined') joined.push(boot);
    else if (wait !== null) waits.push(wait);
  }
  await shrink(world, instances, { pool, cluster, replicas });
  const lag = await report(world, pool, joined, replicas);
  if (lag !== null) waits.push(lag);
  if (waits.length > 0) return Math.min(...waits);
  return joined.length === replicas ? await grow(world, pool, replicas) : null;
}

async function advance(
  world: World,
  instances: Instances,
  boot: Boot,
  step: string,
): Promise<number | 'joined' | null> {
  if (!instances.has(boot)) {
    const wait = world.remaining(step, world.delays.machineMs);
    if (wait > 0) return wait;
    if (!(await instances.make(boot))) return world.delays.retryMs[0];
    world.note({ kind: 'machine-provisioned', machine: `${boot.cluster.namespace}/${boot.node}` });
  }
  const progress = await instances.advance(boot);
  if (progress.kind === 'waiting') return progress.waitMs;
  return progress.kind === 'joined' ? 'joined' : null;
}

/** Instances beyond the wanted number go, the newest first. */
async function shrink(
  world: World,
  instances: Instances,
  { pool, cluster, replicas }: { readonly pool: MachinePool; readonly cluster: Cluster; readonly replicas: number },
): Promise<void> {
  const { namespace = '', name } = pool.metadata;
  const clusterName = { namespace, name: cluster.metadata.name };
  const made = instances
    .nodes(clusterName)
    .filter((node) => node.startsWith(`${name}-`))
    .map((node) => Number(node.slice(name.length + 1)) + 1)
    .filter(Number.isInteger);
  const count = Math.max(pool.status?.replicas ?? 0, pool.status?.nodeRefs?.length ?? 0, ...made);
  for (let index = count - 1; index >= replicas; index -= 1) {
    const node = `${name}-${index}`;
    const workload = world.options.workloads.find(clusterName);
    if (workload !== undefined) await orNull(workload.client.delete({ resource: nodes, namespace: '', name: node }));
    instances.destroy({ cluster: clusterName, node });
    world.forget(`machine/${namespace}/${name}/${index}`);
  }
}

/** Tells of the nodes at once, and of the number of replicas later; when to go on, or null once all is told. */
async function report(world: World, pool: MachinePool, joined: readonly Boot[], replicas: number): Promise<Wait> {
  const { client } = world.options;
  const target = targetOf(machinePools, pool);
  const providerIDList = joined.map((boot) => boot.providerID);
  if (JSON.stringify(providerIDList) !== JSON.stringify(pool.spec.providerIDList ?? [])) {
    await client.mergePatch(target, { spec: { providerIDList } });
  }
  const status = {
    phase: joined.length === replicas ? 'Running' : joined.length < replicas ? 'ScalingUp' : 'ScalingDown',
    initialization: { infrastructureProvisioned: true, bootstrapDataSecretCreated: true },
    replicas: pool.status?.replicas ?? 0,
    readyReplicas: joined.length,
    availableReplicas: joined.length,
    upToDateReplicas: joined.length,
    nodeRefs: joined.map((boot) => ({ apiVersion: 'v1', kind: 'Node', name: boot.node })),
  };
  const current: Record<string, unknown> = { ...pool.status };
  const isReported = Object.entries(status).every(
    ([key, value]) => JSON.stringify(current[key]) === JSON.stringify(value),
  );
  if (!isReported) await client.mergePatch(target, { status }, { subresource: 'status' });
  if (status.replicas === joined.length) return null;
  const { namespace = '', name } = pool.metadata;
  const wait = world.remaining(`machine/${namespace}/${name}/says/${joined.length}`, world.delays.sayMs);
  if (wait > 0) return wait;
  world.forget(`machine/${namespace}/${name}/says/`);
  await client.mergePatch(target, { status: { replicas: joined.length } }, { subresource: 'status' });
  return null;
}

/** One more replica, once, so that a pool is seen to grow with a token of its age. */
async function grow(world: World, pool: MachinePool, replicas: number): Promise<Wait> {
  const { growPoolsAfterMs } = world.options;
  const annotation = 'demo.infrastructure/grown';
  if (growPoolsAfterMs === undefined || pool.metadata.annotations?.[annotation] !== undefined) return null;
  const { namespace = '', name, resourceVersion } = pool.metadata;
  const wait = world.remaining(`grow/${namespace}/${name}`, [growPoolsAfterMs, growPoolsAfterMs]);
  if (wait > 0) return wait;
  const body = {
    metadata: { resourceVersion, annotations: { [annotation]: 'true' } },
    spec: { replicas: replicas + 1 },
  };
  await world.options.client.mergePatch(targetOf(machinePools, pool), body);
  world.note({ kind: 'pool-scaled', pool: `${namespace}/${name}`, replicas: replicas + 1 });
  return null;
}

async function remove(world: World, instances: Instances, pool: MachinePool, cluster: ClusterName): Promise<void> {
  if (!(pool.metadata.finalizers ?? []).includes(finalizer)) return;
  const { namespace = '', name } = pool.metadata;
  const { client, workloads } = world.options;
  const workload = workloads.find(cluster);
  const count = Math.max(pool.spec.replicas ?? 0, pool.status?.nodeRefs?.length ?? 0);
  for (let index = 0; index < count; index += 1) {
    const node = `${name}-${index}`;
    if (workload !== undefined) await orNull(workload.client.delete({ resource: nodes, namespace: '', name: node }));
    instances.destroy({ cluster, node });
  }
  const config = configOf(world, pool, pool.spec.template.spec.bootstrap);
  if (config !== undefined) await orNull(client.delete(targetOf(kubeadmConfigs, config)));
  world.forget(`machine/${namespace}/${name}/`);
  await release(world, machinePools, pool, finalizer);
}
