// The world of the soak: an API server in memory, workload clusters that boot in it, simulated infrastructure, and the hands of users
// who make clusters, replace Machines and delete both.
import { createEmbeddedApiServer } from '../../../src/embedded/api-server.js';
import { createEmbeddedWorkloads, type EmbeddedWorkloads } from '../../../src/embedded/clusters.js';
import { createHandleClient } from '../../../src/embedded/client.js';
import { bootstrapDefinitions, coreDefinitions } from '../../../src/embedded/crds.js';
import { infrastructureDefinitions } from '../../../src/embedded/infrastructure/definitions.js';
import { createSimulatedInfrastructure } from '../../../src/embedded/infrastructure/infrastructure.js';
import type { SimulatedInfrastructure } from '../../../src/embedded/infrastructure/ports.js';
import { sampleCluster } from '../../../src/embedded/sample-world.js';
import type { ApiObject, EmbeddedApiServer } from '../../../src/embedded/types.js';
import { leaseGroups } from '../../../src/cli/lease-groups.js';
import { sized } from '../../test-size.js';
import { base64, materialOfProcess, type Material } from '../engine/objects.js';
import { streamOf, type Stream } from '../engine/seeded.js';
import { createVirtualTime, type VirtualTime } from '../engine/virtual-time.js';
import { countedClock, type CountedClock } from './clock.js';
import { soakConfig } from './operator.js';

/** Where the objects live. */
export const NAMESPACE = 'soak';
const MINUTE = 60_000;
const WORKERS = sized(6, 16);
/** Three control planes, workers and a pool. */
export const CONFIGS_OF_CLUSTER = 3 + WORKERS + 1;
const SIZE = {
  clusters: 1,
  controlPlanes: 3,
  workers: WORKERS,
  poolReplicas: 2,
  version: 'v1.34.0',
  namespace: NAMESPACE,
  ignition: true,
  demoMachines: true,
};

/** The world and what users do to it. */
export interface SoakWorld {
  readonly time: VirtualTime;
  readonly random: Stream;
  /** Of each cluster. */
  readonly workers: number;
  readonly management: EmbeddedApiServer;
  readonly workloads: EmbeddedWorkloads;
  readonly infrastructure: SimulatedInfrastructure;
  readonly material: Material;
  /** The clock of everything but the operator. */
  readonly clock: CountedClock;
  /** Names of the clusters that should be there. */
  readonly alive: Set<string>;
  pass(ms: number): Promise<void>;
  call(method: string, path: string, body?: object): Promise<number>;
  /** Creates a cluster; one of its workers has no infrastructure yet. */
  createCluster(name: string): Promise<void>;
  /** Gives the worker that waits what it waits for. */
  createLateMachine(cluster: string): Promise<void>;
  /** Asks for the deletion of Machines, pools, KubeadmConfigs and infrastructure, as `kubectl delete -f` of all of them does. */
  deleteMembers(cluster: string): Promise<void>;
  /**
   * Ends when nothing of them is left. What no owner had adopted yet, nobody but its user deletes; its names are returned.
   */
  deleteClusters(names: readonly string[]): Promise<readonly string[]>;
  /** Deletes workers whose Nodes run a Pod each, and makes them again under their names, which it returns. */
  replaceWorkers(workers: readonly { readonly cluster: string; readonly index: number }[]): Promise<readonly string[]>;
  objects(resource: string): readonly ApiObject[];
  /** The token cleaner of each workload cluster's controller manager: expired bootstrap tokens go. */
  cleanTokens(): Promise<void>;
}

/** The worker of a cluster whose infrastructure comes late: it waits for its node, and its token is kept alive. */
export const lateWorker = (cluster: string): string => `${cluster}-worker-1`;

/** A world without clusters. */
export async function createSoakWorld(seed: number, configs: number): Promise<SoakWorld> {
  const time = createVirtualTime();
  const clock = countedClock(time.clock);
  const random = streamOf(seed, 'soak');
  const material = await materialOfProcess();
  const management = createEmbeddedApiServer({
    clock,
    random: streamOf(seed, 'management'),
    crds: [...coreDefinitions, ...bootstrapDefinitions, ...infrastructureDefinitions] as object[],
    namespaces: [NAMESPACE, ...leaseGroups(soakConfig.controllers).flatMap(({ namespace }) => namespace ?? [])],
    bookmarkIntervalMs: 2 * MINUTE,
    // Full on the first day, so that what is measured afterwards is not the history filling up.
    watchHistoryMax: Math.max(100, configs / 4),
  });
  const workloads = createEmbeddedWorkloads({
    clock,
    random: streamOf(seed, 'workloads'),
    listen: false,
    serverOptions: () => ({ watchHistoryMax: 20, bookmarkIntervalMs: 2 * MINUTE }),
  });
  const infrastructure = createSimulatedInfrastructure({
    client: createHandleClient((request) => management.handle(request), { userAgent: 'simulated-infrastructure' }),
    workloads,
    clock,
    random: streamOf(seed, 'infrastructure'),
    reportsControlPlaneInitialized: false,
    playsMachineController: false,
    delays: {
      clusterMs: [1_000, 20_000],
      machineMs: [1_000, 20_000],
      bootMs: [10_000, 120_000],
      retryMs: [5_000, 15_000],
      joinTimeoutMs: 24 * 60 * MINUTE,
    },
  });
  const world = {
    time,
    clock,
    workers: WORKERS,
    random,
    management,
    workloads,
    infrastructure,
    material,
    alive: new Set<string>(),
  };
  const withPods = new Set<string>();
  endPods(world, withPods);
  void infrastructure.start();
  return { ...world, ...hands({ ...world, withPods }) };
}

