import { generateKeyPairSync } from 'node:crypto';

import { describe, expect, test } from '@jest/globals';

import { generateKeyPair } from '../../src/bootstrap/certificates/keys.js';
import { createKeyPool } from '../../src/bootstrap/certificates/key-pool.js';
import { PREPARED_SETS_MAX } from '../../src/bootstrap/certificates/key-pool-limits.js';
import type { EncryptionAlgorithm, GeneratedKey } from '../../src/bootstrap/certificates/types.js';

const material = generateKeyPairSync('ec', { namedCurve: 'P-256' });

/** A generator whose keys finish when the test says so, oldest first. */
function handGenerator() {
  const started: EncryptionAlgorithm[] = [];
  const finishers: ((error?: Error) => void)[] = [];
  return {
    started,
    running: () => finishers.length,
    generate: (algorithm: EncryptionAlgorithm): Promise<GeneratedKey> => {
      started.push(algorithm);
      return new Promise((resolve, reject) => {
        finishers.push((error) => (error ? reject(error) : resolve({ algorithm, ...material })));
      });
    },
    async finish(error?: Error): Promise<void> {
      finishers.shift()?.(error);
      for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    },
  };
}

const live = (): AbortSignal => new AbortController().signal;

describe('keys', () => {
  test('upstream bug 76: an RSA key -> the event loop goes on while it is made', async () => {
    const nextTurn = new Promise((resolve) => setImmediate(() => resolve('the loop')));
    const key = generateKeyPair('RSA-2048');
    expect(await Promise.race([key.then(() => 'the key'), nextTurn])).toBe('the loop');
    expect((await key).privateKey.type).toBe('private');
  });
});

