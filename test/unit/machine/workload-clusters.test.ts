// Many workload clusters that are opened at once.
import { getEventListeners, getMaxListeners } from 'node:events';
import { describe, expect, test } from '@jest/globals';
import { createWorkloadClusters } from '../../../src/controllers/machine/workload/workload-clusters.js';
import type { ApiClient, WorkloadConnections } from '../../../src/kube/contract.js';
import { silentLogger } from '../../../src/log.js';
import { createTestClock, fixedRandom } from '../kube/test-clock.js';

/** Connections that come up when told to: until then everybody who asks waits on its signal. */
function slowConnections() {
  const signals = new Set<AbortSignal>();
  const failures: (() => void)[] = [];
  const connections: Partial<WorkloadConnections> = {
    client: (_cluster, signal) =>
      new Promise<ApiClient>((_resolve, reject) => {
        const onAbort = (): void => reject(new Error('given up'));
        signals.add(signal);
        signal.addEventListener('abort', onAbort);
        failures.push(() => {
          signal.removeEventListener('abort', onAbort);
          reject(new Error('no route to host'));
        });
      }),
    state: () => ({ kind: 'connecting' }),
    subscribe: () => () => undefined,
  };
  return { connections: connections as WorkloadConnections, signals, failures };
}

/** How many listeners a signal takes without a warning. Where that has no limit, Node has no answer. */
function limitOf(signal: AbortSignal): number {
  try {
    return getMaxListeners(signal);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

const waiting = (signals: ReadonlySet<AbortSignal>): readonly number[] =>
  [...signals].map((signal) => getEventListeners(signal, 'abort').length);

describe('workload clusters', () => {
  test('a thousand connect at once -> no signal warns of a leak, and none is left with a listener', async () => {
    const { connections, signals, failures } = slowConnections();
    const clock = createTestClock();
    const clusters = createWorkloadClusters({ connections, clock, random: fixedRandom(), log: silentLogger });
    for (let index = 0; index < 1_000; index += 1) clusters.open({ namespace: 'default', name: `c${index}` });
    expect(failures).toHaveLength(1_000);
    for (const signal of signals)
      expect(limitOf(signal)).toBeGreaterThanOrEqual(getEventListeners(signal, 'abort').length);
    for (const fail of failures) fail();
    await new Promise((resolve) => void setImmediate(resolve));
    expect(waiting(signals).every((count) => count === 0)).toBe(true);
    clusters.stop();
  });
});
