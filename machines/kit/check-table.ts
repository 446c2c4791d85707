// Contradictions in a transition table, found when its machine is made. Pure.
//
// It checks what can be seen without facts: names, targets and words. That a table answers all facts (T2) is for model tests.

import type { Table } from './row.js';

/** Throws at the first contradiction, naming machine and row. */
export function checkTable(table: Table<string, object, string, string>): void {
  const names = Object.keys(table.states);
  const parents = new Set(names.flatMap((name) => table.states[name]?.parent ?? []));
  const isLeaf = (name: string): boolean => names.includes(name) && !parents.has(name);
  const refuse = (what: string): never => {
    throw new Error(`${table.id}: ${what}`);
  };

  if (!isLeaf(table.initial)) refuse(`the initial state ${table.initial} is not a state without children`);
  for (const parent of parents) {
    if (!names.includes(parent)) refuse(`the parent ${parent} is not a state`);
    if (table.states[parent]?.parent !== undefined) refuse(`${parent} is nested more than one level deep`);
  }
  const ids = new Set<string>();
  for (const row of table.rows) {
    if (ids.has(row.id)) refuse(`two rows are called ${row.id}`);
    ids.add(row.id);
    if (row.target !== null && !isLeaf(row.target)) refuse(`row ${row.id} leads to ${row.target}, which is no state`);
    for (const source of row.from) if (!names.includes(source)) refuse(`row ${row.id} is drawn from ${source}`);
    if (!Object.hasOwn(table.guards, row.guard)) refuse(`row ${row.id} asks ${row.guard}, which is no guard`);
    if (row.request !== null && !(row.request in table.requests)) refuse(`row ${row.id} asks for ${row.request}`);
  }
}
