// A small table for tests of the kit and the host: wait for a thing, make it, watch it, rest.

import type { BaseFacts, ConditionIntent, Row, Table } from '../../../machines/kit/row.js';

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

const row = (more: Partial<ToyRow> & Pick<ToyRow, 'id' | 'from' | 'guardName' | 'guard'>): ToyRow => ({
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
    guardName: 'isNotReady',
    guard: (f) => !f.ready,
    target: 'Waiting',
    conditions: () => [{ type: 'Made', status: 'False', reason: 'Waiting', message: 'waits' }],
  }),
  row({
    id: 'T02',
    from: ['Watching'],
    guardName: 'hasJoined',
    guard: (f) => f.made && f.joined,
    target: 'Resting',
    conditions: isMade,
  }),
  row({
    id: 'T03',
    from: ['Watching'],
    guardName: 'isCheckDue',
    guard: (f) => f.made && f.checkDue,
    conditions: isMade,
    target: 'Watching',
    request: 'check',
  }),
  row({
    id: 'T04',
    from: ['Watching'],
    guardName: 'isMade',
    guard: (f) => f.made,
    conditions: isMade,
    target: 'Watching',
    requeue: checks,
  }),
  row({
    id: 'T05',
    from: ['Waiting', 'Making'],
    guardName: 'otherwise',
    guard: () => true,
    target: 'Making',
    request: 'make',
  }),
  row({
    id: 'T06',
    on: 'MADE',
    from: ['Making'],
    guardName: 'always',
    guard: () => true,
    target: 'Watching',
    requeue: checks,
    conditions: isMade,
  }),
  row({
    id: 'T07',
    on: 'CHECKED',
    from: ['Watching'],
    guardName: 'always',
    guard: () => true,
    conditions: isMade,
    target: 'Watching',
    requeue: { afterMs: () => 300_000, why: 'checks' },
  }),
  row({
    id: 'T08',
    on: 'EFFECT_FAILED',
    from: ['Making', 'Watching'],
    guardName: 'always',
    guard: () => true,
    conditions: (f) => [{ type: 'Made', status: 'False', reason: 'Failed', message: f.failure?.message ?? '' }],
  }),
];

export const toyTable: Table<ToyState, ToyFacts, ToyRequest, ToyReply> = {
  id: 'toy',
  initial: 'Waiting',
  states: {
    Waiting: { description: 'Waits for readiness.' },
    Making: { description: 'Makes the thing.' },
    Watching: { description: 'Watches the thing.' },
    Resting: { description: 'Nothing to do.' },
  },
  rows: toyRows,
  requests: { make: 'Makes the thing.', check: 'Checks the thing.' },
};

export const toyFacts = (more: Partial<ToyFacts> = {}): ToyFacts => ({
  ready: false,
  made: false,
  joined: false,
  checkDue: false,
  failure: null,
  ...more,
});
