// What every chart is made of: guards on facts, arrows from rows, and what is recorded of a decision.
//
// XState decides: the rows of an event stand on the chart in their order, and the first one whose guard holds is taken.
//
//   M1. No timers, no invoked work, no final states: time comes in with events, wishes to wake go out in the context.
//   M2. A row's side effect is one action of its transition, by name: it emits the name, and the host carries it out.
//   M3. A wake-up is kept until it is due: later rows that are the same, or have the same requeue, never push it.
//       A row that only interrupts leaves it as it is.

import type { ActorContext, ActorEvent, Row, RowNote } from './row.js';

/** Predicates on facts, by the names that the chart shows. */
export type Guards<Facts> = Readonly<Record<string, (facts: Facts) => boolean>>;

/** The guards of a chart: each asks the facts that its event carries. */
export function onFacts<Facts, Names extends string>(
  guards: Readonly<Record<Names, (facts: Facts) => boolean>>,
): { [Name in Names]: (args: { readonly event: { readonly facts: Facts } }) => boolean } {
  const entries = Object.entries<(facts: Facts) => boolean>(guards);
  return Object.fromEntries(
    entries.map(([name, holds]) => [
      name,
      ({ event }: { readonly event: { readonly facts: Facts } }) => holds(event.facts),
    ]),
  ) as { [Name in Names]: (args: { readonly event: { readonly facts: Facts } }) => boolean };
}

/** Params of the actions that tell of a row. */
export interface RowParams {
  readonly row: string;
}

/** One row as a transition of a chart. */
export interface Arrow<State extends string, Action extends string, Guard extends string> {
  readonly guard: Guard;
  readonly description: string;
  readonly target?: `#${State}`;
  readonly actions: readonly ({ readonly type: 'record' | 'tell'; readonly params: RowParams } | Action)[];
}

/** Transitions by the event that they answer. */
export type Arrows<Event extends string, State extends string, Action extends string, Guard extends string> = {
  [E in Event]?: Arrow<State, Action, Guard>[];
};

/** The transitions of rows, in their order. States are named by their id. */
export function arrowsOf<
  State extends string,
  Facts,
  Action extends string,
  Result extends string,
  Guard extends string,
>(
  rows: readonly Row<State, Facts, Action, Result, Guard>[],
): Arrows<ActorEvent<Facts, Result>['type'], State, Action, Guard> {
  const arrows: Arrows<ActorEvent<Facts, Result>['type'], State, Action, Guard> = {};
  for (const { id, title, on, guard, target, request } of rows) {
    const params: RowParams = { row: id };
    (arrows[on] ??= []).push({
      guard,
      description: `${id} ${title}`,
      ...(target === null ? {} : { target: `#${target}` as const }),
      actions: [{ type: 'record', params }, { type: 'tell', params }, ...(request === null ? [] : [request])],
    });
  }
  return arrows;
}

/** Context of a chart, with the state whose entry set `sinceMs`: a row that leads to the same state again is no arrival. */
export interface ChartContext extends ActorContext {
  readonly entered: string | null;
}

/** The context of an actor that was never told anything. */
export const newborn: ChartContext = { row: null, sinceMs: 0, wakeAtMs: null, entered: null };

/** The context after a row: who decided, and when the actor wants to be woken. */
export function recorded<Facts>(
  rows: readonly Row<string, Facts, string, string>[],
  { context, event }: { readonly context: ChartContext; readonly event: ActorEvent<Facts, string> },
  id: string,
): Partial<ChartContext> {
  const row = rows.find((each) => each.id === id);
  const before = rows.find((each) => each.id === context.row);
  const isSameWish = before !== undefined && (before === row || before.requeue === row?.requeue);
  const kept = isSameWish && context.wakeAtMs !== null && context.wakeAtMs > event.nowMs ? context.wakeAtMs : Infinity;
  const afterMs = row?.requeue?.afterMs(event.facts) ?? null;
  const isStillToCome = context.wakeAtMs !== null && context.wakeAtMs > event.nowMs;
  const interruptedWake = row?.isInterruption === true && isStillToCome ? context.wakeAtMs : null;
  return {
    row: id,
    wakeAtMs: afterMs === null ? interruptedWake : Math.min(kept, event.nowMs + afterMs),
    sinceMs: context.row === null ? event.nowMs : context.sinceMs,
  };
}

/** The context after a state was entered. */
export function arrived(
  { context, event }: { readonly context: ChartContext; readonly event: { readonly nowMs?: number } },
  state: string,
): Partial<ChartContext> {
  return context.entered === state ? {} : { entered: state, sinceMs: event.nowMs ?? context.sinceMs };
}

/** What the host is told of a row that decided. */
export function noteOf<Facts>({ event }: { readonly event: { readonly facts: Facts } }, row: string): RowNote<Facts> {
  return { type: 'decided', row, facts: event.facts };
}

/** A state without children: entering it sets since when the actor is there. */
export const state = <Name extends string>(id: Name, description: string) =>
  ({ id, description, entry: { type: 'arrive', params: { state: id } } }) as const;
