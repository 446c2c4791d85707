// A machine as XState's own JSON (`createMachine(JSON)` and Stately's tools read it): states, drawn arrows, the healing root
// table, guards and requests by name; no functions.

import type { AnyRow, AnyTable } from './model.js';

interface ConfigTransition {
  readonly target?: string;
  readonly guard: { readonly type: string; readonly params: { readonly row: string } };
  readonly reenter?: true;
  readonly description: string;
}

interface ConfigState {
  readonly description: string;
  readonly entry?: readonly { readonly type: string }[];
  readonly initial?: string;
  readonly on?: Readonly<Record<string, readonly ConfigTransition[]>>;
  readonly states?: Readonly<Record<string, ConfigState>>;
}

/** The JSON form of a machine. */
export interface ChartConfig {
  readonly id: string;
  readonly initial: string;
  readonly on: Readonly<Record<string, readonly ConfigTransition[]>>;
  readonly states: Readonly<Record<string, ConfigState>>;
}

/** Makes XState JSON from a table. */
export function chartConfig(table: AnyTable): ChartConfig {
  const names = Object.keys(table.states);
  const parentOf = (name: string): string | undefined => table.states[name]?.parent;
  const state = (name: string): ConfigState => {
    const children = names.filter((each) => parentOf(each) === name);
    const requests = [
      ...new Set(
        table.rows.filter((row) => row.target === name && row.request !== null).map((row) => row.request ?? ''),
      ),
    ];
    const rows = table.rows.filter((row) => row.from.includes(name));
    return {
      description: table.states[name]?.description ?? '',
      ...(requests.length === 0 ? {} : { entry: requests.map((type) => ({ type })) }),
      ...(rows.length === 0 ? {} : { on: byEvent(table, rows) }),
      ...(children.length === 0
        ? {}
        : { initial: children[0] ?? '', states: Object.fromEntries(children.map((child) => [child, state(child)])) }),
    };
  };
  return {
    id: table.id,
    initial: parentOf(table.initial) ?? table.initial,
    on: byEvent(table, table.rows),
    states: Object.fromEntries(names.filter((name) => parentOf(name) === undefined).map((name) => [name, state(name)])),
  };
}

function byEvent(table: AnyTable, rows: readonly AnyRow[]): Record<string, readonly ConfigTransition[]> {
  const events: Record<string, ConfigTransition[]> = {};
  for (const row of rows) {
    const parent = row.target === null ? undefined : table.states[row.target]?.parent;
    const path = row.target === null ? null : `#${table.id}.${parent === undefined ? '' : `${parent}.`}${row.target}`;
    (events[row.on] ??= []).push({
      ...(path === null ? {} : { target: path }),
      guard: { type: row.guard, params: { row: row.id } },
      ...(row.request === null || path === null ? {} : { reenter: true as const }),
      description: `${row.id} ${row.title}`,
    });
  }
  return events;
}
