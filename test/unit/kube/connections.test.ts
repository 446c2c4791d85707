import { describe, expect, test } from '@jest/globals';
import { resources } from '../../../src/api/names.js';
import { createStore } from '../../../src/kube/store.js';
import { step, unconnected, type ConnectionPhase } from '../../../src/kube/connection-state.js';
import {
  kubeconfigSecrets,
  KubeconfigUnreadError,
  type ClusterName,
  type KubeconfigSource,
} from '../../../src/kube/kubeconfig-secrets.js';
import type { NameChange } from '../../../src/kube/name-stream.js';
import type { CachedSecret } from '../../../src/kube/projections.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import {
  ConnectionError,
  createWorkloadConnections,
  type ClosableClient,
  type ConnectionObserver,
} from '../../../src/kube/workload-connections.js';
import type { ApiClient, WorkloadConnections } from '../../../src/kube/contract.js';
import { CONNECTIONS_MAX } from '../../../src/limits.js';
import { connectionObserver } from '../../../src/kube/observers.js';
import { silentLogger } from '../../../src/log.js';
import { createMetrics } from '../../../src/metrics.js';
import { failure } from './scripted-client.js';
import { createTestClock, fixedRandom, type TestClock } from './test-clock.js';

const cluster = { namespace: 'default', name: 'c1' };
const never = new AbortController().signal;

interface Attempt {
  readonly kubeconfig: string;
  readonly client: ClosableClient;
  succeed(): Promise<void>;
  fail(message: string): Promise<void>;
}

interface World {
  readonly clock: TestClock;
  readonly attempts: Attempt[];
  readonly connections: WorkloadConnections;
  readonly news: string[];
  readonly closed: string[];
  readonly reads: boolean[];
  /** What a call of any client does. */
  call: () => Promise<unknown>;
  /** The kubeconfig Secret, or null when there is none. */
  kubeconfig: string | null;
  changed(which?: ClusterName | null): Promise<void>;
  /** Outcome of asking for a client: `client N`, or the message. */
  ask(): Promise<string>;
}

function createWorld(observer?: ConnectionObserver): World {
  const clock = createTestClock();
  const attempts: Attempt[] = [];
  const closed: string[] = [];
  const reads: boolean[] = [];
  let tell: (cluster: ClusterName | null) => void = () => undefined;
  const source: KubeconfigSource = {
    read(_, { live }) {
      reads.push(live);
      return world.kubeconfig === null
        ? Promise.reject(new Error('error getting kubeconfig secret: not found'))
        : Promise.resolve(world.kubeconfig);
    },
    subscribe(listener) {
      tell = listener;
      return () => undefined;
    },
  };
  const connections = createWorkloadConnections({
    kubeconfigs: source,
    clock,
    random: fixedRandom(0.5),
    ...(observer === undefined ? {} : { observer }),
    connect: (kubeconfig) =>
      new Promise((resolve, reject) => {
        const id = String(attempts.length);
        const client = {
          id,
          get: () => world.call(),
          close() {
            closed.push(id);
            return Promise.resolve();
          },
        } as unknown as ClosableClient;
        attempts.push({
          kubeconfig,
          client,
          succeed() {
            resolve(client);
            return clock.settle();
          },
          fail(message) {
            reject(new Error(message));
            return clock.settle();
          },
        });
      }),
  });
  const news: string[] = [];
  connections.subscribe(({ name }) => news.push(`${name} ${connections.state(cluster).kind}`));
  const world: World = {
    clock,
    attempts,
    connections,
    news,
    closed,
    reads,
    call: () => Promise.resolve({}),
    kubeconfig: 'one',
    async changed(which: ClusterName | null = cluster) {
      tell(which);
      await clock.settle();
    },
    async ask() {
      const asking = connections.client(cluster, never).then(
        () => 'client',
        (error: Error) => error.message,
      );
      await clock.settle();
      return asking;
    },
  };
  return world;
}

const get = (client: ApiClient): Promise<unknown> =>
  client.get({ resource: resourceOf(resources.Secret), namespace: 'a', name: 'b' });

