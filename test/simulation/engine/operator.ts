// One operator process of a simulated world: the real host, controller, effects, caches, connections and elector, on a network
// and a clock that can be killed at any step.
import { setMaxListeners } from 'node:events';
import { parse } from 'yaml';
import { createKeyPool } from '../../../src/bootstrap/certificates/key-pool.js';
import type { GeneratedKey } from '../../../src/bootstrap/certificates/types.js';
import { resources } from '../../../src/api/names.js';
import { createCaches } from '../../../src/cli/caches.js';
import { parseConfig } from '../../../src/cli/config.js';
import type { ControllerModule } from '../../../src/cli/controller-module.js';
import { kubeadmConfigModule } from '../../../src/cli/modules/kubeadmconfig.js';
import { machineModule } from '../../../src/cli/modules/machine.js';
import { clusterInitializedModule } from '../../../src/cli/modules/one-condition.js';
import { secretsCache } from '../../../src/cli/shared-kinds.js';
import type { EmbeddedWorkloads } from '../../../src/embedded/clusters.js';
import type { EmbeddedApiServer } from '../../../src/embedded/types.js';
import type { Freshness, HostObserver, Random } from '../../../src/host/contract.js';
import { createHost, type Host } from '../../../src/host/host.js';
import type { AnyController } from '../../../src/host/turn.js';
import { accessOfKubeconfig } from '../../../src/kube/kubeconfig.js';
import type { ApiClient, WorkloadConnections } from '../../../src/kube/contract.js';
import { createEventRecorder } from '../../../src/kube/event-recorder.js';
import { isApiError } from '../../../src/kube/failures.js';
import { createInProcessClient } from '../../../src/kube/in-process-client.js';
import { kubeconfigSecrets } from '../../../src/kube/kubeconfig-secrets.js';
import { createLeaseElector, type LeaseElector } from '../../../src/kube/lease-elector.js';
import { createRateLimiters } from '../../../src/kube/rate-limiter.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { createWorkloadConnections } from '../../../src/kube/workload-connections.js';
import { createMetrics } from '../../../src/metrics.js';
import type { Logger } from '../../../src/log.js';
import { CLUSTER_ACTOR } from './condition-rules.js';
import { MACHINE_ACTOR } from './machine-rules.js';
import type { Network } from './network.js';
import { LEASES } from './objects.js';
import type { WorldPlan } from './plan.js';
import { withShown, type ShownCache } from './shown.js';
import type { ProcessClock } from './virtual-time.js';

/** Where a planted bug gets its hands on an operator. Tests alone have these. */
export interface Sabotage {
  /** The client of effects. */
  client?(client: ApiClient, operator: SabotageWorld): ApiClient;
  /** The client of caches. */
  cacheClient?(client: ApiClient): ApiClient;
  workload?(workload: WorkloadConnections, operator: SabotageWorld): WorkloadConnections;
  freshness?(freshness: Required<Freshness>): Required<Freshness>;
  controller?(controller: AnyController, operator: SabotageWorld): AnyController;
  /** The same for the Machine controller alone. */
  machineClient?(client: ApiClient, operator: SabotageWorld): ApiClient;
  machineController?(controller: AnyController, operator: SabotageWorld): AnyController;
  /** The same for the controller of ControlPlaneInitialized. */
  clusterClient?(client: ApiClient, operator: SabotageWorld): ApiClient;
  clusterController?(controller: AnyController, operator: SabotageWorld): AnyController;
  /** Replaces the write gate of the Lease. */
  gate?(gate: () => number): () => number;
}

/** What a planted bug may use. */
export interface SabotageWorld {
  /** The management cluster, without the bug. */
  readonly client: ApiClient;
  readonly clock: ProcessClock;
}

/** A running process. */
export interface SimulatedOperator {
  readonly name: string;
  readonly identity: string;
  readonly hosts: readonly Host[];
  readonly shown: Iterable<ShownCache>;
  readonly clock: ProcessClock;
  isLeader(): boolean;
  kill(): void;
}

