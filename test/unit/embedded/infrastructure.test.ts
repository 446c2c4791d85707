import { afterEach, describe, expect, test } from '@jest/globals';

import { hashOf } from '../../../src/embedded/infrastructure/node/kubeadm.js';
import { rfc3339 } from '../../../src/embedded/core.js';
import { secrets } from '../../../src/embedded/infrastructure/resources.js';
import {
  ca,
  clusterC,
  initData,
  joinData,
  machineAndConfig,
  otherCa,
  startWorld,
  tokenSecret,
  type TestWorld,
} from './fixture.js';

const token = 'abcdef.0123456789abcdef';
const hash = hashOf(ca) ?? '';

let world: TestWorld;
afterEach(async () => {
  await world.stop();
});

/** A cluster whose first control plane is up. */
async function initialized(): Promise<TestWorld> {
  world = await startWorld({ delays: { joinTimeoutMs: 30_000 } });
  await world.apply(clusterC);
  for (const object of machineAndConfig('cp-0')) await world.apply(object);
  await world.clock.advance(5_000);
  await world.store('cp-0', initData());
  await world.clock.advance(10_000);
  return world;
}

async function putToken(expiresInMs: number): Promise<void> {
  const workload = world.workloads.find({ namespace: 'default', name: 'c' });
  await workload?.client.create(secrets, tokenSecret(token, rfc3339(world.clock.nowMs() + expiresInMs)));
}

function machine(name: string): unknown {
  return world.server.store.get('machines.cluster.x-k8s.io', 'default', name);
}

function poolAndConfig(name: string, replicas: number): readonly object[] {
  const [template, config] = machineAndConfig(name) as [{ spec: object }, object];
  const pool = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachinePool',
    metadata: { name, namespace: 'default' },
    spec: { clusterName: 'c', replicas, template: { spec: template.spec } },
  };
  return [pool, config];
}

function kinds(): string[] {
  return world.infrastructure.notes.map(({ kind }) => kind);
}