describe('connections: opening', () => {
  test('nobody asks -> nothing is opened', async () => {
    const { clock, attempts, connections } = createWorld();
    await clock.advance(600_000);
    expect([attempts.length, connections.state(cluster).kind, clock.pending()]).toEqual([0, 'none', 0]);
  });

  test('many ask at once -> one attempt, one client for all', async () => {
    const { clock, attempts, connections, news } = createWorld();
    const asking = Array.from({ length: 50 }, () => connections.client(cluster, never));
    await clock.settle();
    expect([attempts.length, connections.state(cluster).kind]).toEqual([1, 'connecting']);
    await attempts[0]?.succeed();
    expect(new Set(await Promise.all(asking)).size).toBe(1);
    expect(news).toEqual(['c1 connected']);
    await connections.client(cluster, never);
    expect(attempts).toHaveLength(1);
  });

  test('one of those who wait gives up -> the others get their client', async () => {
    const { clock, attempts, connections } = createWorld();
    const controller = new AbortController();
    const [one, two] = [connections.client(cluster, controller.signal), connections.client(cluster, never)];
    await clock.settle();
    controller.abort();
    await expect(one).rejects.toMatchObject({ failure: { kind: 'Aborted' } });
    await attempts[0]?.succeed();
    await expect(two).resolves.toBeDefined();
  });

  test('no kubeconfig -> the reason, without an attempt to connect', async () => {
    const world = createWorld();
    world.kubeconfig = null;
    expect(await world.ask()).toBe('error creating REST config: error getting kubeconfig secret: not found');
    expect(world.attempts).toHaveLength(0);
  });
});

describe('connections: failing', () => {
  test('failure -> one attempt per backoff of 1 s doubling to 30 s, as long as somebody asks, however many ask', async () => {
    const { clock, attempts, ask, connections } = createWorld();
    const startedMs: number[] = [];
    void ask();
    await clock.settle();
    for (let round = 0; round < 8; round += 1) {
      startedMs.push(clock.monotonicMs());
      await attempts.at(-1)?.fail('cluster is not reachable');
      const before = attempts.length;
      while (attempts.length === before) {
        const failed = await connections.client(cluster, never).catch((error: unknown) => error);
        expect(failed).toBeInstanceOf(ConnectionError);
        expect(failed).toMatchObject({
          message: 'cluster is not reachable',
          failure: { kind: 'NotConnected', target: { kind: 'Cluster', ...cluster } },
        });
        await clock.advance(100);
      }
    }
    expect(startedMs.map((at, index) => at - (startedMs[index - 1] ?? 0)).slice(1)).toEqual([
      1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
    ]);
  });

  test('nobody asks any more -> no further attempt after a minute, and the failure is forgotten', async () => {
    const { clock, attempts, ask, connections } = createWorld();
    void ask();
    await clock.settle();
    while (clock.monotonicMs() < 300_000) {
      if (connections.state(cluster).kind === 'connecting') await attempts.at(-1)?.fail('down');
      await clock.advance(1000);
    }
    expect(attempts.length).toBeLessThan(8);
    expect([connections.state(cluster).kind, clock.pending()]).toEqual(['none', 0]);
  });

  test('its kubeconfig Secret is deleted while it is connected -> closed, and told', async () => {
    const world = createWorld();
    const asked = world.ask();
    await world.clock.settle();
    await world.attempts[0]?.succeed();
    await asked;
    world.news.length = 0;
    world.kubeconfig = null;
    await world.changed();
    expect([world.closed, world.news, world.connections.state(cluster).kind]).toEqual([['0'], ['c1 none'], 'none']);
    expect(await world.ask()).toContain('error getting kubeconfig secret: not found');
  });

  test('more clusters than a thousand are in use -> each is connected; at four fifths of the bound it is said once', async () => {
    const crowded: number[] = [];
    const world = createWorld({ onCrowded: (connections) => crowded.push(connections) });
    for (let index = 0; index < CONNECTIONS_MAX * 0.8 + 5; index += 1)
      void world.connections
        .client({ namespace: 'default', name: `c${index}` }, new AbortController().signal)
        .catch(() => undefined);
    await world.clock.settle();
    expect(world.attempts).toHaveLength(CONNECTIONS_MAX * 0.8 + 5);
    expect(crowded).toEqual([CONNECTIONS_MAX * 0.8]);
  });

  test('success after failures -> those who wait are woken', async () => {
    const { clock, attempts, ask, news } = createWorld();
    void ask();
    await clock.settle();
    await attempts[0]?.fail('down');
    news.length = 0;
    await clock.advance(1000);
    await attempts[1]?.succeed();
    expect(news).toEqual(['c1 connected']);
  });

  test('failure -> its state with times of the wall clock', async () => {
    const { clock, attempts, ask, connections } = createWorld();
    void ask();
    await clock.advance(500);
    await attempts[0]?.fail('down');
    expect(connections.state(cluster)).toEqual({
      kind: 'failed',
      message: 'down',
      sinceMs: clock.nowMs(),
      retryAtMs: clock.nowMs() + 1000,
    });
  });

  test('kubeconfig after a failure -> read past the cache', async () => {
    const { clock, attempts, ask, reads } = createWorld();
    void ask();
    await clock.settle();
    await attempts[0]?.fail('down');
    await clock.advance(1000);
    expect(reads).toEqual([false, true]);
  });
});

