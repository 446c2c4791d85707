// Two operators on a real kube-apiserver, as the account and with the role that are shipped: one leads, and whatever happens to
// it, the other goes on and nothing that the first one still says does harm.
//
// Each operator has a proxy of its own, and workload clusters have one: what is sent is counted there, and can be kept there as
// if it were still in the socket.
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { annotation, resources } from '../../src/api/names.js';
import { MIGRATED_CRDS } from '../../src/controllers/crd-migrator/migrator.js';
import { createSharedWorkloads } from '../../src/embedded/clusters.js';
import { createSimulatedInfrastructure } from '../../src/embedded/infrastructure/infrastructure.js';
import type { SimulatedInfrastructure } from '../../src/embedded/infrastructure/ports.js';
import { sampleWorld } from '../../src/embedded/sample-world.js';
import type { FullApiClient } from '../../src/kube/client.js';
import type { KubeObject } from '../../src/kube/contract.js';
import { isApiError } from '../../src/kube/failures.js';
import { resourceOf } from '../../src/kube/resource-paths.js';
import { systemClock, systemRandom } from '../../src/system.js';
import { startApiProxy, type ApiProxy, type ProxiedRequest } from '../worlds/api-proxy.js';
import { pause, startOperatorProcess, until, type OperatorProcess } from '../worlds/operator-process.js';
import { clientOf, createObject, hasArrived, lookAt, tokenIds, violations } from '../worlds/world.js';
import { kubeconfigText } from './api-server.js';
import { ACCOUNT, accountKubeconfig, startInstalledServer, type InstalledServer } from './installed.js';

jest.setTimeout(300_000);

/** Short, and long enough for a machine that is busy with two servers and two operators. */
const LEASE = [
  '--leader-elect',
  '--leader-elect-lease-duration=6s',
  '--leader-elect-renew-deadline=4s',
  '--leader-elect-retry-period=500ms',
];
const size = { controlPlanes: 2, workers: 1, poolReplicas: 0, ignition: false };

interface Sent extends ProxiedRequest {
  readonly atMs: number;
  status: number | null;
}

/** An operator process behind its own proxy. */
interface Member {
  readonly process: OperatorProcess;
  /** Writes that came to the proxy, in order. */
  readonly writes: Sent[];
  readonly leads: () => boolean;
}

/** A gate for writes: closed, they wait as if they were in the socket. */
interface Gate {
  /** Closes at the first write for which this holds. */
  closeAt(matches: (request: ProxiedRequest) => boolean): void;
  /** What comes from now on passes; what is held stays held. */
  letOthersPass(): void;
  readonly held: readonly ProxiedRequest[];
  /** Held requests that were answered. */
  readonly answered: readonly ProxiedRequest[];
  open(): void;
}

let server: InstalledServer;
let client: FullApiClient;
let infrastructure: SimulatedInfrastructure;
let workloadProxy: ApiProxy;
const proxies: ApiProxy[] = [];
const members: Member[] = [];

beforeAll(async () => {
  server = await startInstalledServer({ users: [{ name: 'workload', groups: ['system:masters'] }] });
  workloadProxy = await startApiProxy(server.url);
  client = clientOf(server.kubeconfig());
  const kubeconfig = kubeconfigText({
    url: workloadProxy.url,
    ca: '',
    user: 'workload',
    token: server.token('workload'),
  });
  infrastructure = createSimulatedInfrastructure({
    client: client as never,
    workloads: createSharedWorkloads({ client: client as never, kubeconfig }),
    clock: systemClock,
    random: systemRandom,
    delays: { clusterMs: [50, 200], machineMs: [50, 200], bootMs: [50, 200], retryMs: [100, 300] },
  });
  await infrastructure.start();
}, 180_000);

afterEach(async () => {
  for (const { process: operator } of members.splice(0)) await operator.kill();
  for (const proxy of proxies.splice(0)) await proxy.close();
  workloadProxy.disturb({});
  await client.delete({
    resource: resourceOf(resources.Lease),
    namespace: ACCOUNT.namespace,
    name: 'kubeadm-bootstrap-manager-leader-election-capi',
  });
});

afterAll(async () => {
  await infrastructure?.stop();
  await workloadProxy?.close();
  await client?.close();
  await server?.stop();
});