/** What a process is made of. */
export interface SimulatedOperatorOptions {
  readonly name: string;
  readonly plan: WorldPlan;
  readonly clock: ProcessClock;
  readonly random: Random;
  readonly network: Network;
  readonly management: EmbeddedApiServer;
  readonly workloads: EmbeddedWorkloads;
  readonly keys: readonly GeneratedKey[];
  readonly log: Logger;
  /** Told of the controller whose keys begin with a prefix. */
  readonly observer: (prefix: string) => HostObserver;
  readonly sabotage: Sabotage;
  /** Effects, by their signals, whose certificates are being made off the event loop: simulated time must wait for them. */
  readonly making: Set<AbortSignal>;
  readonly onLeaseLost: () => void;
  readonly onWake: (key: string, cause: string) => void;
  /** A turn begins: it looks at its view. */
  readonly onLook: (actor: string) => void;
  /** Whether the run has a verdict. No turn ends any more then: one that comes again at once would keep time from moving on. */
  readonly isJudged: () => boolean;
}

/** Metrics are of no concern here, and dear to make. */
const metrics = createMetrics();
const configs = new Map<string, ReturnType<typeof parseConfig>>();

/** One controller of a process: its Lease, and how its actors are called where the other's have the same names. */
interface Part {
  readonly module: ControllerModule;
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly prefix: string;
  readonly client: Sabotage['client'];
  readonly controller: Sabotage['controller'];
}

function partsOf({ machines, conditions }: WorldPlan, sabotage: Sabotage): readonly Part[] {
  const { client, controller, machineClient, machineController, clusterClient, clusterController } = sabotage;
  const config: Part = {
    module: kubeadmConfigModule,
    lease: { namespace: 'kube-system', name: LEASES.kubeadmconfig },
    prefix: '',
    client,
    controller,
  };
  const lease = { namespace: 'kube-system', name: LEASES.machine };
  const machine = { module: machineModule, lease, prefix: MACHINE_ACTOR };
  const cluster = { module: clusterInitializedModule, lease, prefix: CLUSTER_ACTOR };
  return [
    config,
    ...(machines ? [{ ...machine, client: machineClient, controller: machineController }] : []),
    ...(conditions ? [{ ...cluster, client: clusterClient, controller: clusterController }] : []),
  ];
}

