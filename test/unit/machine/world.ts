// A whole world in one process: the embedded API server, the Machine controller in its host, a clock that moves when told to.
//
// A second embedded server plays the workload cluster; a scenario may say that the same one does.
import { createMachineController, type MachineParts } from '../../../src/controllers/machine/controller.js';
import { label } from '../../../src/api/names.js';
import { createExternalObjects } from '../../../src/controllers/machine/external/external-objects.js';
import { clusterIndexes } from '../../../src/controllers/cluster-initialized/indexes.js';
import { machineIndexes } from '../../../src/controllers/machine/machine-indexes.js';
import { kinds } from '../../../src/controllers/machine/objects.js';
import { createMachineDefinition } from '../../../src/controllers/machine/machine-definition.js';
import type { Settings } from '../../../src/controllers/machine/ports.js';
import { createWorkloadClusters } from '../../../src/controllers/machine/workload/workload-clusters.js';
import { createEmbeddedApiServer } from '../../../src/embedded/api-server.js';
import { bootstrapDefinitions, coreDefinitions } from '../../../src/embedded/crds.js';
import type { EmbeddedApiServer, FaultPlan, RequestInfo } from '../../../src/embedded/types.js';
import type { EffectNote, TransitionNote } from '../../../src/host/contract.js';
import { createHost, type Host } from '../../../src/host/host.js';
import type { ApiClient } from '../../../src/kube/contract.js';
import type { EventNote } from '../../../src/kube/event-recorder.js';
import { createInProcessClient } from '../../../src/kube/in-process-client.js';
import { createInformers } from '../../../src/kube/informers.js';
import { KubeconfigUnreadError } from '../../../src/kube/kubeconfig-secrets.js';
import { createRateLimiters } from '../../../src/kube/rate-limiter.js';
import { createWorkloadConnections } from '../../../src/kube/workload-connections.js';
import { createLogger } from '../../../src/log.js';
import { createTestClock, type TestClock } from '../kube/test-clock.js';
import { seededRandom } from '../kubeadmconfig/seeded-random.js';
import { providerDefinitions, withHookTimes } from './definitions.js';

export const defaultSettings: Settings = {
  watchFilter: '',
  remoteConditionsGraceMs: 300_000,
  additionalSyncLabels: [],
  additionalSyncAnnotations: [],
  propagateTaints: false,
  considerVolumeAttachments: true,
  snapshotStore: 'status',
};

/** One call of the operator as a server saw it. */
export interface SeenRequest {
  readonly cluster: 'management' | 'workload';
  readonly verb: string;
  readonly what: string;
  readonly status: number;
}

/** How an operator is started: its settings, and the period of its host. */
export type StartOptions = Partial<Settings> & { readonly syncPeriodMs?: number };

/** A running operator. */
export interface Operator {
  readonly host: Host;
  readonly parts: MachineParts;
  readonly transitions: TransitionNote[];
  readonly effects: EffectNote[];
  readonly events: EventNote[];
  readonly logs: Record<string, unknown>[];
  /** Drops the process: nothing of it runs on. */
  kill(): void;
}

export interface WorldOptions {
  readonly seed?: number;
  /** The management cluster plays the workload cluster too. */
  readonly isOneServer?: boolean;
  readonly crds?: readonly object[];
  /** Rate limits of the clients of workload clusters; none unless said. */
  readonly workloadLimits?: { readonly qps: number; readonly burst: number };
  /** The CRD of Machines is that of Cluster API v1.14. */
  readonly keepsHookTimes?: boolean;
}

export interface World {
  readonly clock: TestClock;
  readonly management: EmbeddedApiServer;
  readonly workload: EmbeddedApiServer;
  /** Clients of a user: their calls are not seen. */
  readonly user: ApiClient;
  readonly remote: ApiClient;
  /** Calls of the operator, watches left out. */
  readonly seen: SeenRequest[];
  /** False cuts the way to the workload cluster. */
  isReachable: boolean;
  /** Why there is no kubeconfig; null while there is one. */
  kubeconfigProblem: string | null;
  /** True while the problem is that nobody knows whether there is one. */
  isKubeconfigUnread: boolean;
  /** Clusters that take calls and never answer, by name. */
  readonly hanging: Set<string>;
  start(settings?: StartOptions): Promise<Operator>;
  /** Until nothing moves any more, without time passing. */
  settle(): Promise<void>;
}

const AGENT = 'operator-under-test';

