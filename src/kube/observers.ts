// What src/kube tells about itself, as metrics and log lines. Every observer is optional where it is used.

import { CONNECTIONS_MAX } from '../limits.js';
import type { Logger } from '../log.js';
import type { Metrics } from '../metrics.js';
import type { Resource } from './contract.js';
import type { ClientObserver } from './exchange.js';
import type { InformerObserver } from './informer.js';
import type { Informers } from './informers.js';
import type { LeaseObserver } from './lease-elector.js';
import { resourceName } from './resource-paths.js';
import type { ShadowWrite } from './shadow-client.js';
import type { ConnectionObserver } from './workload-connections.js';

/** Requests by answer, and the server's warnings once each. */
export function clientObserver(metrics: Metrics, log: Logger): ClientObserver {
  const warned = new Set<string>();
  return {
    onAnswer({ method, verb, code, host, tookMs }) {
      metrics.requests.inc({ code, method, host });
      if (verb !== 'watch') metrics.requestSeconds.observe({ verb: method, host }, tookMs / 1000);
      log.verbose(8, 'API request', { verb, code, host, tookMs: Math.round(tookMs) });
    },
    onForeignAnswer: (note) => log.verbose(4, 'Answer of a server that is no Kubernetes API', note),
    onWarning(text) {
      // Upstream suppresses these two; the rest is told once.
      if (/finalizer name|deprecated/.test(text) || warned.has(text) || warned.size >= WARNINGS_MAX) return;
      warned.add(text);
      log.info('Warning of the API server', { warning: text });
    },
  };
}

const WARNINGS_MAX = 100;

/** Series by host of workload API servers, which come and go. */
export interface WorkloadHosts {
  readonly observer: ClientObserver;
  /** A host has one client more; what comes back tells that it is closed. */
  opened(host: string): () => void;
}

/** Requests to workload clusters: the series of a host go with its last client. Those of `kept` stay: it is never gone. */
export function workloadHosts(metrics: Metrics, log: Logger, kept = ''): WorkloadHosts {
  const { onAnswer, ...rest } = clientObserver(metrics, log);
  const hosts = new Map<string, { clients: number; readonly seen: Map<string, AnswerLabels> }>();
  return {
    observer: {
      ...rest,
      onAnswer(note) {
        const { host, code, method } = note;
        const series = hosts.get(host);
        // What is still answered after the end is nobody's.
        if (series === undefined && host !== kept) return;
        series?.seen.set(`${method} ${code}`, { code, method, host });
        onAnswer?.(note);
      },
    },
    opened(host) {
      if (host === kept) return () => undefined;
      const series = hosts.get(host) ?? { clients: 0, seen: new Map<string, AnswerLabels>() };
      hosts.set(host, series);
      series.clients += 1;
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        series.clients -= 1;
        if (series.clients > 0) return;
        hosts.delete(host);
        forgetHost(metrics, host, [...series.seen.values()]);
      };
    },
  };
}

interface AnswerLabels {
  readonly code: string;
  readonly method: string;
  readonly host: string;
}

function forgetHost(metrics: Metrics, host: string, seen: readonly AnswerLabels[]): void {
  for (const { code, method } of seen) {
    metrics.requests.remove({ code, method, host });
    metrics.requestSeconds.remove({ verb: method, host });
  }
  metrics.throttleSeconds.remove({ host });
}

/** How long requests to a host wait for their turn under the rate limit. */
export function throttleObserver(metrics: Metrics): (host: string) => (waitedMs: number) => void {
  return (host) => (waitedMs) => metrics.throttleSeconds.observe({ host }, waitedMs / 1000);
}

/** Lists, watches and their failures. A failure is logged when it changes, so that an outage is not a flood. */
export function informerObserver(metrics: Metrics, log: Logger): InformerObserver {
  const last = new Map<string, string>();
  return {
    onList(resource, cause, items) {
      metrics.watchLists.inc({ ...labels(resource), cause });
      if (last.delete(resourceName(resource))) log.info('Watching again', { resource: resourceName(resource) });
      log.verbose(4, 'Listed', { resource: resourceName(resource), cause, items });
    },
    onWatch: (resource) => metrics.watchStarts.inc(labels(resource)),
    onFailure(resource, { kind, message, status }, retryInMs) {
      metrics.watchFailures.inc({ ...labels(resource), reason: kind });
      const name = resourceName(resource);
      const text = `${kind} ${message}`;
      if (kind === 'Gone' || retryInMs === 0 || last.get(name) === text) return;
      last.set(name, text);
      log.warning('Cannot watch', {
        resource: name,
        reason: kind,
        status,
        err: message,
        retryInMs: Math.round(retryInMs),
      });
    },
    onBug(resource, error) {
      metrics.listenerErrors.inc(labels(resource));
      log.error('Bug in a listener', { resource: resourceName(resource), err: error, stack: (error as Error).stack });
    },
  };
}

