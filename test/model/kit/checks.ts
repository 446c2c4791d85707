// What must hold for every machine that is made from a table. Each check lists what is wrong; an empty list is good.

import { getShortestPaths } from '@xstate/graph';
import type { AnyStateMachine } from 'xstate';
import { born, leafState, restore, restOf, step, type Rest, type Snapshot } from '../../../machines/kit/step.js';
import { TURN_STEPS_MAX } from '../../../src/limits.js';
import { changed } from './decisions.js';
import { eventsOf, exampleOfRows, leafStates, rowFor, type AnyModel, type ModelEvent, type Size } from './model.js';

const FINDINGS_MAX = 10;
const REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

/** Every combination is answered; rows speak only what the API accepts; nothing throws and nothing is changed. */
export function findGaps(model: AnyModel, size: Size): readonly string[] {
  return collect(eventsOf(model, size), (event) => {
    const row = rowFor(model, event);
    if (row === undefined) return `nobody answers ${describeEvent(event)}`;
    const afterMs = row.requeue?.afterMs(event.facts) ?? null;
    if (afterMs !== null && !(Number.isFinite(afterMs) && afterMs >= 0)) return `${row.id}: requeue after ${afterMs}`;
    row.waitsFor?.(event.facts);
    for (const { type, reason, message, v1beta1 } of row.conditions(event.facts)) {
      if (!REASON.test(reason)) return `${row.id}: reason ${JSON.stringify(reason)} of ${type}`;
      if (typeof message !== 'string' || message.length > 32_768) return `${row.id}: message of ${type}`;
      if ((v1beta1?.message ?? '').length > 10_240) return `${row.id}: v1beta1 message of ${type}`;
    }
    return null;
  });
}

/** Rows that never decide. */
export function findUntakenRows(model: AnyModel, size: Size): readonly string[] {
  const taken = exampleOfRows(model, size);
  return model.table.rows
    .filter(({ id }) => !taken.has(id))
    .map(({ id, title }) => `row ${id} (${title}) never decides`);
}

/** States that no story leads to: by all arrows, and by the drawn ones alone. */
export function findUnreachedStates(model: AnyModel, size: Size): readonly string[] {
  const events = [...exampleOfRows(model, size).values()].map(({ type, facts }) => ({ type, facts, nowMs: 1 }));
  const machine = chartOf(model);
  const paths = getShortestPaths(
    machine as never,
    {
      events: events as never,
      serializeState: (snapshot: unknown) => JSON.stringify((snapshot as Snapshot).value),
      serializeEvent: (event: unknown) => String(events.indexOf(event as never)),
    } as never,
  ) as readonly { readonly state: Snapshot }[];
  const reached = new Set(paths.map(({ state }) => leafState(state.value)));
  const drawn = drawnStates(model);
  return leafStates(model).flatMap((state) => [
    ...(reached.has(state) ? [] : [`state ${state} is never reached`]),
    ...(drawn.has(state) ? [] : [`state ${state} is not reached by drawn arrows`]),
  ]);
}

/** In every state, the chart does what the first row that fits says. */
export function findDisagreements(model: AnyModel, size: Size): readonly string[] {
  const machine = chartOf(model);
  const states = leafStates(model);
  return collect(eventsOf(model, size), (event) => {
    const row = rowFor(model, event);
    if (row === undefined) return null;
    for (const state of states) {
      const target = row.target ?? state;
      const { rest, requests } = take(machine, at(machine, model, state), event);
      const problem =
        leafState(rest.value) !== target
          ? `goes to ${leafState(rest.value)} instead of ${target}`
          : rest.context.row !== row.id
            ? `remembers ${rest.context.row}`
            : requests.join() !== (row.request ?? '')
              ? `asks for ${requests.join() || 'nothing'} instead of ${row.request ?? 'nothing'}`
              : (rest.context.sinceMs === SINCE_MS) !== (target === state)
                ? `is there since ${rest.context.sinceMs}`
                : null;
      if (problem !== null) return `${state}: ${row.id} ${problem} on ${describeEvent(event)}`;
    }
    return null;
  });
}

/** An actor that forgot everything sees the same as one that did not. */
export function findMemories(model: AnyModel, size: Size): readonly string[] {
  const machine = chartOf(model);
  return collect(looks(model, size), (event) => {
    const fresh = take(machine, born(machine), event);
    for (const state of leafStates(model)) {
      const old = take(machine, at(machine, model, state), event);
      const hasTarget = rowFor(model, event)?.target !== null;
      if (old.rest.context.row !== fresh.rest.context.row)
        return `${state} decides otherwise on ${describeEvent(event)}`;
      if (hasTarget && leafState(old.rest.value) !== leafState(fresh.rest.value))
        return `${state} ends elsewhere on ${describeEvent(event)}`;
      if (old.requests.join() !== fresh.requests.join())
        return `${state} asks for something else on ${describeEvent(event)}`;
    }
    return null;
  });
}

