import { describe, expect, test } from '@jest/globals';
import { createActor } from 'xstate';
import { decide } from '../../../machines/kit/decide.js';
import { createRowMachine } from '../../../machines/kit/row-machine.js';
import { born, leafState, restore, restOf, step, type Snapshot } from '../../../machines/kit/step.js';
import { toyFacts, toyTable, type ToyFacts } from './toy.js';

const machine = createRowMachine(toyTable);
const observed = (nowMs: number, facts: Partial<ToyFacts>, type = 'OBSERVED') =>
  ({ type, nowMs, facts: toyFacts(facts) }) as never;
const at = (snapshot: Snapshot) => ({ state: leafState(snapshot.value), ...restOf(snapshot).context });

describe('row machine', () => {
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
    actor.on('*', (request) => asked.push({ type: request.type }));
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
    expect(() => decide({ ...toyTable, rows: [] }, 'OBSERVED', toyFacts())).toThrow('toy: no row answers OBSERVED');
  });
});