describe('connections: kubeconfig', () => {
  const connected = async (): Promise<World> => {
    const world = createWorld();
    void world.ask();
    await world.clock.settle();
    await world.attempts[0]?.succeed();
    world.news.length = 0;
    return world;
  };

  test('changed while connected -> the connection ends at once, the next who asks gets a new one', async () => {
    const world = await connected();
    world.kubeconfig = 'two';
    await world.changed();
    expect([world.connections.state(cluster).kind, world.closed, world.news]).toEqual(['none', ['0'], ['c1 none']]);
    void world.ask();
    await world.clock.settle();
    expect(world.attempts[1]?.kubeconfig).toBe('two');
  });

  test('any may have changed -> every connection looks', async () => {
    const world = await connected();
    world.kubeconfig = 'two';
    await world.changed(null);
    expect(world.connections.state(cluster).kind).toBe('none');
  });

  test('Secret that changed in other ways -> the connection stays', async () => {
    const world = await connected();
    await world.changed();
    expect([world.connections.state(cluster).kind, world.news]).toEqual(['connected', []]);
  });

  test('changed during a backoff -> an attempt at once', async () => {
    const world = createWorld();
    void world.ask();
    await world.clock.settle();
    await world.attempts[0]?.fail('down');
    world.kubeconfig = 'two';
    await world.changed();
    expect(world.attempts[1]?.kubeconfig).toBe('two');
  });

  test('that appears -> an attempt at once', async () => {
    const world = createWorld();
    world.kubeconfig = null;
    await world.ask();
    world.kubeconfig = 'one';
    await world.changed();
    expect(world.attempts).toHaveLength(1);
  });

  test('changed during an attempt -> whatever comes of it, another with the new one, and those who wait get that', async () => {
    const world = createWorld();
    const asking = world.connections.client(cluster, never);
    await world.clock.settle();
    world.kubeconfig = 'two';
    await world.changed();
    await world.attempts[0]?.succeed();
    expect([world.attempts[1]?.kubeconfig, world.connections.state(cluster).kind]).toEqual(['two', 'connecting']);
    await world.attempts[1]?.succeed();
    await expect(asking).resolves.toBeDefined();
  });

  test('401 on a connection that had worked -> ended at once, the next attempt reads the Secret live', async () => {
    const world = await connected();
    await world.clock.advance(20_000);
    const client = await world.connections.client(cluster, never);
    world.call = () => Promise.reject(failure('Unauthorized'));
    await expect(get(client)).rejects.toMatchObject({ failure: { kind: 'Unauthorized' } });
    expect([world.connections.state(cluster).kind, world.news, world.closed]).toEqual(['none', ['c1 none'], ['0']]);
    void world.ask();
    await world.clock.settle();
    expect([world.attempts.length, world.reads.at(-1)]).toEqual([2, true]);
  });

  test('401 on a connection that is brand new -> backs off', async () => {
    const world = await connected();
    const client = await world.connections.client(cluster, never);
    world.call = () => Promise.reject(failure('Unauthorized'));
    await get(client).catch(() => undefined);
    expect(world.connections.state(cluster).kind).toBe('failed');
  });
});

