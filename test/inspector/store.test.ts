import { describe, expect, test } from '@jest/globals';
import { createInspectionStore, type ActorNote } from '../../src/inspector/store.js';

const note = (more: Partial<ActorNote> = {}): ActorNote => ({
  machine: 'toy',
  uid: 'u1',
  id: 'team-a/c1-cp-0',
  atMs: 1000,
  event: 'OBSERVED',
  row: 'T01',
  from: 'Waiting',
  to: 'Working',
  request: null,
  sinceMs: 1000,
  wakeAtMs: null,
  facts: { failure: null },
  waitsFor: null,
  ...more,
});

describe('inspection store', () => {
  test('a note: first of an actor -> a row keyed by machine and uid', () => {
    const store = createInspectionStore({ history: 10, epoch: 'e' });
    store.note(note());
    expect(store.rows()).toMatchObject([
      { key: 'toy/u1', namespace: 'team-a', name: 'c1-cp-0', state: 'Working', edge: 'Waiting->Working' },
    ]);
  });

  test('rest and restore: notes of the same uid -> the same row and history', () => {
    const store = createInspectionStore({ history: 10, epoch: 'e' });
    store.note(note());
    store.note(note({ atMs: 2000, from: 'Working', to: 'Done', sinceMs: 2000, row: 'T02' }));
    store.note(note({ atMs: 3000, from: 'Done', to: 'Done', sinceMs: 2000, row: 'T03' }));
    expect(store.rows()).toMatchObject([{ row: 'T03', edge: 'Working->Done', edgeRow: 'T02' }]);
    expect(store.get('toy/u1')?.history.map((entry) => entry.row)).toEqual(['T01', 'T02', 'T03']);
  });

  test('history: more transitions than kept -> the newest ones', () => {
    const store = createInspectionStore({ history: 3, epoch: 'e' });
    for (let index = 0; index < 10; index += 1) store.note(note({ atMs: index, row: `T${index}` }));
    expect(store.get('toy/u1')?.history.map((entry) => entry.row)).toEqual(['T7', 'T8', 'T9']);
  });

  test('repeats: a transition that changed nothing, again and again -> one entry that counts, the life before it stays', () => {
    const store = createInspectionStore({ history: 3, epoch: 'e' });
    store.note(note());
    for (let index = 0; index < 10; index += 1)
      store.note(note({ atMs: 2000 + index, from: 'Working', to: 'Working', row: 'T09' }));
    expect(store.get('toy/u1')?.history).toMatchObject([
      { row: 'T01', times: 1 },
      { row: 'T09', times: 10, atMs: 2000, lastMs: 2009 },
    ]);
  });

  test('facts: whatever a machine knows -> not kept', () => {
    const store = createInspectionStore({ history: 3, epoch: 'e' });
    store.note(note({ facts: { failure: null, planted: 'fact' } }));
    expect(JSON.stringify([store.rows(), store.get('toy/u1')])).not.toContain('planted');
  });

  test('listeners: an actor that goes -> told once, with its row', () => {
    const store = createInspectionStore({ history: 3, epoch: 'e' });
    const gone: string[] = [];
    store.subscribe(
      () => undefined,
      (row) => gone.push(row.key),
    );
    store.note(note());
    store.gone('toy', 'u1');
    store.gone('toy', 'u1');
    expect(gone).toEqual(['toy/u1']);
  });

  test('an error: failure in the facts -> scrubbed on the row, gone after the next success', () => {
    const store = createInspectionStore({ history: 3, epoch: 'e' });
    store.note(note({ facts: { failure: { kind: 'Api', message: 'token abcdef.0123456789abcdef refused' } } }));
    expect(store.rows()[0]?.error?.message).toBe('token [removed] refused');
    store.note(note());
    expect(store.rows()[0]?.error).toBeNull();
  });

  test('a bug: facts that throw -> counted, nothing thrown', () => {
    const store = createInspectionStore({ history: 3, epoch: 'e' });
    const facts = Object.defineProperty({}, 'failure', {
      get() {
        throw new Error('planted');
      },
    }) as Record<string, unknown>;
    expect(() => store.note(note({ facts }))).not.toThrow();
    expect(store.failures).toBe(1);
  });

  test('a watcher: changes and removals between two looks -> once each', () => {
    const store = createInspectionStore({ history: 3, epoch: 'e' });
    const watcher = store.watch();
    store.note(note());
    store.note(note({ row: 'T02' }));
    expect(watcher.take().updated.map((row) => row.row)).toEqual(['T02']);
    expect(watcher.take().updated).toEqual([]);
    store.gone('toy', 'u1');
    expect(watcher.take()).toEqual({ updated: [], removed: ['toy/u1'] });
  });

  test('time in state: others that left it -> p50 and p95', () => {
    const store = createInspectionStore({ history: 3, epoch: 'e' });
    for (let index = 1; index <= 20; index += 1) {
      store.note(note({ uid: `u${index}`, atMs: 0, sinceMs: 0, from: '', to: 'Waiting' }));
      store.note(note({ uid: `u${index}`, atMs: index * 100, sinceMs: index * 100 }));
    }
    expect(store.timeInState('toy', 'Waiting')).toEqual({ p50Ms: 1100, p95Ms: 2000, count: 20 });
    expect(store.timeInState('toy', 'Working')).toBeNull();
  });
});
