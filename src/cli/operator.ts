// The operator, put together: client, caches, controllers under their Leases, webhooks, endpoints, inspector.
//
// `run` and `demo` start the same thing. Nothing here decides anything about an object.
//
//   O0. Health opens first, then webhooks, then the server is asked: what it has to convert needs a pod that is ready.
//   O1. Caches, webhooks and endpoints run on every replica; turns run only under the Lease of their group.
//   O2. Stopping: no new turns, running effects get their grace, Leases are released, then everything closes.
//   O3. A start that fails, or is called off, leaves nothing behind: what had started ends, and the error is thrown.

import { setMaxListeners } from 'node:events';
import type { Explanation } from '../../machines/kit/explanation.js';
import { createKeyPool } from '../bootstrap/certificates/key-pool.js';
import { generateKeyPair } from '../bootstrap/certificates/keys.js';
import { createHost, type Host } from '../host/host.js';
import type { Inspector } from '../inspector/inspector.js';
import { createEventRecorder } from '../kube/event-recorder.js';
import { observeCaches } from '../kube/observers.js';
import { watchCacheSync } from './cache-sync.js';
import { createCaches } from './caches.js';
import type { OperatorConfig } from './config.js';
import type { BuiltController, ControllerModule } from './controller-module.js';
import { CONTROLLER_MODULES } from './controllers.js';
import { startDiagnostics, startHealth, type Diagnostics } from './diagnostics.js';
import { hostMetrics, observeHost } from './host-metrics.js';
import { createCrdMigration, type CrdMigration } from './crd-migration.js';
import { createOperatorInspector } from './operator-inspector.js';
import { leaseGroups, type LeaseGroup } from './lease-groups.js';
import { createLeadership, type Leadership } from './leadership.js';
import { openManagement, type Management } from './management.js';
import type { OperatorOptions } from './operator-options.js';
import { preflight } from './preflight.js';
import { SHADOW_REST_MIN_MS } from '../limits.js';
import { startWebhooks } from './webhooks.js';
import { noWorkloads, openWorkloads } from './workloads.js';

/** A running operator. */
export interface Operator {
  readonly inspectorUrl: string | null;
  readonly hosts: ReadonlyMap<string, Host>;
  /** Rejects when the operator can no longer run: a Lease was lost, a cache does not fill. */
  readonly failed: Promise<never>;
  /** Why an object is where it is; null when no actor has it. */
  explain(machine: string, namespace: string, name: string): Explanation | null;
  stop(): Promise<void>;
  /** Ends at once, as a crash would: nothing is finished, nothing is released. */
  drop(): Promise<void>;
}

interface HostedController {
  readonly module: ControllerModule;
  readonly built: BuiltController;
  readonly host: Host;
}

/** Ends something that has started. */
type End = () => void | Promise<void>;

/** Starts everything; resolves when it runs. Throws CommandFailure with one line a problem, and the reason of `calledOff`. */
export async function startOperator(options: OperatorOptions, calledOff?: AbortSignal): Promise<Operator> {
  const life = new AbortController();
  // One listener for each watch, timer and elector: many, but as many after a year as after a minute.
  setMaxListeners(1000, life.signal);
  const started: End[] = [];
  const callOff = (): void => life.abort(calledOff?.reason);
  calledOff?.addEventListener('abort', callOff, { once: true });
  try {
    calledOff?.throwIfAborted();
    return await assemble(options, life, started);
  } catch (error) {
    life.abort();
    for (const end of started.reverse()) await ended(end);
    throw error;
  } finally {
    calledOff?.removeEventListener('abort', callOff);
  }
}

/** An end that fails does not keep the others from theirs: what is told is why the start failed. */
async function ended(end: End): Promise<void> {
  try {
    await end();
  } catch {
    // See above.
  }
}

