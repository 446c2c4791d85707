// Mutants of a transition table: one thing of one row is wrong in each.
//
// A mutant that no combination of facts can tell from the original is no mutant: it is left out, and counted.

import type { ConditionIntent } from '../../../machines/kit/row.js';
import type { BaseFacts } from '../../../machines/kit/row.js';
import { eventsOf, leafStates, rowFor, type AnyModel, type AnyRow, type ModelEvent } from '../../model/kit/model.js';

/** A table with one thing wrong. */
export interface Mutant {
  /** What is wrong: `K07: guard negated`. */
  readonly name: string;
  readonly table: AnyModel['table'];
  /** The only event to which the two tables can answer differently. */
  readonly on: string;
  /** The only row whose events the two tables can answer differently; null where any row's may be. */
  readonly row: string | null;
}

/** All mutants of a table that can be told from it, and how many cannot. */
export interface Mutants {
  readonly mutants: readonly Mutant[];
  readonly equivalent: readonly string[];
}

/** Makes the mutants of a model's table. */
export function mutantsOf(model: AnyModel, size: { readonly max: number; readonly seed: number }): Mutants {
  const all = allMutants(model);
  const equivalent = equivalentOf(model, all, size);
  return { mutants: all.filter(({ name }) => !equivalent.includes(name)), equivalent };
}

/** Every mutant, whether or not it can be told from the table. */
export function allMutants(model: AnyModel): readonly Mutant[] {
  return [...rowMutants(model), ...orderMutants(model)];
}

/** Names of the mutants that no combination of facts tells from the table. */
export function equivalentOf(
  model: AnyModel,
  mutants: readonly Mutant[],
  size: { readonly max: number; readonly seed: number },
): readonly string[] {
  if (mutants.length === 0) return [];
  const judged = [...eventsOf(model, size)].map((event) => {
    const row = rowFor(model, event);
    return { event, row: row?.id, outcome: outcomeOf(row, event) };
  });
  const byType = grouped(judged, ({ event }) => event.type);
  const byRow = grouped(judged, ({ row }) => row ?? '');
  const isDifferent = ({ table, on, row }: Mutant): boolean =>
    ((row === null ? byType.get(on) : byRow.get(row)) ?? []).some(
      ({ event, outcome }) => outcomeOf(rowFor({ table }, event), event) !== outcome,
    );
  return mutants.filter((mutant) => !isDifferent(mutant)).map(({ name }) => name);
}

function grouped<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

/** What a row says about an event, as text; a row that throws says so. */
function outcomeOf(row: AnyRow | undefined, { facts }: ModelEvent): string {
  if (row === undefined) return 'nothing';
  try {
    const { id, target, request } = row;
    const said = [id, target, request, row.requeue?.afterMs(facts) ?? null, row.conditions(facts)];
    return JSON.stringify(said);
  } catch (error) {
    return String(error);
  }
}

function rowMutants(model: AnyModel): readonly Mutant[] {
  const { table } = model;
  const states = leafStates(model);
  const requests = Object.keys(table.requests);
  return table.rows.flatMap((row) => {
    const wrong = (what: string, change: Partial<AnyRow>): Mutant => ({
      name: `${row.id}: ${what}`,
      on: row.on,
      row: row.id,
      table: { ...table, rows: table.rows.map((each) => (each === row ? { ...row, ...change } : each)) },
    });
    return [
      ...guardMutants(model, row),
      ...[...states, null]
        .filter((target) => target !== row.target)
        .map((target) => wrong(`target ${target ?? 'none'} instead of ${row.target ?? 'none'}`, { target })),
      ...[...requests, null]
        .filter((request) => request !== row.request)
        .map((request) =>
          wrong(`asks for ${request ?? 'nothing'} instead of ${row.request ?? 'nothing'}`, { request }),
        ),
      ...requeueMutants(row, wrong),
      ...conditionMutants(row, wrong),
    ];
  });
}

