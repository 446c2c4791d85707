import { describe, expect, test } from '@jest/globals';
import { rows } from '../../../machines/cluster-initialized/rows.js';
import { table } from '../../../machines/cluster-initialized/table.js';
import { base, checkExample, examples } from './examples.js';

describe('ControlPlaneInitialized: rows', () => {
  test.each(examples)('$ids $title -> $row', (example) => {
    checkExample(table, example);
  });

  test('CI-018 requeue: every row -> none, and no row asks for a look by the clock', () => {
    expect(rows.filter(({ requeue }) => requeue !== null)).toEqual([]);
  });

  test('CI-016 CI-022 other conditions: every row -> speaks of ControlPlaneInitialized alone, whatever else fluctuates', () => {
    const types = new Set(rows.flatMap((row) => row.conditions(base).map(({ type }) => type)));
    expect([...types]).toEqual(['ControlPlaneInitialized']);
    expect(Object.keys(base).filter((name) => /available/i.test(name))).toEqual([]);
  });

  test('infrastructure: no fact tells about it -> initialised as the table says, not as the note does', () => {
    expect(Object.keys(base).filter((name) => /infra/i.test(name))).toEqual([]);
    const initialized = examples.find(({ ids }) => ids.startsWith('CI-008'));
    expect(initialized?.says).toBe('True/Initialized/');
  });

  test('reasons: each one -> is what the API accepts', () => {
    for (const reasons of ['table', 'upstream'] as const) {
      for (const row of rows) {
        for (const { reason } of row.conditions({ ...base, reasons }))
          expect(reason).toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
      }
    }
  });

  test('what is waited for: every row that waits -> names an object and a remedy', () => {
    for (const { id, waitsFor } of rows) {
      const waits = waitsFor?.({ ...base, problem: 'it is broken', failure: null }) ?? null;
      if (waits !== null) expect([id, waits.name !== '', waits.remedy !== '']).toEqual([id, true, true]);
    }
  });
});
