// What is remembered of those whose last failure names an object.
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createMemory, type Named } from '../../../src/controllers/kubeadmconfig/memory.js';
import { printedSeed } from '../../test-size.js';

const named = (kind: string, name: string): Named => ({ kind, namespace: 'default', name });

describe('memory: waits for named objects', () => {
  test('waits that begin, change and end in whatever order -> each object finds those whose last failure names it', () => {
    const objects = [named('Secret', 'a'), named('Secret', 'b'), named('ConfigMap', 'a')];
    const step = fc.record({
      key: fc.constantFrom('default/x', 'default/y', 'default/z'),
      what: fc.constantFrom('nothing' as const, 'forget' as const, ...objects),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const memory = createMemory(0);
        const waiting = new Map<string, Named>();
        for (const { key, what } of steps) {
          if (what === 'forget') memory.forget(key);
          else memory.waits(key, what === 'nothing' ? null : what);
          if (typeof what === 'string') waiting.delete(key);
          else waiting.set(key, what);
          const keysOf = (isMeant: (object: Named) => boolean): string[] =>
            [...waiting].flatMap(([each, object]) => (isMeant(object) ? [each] : [])).sort();
          for (const object of objects)
            expect([...memory.waitersFor({ ...object })].sort()).toEqual(keysOf((each) => each === object));
          const secrets = memory.waitersForKind('Secret').map(([each]) => each);
          expect(secrets.sort()).toEqual(keysOf(({ kind }) => kind === 'Secret'));
        }
      }),
      { seed: printedSeed('waits of a memory'), numRuns: 500 },
    );
  });

  test('waitersFor -> a list of its own: who is woken may wait for something else at once', () => {
    const memory = createMemory(0);
    for (const key of ['default/x', 'default/y']) memory.waits(key, named('Secret', 'a'));
    const woken: string[] = [];
    for (const key of memory.waitersFor(named('Secret', 'a'))) {
      woken.push(key);
      memory.waits(key, woken.length < 10 ? named('Secret', 'a') : null);
    }
    expect(woken).toEqual(['default/x', 'default/y']);
  });
});