/** Makes a world. */
export function createWorld(options: WorldOptions = {}): World {
  const clock = createTestClock();
  const random = seededRandom(options.seed ?? 1);
  const seen: SeenRequest[] = [];
  const serverOf = (cluster: 'management' | 'workload', crds: readonly object[]): EmbeddedApiServer =>
    createEmbeddedApiServer({
      clock,
      random,
      crds,
      garbageCollector: false,
      onRequest: (info, status) => {
        if (!info.userAgent.startsWith(AGENT) || !info.isResource || info.verb === 'watch') return;
        seen.push({ cluster, verb: info.verb, what: whatOf(info), status });
      },
    });
  const management = serverOf('management', [
    ...(options.keepsHookTimes === true ? withHookTimes(coreDefinitions) : coreDefinitions),
    ...bootstrapDefinitions,
    ...providerDefinitions,
    ...(options.crds ?? []),
  ]);
  const workload = options.isOneServer === true ? management : serverOf('workload', []);
  const operators: Operator[] = [];
  const world: World = {
    clock,
    management,
    workload,
    user: createInProcessClient({ handle: management.handle, clock, userAgent: 'somebody' }),
    remote: createInProcessClient({ handle: workload.handle, clock, userAgent: 'somebody' }),
    seen,
    isReachable: true,
    kubeconfigProblem: null,
    isKubeconfigUnread: false,
    hanging: new Set(),
    async start(given = {}) {
      const operator = await startOperator(world, random, given, options.workloadLimits);
      operators.push(operator);
      return operator;
    },
    async settle() {
      const revision = (): number => management.store.revision() + workload.store.revision();
      let quiet = 0;
      let before = revision();
      for (let round = 0; round < 2_000 && quiet < 6; round += 1) {
        await clock.settle();
        const isResting = operators.every(({ host }) => host.active === 0 && host.depth === 0);
        quiet = revision() === before && isResting ? quiet + 1 : 0;
        before = revision();
      }
    },
  };
  return world;
}

function whatOf({ resource, subresource, namespace, name }: RequestInfo): string {
  return [resource, namespace, name, subresource].filter((part) => part !== '').join('/');
}

/** A fault plan that breaks every call of the operator to a server. */
export function unreachable(): FaultPlan {
  return { request: (info) => (info.userAgent.startsWith(AGENT) ? { kind: 'drop-before' } : undefined) };
}

async function startOperator(
  world: World,
  random: ReturnType<typeof seededRandom>,
  { syncPeriodMs = 0, ...given }: StartOptions,
  workloadLimits?: WorldOptions['workloadLimits'],
): Promise<Operator> {
  const { clock, management, workload } = world;
  const life = new AbortController();
  const logs: Record<string, unknown>[] = [];
  const log = createLogger({
    format: 'json',
    level: 5,
    nowMs: () => clock.nowMs(),
    write: (line) => void logs.push(JSON.parse(line) as Record<string, unknown>),
  });
  const whileAlive =
    (handle: EmbeddedApiServer['handle']): EmbeddedApiServer['handle'] =>
    (request) =>
      life.signal.aborted ? new Promise(() => undefined) : handle(request);
  const client = createInProcessClient({ handle: whileAlive(management.handle), clock, userAgent: AGENT });
  const informers = createInformers({ client, clock, random });
  const caches = {
    machines: informers.declare({ resource: kinds.machine, indexes: machineIndexes as never, firstList: 'current' }),
    clusters: informers.declare({ resource: kinds.cluster, indexes: clusterIndexes as never, firstList: 'current' }),
    machineSets: informers.declare({ resource: kinds.machineSet }),
    machineDeployments: informers.declare({ resource: kinds.machineDeployment }),
    drainRules: informers.declare({ resource: kinds.drainRule }),
    configMaps:
      given.snapshotStore === 'configmap'
        ? informers.declare({ resource: kinds.configMap, labelSelector: label.clusterName, firstList: 'current' })
        : null,
  };
  const connections = createWorkloadConnections({
    kubeconfigs: {
      read: ({ name }) =>
        world.kubeconfigProblem === null
          ? Promise.resolve(name)
          : Promise.reject(new (world.isKubeconfigUnread ? KubeconfigUnreadError : Error)(world.kubeconfigProblem)),
      subscribe: () => () => undefined,
    },
    connect: async (cluster) => {
      if (!world.isReachable) throw new Error('cluster is not reachable: connect ECONNREFUSED');
      const handle = whileAlive(workload.handle);
      const answering: typeof handle = (request) =>
        world.hanging.has(cluster) ? new Promise(() => undefined) : handle(request);
      const limiters =
        workloadLimits === undefined ? {} : { limiters: createRateLimiters({ ...workloadLimits, clock }) };
      return createInProcessClient({ handle: answering, clock, userAgent: AGENT, timeoutMs: 10_000, ...limiters });
    },
    clock,
    random,
  });
  const workloads = createWorkloadClusters({ connections, clock, random, log });
  const events: EventNote[] = [];
  const transitions: TransitionNote[] = [];
  const effects: EffectNote[] = [];
  const parts = createMachineController({
    client,
    caches: caches as never,
    externals: createExternalObjects({ informers, clock, log, namespace: '' }),
    workloads,
    definition: createMachineDefinition({ client, clock }),
    clock,
    log,
    events: { record: (note) => void events.push(note) },
    settings: { ...defaultSettings, ...given },
  });
  const host = createHost({
    controller: parts.controller as never,
    clock,
    random,
    freshness: informers.freshness,
    concurrency: 10,
    syncPeriodMs,
    log,
    observers: [
      {
        onTransition: (note) => void transitions.push(note),
        onEffect: (note) => void effects.push(note),
      },
    ],
  });
  const unwire = parts.wire((key, cause) => {
    if (!life.signal.aborted) host.wake(key, cause);
  });
  informers.start(life.signal);
  for (let round = 0; round < 100 && !informers.running().every(({ synced }) => synced); round += 1)
    await clock.settle();
  host.start();
  return {
    host,
    parts,
    transitions,
    effects,
    events,
    logs,
    kill() {
      life.abort();
      unwire();
      workloads.stop();
      void host.stop();
    },
  };
}
