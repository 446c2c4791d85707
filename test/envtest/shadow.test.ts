// `run --shadow` as it is shipped, on a real API server: before a provider, and beside what a provider has done.
//
// The account may do everything: only the mode keeps it from writing. The audit log is the judge.
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createSharedWorkloads } from '../../src/embedded/clusters.js';
import { infrastructureDefinitions } from '../../src/embedded/infrastructure/definitions.js';
import { createSimulatedInfrastructure } from '../../src/embedded/infrastructure/infrastructure.js';
import { demoMachines } from '../../src/embedded/infrastructure/resources.js';
import type { SimulatedInfrastructure } from '../../src/embedded/infrastructure/ports.js';
import { sampleWorld } from '../../src/embedded/sample-world.js';
import type { FullApiClient } from '../../src/kube/client.js';
import type { KubeObject } from '../../src/kube/contract.js';
import { resourceOf } from '../../src/kube/resource-paths.js';
import { resources } from '../../src/api/names.js';
import { systemClock, systemRandom } from '../../src/system.js';
import { startOperatorProcess, until, type OperatorProcess } from '../worlds/operator-process.js';
import { clientOf, createObject, hasArrived, lookAt } from '../worlds/world.js';
import { startApiServer, type EnvtestServer } from './api-server.js';
import { installDefinitions } from './definitions.js';

jest.setTimeout(300_000);

const namespace = 'shadowed';
const bundleAgent = 'kubeadm-bootstrap-operator/';
let server: EnvtestServer;
let client: FullApiClient;
let infrastructure: SimulatedInfrastructure;
let operator: OperatorProcess | null = null;

beforeAll(async () => {
  server = await startApiServer({ audit: true, users: [{ name: 'operator', groups: ['system:masters'] }] });
  await installDefinitions(server);
  await installDefinitions(server, infrastructureDefinitions);
  client = clientOf(server.kubeconfig());
  infrastructure = createSimulatedInfrastructure({
    client: client as never,
    workloads: createSharedWorkloads({ client: client as never, kubeconfig: server.kubeconfig() }),
    clock: systemClock,
    random: systemRandom,
  });
  await infrastructure.start();
  const size = { controlPlanes: 1, workers: 1, poolReplicas: 0, ignition: false, demoMachines: true, namespace };
  for (const object of sampleWorld(size)) {
    const isDemoMachine = (object as { readonly kind: string }).kind === demoMachines.kind;
    await (isDemoMachine ? client.create(demoMachines, object) : createObject(client, object));
  }
}, 180_000);

afterEach(async () => {
  await operator?.kill();
  operator = null;
});

afterAll(async () => {
  await infrastructure?.stop();
  await client?.close();
  await server?.stop();
});

const shadow = (...flags: readonly string[]): OperatorProcess =>
  startOperatorProcess(server.kubeconfigFile('operator'), [
    ...flags,
    '--shadow',
    '--leader-elect',
    '--webhook-port=0',
    '--logging-format=json',
  ]);

/** What the bundle would have written, by its log. */
const told = (process: OperatorProcess): readonly string[] =>
  process
    .output()
    .split('\n')
    .filter((line) => line.includes('"msg":"Would write"'))
    .map((line) => JSON.parse(line) as { verb: string; kind: string; object: string; outcome: string })
    .map(({ verb, kind, object, outcome }) => `${verb} ${kind} ${object} ${outcome}`);

/** Requests of the bundle, as any user and to any cluster, since that many were seen; reviews are questions. */
const callsSince = (count: number) =>
  server
    .auditEntries()
    .slice(count)
    .filter(
      ({ userAgent, objectRef }) =>
        userAgent?.startsWith(bundleAgent) === true && objectRef?.apiGroup !== 'authorization.k8s.io',
    );

/** Only reads, and not even those of Leases. */
function expectNoWrite(since: number): void {
  const calls = callsSince(since);
  expect(calls.length).toBeGreaterThan(0);
  expect(calls.filter(({ verb }) => !['get', 'list', 'watch'].includes(verb)).map((each) => each.requestURI)).toEqual(
    [],
  );
  expect(calls.filter(({ objectRef }) => objectRef?.resource === 'leases')).toEqual([]);
}

const pods = { group: '', version: 'v1', plural: 'pods', kind: 'Pod', namespaced: true };
const events = { ...pods, plural: 'events', kind: 'Event' };