describe('simulated infrastructure', () => {
  test('clusters: a moment after they are created -> have an endpoint and are provisioned', async () => {
    world = await startWorld();
    await world.apply(clusterC);
    await world.clock.advance(5_000);
    expect(world.server.store.get('clusters.cluster.x-k8s.io', 'default', 'c')).toMatchObject({
      spec: { controlPlaneEndpoint: { host: 'c.default.cluster.internal', port: 6443 } },
      status: { initialization: { infrastructureProvisioned: true }, phase: 'Provisioned' },
    });
  });

  test('clusters: paused -> are left alone', async () => {
    world = await startWorld();
    await world.apply({ ...clusterC, spec: { ...clusterC.spec, paused: true } });
    await world.clock.advance(60_000);
    expect(world.server.store.get('clusters.cluster.x-k8s.io', 'default', 'c')?.status).toBeUndefined();
  });

  test('machines: adopted -> own their config as controller and belong to the cluster', async () => {
    world = await startWorld();
    await world.apply(clusterC);
    for (const object of machineAndConfig('w-0')) await world.apply(object);
    await world.clock.advance(5_000);
    const config = world.server.store.get('kubeadmconfigs.bootstrap.cluster.x-k8s.io', 'default', 'w-0');
    expect(config?.metadata).toMatchObject({
      labels: { 'cluster.x-k8s.io/cluster-name': 'c' },
      ownerReferences: [{ kind: 'Machine', name: 'w-0', controller: true }],
    });
    expect(machine('w-0')).toMatchObject({
      metadata: { finalizers: ['machine.cluster.x-k8s.io'], ownerReferences: [{ kind: 'Cluster', name: 'c' }] },
    });
  });

  test('first control plane: its data is there -> the workload cluster runs, its kubeconfig is stored, the Cluster says so', async () => {
    await initialized();
    expect(kinds()).toContain('control-plane-initialized');
    expect(machine('cp-0')).toMatchObject({
      spec: { bootstrap: { dataSecretName: 'cp-0' }, providerID: 'demo://default/cp-0' },
      status: { nodeRef: { name: 'cp-0' }, phase: 'Running' },
    });
    const cluster = world.server.store.get('clusters.cluster.x-k8s.io', 'default', 'c');
    expect(cluster?.status).toMatchObject({
      initialization: { controlPlaneInitialized: true },
      conditions: [{ type: 'ControlPlaneInitialized', status: 'True', reason: 'Initialized' }],
    });
    const secret = world.server.store.get('secrets', 'default', 'c-kubeconfig');
    expect(secret).toMatchObject({
      type: 'cluster.x-k8s.io/secret',
      metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'c' } },
    });
    expect(world.infrastructure.settled()).toBe(true);
  });

  test('second init: data says init again -> the boot fails and is noted', async () => {
    await initialized();
    for (const object of machineAndConfig('cp-1')) await world.apply(object);
    await world.store('cp-1', initData());
    await world.clock.advance(10_000);
    expect(world.infrastructure.notes.at(-1)).toMatchObject({
      kind: 'boot-failed',
      node: 'cp-1',
      why: 'the cluster was already initialised by cp-0',
    });
    expect(machine('cp-1')).not.toHaveProperty('status.nodeRef');
  });

  test('workers: the token is valid at that moment -> the node joins', async () => {
    await initialized();
    await putToken(900_000);
    for (const object of machineAndConfig('w-0')) await world.apply(object);
    await world.store('w-0', joinData(token, hash));
    await world.clock.advance(10_000);
    expect(world.infrastructure.notes.at(-1)).toMatchObject({ kind: 'node-joined', node: 'w-0', token });
    expect(machine('w-0')).toMatchObject({ status: { nodeRef: { name: 'w-0' } } });
    expect(
      world.workloads
        .server({ namespace: 'default', name: 'c' })
        ?.store.list('nodes')
        .map((node) => node.metadata.name),
    ).toEqual(['cp-0', 'w-0']);
  });

  test.each([
    ['does not exist', null, joinData(token, hash), /does not exist/],
    ['has expired', 1_000, joinData(token, hash), /expired/],
    ['has another secret', 900_000, joinData('abcdef.fedcba9876543210', hash), /another secret/],
    ['comes with a foreign CA hash', 900_000, joinData(token, hashOf(otherCa) ?? ''), /no CA hash matches/],
    ['leads to another endpoint', 900_000, joinData(token, hash, 'elsewhere:6443'), /apiServerEndpoint/],
  ])('workers: the token %s -> the node is refused', async (_, expiresInMs, data, why) => {
    await initialized();
    if (expiresInMs !== null) await putToken(expiresInMs);
    for (const object of machineAndConfig('w-0')) await world.apply(object);
    await world.store('w-0', data);
    await world.clock.advance(10_000);
    expect(kinds()).not.toContain('node-joined');
    expect(world.infrastructure.notes.at(-1)).toMatchObject({ kind: 'join-refused', why: expect.stringMatching(why) });
    await world.clock.advance(60_000);
    expect(world.infrastructure.notes.at(-1)).toMatchObject({ kind: 'boot-failed' });
    expect(machine('w-0')).not.toHaveProperty('status.nodeRef');
  });

  test('workers: the token appears while kubeadm still tries -> the node joins', async () => {
    await initialized();
    for (const object of machineAndConfig('w-0')) await world.apply(object);
    await world.store('w-0', joinData(token, hash));
    await world.clock.advance(20_000);
    await putToken(900_000);
    await world.clock.advance(10_000);
    expect(kinds()).toContain('node-joined');
  });

  test('workers: data rewritten after the boot -> the node keeps what it was given', async () => {
    await initialized();
    for (const object of machineAndConfig('w-0')) await world.apply(object);
    await world.store('w-0', joinData('zzzzzz.0123456789abcdef', hash));
    await world.clock.advance(5_000);
    await putToken(900_000);
    const value = Buffer.from(joinData(token, hash)).toString('base64');
    await world.client.mergePatch({ resource: secrets, namespace: 'default', name: 'w-0' }, { data: { value } });
    await world.clock.advance(20_000);
    expect(kinds()).not.toContain('node-joined');
  });

  test('pools: data and token are there -> every replica joins, and one more after growth', async () => {
    world = await startWorld({ growPoolsAfterMs: 30_000 });
    await world.apply(clusterC);
    for (const object of machineAndConfig('cp-0')) await world.apply(object);
    await world.clock.advance(5_000);
    await world.store('cp-0', initData());
    await world.clock.advance(10_000);
    await putToken(900_000);
    for (const object of poolAndConfig('p', 2)) await world.apply(object);
    await world.store('p', joinData(token, hash));
    await world.clock.advance(15_000);
    const pool = (): unknown => world.server.store.get('machinepools.cluster.x-k8s.io', 'default', 'p');
    expect(pool()).toMatchObject({
      spec: {
        template: { spec: { bootstrap: { dataSecretName: 'p' } } },
        providerIDList: ['demo://default/p-0', 'demo://default/p-1'],
      },
      status: { phase: 'Running', nodeRefs: [{ name: 'p-0' }, { name: 'p-1' }] },
    });
    await world.clock.advance(60_000);
    expect(pool()).toMatchObject({
      spec: { replicas: 3 },
      status: { nodeRefs: [{ name: 'p-0' }, { name: 'p-1' }, { name: 'p-2' }] },
    });
  });

  test('machines: a node comes up -> the Machine is patched about ten times, and says all that others say in the end', async () => {
    await initialized();
    await putToken(900_000);
    let patches = 0;
    const generations = new Set<unknown>();
    world.server.store.subscribe(({ resource, object }) => {
      if (!resource.endsWith('/machines') || object.metadata.name !== 'w-0') return;
      patches += 1;
      generations.add(object.metadata.generation);
    });
    for (const object of machineAndConfig('w-0')) await world.apply(object);
    await world.store('w-0', joinData(token, hash));
    await world.clock.advance(10_000);
    const { status } = machine('w-0') as { readonly status: { readonly conditions: readonly object[] } };
    const types = ['UpToDate', 'BootstrapConfigReady', 'InfrastructureReady', 'NodeReady', 'NodeHealthy', 'Ready'];
    for (const type of [...types, 'Available'])
      expect(status.conditions).toContainEqual(expect.objectContaining({ type, status: 'True' }));
    expect(status).toMatchObject({
      addresses: [{ type: 'InternalDNS' }, { type: 'InternalIP' }],
      nodeInfo: { kubeletVersion: expect.any(String) as unknown },
    });
    expect(patches - generations.size).toBeGreaterThanOrEqual(10);
    expect(patches).toBeLessThan(20);
    expect(world.infrastructure.settled()).toBe(true);
  });

  test('pools: nodes are there -> status.replicas follows them later, never ahead, and is right in the end', async () => {
    await initialized();
    await putToken(900_000);
    const seen: [number, number][] = [];
    world.server.store.subscribe(({ resource, object }) => {
      if (!resource.endsWith('/machinepools')) return;
      const { replicas = 0, nodeRefs = [] } =
        (object as { status?: { replicas?: number; nodeRefs?: readonly object[] } }).status ?? {};
      seen.push([replicas, nodeRefs.length]);
    });
    for (const object of poolAndConfig('p', 3)) await world.apply(object);
    await world.store('p', joinData(token, hash));
    await world.clock.advance(20_000);
    expect(seen.some(([replicas, nodes]) => replicas < nodes)).toBe(true);
    expect(seen.every(([replicas, nodes]) => replicas <= nodes)).toBe(true);
    expect(seen.at(-1)).toEqual([3, 3]);
    expect(world.infrastructure.settled()).toBe(true);
  });

  test('deletion: a cluster is deleted -> machines, nodes and the workload cluster go before it', async () => {
    await initialized();
    await world.client.delete({
      resource: {
        group: 'cluster.x-k8s.io',
        version: 'v1beta2',
        plural: 'clusters',
        kind: 'Cluster',
        namespaced: true,
      },
      namespace: 'default',
      name: 'c',
    });
    await world.clock.advance(20_000);
    for (const resource of [
      'clusters.cluster.x-k8s.io',
      'machines.cluster.x-k8s.io',
      'kubeadmconfigs.bootstrap.cluster.x-k8s.io',
    ]) {
      expect(world.server.store.list(resource)).toEqual([]);
    }
    expect(world.server.store.list('secrets').map((secret) => secret.metadata.name)).toEqual(['cp-0']);
    expect(world.workloads.find({ namespace: 'default', name: 'c' })).toBeUndefined();
  });
});
