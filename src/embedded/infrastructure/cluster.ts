// Clusters: network and endpoint after a moment, the kubeconfig Secret and ControlPlaneInitialized once the first node is up.
import {
  clusters,
  clusterLabel,
  controllerReference,
  secrets,
  targetOf,
  unlessExists,
  machines,
  machinePools,
  type Cluster,
} from './resources.js';
import { endpointOf, isPaused, isTrue, release, withCondition, type Wait, type World } from './world.js';

const finalizer = 'cluster.cluster.x-k8s.io';
const port = 6443;
const deletionPollMs = 200;

/** Looks at one cluster. */
export async function reconcileCluster(world: World, namespace: string, name: string): Promise<Wait> {
  const cluster = world.clusters.get(namespace, name);
  if (cluster === undefined) return null;
  if (cluster.metadata.deletionTimestamp !== undefined) return await remove(world, cluster);
  if (isPaused(cluster, cluster)) return null;
  const { client } = world.options;
  const { finalizers = [], resourceVersion } = cluster.metadata;
  if (!finalizers.includes(finalizer)) {
    const metadata = { resourceVersion, finalizers: [...finalizers, finalizer] };
    await client.mergePatch(targetOf(clusters, cluster), { metadata });
    return null;
  }
  if (cluster.status?.initialization?.infrastructureProvisioned !== true) return await provision(world, cluster);
  await publish(world, cluster);
  return null;
}

async function provision(world: World, cluster: Cluster): Promise<Wait> {
  const { namespace = '', name } = cluster.metadata;
  const wait = world.remaining(`cluster/${namespace}/${name}`, world.delays.clusterMs);
  if (wait > 0) return wait;
  const { client } = world.options;
  const target = targetOf(clusters, cluster);
  let endpoint = endpointOf(cluster);
  if (endpoint === null) {
    const host = `${name}.${namespace}.cluster.internal`;
    await client.mergePatch(target, { spec: { controlPlaneEndpoint: { host, port } } });
    endpoint = `${host}:${port}`;
  }
  const status = { phase: 'Provisioned', initialization: { infrastructureProvisioned: true } };
  await client.mergePatch(target, { status }, { subresource: 'status' });
  world.note({ kind: 'cluster-provisioned', cluster: `${namespace}/${name}`, endpoint });
  return null;
}

/** Tells the management cluster what is known of a running workload cluster. */
async function publish(world: World, cluster: Cluster): Promise<void> {
  const { namespace = '', name } = cluster.metadata;
  const workload = world.options.workloads.find({ namespace, name });
  if (workload === undefined) return;
  const { client } = world.options;
  if (cluster.status?.initialization?.controlPlaneInitialized !== true) {
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'cluster.x-k8s.io/secret',
      metadata: {
        name: `${name}-kubeconfig`,
        namespace,
        labels: { [clusterLabel]: name },
        ownerReferences: [controllerReference(cluster)],
      },
      data: { value: Buffer.from(workload.kubeconfig).toString('base64') },
    };
    await unlessExists(client.create(secrets, secret));
  }
  if (world.options.reportsControlPlaneInitialized === false) return;
  const isReported = isTrue(cluster.status?.conditions, 'ControlPlaneInitialized');
  if (isReported && cluster.status?.initialization?.controlPlaneInitialized === true) return;
  const condition = { type: 'ControlPlaneInitialized', status: 'True', reason: 'Initialized', message: '' } as const;
  const body = {
    metadata: { resourceVersion: cluster.metadata.resourceVersion },
    status: {
      initialization: { controlPlaneInitialized: true },
      conditions: withCondition(cluster.status?.conditions, condition, world.now()),
    },
  };
  await client.mergePatch(targetOf(clusters, cluster), body, { subresource: 'status' });
}

/** A cluster goes after its machines and pools. */
async function remove(world: World, cluster: Cluster): Promise<Wait> {
  const { namespace = '', name } = cluster.metadata;
  if (!(cluster.metadata.finalizers ?? []).includes(finalizer)) return null;
  const { client, workloads } = world.options;
  const members = `${namespace}/${name}`;
  const below = [
    ...world.machines.group(members).map((object) => ({ resource: machines, object })),
    ...world.pools.group(members).map((object) => ({ resource: machinePools, object })),
  ];
  for (const { resource, object } of below) {
    if (object.metadata.deletionTimestamp === undefined) await client.delete(targetOf(resource, object));
  }
  if (below.length > 0) return deletionPollMs;
  await workloads.stop({ namespace, name });
  world.forget(`cluster/${namespace}/${name}`);
  await release(world, clusters, cluster, finalizer);
  return null;
}