type Given = Pick<SoakWorld, 'time' | 'management' | 'workloads' | 'material' | 'alive' | 'clock'> & {
  readonly withPods: Set<string>;
};

function hands({
  time,
  management,
  workloads,
  material,
  alive,
  clock,
  withPods,
}: Given): Omit<SoakWorld, keyof Given | 'random' | 'workers' | 'infrastructure'> {
  const call = (method: string, path: string, body?: object): Promise<number> => send(management, method, path, body);
  const pass = async (ms: number): Promise<void> => void (await time.runUntil(time.nowMs + ms, () => false));
  const until = async (what: string, leftOf: () => readonly string[]): Promise<void> => {
    for (let look = 0; look < 60 * 6; look += 1) {
      if (leftOf().length === 0) return;
      await pass(MINUTE / 6);
    }
    throw new Error(`in an hour not: ${what}: ${leftOf().slice(0, 20).join(', ')}`);
  };
  const objects = (resource: string): readonly ApiObject[] => management.store.list(resource, NAMESPACE);
  const isThere = (resource: string, name: string): boolean =>
    management.store.get(resource, NAMESPACE, name) !== undefined;
  const left = (isMeant: (object: ApiObject) => boolean): readonly string[] =>
    LEFT_BEHIND.flatMap((resource) =>
      objects(resource)
        .filter(isMeant)
        .map(({ metadata }) => `${resource}/${metadata.name}`),
    );
  const drop = async (isMeant: (object: ApiObject) => boolean): Promise<void> => {
    for (const { apiVersion, kind, metadata } of MEMBERS.flatMap((resource) => objects(resource).filter(isMeant)))
      await call('DELETE', pathOf(apiVersion, kind, metadata.name));
  };
  const create = async (manifests: readonly object[]): Promise<void> => {
    for (const manifest of manifests as readonly Manifest[])
      await call('POST', pathOf(manifest.apiVersion, manifest.kind), manifest);
  };
  return {
    pass,
    call,
    objects,
    async cleanTokens() {
      for (const cluster of alive) {
        const server = workloads.server({ namespace: NAMESPACE, name: cluster });
        for (const { metadata, ...secret } of server?.store.list('secrets', 'kube-system') ?? []) {
          const { expiration } = (secret['data'] ?? {}) as Record<string, string>;
          const endMs = Date.parse(Buffer.from(expiration ?? '', 'base64').toString());
          if (server === undefined || secret['type'] !== 'bootstrap.kubernetes.io/token' || !(endMs < clock.nowMs()))
            continue;
          const path = `/api/v1/namespaces/kube-system/secrets/${metadata.name}`;
          await send(server, 'DELETE', path, undefined, tokenOf(workloads, cluster));
        }
      }
    },
    async createCluster(name) {
      alive.add(name);
      const [cluster, ...rest] = sampleCluster(name, SIZE) as readonly Manifest[];
      await create([cluster as Manifest]);
      const uid = management.store.get('clusters.cluster.x-k8s.io', NAMESPACE, name)?.metadata.uid;
      const owner = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name, uid };
      await create(material.pairs.map((pair) => certificate(name, owner, pair)));
      await create(rest.filter(({ kind, metadata }) => kind !== 'DemoMachine' || metadata.name !== lateWorker(name)));
    },
    async createLateMachine(cluster) {
      const late = lateWorker(cluster);
      if (isThere('demomachines.infrastructure.cluster.x-k8s.io', late)) return;
      const manifests = sampleCluster(cluster, SIZE) as readonly Manifest[];
      await create(manifests.filter(({ kind, metadata }) => kind === 'DemoMachine' && metadata.name === late));
    },
    async deleteMembers(cluster) {
      await drop((each) => clusterOf(each) === cluster);
    },
    async deleteClusters(names) {
      for (const name of names) {
        alive.delete(name);
        await call('DELETE', pathOf('cluster.x-k8s.io/v1beta2', 'Cluster', name));
      }
      const isTheirs = (each: ApiObject): boolean => names.includes(clusterOf(each));
      await until(`${names.join(', ')} and all below are gone`, () =>
        left((each) => isTheirs(each) && !isOrphan(each)),
      );
      const orphans = MEMBERS.flatMap((resource) => objects(resource).filter(isTheirs)).map(
        ({ metadata }) => metadata.name,
      );
      await drop(isTheirs);
      await until(`what no owner had adopted of ${names.join(', ')} is gone`, () => left(isTheirs));
      return orphans;
    },
    async replaceWorkers(workers) {
      const names = workers.map(({ cluster, index }) => `${cluster}-worker-${index}`);
      for (const [order, { cluster }] of workers.entries()) {
        const name = names[order] ?? '';
        const server = workloads.server({ namespace: NAMESPACE, name: cluster });
        if (server !== undefined && server.store.get('nodes', '', name) !== undefined) {
          await send(server, 'POST', '/api/v1/namespaces/default/pods', podOn(name), tokenOf(workloads, cluster));
          withPods.add(cluster);
        }
        await call('DELETE', pathOf('cluster.x-k8s.io/v1beta2', 'Machine', name));
      }
      await until(`${names.join(', ')} are gone`, () => left(({ metadata }) => names.includes(metadata.name)));
      for (const { cluster } of workers)
        await create(
          (sampleCluster(cluster, SIZE) as readonly Manifest[]).filter(({ metadata }) => names.includes(metadata.name)),
        );
      return names;
    },
  };
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