/** The row with another guard. Guards are shared by rows: the others keep theirs. */
function guardMutants({ table }: AnyModel, row: AnyRow): readonly Mutant[] {
  const holds = table.guards[row.guard] ?? (() => false);
  const wrong = (what: string, guard: (facts: BaseFacts) => boolean): Mutant => ({
    name: `${row.id}: ${what}`,
    on: row.on,
    row: null,
    table: {
      ...table,
      guards: { ...table.guards, mutated: guard },
      rows: table.rows.map((each) => (each === row ? { ...row, guard: 'mutated' } : each)),
    },
  });
  return [
    wrong('guard negated', (facts) => !holds(facts)),
    wrong('guard always', () => true),
    wrong('guard never', () => false),
  ];
}

type Wrong = (what: string, change: Partial<AnyRow>) => Mutant;

function requeueMutants(row: AnyRow, wrong: Wrong): readonly Mutant[] {
  const { requeue } = row;
  if (requeue === null) return [wrong('a requeue that is not there', { requeue: { why: '', afterMs: () => 12_345 } })];
  const changed = (change: (ms: number) => number | null) => ({
    requeue: {
      ...requeue,
      afterMs: (facts: BaseFacts) => {
        const ms = requeue.afterMs(facts);
        return ms === null ? null : change(ms);
      },
    },
  });
  return [
    wrong('no requeue', { requeue: null }),
    wrong(
      'requeue later',
      changed((ms) => ms * 2 + 1),
    ),
    wrong(
      'requeue sooner',
      changed((ms) => Math.floor(ms / 2)),
    ),
  ];
}

function conditionMutants(row: AnyRow, wrong: Wrong): readonly Mutant[] {
  const each = (what: string, change: (intent: ConditionIntent) => ConditionIntent): Mutant =>
    wrong(what, { conditions: (facts) => row.conditions(facts).map(change) });
  const flip = (status: ConditionIntent['status']): ConditionIntent['status'] =>
    status === 'True' ? 'False' : status === 'False' ? 'Unknown' : 'True';
  return [
    wrong('no conditions', { conditions: () => [] }),
    wrong('the last condition missing', { conditions: (facts) => row.conditions(facts).slice(0, -1) }),
    each('another status', (intent) => ({ ...intent, status: flip(intent.status) })),
    each('another reason', (intent) => ({ ...intent, reason: `${intent.reason}X` })),
    each('another message', (intent) => ({ ...intent, message: `${intent.message}x` })),
    each('another type', (intent) => ({ ...intent, type: `${intent.type}X` })),
    each('no v1beta1 twin', ({ v1beta1: _, ...intent }) => intent),
    each('another v1beta1 twin', ({ v1beta1, ...intent }) =>
      v1beta1 === undefined ? intent : { ...intent, v1beta1: { ...v1beta1, message: `${v1beta1.message ?? ''}x` } },
    ),
    each('another v1beta1 severity', ({ v1beta1, ...intent }) =>
      v1beta1 === undefined
        ? intent
        : { ...intent, v1beta1: { ...v1beta1, severity: v1beta1.severity === 'Error' ? 'Info' : 'Error' } },
    ),
    each('set only if absent, or always', ({ onlyIfAbsent = false, ...intent }) => ({
      ...intent,
      ...(onlyIfAbsent ? {} : { onlyIfAbsent: true }),
    })),
    each('both API versions, or only one', ({ only, ...intent }) => ({
      ...intent,
      ...(only === undefined ? { only: 'v1beta1' as const } : {}),
    })),
  ];
}

/** Rows of one event in another order: each with the next one. */
function orderMutants({ table }: AnyModel): readonly Mutant[] {
  return table.rows.flatMap((row, index) => {
    const next = table.rows.findIndex((each, other) => other > index && each.on === row.on);
    const later = table.rows[next];
    if (later === undefined) return [];
    return [
      {
        name: `${row.id}: after ${later.id}`,
        on: row.on,
        row: null,
        table: { ...table, rows: table.rows.with(index, later).with(next, row) },
      },
    ];
  });
}