/** Starts a process. */
export function startSimulatedOperator(options: SimulatedOperatorOptions): SimulatedOperator {
  const { name, plan, clock, random, network, management, log, sabotage } = options;
  const config = configOf(plan);
  const life = new AbortController();
  setMaxListeners(1000, life.signal);
  const identity = `${name}-${Math.floor(random.next() * 1e9)}`;
  const electors = new Map<Part, LeaseElector>();
  const parts = partsOf(plan, sabotage);
  const gateOf = (part: Part): (() => number) => {
    const gate = (): number => (plan.operators === 1 ? Infinity : (electors.get(part)?.remainingMs() ?? 0));
    return sabotage.gate?.(gate) ?? gate;
  };
  const gates = parts.map((part) => ({ part, gate: gateOf(part) }));
  /** Connections are shared: the Lease that ends first of those that are held decides. */
  const sharedGate = (): number => {
    const isHeld = ({ part }: (typeof gates)[number]): boolean =>
      plan.operators === 1 || electors.get(part)?.isLeader() === true;
    const held = (parts.length === 1 ? gates : gates.filter(isHeld)).map(({ gate }) => gate());
    return held.length === 0 ? 0 : Math.min(...held);
  };
  const server = { name: 'management', handle: management.handle };
  const limiters = createRateLimiters({ qps: config.kubeApiQps, burst: config.kubeApiBurst, clock });
  const clientsOf =
    (gate: () => number) =>
    (actor: string): ApiClient =>
      createInProcessClient({ handle: network.handleFor(server, actor), clock, limiters, gate, userAgent: name });
  const plain = clientsOf(gates[0]?.gate ?? sharedGate)('');
  const cacheClient = sabotage.cacheClient?.(plain) ?? plain;
  const { caches, shown } = withShown(createCaches({ client: cacheClient, config, clock, random, metrics, log }));
  const world: SabotageWorld = { client: plain, clock };
  const connections = connectionsOf(options, { plain, caches, config, gate: sharedGate });
  const workload = sabotage.workload?.(connections, world) ?? connections;
  const keyPool = createKeyPool({ generate: () => Promise.resolve(options.keys[0] as GeneratedKey) });
  const hosted = gates.map(({ part, gate }) => {
    const actors = new WeakMap<AbortSignal, string>();
    const clientFor = clientsOf(gate);
    const own = part.prefix === '' ? plain : clientFor('');
    const tagged = taggedClient(own, clientFor, { actors, making: options.making });
    const built = part.module.build({
      config,
      client: part.client?.(tagged, world) ?? tagged,
      caches,
      workload,
      keyPool: {
        ...keyPool,
        take(request) {
          options.making.add(request.signal);
          return Promise.resolve({ kind: 'generated', keys: options.keys.slice(0, request.count) });
        },
        prepare: () => true,
      },
      events: createEventRecorder({ client: own, clock, component: 'kubeadm-bootstrap-operator' }),
      clock,
      random,
      log,
    });
    const { making, onLook, isJudged } = options;
    const noted = withActors(built.controller, { actors, making, prefix: part.prefix, onLook, isJudged });
    const host = createHost({
      controller: part.controller?.(noted, world) ?? noted,
      clock,
      random,
      freshness: sabotage.freshness?.(caches.informers.freshness) ?? caches.informers.freshness,
      concurrency: built.concurrency,
      syncPeriodMs: config.syncPeriodMs,
      log,
      observers: [options.observer(part.prefix)],
    });
    const begin = (): void =>
      void caches.informers.whenSynced(life.signal).then((isSynced) => {
        if (!isSynced || network.isDead) return;
        built.connect({
          ...host,
          wake(key, cause) {
            options.onWake(part.prefix + key, Object.values(cause).join(' '));
            host.wake(key, cause);
          },
        });
        host.start();
      });
    return { part, host, begin };
  });
  caches.start(life.signal);
  for (const { part, begin } of hosted) {
    if (plan.operators === 1) {
      begin();
      continue;
    }
    const elector = createLeaseElector({
      client: createInProcessClient({
        handle: network.handleFor(server, 'lease'),
        clock,
        timeoutMs: config.renewDeadlineMs / 2,
      }),
      ...part.lease,
      identity,
      leaseDurationMs: config.leaseDurationMs,
      renewDeadlineMs: config.renewDeadlineMs,
      retryPeriodMs: config.retryPeriodMs,
      clock,
      random,
      onAcquired: begin,
      onLost: options.onLeaseLost,
    });
    electors.set(part, elector);
    elector.start();
  }
  return {
    name,
    identity,
    hosts: hosted.map(({ host }) => host),
    shown,
    clock,
    isLeader: () => plan.operators === 1 || electors.get(parts[0] as Part)?.isLeader() === true,
    kill() {
      clock.kill();
      network.kill();
    },
  };
}

function configOf(plan: WorldPlan): ReturnType<typeof parseConfig> {
  const args = [
    `--bootstrap-token-ttl=${plan.tokenTtlMs / 1000}s`,
    `--snapshot-store=${plan.snapshotStore}`,
    `--sync-period=${plan.syncPeriodMs / 1000}s`,
    '--feature-gates=MachinePool=true,KubeadmBootstrapFormatIgnition=true',
    '--leader-elect-lease-duration=60s',
    '--leader-elect-renew-deadline=40s',
    '--leader-elect-retry-period=10s',
  ];
  const id = args.join(' ');
  const known = configs.get(id) ?? parseConfig(args, {});
  configs.set(id, known);
  return known;
}

