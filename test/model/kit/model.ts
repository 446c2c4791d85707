// What a model test knows of a machine: its table, the facts it can be asked about, and what its effects can answer.

import type { AnyStateMachine } from 'xstate';
import type { BaseFacts, Failure, Row, Table } from '../../../machines/kit/row.js';
import { combinations, type Axes } from './axes.js';
import { decisions } from './decisions.js';

/** An answer of an effect. */
export interface Answer<Facts, Reply extends string> {
  readonly type: Reply;
  readonly learned: Partial<Facts>;
}

/** One machine and its surroundings. */
export interface MachineModel<
  State extends string,
  Facts extends BaseFacts<Request>,
  Request extends string,
  Reply extends string = never,
> {
  readonly table: Table<State, Facts, Request, Reply>;
  /** Makes the chart of rows and guards: the machine's own, or with a planted mistake. */
  readonly createChart: (given: never) => AnyStateMachine;
  /** Facts of a usual situation; axes vary them. */
  readonly base: Facts;
  readonly axes: Axes<Facts>;
  /** Combinations that cannot be are left out of the story tests, never of totality. */
  readonly isPossible?: (facts: Facts) => boolean;
  /** Everything that an effect may answer, given what it was asked with. */
  readonly answers: { readonly [R in Request]: (facts: Facts) => readonly Answer<Facts, Reply>[] };
  /** One failure of each kind. */
  readonly failures: readonly Failure<Request>[];
  /** Effects that one turn may take at most; the host's bound by default. */
  readonly stepsMax?: number;
}

/** A model whose type parameters do not matter. */
export type AnyModel = MachineModel<string, BaseFacts, string, string>;
/** A row whose type parameters do not matter. */
export type AnyRow = Row<string, BaseFacts, string, string>;

/** Something that is sent to a machine. */
export interface ModelEvent {
  readonly type: string;
  readonly facts: BaseFacts;
}

/** Forgets the type parameters of a model. */
export function anyModel<
  State extends string,
  Facts extends BaseFacts<Request>,
  Request extends string,
  Reply extends string,
>(model: MachineModel<State, Facts, Request, Reply>): AnyModel {
  return model as unknown as AnyModel;
}

/** States without children. */
export function leafStates({ table }: AnyModel): readonly string[] {
  const parents = new Set(Object.values(table.states).map(({ parent }) => parent));
  return Object.keys(table.states).filter((state) => !parents.has(state));
}

/** How many combinations are tried: a sample with pairs (all where there are few), or all, by decisions. */
export type Size = { readonly max: number; readonly seed: number } | 'all';

/** Every event with facts: looks, replies and failures, in many combinations. */
export function* eventsOf(model: AnyModel, size: Size): Generator<ModelEvent> {
  const { base, axes, failures } = model;
  const replies = replyTypes(model);
  if (size === 'all') {
    for (const type of ['OBSERVED', ...replies]) {
      for (const facts of decisions(base, axes)) yield { type, facts };
    }
    for (const failure of failures) {
      for (const facts of decisions({ ...base, failure }, { ...axes, failure: [failure] }))
        yield { type: 'EFFECT_FAILED', facts };
    }
    return;
  }
  for (const facts of combinations(base, axes, size)) {
    yield { type: 'OBSERVED', facts };
    for (const type of replies) yield { type, facts };
    for (const failure of failures) yield { type: 'EFFECT_FAILED', facts: Object.freeze({ ...facts, failure }) };
  }
}

/** The replies that rows answer. */
export function replyTypes({ table }: AnyModel): readonly string[] {
  const types = new Set(table.rows.map(({ on }) => on));
  return [...types].filter((type) => type !== 'OBSERVED' && type !== 'EFFECT_FAILED');
}

/** The row that decides, found without the chart: the first one whose event and guard fit. */
export function rowFor({ table }: Pick<AnyModel, 'table'>, { type, facts }: ModelEvent): AnyRow | undefined {
  return table.rows.find((row) => row.on === type && table.guards[row.guard]?.(facts) === true);
}

/** An example event for each row that ever decides. */
export function exampleOfRows(model: AnyModel, size: Size): ReadonlyMap<string, ModelEvent> {
  const examples = new Map<string, ModelEvent>();
  for (const event of eventsOf(model, size)) {
    const id = rowFor(model, event)?.id;
    if (id !== undefined && !examples.has(id)) examples.set(id, event);
    if (examples.size === model.table.rows.length) break;
  }
  return examples;
}
