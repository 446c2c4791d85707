import { describe, expect, test } from '@jest/globals';
import { evictPods, refusalText, type EvictionOptions } from '../../../src/controllers/machine/drain/evict.js';
import type { StoredPod } from '../../../src/controllers/machine/objects.js';
import type { RequestFault } from '../../../src/embedded/types.js';
import { failureOfAnswer } from '../../../src/kube/failures.js';
import { at, find, ns, putBudget, putPod } from './objects.js';
import { createWorld, type World } from './world.js';

const ready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };

/** Pods on a workload cluster, and what an eviction of them gives. */
async function cluster(names: readonly string[]): Promise<{
  readonly world: World;
  readonly pods: readonly StoredPod[];
  evict(more?: Partial<EvictionOptions>): ReturnType<typeof evictPods>;
}> {
  const world = createWorld();
  for (const name of names) await putPod(world, name, 'w-0', { metadata: { labels: { app: name } }, status: ready });
  const pods = await Promise.all(names.map(async (name) => (await find<StoredPod>(world.remote, 'Pod', name))!));
  const evict = (more: Partial<EvictionOptions> = {}): ReturnType<typeof evictPods> =>
    evictPods(pods, {
      client: world.remote,
      nowMs: () => world.clock.nowMs(),
      signal: new AbortController().signal,
      gracePeriodSeconds: null,
      ...more,
    });
  return { world, pods, evict };
}

const faulty = (world: World, fault: (pod: string) => RequestFault | undefined): void =>
  world.workload.setFaults({
    request: ({ subresource, name }) => (subresource === 'eviction' ? fault(name) : undefined),
  });

/** Lets an answer come that needs `ms` of the server's time. */
async function after<T>(world: World, ms: number, work: Promise<T>): Promise<T> {
  await world.clock.advance(ms);
  return work;
}

