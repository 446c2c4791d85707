import { describe, expect, test } from '@jest/globals';
import { combinationCount, combinations } from './kit/axes.js';
import { changed, decisions } from './kit/decisions.js';
import {
  findDisagreements,
  findEndlessTurns,
  findGaps,
  findMemories,
  findRestlessness,
  findUnreachedStates,
  findUntakenRows,
} from './kit/checks.js';
import { describeModel } from './kit/describe-model.js';
import { toyModel } from './toy-model.js';

describeModel(toyModel);

/** The model with one row changed; a function is its guard alone. */
const withRow = (
  id: string,
  { guard, ...change }: { readonly guard?: (facts: never) => boolean; [key: string]: unknown },
) => {
  const { table } = toyModel;
  const named = guard === undefined ? {} : { guard: 'planted' };
  return {
    ...toyModel,
    table: {
      ...table,
      guards: guard === undefined ? table.guards : { ...table.guards, planted: guard as (facts: unknown) => boolean },
      rows: table.rows.map((row) => (row.id === id ? { ...row, ...change, ...named } : row)),
    },
  };
};

describe.each([
  ['every combination', { max: 1000, seed: 1 }],
  ['all by decisions', 'all'],
] as const)('model checks, %s: what they are for -> they find', (_, size) => {
  test('a gap, a guard that throws, a reason and a requeue that cannot be', () => {
    expect(findGaps(withRow('T05', { guard: () => false }), size)[0]).toMatch(/^nobody answers OBSERVED/);
    expect(
      findGaps(
        withRow('T05', {
          guard: () => {
            throw new Error('boo');
          },
        }),
        size,
      )[0],
    ).toMatch(/^boo on/);
    expect(
      findGaps(
        withRow('T01', { conditions: () => [{ type: 'A', status: 'True', reason: 'no good', message: '' }] }),
        size,
      )[0],
    ).toMatch(/reason "no good"/);
    expect(findGaps(withRow('T04', { requeue: { why: '', afterMs: () => Number.NaN } }), size)[0]).toMatch(
      /requeue after NaN/,
    );
    expect(
      findGaps(
        withRow('T05', {
          guard: (facts: { ready: boolean }) => {
            facts.ready = true;
            return true;
          },
        }),
        size,
      )[0],
    ).toMatch(/read only|returned falsish/);
  });
  test('a row that never decides', () => {
    expect(findUntakenRows(withRow('T02', { guard: () => false }), size)).toEqual(['row T02 (T02) never decides']);
  });
  test('a state that is not reached, or not drawn', () => {
    expect(findUnreachedStates(withRow('T02', { target: 'Watching' }), size)).toEqual([
      'state Resting is never reached',
      'state Resting is not reached by drawn arrows',
    ]);
    expect(findUnreachedStates(withRow('T02', { from: [] }), size)).toEqual([
      'state Resting is not reached by drawn arrows',
    ]);
  });
  test('a guard with a memory', () => {
    let asked = 0;
    const forgetful = withRow('T02', {
      guard: (facts: { made: boolean; joined: boolean }) => facts.made && facts.joined && (asked += 1) % 2 === 0,
    });
    const all = [findDisagreements(forgetful, size), findMemories(forgetful, size), findRestlessness(forgetful, size)];
    expect(all.flat().length).toBeGreaterThan(0);
  });
  test('a wake-up that is pushed', () => {
    let afterMs = 0;
    const pushed = withRow('T04', { requeue: { why: '', afterMs: () => (afterMs -= 10) + 10_000 } });
    expect(findRestlessness(pushed, size).length).toBeGreaterThan(0);
  });
  test('a turn without end', () => {
    expect(findEndlessTurns(withRow('T06', { target: 'Making', request: 'make' }), size)[0]).toMatch(
      /^a turn without end: make, make/,
    );
  });
});

