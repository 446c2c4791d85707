// `clusterctl move` between two API servers while workers are joining: what has been decided on the first stays decided on the second.
//
// clusterctl refuses to move a cluster in which a Machine has no node yet, so the join that is under way is that of a MachinePool.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { resources } from '../../src/api/names.js';
import { createEmbeddedWorkloads, type EmbeddedWorkloads } from '../../src/embedded/clusters.js';
import { createSimulatedInfrastructure } from '../../src/embedded/infrastructure/infrastructure.js';
import type { SimulatedInfrastructure } from '../../src/embedded/infrastructure/ports.js';
import { sampleWorld } from '../../src/embedded/sample-world.js';
import type { FullApiClient } from '../../src/kube/client.js';
import { resourceOf } from '../../src/kube/resource-paths.js';
import { systemClock, systemRandom } from '../../src/system.js';
import { startApiProxy, type ApiProxy } from '../worlds/api-proxy.js';
import { startOperatorProcess, until, type OperatorProcess } from '../worlds/operator-process.js';
import { clientOf, hasArrived, lookAt, violations, type SeenConfig } from '../worlds/world.js';
import { startApiServer, type EnvtestServer } from './api-server.js';
import { clusterctlPrograms } from './clusterctl/programs.mjs';
import { createWorkbench, withoutWebhooks, type Workbench } from './clusterctl/workbench.js';
import { ACCOUNT, accountKubeconfig } from './installed.js';

const programs = clusterctlPrograms();
const namespace = 'moved';

/** A management cluster. */
interface Side {
  readonly server: EnvtestServer;
  readonly client: FullApiClient;
}

describe.each(programs.program === null ? [] : [programs])('clusterctl move', ({ program, moduleFolder }) => {
  let bench: Workbench;
  let from: Side;
  let to: Side;
  let proxy: ApiProxy;
  let workloads: EmbeddedWorkloads;
  const running: (SimulatedInfrastructure | OperatorProcess)[] = [];

  const openSide = async (): Promise<Side> => {
    const server = await startApiServer();
    await bench.init(server);
    await withoutWebhooks(server);
    return { server, client: clientOf(server.kubeconfig()) };
  };
  const startInfrastructure = async ({ client }: Side): Promise<SimulatedInfrastructure> => {
    const infrastructure = createSimulatedInfrastructure({
      client: client as never,
      workloads,
      clock: systemClock,
      random: systemRandom,
      delays: { clusterMs: [50, 200], machineMs: [50, 200], bootMs: [50, 200], retryMs: [100, 300] },
    });
    await infrastructure.start();
    return infrastructure;
  };
  const poolOf = ({ configs }: { readonly configs: readonly SeenConfig[] }): SeenConfig | undefined =>
    configs.find(({ isPool }) => isPool);
  const tokens = async (): Promise<ReadonlySet<string>> => {
    const secrets = workloads.server({ namespace, name: 'sample' })?.store.list('secrets', 'kube-system') ?? [];
    const names = secrets.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('bootstrap-token-'));
    return new Set(names.map((name) => name.replace('bootstrap-token-', '')));
  };

  beforeAll(async () => {
    bench = createWorkbench(program, moduleFolder);
    workloads = createEmbeddedWorkloads({ clock: systemClock, random: systemRandom, listen: true });
    from = await openSide();
    to = await openSide();
    proxy = await startApiProxy(from.server.url);
  }, 300_000);

  afterAll(async () => {
    for (const each of running) await ('kill' in each ? each.kill() : each.stop());
    await proxy?.close();
    await workloads?.close();
    for (const side of [from, to]) {
      await side?.client.close();
      await side?.server.stop();
    }
    bench?.close();
  });

  test('a join between its token and its data Secret -> the same token on the target, one init, and the node joins', async () => {
    // The data of the pool cannot be written on the source: its join stays between token and data.
    let isInitialised = false;
    proxy.disturb({
      before: ({ method, path }) =>
        !(isInitialised && method === 'POST' && path.endsWith(`/namespaces/${namespace}/secrets`)),
    });
    const infrastructure = await startInfrastructure(from);
    for (const object of sampleWorld({ controlPlanes: 1, workers: 0, poolReplicas: 1, namespace })) {
      const { apiVersion, kind } = object as { apiVersion: string; kind: string };
      const entry = Object.values(resources).find((each) => each.kind === kind && each.apiVersion === apiVersion);
      await from.client.create(resourceOf(entry!), object);
    }
    const source = startOperatorProcess(
      await accountKubeconfig(from.server, ACCOUNT, { url: proxy.url, as: 'source' }),
      ['--leader-elect'],
    );
    running.push(source);
    await until(
      'the control plane has its data',
      () => lookAt(from.client, namespace),
      (world) => world.configs.some(({ data, isPool }) => !isPool && data !== null),
    );
    isInitialised = true;
    const before = await until(
      'the pool has a token and no data, the control plane a node',
      () => lookAt(from.client, namespace),
      (world) => poolOf(world)?.specToken !== '' && world.configs.every(({ joined, isPool }) => joined || isPool),
    );
    expect(poolOf(before)?.data).toBeNull();
    await until('the token is in the workload cluster', tokens, (ids) => ids.size === 1);
    await infrastructure.stop();

    bench.clusterctl(from.server, 'move', '--to-kubeconfig', to.server.kubeconfigFile(), '--namespace', namespace);
    proxy.disturb({});

    // Status is not moved. The core provider would find the node of the control plane again by its provider id.
    const machine = { resource: resourceOf(resources.Machine), namespace, name: 'sample-control-plane-0' };
    const nodeRef = { name: 'sample-control-plane-0' };
    await to.client.mergePatch(machine, { status: { nodeRef } }, { subresource: 'status' });
    running.push(await startInfrastructure(to));
    running.push(
      startOperatorProcess(await accountKubeconfig(to.server, ACCOUNT, { as: 'target' }), ['--leader-elect']),
    );
    const world = await until(
      'the world arrives on the target',
      () => lookAt(to.client, namespace),
      (seen) => hasArrived(seen, 2),
      90_000,
    );
    expect(await violations(world, tokens)).toEqual([]);
    expect(poolOf(world)?.specToken).toBe(poolOf(before)?.specToken);
    const dataOf = ({ configs }: typeof world): string | null => configs.find(({ isPool }) => !isPool)?.data ?? null;
    expect(dataOf(world)).toBe(dataOf(before));
    expect((await tokens()).size).toBe(1);
    const left = await lookAt(from.client, namespace);
    expect(left.configs).toEqual([]);
    expect(source.output()).not.toContain('panic');
  }, 240_000);
});
