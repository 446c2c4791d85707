// One transition of a chart without an actor: for tests, `explain` and the graph. Pure.

import { getInitialSnapshot, transition, type AnyMachineSnapshot, type AnyStateMachine } from 'xstate';
import type { ChartContext } from './chart.js';
import type { ActorContext, ActorEvent, EffectRequest, RowNote } from './row.js';

/** An actor at rest: what is persisted of it. */
export interface Rest {
  /** XState's state value: a name, or `{ Parent: 'Child' }`. */
  readonly value: unknown;
  readonly context: ActorContext;
}

/** A chart: XState's machine, whatever its types. */
export type Chart = AnyStateMachine;

/** A chart's snapshot with the names that we use of it. */
export type Snapshot = AnyMachineSnapshot;

/** An actor that was never asked anything. */
export function born(chart: AnyStateMachine): Snapshot {
  return getInitialSnapshot(chart);
}

/** What one event did: the snapshot afterwards, what was asked for, and the rows that decided, with the facts they saw. */
export interface Step<Facts, Request extends string> {
  readonly after: Snapshot;
  readonly requests: readonly EffectRequest<Request>[];
  readonly rows: readonly RowNote<Facts>[];
}

/** One transition. */
export function step<Facts, Request extends string, Reply extends string>(
  chart: AnyStateMachine,
  snapshot: Snapshot,
  event: ActorEvent<Facts, Reply>,
): Step<Facts, Request> {
  const [after, actions] = transition(chart, snapshot, event as never);
  const emitted = (actions as readonly { readonly type: string; readonly params: unknown }[])
    .filter((action) => action.type === 'xstate.emit')
    .map((action) => (action.params as { readonly event: EffectRequest<Request> | RowNote<Facts> }).event);
  return {
    after: after as Snapshot,
    requests: emitted.filter((each): each is EffectRequest<Request> => !isRowNote(each)),
    rows: emitted.filter((each): each is RowNote<Facts> => isRowNote(each)),
  };
}

/** Whether an actor tells of a row, or asks for an effect. */
export function isRowNote<Facts>(emitted: { readonly type: string }): emitted is RowNote<Facts> {
  return emitted.type === 'decided';
}

/** Id of the row that decides on facts, from any state. Throws when no row does: a chart must be total. */
export function rowOnFacts<Facts>(chart: AnyStateMachine, facts: Facts, type = 'OBSERVED'): string {
  const { rows } = step(chart, born(chart), { type, nowMs: 0, facts } as ActorEvent<Facts, string>);
  const [row] = rows;
  if (row === undefined) throw new Error(`${chart.id}: no row answers ${type}; the table is not total`);
  return row.row;
}

/** The innermost state of a snapshot or state value. */
export function leafState(value: unknown): string {
  if (typeof value === 'string') return value;
  const inner = typeof value === 'object' && value !== null ? Object.values(value)[0] : undefined;
  return inner === undefined ? '' : leafState(inner);
}

/** The state as text, nested states joined by `:`. */
export function statePath(value: unknown): string {
  if (typeof value === 'string') return value;
  const [parent, inner] = typeof value === 'object' && value !== null ? (Object.entries(value)[0] ?? []) : [];
  return parent === undefined ? '' : `${parent}:${statePath(inner)}`;
}

/** What is kept of a snapshot. */
export function restOf(snapshot: Snapshot): Rest {
  const { row, sinceMs, wakeAtMs } = snapshot.context as ChartContext;
  return { value: snapshot.value, context: { row, sinceMs, wakeAtMs } };
}

/** A snapshot from what was kept; null when the chart has no such state or the context is not one. */
export function restore(chart: AnyStateMachine, rest: Rest): Snapshot | null {
  if (!isContext(rest.context)) return null;
  const leaf = leafState(rest.value);
  try {
    const snapshot = chart.resolveState({
      value: rest.value as never,
      context: { ...rest.context, entered: leaf } as never,
    }) as Snapshot;
    return snapshot.status === 'active' && leafState(snapshot.value) === leaf ? snapshot : null;
  } catch {
    return null;
  }
}

function isContext(context: unknown): context is ActorContext {
  if (typeof context !== 'object' || context === null) return false;
  const { row, sinceMs, wakeAtMs } = context as Partial<ActorContext>;
  return (row === null || typeof row === 'string') && isTime(sinceMs) && (wakeAtMs === null || isTime(wakeAtMs));
}

/** The last millisecond that a date can be. */
const TIME_MAX_MS = 8_640_000_000_000_000;

/** Whether these epoch milliseconds are a date: what is stored may be forged. */
export function isTime(ms: unknown): ms is number {
  return typeof ms === 'number' && Number.isSafeInteger(ms) && Math.abs(ms) <= TIME_MAX_MS;
}