describe('key pool', () => {
  test('concurrency: many requests -> never more than two keys are being made', async () => {
    const hand = handGenerator();
    const pool = createKeyPool(hand);
    const answers = [1, 2, 3].map((n) =>
      pool.take({ owner: `ns/c${n}`, algorithm: 'RSA-2048', count: 4, signal: live() }),
    );
    while (hand.running() > 0) {
      expect(hand.running()).toBeLessThanOrEqual(2);
      await hand.finish();
    }
    expect(hand.started).toHaveLength(12);
    for (const answer of await Promise.all(answers)) {
      expect(answer.kind === 'generated' && answer.keys.length).toBe(4);
    }
    expect(pool.load()).toEqual({ running: 0, waiting: 0, preparedSets: 0 });
  });

  test('fairness: a cluster that asks later -> is served in turns with the one that asked for much', async () => {
    const hand = handGenerator();
    const pool = createKeyPool(hand);
    void pool.take({ owner: 'ns/big', algorithm: 'RSA-4096', count: 8, signal: live() });
    void pool.take({ owner: 'ns/small', algorithm: 'ECDSA-P256', count: 2, signal: live() });
    for (let n = 0; n < 4; n += 1) await hand.finish();
    expect(hand.started).toEqual(['RSA-4096', 'RSA-4096', 'ECDSA-P256', 'RSA-4096', 'ECDSA-P256', 'RSA-4096']);
  });

  test('order: a burst of clusters -> sets are finished in the order of asking, not all at last', async () => {
    const hand = handGenerator();
    const pool = createKeyPool(hand);
    const finished: { owner: string; made: number }[] = [];
    let made = 0;
    for (const owner of ['ns/c0', 'ns/c1', 'ns/c2', 'ns/c3']) {
      const answer = pool.take({ owner, algorithm: 'RSA-2048', count: 4, signal: live() });
      void answer.then(() => finished.push({ owner, made }));
    }
    for (; hand.running() > 0; await hand.finish()) made += 1;
    expect(finished.map(({ owner }) => owner)).toEqual(['ns/c0', 'ns/c1', 'ns/c2', 'ns/c3']);
    // Two places: the first two are done when the keys of two sets are, or little later.
    expect(finished[1]?.made).toBeLessThanOrEqual(10);
  });

  test('abort: a waiting request -> answered at once, its running keys go to nobody else, the rest is not made', async () => {
    const hand = handGenerator();
    const pool = createKeyPool(hand);
    const controller = new AbortController();
    const answer = pool.take({ owner: 'ns/a', algorithm: 'RSA-2048', count: 4, signal: controller.signal });
    const other = pool.take({ owner: 'ns/b', algorithm: 'RSA-2048', count: 1, signal: live() });
    controller.abort();
    expect(await answer).toEqual({ kind: 'aborted' });
    expect(hand.running()).toBe(2);
    await hand.finish();
    await hand.finish();
    await hand.finish();
    expect((await other).kind).toBe('generated');
    expect(hand.started).toHaveLength(3);
    expect(pool.load()).toEqual({ running: 0, waiting: 0, preparedSets: 0 });
  });

  test('abort: a second request of the same cluster -> inherits the keys that are being made', async () => {
    const hand = handGenerator();
    const pool = createKeyPool(hand);
    const controller = new AbortController();
    const first = pool.take({ owner: 'ns/a', algorithm: 'RSA-2048', count: 2, signal: controller.signal });
    const second = pool.take({ owner: 'ns/a', algorithm: 'RSA-2048', count: 2, signal: live() });
    controller.abort();
    await hand.finish();
    await hand.finish();
    expect((await first).kind).toBe('aborted');
    expect((await second).kind).toBe('generated');
    expect(hand.started).toHaveLength(2);
  });

  test('failure: the platform refuses -> that request fails with the reason, the next one is served', async () => {
    const hand = handGenerator();
    const pool = createKeyPool({ ...hand, runningMax: 1 });
    const first = pool.take({ owner: 'ns/a', algorithm: 'RSA-2048', count: 2, signal: live() });
    const second = pool.take({ owner: 'ns/a', algorithm: 'RSA-2048', count: 1, signal: live() });
    await hand.finish(new Error('no entropy'));
    expect(await first).toEqual({ kind: 'failed', message: 'RSA-2048 key generation failed: no entropy' });
    await hand.finish();
    expect((await second).kind).toBe('generated');
  });

  test('prepare: a set ahead of need -> take answers without making another key, and only once', async () => {
    const hand = handGenerator();
    const pool = createKeyPool(hand);
    expect(pool.prepare('ns/a', 'RSA-2048')).toBe(true);
    expect(pool.prepare('ns/a', 'RSA-2048')).toBe(true);
    while (hand.running() > 0) await hand.finish();
    expect(hand.started).toHaveLength(4);
    expect(pool.load().preparedSets).toBe(1);
    const first = await pool.take({ owner: 'ns/a', algorithm: 'RSA-2048', count: 4, signal: live() });
    expect(first.kind).toBe('generated');
    expect(pool.load()).toEqual({ running: 0, waiting: 0, preparedSets: 0 });
    void pool.take({ owner: 'ns/a', algorithm: 'RSA-2048', count: 1, signal: live() });
    expect(hand.started).toHaveLength(5);
  });

  test('prepare: half made when needed -> the rest is waited for, nothing is made twice', async () => {
    const hand = handGenerator();
    const pool = createKeyPool(hand);
    pool.prepare('ns/a', 'RSA-2048');
    await hand.finish();
    const answer = pool.take({ owner: 'ns/a', algorithm: 'RSA-2048', count: 4, signal: live() });
    while (hand.running() > 0) await hand.finish();
    expect((await answer).kind).toBe('generated');
    expect(hand.started).toHaveLength(4);
  });

  test('prepare: somebody waits -> the waiting one comes first', async () => {
    const hand = handGenerator();
    const pool = createKeyPool({ ...hand, runningMax: 1 });
    pool.prepare('ns/a', 'RSA-2048');
    void pool.take({ owner: 'ns/b', algorithm: 'ECDSA-P384', count: 2, signal: live() });
    for (let n = 0; n < 3; n += 1) await hand.finish();
    expect(hand.started).toEqual(['RSA-2048', 'ECDSA-P384', 'ECDSA-P384', 'RSA-2048']);
  });

  test('prepare: the bound on sets is reached -> refused; forgetting one makes room', () => {
    const pool = createKeyPool(handGenerator());
    for (let n = 0; n < PREPARED_SETS_MAX; n += 1) expect(pool.prepare(`ns/c${n}`, 'RSA-2048')).toBe(true);
    expect(pool.prepare('ns/one-more', 'RSA-2048')).toBe(false);
    pool.forget('ns/c3');
    expect(pool.prepare('ns/one-more', 'RSA-2048')).toBe(true);
    expect(pool.load().preparedSets).toBe(PREPARED_SETS_MAX);
  });

  test('forget: keys in the making -> are dropped when they are done', async () => {
    const hand = handGenerator();
    const pool = createKeyPool(hand);
    pool.prepare('ns/a', 'RSA-2048');
    pool.forget('ns/a');
    while (hand.running() > 0) await hand.finish();
    expect(hand.started).toHaveLength(2);
    expect(pool.load()).toEqual({ running: 0, waiting: 0, preparedSets: 0 });
  });

  test('close: requests waiting -> aborted, and so is every later one', async () => {
    const hand = handGenerator();
    const pool = createKeyPool(hand);
    const answer = pool.take({ owner: 'ns/a', algorithm: 'RSA-2048', count: 4, signal: live() });
    pool.close();
    expect(await answer).toEqual({ kind: 'aborted' });
    expect(await pool.take({ owner: 'ns/a', algorithm: 'RSA-2048', count: 1, signal: live() })).toEqual({
      kind: 'aborted',
    });
    expect(pool.prepare('ns/a', 'RSA-2048')).toBe(false);
    await hand.finish();
    await hand.finish();
    expect(hand.started).toHaveLength(2);
  });
});
