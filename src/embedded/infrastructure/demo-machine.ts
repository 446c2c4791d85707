// DemoMachines: what an infrastructure provider does where somebody else is the Machine controller.
//
//   P1. A provider knows its Machine by the owner reference, and waits for it, for the Cluster's network and for bootstrap data.
//   P2. It reports on its own object alone: Machines and Nodes are the business of others.
//   P3. A deleted DemoMachine takes its virtual machine with it: the node stops, its Node object stays.
import type { Boot, Instances } from './instances.js';
import type { ClusterName } from './ports.js';
import {
  demoMachines,
  failureKind,
  nodes,
  targetOf,
  type Cluster,
  type DemoMachine,
  type Machine,
} from './resources.js';
import { endpointOf, isPaused, release, withCondition, type Wait, type World } from './world.js';

const finalizer = 'demomachine.infrastructure.cluster.x-k8s.io';

/** Looks at one infrastructure machine. */
export async function reconcileDemoMachine(
  world: World,
  instances: Instances,
  namespace: string,
  name: string,
): Promise<Wait> {
  const object = world.demoMachines?.get(namespace, name);
  if (object === undefined) return null;
  if (object.metadata.deletionTimestamp !== undefined) return await remove(world, instances, object);
  const machine = ownerOf(world, object);
  const cluster = machine === undefined ? undefined : world.clusters.get(namespace, machine.spec.clusterName);
  if (machine === undefined || cluster === undefined || isPaused(cluster, object)) return null;
  const { finalizers = [], resourceVersion } = object.metadata;
  if (!finalizers.includes(finalizer)) {
    const metadata = { resourceVersion, finalizers: [...finalizers, finalizer] };
    await world.options.client.mergePatch(targetOf(demoMachines, object), { metadata });
    return null;
  }
  const boot = bootOf(cluster, machine, object);
  return boot === null ? null : await bringUp(world, instances, object, boot);
}

/** The Machine that controls an infrastructure machine, once it does. */
function ownerOf(world: World, object: DemoMachine): Machine | undefined {
  const owner = object.metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === 'Machine' && apiVersion.startsWith('cluster.x-k8s.io/'),
  );
  const machine = owner === undefined ? undefined : world.machines.get(object.metadata.namespace ?? '', owner.name);
  return machine?.metadata.uid === owner?.uid ? machine : undefined;
}

/** What is to boot; null while something that it needs is missing. */
function bootOf(cluster: Cluster, machine: Machine, object: DemoMachine): Boot | null {
  const { namespace = '', name } = object.metadata;
  const secretName = machine.spec.bootstrap.dataSecretName ?? '';
  const endpoint = endpointOf(cluster);
  const isReady = cluster.status?.initialization?.infrastructureProvisioned === true;
  if (secretName === '' || endpoint === null || !isReady) return null;
  return {
    cluster: { namespace, name: machine.spec.clusterName },
    endpoint,
    node: name,
    providerID: providerIdOf(object),
    version: machine.spec.version ?? 'v0.0.0',
    secretName,
  };
}

function providerIdOf({ metadata }: DemoMachine): string {
  // Another instance of the same name is another instance.
  return `demo://${metadata.namespace ?? ''}/${metadata.name}/${metadata.uid ?? ''}`;
}

async function bringUp(world: World, instances: Instances, object: DemoMachine, boot: Boot): Promise<Wait> {
  const { namespace = '', name } = object.metadata;
  if (!instances.has(boot)) {
    const wait = world.remaining(`machine/${namespace}/${name}`, world.delays.machineMs);
    if (wait > 0) return wait;
    if (!(await instances.make(boot))) return world.delays.retryMs[0];
    world.note({ kind: 'machine-provisioned', machine: `${namespace}/${name}` });
  }
  if (object.status?.initialization?.provisioned !== true) await reportProvisioned(world, object, boot);
  const progress = await instances.advance(boot);
  if (progress.kind === 'waiting') return progress.waitMs;
  if (progress.kind === 'joined') world.wakeCluster(boot.cluster);
  return null;
}

async function reportProvisioned(world: World, object: DemoMachine, { providerID, node }: Boot): Promise<void> {
  const { client } = world.options;
  const target = targetOf(demoMachines, object);
  await client.mergePatch(target, { spec: { providerID } });
  const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '' } as const;
  const status = {
    addresses: [{ type: 'InternalDNS', address: node }],
    conditions: withCondition(object.status?.conditions, ready, world.now()),
    initialization: { provisioned: true },
  };
  await client.mergePatch(target, { status }, { subresource: 'status' });
}

async function remove(world: World, instances: Instances, object: DemoMachine): Promise<Wait> {
  if (!(object.metadata.finalizers ?? []).includes(finalizer)) return null;
  const { namespace = '', name, labels = {} } = object.metadata;
  const wait = world.remaining(`removal/${namespace}/${name}`, world.delays.machineMs);
  if (wait > 0) return wait;
  const clusterName = labels['cluster.x-k8s.io/cluster-name'] ?? '';
  const cluster = { namespace, name: clusterName };
  if (instances.has({ cluster, node: name })) {
    instances.destroy({ cluster, node: name });
    world.note({ kind: 'machine-destroyed', machine: `${namespace}/${name}` });
  }
  await stopNode(world, cluster, name);
  for (const step of ['machine', 'removal']) world.forget(`${step}/${namespace}/${name}`);
  await release(world, demoMachines, object, finalizer);
  return null;
}

/** Nobody speaks for the Node any more. */
async function stopNode(world: World, cluster: ClusterName, name: string): Promise<void> {
  const workload = world.options.workloads.find(cluster);
  if (workload === undefined) return;
  const ready = {
    type: 'Ready',
    status: 'Unknown',
    reason: 'NodeStatusUnknown',
    message: 'Kubelet stopped posting node status.',
    lastTransitionTime: world.now(),
  };
  const target = { resource: nodes, namespace: '', name };
  try {
    await workload.client.mergePatch(target, { status: { conditions: [ready] } }, { subresource: 'status' });
  } catch (error) {
    if (failureKind(error) !== 'NotFound') throw error;
  }
}