/** Puts the parts together. Each part that has to be ended is told to `started` as soon as it is there. */
async function assemble(options: OperatorOptions, life: AbortController, started: End[]): Promise<Operator> {
  const { config, clock, random, log, metrics } = options;
  const health = await startHealth(options);
  started.push(() => health.close());
  const management = await openManagement(options);
  started.push(() => management.close());
  const modules = CONTROLLER_MODULES.filter((module) => config.controllers.includes(module.name));
  const resources = new Map(
    modules.flatMap((module) => module.resources(config)).map((each) => [`${each.group}/${each.plural}`, each]),
  );
  const webhooks = await startWebhooks(options);
  started.push(() => webhooks?.stop());
  health.follow(webhooks);
  const { serverVersion } = await preflight(management.main, {
    config,
    resources: [...resources.values()],
    leaseNamespaces: config.leaderElect && !config.shadow ? leaseNamespaces(config, management) : [],
    signal: life.signal,
    log,
  });
  life.signal.throwIfAborted();
  log.info('Starting manager', {
    server: management.main.host,
    serverVersion,
    controllers: config.controllers.join(','),
  });

  const namesSecrets = modules.some((module) => module.reachesWorkloads);
  const caches = createCaches({ client: management.main, config, clock, random, metrics, log, namesSecrets });
  const workload = namesSecrets
    ? openWorkloads(options, management, { caches, gate: () => writeTimeMs(leaderships) })
    : noWorkloads;
  started.push(() => workload.close());
  const keyPool = createKeyPool({ generate: generateKeyPair });
  started.push(() => keyPool.close());
  let fail: (error: Error) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  failed.catch(() => undefined);

  const hosted: HostedController[] = [];
  const explain = (machine: string, namespace: string, name: string): Explanation | null =>
    withMachine(hosted, machine, (each) => each.built.explain(namespace, name, each.host));
  const inspector: Inspector | null = await createOperatorInspector(options, {
    review: management.review,
    explain,
    details: (machine, namespace, name) => withMachine(hosted, machine, (each) => each.built.details(namespace, name)),
    isLeader: () => leaderships.some((each) => each.isLeader()),
  });
  started.push(() => inspector?.close());
  const leaderships: Leadership[] = leaseGroups(config.controllers).map((group) =>
    leadershipOf(options, management, group),
  );
  for (const leadership of leaderships) {
    const client = management.clientFor(leadership.gate);
    const events = createEventRecorder({
      client,
      clock,
      component: 'kubeadm-bootstrap-operator',
      onDropped: (reason) => metrics.kubeEventsDropped.inc({ reason }),
    });
    life.signal.addEventListener('abort', () => events.stop(), { once: true });
    for (const module of modules.filter((each) => leadership.group.controllers.includes(each.name))) {
      const built = module.build({
        config,
        client,
        caches,
        workload,
        keyPool,
        events,
        clock,
        random,
        log: log.with({ controller: module.name }),
      });
      const host = hostOf(options, module, { built, freshness: caches.informers.freshness, inspector });
      hosted.push({ module, built, host });
      started.push(() => host.stop({ graceMs: 0 }));
    }
  }
  caches.start(life.signal);
  watchCacheSync(caches.informers, { clock, signal: life.signal, onOverdue: (error) => fail(error) });
  const server = (await inspector?.listen()) ?? null;
  if (server !== null) log.info('Inspector is open', { address: server.url });
  const diagnostics: Diagnostics = await startDiagnostics(options, {
    review: management.review,
    onScrape() {
      observeCaches(metrics, caches.informers);
      for (const { module, built, host } of hosted) {
        observeHost(metrics, module.name, host, clock.monotonicMs());
        const marked = built.markedTokensWithoutData?.();
        if (marked !== undefined) metrics.markedTokensWithoutData.set(marked);
      }
    },
  });
  started.push(() => diagnostics.close());
  life.signal.throwIfAborted();
  const migrations: CrdMigration[] = [];
  const starts = leaderships.map((leadership) => {
    const migration = migrationOf(options, management, { leadership, signal: life.signal });
    if (migration !== null) migrations.push(migration);
    return startGroup(leadership, {
      hosted,
      caches,
      signal: life.signal,
      onLead: () => migration?.start(),
      onLost: (lease) => fail(new Error(`the Lease ${lease} was lost`)),
    });
  });
  return {
    inspectorUrl: server?.url ?? null,
    hosts: new Map(hosted.map((each) => [each.module.name, each.host])),
    failed,
    explain,
    async drop() {
      life.abort();
      await management.close();
      for (const start of starts) start.disconnect();
      await Promise.all([
        ...hosted.map((each) => each.host.stop({ graceMs: 0 })),
        workload.close(),
        inspector?.close(),
        diagnostics.close(),
        health.close(),
        webhooks?.stop(),
      ]);
    },
    async stop() {
      await Promise.all(hosted.map((each) => each.host.stop()));
      for (const start of starts) start.disconnect();
      for (const migration of migrations) migration.stop();
      await Promise.all(leaderships.map((each) => each.stop()));
      life.abort();
      keyPool.close();
      await workload.close();
      await Promise.all([inspector?.close(), diagnostics.close(), health.close(), webhooks?.stop()]);
      await management.close();
    },
  };
}

