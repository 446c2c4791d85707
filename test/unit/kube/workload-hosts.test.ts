import { describe, expect, test } from '@jest/globals';
import { throttleObserver, workloadHosts } from '../../../src/kube/observers.js';
import { silentLogger } from '../../../src/log.js';
import { createMetrics, type Metrics } from '../../../src/metrics.js';

const answer = { verb: 'get', tookMs: 3, host: 'https://one' };

async function hostsOf({ registry }: Metrics): Promise<readonly string[]> {
  const hosts = (await registry.getMetricsAsJSON()).flatMap(({ values }) =>
    values.map(({ labels }) => (labels as { readonly host?: string }).host ?? ''),
  );
  return [...new Set(hosts)].filter((host) => host !== '').toSorted();
}

describe('series of workload hosts', () => {
  test('the last client of a host is closed: -> its series go, those of others stay', async () => {
    const metrics = createMetrics();
    const hosts = workloadHosts(metrics, silentLogger, 'https://management');
    const closeFirst = hosts.opened('https://one');
    const closeSecond = hosts.opened('https://one');
    hosts.opened('https://two');
    hosts.opened('https://management')();
    for (const host of ['https://one', 'https://two', 'https://management']) {
      throttleObserver(metrics)(host)(1);
      for (const method of ['GET', 'POST']) {
        hosts.observer.onAnswer?.({ ...answer, method, host, code: '200' });
        hosts.observer.onAnswer?.({ ...answer, method, host, code: '<error>' });
      }
    }
    closeFirst();
    closeFirst();
    expect(await hostsOf(metrics)).toEqual(['https://management', 'https://one', 'https://two']);
    closeSecond();
    expect(await hostsOf(metrics)).toEqual(['https://management', 'https://two']);
    hosts.observer.onAnswer?.({ ...answer, method: 'GET', code: '200' });
    expect(await hostsOf(metrics)).toEqual(['https://management', 'https://two']);
  });
});
