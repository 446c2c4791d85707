import { beforeAll, describe, expect, test } from '@jest/globals';
import { isNightly, printedSeed, sized } from '../test-size.js';
import { combinationCount } from './kit/axes.js';
import {
  findDisagreements,
  findEndlessTurns,
  findGaps,
  findMemories,
  findRestlessness,
  findUnreachedStates,
  findUntakenRows,
  type Size,
} from './kit/checks.js';
import { kubeadmConfigArrows, kubeadmConfigLife, kubeadmConfigModel } from './kubeadmconfig-model.js';

describe('kubeadmconfig: model', () => {
  let total: Size;
  let charts: Size;
  beforeAll(() => {
    const seed = printedSeed(`kubeadmconfig model (${combinationCount(kubeadmConfigModel.axes)} combinations)`);
    total = { max: sized(5_000, 2_000_000), seed };
    charts = { max: sized(20, 5_000), seed };
  });

  test('totality: every combination of facts, for every event -> a row answers, in words the API accepts', () => {
    expect(findGaps(kubeadmConfigModel, total)).toEqual([]);
  });
  test('rows: -> every one decides for some facts', () => {
    const untaken = findUntakenRows(kubeadmConfigLife, total);
    expect(findUntakenRows(kubeadmConfigModel, total).filter((row) => untaken.includes(row))).toEqual([]);
  });
  test('KC-003 parts of the life: lock, data, tokens -> every state is reached, by drawn arrows too', () => {
    expect(findUnreachedStates(kubeadmConfigModel, total)).toEqual([]);
  });
  test('arrows: drawn ones and the root table -> agree in every state', () => {
    expect(findDisagreements(isNightly ? kubeadmConfigLife : kubeadmConfigArrows, charts)).toEqual([]);
  }, 120_000);
  test('amnesia: a fresh actor and an old one -> decide the same', () => {
    expect(findMemories(kubeadmConfigLife, charts)).toEqual([]);
  }, 120_000);
  test('idempotence: the same look twice -> the same state, row, since and wake-up', () => {
    expect(findRestlessness(kubeadmConfigLife, charts)).toEqual([]);
  }, 120_000);
  test('settling: whatever effects answer -> a turn ends', () => {
    expect(findEndlessTurns(kubeadmConfigLife, charts)).toEqual([]);
  }, 120_000);
});