async function startMember(namespace: string, gate?: ReturnType<typeof createGate>): Promise<Member> {
  const proxy = await startApiProxy(server.url);
  proxies.push(proxy);
  const writes: Sent[] = [];
  const sent = new Map<ProxiedRequest, Sent>();
  proxy.disturb({
    async before(request) {
      if (!request.isWrite) return true;
      const note: Sent = { ...request, atMs: performance.now(), status: null };
      sent.set(request, note);
      writes.push(note);
      await gate?.pass(request);
      return true;
    },
    after(request, status) {
      const note = sent.get(request);
      if (note !== undefined) note.status = status;
      gate?.answer(request);
      return true;
    },
  });
  const kubeconfig = await accountKubeconfig(server, ACCOUNT, { url: proxy.url, as: `member-${proxies.length}` });
  const operator = startOperatorProcess(kubeconfig, [...LEASE, `--namespace=${namespace}`]);
  const member = { process: operator, writes, leads: () => operator.output().includes('Lease acquired') };
  members.push(member);
  return member;
}

/** The first leads and has migrated the definitions, the second waits. */
async function startTwo(namespace: string, gate?: ReturnType<typeof createGate>): Promise<[Member, Member]> {
  const first = await startMember(namespace, gate);
  await until('the first leads', first.leads, Boolean);
  await until('the definitions are migrated', areMigrated, Boolean);
  const second = await startMember(namespace);
  await until('the second waits', second.process.output, (text) => text.includes('Waiting for the Lease'));
  return [first, second];
}

function createGate(): Gate & { pass(request: ProxiedRequest): Promise<void>; answer(request: ProxiedRequest): void } {
  const held: ProxiedRequest[] = [];
  const answered: ProxiedRequest[] = [];
  let matches = (_: ProxiedRequest): boolean => false;
  let isClosed = false;
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return {
    held,
    answered,
    closeAt(next) {
      matches = next;
    },
    letOthersPass() {
      isClosed = false;
      matches = () => false;
    },
    open: () => open(),
    answer(request) {
      if (held.includes(request)) answered.push(request);
    },
    async pass(request) {
      if (!isClosed && matches(request)) isClosed = true;
      if (!isClosed) return;
      held.push(request);
      await opened;
    },
  };
}

/** Creates the world, or what a larger one has more; returns how many KubeadmConfigs it has. */
async function populate(namespace: string, controlPlanes = size.controlPlanes): Promise<number> {
  const objects = sampleWorld({ ...size, controlPlanes, namespace });
  for (const object of objects) {
    await createObject(client, object).catch((error: unknown) => {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    });
  }
  return objects.filter((object) => (object as { kind: string }).kind === 'KubeadmConfig').length;
}

const isLease = ({ path }: ProxiedRequest): boolean => path.includes('/leases');
const arrived = (namespace: string, count: number) =>
  until(
    `${namespace} arrives`,
    () => lookAt(client, namespace),
    (world) => hasArrived(world, count),
    120_000,
  );
const problemsOf = async (namespace: string, count: number): Promise<readonly string[]> =>
  violations(await arrived(namespace, count), () => tokenIds(client));

