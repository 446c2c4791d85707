// Machines: adopted, given a virtual machine once their bootstrap data is there, booted, and tied to their node.
import type { Boot, Instances } from './instances.js';
import type { ClusterName } from './ports.js';
import { kubeadmConfigs, machines, nodes, orNull, targetOf, type Cluster, type Machine } from './resources.js';
import { say, sayMore } from './machine-status.js';
import { adopt, configOf, endpointOf, isPaused, release, reportedSecret, type Wait, type World } from './world.js';

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
  const waits = [await bringUp(world, instances, cluster, machine), await sayMore(world, machine)];
  const known = waits.filter((wait) => wait !== null);
  return known.length === 0 ? null : Math.min(...known);
}

async function takeData(world: World, machine: Machine, secret: string): Promise<void> {
  const body = { spec: { bootstrap: { dataSecretName: secret } } };
  await world.options.client.mergePatch(targetOf(machines, machine), body);
  await say(world, machine, 'data');
}

async function bringUp(world: World, instances: Instances, cluster: Cluster, machine: Machine): Promise<Wait> {
  const { namespace = '', name } = machine.metadata;
  const secretName = machine.spec.bootstrap.dataSecretName ?? '';
  const endpoint = endpointOf(cluster);
  const isReady = cluster.status?.initialization?.infrastructureProvisioned === true;
  const isToldOfData = machine.status?.initialization?.bootstrapDataSecretCreated === true;
  if (secretName !== '' && !isToldOfData) await say(world, machine, 'data');
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
  if (progress.kind === 'joined' && (await say(world, machine, 'node'))) world.wakeCluster(boot.cluster);
  return null;
}

async function reportProvisioned(world: World, machine: Machine, providerID: string): Promise<void> {
  await world.options.client.mergePatch(targetOf(machines, machine), { spec: { providerID } });
  await say(world, machine, 'provisioned');
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