/** Versions of everything that the controllers write. */
async function versions(): Promise<readonly string[]> {
  const all = await Promise.all(
    (['KubeadmConfig', 'Machine', 'Cluster', 'Secret', 'ConfigMap', 'Pod', 'Event'] as const).map(async (kind) => {
      const resource = kind === 'Event' ? events : kind === 'Pod' ? pods : resourceOf(resources[kind]);
      const { items } = await client.list(resource, { namespace });
      return items.map(({ metadata }) => `${kind} ${metadata.name} ${metadata.resourceVersion}`);
    }),
  );
  return all.flat().toSorted();
}

describe('run --shadow on a real API server', () => {
  test('no provider yet: a first control plane -> everything is told, nothing is written, no Lease is asked for', async () => {
    const seen = server.auditEntries().length;
    operator = shadow();
    const running = operator;
    const [config] = (await lookAt(client, namespace)).configs.filter(({ name }) => name.includes('control-plane'));
    const name = config?.name ?? '';
    const lines = await until(
      'the data is told',
      () => told(running),
      (all) => all.some((line) => line === `create Secret ${namespace}/${name} differs`),
    );
    expect(lines).toContainEqual(expect.stringMatching(/^create ConfigMap shadowed\/\S+-lock differs$/));
    expect((await lookAt(client, namespace)).configs.filter(({ dataSecretCreated }) => dataSecretCreated)).toEqual([]);
    expect(await running.stop()).toBe(0);
    expectNoWrite(seen);
  });

  test('beside what a provider did -> its data agrees, nothing changes, and no token is in the log', async () => {
    operator = startOperatorProcess(server.kubeconfigFile('operator'));
    const world = await until(
      'the provider is done',
      () => lookAt(client, namespace),
      (each) => hasArrived(each, 2) && each.configs.every(({ dataSecretCreated }) => dataSecretCreated),
      120_000,
    );
    expect(await operator.stop()).toBe(0);
    let before = await versions();
    // The others go on telling of their Machines for a while after a node is there.
    await until(
      'nobody writes any more',
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 3_000));
        const last = before;
        before = await versions();
        return before.join() === last.join();
      },
      (isQuiet) => isQuiet,
      120_000,
    );
    const seen = server.auditEntries().length;
    operator = shadow();
    const running = operator;
    await until(
      'data is compared',
      () => told(running),
      (all) => world.configs.every(({ name }) => all.includes(`patch Secret ${namespace}/${name} agrees`)),
    );
    expect(await running.stop()).toBe(0);
    expectNoWrite(seen);
    expect(await versions()).toEqual(before);
    const output = running.output();
    for (const { specToken, data } of world.configs) {
      if (specToken !== '') expect(output).not.toContain(specToken.split('.')[1]);
      expect(output).not.toContain((data ?? '').slice(400, 460));
    }
  });

  test('all controllers, a Machine on its way out -> its drain is told to its first eviction, and nothing is written anywhere', async () => {
    // Its simulation plays the Machine and Cluster controllers, whose place this one takes.
    await infrastructure.stop();
    const target = { resource: resourceOf(resources.Machine), namespace, name: 'sample-worker-0' };
    const { status } = await client.get<KubeObject & { status: { nodeRef: { name: string } } }>(target);
    const node = status.nodeRef.name;
    const spec = { nodeName: node, containers: [{ name: 'c', image: 'i' }] };
    await client.create(pods, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', namespace }, spec });
    await client.mergePatch(target, { metadata: { finalizers: ['machine.cluster.x-k8s.io'] } });
    await client.delete(target);
    const cluster = { resource: resourceOf(resources.Cluster), namespace, name: 'sample' };
    await client.mergePatch(cluster, { status: { conditions: [] } }, { subresource: 'status' });
    const before = await versions();
    const seen = server.auditEntries().length;
    operator = shadow('--controllers=all');
    const running = operator;
    const wanted = [
      `patch Machine ${namespace}/sample-worker-0 differs`,
      `patch Node ${node} differs`,
      `post Eviction ${namespace}/web unknown`,
      `patch Cluster ${namespace}/sample differs`,
    ];
    await until(
      'the drain is told',
      () => told(running),
      (all) => wanted.every((line) => all.includes(line)),
    );
    expect(await running.stop()).toBe(0);
    expectNoWrite(seen);
    expect(await versions()).toEqual(before);
  });
});