const MEMBERS = [
  'machines.cluster.x-k8s.io',
  'machinepools.cluster.x-k8s.io',
  'kubeadmconfigs.bootstrap.cluster.x-k8s.io',
  'demomachines.infrastructure.cluster.x-k8s.io',
];
const LEFT_BEHIND = [...MEMBERS, 'clusters.cluster.x-k8s.io', 'secrets', 'configmaps'];

/** What a Machine refers to and has not adopted when it goes: nobody may delete it for its user. */
function isOrphan({ kind, metadata }: ApiObject): boolean {
  const isReferred = kind === 'KubeadmConfig' || kind === 'DemoMachine';
  return isReferred && (metadata.ownerReferences ?? []).length === 0 && metadata.deletionTimestamp === undefined;
}

function clusterOf({ metadata }: ApiObject): string {
  return metadata.labels?.['cluster.x-k8s.io/cluster-name'] ?? metadata.name;
}

/** The path of an object, or of its collection without a name. */
export function pathOf(apiVersion: string, kind: string, name = ''): string {
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const collection = `${root}/namespaces/${NAMESPACE}/${kind.toLowerCase()}s`;
  return name === '' ? collection : `${collection}/${name}`;
}

async function send(
  server: EmbeddedApiServer,
  method: string,
  url: string,
  body?: object,
  token?: string,
): Promise<number> {
  const { status, body: text } = await server.handle({
    method,
    url,
    headers: {
      accept: 'application/json',
      'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
      'user-agent': 'somebody',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (status >= 400 && status !== 404 && status !== 409) throw new Error(`${method} ${url}: ${status} ${String(text)}`);
  return status;
}

function tokenOf(workloads: EmbeddedWorkloads, name: string): string {
  const text = workloads.find({ namespace: NAMESPACE, name })?.kubeconfig ?? '';
  return /token: (\S+)/.exec(text)?.[1] ?? '';
}

function certificate(
  cluster: string,
  owner: object,
  { purpose, cert, key }: Material['pairs'][number],
): Manifest & { readonly data: object } {
  const metadata = {
    name: `${cluster}-${purpose}`,
    namespace: NAMESPACE,
    labels: { 'cluster.x-k8s.io/cluster-name': cluster },
    ownerReferences: [owner],
  };
  const data = { 'tls.crt': base64(cert), 'tls.key': base64(key) };
  return { apiVersion: 'v1', kind: 'Secret', metadata, data };
}

/** A Pod that a ReplicaSet would have made: a drain evicts it. */
function podOn(node: string): object {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'app', uid: 'app', controller: true };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `app-${node}`, namespace: 'default', ownerReferences: [owner] },
    spec: { nodeName: node, containers: [{ name: 'app', image: 'app' }] },
  };
}

/** Kubelets: a Pod that is to end has ended half a minute later. `withPods` are the clusters that have any. */
function endPods({ workloads, clock }: Pick<SoakWorld, 'workloads' | 'clock'>, withPods: Set<string>): void {
  const look = (): void => {
    for (const name of withPods) {
      const server = workloads.server({ namespace: NAMESPACE, name });
      const pods = server?.store.list('pods') ?? [];
      if (pods.length === 0) withPods.delete(name);
      for (const { metadata } of pods) {
        if (server === undefined || metadata.deletionTimestamp === undefined) continue;
        const path = `/api/v1/namespaces/default/pods/${metadata.name}?gracePeriodSeconds=0`;
        void send(server, 'DELETE', path, undefined, tokenOf(workloads, name));
      }
    }
    clock.schedule(30_000, look);
  };
  clock.schedule(30_000, look);
}
