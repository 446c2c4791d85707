// Machines: adopted, given a virtual machine once their bootstrap data is there, booted, and tied to their node.
import type { Boot, Instances } from './instances.js';
import type { ClusterName } from './ports.js';
import { kubeadmConfigs, machines, nodes, orNull, targetOf, type Cluster, type Machine } from './resources.js';
import {
  adopt,
  configOf,
  endpointOf,
  isPaused,
  release,
  reportedSecret,
  withCondition,
  type Wait,
  type World,
} from './world.js';

const finalizer = 'machine.cluster.x-k8s.io';

/** Looks at one machine. */
export async function reconcileMachine(
  world: World,
  instances: Instances,
  namespace: string,
  name: string,
): Promise<Wait> {
  const machine = world.machines.get(namespace, name);
  if (machine === undefined) return null;
  const clusterName = { namespace, name: machine.spec.clusterName };
  const cluster = world.clusters.get(namespace, clusterName.name);
  if (machine.metadata.deletionTimestamp !== undefined) {
    await remove(world, instances, machine, clusterName);
    return null;
  }
  if (cluster === undefined || isPaused(cluster, machine)) return null;
  const isNew = await adopt(world, machines, machine, cluster, {
    cluster: clusterName.name,
    controller: false,
    finalizer,
  });
  if (isNew) return null;
  const config = configOf(world, machine, machine.spec.bootstrap);
  if (config !== undefined && config.metadata.deletionTimestamp === undefined) {
    await adopt(world, kubeadmConfigs, config, machine, {
      cluster: clusterName.name,
      controller: true,
      finalizer: null,
    });
    const secret = reportedSecret(config);
    if (secret !== null && (machine.spec.bootstrap.dataSecretName ?? '') === '') {
      await takeData(world, machine, secret);
      return null;
    }
  }
  return await bringUp(world, instances, cluster, machine);
}

async function takeData(world: World, machine: Machine, secret: string): Promise<void> {
  const { client } = world.options;
  const target = targetOf(machines, machine);
  await client.mergePatch(target, { spec: { bootstrap: { dataSecretName: secret } } });
  const status = { phase: 'Provisioning', initialization: { bootstrapDataSecretCreated: true } };
  await client.mergePatch(target, { status }, { subresource: 'status' });
}

async function bringUp(world: World, instances: Instances, cluster: Cluster, machine: Machine): Promise<Wait> {
  const { namespace = '', name } = machine.metadata;
  const secretName = machine.spec.bootstrap.dataSecretName ?? '';
  const endpoint = endpointOf(cluster);
  const isReady = cluster.status?.initialization?.infrastructureProvisioned === true;
  if (secretName === '' || endpoint === null || !isReady || machine.status?.nodeRef !== undefined) return null;
  const boot: Boot = {
    cluster: { namespace, name: machine.spec.clusterName },
    endpoint,
    node: name,
    providerID: `demo://${namespace}/${name}`,
    version: machine.spec.version ?? 'v0.0.0',
    secretName,
  };
  if (!instances.has(boot)) {
    const wait = world.remaining(`machine/${namespace}/${name}`, world.delays.machineMs);
    if (wait > 0) return wait;
    if (!(await instances.make(boot))) return world.delays.retryMs[0];
    world.note({ kind: 'machine-provisioned', machine: `${namespace}/${name}` });
  }
  if (machine.status?.initialization?.infrastructureProvisioned !== true) {
    await reportProvisioned(world, machine, boot.providerID);
  }
  const progress = await instances.advance(boot);
  if (progress.kind === 'waiting') return progress.waitMs;
  if (progress.kind === 'joined') {
    await reportNode(world, machine, boot);
    world.wakeCluster(boot.cluster);
  }
  return null;
}

async function reportProvisioned(world: World, machine: Machine, providerID: string): Promise<void> {
  const { client } = world.options;
  const target = targetOf(machines, machine);
  await client.mergePatch(target, { spec: { providerID } });
  const addresses = [{ type: 'InternalDNS', address: machine.metadata.name }];
  const status = { phase: 'Provisioned', addresses, initialization: { infrastructureProvisioned: true } };
  await client.mergePatch(target, { status }, { subresource: 'status' });
}

async function reportNode(world: World, machine: Machine, boot: Boot): Promise<void> {
  const target = targetOf(machines, machine);
  const fresh = await world.options.client.get<Machine>(target);
  const available = { type: 'Available', status: 'True', reason: 'Available', message: '' } as const;
  const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '' } as const;
  const conditions = withCondition(withCondition(fresh.status?.conditions, ready, world.now()), available, world.now());
  const body = {
    metadata: { resourceVersion: fresh.metadata.resourceVersion },
    status: { phase: 'Running', nodeRef: { name: boot.node }, conditions },
  };
  await world.options.client.mergePatch(target, body, { subresource: 'status' });
}

async function remove(world: World, instances: Instances, machine: Machine, cluster: ClusterName): Promise<void> {
  if (!(machine.metadata.finalizers ?? []).includes(finalizer)) return;
  const { namespace = '', name } = machine.metadata;
  const { client, workloads } = world.options;
  const workload = workloads.find(cluster);
  if (workload !== undefined) await orNull(workload.client.delete({ resource: nodes, namespace: '', name }));
  const config = configOf(world, machine, machine.spec.bootstrap);
  if (config !== undefined) await orNull(client.delete(targetOf(kubeadmConfigs, config)));
  instances.destroy({ cluster, node: name });
  world.forget(`machine/${namespace}/${name}`);
  await release(world, machines, machine, finalizer);
}
