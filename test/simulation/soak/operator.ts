// One process of the product for the soak: all its controllers under their Leases, with caches, connections, metrics, Events and
// the inspector's store, on a clock of its own. Only sockets are left out: requests are function calls that take a moment.
import { getEventListeners, setMaxListeners } from 'node:events';
import { parse } from 'yaml';
import { createKeyPool } from '../../../src/bootstrap/certificates/key-pool.js';
import type { GeneratedKey } from '../../../src/bootstrap/certificates/types.js';
import { resources } from '../../../src/api/names.js';
import { createCaches } from '../../../src/cli/caches.js';
import { parseConfig, type OperatorConfig } from '../../../src/cli/config.js';
import { CONTROLLER_MODULES } from '../../../src/cli/controllers.js';
import { hostMetrics, observeHost } from '../../../src/cli/host-metrics.js';
import { createLeadership } from '../../../src/cli/leadership.js';
import { leaseGroups } from '../../../src/cli/lease-groups.js';
import { secretsCache } from '../../../src/cli/shared-kinds.js';
import type { EmbeddedWorkloads } from '../../../src/embedded/clusters.js';
import type { EmbeddedApiServer } from '../../../src/embedded/types.js';
import type { HostObserver, Random } from '../../../src/host/contract.js';
import { createHost, type Host } from '../../../src/host/host.js';
import { observeActors } from '../../../src/inspector/observe.js';
import { createInspectionStore, type InspectionStore } from '../../../src/inspector/store.js';
import { createEventRecorder } from '../../../src/kube/event-recorder.js';
import { isApiError } from '../../../src/kube/failures.js';
import { createInProcessClient, type Handle } from '../../../src/kube/in-process-client.js';
import { kubeconfigSecrets } from '../../../src/kube/kubeconfig-secrets.js';
import { accessOfKubeconfig } from '../../../src/kube/kubeconfig.js';
import {
  clientObserver,
  connectionObserver,
  observeCaches,
  throttleObserver,
  workloadHosts,
} from '../../../src/kube/observers.js';
import { createRateLimiters } from '../../../src/kube/rate-limiter.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { createWorkloadConnections } from '../../../src/kube/workload-connections.js';
import { silentLogger } from '../../../src/log.js';
import { createMetrics, type Metrics } from '../../../src/metrics.js';
import type { VirtualTime } from '../engine/virtual-time.js';
import { countedClock } from './clock.js';

/** Who the operator is to the servers. */
export const AGENT = 'operator-that-stays';
/** A request's time on the wire. */
const LATENCY_MS = 3;

/** A running process. */
export interface SoakOperator {
  readonly hosts: ReadonlyMap<string, Host>;
  readonly metrics: Metrics;
  readonly inspection: InspectionStore;
  /** Timers that are set. */
  readonly armed: number;
  /** Listeners on the signal that ends the process. */
  readonly listeners: number;
  /** Connections to workload clusters that are open. */
  readonly connections: number;
  /** Refreshes the gauges, as a scrape does. */
  scrape(): void;
  /** Ends as on SIGTERM. */
  stop(): Promise<void>;
  /** Ends as on SIGKILL. */
  kill(): void;
}

/** What a process is made of. */
export interface SoakOperatorOptions {
  readonly time: VirtualTime;
  readonly random: Random;
  readonly management: EmbeddedApiServer;
  readonly workloads: EmbeddedWorkloads;
  readonly keys: readonly GeneratedKey[];
  readonly observers: readonly HostObserver[];
}

/** The flags of every process of a soak. */
export const soakConfig: OperatorConfig = parseConfig(
  [
    '--controllers=all',
    '--bootstrap-token-ttl=2h',
    '--kube-api-qps=2000',
    '--kube-api-burst=4000',
    '--leader-elect-lease-duration=600s',
    '--leader-elect-renew-deadline=450s',
    '--leader-elect-retry-period=120s',
  ],
  {},
);

