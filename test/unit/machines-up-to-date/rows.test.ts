import { describe, expect, test } from '@jest/globals';
import { ageWakeUp, rows } from '../../../machines/machines-up-to-date/rows.js';
import { table } from '../../../machines/machines-up-to-date/table.js';
import { base, checkExample, examples } from './examples.js';

describe('MachinesUpToDate: rows', () => {
  test.each(examples)('$ids $title -> $row', (example) => {
    checkExample(table, example);
  });

  test('MU-011 requeue: every row that sets the condition -> none, but for the wake-up of the ten-second rule', () => {
    const setting = rows.filter((row) => row.conditions(base).length > 0);
    expect(setting).toHaveLength(5);
    for (const row of setting) {
      expect(row.requeue).toBe(ageWakeUp);
      expect(row.requeue?.afterMs({ ...base, nextOldEnoughInMs: null })).toBeNull();
    }
    expect(rows.filter((row) => !setting.includes(row)).every(({ requeue }) => requeue === null)).toBe(true);
  });

  test('MU-012 other conditions: every row -> speaks of MachinesUpToDate alone, and leaves deprecated ones alone', () => {
    const intents = rows.flatMap((row) => row.conditions(base));
    expect(new Set(intents.map(({ type }) => type))).toEqual(new Set(['MachinesUpToDate']));
    expect(intents.filter(({ v1beta1 }) => v1beta1 !== undefined)).toEqual([]);
  });

  test('what is waited for: every row that waits -> names an object and a remedy', () => {
    for (const { id, waitsFor } of rows) {
      const waits = waitsFor?.({ ...base, message: 'x' }) ?? null;
      if (waits !== null) expect([id, waits.name !== '', waits.remedy !== '']).toEqual([id, true, true]);
    }
  });
});