function labels({ group, version, plural }: Resource): { group: string; version: string; resource: string } {
  return { group, version, resource: plural };
}

/** Refreshes the gauges of caches: call it before metrics are shown. */
export function observeCaches(metrics: Metrics, informers: Pick<Informers, 'running'>): void {
  for (const { resource, synced, size, resourceVersion } of informers.running()) {
    metrics.cacheObjects.set(labels(resource), size);
    metrics.cacheSynced.set(labels(resource), synced ? 1 : 0);
    metrics.storeResourceVersion.set({ name: resource.kind, ...labels(resource) }, Number(resourceVersion) || 0);
  }
}

/** Connections to workload clusters, under upstream's names. Series of a cluster go with its connection. */
export function connectionObserver(metrics: Metrics, log: Logger): ConnectionObserver {
  const of = (cluster: { namespace: string; name: string }) => ({
    cluster_name: cluster.name,
    cluster_namespace: cluster.namespace,
  });
  return {
    onPhase(cluster, phase, connectedForMs) {
      metrics.connectionUp.set(of(cluster), phase.kind === 'connected' ? 1 : 0);
      if (phase.kind === 'connected') log.info('Connected', { Cluster: cluster });
      else if (phase.kind === 'failed')
        log.error('Connect failed', { Cluster: cluster, err: phase.message, failures: phase.failures });
      else if (connectedForMs > 0)
        log.info('Disconnected', { Cluster: cluster, connectedForMs: Math.round(connectedForMs) });
    },
    onAttempt(cluster, success) {
      metrics.healthcheck.set(of(cluster), success ? 1 : 0);
      metrics.healthchecks.inc({ ...of(cluster), status: success ? 'success' : 'error' });
    },
    onCrowded: (connections) =>
      log.error('Many workload clusters are connected, more than CONNECTIONS_MAX cannot be', {
        connections,
        most: CONNECTIONS_MAX,
      }),
    onForgotten(cluster) {
      metrics.connectionUp.remove(of(cluster));
      metrics.healthcheck.remove(of(cluster));
      for (const status of ['success', 'error']) metrics.healthchecks.remove({ ...of(cluster), status });
    },
  };
}

/** One Lease. */
export function leaseObserver(
  metrics: Metrics,
  log: Logger,
  lease: { readonly namespace: string; readonly name: string },
): LeaseObserver {
  let last = '';
  return {
    onFailure({ kind, message }) {
      if (last !== `${kind} ${message}`)
        log.warning('Cannot take or renew the Lease', { Lease: lease, reason: kind, err: message });
      last = `${kind} ${message}`;
    },
    onHolder: (holder) => log.info('Waiting for the Lease', { Lease: lease, holder }),
    onSlowPath: () => metrics.leaderSlowpath.inc({ name: lease.name }),
  };
}

/** Writes of shadow mode that are remembered, so that none is told twice in the same words. */
const SHADOW_WRITES_MAX = 10_000;

/** One line for each write that shadow mode kept back; the same write again is told at level 4 alone. */
export function shadowReporter(log: Logger): (write: ShadowWrite) => void {
  const told = new Map<string, string>();
  const isNews = (id: string, text: string): boolean => {
    if (told.get(id) === text) return false;
    told.delete(id);
    told.set(id, text);
    const [oldest] = told.keys();
    if (told.size > SHADOW_WRITES_MAX && oldest !== undefined) told.delete(oldest);
    return true;
  };
  return ({ verb, kind, namespace, name, subresource, fields, differing, agrees }) => {
    const outcome = agrees === null ? 'unknown' : agrees ? 'agrees' : 'differs';
    const id = [verb, kind, namespace, name, subresource, ...fields].join('/');
    const isNew = isNews(id, [outcome, ...(differing ?? [])].join('\n'));
    log.verbose(isNew ? 0 : 4, 'Would write', {
      verb,
      kind,
      object: { namespace, name },
      ...(subresource === '' ? {} : { subresource }),
      outcome,
      fields,
      differing,
    });
  };
}
