// A whole world in one process: the embedded API server, the controller in its host, a clock that moves when told to.
//
// The same server plays the workload clusters, unless a world asks for a second one: a kubeconfig Secret with the text
// `working` leads there.
import { createKeyPool } from '../../../src/bootstrap/certificates/key-pool.js';
import type { KeyPool } from '../../../src/bootstrap/certificates/types.js';
import { generateKeyPair as generateKey } from '../../../src/bootstrap/certificates/keys.js';
import { createKubeadmConfigController } from '../../../src/controllers/kubeadmconfig/controller.js';
import { kinds } from '../../../src/controllers/kubeadmconfig/objects.js';
import type { Settings } from '../../../src/controllers/kubeadmconfig/ports.js';
import {
  clustersCache,
  configMapsCache,
  configsCache,
  machinePoolsCache,
  machinesCache,
  secretsCache,
} from '../../../src/cli/shared-kinds.js';
import { createEmbeddedApiServer } from '../../../src/embedded/api-server.js';
import { bootstrapDefinitions, coreDefinitions } from '../../../src/embedded/crds.js';
import type { ApiObject, EmbeddedApiServer, FaultPlan, RequestInfo } from '../../../src/embedded/types.js';
import type { TransitionNote } from '../../../src/host/contract.js';
import { createHost, type Host } from '../../../src/host/host.js';
import type { FullApiClient } from '../../../src/kube/client.js';
import type { ApiClient, Resource, WorkloadConnections } from '../../../src/kube/contract.js';
import type { EventNote } from '../../../src/kube/event-recorder.js';
import { createInProcessClient } from '../../../src/kube/in-process-client.js';
import { createInformers } from '../../../src/kube/informers.js';
import { kubeconfigSecrets } from '../../../src/kube/kubeconfig-secrets.js';
import { createNameStream } from '../../../src/kube/name-stream.js';
import { shadowReporter } from '../../../src/kube/observers.js';
import { shadowClient } from '../../../src/kube/shadow-client.js';
import { createWorkloadConnections } from '../../../src/kube/workload-connections.js';
import { SHADOW_REST_MIN_MS } from '../../../src/limits.js';
import { createLogger } from '../../../src/log.js';
import { addClusterSecrets, addMachine, cluster, create } from './objects.js';
import { seededRandom } from './seeded-random.js';
import { createTestClock, type TestClock } from '../kube/test-clock.js';

export const TTL_MS = 900_000;

export const defaultSettings: Settings = {
  tokenTtlMs: TTL_MS,
  watchFilter: '',
  recreateLostTokens: true,
  snapshotStore: 'status',
  bootstrapDataSizeLimitBytes: 0,
  shadow: false,
};

/** One write or read as the server saw it. */
export interface SeenRequest {
  readonly verb: string;
  readonly what: string;
  readonly status: number;
}

/** Makes the client of a workload cluster from its kubeconfig. */
export type Connect = (kubeconfig: string, signal: AbortSignal) => Promise<FullApiClient>;

/** A running operator. */
export interface Operator {
  readonly host: Host;
  readonly controller: ReturnType<typeof createKubeadmConfigController>;
  readonly workload: WorkloadConnections;
  readonly keyPool: KeyPool;
  readonly transitions: TransitionNote[];
  readonly events: EventNote[];
  readonly logs: Record<string, unknown>[];
  /** Drops the process: nothing of it runs on. */
  kill(): void;
  /** Ends it as SIGTERM does. */
  stop(): Promise<void>;
}

/** How an operator is started: its settings, and what its host and caches are given. */
export type StartOptions = Partial<Settings> & { readonly hasMachinePools?: boolean; readonly syncPeriodMs?: number };

export interface World {
  readonly clock: TestClock;
  readonly server: EmbeddedApiServer;
  /** A user's client: its calls are not seen. */
  readonly user: ApiClient;
  /** The workload cluster of every Cluster: a server of its own, or the management cluster. */
  readonly workload: EmbeddedApiServer;
  /** A user's client of the workload cluster. */
  readonly remote: ApiClient;
  /** False cuts the way to the workload clusters for new connections. */
  isReachable: boolean;
  /** Calls of the operator since the last `seen.length = 0`, lists and watches left out. */
  readonly seen: SeenRequest[];
  start(settings?: StartOptions): Promise<Operator>;
  /** Until nothing moves any more. */
  settle(operator?: Operator): Promise<void>;
  /** Faults of both clusters. */
  setFaults(faults: FaultPlan | undefined): void;
}

/** How a world is made. */
export interface WorldOptions {
  readonly seed?: number;
  readonly garbageCollector?: boolean;
  /** The workload clusters are a server of their own; what is seen of it starts with `workload:`. */
  readonly hasOwnWorkload?: boolean;
  /** Connects to workload clusters whose kubeconfig is another text than `working`. */
  readonly connect?: Connect;
}

const OPERATOR_AGENT = 'operator-under-test';

