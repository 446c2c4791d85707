import { describe, expect, test } from '@jest/globals';
import { createActor } from 'xstate';
import { tableOf } from '../../../machines/kit/table-of.js';
import {
  born,
  leafState,
  restore,
  restOf,
  rowOnFacts,
  statePath,
  step,
  type Snapshot,
} from '../../../machines/kit/step.js';
import { createNestedToyChart, createToyChart, toyChart, toyFacts, toyGuards, toyTable, type ToyFacts } from './toy.js';

const machine = toyChart;
const observed = (nowMs: number, facts: Partial<ToyFacts>, type = 'OBSERVED') =>
  ({ type, nowMs, facts: toyFacts(facts) }) as never;
const at = (snapshot: Snapshot) => ({ state: leafState(snapshot.value), ...restOf(snapshot).context });

describe('chart of rows', () => {
  test('a look: nothing is ready -> stays where it was born, since now', () => {
    const { after, requests } = step(machine, born(machine), observed(5000, {}));
    expect(at(after)).toEqual({ state: 'Waiting', row: 'T01', sinceMs: 5000, wakeAtMs: null });
    expect(requests).toEqual([]);
  });

  test('a row with a request: asked once on entry, asked again on every look', () => {
    const first = step(machine, born(machine), observed(1000, { ready: true }));
    expect(first.requests).toEqual([{ type: 'make' }]);
    const again = step(machine, first.after, observed(2000, { ready: true }));
    expect(again.requests).toEqual([{ type: 'make' }]);
    expect(at(again.after)).toMatchObject({ state: 'Making', sinceMs: 1000 });
  });

  test('a reply: the row of its event -> its target and wake-up', () => {
    const making = step(machine, born(machine), observed(1000, { ready: true })).after;
    const { after, requests } = step(machine, making, observed(1500, { ready: true, made: true }, 'MADE'));
    expect(at(after)).toEqual({ state: 'Watching', row: 'T06', sinceMs: 1500, wakeAtMs: 301_500 });
    expect(requests).toEqual([]);
  });

  test('a wake-up: later looks of the same row -> not pushed until it is due', () => {
    let snapshot = step(machine, born(machine), observed(1000, { ready: true, made: true })).after;
    snapshot = step(machine, snapshot, observed(100_000, { ready: true, made: true })).after;
    expect(at(snapshot).wakeAtMs).toBe(301_000);
    snapshot = step(machine, snapshot, observed(301_000, { ready: true, made: true })).after;
    expect(at(snapshot).wakeAtMs).toBe(601_000);
  });

  test('healing: a look that belongs to another state -> goes there from anywhere', () => {
    for (const value of ['Waiting', 'Making', 'Watching', 'Resting']) {
      const somewhere = restore(machine, { value, context: { row: 'T01', sinceMs: 1, wakeAtMs: null } });
      const { after } = step(machine, somewhere as Snapshot, observed(9000, { ready: true, made: true, joined: true }));
      expect(at(after)).toMatchObject({ state: 'Resting', row: 'T02', sinceMs: value === 'Resting' ? 1 : 9000 });
    }
  });

  test('a failed effect: no target -> the state stays, the row tells', () => {
    const making = step(machine, born(machine), observed(1000, { ready: true })).after;
    const failure = { request: 'make' as const, kind: 'Api', message: 'no' };
    const { after, requests } = step(machine, making, observed(1200, { ready: true, failure }, 'EFFECT_FAILED'));
    expect(at(after)).toMatchObject({ state: 'Making', row: 'T08', sinceMs: 1000 });
    expect(requests).toEqual([]);
  });

  test('restore: unknown state or broken context -> null', () => {
    expect(restore(machine, { value: 'Nowhere', context: { row: null, sinceMs: 0, wakeAtMs: null } })).toBeNull();
    expect(restore(machine, { value: 'Making', context: { row: 7 } as never })).toBeNull();
  });

  test('an actor and a step: the same events -> the same answers', () => {
    const actor = createActor(machine).start();
    const asked: unknown[] = [];
    actor.on('*', (emitted) => {
      if (emitted.type !== 'decided') asked.push({ type: emitted.type });
    });
    let snapshot = born(machine);
    const stepped: unknown[] = [];
    const events = [
      observed(1, {}),
      observed(2, { ready: true }),
      observed(3, { ready: true, made: true }, 'MADE'),
      observed(4, { ready: true, made: true, checkDue: true }),
      observed(5, { ready: true, made: true }, 'CHECKED'),
    ];
    for (const event of events) {
      actor.send(event);
      const result = step(machine, snapshot, event);
      snapshot = result.after;
      stepped.push(...result.requests);
      expect(restOf(actor.getSnapshot() as Snapshot)).toEqual(restOf(snapshot));
    }
    expect(asked).toEqual(stepped);
  });

  test('a table that is not total: no row fits -> a bug with the machine’s name', () => {
    const empty = createToyChart({ rows: [], guards: toyGuards });
    expect(() => rowOnFacts(empty, toyFacts())).toThrow('toy: no row answers OBSERVED');
  });

  test('nested states: a row that leads to a child -> the parent is entered with it, and text names both', () => {
    const nested = createNestedToyChart(toyTable);
    const { after } = step(nested, born(nested), observed(9000, { ready: true, made: true, joined: true }));
    expect(after.value).toEqual({ After: 'Resting' });
    expect(statePath(after.value)).toBe('After:Resting');
    expect(restore(nested, restOf(after))?.value).toEqual({ After: 'Resting' });
  });

  test('a request without a target: from a state that draws it and from one that does not -> asked for, state kept', () => {
    const rows = toyTable.rows.map((row) => (row.id === 'T03' ? { ...row, target: null } : row));
    const staying = createToyChart({ ...toyTable, rows });
    for (const value of ['Watching', 'Waiting']) {
      const from = restore(staying, { value, context: { row: 'T04', sinceMs: 7, wakeAtMs: null } }) as Snapshot;
      const { after, requests } = step(staying, from, observed(9000, { ready: true, made: true, checkDue: true }));
      expect(requests).toEqual([{ type: 'check' }]);
      expect(at(after)).toMatchObject({ state: value, sinceMs: 7 });
    }
  });

  test('a wake-up: another row with the same requeue -> not pushed; with another requeue -> set anew', () => {
    const made = step(machine, born(machine), observed(1000, { ready: true, made: true }, 'MADE')).after;
    const looked = step(machine, made, observed(50_000, { ready: true, made: true })).after;
    expect(at(looked)).toMatchObject({ row: 'T04', wakeAtMs: 301_000 });
    const checked = step(machine, looked, observed(60_000, { ready: true, made: true }, 'CHECKED')).after;
    expect(at(checked)).toMatchObject({ row: 'T07', wakeAtMs: 360_000 });
  });

  test('guards: replaced with provide -> the actor decides by the new ones, and nothing else does', () => {
    const stubborn = machine.provide({ guards: { isNotReady: () => true } });
    const actor = createActor(stubborn).start();
    const told: unknown[] = [];
    actor.on('*', (emitted) => told.push(emitted.type));
    actor.send(observed(1, { ready: true, made: true }));
    expect(at(actor.getSnapshot() as Snapshot)).toMatchObject({ state: 'Waiting', row: 'T01' });
    expect(told).toEqual(['decided']);
  });

  test('a row that decides: told with the facts that it saw', () => {
    const facts = toyFacts({ ready: true });
    const { rows } = step(machine, born(machine), { type: 'OBSERVED', nowMs: 1, facts });
    expect(rows).toEqual([{ type: 'decided', row: 'T05', facts }]);
  });

  const first = toyTable.rows[0];
  test.each([
    ['two rows of one id', { rows: [...toyTable.rows, ...toyTable.rows] }, 'toy: two rows are called T01'],
    ['an unknown target', { rows: [{ ...first, target: 'Nowhere' }] }, 'toy: row T01 leads to Nowhere'],
    ['an unknown source', { rows: [{ ...first, from: ['Nowhere'] }] }, 'toy: row T01 is drawn from Nowhere'],
    ['an unknown request', { rows: [{ ...first, request: 'fly' }] }, 'toy: row T01 asks for fly'],
    ['an unknown guard', { rows: [{ ...first, guard: 'isWrong' }] }, 'toy: row T01 asks isWrong'],
  ])('a table that contradicts itself: %s -> refused when it is made', (_, change, text) => {
    expect(() => tableOf(toyChart, { ...toyTable, ...change } as never)).toThrow(text);
  });
});