function leaseNamespaces(config: OperatorConfig, management: Management): readonly string[] {
  return leaseGroups(config.controllers).map((group) => group.namespace ?? management.ownNamespace);
}

/** How long a write to a workload cluster may be under way: connections are shared, so the Lease that ends first decides. */
function writeTimeMs(leaderships: readonly Leadership[]): number {
  const held = leaderships.filter((each) => each.isLeader()).map((each) => each.gate());
  return held.length === 0 ? 0 : Math.min(...held);
}

function withMachine<T>(
  hosted: readonly HostedController[],
  machine: string,
  read: (each: HostedController) => T | null,
): T | null {
  const found = hosted.find((each) => each.module.table.id === machine);
  return found === undefined ? null : read(found);
}

function leadershipOf(options: OperatorOptions, management: Management, group: LeaseGroup): Leadership {
  const { config, clock, random, log, metrics } = options;
  return createLeadership({
    config,
    group,
    ownNamespace: management.ownNamespace,
    client: management.leases,
    clock,
    random,
    log,
    metrics,
  });
}

function hostOf(
  { config, clock, random, afterOthers, log, metrics }: OperatorOptions,
  module: ControllerModule,
  {
    built,
    freshness,
    inspector,
  }: {
    readonly built: BuiltController;
    readonly freshness: Parameters<typeof createHost>[0]['freshness'];
    readonly inspector: Inspector | null;
  },
): Host {
  const labels = { name: module.name, controller: module.name };
  metrics.maxConcurrentReconciles.set({ controller: module.name }, built.concurrency);
  return createHost({
    controller: built.controller,
    clock,
    random,
    freshness,
    concurrency: built.concurrency,
    ...(afterOthers === undefined ? {} : { afterOthers }),
    syncPeriodMs: config.syncPeriodMs,
    ...(config.shadow ? { restMinMs: SHADOW_REST_MIN_MS } : {}),
    log,
    observers: [
      hostMetrics(metrics, module.name),
      { onGone: (_name, _key, uid) => inspector?.gone(module.table.id, uid) },
    ],
    ...(inspector === null ? {} : { inspect: inspector.observe }),
    queueObserver: {
      onAdd: () => metrics.queueAdds.inc(labels),
      onTake: (waitedMs: number) => metrics.queueWaitSeconds.observe(labels, waitedMs / 1000),
    },
  });
}

/** The migration of the definitions belongs to the group of KubeadmConfigs, and is written under its Lease. */
function migrationOf(
  options: OperatorOptions,
  management: Management,
  { leadership, signal }: { readonly leadership: Leadership; readonly signal: AbortSignal },
): CrdMigration | null {
  if (!leadership.group.controllers.includes('kubeadmconfig')) return null;
  return createCrdMigration(options, { client: management.clientFor(leadership.gate), signal });
}

/** Lets a group act once its Lease is held and the caches have their first lists. */
function startGroup(
  leadership: Leadership,
  {
    hosted,
    caches,
    signal,
    onLead,
    onLost,
  }: {
    readonly hosted: readonly HostedController[];
    readonly caches: ReturnType<typeof createCaches>;
    readonly signal: AbortSignal;
    readonly onLead: () => void;
    readonly onLost: (lease: string) => void;
  },
): { disconnect(): void } {
  const mine = hosted.filter((each) => leadership.group.controllers.includes(each.module.name));
  const ends: (() => void)[] = [];
  leadership.start(
    () => {
      onLead();
      void caches.informers.whenSynced(signal).then((isSynced) => {
        if (!isSynced || signal.aborted) return;
        for (const each of mine) {
          ends.push(each.built.connect(each.host));
          each.host.start();
        }
      });
    },
    () => onLost(leadership.group.lease),
  );
  return { disconnect: () => ends.splice(0).forEach((end) => end()) };
}
