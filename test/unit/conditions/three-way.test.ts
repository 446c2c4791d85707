import { describe, expect, test } from '@jest/globals';
import type { Condition } from '../../../src/conditions/condition.js';
import { mergeConditions, mergeV1Beta1Conditions } from '../../../src/conditions/three-way.js';
import { old } from './examples.js';

const at = { nowMs: Date.parse('2026-02-03T04:05:06.789Z') };
const time = '2026-01-02T03:04:05Z';
const foo = (status: string, reason = 'R'): Condition => ({
  type: 'foo',
  status,
  reason,
  message: '',
  lastTransitionTime: time,
});
const values: Readonly<Record<string, readonly Condition[]>> = {
  '-': [],
  T: [foo('True')],
  F: [foo('False')],
  F2: [foo('False', 'R2')],
};
const list = (name: string): readonly Condition[] => values[name] ?? [];

/** Operation, before, after, latest, and what remains: plainly, and for an owner. */
const rows: readonly (readonly [string, string, string, string, string, string])[] = [
  ['PT-1', 'T', 'T', 'T', 'T', 'T'],
  ['PT-2', '-', 'T', '-', 'T', 'T'],
  ['PT-3', '-', 'T', 'T', 'T', 'T'],
  ['PT-4', '-', 'T', 'F', 'modified AddCondition', 'T'],
  ['PT-5', 'T', 'F', 'T', 'F', 'F'],
  ['PT-6', 'F', 'T', 'T', 'T', 'T'],
  ['PT-7', 'F', 'F2', 'T', 'modified ChangeCondition', 'F2'],
  ['PT-8', 'T', 'F', '-', 'deleted ChangeCondition', 'F'],
  ['PT-9', 'T', '-', '-', '-', '-'],
  ['PT-10', 'T', '-', 'T', '-', '-'],
  ['PT-11', 'T', '-', 'F', 'modified RemoveCondition', '-'],
];
const said = ({ status, reason }: Condition): string => `${status} ${reason}`;

describe('three-way merge', () => {
  test.each(rows)('%s: before %s, after %s, latest %s -> %s, owned %s', (_, before, after, latest, plain, owned) => {
    const lists = { before: list(before), after: list(after), latest: list(latest) };
    const free = mergeConditions(lists, { ...at, owned: [] });
    if (plain.includes(' ')) {
      const [verb, kind] = plain.split(' ');
      expect(free).toEqual({
        kind: 'conflict',
        type: 'foo',
        message: `error patching conditions: The condition "foo" was ${verb} by a different process and this caused a merge/${kind} conflict`,
      });
    } else {
      expect(free.kind === 'merged' ? free.conditions.map(said) : free).toEqual(list(plain).map(said));
    }
    for (const whose of [['foo'], 'all'] as const) {
      const ours = mergeConditions(lists, { ...at, owned: whose });
      expect(ours.kind === 'merged' ? ours.conditions.map(said) : ours).toEqual(list(owned).map(said));
    }
  });

  test('PT-12: no operation of ours -> the newest list as it is; lists that are not there cannot be given', () => {
    const latest = [foo('True'), { ...foo('True'), type: 'Available' }];
    const merged = mergeConditions({ before: list('T'), after: list('T'), latest }, { ...at, owned: [] });
    expect(merged.kind === 'merged' && merged.conditions).toBe(latest);
    for (const missing of ['before', 'after', 'latest'] as const) {
      const lists = { before: list('-'), after: list('T'), latest: list('-'), [missing]: null };
      expect(() => mergeConditions(lists as never, { ...at, owned: [] })).toThrow();
    }
  });

  test('others’ conditions: kept byte for byte, the list sorted, the time of an equal status kept', () => {
    const foreign = {
      type: 'Deleting',
      status: 'Unknown',
      reason: 'X',
      message: ' y ',
      lastTransitionTime: time,
      observedGeneration: 7,
    };
    const latest = [foreign, foo('False')];
    const merged = mergeConditions({ before: list('F'), after: list('F2'), latest }, { ...at, owned: ['foo'] });
    expect(merged).toEqual({ kind: 'merged', conditions: [foo('False', 'R2'), foreign] });
  });

  test('a generation that moved: -> a change, with the generation of our object', () => {
    const before = [{ ...foo('True'), observedGeneration: 1 }];
    const after = [{ ...foo('True'), observedGeneration: 2 }];
    const merged = mergeConditions({ before, after, latest: before }, { ...at, owned: [] });
    expect(merged).toEqual({ kind: 'merged', conditions: [{ ...foo('True'), observedGeneration: 2 }] });
  });

  test('v1beta1: severity counts, the transition time does not; sorted with Ready first', () => {
    const before = [old('B', 'F', { severity: 'Info', lastTransitionTime: time })];
    const after = [old('B', 'F', { severity: 'Error', lastTransitionTime: time }), old('Ready', 'T')];
    const merged = mergeV1Beta1Conditions({ before, after, latest: before }, { ...at, owned: [] });
    expect(merged.kind === 'merged' && merged.conditions.map(({ type, severity }) => [type, severity])).toEqual([
      ['Ready', undefined],
      ['B', 'Error'],
    ]);
    const other = [old('B', 'F', { severity: 'Warning', lastTransitionTime: time })];
    expect(mergeV1Beta1Conditions({ before, after, latest: other }, { ...at, owned: [] }).kind).toBe('conflict');
  });
});