/** Looking twice at the same thing changes nothing, not even the wake-up. */
export function findRestlessness(model: AnyModel, size: Size): readonly string[] {
  const machine = chartOf(model);
  return collect(looks(model, size), (event) => {
    const once = take(machine, born(machine), event);
    const twice = take(machine, once.after, event, LOOK_MS + 1);
    const wakeAtMs = once.rest.context.wakeAtMs;
    const expected = wakeAtMs !== null && wakeAtMs <= LOOK_MS + 1 ? twice.rest.context.wakeAtMs : wakeAtMs;
    return JSON.stringify(twice.rest) ===
      JSON.stringify({ ...once.rest, context: { ...once.rest.context, wakeAtMs: expected } })
      ? null
      : `${JSON.stringify(once.rest)} becomes ${JSON.stringify(twice.rest)} on ${describeEvent(event)}`;
  });
}

/** Whatever effects answer, a turn ends: no story of one turn takes more than the bound. */
export function findEndlessTurns(model: AnyModel, size: Size): readonly string[] {
  const max = model.stepsMax ?? TURN_STEPS_MAX;
  const machine = chartOf(model);
  const longest = (snapshot: Snapshot, event: ModelEvent, path: readonly string[]): readonly string[] | null => {
    const { after, requests } = take(machine, snapshot, event);
    const request = requests[0];
    if (request === undefined) return null;
    const asked = [...path, request];
    if (asked.length > max) return asked;
    const replies = model.answers[request]?.(event.facts) ?? [];
    const failures = model.failures.filter((failure) => failure.request === request);
    const events = [
      ...replies.map(({ type, learned }) => ({
        type,
        facts: changed(event.facts, { failure: null, ...learned }),
      })),
      ...failures.map((failure) => ({ type: 'EFFECT_FAILED', facts: changed(event.facts, { failure }) })),
    ];
    for (const next of events) {
      const found = longest(after, next, asked);
      if (found !== null) return found;
    }
    return null;
  };
  return collect(looks(model, size), (event) => {
    const path = longest(born(machine), event, []);
    return path === null ? null : `a turn without end: ${path.join(', ')} on ${describeEvent(event)}`;
  });
}

const SINCE_MS = 77;
const LOOK_MS = 1_000;

function* looks(model: AnyModel, size: Size): Generator<ModelEvent> {
  for (const event of eventsOf(model, size)) {
    if (event.type === 'OBSERVED' && (model.isPossible?.(event.facts) ?? true)) yield event;
  }
}

function chartOf({ createChart, table }: AnyModel): AnyStateMachine {
  return createChart(table as never);
}

function drawnStates({ table }: AnyModel): ReadonlySet<string> {
  const reached = new Set([table.initial]);
  for (let grew = true; grew;) {
    grew = false;
    for (const { from, target } of table.rows) {
      if (target === null || reached.has(target) || !from.some((source) => isWithin(table, reached, source))) continue;
      reached.add(target);
      grew = true;
    }
  }
  return reached;
}

/** A row that is drawn from a parent is drawn from each of its children. */
function isWithin(table: AnyModel['table'], reached: ReadonlySet<string>, source: string): boolean {
  return reached.has(source) || [...reached].some((state) => table.states[state]?.parent === source);
}

function at(machine: AnyStateMachine, { table }: AnyModel, state: string): Snapshot {
  const parent = table.states[state]?.parent;
  const value = parent === undefined ? state : { [parent]: state };
  const snapshot = restore(machine, { value, context: { row: null, sinceMs: SINCE_MS, wakeAtMs: null } });
  if (snapshot === null) throw new Error(`${table.id} cannot be in ${state}`);
  return { ...snapshot, context: { ...snapshot.context, row: 'elsewhere' } } as Snapshot;
}

function take(
  machine: AnyStateMachine,
  snapshot: Snapshot,
  { type, facts }: ModelEvent,
  nowMs = LOOK_MS,
): { readonly after: Snapshot; readonly rest: Rest; readonly requests: readonly string[] } {
  const { after, requests } = step(machine, snapshot, { type, facts, nowMs } as never);
  return { after, rest: restOf(after), requests: requests.map((request) => request.type) };
}

function collect(events: Iterable<ModelEvent>, problemOf: (event: ModelEvent) => string | null): readonly string[] {
  const findings: string[] = [];
  for (const event of events) {
    let problem: string | null;
    try {
      problem = problemOf(event);
    } catch (error) {
      problem = `${error instanceof Error ? error.message : String(error)} on ${describeEvent(event)}`;
    }
    if (problem !== null) findings.push(problem);
    if (findings.length === FINDINGS_MAX) break;
  }
  return findings;
}

function describeEvent({ type, facts }: ModelEvent): string {
  return `${type} ${JSON.stringify(facts)}`;
}
