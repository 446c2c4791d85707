// The registry of metrics: controller-runtime's and Cluster API's names where they exist, our own under `kubeadm_bootstrap_*`.
//
// Dashboards and alerts written for the Go manager keep working. Labels are bounded: never an object's name, except for the
// cluster names that upstream's cluster cache has too; their series go when their connection goes.

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { EVENT_LOOP_WATCH_MS } from './limits.js';

/** Every metric of the process and the page that shows them. */
export type Metrics = ReturnType<typeof createMetrics>;

const RECONCILE_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const QUEUE_BUCKETS = [1e-4, 1e-3, 1e-2, 0.1, 1, 10, 60, 600];
const STATE_BUCKETS = [1, 10, 60, 300, 900, 3_600, 21_600, 86_400];

/** A new registry. `processMetrics` adds Node's and the process's own. */
export function createMetrics(options: { readonly processMetrics?: boolean } = {}) {
  const registry = new Registry();
  if (options.processMetrics === true) addProcessMetrics(registry);
  return Object.freeze({
    registry,
    /** The text of `/metrics`. */
    text: (): Promise<string> => registry.metrics(),
    contentType: registry.contentType,
    ...reconcileMetrics(registry),
    ...queueMetrics(registry),
    ...clientMetrics(registry),
    ...clusterMetrics(registry),
    ...webhookMetrics(registry),
    ...actorMetrics(registry),
    ...processFaultMetrics(registry),
  });
}

/** What the library would read from a watch of the event loop. */
const WATCHED_LOOP = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'];

/**
 * Node's and the process's own metrics. The library watches the event loop with a timer of 10 ms, which wakes a resting process a hundred
 * times a second: more processor time than everything else it does at rest. Its watch sleeps here, and what would be read from it is left
 * out; the lag of the loop is measured when the page is read (`nodejs_eventloop_lag_seconds`).
 */
function addProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_WATCH_MS });
  for (const name of WATCHED_LOOP) registry.removeSingleMetric(`nodejs_eventloop_lag_${name}_seconds`);
}

function counter<L extends string>(registry: Registry, name: string, help: string, ...labelNames: L[]): Counter<L> {
  return new Counter({ name, help, labelNames, registers: [registry] });
}

function gauge<L extends string>(registry: Registry, name: string, help: string, ...labelNames: L[]): Gauge<L> {
  return new Gauge({ name, help, labelNames, registers: [registry] });
}

function histogram<L extends string>(
  registry: Registry,
  name: string,
  help: string,
  buckets: number[],
  ...labelNames: L[]
): Histogram<L> {
  return new Histogram({ name, help, buckets, labelNames, registers: [registry] });
}

function reconcileMetrics(r: Registry) {
  const runtime = 'controller_runtime';
  return {
    reconcileTotal: counter(r, `${runtime}_reconcile_total`, 'Turns by result.', 'controller', 'result'),
    reconcileErrors: counter(r, `${runtime}_reconcile_errors_total`, 'Turns that ended with an error.', 'controller'),
    reconcilePanics: counter(r, `${runtime}_reconcile_panics_total`, 'Turns that threw: bugs.', 'controller'),
    reconcileTimeouts: counter(r, `${runtime}_reconcile_timeouts_total`, 'Turns that hit a deadline.', 'controller'),
    reconcileSeconds: histogram(
      r,
      `${runtime}_reconcile_time_seconds`,
      'Length of turns.',
      RECONCILE_BUCKETS,
      'controller',
    ),
    maxConcurrentReconciles: gauge(
      r,
      `${runtime}_max_concurrent_reconciles`,
      'Turns that may run at once.',
      'controller',
    ),
    activeWorkers: gauge(r, `${runtime}_active_workers`, 'Turns that run now.', 'controller'),
    capiReconcileTotal: counter(r, 'capi_reconcile_total', 'Turns by result.', 'controller', 'result'),
    capiReconcileSeconds: histogram(
      r,
      'capi_reconcile_time_seconds',
      'Length of turns.',
      RECONCILE_BUCKETS,
      'controller',
    ),
    staleViewWaits: counter(
      r,
      'capi_reconcile_stale_cache_skips_total',
      'Turns that waited until a cache showed our own write.',
      'controller',
      'cached_kind',
    ),
  };
}

function queueMetrics(r: Registry) {
  const both = ['name', 'controller'] as const;
  return {
    queueDepth: gauge(r, 'workqueue_depth', 'Keys that wait.', ...both, 'priority'),
    queueAdds: counter(r, 'workqueue_adds_total', 'Keys added.', ...both),
    queueWaitSeconds: histogram(r, 'workqueue_queue_duration_seconds', 'Time a key waits.', QUEUE_BUCKETS, ...both),
    queueWorkSeconds: histogram(
      r,
      'workqueue_work_duration_seconds',
      'Time a key is worked on.',
      QUEUE_BUCKETS,
      ...both,
    ),
    queueUnfinishedSeconds: gauge(r, 'workqueue_unfinished_work_seconds', 'Running work, summed.', ...both),
    queueLongestSeconds: gauge(r, 'workqueue_longest_running_processor_seconds', 'Longest running work.', ...both),
    queueRetries: counter(r, 'workqueue_retries_total', 'Keys added again after an error.', ...both),
  };
}

