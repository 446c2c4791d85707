import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { createSharedWorkloads } from '../../src/embedded/clusters.js';
import { createSimulatedInfrastructure } from '../../src/embedded/infrastructure/infrastructure.js';
import type { SimulatedInfrastructure } from '../../src/embedded/infrastructure/ports.js';
import { sampleWorld, type SampleSize } from '../../src/embedded/sample-world.js';
import type { FullApiClient } from '../../src/kube/client.js';
import { resourceOf } from '../../src/kube/resource-paths.js';
import { resources } from '../../src/api/names.js';
import { systemClock, systemRandom } from '../../src/system.js';
import { pause, startOperatorProcess, until, type OperatorProcess } from '../worlds/operator-process.js';
import { clientOf, createObject, hasArrived, isInitData, lookAt, tokenIds, violations } from '../worlds/world.js';
import { ACCOUNT_USER, accountKubeconfig, startInstalledServer, type InstalledServer } from './installed.js';

jest.setTimeout(300_000);

let server: InstalledServer;
let client: FullApiClient;
let infrastructure: SimulatedInfrastructure;
let operator: OperatorProcess | null = null;
const flags = ['--feature-gates=KubeadmBootstrapFormatIgnition=true'];

beforeAll(async () => {
  server = await startInstalledServer();
  client = clientOf(server.kubeconfig());
  const workloads = createSharedWorkloads({ client: client as never, kubeconfig: server.kubeconfig() });
  infrastructure = createSimulatedInfrastructure({
    client: client as never,
    workloads,
    clock: systemClock,
    random: systemRandom,
  });
  await infrastructure.start();
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

const start = (more: readonly string[] = []): OperatorProcess =>
  startOperatorProcess(server.operatorKubeconfig, [...flags, ...more]);

/** Creates a sample world in a namespace of its own; returns how many KubeadmConfigs it has. */
async function populate(namespace: string, size: Partial<SampleSize>, labels: object = {}): Promise<number> {
  let configs = 0;
  for (const each of sampleWorld({ ...size, namespace })) {
    const { metadata } = each as { metadata: { labels?: object } };
    const object = { ...each, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } };
    if ((object as unknown as { kind: string }).kind === 'KubeadmConfig') configs += 1;
    await createObject(client, object);
  }
  return configs;
}

const arrived = (namespace: string, count: number) =>
  until(
    `all of ${namespace} arrive`,
    () => lookAt(client, namespace),
    (world) => hasArrived(world, count),
    120_000,
  );
const tokens = () => tokenIds(client);

/** Gives an account the rules of the shipped ClusterRole, in its own namespace. */
async function bindRules(account: { readonly namespace: string; readonly name: string }): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const role = await server.call('GET', `${rbac}/clusterroles/capi-kubeadm-bootstrap-manager-role`);
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const metadata = { name: account.name };
  const objects = [
    [`/api/v1/namespaces/${account.namespace}/serviceaccounts`, { apiVersion: 'v1', kind: 'ServiceAccount', metadata }],
    [
      `${rbac}/namespaces/${account.namespace}/roles`,
      { apiVersion, kind: 'Role', metadata, rules: role.body['rules'] },
    ],
    [
      `${rbac}/namespaces/${account.namespace}/rolebindings`,
      {
        apiVersion,
        kind: 'RoleBinding',
        metadata,
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: account.name },
        subjects: [{ kind: 'ServiceAccount', ...account }],
      },
    ],
  ] as const;
  for (const [path, object] of objects)
    expect([(await server.call('POST', path, object)).status, path]).toEqual([201, path]);
}

