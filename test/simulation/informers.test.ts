// Caches against a server whose answers break: whatever happens, in the end a cache shows what the server has, its listeners
// have been told the way there, and its indexes agree.
import { describe, expect, test } from '@jest/globals';
import { createEmbeddedApiServer } from '../../src/embedded/api-server.js';
import type { FaultPlan, RequestInfo } from '../../src/embedded/types.js';
import { resources } from '../../src/api/names.js';
import type { ApiClient, KubeObject } from '../../src/kube/contract.js';
import { createInProcessClient } from '../../src/kube/in-process-client.js';
import { createInformers } from '../../src/kube/informers.js';
import { createNameStream } from '../../src/kube/name-stream.js';
import { resourceOf } from '../../src/kube/resource-paths.js';
import { sized } from '../test-size.js';
import { createTestClock, type TestClock } from '../unit/kube/test-clock.js';

const secrets = resourceOf(resources.Secret);
const SEEDS = sized(6, 200);
const ROUNDS = 150;

function seededRandom(seed: number): { next(): number; bytes(count: number): Uint8Array } {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  return { next, bytes: (count) => Uint8Array.from({ length: count }, () => Math.floor(next() * 256)) };
}

/** Faults for readers alone: the writer of the test must know what it did. */
function faultsFor(random: { next(): number }): FaultPlan {
  const isReader = (info: RequestInfo): boolean => info.userAgent === 'reader';
  return {
    request(info) {
      if (!isReader(info)) return undefined;
      const dice = random.next();
      if (dice < 0.05) return { kind: 'drop-before' };
      if (dice < 0.08) return { kind: 'status', code: 429, retryAfterSeconds: 1 };
      if (dice < 0.1) return { kind: 'status', code: 500 };
      if (dice < 0.13 && (info.query.get('continue') ?? '') !== '') return { kind: 'status', code: 410 };
      if (dice < 0.16) return { kind: 'delay', ms: 500 };
      return undefined;
    },
    watchEvent(info) {
      if (!isReader(info)) return undefined;
      const dice = random.next();
      if (dice < 0.06) return { kind: 'close' };
      if (dice < 0.1) return { kind: 'break' };
      if (dice < 0.12) return { kind: 'gone' };
      if (dice < 0.2) return { kind: 'delay', ms: 2_000 };
      return undefined;
    },
  };
}

async function change(client: ApiClient, random: { next(): number }): Promise<void> {
  const name = `s${Math.floor(random.next() * 30)}`;
  const target = { resource: secrets, namespace: 'default', name };
  const labels = { color: random.next() < 0.5 ? 'red' : 'blue' };
  const dice = random.next();
  const ignore = (): undefined => undefined;
  if (dice < 0.4)
    await client
      .create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'default', labels } })
      .catch(ignore);
  else if (dice < 0.75) await client.mergePatch(target, { metadata: { labels } }).catch(ignore);
  else await client.delete(target).catch(ignore);
}

/** Moves time until the work is done. */
async function driven<T>(clock: TestClock, work: Promise<T>): Promise<T> {
  let done = false;
  void work.finally(() => (done = true));
  await clock.settle();
  while (!done) await clock.advance(500);
  return work;
}

describe('caches under faults', () => {
  test.each(Array.from({ length: SEEDS }, (_, index) => index + 1))(
    'seed %s: faults for a while, then none -> the cache is the server',
    async (seed) => {
      const random = seededRandom(seed);
      const clock = createTestClock();
      const server = createEmbeddedApiServer({ clock, random, watchHistoryMax: 40, faults: faultsFor(random) });
      const writer = createInProcessClient({ handle: server.handle, clock, userAgent: 'writer' });
      const reader = createInProcessClient({ handle: server.handle, clock, userAgent: 'reader' });
      const base = { client: reader, clock, random };
      const informers = createInformers(base);
      const cache = informers.declare<KubeObject>({
        resource: secrets,
        indexes: { color: ({ metadata }) => Object.values(metadata.labels ?? {}) },
      });
      const mirror = new Map<string, string>();
      cache.subscribe(({ type, before, after }) => {
        const name = (after ?? before)?.metadata.name ?? '';
        expect(mirror.get(name)).toBe(before?.metadata.resourceVersion);
        if (type === 'deleted') mirror.delete(name);
        else mirror.set(name, after?.metadata.resourceVersion ?? '');
      });
      const touched = new Set<string>();
      const names = createNameStream(base, { resource: secrets });
      const written = (): string[] => server.store.list('secrets').map(({ metadata }) => metadata.name);
      names.subscribe((note) =>
        note.kind === 'missed' ? written().forEach((name) => touched.add(name)) : touched.add(note.name),
      );
      const controller = new AbortController();
      informers.start(controller.signal);
      void names.run(controller.signal);

      for (let round = 0; round < ROUNDS; round += 1) {
        await change(writer, random);
        if (random.next() < 0.02) server.store.compact();
        if (random.next() < 0.02)
          server.store.closeWatches((['close', 'break', 'gone'] as const)[Math.floor(random.next() * 3)] ?? 'close');
        const name = `s${Math.floor(random.next() * 30)}`;
        const reading = informers.freshness
          .readLive({ kind: 'Secret', namespace: 'default', name }, controller.signal)
          .then(
            () => true,
            () => false,
          );
        const live = await driven(clock, reading);
        if (live)
          expect(cache.get('default', name)?.metadata.resourceVersion).toBe(
            server.store.get('secrets', 'default', name)?.metadata.resourceVersion,
          );
        await clock.advance(random.next() * 1_500);
      }
      server.setFaults(undefined);
      await clock.advance(120_000);

      const expected = new Map(
        server.store.list('secrets').map(({ metadata }) => [metadata.name, metadata.resourceVersion ?? '']),
      );
      expect(new Map(cache.list().map(({ metadata }) => [metadata.name, metadata.resourceVersion]))).toEqual(expected);
      expect(mirror).toEqual(expected);
      for (const color of ['red', 'blue']) {
        const wanted = server.store.list('secrets').filter(({ metadata }) => metadata.labels?.['color'] === color);
        expect(
          cache
            .byIndex('color', color)
            .map(({ metadata }) => metadata.name)
            .sort(),
        ).toEqual(wanted.map(({ metadata }) => metadata.name).sort());
      }
      expect([...expected.keys()].filter((name) => !touched.has(name))).toEqual([]);
      controller.abort();
      await clock.settle();
      await server.close();
      expect(clock.pending()).toBe(0);
    },
  );

  test('server that closes the watch after every event -> every event arrives without any time passing', async () => {
    const random = seededRandom(7);
    const clock = createTestClock();
    let sent = 0;
    const server = createEmbeddedApiServer({
      clock,
      random,
      faults: { watchEvent: () => ((sent += 1) % 2 === 0 ? { kind: 'close' } : undefined) },
    });
    const client = createInProcessClient({ handle: server.handle, clock });
    const informers = createInformers({ client, clock, random });
    const cache = informers.declare<KubeObject>({ resource: secrets });
    const controller = new AbortController();
    informers.start(controller.signal);
    await clock.settle();
    for (let index = 0; index < 50; index += 1) {
      await client.create(secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: `s${index}`, namespace: 'default' },
      });
      await clock.settle();
      await clock.settle();
    }
    expect([cache.list().length, clock.monotonicMs()]).toEqual([50, 0]);
    controller.abort();
    await clock.settle();
    await server.close();
  });
});
