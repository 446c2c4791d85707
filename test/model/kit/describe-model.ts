// The model tests of one machine, as a suite: `describeModel(model)` in a test file is all it takes.

import { beforeAll, describe, expect, test } from '@jest/globals';
import { printedSeed, sized } from '../../test-size.js';
import { combinationCount } from './axes.js';
import {
  findDisagreements,
  findEndlessTurns,
  findGaps,
  findMemories,
  findRestlessness,
  findUnreachedStates,
  findUntakenRows,
  type Size,
} from './checks.js';
import type { AnyModel } from './model.js';

/** Combinations that are asked about totality, and that are run through the charts, every time and at full size. */
export interface ModelSizes {
  readonly total: readonly [everyRun: number, nightly: number];
  readonly charts: readonly [everyRun: number, nightly: number];
}

const usual: ModelSizes = { total: [50_000, 5_000_000], charts: [1_000, 50_000] };

/** Registers the model tests of a machine. */
export function describeModel(model: AnyModel, sizes: ModelSizes = usual): void {
  describe(`${model.table.id}: model`, () => {
    let total: Size;
    let charts: Size;
    beforeAll(() => {
      const seed = printedSeed(`${model.table.id} model (${combinationCount(model.axes)} combinations)`);
      total = { max: sized(...sizes.total), seed };
      charts = { max: sized(...sizes.charts), seed };
    });

    test('totality: every combination of facts, for every event -> a row answers, in words the API accepts', () => {
      expect(findGaps(model, total)).toEqual([]);
    });
    test('rows: -> every one decides for some facts', () => {
      expect(findUntakenRows(model, total)).toEqual([]);
    });
    test('states: -> every one is reached, by drawn arrows too', () => {
      expect(findUnreachedStates(model, total)).toEqual([]);
    });
    test('arrows: drawn ones and the root table -> agree in every state', () => {
      expect(findDisagreements(model, charts)).toEqual([]);
    });
    test('amnesia: a fresh actor and an old one -> decide the same', () => {
      expect(findMemories(model, charts)).toEqual([]);
    });
    test('idempotence: the same look twice -> the same state, row, since and wake-up', () => {
      expect(findRestlessness(model, charts)).toEqual([]);
    });
    test('settling: whatever effects answer -> a turn ends', () => {
      expect(findEndlessTurns(model, charts)).toEqual([]);
    });
  });
}
