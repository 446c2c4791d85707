import { beforeAll, describe, expect, test } from '@jest/globals';
import type { MachineFacts } from '../../machines/machine/facts.js';
import { projectPaused, projectStatus } from '../../machines/machine/status/project.js';
import { machineTable, restingRow } from '../../machines/machine/table.js';
import { printedSeed, sized } from '../test-size.js';
import { examples as rowExamples } from '../unit/machine/examples.js';
import {
  findDisagreements,
  findEndlessTurns,
  findGaps,
  findMemories,
  findRestlessness,
  findUnreachedStates,
  findUntakenRows,
} from './kit/checks.js';
import { machineModel } from './machine-model.js';
import { exampleOfRows, type AnyModel } from './kit/model.js';

// The axes have too many pairs of values for every check on every chart: charts are compared on an example of each row.
describe('machine: model', () => {
  let seed = 0;
  let examples: readonly AnyModel[] = [];
  beforeAll(() => {
    seed = printedSeed('machine model');
    const events = exampleOfRows(machineModel, { max: 50_000, seed });
    examples = [...events.values()].map(({ facts }) => ({
      ...machineModel,
      base: facts,
      axes: {},
      failures: facts.failure === null ? machineModel.failures.slice(0, 1) : [facts.failure],
    }));
  });
  const size = (everyRun: number, nightly: number) => ({ max: sized(everyRun, nightly), seed });
  const ofExamples = (check: (model: AnyModel, size: { max: number; seed: number }) => readonly string[]) =>
    examples.flatMap((model) => check(model, size(1, 1)));

  test('totality: every combination of facts, for every event -> a row answers, in words the API accepts', () => {
    expect(findGaps(machineModel, size(2_000, 500_000))).toEqual([]);
  }, 120_000);
  test('rows: -> every one decides for some facts', () => {
    expect(findUntakenRows(machineModel, size(50_000, 500_000))).toEqual([]);
  });
  test('states: -> every one is reached, by drawn arrows too', () => {
    expect(findUnreachedStates(machineModel, size(50_000, 50_000))).toEqual([]);
  });
  test('arrows: drawn ones and the root table -> agree in every state', () => {
    expect(ofExamples(findDisagreements)).toEqual([]);
  }, 120_000);
  test('amnesia: a fresh actor and an old one -> decide the same', () => {
    expect(ofExamples(findMemories)).toEqual([]);
  }, 120_000);
  test('idempotence: the same look twice -> the same state, row, since and wake-up', () => {
    expect(findRestlessness(machineModel, size(100, 50_000))).toEqual([]);
  }, 120_000);
  test('settling: whatever effects answer -> a turn ends', () => {
    expect(findEndlessTurns(machineModel, size(100, 50_000))).toEqual([]);
  }, 120_000);
  test('rests: what is remembered of an answer -> the row of the next look, in the same state, with the same timer', () => {
    const rowOf = (id: string) => machineTable.rows.find((row) => row.id === id);
    const answers = machineTable.rows.filter(
      ({ on, request, target }) => on !== 'OBSERVED' && on !== 'EFFECT_FAILED' && request === null && target !== null,
    );
    const remembered = answers.map(({ id, target, requeue }) => {
      const next = rowOf(restingRow(id));
      return [id, next?.on, next?.target === target, next?.requeue === requeue];
    });
    expect(remembered).toEqual(answers.map(({ id }) => [id, 'OBSERVED', true, true]));
    expect(machineTable.rows.map(({ id }) => restingRow(restingRow(id)))).toEqual(
      machineTable.rows.map(({ id }) => restingRow(id)),
    );
  });
  test('purity: facts that nobody can change -> rows, waits and status come out of them, twice the same', () => {
    const made = (facts: MachineFacts): unknown => {
      const said = machineTable.rows.map((row) => {
        const decides = machineTable.guards[row.guard]?.(facts);
        return [decides, row.requeue?.afterMs(facts), row.conditions(facts), row.waitsFor?.(facts)];
      });
      const options = { intents: [], failed: false };
      return [said, projectStatus(facts, options), projectPaused(facts)];
    };
    for (const { given } of rowExamples) {
      const facts = frozen(structuredClone(given));
      expect(made(facts)).toEqual(made(facts));
    }
  });
});

/** Whoever changes anything in it is told. */
function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}
