import { createRequire } from 'node:module';
import type { monitorEventLoopDelay } from 'node:perf_hooks';
import { describe, expect, test } from '@jest/globals';
import { createMetrics } from '../../src/metrics.js';

const performanceHooks = createRequire(import.meta.url)('node:perf_hooks') as {
  monitorEventLoopDelay: typeof monitorEventLoopDelay;
};

describe('metrics', () => {
  test('page: names that dashboards of the Go manager read -> present with their labels', async () => {
    const metrics = createMetrics();
    metrics.reconcileTotal.inc({ controller: 'kubeadmconfig', result: 'success' });
    metrics.requests.inc({ code: '200', method: 'GET', host: 'example:6443' });
    metrics.connectionUp.set({ cluster_name: 'c1', cluster_namespace: 'default' }, 1);
    metrics.queueDepth.set({ name: 'kubeadmconfig', controller: 'kubeadmconfig', priority: '0' }, 3);
    const text = await metrics.text();
    expect(text).toContain('controller_runtime_reconcile_total{controller="kubeadmconfig",result="success"} 1');
    expect(text).toContain('rest_client_requests_total{code="200",method="GET",host="example:6443"} 1');
    expect(text).toContain('capi_cluster_cache_connection_up{cluster_name="c1",cluster_namespace="default"} 1');
    expect(text).toContain('workqueue_depth{name="kubeadmconfig",controller="kubeadmconfig",priority="0"} 3');
  });

  test('registries: two processes in one test -> apart', async () => {
    const [one, two] = [createMetrics(), createMetrics()];
    one.queueAdds.inc({ name: 'a', controller: 'a' });
    expect(await two.text()).not.toContain('workqueue_adds_total{');
  });

  test('process metrics: the event loop -> measured when the page is read, by no timer of a few milliseconds', async () => {
    const resolutions: (number | undefined)[] = [];
    const watchLoop = performanceHooks.monitorEventLoopDelay;
    performanceHooks.monitorEventLoopDelay = (options) => {
      resolutions.push(options?.resolution);
      return watchLoop(options);
    };
    try {
      const text = await createMetrics({ processMetrics: true }).text();
      expect(resolutions).toHaveLength(1);
      expect(resolutions.filter((each) => each === undefined || each < 60_000)).toEqual([]);
      expect(text).toContain('nodejs_eventloop_lag_seconds');
      expect(text).not.toMatch(/nodejs_eventloop_lag_(min|max|mean|stddev|p\d+)_seconds/);
    } finally {
      performanceHooks.monitorEventLoopDelay = watchLoop;
    }
  });

  test('process metrics: asked for -> present', async () => {
    expect(await createMetrics({ processMetrics: true }).text()).toContain('process_cpu_seconds_total');
  });
});