describe('worlds on a real API server, as the account and with the role that are shipped', () => {
  test('a single control plane: nothing else -> init data, CAs, Done', async () => {
    const count = await populate('single', { controlPlanes: 1, workers: 0, poolReplicas: 0 });
    operator = start();
    const world = await arrived('single', count);
    expect(world.configs.map((config) => [config.state, isInitData(config.data)])).toEqual([['Done', true]]);
  });

  test('three control planes, workers, a pool: all at once -> exactly one init, every node joins with its own token', async () => {
    const count = await populate('whole', { controlPlanes: 3, workers: 3, poolReplicas: 2 });
    operator = start();
    const world = await arrived('whole', count);
    expect(await violations(world, tokens)).toEqual([]);
    const minted = world.configs.map((config) => config.specToken).filter((token) => token !== '');
    expect(new Set(minted).size).toBe(count - 1);
  });

  test('workers first: the control plane comes later -> they wait, then join', async () => {
    const all = sampleWorld({ controlPlanes: 1, workers: 2, poolReplicas: 0, namespace: 'late' });
    const isControlPlane = (object: object): boolean =>
      /control-plane-0/.test((object as { metadata: { name: string } }).metadata.name);
    const createAll = async (objects: readonly object[]): Promise<void> => {
      for (const object of objects) await createObject(client, object);
    };
    operator = start();
    await createAll(all.filter((object) => !isControlPlane(object)));
    await until(
      'workers wait',
      () => lookAt(client, 'late'),
      (world) => world.configs.length === 2 && world.configs.every((config) => config.state === 'WaitingCPInit'),
    );
    await createAll(all.filter(isControlPlane));
    expect(await violations(await arrived('late', 3), tokens)).toEqual([]);
  });

  test('a pool: tokens of 12 s -> rotated with its data while workers stay as they are', async () => {
    const count = await populate('pool', { controlPlanes: 1, workers: 1, poolReplicas: 1, ignition: false });
    operator = start(['--bootstrap-token-ttl=12s']);
    const first = await arrived('pool', count);
    const poolOf = (world: typeof first) => world.configs.find((config) => config.isPool);
    const rotated = await until(
      'a new token',
      () => lookAt(client, 'pool'),
      (world) =>
        poolOf(world)?.specToken !== poolOf(first)?.specToken &&
        (poolOf(world)?.data ?? '').includes(poolOf(world)?.specToken ?? '?'),
    );
    const worker = (world: typeof first) => world.configs.find((config) => config.name.includes('worker'))?.dataVersion;
    expect(worker(rotated)).toBe(worker(first));
    expect((await tokens()).has(poolOf(rotated)?.specToken.split('.')[0] ?? '')).toBe(true);
  });

  test('pause: a paused Cluster -> nothing moves until it is unpaused', async () => {
    const cluster = { resource: resourceOf(resources.Cluster), namespace: 'paused', name: 'sample' };
    await populate('paused', { controlPlanes: 1, workers: 1, poolReplicas: 0, ignition: false });
    const path = '/apis/bootstrap.cluster.x-k8s.io/v1beta2/namespaces/paused/kubeadmconfigs';
    interface Item {
      readonly metadata: { readonly ownerReferences?: readonly object[] };
      readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
    }
    const items = async (): Promise<readonly Item[]> =>
      ((await server.call('GET', path)).body as unknown as { items: Item[] }).items;
    await until(
      'both have an owner',
      items,
      (seen) => seen.length === 2 && seen.every((item) => item.metadata.ownerReferences !== undefined),
    );
    await client.mergePatch(cluster, { spec: { paused: true } });
    operator = start();
    const statusOf = (item: Item) => item.status?.conditions?.find((each) => each.type === 'Paused')?.status;
    await until('both are paused', items, (seen) => seen.every((item) => statusOf(item) === 'True'));
    await pause(1500);
    expect((await lookAt(client, 'paused')).configs.map((config) => [config.state, config.data])).toEqual([
      ['', null],
      ['', null],
    ]);
    await client.mergePatch(cluster, { spec: { paused: false } });
    expect(await violations(await arrived('paused', 2), tokens)).toEqual([]);
  });

  test('restart in every state: SIGKILL whenever a state is first seen -> one init, all nodes join', async () => {
    const killedIn = new Set<string>();
    const first = start();
    operator = first;
    // The first states pass quickly: the world comes when somebody is there to see them.
    await until('the operator runs', first.output, (text) => text.includes('Starting manager'));
    const count = await populate('killed', { controlPlanes: 2, workers: 2, poolReplicas: 1 });
    const endMs = systemClock.monotonicMs() + 150_000;
    for (;;) {
      const world = await lookAt(client, 'killed');
      const fresh = world.configs.map((config) => config.state).find((state) => state !== '' && !killedIn.has(state));
      if (fresh !== undefined) {
        killedIn.add(fresh);
        await operator.kill();
        operator = start();
      } else if (hasArrived(world, count) || systemClock.monotonicMs() > endMs) break;
      await pause(5);
    }
    expect(await violations(await arrived('killed', count), tokens)).toEqual([]);
    expect([...killedIn]).toEqual(
      expect.arrayContaining(['WaitingInfra', 'WaitingCPInit', 'Initializing', 'TokenMonitoring', 'Done']),
    );
  });

  test('at rest: a settled world -> no request but watches for 20 s; a restart writes nothing', async () => {
    operator = start();
    await pause(6000);
    const before = server.auditEntries().length;
    await pause(20_000);
    const calls = server
      .auditEntries()
      .slice(before)
      .filter((entry) => entry.user.username === ACCOUNT_USER && entry.verb !== 'watch');
    expect(calls.map((entry) => `${entry.verb} ${entry.requestURI}`)).toEqual([]);
    await operator.kill();
    const atRestart = server.auditEntries().length;
    operator = start();
    await pause(6000);
    const writes = server
      .auditEntries()
      .slice(atRestart)
      .filter(
        (entry) => entry.user.username === ACCOUNT_USER && ['create', 'update', 'patch', 'delete'].includes(entry.verb),
      )
      // A review asks what we may do; it stores nothing.
      .filter((entry) => entry.objectRef?.apiGroup !== 'authorization.k8s.io');
    expect(writes.map((entry) => `${entry.verb} ${entry.requestURI}`)).toEqual([]);
  });

  test('SIGTERM: a running operator -> exit code 0', async () => {
    const running = start(['--leader-elect']);
    operator = running;
    await until(
      'the Lease is taken',
      () => running.output(),
      (text) => text.includes('Lease acquired'),
    );
    expect(await running.stop()).toBe(0);
  });

  const small = { controlPlanes: 1, workers: 1, poolReplicas: 0, ignition: false };
  const untouched = async (namespace: string): Promise<readonly unknown[]> =>
    (await lookAt(client, namespace)).configs.filter(({ state, data }) => state !== '' || data !== null);

  test('--namespace: a Role there in place of the ClusterRole -> its objects alone, and nothing is refused', async () => {
    const other = await populate('elsewhere', small);
    const count = await populate('tenant', small);
    const account = { namespace: 'tenant', name: 'tenant' };
    await bindRules(account);
    const file = await accountKubeconfig(server, account);
    operator = startOperatorProcess(file, [
      '--namespace=tenant',
      '--skip-crd-migration-phases=StorageVersionMigration,CleanupManagedFields',
    ]);
    expect(await violations(await arrived('tenant', count), tokens)).toEqual([]);
    expect(await untouched('elsewhere')).toEqual([]);
    const refused = server
      .auditEntries()
      .filter(
        ({ user, responseStatus }) =>
          user.username === 'system:serviceaccount:tenant:tenant' && responseStatus?.code === 403,
      )
      // Without leader election it looks once whether somebody holds the Lease, and may be refused.
      .filter(({ objectRef }) => objectRef?.resource !== 'leases')
      .map(({ verb, requestURI }) => `${verb} ${requestURI}`);
    expect(refused).toEqual([]);
    // Another operator for the other namespace, beside the first.
    const second = start(['--namespace=elsewhere']);
    try {
      expect(await violations(await arrived('elsewhere', other), tokens)).toEqual([]);
    } finally {
      await second.kill();
    }
  });

  test('--watch-filter: objects with the label -> handled, in every namespace; others -> left alone', async () => {
    const label = { 'cluster.x-k8s.io/watch-filter': 'mine' };
    await populate('unlabelled', small);
    await populate('of-others', small, { 'cluster.x-k8s.io/watch-filter': 'theirs' });
    const one = await populate('labelled-1', small, label);
    const two = await populate('labelled-2', small, label);
    operator = start(['--watch-filter=mine']);
    for (const [namespace, count] of [
      ['labelled-1', one],
      ['labelled-2', two],
    ] as const)
      expect(await violations(await arrived(namespace, count), tokens)).toEqual([]);
    expect([...(await untouched('unlabelled')), ...(await untouched('of-others'))]).toEqual([]);
  });

  test('role: all of these worlds -> the account was refused nothing', () => {
    expect(server.auditEntries().filter(({ user }) => user.username === ACCOUNT_USER).length).toBeGreaterThan(50);
    expect(server.refusals()).toEqual([]);
  });
});
