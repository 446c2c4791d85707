// A busy world with trouble in it, and every metric that is declared: none may stay without a value.
//
// What only a bug of ours or minutes of silence can cause is fed by the tests that cause it (host-metrics, webhooks/observe).

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import { parseConfig } from '../../../src/cli/config.js';
import { parseDemo } from '../../../src/cli/demo-flags.js';
import { startDemoWorld, type DemoWorld } from '../../../src/cli/demo-world.js';
import { startOperator } from '../../../src/cli/operator.js';
import type { FaultPlan, RequestInfo } from '../../../src/embedded/types.js';
import { resources } from '../../../src/api/names.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { informerObserver, throttleObserver } from '../../../src/kube/observers.js';
import { createRateLimiter } from '../../../src/kube/rate-limiter.js';
import { silentLogger } from '../../../src/log.js';
import { createMetrics, type Metrics } from '../../../src/metrics.js';
import { systemClock, systemRandom } from '../../../src/system.js';
import { createTestClock } from '../kube/test-clock.js';
import { until } from '../../worlds/operator-process.js';
import { emptyFolder, mountCertificate, servingCertificate } from '../webhooks/serving-certificate.js';

/** Only bugs, or a minute without an end, make all but the last; that one is looked at while it is above 0. */
const NOT_AT_THE_END = [
  'controller_runtime_reconcile_panics_total',
  'controller_runtime_reconcile_timeouts_total',
  'controller_runtime_webhook_panics_total',
  'controller_runtime_conversion_webhook_panics_total',
  'kubeadm_bootstrap_listener_errors_total',
  'kubeadm_bootstrap_endpoint_faults_total',
  'kubeadm_bootstrap_process_faults_total',
  'kubeadm_bootstrap_marked_tokens_without_data',
];

/** Of the webhooks; the next one is that of the metrics. What listens is told its port before it starts. */
const PORT = 30_000 + (process.pid % 20_000);

/** The world's trouble. */
function trouble(): FaultPlan {
  let lists = 0;
  let leaseWrites = 0;
  return {
    request({ userAgent, resource, verb }: RequestInfo) {
      if (!userAgent.startsWith('kubeadm-bootstrap-operator')) return undefined;
      if (resource === 'events') return { kind: 'status', code: 403 };
      if (resource === 'leases' && verb === 'update') {
        leaseWrites += 1;
        return leaseWrites === 1 ? { kind: 'status', code: 409 } : undefined;
      }
      if (resource === 'machines' && verb === 'watch') {
        lists += 1;
        return lists === 1 ? { kind: 'status', code: 500 } : undefined;
      }
      return undefined;
    },
    watchEvent({ userAgent, resource }, { type }) {
      if (!userAgent.startsWith('kubeadm-bootstrap-operator')) return undefined;
      return resource === 'kubeadmconfigs' && type === 'MODIFIED' ? { kind: 'delay', ms: 300 } : undefined;
    },
  };
}

async function valuesOf(metrics: Metrics, name: string): Promise<readonly MetricValue<string>[]> {
  const all = (await metrics.registry.getMetricsAsJSON()) as MetricObjectWithValues<MetricValue<string>>[];
  return all.find((each) => each.name === name)?.values ?? [];
}

const sum = (values: readonly MetricValue<string>[]): number => values.reduce((total, { value }) => total + value, 0);

