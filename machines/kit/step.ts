// One transition of a machine without an actor: for tests, `explain` and the graph. Pure.

import { getInitialSnapshot, transition, type AnyMachineSnapshot } from 'xstate';
import type { ActorContext, ActorEvent, EffectRequest } from './row.js';
import type { MachineContext, RowMachine } from './row-machine.js';

/** An actor at rest: what is persisted of it. */
export interface Rest {
  /** XState's state value: a name, or `{ Parent: 'Child' }`. */
  readonly value: unknown;
  readonly context: ActorContext;
}

/** A machine's snapshot with the names that we use of it. */
export type Snapshot = AnyMachineSnapshot;

/** An actor that was never asked anything. */
export function born(machine: RowMachine): Snapshot {
  return getInitialSnapshot(machine);
}

/** One transition: the snapshot afterwards and what was asked for. */
export function step<Facts, Request extends string, Reply extends string>(
  machine: RowMachine,
  snapshot: Snapshot,
  event: ActorEvent<Facts, Reply>,
): { readonly after: Snapshot; readonly requests: readonly EffectRequest<Request>[] } {
  const [after, actions] = transition(machine, snapshot, event as never);
  const requests = (actions as readonly { readonly type: string; readonly params: unknown }[])
    .filter((action) => action.type === 'xstate.emit')
    .map((action) => (action.params as { readonly event: EffectRequest<Request> }).event);
  return { after: after as Snapshot, requests };
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
  const { row, sinceMs, wakeAtMs } = snapshot.context as MachineContext;
  return { value: snapshot.value, context: { row, sinceMs, wakeAtMs } };
}

/** A snapshot from what was kept; null when the machine has no such state or the context is not one. */
export function restore(machine: RowMachine, rest: Rest): Snapshot | null {
  if (!isContext(rest.context)) return null;
  const leaf = leafState(rest.value);
  try {
    const snapshot = machine.resolveState({
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
  return (
    (row === null || typeof row === 'string') &&
    typeof sinceMs === 'number' &&
    (wakeAtMs === null || typeof wakeAtMs === 'number')
  );
}
