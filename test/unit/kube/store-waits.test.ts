// Those who wait until a store shows a write.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { resources } from '../../../src/api/names.js';
import type { KubeObject } from '../../../src/kube/contract.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { createStore, type Store } from '../../../src/kube/store.js';
import { printedSeed } from '../../test-size.js';
import { machine } from './scripted-client.js';

const resource = resourceOf(resources.Machine);
const emptyStore = (): Store<KubeObject> => createStore<KubeObject>({ resource });
const written = (name: string, resourceVersion: string) => ({ namespace: 'default', name, resourceVersion });

describe('store: waits', () => {
  test('thousands wait, one object changes -> those who wait for it are told, and nobody else', () => {
    const store = emptyStore();
    const names = Array.from({ length: 5_000 }, (_, index) => `m${index}`);
    store.replace(
      names.map((name) => machine(name, '1')),
      '10',
      { mark: 0, consistent: true },
    );
    const told: string[] = [];
    for (const [index, name] of names.entries()) store.onNews(written(name, `${100 + index}`), () => told.push(name));
    store.apply('MODIFIED', machine('m7', '50'));
    expect(told).toEqual(['m7']);
    store.apply('MODIFIED', machine('m9', '102'));
    // The version of the store has passed that of three writes as well.
    expect(new Set(told.splice(0))).toEqual(new Set(['m7', 'm9', 'm0', 'm1', 'm2']));
    store.apply('MODIFIED', machine('m9', '103'));
    expect(new Set(told)).toEqual(new Set(['m9', 'm3']));
  });

  test('taken off, also by another listener of the same change -> not told', () => {
    const store = emptyStore();
    const told: string[] = [];
    const ends = ['one', 'other'].map((who) =>
      store.onNews(written('a', '11'), () => {
        told.push(who);
        ends.forEach((end) => end());
      }),
    );
    store.apply('ADDED', machine('a', '11'));
    store.apply('MODIFIED', machine('a', '12'));
    expect(told).toEqual(['one']);
  });

  test('a listener that throws -> the others are told, and the store goes on', () => {
    const errors: unknown[] = [];
    const store = createStore<KubeObject>({ resource, onError: (error) => errors.push(error) });
    const told: string[] = [];
    store.onNews(written('a', '11'), () => {
      throw new Error('boo');
    });
    store.onNews(written('a', '11'), () => told.push('other'));
    store.apply('ADDED', machine('a', '11'));
    expect([told.includes('other'), errors.length > 0, store.get('default', 'a')?.metadata.resourceVersion]).toEqual([
      true,
      true,
      '11',
    ]);
  });

  test('whatever happens in whatever order -> each hears of the very change with which the store shows its write', () => {
    const names = ['a', 'b', 'c'];
    const version = fc.integer({ min: 1, max: 40 });
    const name = fc.constantFrom(...names);
    const happening = fc.oneof(
      fc.record({ kind: fc.constant('wait' as const), name, version }),
      fc.record({ kind: fc.constantFrom('ADDED' as const, 'MODIFIED' as const, 'DELETED' as const), name, version }),
      fc.record({ kind: fc.constantFrom('read' as const, 'readGone' as const), name, version }),
      fc.record({ kind: fc.constant('bookmark' as const), name, version }),
      fc.record({ kind: fc.constant('list' as const), name, version }),
    );
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
        const store = emptyStore();
        const waiting = new Set<{ readonly receipt: ReturnType<typeof written>; isTold: boolean }>();
        for (const { kind, name: which, version: at } of happenings) {
          const object = machine(which, String(at));
          if (kind === 'wait') {
            const receipt = written(which, String(at));
            if (store.shows(receipt)) continue;
            const wait = { receipt, isTold: false };
            waiting.add(wait);
            const end = store.onNews(receipt, () => {
              if (!store.shows(receipt)) return;
              expect(wait.isTold).toBe(false);
              wait.isTold = true;
              end();
            });
          } else if (kind === 'read') store.settle('default', which, object, String(at));
          else if (kind === 'readGone') store.settle('default', which, null, String(at));
          else if (kind === 'bookmark') store.bookmark(String(at));
          else if (kind === 'list') store.replace([object], String(at), { mark: store.mark(), consistent: true });
          else store.apply(kind, object);
          for (const wait of waiting) {
            expect(wait.isTold).toBe(store.shows(wait.receipt));
            if (wait.isTold) waiting.delete(wait);
          }
        }
      }),
      { seed: printedSeed('waits at a store'), numRuns: 2_000 },
    );
  });
});
