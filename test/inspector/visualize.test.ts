// A picture is only worth something while it is that of the machine: whatever changes in a row makes a file stale.

import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chartFiles, chartsReadme } from '../../src/charts/files.js';
import { LAYOUTS } from '../../src/charts/layouts.js';
import { lintChart } from '../../src/charts/lint.js';
import { chartOf, type AnyRow, type AnyTable, type ChartModel, type ChartRow } from '../../src/charts/model.js';
import { ALL_TABLES } from '../../src/charts/tables.js';
import { visualize } from '../../visualizations/visualize.js';

const root = new URL('../../', import.meta.url).pathname;
const committed = new Map<string, string>();
let copy = '';

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'visualize-'));
  for (const folder of ['visualizations', 'src/charts/layouts'])
    cpSync(join(root, folder), join(copy, folder), {
      recursive: true,
      filter: (path) => !path.includes('node_modules'),
    });
  for (const table of ALL_TABLES)
    for (const [name] of chartFiles(table, LAYOUTS[table.id]!))
      committed.set(name, readFileSync(join(root, 'visualizations', name), 'utf8'));
  committed.set('README.md', readFileSync(join(root, 'visualizations/README.md'), 'utf8'));
});

afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** Names of the committed files that a changed table would make anew. */
function staleFiles(table: AnyTable): readonly string[] {
  const readme = chartsReadme(ALL_TABLES.map((each) => (each.id === table.id ? table : each)));
  return [...chartFiles(table, LAYOUTS[table.id]!), ['README.md', readme] as const]
    .filter(([name, text]) => committed.get(name) !== text)
    .map(([name]) => name);
}

const withRow = (table: AnyTable, index: number, change: Partial<AnyRow>): AnyTable => ({
  ...table,
  rows: table.rows.map((row, each) => (each === index ? { ...row, ...change } : row)),
});

describe('freshness of the diagrams', () => {
  test.each(ALL_TABLES.map((table) => [table.id, table] as const))(
    '%s: its table as it is -> no stale file',
    (_, table) => {
      expect(staleFiles(table)).toEqual([]);
    },
  );

  test.each(ALL_TABLES.map((table) => [table.id, table] as const))(
    '%s: any row with another word, event, guard, request or target -> a stale file',
    (_, table) => {
      const other = Object.keys(table.states);
      const unnoticed = table.rows.flatMap((row, index) => {
        const changes: Readonly<Record<string, Partial<AnyRow>>> = {
          id: { id: `${row.id}x` },
          title: { title: `${row.title}, changed` },
          description: { description: `${row.description} Changed.` },
          requirements: { requirements: [...row.requirements, 'XX-001'] },
          on: { on: 'CHANGED' },
          guard: { guard: `${row.guard}Changed` },
          request: { request: 'changedRequest' },
          target: { target: other.find((state) => state !== row.target) ?? null },
        };
        return Object.entries(changes)
          .filter(([, change]) => staleFiles(withRow(table, index, change)).length === 0)
          .map(([name]) => `${row.id} ${name}`);
      });
      expect(unnoticed).toEqual([]);
    },
  );

  test('the check: a file that was changed, lost or is nobody’s -> named, and nothing is written', async () => {
    const path = join(copy, 'visualizations/machine.svg');
    const changed = readFileSync(path, 'utf8').replace('Running', 'Walking');
    writeFileSync(path, changed);
    rmSync(join(copy, 'visualizations/kubeadmconfig.mmd'));
    writeFileSync(join(copy, 'visualizations/nobody.puml'), '');
    const result = await visualize(copy, { check: true });
    expect(result).toEqual({
      stale: ['visualizations/kubeadmconfig.mmd', 'visualizations/machine.svg'],
      findings: ['visualizations/nobody.puml: no machine makes this file'],
      written: [],
    });
    expect(readFileSync(path, 'utf8')).toBe(changed);
  });
});

const row = (more: Partial<ChartRow> = {}): ChartRow => ({
  rowId: 'T01',
  requirements: [],
  title: 'a row',
  description: 'A row that says what it does.',
  event: 'OBSERVED',
  guard: 'isReady',
  request: null,
  requeue: null,
  ...more,
});

const state = (id: string, initial = false, description = 'A state that is described.') => ({
  id,
  description,
  parent: null,
  initial,
});

const model = (more: Partial<ChartModel> = {}): ChartModel => ({
  id: 'toy',
  initial: 'First',
  states: [state('First', true), state('Last')],
  edges: [{ id: 'First->Last', source: 'First', target: 'Last', rows: [row()], failure: false }],
  stays: { Last: [row({ rowId: 'T02' })] },
  healing: {},
  requests: {},
  ...more,
});

describe('chart lint', () => {
  test.each(ALL_TABLES.map((table) => [table.id, table] as const))('%s: as it is -> no finding', (_, table) => {
    expect(lintChart(chartOf(table))).toEqual([]);
  });

  test.each<readonly [string, ChartModel, readonly string[]]>([
    ['a chart that reads well', model(), []],
    [
      'a state that no arrow reaches',
      model({ states: [state('First', true), state('Last'), state('Lost')], stays: { Last: [row()], Lost: [row()] } }),
      ['toy: state Lost is not reached by drawn arrows'],
    ],
    [
      'a state without a way out that nothing lets rest',
      model({ stays: {} }),
      ['toy: state Last has no way out and no row that lets it rest'],
    ],
    [
      'a state without a description',
      model({ states: [state('First', true), state('Last', false, '')] }),
      ['toy: state Last has no description'],
    ],
    [
      'a row without a description',
      model({ stays: { Last: [row({ rowId: 'T02', description: '' })] } }),
      ['toy: row T02 has no description'],
    ],
    [
      'a guard without a name',
      model({ stays: { Last: [row({ rowId: 'T02', guard: '(f) => f.x' })] } }),
      ['toy: row T02 has an unnamed guard (f) => f.x'],
    ],
    [
      'a request that nobody describes',
      model({ stays: { Last: [row({ rowId: 'T02', request: 'doIt' })] } }),
      ['toy: row T02 asks for doIt, which is not described'],
    ],
  ])('%s -> found', (_, given, findings) => {
    expect(lintChart(given)).toEqual(findings);
  });
});