describe('combinations', () => {
  const size = { max: 1000, seed: 1 };
  test('few: -> all of them, each once, frozen', () => {
    const all = [...combinations(toyModel.base, toyModel.axes, size)];
    expect(all).toHaveLength(combinationCount(toyModel.axes));
    expect(new Set(all.map((facts) => JSON.stringify(facts))).size).toBe(16);
    expect(all.every((facts) => Object.isFrozen(facts))).toBe(true);
  });
  test('too many: -> every pair of values, and a sample that its seed repeats', () => {
    const some = (seed: number) =>
      [...combinations(toyModel.base, toyModel.axes, { max: 5, seed })].map((facts) => JSON.stringify(facts));
    expect(some(1)).toHaveLength(6 * 4 + 5);
    expect(some(1)).toEqual(some(1));
    expect(some(1)).not.toEqual(some(2));
  });
});

describe('decisions', () => {
  interface Light {
    readonly power: boolean;
    readonly bulb: 'none' | 'dim' | 'bright';
    readonly hour: number;
    readonly shade: string;
  }
  const base: Light = { power: false, bulb: 'none', hour: 0, shade: 'red' };
  const axes = {
    power: [false, true],
    bulb: ['none', 'dim', 'bright'],
    hour: Array.from({ length: 24 }, (_, hour) => hour),
  } as const;
  const judge = ({ power, bulb, hour, shade }: Light): string =>
    !power ? 'off' : bulb === 'none' ? 'broken' : hour > 6 && hour < 20 ? 'day' : `${bulb} ${shade}`;
  const lazily = (f: Light): string =>
    !f.power ? 'off' : f.bulb === 'none' ? 'broken' : f.hour > 6 && f.hour < 20 ? 'day' : `${f.bulb} ${f.shade}`;

  test('what nobody asks for is not tried -> the outcomes of all combinations, in few rounds', () => {
    const all = [...combinations(base, axes, { max: 1000, seed: 1 })].map(judge);
    const rounds = [...decisions(base, axes)].length;
    const found: string[] = [];
    for (const facts of decisions(base, axes)) found.push(lazily(facts));
    expect(all).toHaveLength(144);
    expect(new Set(found)).toEqual(new Set(all));
    // Off, broken, and each hour for the other two bulbs.
    expect(found).toHaveLength(1 + 1 + 2 * 24);
    expect(rounds).toBe(1);
  });
  test('everything is asked for -> every combination, each once', () => {
    const texts: string[] = [];
    for (const facts of decisions(base, axes)) texts.push(JSON.stringify(facts));
    expect(new Set(texts)).toEqual(
      new Set([...combinations(base, axes, { max: 1000, seed: 1 })].map((facts) => JSON.stringify(facts))),
    );
    expect(texts).toHaveLength(144);
  });
  test('facts that were learned -> theirs, and the rest stays unmade', () => {
    const found: string[] = [];
    for (const facts of decisions(base, axes)) found.push(lazily(changed(facts, { power: true, hour: 12 })));
    expect(found).toEqual(['broken', 'day', 'day']);
  });
  test('facts after their round -> keep their values', () => {
    const kept: Light[] = [];
    for (const facts of decisions(base, axes)) {
      lazily(facts);
      kept.push(facts);
    }
    expect(kept.map(lazily)).toEqual(kept.map(lazily));
    expect(new Set(kept.map(lazily)).size).toBe(5);
    expect(kept[0]?.hour).toBe(0);
  });
  test('one who asks in another order than before -> is told', () => {
    let asked = 0;
    const fickle = (f: Light): unknown => ((asked += 1) === 1 ? [f.power, f.bulb] : [f.bulb, f.power]);
    expect(() => {
      for (const facts of decisions(base, axes)) fickle(facts);
    }).toThrow(/bulb is asked for where power was before/);
  });
  test('one who changes facts -> is told', () => {
    for (const facts of decisions(base, axes)) {
      expect(() => ((facts as { power: boolean }).power = true)).toThrow(TypeError);
      expect(() => ((changed(facts, { hour: 1 }) as { hour: number }).hour = 2)).toThrow(TypeError);
    }
  });
});
