// A transition table as an XState machine.
//
// Each state draws the arrows of its own life (`from`); the root holds the whole table, so that a lost reply, a crash or a
// lost snapshot heals on the next look, from any state. Both ask the same question, *does this row decide?*, so they agree.
//
//   M1. No timers, no invoked work, no final states: time comes in with events, wishes to wake go out in the context.
//   M2. A row with a request re-enters its state, whose entry asks for the effect; a row without one that stays has no target.
//       A row that leaves the state alone asks by itself where the root answers it.
//   M3. A wake-up is kept until it is due: later looks that end in the same row, or in a row with the same requeue, never push it.
//       A row that only interrupts leaves it as it is.

import { assign, enqueueActions, setup, type AnyStateMachine } from 'xstate';
import { checkTable } from './check-table.js';
import { decide, rowById } from './decide.js';
import type { ActorContext, ActorEvent, EffectRequest, Row, Table } from './row.js';

/** A machine made from a table. */
export type RowMachine = AnyStateMachine;

type AnyTable = Table<string, object, string, string>;
type AnyRow = Row<string, object, string, string>;
type AnyEvent = ActorEvent<object, string>;

interface RowParams {
  readonly row: string;
}

/** Context of a machine, with the state whose entry set `sinceMs`: without it re-entering would look like arriving. */
export interface MachineContext extends ActorContext {
  readonly entered: string | null;
}

/** Makes the machine of a table. Throws when the table contradicts itself: that is a bug, found at start. */
export function createRowMachine<
  State extends string,
  Facts extends object,
  Request extends string,
  Reply extends string,
>(given: Table<State, Facts, Request, Reply>): RowMachine {
  const table = given as unknown as AnyTable;
  checkTable(table);
  const names = Object.keys(table.states);
  const parentOf = (name: string): string | undefined => table.states[name]?.parent;

  const state = (name: string): object => {
    const children = names.filter((each) => parentOf(each) === name);
    const rows = table.rows.filter((row) => row.from.includes(name));
    return {
      description: table.states[name]?.description ?? '',
      ...(rows.length === 0 ? {} : { on: arrows(table, rows, name) }),
      ...(children.length === 0
        ? { entry: [{ type: 'arrive', params: { state: name } }, ...requestsOnEntry(table, name)] }
        : { initial: children[0], states: Object.fromEntries(children.map((child) => [child, state(child)])) }),
    };
  };

  return setup({
    types: { context: {} as MachineContext, events: {} as AnyEvent, emitted: {} as EffectRequest<string> },
    guards: guardsOf(table),
    actions: actionsOf(table),
  } as never).createMachine({
    id: table.id,
    context: { row: null, sinceMs: 0, wakeAtMs: null, entered: null },
    initial: parentOf(table.initial) ?? table.initial,
    on: arrows(table, table.rows, null),
    states: Object.fromEntries(names.filter((name) => parentOf(name) === undefined).map((name) => [name, state(name)])),
  } as never) as unknown as RowMachine;
}

/** The requests that entering a state may ask for: those of rows that lead there. */
function requestsOnEntry(table: AnyTable, state: string): readonly string[] {
  return unique(
    table.rows.flatMap((row) => {
      const leadsHere = row.target === state || (row.target === null && row.from.includes(state));
      return leadsHere && row.request !== null ? [row.request] : [];
    }),
  );
}

/** The transitions of some rows, by event. `source` is null for the root table. */
function arrows(table: AnyTable, rows: readonly AnyRow[], source: string | null): Record<string, object[]> {
  const events: Record<string, object[]> = {};
  const isLeaf = (name: string | null): boolean =>
    name !== null && !Object.values(table.states).some((state) => state.parent === name);
  for (const row of rows) {
    const params: RowParams = { row: row.id };
    const decided = { type: 'decided', params };
    const target = row.target ?? (row.request !== null && isLeaf(source) ? source : null);
    const stays = target === null || (target === source && row.request === null);
    (events[row.on] ??= []).push({
      guard: { type: row.guardName, params },
      description: `${row.id} ${row.title}`,
      ...(stays
        ? { actions: row.request === null ? [decided] : [decided, row.request] }
        : { actions: [decided], target: `#${table.id}.${pathOf(table, target)}`, reenter: row.request !== null }),
    });
  }
  return events;
}

function pathOf(table: AnyTable, state: string): string {
  const parent = table.states[state]?.parent;
  return parent === undefined ? state : `${parent}.${state}`;
}

/** One guard per name. Rows that share a name share the question: does *this* row decide? */
function guardsOf(table: AnyTable): Record<string, unknown> {
  const decides = ({ event }: { readonly event: AnyEvent }, params: RowParams): boolean =>
    decide(table, event.type, event.facts).id === params.row;
  return Object.fromEntries(unique(table.rows.map((row) => row.guardName)).map((name) => [name, decides]));
}

function actionsOf(table: AnyTable): Record<string, unknown> {
  const requests = Object.keys(table.requests).map((request) => [
    request,
    enqueueActions(({ context, enqueue }) => {
      const row = rowById(table, (context as MachineContext).row);
      if (row?.request === request) enqueue.emit({ type: request } as never);
    }),
  ]);
  return {
    ...Object.fromEntries(requests),
    decided: assign(({ context, event }, params) =>
      decided(table, context as MachineContext, event as unknown as AnyEvent, params as unknown as RowParams),
    ),
    arrive: assign(({ context, event }, params) =>
      arrived(
        context as MachineContext,
        event as unknown as Partial<AnyEvent>,
        (params as unknown as { readonly state: string }).state,
      ),
    ),
  };
}

function decided(
  table: AnyTable,
  context: MachineContext,
  event: AnyEvent,
  { row: rowId }: RowParams,
): Partial<MachineContext> {
  const row = rowById(table, rowId);
  const before = rowById(table, context.row);
  const isSameWish = before !== undefined && (before === row || before.requeue === row?.requeue);
  const kept = isSameWish && context.wakeAtMs !== null && context.wakeAtMs > event.nowMs ? context.wakeAtMs : Infinity;
  const afterMs = row?.requeue?.afterMs(event.facts) ?? null;
  const isStillToCome = context.wakeAtMs !== null && context.wakeAtMs > event.nowMs;
  const interruptedWake = row?.isInterruption === true && isStillToCome ? context.wakeAtMs : null;
  return {
    row: rowId,
    wakeAtMs: afterMs === null ? interruptedWake : Math.min(kept, event.nowMs + afterMs),
    sinceMs: context.row === null ? event.nowMs : context.sinceMs,
  };
}

function arrived(context: MachineContext, event: Partial<AnyEvent>, state: string): Partial<MachineContext> {
  if (context.entered === state) return {};
  return { entered: state, sinceMs: event.nowMs ?? context.sinceMs };
}

function unique(words: readonly string[]): readonly string[] {
  return [...new Set(words)];
}