function clientMetrics(r: Registry) {
  const resource = ['group', 'version', 'resource'] as const;
  return {
    requests: counter(r, 'rest_client_requests_total', 'Requests by answer.', 'code', 'method', 'host'),
    requestSeconds: histogram(
      r,
      'rest_client_request_duration_seconds',
      'Time to an answer.',
      RECONCILE_BUCKETS,
      'verb',
      'host',
    ),
    throttleSeconds: histogram(
      r,
      'rest_client_rate_limiter_duration_seconds',
      'Time that requests waited for --kube-api-qps or --clustercache-client-qps.',
      QUEUE_BUCKETS,
      'host',
    ),
    storeResourceVersion: gauge(
      r,
      'informer_store_resource_version',
      'Newest resourceVersion that a cache knows, modulo 2^53.',
      'name',
      ...resource,
    ),
    cacheObjects: gauge(r, 'kubeadm_bootstrap_cache_objects', 'Objects in a cache.', ...resource),
    cacheSynced: gauge(r, 'kubeadm_bootstrap_cache_synced', '1 after the first complete list.', ...resource),
    watchLists: counter(r, 'kubeadm_bootstrap_watch_lists_total', 'Complete lists, by cause.', ...resource, 'cause'),
    watchStarts: counter(r, 'kubeadm_bootstrap_watch_starts_total', 'Watches started.', ...resource),
    watchFailures: counter(
      r,
      'kubeadm_bootstrap_watch_failures_total',
      'Failed lists and watches.',
      ...resource,
      'reason',
    ),
    listenerErrors: counter(r, 'kubeadm_bootstrap_listener_errors_total', 'Listeners that threw: bugs.', ...resource),
    leader: gauge(r, 'leader_election_master_status', '1 while this process holds the Lease.', 'name'),
    leaderSlowpath: counter(r, 'leader_election_slowpath_total', 'Renewals that had to read the Lease first.', 'name'),
    kubeEventsDropped: counter(r, 'kubeadm_bootstrap_events_dropped_total', 'Events that were not written.', 'reason'),
  };
}

function clusterMetrics(r: Registry) {
  const cluster = ['cluster_name', 'cluster_namespace'] as const;
  return {
    connectionUp: gauge(r, 'capi_cluster_cache_connection_up', '1 while connected.', ...cluster),
    healthcheck: gauge(r, 'capi_cluster_cache_healthcheck', '1 when the last check worked.', ...cluster),
    healthchecks: counter(r, 'capi_cluster_cache_healthchecks_total', 'Checks by result.', ...cluster, 'status'),
  };
}

function webhookMetrics(r: Registry) {
  const webhook = 'controller_runtime_webhook';
  return {
    webhookSeconds: histogram(r, `${webhook}_latency_seconds`, 'Time to an answer.', RECONCILE_BUCKETS, 'webhook'),
    webhookRequests: counter(r, `${webhook}_requests_total`, 'Requests by answer.', 'webhook', 'code'),
    webhookInFlight: gauge(r, `${webhook}_requests_in_flight`, 'Requests being answered.', 'webhook'),
    webhookPanics: counter(r, `${webhook}_panics_total`, 'Handlers that threw: bugs.'),
    conversionPanics: counter(r, 'controller_runtime_conversion_webhook_panics_total', 'Conversions that threw: bugs.'),
    certificateReads: counter(r, 'certwatcher_read_certificate_total', 'Certificate reads.'),
    certificateReadErrors: counter(r, 'certwatcher_read_certificate_errors_total', 'Certificate reads that failed.'),
  };
}

function actorMetrics(r: Registry) {
  const own = 'kubeadm_bootstrap';
  return {
    actors: gauge(r, `${own}_actors`, 'Actors by state.', 'controller', 'state'),
    transitions: counter(r, `${own}_transitions_total`, 'Changes of state.', 'controller', 'from', 'to'),
    stateSeconds: histogram(
      r,
      `${own}_time_in_state_seconds`,
      'Time spent in a state, when it is left.',
      STATE_BUCKETS,
      'controller',
      'state',
    ),
    effects: counter(r, `${own}_effects_total`, 'Effects by result.', 'controller', 'request', 'result'),
    effectSeconds: histogram(
      r,
      `${own}_effect_seconds`,
      'Length of effects.',
      RECONCILE_BUCKETS,
      'controller',
      'request',
    ),
    snapshotBytes: histogram(r, `${own}_snapshot_bytes`, 'Persisted actors.', [64, 128, 256, 512, 1024], 'controller'),
    snapshotsDiscarded: counter(
      r,
      `${own}_snapshots_discarded_total`,
      'Snapshots that were not restored.',
      'controller',
      'reason',
    ),
    markedTokensWithoutData: gauge(
      r,
      `${own}_marked_tokens_without_data`,
      'KubeadmConfigs that hold a token of ours and no data Secret: empty these tokens before swapping back.',
    ),
  };
}

function processFaultMetrics(r: Registry) {
  return {
    endpointFaults: counter(
      r,
      'kubeadm_bootstrap_endpoint_faults_total',
      'Requests to our own ports whose handler threw: bugs. Each ended alone.',
      'endpoint',
      'place',
    ),
    processFaults: counter(
      r,
      'kubeadm_bootstrap_process_faults_total',
      'Errors that no part of the program caught: bugs. The process gives its Lease back and ends.',
      'kind',
    ),
  };
}
