// A chart as a table: for pictures, documents, `explain` and tests, which read rows and states and run nothing.

import type { AnyStateMachine, StateNode } from 'xstate';
import { checkTable } from './check-table.js';
import type { Table } from './row.js';

/** The table of a chart: its states in story order, with what its rows, guards and requests say. Throws where they contradict each other. */
export function tableOf<State extends string, Facts, Request extends string, Reply extends string>(
  chart: AnyStateMachine,
  said: Pick<Table<State, Facts, Request, Reply>, 'rows' | 'guards' | 'requests'>,
): Table<State, Facts, Request, Reply> {
  const states: Record<string, { readonly description: string; readonly parent?: string }> = {};
  const add = (node: StateNode, parent: string | null): void => {
    states[node.key] = { description: node.description ?? '', ...(parent === null ? {} : { parent }) };
    for (const child of Object.values(node.states)) add(child as StateNode, node.key);
  };
  for (const node of Object.values(chart.root.states)) add(node as StateNode, null);
  const table = { id: chart.id, initial: initialOf(chart.root), states, ...said };
  checkTable(table as never);
  return table as Table<State, Facts, Request, Reply>;
}

/** The state in which an actor is born: the first one without children. */
function initialOf(node: StateNode): string {
  const first = node.initial.target[0] as StateNode | undefined;
  if (first === undefined) return node.key;
  return Object.keys(first.states).length === 0 ? first.key : initialOf(first);
}