/** Makes a world. */
export function createWorld(options: WorldOptions = {}): World {
  const clock = createTestClock();
  const random = seededRandom(options.seed ?? 1);
  const seen: SeenRequest[] = [];
  const serverOf = (prefix: string, crds: readonly object[]): EmbeddedApiServer =>
    createEmbeddedApiServer({
      clock,
      random,
      crds,
      garbageCollector: options.garbageCollector ?? false,
      onRequest: (info, status) => {
        if (!info.userAgent.startsWith(OPERATOR_AGENT)) return;
        if (!info.isResource || ['list', 'watch'].includes(info.verb)) return;
        seen.push({ verb: info.verb, what: `${prefix}${whatOf(info)}`, status });
      },
    });
  const server = serverOf('', [...coreDefinitions, ...bootstrapDefinitions]);
  const workload = options.hasOwnWorkload === true ? serverOf('workload:', []) : server;
  const revision = (): number => server.store.revision() + workload.store.revision();
  const user = createInProcessClient({ handle: server.handle, clock, userAgent: 'somebody' });
  const remote = createInProcessClient({ handle: workload.handle, clock, userAgent: 'somebody' });
  const operators: Operator[] = [];

  const world: World = {
    clock,
    server,
    user,
    workload,
    remote,
    isReachable: true,
    seen,
    async start(given = {}) {
      const operator = await startOperator(world, { random, connect: options.connect }, given);
      operators.push(operator);
      return operator;
    },
    async settle(operator) {
      const watched = operator ?? operators.at(-1);
      let quiet = 0;
      let before = revision();
      for (let round = 0; round < 2_000 && quiet < 6; round += 1) {
        await clock.settle();
        const isQuiet = revision() === before && (watched === undefined || isResting(watched));
        quiet = isQuiet ? quiet + 1 : 0;
        before = revision();
      }
    },
    setFaults(faults) {
      for (const each of new Set([server, workload])) each.setFaults(faults);
    },
  };
  return world;
}

/** Nothing runs and nothing is ready; a key that backs off or waits for its view waits for time. */
function isResting({ host }: Operator): boolean {
  return host.active === 0 && host.depth === 0;
}

function whatOf({ resource, subresource, namespace, name }: RequestInfo): string {
  return [resource, namespace, name, subresource].filter((part) => part !== '').join('/');
}

async function startOperator(
  world: World,
  {
    random,
    connect = refuseConnection,
  }: { readonly random: ReturnType<typeof seededRandom>; readonly connect: Connect | undefined },
  given: StartOptions,
): Promise<Operator> {
  const { clock, server } = world;
  const { hasMachinePools = true, syncPeriodMs = 0, ...settings } = given;
  const life = new AbortController();
  const logs: Record<string, unknown>[] = [];
  const log = createLogger({
    format: 'json',
    level: 5,
    nowMs: () => clock.nowMs(),
    write: (line) => void logs.push(JSON.parse(line) as Record<string, unknown>),
  });
  const report = shadowReporter(log);
  const clientOf = ({ handle }: EmbeddedApiServer): FullApiClient => {
    const whole = createInProcessClient({
      handle: (request) => (life.signal.aborted ? new Promise(() => undefined) : handle(request)),
      clock,
      userAgent: OPERATOR_AGENT,
    });
    return settings.shadow === true ? { ...whole, ...shadowClient(whole, report) } : whole;
  };
  const client = clientOf(server);
  const base = { client, clock, random };
  const informers = createInformers(base);
  const secretNames = createNameStream(base, { resource: kinds.secret });
  const shared = { informers, secretNames };
  const scope = { namespace: '' };
  const caches = {
    configs: configsCache(shared, scope),
    machines: machinesCache(shared, scope),
    machinePools: hasMachinePools ? machinePoolsCache(shared, scope) : null,
    clusters: clustersCache(shared, scope),
    secrets: secretsCache(shared, scope),
    configMaps: configMapsCache(shared, scope),
  };
  const workload = createWorkloadConnections({
    kubeconfigs: kubeconfigSecrets({
      client,
      secret: kinds.secret as Resource,
      cache: caches.secrets,
      names: secretNames,
    }),
    connect: async (text, signal) => {
      if (!text.includes('working')) return connect(text, signal);
      return world.isReachable ? clientOf(world.workload) : refuseConnection();
    },
    clock,
    random,
  });
  const events: EventNote[] = [];
  const transitions: TransitionNote[] = [];
  const keyPool = createKeyPool({ generate: () => generateKey('ECDSA-P256') });
  const controller = createKubeadmConfigController({
    client,
    caches,
    secretNames,
    workload,
    clock,
    random,
    keyPool,
    log,
    events: { record: (note) => void events.push(note) },
    settings: { ...defaultSettings, ...settings },
  });
  const host = createHost({
    controller: controller.controller as never,
    clock,
    random,
    freshness: informers.freshness,
    concurrency: 10,
    syncPeriodMs,
    ...(settings.shadow === true ? { restMinMs: SHADOW_REST_MIN_MS } : {}),
    log,
    observers: [{ onTransition: (note) => void transitions.push(note) }],
  });
  const unwire = controller.wire((key, cause) => {
    if (!life.signal.aborted) host.wake(key, cause);
  });
  informers.start(life.signal);
  void secretNames.run(life.signal);
  for (let round = 0; round < 100 && !allSynced(informers); round += 1) await clock.settle();
  host.start();
  const end = (): void => {
    life.abort();
    unwire();
  };
  return {
    host,
    controller,
    workload,
    keyPool,
    transitions,
    events,
    logs,
    kill: () => {
      end();
      void host.stop();
    },
    async stop() {
      await host.stop();
      end();
    },
  };
}

function refuseConnection(): Promise<never> {
  return Promise.reject(new Error('cluster is not reachable: connect ECONNREFUSED'));
}

function allSynced(informers: ReturnType<typeof createInformers>): boolean {
  return informers.running().every(({ synced }) => synced);
}

/** An object of the server, or a failure that names it. */
export function stored(world: World, resource: string, namespace: string, name: string): ApiObject {
  const object = world.server.store.get(resource, namespace, name);
  if (object === undefined) throw new Error(`${resource} ${namespace}/${name} does not exist`);
  return object;
}

/** A world with all that an init needs: a provisioned cluster, its Secrets, and its first control plane Machine. */
export async function createInitWorld(): Promise<World> {
  const world = createWorld();
  await create(world.user, cluster());
  await addClusterSecrets(world.user);
  await addMachine(world.user, 'cp-0', { controlPlane: true });
  return world;
}
