// A small table for tests of the kit and the host: wait for a thing, make it, watch it, rest.

import { assign, emit, setup, type AnyStateMachine } from 'xstate';
import {
  arrived,
  arrowsOf,
  newborn,
  noteOf,
  onFacts,
  recorded,
  state,
  type ChartContext,
  type RowParams,
} from '../../../machines/kit/chart.js';
import type {
  ActorEvent,
  BaseFacts,
  ConditionIntent,
  EffectRequest,
  Row,
  RowNote,
  Table,
} from '../../../machines/kit/row.js';
import { tableOf } from '../../../machines/kit/table-of.js';

export type ToyState = 'Waiting' | 'Making' | 'Watching' | 'Resting';
export type ToyRequest = 'make' | 'check';
export type ToyReply = 'MADE' | 'CHECKED';

export interface ToyFacts extends BaseFacts<ToyRequest> {
  readonly ready: boolean;
  readonly made: boolean;
  readonly joined: boolean;
  readonly checkDue: boolean;
}

type ToyRow = Row<ToyState, ToyFacts, ToyRequest, ToyReply>;

const row = (more: Partial<ToyRow> & Pick<ToyRow, 'id' | 'from' | 'guard'>): ToyRow => ({
  requirements: [],
  title: more.id,
  description: `Row ${more.id} of the toy table.`,
  on: 'OBSERVED',
  target: null,
  request: null,
  requeue: null,
  conditions: () => [],
  ...more,
});

const checks = { afterMs: () => 300_000, why: 'checks' };

const isMade = (): readonly ConditionIntent[] => [{ type: 'Made', status: 'True', reason: 'Made', message: '' }];

export const toyRows: readonly ToyRow[] = [
  row({
    id: 'T01',
    from: ['Waiting'],
    guard: 'isNotReady',
    target: 'Waiting',
    conditions: () => [{ type: 'Made', status: 'False', reason: 'Waiting', message: 'waits' }],
  }),
  row({
    id: 'T02',
    from: ['Watching'],
    guard: 'hasJoined',
    target: 'Resting',
    conditions: isMade,
  }),
  row({
    id: 'T03',
    from: ['Watching'],
    guard: 'isCheckDue',
    conditions: isMade,
    target: 'Watching',
    request: 'check',
  }),
  row({
    id: 'T04',
    from: ['Watching'],
    guard: 'isMade',
    conditions: isMade,
    target: 'Watching',
    requeue: checks,
  }),
  row({
    id: 'T05',
    from: ['Waiting', 'Making'],
    guard: 'otherwise',
    target: 'Making',
    request: 'make',
  }),
  row({
    id: 'T06',
    on: 'MADE',
    from: ['Making'],
    guard: 'always',
    target: 'Watching',
    requeue: checks,
    conditions: isMade,
  }),
  row({
    id: 'T07',
    on: 'CHECKED',
    from: ['Watching'],
    guard: 'always',
    conditions: isMade,
    target: 'Watching',
    requeue: { afterMs: () => 300_000, why: 'checks' },
  }),
  row({
    id: 'T08',
    on: 'EFFECT_FAILED',
    from: ['Making', 'Watching'],
    guard: 'always',
    conditions: (f) => [{ type: 'Made', status: 'False', reason: 'Failed', message: f.failure?.message ?? '' }],
  }),
];

export const toyGuards = {
  isNotReady: (f: ToyFacts) => !f.ready,
  hasJoined: (f: ToyFacts) => f.made && f.joined,
  isCheckDue: (f: ToyFacts) => f.made && f.checkDue,
  isMade: (f: ToyFacts) => f.made,
  otherwise: () => true,
  always: () => true,
} as const;

interface Given {
  readonly rows: readonly ToyRow[];
  readonly guards: Table<ToyState, ToyFacts, ToyRequest, ToyReply>['guards'];
}

const setupOf = (given: Given) =>
  setup({
    types: {
      context: {} as ChartContext,
      events: {} as ActorEvent<ToyFacts, ToyReply>,
      emitted: {} as EffectRequest<ToyRequest> | RowNote<ToyFacts>,
    },
    guards: onFacts(given.guards),
    actions: {
      record: assign((args, { row }: RowParams) => recorded(given.rows, args, row)),
      tell: emit((args, { row }: RowParams) => noteOf(args, row)),
      arrive: assign((args, { state }: { readonly state: string }) => arrived(args, state)),
      make: emit({ type: 'make' }),
      check: emit({ type: 'check' }),
    },
  });

/** The chart of rows. */
export const createToyChart = (given: Given): AnyStateMachine =>
  setupOf(given).createMachine({
    id: 'toy',
    context: newborn,
    initial: 'Waiting',
    on: arrowsOf(given.rows),
    states: {
      Waiting: state('Waiting', 'Waits for readiness.'),
      Making: state('Making', 'Makes the thing.'),
      Watching: state('Watching', 'Watches the thing.'),
      Resting: state('Resting', 'Nothing to do.'),
    },
  });

/** The same rows with Resting inside of After. */
export const createNestedToyChart = (given: Given): AnyStateMachine =>
  setupOf(given).createMachine({
    id: 'toy',
    context: newborn,
    initial: 'Waiting',
    on: arrowsOf(given.rows),
    states: {
      Waiting: state('Waiting', 'Waits for readiness.'),
      Making: state('Making', 'Makes the thing.'),
      Watching: state('Watching', 'Watches the thing.'),
      After: {
        description: 'Later on.',
        initial: 'Resting',
        states: { Resting: state('Resting', 'Nothing to do.') },
      },
    },
  });

export const toyChart = createToyChart({ rows: toyRows, guards: toyGuards });

export const toyTable: Table<ToyState, ToyFacts, ToyRequest, ToyReply> = tableOf(toyChart, {
  rows: toyRows,
  guards: toyGuards,
  requests: { make: 'Makes the thing.', check: 'Checks the thing.' },
});

export const toyFacts = (more: Partial<ToyFacts> = {}): ToyFacts => ({
  ready: false,
  made: false,
  joined: false,
  checkDue: false,
  failure: null,
  ...more,
});