describe('connections: closing', () => {
  test('nobody uses it for a minute -> closed', async () => {
    const { clock, attempts, ask, connections, closed } = createWorld();
    void ask();
    await clock.settle();
    await attempts[0]?.succeed();
    await clock.advance(59_999);
    await connections.client(cluster, never);
    await clock.advance(59_999);
    expect(connections.state(cluster).kind).toBe('connected');
    await clock.advance(1);
    expect([connections.state(cluster).kind, closed, clock.pending()]).toEqual(['none', ['0'], 0]);
  });

  test.each(['connected', 'failed'])('its cluster is gone, when it was %s -> its metrics go, too', async (outcome) => {
    const metrics = createMetrics();
    const { clock, attempts, ask } = createWorld(connectionObserver(metrics, silentLogger));
    const shown = async (): Promise<readonly string[]> =>
      (await metrics.text()).split('\n').filter((line) => line.includes('cluster_name="c1"'));
    void ask();
    await clock.settle();
    await (outcome === 'connected' ? attempts[0]?.succeed() : attempts[0]?.fail('no such host'));
    const labels = 'cluster_name="c1",cluster_namespace="default"';
    const value = outcome === 'connected' ? 1 : 0;
    expect(await shown()).toEqual([
      `capi_cluster_cache_connection_up{${labels}} ${value}`,
      `capi_cluster_cache_healthcheck{${labels}} ${value}`,
      `capi_cluster_cache_healthchecks_total{${labels},status="${value === 1 ? 'success' : 'error'}"} 1`,
    ]);
    for (let passed = 0; passed < 180_000; passed += 10_000) {
      await clock.advance(10_000);
      await attempts.at(-1)?.fail('no such host');
    }
    expect(await shown()).toEqual([]);
  });

  test('a call that runs for long -> keeps it open, and open a minute after', async () => {
    const world = createWorld();
    const { clock, attempts, ask, connections } = world;
    void ask();
    await clock.settle();
    await attempts[0]?.succeed();
    let finish = (_: unknown): void => undefined;
    world.call = () => new Promise((resolve) => (finish = resolve));
    const call = get(await connections.client(cluster, never));
    await clock.advance(600_000);
    expect(connections.state(cluster).kind).toBe('connected');
    finish({});
    await call;
    await clock.advance(119_999);
    expect(connections.state(cluster).kind).toBe('none');
  });

  test('connection that ends during a call -> the call goes on, and the last one closes the client', async () => {
    const world = createWorld();
    void world.ask();
    await world.clock.settle();
    await world.attempts[0]?.succeed();
    let finish = (_: unknown): void => undefined;
    world.call = () => new Promise((resolve) => (finish = resolve));
    const call = get(await world.connections.client(cluster, never));
    world.kubeconfig = 'two';
    await world.changed();
    expect(world.closed).toEqual([]);
    finish('done');
    expect(await call).toBe('done');
    expect(world.closed).toEqual(['0']);
  });

  test('close -> ends everything, no timer stays', async () => {
    const { clock, attempts, ask, connections, closed } = createWorld();
    void ask();
    await clock.settle();
    await attempts[0]?.succeed();
    await connections.close();
    expect([closed, clock.pending()]).toEqual([['0'], 0]);
  });
});

describe('connections: states', () => {
  test('any happening in any phase -> a phase, and no attempt that nobody asked for', () => {
    const phases: ConnectionPhase[] = [
      unconnected,
      { kind: 'connecting', failures: 0, outdated: false, fresh: false },
      { kind: 'connected', failures: 0, sinceMs: 0 },
      { kind: 'failed', failures: 3, message: 'x', sinceMs: 0, retryAtMs: 1000 },
    ];
    const quiet = ['succeeded', 'idle'] as const;
    for (const phase of phases) {
      for (const kind of quiet)
        expect(step(phase, { kind }, { ms: 500, random: 0.5 }).kind === 'connecting').toBe(
          phase.kind === 'connecting' && kind === 'idle',
        );
      expect(step(phase, { kind: 'kubeconfig-changed' }, { ms: 500, random: 0.5 }).kind).toBe(
        phase.kind === 'failed' || phase.kind === 'connecting' ? 'connecting' : 'none',
      );
    }
  });

  test.each([
    [0, 1000],
    [0.999, 1200],
  ])('first backoff with random %s -> %s ms', (random, ms) => {
    const phase = step(
      { kind: 'connecting', failures: 0, outdated: false, fresh: false },
      { kind: 'failed', message: 'x' },
      { ms: 0, random },
    );
    expect(Math.round((phase as { retryAtMs: number }).retryAtMs / 10) * 10).toBe(ms);
  });
});