describe('evictions', () => {
  test('Pods: nothing forbids it -> all are asked to go, with the grace that they have themselves', async () => {
    const { world, pods, evict } = await cluster(['a', 'b']);
    expect(await evict()).toEqual({ evicted: pods, failed: [] });
    const seen = await Promise.all(['a', 'b'].map((name) => find(world.remote, 'Pod', name)));
    expect(seen.map((each) => each?.metadata)).toMatchObject([
      { deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 30 },
      { deletionTimestamp: expect.any(String), deletionGracePeriodSeconds: 30 },
    ]);
  });

  test('a Node that does not answer: -> the grace is 1 s', async () => {
    const { world, evict } = await cluster(['a']);
    await evict({ gracePeriodSeconds: 1 });
    expect((await find(world.remote, 'Pod', 'a'))?.metadata).toMatchObject({ deletionGracePeriodSeconds: 1 });
  });

  test('a budget: allows 0 -> the sentence of the server with its cause, and the next Pod is asked all the same', async () => {
    const { world, pods, evict } = await cluster(['a', 'b']);
    await putBudget(world, 'a-pdb', 'a', 0);
    expect(await evict()).toEqual({
      evicted: [pods[1]],
      failed: [
        {
          pod: `${ns}/a`,
          message:
            "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget a-pdb needs 1 healthy pods and has 1 currently",
        },
      ],
    });
    expect((await find(world.remote, 'Pod', 'a'))?.metadata.deletionTimestamp).toBeUndefined();
  });

  test('a budget: allows 1 -> it is spent by one Pod, the other is refused', async () => {
    const { world, pods, evict } = await cluster(['a', 'b']);
    await putBudget(world, 'both', { matchExpressions: [{ key: 'app', operator: 'In', values: ['a', 'b'] }] }, 1);
    const { evicted, failed } = await evict();
    expect(evicted).toEqual([pods[0]]);
    expect(failed.map((each) => each.pod)).toEqual([`${ns}/b`]);
  });

  test('an unreachable Node and a budget that allows 0: -> the budget is not gone around', async () => {
    const { world, evict } = await cluster(['a']);
    await putBudget(world, 'a-pdb', 'a', 0);
    expect((await evict({ gracePeriodSeconds: 1 })).failed).toHaveLength(1);
  });

  test('a Pod that is gone meanwhile: 404 -> neither asked to go nor failed', async () => {
    const { world, evict } = await cluster(['a']);
    await world.remote.delete(at('Pod', 'a'), { gracePeriodSeconds: 0 });
    expect(await evict()).toEqual({ evicted: [], failed: [] });
  });

  test('two budgets for one Pod: 500 -> failed with the text of the server', async () => {
    const { world, evict } = await cluster(['a']);
    await putBudget(world, 'one', 'a', 1);
    await putBudget(world, 'two', 'a', 1);
    expect((await evict()).failed).toEqual([
      {
        pod: `${ns}/a`,
        message: 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
      },
    ]);
  });

  test('a terminating namespace: 403 with that cause -> the words of upstream', async () => {
    const { pods, evict } = await cluster(['a']);
    const refusal = (reason: string): Error => {
      const name = { verb: 'post', target: { kind: 'Eviction', namespace: ns, name: 'a' }, write: true };
      const status = {
        kind: 'Status',
        reason: 'Forbidden',
        message: 'no',
        details: { causes: [{ reason, message: 'x' }] },
      };
      return failureOfAnswer(name, { status: 403, text: JSON.stringify(status), retryAfter: undefined });
    };
    const client = (reason: string) => ({ client: { post: () => Promise.reject(refusal(reason)) } });
    expect((await evict(client('NamespaceTerminating'))).failed).toEqual([
      {
        pod: `${ns}/${pods[0]?.metadata.name}`,
        message:
          'Cannot evict pod from terminating namespace: unable to create eviction (kube-controller-manager should set deletionTimestamp)',
      },
    ]);
    expect((await evict(client('Other'))).failed).toEqual([{ pod: `${ns}/a`, message: 'no' }]);
  });

  test('a webhook that says no, a server that is broken: -> failed with its text, the others are asked', async () => {
    const { world, pods, evict } = await cluster(['a', 'b', 'c']);
    faulty(world, (name) =>
      name === 'a'
        ? { kind: 'status', code: 403, message: 'admission webhook says no' }
        : name === 'b'
          ? { kind: 'status', code: 500, message: 'etcd is full' }
          : undefined,
    );
    expect(await evict()).toEqual({
      evicted: [pods[2]],
      failed: [
        { pod: `${ns}/a`, message: 'admission webhook says no' },
        { pod: `${ns}/b`, message: 'etcd is full' },
      ],
    });
  });

  test.each([
    ['without details', {}, 'too many'],
    ['with details and no causes', { details: { retryAfterSeconds: 1 } }, 'too many '],
    ['with two causes', { details: { causes: [{ message: 'a' }, { message: 'b' }] } }, 'too many a,b'],
  ])('a 429 %s: -> the text, byte for byte as upstream has it', (_title, more, message) => {
    const name = { verb: 'create', target: { kind: 'Pod', namespace: 'x', name: 'y' }, write: true };
    const text = JSON.stringify({ kind: 'Status', reason: 'TooManyRequests', message: 'too many', ...more });
    expect(refusalText(failureOfAnswer(name, { status: 429, text, retryAfter: undefined }).failure)).toBe(message);
  });

  test('a 429 with Retry-After: -> told as refused, not waited for', async () => {
    const { world, evict } = await cluster(['a']);
    faulty(world, () => ({ kind: 'status', code: 429, retryAfterSeconds: 5, message: 'slow down' }));
    const before = world.clock.nowMs();
    expect((await evict()).failed).toMatchObject([{ pod: `${ns}/a`, message: expect.stringContaining('slow down') }]);
    expect(world.clock.nowMs()).toBe(before);
  });

  test('10 s are used up: -> what is under way fails, the rest is not asked, and each says so', async () => {
    const { world, pods, evict } = await cluster(['a', 'b', 'c', 'd']);
    faulty(world, () => ({ kind: 'delay', ms: 4_000 }));
    const { evicted, failed } = await after(world, 30_000, evict());
    expect(evicted).toEqual([pods[0], pods[1]]);
    const message = 'eviction timeout of 10s reached, eviction will be retried';
    expect(failed.map((each) => each.pod)).toEqual([`${ns}/c`, `${ns}/d`]);
    expect(failed[1]?.message).toBe(message);
    expect((await find(world.remote, 'Pod', 'd'))?.metadata.deletionTimestamp).toBeUndefined();
  });

  test('a server that hangs: -> the first Pod takes all of the 10 s, and no more', async () => {
    const { world, evict } = await cluster(['a', 'b']);
    faulty(world, () => ({ kind: 'hang-before' }));
    const began = world.clock.nowMs();
    let endedMs = 0;
    const work = evict().then((result) => {
      endedMs = world.clock.nowMs();
      return result;
    });
    const { evicted, failed } = await after(world, 60_000, work);
    expect(evicted).toEqual([]);
    expect(failed.map((each) => each.pod)).toEqual([`${ns}/a`, `${ns}/b`]);
    expect(failed[1]?.message).toBe('eviction timeout of 10s reached, eviction will be retried');
    expect(endedMs - began).toBe(10_000);
  });

  test('an operator that stops: -> the evictions end at once, as an error', async () => {
    const { world, evict } = await cluster(['a', 'b']);
    faulty(world, () => ({ kind: 'hang-before' }));
    const stopping = new AbortController();
    const work = evict({ signal: stopping.signal });
    await world.clock.settle();
    stopping.abort();
    await expect(work).rejects.toThrow();
  });
});
