import { expect } from '@jest/globals';
import type { BaseFacts } from '../../machines/kit/row.js';
import { machineModel } from '../model/machine-model.js';
import { rowFor, type AnyModel } from '../model/kit/model.js';
import { said } from '../unit/machine/example.js';
import { examples } from '../unit/machine/examples.js';
import { describeMutants } from './kit/survivors.js';

/** What the examples say, without the chart: a comparison that is cheap enough for thousands of tables. */
function checkExamples(table: AnyModel['table']): void {
  for (const { on = 'OBSERVED', given, row: id, state, request, againInMs, says = [] } of examples) {
    const facts = given as unknown as BaseFacts;
    const row = rowFor({ table }, { type: on, facts });
    const words = row?.conditions(facts).map(said) ?? [];
    const afterMs = row?.requeue?.afterMs(facts) ?? null;
    const isSame =
      row?.id === id &&
      row.target === state &&
      row.request === (request ?? null) &&
      afterMs === (againInMs ?? null) &&
      words.length === says.length &&
      words.every((each, index) => each === says[index]);
    if (!isSame)
      expect([row?.id, row?.target, row?.request, afterMs, words]).toEqual([
        id,
        state,
        request ?? null,
        againInMs ?? null,
        says,
      ]);
  }
}

describeMutants(machineModel, checkExamples, { max: [3_000, 50_000] });