describe('kubeconfig secrets', () => {
  const secretResource = resourceOf(resources.Secret);
  const secret = (name: string, value: string | undefined, resourceVersion: string): CachedSecret => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'default', resourceVersion },
    ...(value === undefined ? {} : { data: { value: Buffer.from(value).toString('base64') } }),
  });
  const sourceWith = (live: () => Promise<CachedSecret>, ...cached: CachedSecret[]) => {
    const cache = createStore<CachedSecret>({ resource: secretResource });
    cache.replace(cached, '10', { mark: 0, consistent: true });
    const calls: string[] = [];
    let tellName: (change: NameChange) => void = () => undefined;
    const client = { get: ({ name }: { name: string }) => (calls.push(name), live()) } as unknown as ApiClient;
    const names = {
      subscribe: (listener: typeof tellName) => ((tellName = listener), () => undefined),
      run: () => Promise.resolve(),
      problem: () => null,
    };
    return {
      source: kubeconfigSecrets({ client, secret: secretResource, cache, names }),
      cache,
      calls,
      tellName: (change: NameChange) => tellName(change),
    };
  };
  const read = (source: KubeconfigSource, live = false): Promise<string> =>
    source.read(cluster, { live, signal: never });

  test('labelled -> from the cache; unlabelled or asked for -> live', async () => {
    const labelled = sourceWith(
      () => Promise.resolve(secret('c1-kubeconfig', 'live', '11')),
      secret('c1-kubeconfig', 'cached', '5'),
    );
    expect([await read(labelled.source), labelled.calls]).toEqual(['cached', []]);
    expect(await read(labelled.source, true)).toBe('live');
    const unlabelled = sourceWith(() => Promise.resolve(secret('c1-kubeconfig', 'live', '11')));
    expect([await read(unlabelled.source), unlabelled.calls]).toEqual(['live', ['c1-kubeconfig']]);
  });

  test('missing key, and missing Secret -> the reason', async () => {
    await expect(
      read(sourceWith(() => Promise.resolve(secret('c1-kubeconfig', undefined, '1'))).source),
    ).rejects.toThrow('error getting kubeconfig secret: missing key "value" in secret data');
    const missing = sourceWith(() =>
      Promise.reject(failure('NotFound', { message: 'secrets "c1-kubeconfig" not found' })),
    );
    await expect(read(missing.source)).rejects.toThrow(
      'error getting kubeconfig secret: secrets "c1-kubeconfig" not found',
    );
  });

  test.each([
    ['NotFound', false],
    ['Unavailable', true],
    ['Forbidden', true],
  ] as const)('a live read ends with %s -> told apart: unread is %s', async (kind, isUnread) => {
    const { source } = sourceWith(() => Promise.reject(failure(kind)));
    const error = await read(source).catch((thrown: unknown) => thrown);
    expect(error instanceof KubeconfigUnreadError).toBe(isUnread);
  });

  test('changes in the cache and names of the stream -> the cluster is told; other Secrets are not', () => {
    const { source, cache, tellName } = sourceWith(() => Promise.reject(failure('NotFound')));
    const told: string[] = [];
    source.subscribe((changed) => told.push(changed === null ? 'any' : `${changed.namespace}/${changed.name}`));
    cache.apply('ADDED', secret('c1-kubeconfig', 'x', '11'));
    cache.apply('ADDED', secret('c1-ca', 'x', '12'));
    tellName({ kind: 'changed', namespace: 'default', name: 'c2-kubeconfig' });
    tellName({ kind: 'changed', namespace: 'default', name: 'other' });
    tellName({ kind: 'missed' });
    expect(told).toEqual(['default/c1', 'default/c2', 'any']);
  });
});
