// The model tests of one machine, as a suite: `describeModel(model)` in a test file is all it takes. They are proofs: they hold for
// every combination of facts.

import { describe, expect, test } from '@jest/globals';
import {
  findDisagreements,
  findEndlessTurns,
  findGaps,
  findMemories,
  findRestlessness,
  findUnreachedStates,
  findUntakenRows,
} from './checks.js';
import type { AnyModel } from './model.js';

/** Registers the model tests of a machine. */
export function describeModel(model: AnyModel): void {
  describe(`${model.table.id}: model`, () => {
    test('totality: every combination of facts, for every event -> a row answers, in words the API accepts', () => {
      expect(findGaps(model, 'all')).toEqual([]);
    });
    test('rows: -> every one decides for some facts', () => {
      expect(findUntakenRows(model, 'all')).toEqual([]);
    });
    test('states: -> every one is reached, by drawn arrows too', () => {
      expect(findUnreachedStates(model, 'all')).toEqual([]);
    });
    test('arrows: drawn ones and the root table -> agree in every state', () => {
      expect(findDisagreements(model, 'all')).toEqual([]);
    });
    test('amnesia: a fresh actor and an old one -> decide the same', () => {
      expect(findMemories(model, 'all')).toEqual([]);
    });
    test('idempotence: the same look twice -> the same state, row, since and wake-up', () => {
      expect(findRestlessness(model, 'all')).toEqual([]);
    });
    test('settling: whatever effects answer -> a turn ends', () => {
      expect(findEndlessTurns(model, 'all')).toEqual([]);
    });
  });
}
