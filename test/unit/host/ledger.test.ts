import { describe, expect, test } from '@jest/globals';
import { createLedgers } from '../../../src/host/ledger.js';
import { createTestClock } from '../kube/test-clock.js';
import { self, toyHost } from './toy-host.js';

const freshness = { shows: () => true, readLive: () => Promise.resolve() };
const receipt = { kind: 'Toy', namespace: 'ns', name: 'a', uid: 'u', resourceVersion: '6', guardedBy: '5' };

describe('ledger: own versions', () => {
  test('a guarded write: -> its echo is ours, another change is not', () => {
    const ledgers = createLedgers(createTestClock(), freshness);
    ledgers.of('a').note(receipt);
    expect(ledgers.isOwn('a', { before: '5', after: '6' })).toBe(true);
    expect(ledgers.isOwn('a', { before: '6', after: '7' })).toBe(false);
    ledgers.forget('a');
    expect(ledgers.isOwn('a', { before: '5', after: '6' })).toBe(false);
  });

  test('a write that is answered with the version before: -> nothing that comes is its echo', () => {
    const ledgers = createLedgers(createTestClock(), freshness);
    ledgers.of('a').note({ ...receipt, resourceVersion: '5' });
    expect(ledgers.isOwn('a', { before: '5', after: '5' })).toBe(false);
  });

  test('our own write ends the object, and is answered with the version before: -> the actor is let go of', async () => {
    const { world, clock, host, notes } = toyHost({
      async persist(_, __, { key, ledger }) {
        ledger.note({ ...receipt, name: key, resourceVersion: '1', guardedBy: '1' });
      },
    });
    world.put('a', { ready: true });
    await clock.settle();
    expect(host.keys()).toEqual(['a']);
    world.objects.delete('a');
    world.cache.delete('a');
    // A cache tells of a deletion with the version that it had.
    host.wake('a', self('1', '1'));
    await clock.settle();
    expect([host.keys(), notes.gone]).toEqual([[], ['a u1']]);
  });
});