/** Requests of an effect carry its actor's key, so that invariants know who wrote. */
function taggedClient(
  plain: ApiClient,
  clientFor: (actor: string) => ApiClient,
  { actors, making }: { readonly actors: WeakMap<AbortSignal, string>; readonly making: Set<AbortSignal> },
): ApiClient {
  const clients = new Map<string, ApiClient>();
  const of = (options: { readonly signal?: AbortSignal } | undefined): ApiClient => {
    const actor = options?.signal === undefined ? undefined : actors.get(options.signal);
    if (actor === undefined) return plain;
    const known = clients.get(actor) ?? clientFor(actor);
    clients.set(actor, known);
    return known;
  };
  return {
    get: (target, options) => of(options).get(target, options),
    list: (resource, options) => of(options).list(resource, options),
    watch: (resource, options) => of(options).watch(resource, options),
    create(resource, object, options) {
      // The first certificate that is stored: all of them are made.
      if (options?.signal !== undefined) making.delete(options.signal);
      return of(options).create(resource, object, options);
    },
    update: (target, object, options) => of(options).update(target, object, options),
    mergePatch: (target, body, options) => of(options).mergePatch(target, body, options),
    apply: (target, object, options) => of(options).apply(target, object, options),
    delete: (target, options) => of(options).delete(target, options),
    post: (path, body, options) => of(options).post(path, body, options),
  };
}

function withActors(
  controller: AnyController,
  given: {
    readonly actors: WeakMap<AbortSignal, string>;
    readonly making: Set<AbortSignal>;
    readonly prefix: string;
    readonly onLook: (actor: string) => void;
    readonly isJudged: () => boolean;
  },
): AnyController {
  const { actors, making, prefix, onLook, isJudged } = given;
  const effects = Object.fromEntries(
    Object.entries(controller.effects).map(([request, effect]) => [
      request,
      (...[view, facts, context]: Parameters<typeof effect>) => {
        actors.set(context.signal, prefix + context.key);
        return effect(view, facts, context).finally(() => void making.delete(context.signal));
      },
    ]),
  );
  return {
    ...controller,
    effects,
    observe(key) {
      const view = controller.observe(key);
      if (view !== null) onLook(prefix + key);
      return view;
    },
    persist(view, outcome, context) {
      actors.set(context.signal, prefix + context.key);
      if (isJudged()) return new Promise(() => undefined);
      return controller.persist(view, outcome, context);
    },
  };
}

function connectionsOf(
  { clock, random, network, workloads }: SimulatedOperatorOptions,
  {
    plain,
    caches,
    config,
    gate,
  }: {
    plain: ApiClient;
    caches: ReturnType<typeof createCaches>;
    config: ReturnType<typeof parseConfig>;
    gate: () => number;
  },
): WorkloadConnections {
  return createWorkloadConnections({
    kubeconfigs: kubeconfigSecrets({
      client: plain,
      secret: resourceOf(resources.Secret),
      cache: secretsCache(caches, config),
      names: caches.secretNames,
    }),
    async connect(text, signal) {
      const access = accessOfKubeconfig(parse(text) as unknown);
      const { headers } = await access.identity();
      const token = headers['authorization']?.replace(/^Bearer /, '');
      const server = {
        name: access.server,
        handle: (request: Parameters<EmbeddedWorkloads['handle']>[1]) => workloads.handle(access.server, request),
      };
      const client = createInProcessClient({
        handle: network.handleFor(server as Parameters<Network['handleFor']>[0], ''),
        clock,
        timeoutMs: 10_000,
        gate,
        ...(token === undefined ? {} : { token }),
      });
      await client.ping('/', { signal, timeoutMs: 5_000 }).catch((error: unknown) => {
        if (!isApiError(error, 'Forbidden', 'NotFound', 'NoSuchResource')) throw error;
      });
      return client;
    },
    clock,
    random,
  });
}
