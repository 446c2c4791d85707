// A row by the id that a decision left behind: what it says for people and of conditions.

import type { AnyStateMachine } from 'xstate';
import type { Row, Table } from './row.js';
import { rowOnFacts } from './step.js';

/** The row; undefined when the table has none of that name. */
export function rowById<State extends string, Facts, Request extends string, Reply extends string>(
  table: Table<State, Facts, Request, Reply>,
  id: string | null,
): Row<State, Facts, Request, Reply> | undefined {
  return id === null ? undefined : table.rows.find((row) => row.id === id);
}

/** The row that the chart decides by when it observes these facts now. Throws when it answers none: a chart must be total. */
export function decidingRow<State extends string, Facts, Request extends string, Reply extends string>(
  { chart, table }: { readonly chart: AnyStateMachine; readonly table: Table<State, Facts, Request, Reply> },
  facts: Facts,
): Row<State, Facts, Request, Reply> {
  const row = rowById(table, rowOnFacts(chart, facts));
  if (row === undefined) throw new Error(`${table.id}: the chart decides by a row that the table does not have`);
  return row;
}
