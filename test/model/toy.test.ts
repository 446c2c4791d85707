import { describe, expect, test } from '@jest/globals';
import { combinationCount, combinations } from './kit/axes.js';
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

const size = { max: 1000, seed: 1 };
const withRow = (id: string, change: object) => ({
  ...toyModel,
  table: { ...toyModel.table, rows: toyModel.table.rows.map((row) => (row.id === id ? { ...row, ...change } : row)) },
});

describe('model checks: what they are for -> they find', () => {
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
    ).toMatch(/read only/);
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