describe('metrics of a world', () => {
  test('every metric that is declared: -> something in the program feeds it', () => {
    const { registry: _r, text: _t, contentType: _c, ...declared } = createMetrics();
    const sources = (readdirSync('src', { recursive: true }) as string[])
      .filter((file) => file.endsWith('.ts') && file !== 'metrics.ts')
      .map((file) => readFileSync(join('src', file), 'utf8'))
      .join('\n');
    const fed = new RegExp(String.raw`metrics\.(\w+)\b|\?\s*metrics\.(\w+)|:\s*metrics\.(\w+)\)`, 'g');
    const names = new Set([...sources.matchAll(fed)].flatMap(([, ...found]) => found));
    expect(Object.keys(declared).filter((name) => !names.has(name))).toEqual([]);
  });

  test('a listener that throws -> counted by resource', async () => {
    const metrics = createMetrics();
    informerObserver(metrics, silentLogger).onBug?.(resourceOf(resources.Machine), new Error('a bug'));
    const [value] = await valuesOf(metrics, 'kubeadm_bootstrap_listener_errors_total');
    expect(value).toEqual({
      value: 1,
      labels: { group: 'cluster.x-k8s.io', version: 'v1beta2', resource: 'machines' },
    });
  });

  test('requests above the rate limit -> the time that each waited, by host', async () => {
    const metrics = createMetrics();
    const clock = createTestClock();
    const limiter = createRateLimiter({ qps: 2, burst: 1, clock, onWait: throttleObserver(metrics)('example:6443') });
    const { signal } = new AbortController();
    const taken = Promise.all([limiter.take(signal), limiter.take(signal), limiter.take(signal)]);
    await clock.advance(2_000);
    expect(await taken).toEqual([true, true, true]);
    const text = await metrics.text();
    expect(text).toContain('rest_client_rate_limiter_duration_seconds_count{host="example:6443"} 3');
    expect(text).toContain('rest_client_rate_limiter_duration_seconds_sum{host="example:6443"} 1.5');
  });

  test('a busy world with trouble: after it -> every other metric has a value, and tokens without data are counted while there are some', async () => {
    const folder = emptyFolder();
    mountCertificate(folder, 0, servingCertificate('first'));
    const plan = trouble();
    let blocked = true;
    const world = await startDemoWorld(parseDemo(['--clusters=1', '--workers=2']), {
      clock: systemClock,
      random: systemRandom,
      onNote: () => undefined,
    });
    // Once the first node has its data, that of the others cannot be written: they hold a token and no data.
    const isInitialised = (): boolean =>
      world.management.store.list('secrets').some(({ metadata }) => /-control-plane-\d$/.test(metadata.name));
    world.management.setFaults({
      ...plan,
      request: (info) => {
        if (blocked && isInitialised() && isNewSecret(info)) return { kind: 'status', code: 403 };
        return plan.request?.(info);
      },
      watchEvent: (info, event) => plan.watchEvent?.(info, event),
    });
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, world.kubeconfig, { mode: 0o600 });
    await world.populate();
    await spoil(world);
    const metrics = createMetrics();
    const operator = await startOperator({
      config: parseConfig(
        [
          `--kubeconfig=${kubeconfig}`,
          '--leader-elect',
          '--leader-elect-retry-period=200ms',
          `--webhook-port=${PORT}`,
          `--webhook-cert-dir=${folder}`,
          '--health-addr=',
          `--diagnostics-address=127.0.0.1:${PORT + 1}`,
          '--insecure-diagnostics',
          '--inspector-bind-address=',
          '--feature-gates=KubeadmBootstrapFormatIgnition=true',
        ],
        {},
      ),
      environment: {},
      clock: systemClock,
      random: systemRandom,
      log: silentLogger,
      metrics,
    });
    const scrape = async (): Promise<string> => (await fetch(`http://127.0.0.1:${PORT + 1}/metrics`)).text();
    try {
      const marked = /^kubeadm_bootstrap_marked_tokens_without_data (\d+)$/m;
      const seen = await until('a token without data', scrape, (text) => Number(marked.exec(text)?.[1]) > 0, 40_000);
      expect(Number(marked.exec(seen)?.[1])).toBeGreaterThan(0);
      blocked = false;
      const done = (text: string): boolean => Number(marked.exec(text)?.[1]) === 0 && /state="Done"\} [1-9]/.test(text);
      await until('data for every token', scrape, done, 40_000);
      mountCertificate(folder, 1, { cert: 'nonsense', key: 'nonsense' });
      const errors = async () => sum(await valuesOf(metrics, 'certwatcher_read_certificate_errors_total'));
      await until('the certificate is read', errors, (count) => count > 0);
      await askWebhook();
      await scrape();
      const all = (await metrics.registry.getMetricsAsJSON()) as MetricObjectWithValues<MetricValue<string>>[];
      const unfed = all
        .filter(({ values }) => values.length === 0 || values.every(isUntouched))
        .map(({ name }) => name);
      expect(unfed.filter((name) => !NOT_AT_THE_END.includes(name))).toEqual([]);
      expect(sum(await valuesOf(metrics, 'capi_reconcile_stale_cache_skips_total'))).toBeGreaterThan(0);
      expect(sum(await valuesOf(metrics, 'workqueue_retries_total'))).toBeGreaterThan(0);
    } finally {
      await operator.stop();
      await world.close();
      rmSync(folder, { recursive: true, force: true });
    }
  }, 120_000);
});

/** A metric without labels is 0 from the start: that is no value. */
function isUntouched({ labels, value }: MetricValue<string>): boolean {
  return Object.keys(labels).length === 0 && value === 0;
}

function isNewSecret({ userAgent, resource, verb }: RequestInfo): boolean {
  return userAgent.startsWith('kubeadm-bootstrap-operator') && resource === 'secrets' && verb === 'create';
}

/** A namespace for the Lease, and a stored actor that cannot be restored. */
async function spoil({ client }: DemoWorld): Promise<void> {
  const namespace = resourceOf(resources.Namespace);
  await client.create(namespace, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'capi-kubeadm-bootstrap-system' },
  });
  const config = { resource: resourceOf(resources.KubeadmConfig), namespace: 'demo', name: 'sample-worker-1' };
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const actor = { type: 'ActorState', status: 'True', reason: 'Joining', message: 'nonsense', lastTransitionTime };
  await client.mergePatch(config, { status: { conditions: [actor] } }, { subresource: 'status' });
}

/** A request that a webhook answers, whatever it is. */
async function askWebhook(): Promise<void> {
  const { request } = await import('node:https');
  await new Promise<void>((resolve, reject) => {
    const sent = request(
      { port: PORT, path: '/convert', method: 'POST', rejectUnauthorized: false },
      (response) => void response.resume().on('end', () => resolve()),
    );
    sent.on('error', reject);
    sent.end('{}');
  });
}