/** Starts a process. */
export function startSoakOperator(options: SoakOperatorOptions): SoakOperator {
  const { time, random, management, keys, observers } = options;
  const config = soakConfig;
  const process = time.process();
  const clock = countedClock(process);
  const metrics = createMetrics();
  const log = silentLogger;
  const life = new AbortController();
  setMaxListeners(1000, life.signal);
  const way = wayOf(time);
  const open = new Set<string>();
  const limiters = createRateLimiters({ qps: config.kubeApiQps, burst: config.kubeApiBurst, clock });
  const base = { clock, userAgent: AGENT, observer: clientObserver(metrics, log), host: 'https://management' };
  const main = createInProcessClient({ ...base, handle: way.to(management.handle), limiters });
  const leases = createInProcessClient({ ...base, handle: way.to(management.handle) });
  const caches = createCaches({ client: main, config, clock, random, metrics, log });
  const leaderships = leaseGroups(config.controllers).map((group) =>
    createLeadership({ config, group, ownNamespace: 'kube-system', client: leases, clock, random, log, metrics }),
  );
  const gate = (): number => Math.min(...leaderships.map((each) => (each.isLeader() ? each.gate() : 0)));
  const workload = createWorkloadConnections({
    kubeconfigs: kubeconfigSecrets({
      client: main,
      secret: resourceOf(resources.Secret),
      cache: secretsCache(caches, config),
      names: caches.secretNames,
    }),
    connect: connector(options, { way, gate, clock, metrics, open }),
    clock,
    random,
    observer: connectionObserver(metrics, log),
  });
  const keyPool = createKeyPool({ generate: () => Promise.resolve(keys[0] as GeneratedKey) });
  const inspection = createInspectionStore({ history: config.inspector.history, epoch: 'soak' });
  const inspect = observeActors(
    inspection,
    CONTROLLER_MODULES.map(({ table }) => table),
  );
  const hosts = new Map<string, Host>();
  const disconnects: (() => void)[] = [];
  for (const leadership of leaderships) {
    const client = createInProcessClient({
      ...base,
      handle: way.to(management.handle),
      limiters,
      gate: leadership.gate,
    });
    const events = createEventRecorder({ client, clock, component: 'kubeadm-bootstrap-operator' });
    life.signal.addEventListener('abort', () => events.stop(), { once: true });
    const mine = CONTROLLER_MODULES.filter(({ name }) => leadership.group.controllers.includes(name)).map((module) => {
      const built = module.build({ config, client, caches, workload, keyPool, events, clock, random, log });
      const host = createHost({
        controller: built.controller,
        clock,
        random,
        freshness: caches.informers.freshness,
        concurrency: built.concurrency,
        log,
        observers: [
          hostMetrics(metrics, module.name),
          { onGone: (_name, _key, uid) => inspection.gone(module.table.id, uid) },
          ...observers,
        ],
        inspect,
      });
      hosts.set(module.name, host);
      return { built, host };
    });
    leadership.start(
      () =>
        void caches.informers.whenSynced(life.signal).then((isSynced) => {
          if (!isSynced || life.signal.aborted) return;
          for (const { built, host } of mine) {
            disconnects.push(built.connect(host));
            host.start();
          }
        }),
      () => {
        if (!way.isCut) throw new Error('a Lease was lost: the operator would have ended');
      },
    );
  }
  caches.start(life.signal);
  return {
    hosts,
    metrics,
    inspection,
    get armed() {
      return clock.armed;
    },
    get listeners() {
      return getEventListeners(life.signal, 'abort').length;
    },
    get connections() {
      return open.size;
    },
    scrape() {
      observeCaches(metrics, caches.informers);
      for (const [name, host] of hosts) observeHost(metrics, name, host, clock.monotonicMs());
    },
    async stop() {
      await Promise.all([...hosts.values()].map((host) => host.stop()));
      for (const disconnect of disconnects.splice(0)) disconnect();
      await Promise.all(leaderships.map((each) => each.stop()));
      life.abort();
      keyPool.close();
      await workload.close();
    },
    kill() {
      way.cut();
      process.kill();
      life.abort();
    },
  };
}

/** The way from a process to servers: it takes time, and ends with the process. */
interface Way {
  to(handle: EmbeddedApiServer['handle']): Handle;
  cut(): void;
  readonly isCut: boolean;
}

function wayOf(time: VirtualTime): Way {
  let isCut = false;
  return {
    to: (handle) => async (request) => {
      await time.sleep(LATENCY_MS);
      if (isCut) return await new Promise(() => undefined);
      const response = await handle(request);
      return isCut ? await new Promise(() => undefined) : response;
    },
    cut: () => void (isCut = true),
    get isCut() {
      return isCut;
    },
  };
}

/** Connects as the product does, with its limits and metrics. */
function connector(
  { workloads }: SoakOperatorOptions,
  given: {
    readonly way: Way;
    readonly gate: () => number;
    readonly clock: ReturnType<typeof countedClock>;
    readonly metrics: Metrics;
    /** Those that are open are listed here. */
    readonly open: Set<string>;
  },
): Parameters<typeof createWorkloadConnections>[0]['connect'] {
  const { way, gate, clock, metrics, open } = given;
  const hosts = workloadHosts(metrics, silentLogger);
  let opened = 0;
  return async (text, signal) => {
    const access = accessOfKubeconfig(parse(text) as unknown);
    const { headers } = await access.identity();
    const token = headers['authorization']?.replace(/^Bearer /, '');
    const limiters = createRateLimiters({
      qps: soakConfig.workloadQps,
      burst: soakConfig.workloadBurst,
      clock,
      onWait: throttleObserver(metrics)(access.server),
    });
    const client = createInProcessClient({
      handle: way.to((request) => workloads.handle(access.server, request)),
      host: access.server,
      clock,
      timeoutMs: 10_000,
      limiters,
      gate,
      observer: hosts.observer,
      ...(token === undefined ? {} : { token }),
    });
    const closing = hosts.opened(access.server);
    const id = `${access.server} ${(opened += 1)}`;
    open.add(id);
    const close = (): Promise<void> => {
      open.delete(id);
      return client.close().finally(closing);
    };
    try {
      await client.ping('/', { signal, timeoutMs: 5_000 });
    } catch (error) {
      if (!isApiError(error, 'Forbidden', 'NotFound', 'NoSuchResource')) {
        await close();
        throw error;
      }
    }
    return { ...client, close };
  };
}
