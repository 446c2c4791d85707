// What hosts tell, as the numbers that a scrape shows.

import { describe, expect, test } from '@jest/globals';
import { hostMetrics, observeHost } from '../../../src/cli/host-metrics.js';
import { createMetrics } from '../../../src/metrics.js';
import { apiError, createToyWorld, type toyController } from '../host/toy-controller.js';
import { other, toyHost } from '../host/toy-host.js';

/** A toy host that feeds metrics, and the value of each line of the page. */
function measured(
  change: Parameters<typeof toyController>[1] = {},
  options: Parameters<typeof toyHost>[1] = {},
  world = createToyWorld(),
) {
  const metrics = createMetrics();
  const toy = toyHost(change, { observers: [hostMetrics(metrics, 'toy')], ...options }, world);
  const page = async (): Promise<ReadonlyMap<string, number>> => {
    observeHost(metrics, 'toy', toy.host, toy.clock.monotonicMs());
    const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return new Map(lines.map((line) => [line.replace(/ \S+$/, ''), Number(line.split(' ').at(-1))]));
  };
  return { ...toy, metrics, page };
}

const never = (): Promise<never> => new Promise(() => undefined);
const both = '{name="toy",controller="toy"}';
const effects = (make: () => Promise<{ readonly type: 'MADE'; readonly learned: object }>) =>
  ({ effects: { make, check: async () => ({ type: 'CHECKED', learned: {} }) } }) as never;

describe('metrics of hosts', () => {
  test('before anything happened: -> counters of turns are there with 0, so that alerts see the first increase', async () => {
    const seen = await measured().page();
    for (const result of ['success', 'error', 'requeue', 'requeue_after']) {
      expect(seen.get(`controller_runtime_reconcile_total{controller="toy",result="${result}"}`)).toBe(0);
    }
    for (const name of ['errors', 'panics', 'timeouts']) {
      expect(seen.get(`controller_runtime_reconcile_${name}_total{controller="toy"}`)).toBe(0);
    }
  });

  test('two turns that run: 3 s and 1 s -> two workers, 4 s unfinished, the longest 3 s; afterwards 0', async () => {
    const ends: (() => void)[] = [];
    const { world, clock, page } = measured(
      effects(async () => {
        await new Promise<void>((resolve) => ends.push(resolve));
        return { type: 'MADE', learned: { made: true } };
      }),
    );
    world.put('a', { ready: true });
    await clock.advance(2_000);
    world.put('b', { ready: true });
    await clock.advance(1_000);
    const seen = await page();
    expect(seen.get('controller_runtime_active_workers{controller="toy"}')).toBe(2);
    expect(seen.get(`workqueue_unfinished_work_seconds${both}`)).toBeCloseTo(4);
    expect(seen.get(`workqueue_longest_running_processor_seconds${both}`)).toBeCloseTo(3);
    ends.forEach((end) => end());
    await clock.settle();
    const after = await page();
    expect(after.get('controller_runtime_active_workers{controller="toy"}')).toBe(0);
    expect(after.get(`workqueue_unfinished_work_seconds${both}`)).toBe(0);
    expect(after.get(`workqueue_longest_running_processor_seconds${both}`)).toBe(0);
  });

  test('keys that wait: changed ones and listed ones -> the depth of each priority, under controller-runtime’s names', async () => {
    const { world, clock, host, page } = measured(effects(never), { concurrency: 1 });
    for (const key of ['a', 'b', 'c']) world.put(key, { ready: true });
    await clock.settle();
    for (const key of ['d', 'e', 'f']) host.wake(key, { kind: 'sync' });
    const seen = await page();
    expect(seen.get('workqueue_depth{name="toy",controller="toy",priority="0"}')).toBe(2);
    expect(seen.get('workqueue_depth{name="toy",controller="toy",priority="-100"}')).toBe(3);
  });

  test('a turn that throws what nobody expected: -> a panic and an error', async () => {
    const { world, clock, page } = measured(
      effects(async () => {
        throw new TypeError('a bug');
      }),
    );
    world.put('a', { ready: true });
    await clock.settle();
    const seen = await page();
    expect(seen.get('controller_runtime_reconcile_panics_total{controller="toy"}')).toBe(1);
    expect(seen.get('controller_runtime_reconcile_errors_total{controller="toy"}')).toBe(1);
  });

  test('an expected failure: -> an error, no panic', async () => {
    const { world, clock, page } = measured(
      effects(async () => {
        throw apiError('Unavailable');
      }),
    );
    world.put('a', { ready: true });
    await clock.settle();
    const seen = await page();
    expect(seen.get('controller_runtime_reconcile_panics_total{controller="toy"}')).toBe(0);
    expect(seen.get('controller_runtime_reconcile_errors_total{controller="toy"}')).toBe(1);
  });

  test('an effect that does not end: its time is up -> one timeout; a stop of the host -> none', async () => {
    const slow = measured(effects(never));
    slow.world.put('a', { ready: true });
    await slow.clock.advance(9_999);
    expect((await slow.page()).get('controller_runtime_reconcile_timeouts_total{controller="toy"}')).toBe(0);
    await slow.clock.advance(1);
    expect((await slow.page()).get('controller_runtime_reconcile_timeouts_total{controller="toy"}')).toBe(1);

    const stopped = measured(effects(never));
    stopped.world.put('a', { ready: true });
    await stopped.clock.settle();
    const end = stopped.host.stop({ graceMs: 0 });
    await stopped.clock.advance(60_000);
    await end;
    expect((await stopped.page()).get('controller_runtime_reconcile_timeouts_total{controller="toy"}')).toBe(0);
  });

  test('a cache that lags behind our own write: -> one wait, by kind', async () => {
    const { world, clock, host, page } = measured();
    world.put('a', { ready: true });
    world.isLagging = true;
    await clock.settle();
    host.wake('a', other);
    await clock.settle();
    const name = 'capi_reconcile_stale_cache_skips_total{controller="toy",cached_kind="Toy"}';
    expect((await page()).get(name)).toBe(1);
  });

  test('a snapshot that is written: -> its size as stored; a look that changes nothing -> no more', async () => {
    const { world, clock, host, page } = measured();
    world.put('a', { ready: true });
    await clock.settle();
    const stored = world.objects.get('a')?.snapshot ?? '';
    const first = await page();
    expect(world.writes.filter((write) => write.includes('status'))).toHaveLength(1);
    expect(first.get('kubeadm_bootstrap_snapshot_bytes_count{controller="toy"}')).toBe(1);
    expect(first.get('kubeadm_bootstrap_snapshot_bytes_sum{controller="toy"}')).toBe(Buffer.byteLength(stored));
    for (let look = 0; look < 3; look += 1) {
      host.wake('a', other);
      await clock.settle();
    }
    const writes = world.writes.filter((write) => write.includes('status')).length;
    expect(writes).toBeLessThan(4);
    expect((await page()).get('kubeadm_bootstrap_snapshot_bytes_count{controller="toy"}')).toBe(writes);
  });

  test('stored snapshots that cannot be used: -> counted once a life, by reason', async () => {
    const { world, clock, page } = measured();
    world.put('a', { ready: true, snapshot: 'nonsense' });
    world.put('b', { ready: true, snapshot: '{"v":2}' });
    await clock.settle();
    const seen = await page();
    const name = (reason: string) => `kubeadm_bootstrap_snapshots_discarded_total{controller="toy",reason="${reason}"}`;
    expect(seen.get(name('not JSON'))).toBe(1);
    expect(seen.get(name('unknown version'))).toBe(1);
  });
});
