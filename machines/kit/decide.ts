// Which row of a table decides. Pure; the same facts are judged once.

import type { Row, Table } from './row.js';

const memory = new WeakMap<object, WeakMap<object, Map<string, unknown>>>();

/** The first row whose event and guard fit. Throws when there is none: a table must be total (T2). */
export function decide<State extends string, Facts extends object, Request extends string, Reply extends string>(
  table: Table<State, Facts, Request, Reply>,
  event: string,
  facts: Facts,
): Row<State, Facts, Request, Reply> {
  let byFacts = memory.get(table);
  if (byFacts === undefined) memory.set(table, (byFacts = new WeakMap()));
  let byEvent = byFacts.get(facts);
  if (byEvent === undefined) byFacts.set(facts, (byEvent = new Map()));
  const known = byEvent.get(event) as Row<State, Facts, Request, Reply> | undefined;
  if (known !== undefined) return known;
  const row = table.rows.find((each) => each.on === event && each.guard(facts));
  if (row === undefined) throw new Error(`${table.id}: no row answers ${event}; the table is not total`);
  byEvent.set(event, row);
  return row;
}

/** A row by its id; undefined when the table has none of that name. */
export function rowById<State extends string, Facts, Request extends string, Reply extends string>(
  table: Table<State, Facts, Request, Reply>,
  id: string | null,
): Row<State, Facts, Request, Reply> | undefined {
  return id === null ? undefined : table.rows.find((row) => row.id === id);
}