/** Everything that a late write could have changed, with its version. */
async function versionsOf(namespace: string): Promise<readonly string[]> {
  const lists = await Promise.all(
    [
      `/apis/bootstrap.cluster.x-k8s.io/v1beta2/namespaces/${namespace}/kubeadmconfigs`,
      `/api/v1/namespaces/${namespace}/secrets`,
      `/api/v1/namespaces/${namespace}/configmaps`,
      '/api/v1/namespaces/kube-system/secrets?fieldSelector=type%3Dbootstrap.kubernetes.io%2Ftoken',
    ].map((path) => server.call('GET', path)),
  );
  return lists.flatMap(({ body }) =>
    (body as unknown as { items: { metadata: { name: string; uid: string; resourceVersion: string } }[] }).items.map(
      ({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`,
    ),
  );
}

describe('two operators', () => {
  test('SIGKILL of the leader in the middle of a world -> the other goes on and finishes it; a standby has written nothing', async () => {
    const [first, second] = await startTwo('killed');
    const count = await populate('killed');
    await until(
      'the first data',
      () => lookAt(client, 'killed'),
      (world) => world.configs.some(({ data }) => data !== null),
    );
    expect(hasArrived(await lookAt(client, 'killed'), count)).toBe(false);
    await first.process.kill();
    expect(second.writes.filter((write) => !isLease(write))).toEqual([]);
    expect(second.leads()).toBe(false);
    expect(await problemsOf('killed', count)).toEqual([]);
    expect(second.leads()).toBe(true);
    expect(server.refusals()).toEqual([]);
  });

  test('SIGTERM of the leader -> the other leads within 3 s', async () => {
    const [first, second] = await startTwo('released');
    const startedMs = performance.now();
    expect(await first.process.stop()).toBe(0);
    await until('the second leads', second.leads, Boolean);
    const tookMs = performance.now() - startedMs;
    process.stdout.write(
      `hand-over of a released Lease, with the end of the first process: ${Math.round(tookMs)} ms\n`,
    );
    expect(tookMs).toBeLessThan(3_000);
  });

  const points: readonly (readonly [string, (request: ProxiedRequest) => boolean])[] = [
    ['init lock', ({ method, path }) => method === 'POST' && path.endsWith('/configmaps')],
    ['data of a node', ({ method, path }) => method === 'POST' && /namespaces\/paused-\d\/secrets$/.test(path)],
    ['status', ({ method, path }) => method === 'PATCH' && path.endsWith('/status')],
    ['token in spec', ({ method, path }) => method === 'PATCH' && /kubeadmconfigs\/sample-worker-0$/.test(path)],
    ['token in the workload cluster', ({ method, path }) => method === 'POST' && path.endsWith('kube-system/secrets')],
  ];

  test.each(points.map(([what, matches], index) => [what, matches, `paused-${index}`] as const))(
    'SIGSTOP of the leader past its Lease, while its write of %s is in the socket -> the other finishes, the late write harms nothing, and after SIGCONT the first sends no write and ends',
    async (_, matches, namespace) => {
      const gate = createGate();
      workloadProxy.disturb({
        async before(request) {
          if (request.isWrite) await gate.pass(request);
          return true;
        },
        after(request) {
          gate.answer(request);
          return true;
        },
      });
      const [first, second] = await startTwo(namespace, gate);
      gate.closeAt(matches);
      const count = await populate(namespace);
      await until('a write is under way', () => gate.held.length, Boolean);
      process.kill(first.process.pid, 'SIGSTOP');
      // Bytes that had left before the stop still come to the proxies; what the second sends is not held.
      await pause(200);
      gate.letOthersPass();

      expect(await problemsOf(namespace, count)).toEqual([]);
      expect(second.leads()).toBe(true);
      await until('the second rests', () => restOf(second), Boolean);

      const before = await versionsOf(namespace);
      gate.open();
      await until(
        'the late writes are answered',
        () => gate.answered.length,
        (count) => count === gate.held.length,
      );
      expect(gate.held.some(matches)).toBe(true);
      // A lock that comes when nobody needs one is left over until the next control plane node joins.
      const isLock = (entry: string): boolean => entry.startsWith('sample-lock ');
      const after = await versionsOf(namespace);
      expect(after.filter((entry) => !isLock(entry))).toEqual(before);
      await until('the second rests again', () => restOf(second), Boolean);

      const sentBefore = first.writes.length;
      const audited = server.auditEntries().length;
      process.kill(first.process.pid, 'SIGCONT');
      expect(await first.process.exited).toBe(1);
      expect(first.process.output()).toContain(
        'error: the Lease kubeadm-bootstrap-manager-leader-election-capi was lost',
      );
      expect(first.writes.slice(sentBefore)).toEqual([]);
      const foreign = server
        .auditEntries()
        .slice(audited)
        .filter(({ verb, objectRef }) => isWritingVerb(verb) && objectRef?.resource !== 'leases');
      expect(foreign.map(({ verb, requestURI }) => `${verb} ${requestURI}`)).toEqual([]);
      expect(await versionsOf(namespace)).toEqual(after);

      if (!after.some(isLock)) return;
      await populate(namespace, size.controlPlanes + 1);
      expect(await problemsOf(namespace, count + 1)).toEqual([]);
      expect((await versionsOf(namespace)).filter(isLock)).toEqual([]);
    },
  );
});

const isWritingVerb = (verb: string): boolean =>
  ['create', 'update', 'patch', 'delete', 'deletecollection'].includes(verb);

/** True when a leader has sent nothing but renewals for a second. */
async function areMigrated(): Promise<boolean> {
  const definitions = await Promise.all(
    Object.keys(MIGRATED_CRDS).map((name) =>
      client.get<KubeObject>({ resource: resourceOf(resources.CustomResourceDefinition), namespace: '', name }),
    ),
  );
  return definitions.every(
    ({ metadata }) => metadata.annotations?.[annotation.crdMigrationObservedGeneration] === String(metadata.generation),
  );
}

async function restOf({ writes }: Member): Promise<boolean> {
  const count = writes.filter((write) => !isLease(write)).length;
  await pause(1_000);
  return writes.filter((write) => !isLease(write)).length === count;
}
