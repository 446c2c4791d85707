import { describe, expect, test } from '@jest/globals';
import { resources } from '../../../src/api/names.js';
import { createApiClient } from '../../../src/kube/client.js';
import type { RequestOptions } from '../../../src/kube/contract.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { createSlots, type Slots } from '../../../src/kube/slots.js';
import type { WireRequest } from '../../../src/kube/wire.js';
import { createTestClock } from './test-clock.js';

const signal = new AbortController().signal;

async function taken(slots: Slots): Promise<() => void> {
  const release = await slots.take(signal);
  if (release === null) throw new Error('no slot');
  return release;
}

function asking(slots: Slots): { readonly order: string[]; readonly ask: (name: string, sinceMs?: number) => void } {
  const order: string[] = [];
  const ask = (name: string, sinceMs?: number): void =>
    void slots.take(signal, sinceMs).then((release) => {
      order.push(name);
      release?.();
    });
  return { order, ask };
}

describe('slots', () => {
  test('of those who wait -> the oldest work first, and of one age the first who asked', async () => {
    const slots = createSlots(1);
    const release = await taken(slots);
    const { order, ask } = asking(slots);
    ask('young', 30);
    ask('middle', 20);
    ask('old', 10);
    ask('middle too', 20);
    ask('without an age');
    release();
    await new Promise(setImmediate);
    expect(order).toEqual(['without an age', 'old', 'middle', 'middle too', 'young']);
  });

  test('many pieces of work of three steps -> the first ends before the last has made its second step', async () => {
    const slots = createSlots(1);
    const release = await taken(slots);
    const order: string[] = [];
    const work = async (name: string, sinceMs: number): Promise<void> => {
      for (const step of [1, 2, 3]) {
        const done = await slots.take(signal, sinceMs);
        await new Promise(setImmediate);
        order.push(`${name}${step}`);
        done?.();
      }
    };
    const all = [work('a', 1), work('b', 2), work('c', 3)];
    release();
    await Promise.all(all);
    expect(order.indexOf('a3')).toBeLessThan(order.indexOf('c2'));
    expect(slots.taken()).toBe(0);
  });

  test('who gives up while waiting -> takes no slot from the others', async () => {
    const slots = createSlots(1);
    const release = await taken(slots);
    const leaving = new AbortController();
    const left = slots.take(leaving.signal, 1);
    const { order, ask } = asking(slots);
    ask('stays', 2);
    leaving.abort();
    expect(await left).toBeNull();
    release();
    await new Promise(setImmediate);
    expect(order).toEqual(['stays']);
    expect(slots.taken()).toBe(0);
  });
});

describe('reluctant slots', () => {
  function reluctant(): { readonly slots: Slots; readonly clock: ReturnType<typeof createTestClock> } {
    const clock = createTestClock();
    return { slots: createSlots(2, { furtherAfterMs: 500, clock }), clock };
  }

  test('the first slot comes free in time -> it goes on, and there is no second one', async () => {
    const { slots, clock } = reluctant();
    const release = await taken(slots);
    const { order, ask } = asking(slots);
    ask('next', 1);
    await clock.advance(499);
    expect(order).toEqual([]);
    release();
    await clock.settle();
    expect(order).toEqual(['next']);
    expect(slots.taken()).toBe(0);
    expect(clock.pending()).toBe(0);
  });

  test('somebody has waited for a while -> the oldest gets a second slot, and nobody a third', async () => {
    const { slots, clock } = reluctant();
    await taken(slots);
    const second = slots.take(signal, 1);
    const { order, ask } = asking(slots);
    ask('third', 2);
    await clock.advance(500);
    const release = await second;
    await clock.advance(10_000);
    expect(order).toEqual([]);
    expect(slots.taken()).toBe(2);
    release?.();
    await clock.settle();
    expect(order).toEqual(['third']);
    expect(slots.taken()).toBe(1);
  });

  test('a holder that does not let go -> those who come later wait no longer than those before', async () => {
    const { slots, clock } = reluctant();
    await taken(slots);
    const { order, ask } = asking(slots);
    for (const name of ['a', 'b']) {
      ask(name);
      await clock.advance(500);
    }
    expect(order).toEqual(['a', 'b']);
  });

  test('all who wait give up -> no slot is made for them', async () => {
    const { slots, clock } = reluctant();
    await taken(slots);
    const leaving = new AbortController();
    const left = slots.take(leaving.signal);
    leaving.abort();
    expect(await left).toBeNull();
    await clock.advance(1_000);
    expect(slots.taken()).toBe(1);
  });
});

describe('age of a request', () => {
  test.each<[string, RequestOptions, number]>([
    ['the age of the work that it is a step of', { sinceMs: 400 }, 400],
    ['of no known work: its own', {}, 1_000],
    ['one that may wait: younger by the five seconds for which it may', { sinceMs: 400, priority: 'low' }, 5_400],
  ])('%s', async (_, options, expected) => {
    const clock = createTestClock();
    await clock.advance(1_000);
    const sent: WireRequest[] = [];
    const client = createApiClient({
      clock,
      userAgent: 'test',
      fieldManager: 'test',
      timeoutMs: 1_000,
      transport: {
        host: 'test',
        send(request) {
          sent.push(request);
          return Promise.resolve({ status: 200, headers: {}, body: '{"metadata":{}}' });
        },
        close: () => Promise.resolve(),
      },
    });
    await client.get({ resource: resourceOf(resources.Secret), namespace: 'a', name: 'b' }, options);
    expect(sent.map(({ sinceMs }) => sinceMs)).toEqual([expected]);
  });
});
