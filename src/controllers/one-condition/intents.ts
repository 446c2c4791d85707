// What the rows of one turn say about one condition type. Pure.

import type { ConditionIntent, Table } from '../../../machines/kit/row.js';

interface Decided<Facts> {
  readonly row: string;
  readonly facts: Facts;
}

/** The last word of a turn on a condition; null when no row said anything. */
export function lastIntent<State extends string, Facts, Request extends string, Reply extends string>(
  table: Pick<Table<State, Facts, Request, Reply>, 'rows'>,
  trail: readonly Decided<Facts>[],
  type: string,
): ConditionIntent | null {
  const said = trail.flatMap(({ row, facts }) => table.rows.find(({ id }) => id === row)?.conditions(facts) ?? []);
  return said.findLast((intent) => intent.type === type) ?? null;
}
