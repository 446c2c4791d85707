import { describe, expect, test } from '@jest/globals';
import type { WakeCause } from '../../../src/host/contract.js';
import { EffectFailure } from '../../../src/host/effect-failure.js';
import { AT_ONCE_IN_A_ROW_MAX, TURN_STEPS_MAX } from '../../../src/limits.js';
import { apiError, createToyWorld, toyController } from './toy-controller.js';
import { toyTable } from '../kit/toy.js';
import { other, self, toyHost } from './toy-host.js';

describe('host: turns', () => {
  test('turns that ask for the next one at once, without end: more than a few in a row -> they come as errors do, and the log says so', async () => {
    const told: string[] = [];
    let checks = 0;
    const rows = toyTable.rows.map((row) =>
      row.id === 'T07' ? { ...row, requeue: { afterMs: () => 0, why: 'the next step follows at once' } } : row,
    );
    const { world, clock, host } = toyHost(
      {
        table: { ...toyTable, rows },
        facts: () => ({ ready: true, made: checks > 0, joined: checks > 1_000, checkDue: checks > 0, failure: null }),
        effects: {
          make: () => Promise.resolve({ type: 'MADE', learned: { made: true } }),
          check: () => {
            checks += 1;
            host.wake('a', { kind: 'object', objectKind: 'Other', namespace: 'ns', name: 'o' });
            return Promise.resolve({ type: 'CHECKED', learned: {} });
          },
        },
        endsBackoff: () => false,
      } as Parameters<typeof toyHost>[0],
      { log: { info: () => undefined, error: (message) => void told.push(message) } },
    );
    checks = 1;
    world.put('a', { ready: true });
    await clock.advance(10_000);
    expect(checks).toBeGreaterThan(AT_ONCE_IN_A_ROW_MAX);
    expect(checks).toBeLessThan(AT_ONCE_IN_A_ROW_MAX + 20);
    expect(new Set(told)).toEqual(new Set(['Turns come again at once without end']));
  });

  test('from nothing to made: one turn with its effect -> two parts and one status, then rest', async () => {
    const { world, clock, host, path, notes } = toyHost();
    world.put('a', { ready: true });
    await clock.settle();
    expect(path()).toEqual(['T05 Making', 'T06 Watching']);
    expect(world.writes).toEqual(['a makes one', 'a makes two', 'a status Watching']);
    expect(world.objects.get('a')?.status).toBe('Made=True ');
    expect(notes.turns.map(({ result, steps }) => [result, steps])).toEqual([['requeue_after', 1]]);
    expect(host.rest('a')?.rest.value).toBe('Watching');
    expect([host.isSettled, host.active, host.depth, host.running()]).toEqual([true, 0, 0, []]);
  });

  test('every step of a turn -> knows when the turn began, however long the steps take', async () => {
    const began: number[] = [];
    const { world, clock } = toyHost({
      persist: (_, __, { sinceMs }) => {
        began.push(sinceMs);
        return Promise.resolve();
      },
      effects: {
        make: async (_, __, { sinceMs }) => {
          began.push(sinceMs);
          await new Promise<void>((resolve) => void clock.schedule(500, resolve));
          return { type: 'MADE', learned: { made: true } };
        },
      },
    } as Parameters<typeof toyHost>[0]);
    await clock.advance(1_000);
    world.put('a', { ready: true });
    await clock.advance(1_000);
    await clock.settle();
    expect(began).toEqual([1_000, 1_000]);
  });

  test('settled: looks that change nothing -> no write, wake-up kept until due', async () => {
    const { world, clock, host } = toyHost();
    world.put('a', { ready: true });
    await clock.settle();
    const { length } = world.writes;
    const wakeAtMs = host.rest('a')?.rest.context.wakeAtMs;
    for (let look = 0; look < 5; look += 1) {
      await clock.advance(1000);
      host.wake('a', other);
      await clock.settle();
    }
    expect(world.writes).toHaveLength(length + 1);
    expect(world.writes.at(-1)).toBe('a status Watching');
    expect(host.rest('a')?.rest.context.wakeAtMs).toBe(wakeAtMs);
  });

  test('a wake-up that is due: -> a turn with cause timer, whose facts know that it is due', async () => {
    const causes: (readonly WakeCause[])[] = [];
    const world = createToyWorld();
    const plain = toyController(world);
    const { clock, path } = toyHost(
      { facts: (view, nowMs, context, why) => (causes.push(why), plain.facts(view, nowMs, context, why) as never) },
      {},
      world,
    );
    world.put('a', { ready: true });
    await clock.settle();
    await clock.advance(300_000);
    expect(path().slice(2)).toEqual(['T03 Watching', 'T07 Watching']);
    expect(causes.at(-1)).toEqual([{ kind: 'timer' }]);
  });

  test('events of own guarded writes: -> start no turn; somebody else’s do', async () => {
    const { world, clock, notes } = toyHost();
    world.put('a', { ready: true });
    await clock.settle();
    expect(notes.turns).toHaveLength(1);
    world.put('a', { joined: true });
    await clock.settle();
    expect(notes.turns).toHaveLength(2);
  });

  test('own write over somebody’s change, shown as one event by a relist: -> starts a turn', async () => {
    const { world, clock, host, notes } = toyHost();
    world.put('a', { ready: true });
    await clock.settle();
    const own = world.objects.get('a')?.version ?? 0;
    host.wake('a', self(String(own), String(own - 2)));
    await clock.settle();
    expect(notes.turns).toHaveLength(2);
    host.wake('a', self(String(own), String(own - 1)));
    await clock.settle();
    expect(notes.turns).toHaveLength(2);
  });

  test('a change during a turn: -> one more turn afterwards, never beside it', async () => {
    let inside = 0;
    let most = 0;
    const world = createToyWorld();
    const { clock, notes } = toyHost(
      {
        effects: {
          make: async () => {
            most = Math.max(most, (inside += 1));
            if (notes.turns.length === 0) world.put('a', { status: 'changed' });
            await Promise.resolve();
            inside -= 1;
            return { type: 'MADE', learned: { made: true } };
          },
          check: async () => ({ type: 'CHECKED', learned: {} }),
        },
        persist: async () => undefined,
      },
      {},
      world,
    );
    world.put('a', { ready: true });
    await clock.settle();
    expect([most, notes.turns.length]).toEqual([1, 2]);
  });

  test('a wake in any microtask around the end of a turn: -> never lost', async () => {
    for (let after = 0; after < 40; after += 1) {
      const world = createToyWorld();
      const { clock, host, notes } = toyHost({}, {}, world);
      const wakeLater = async (): Promise<void> => {
        for (let step = 0; step < after; step += 1) await Promise.resolve();
        world.put('a', { ready: true });
      };
      world.put('a', {});
      await Promise.all([wakeLater(), clock.settle()]);
      await clock.settle();
      expect([after, host.rest('a')?.rest.value, notes.bugs]).toEqual([after, 'Watching', []]);
    }
  });

  test('a wake in any microtask around the end of an object: -> its new life is seen', async () => {
    for (let after = 0; after < 40; after += 1) {
      const world = createToyWorld();
      const { clock, host } = toyHost({}, {}, world);
      world.put('a', { ready: true });
      await clock.settle();
      world.cache.delete('a');
      world.objects.delete('a');
      host.wake('a', self());
      const rebirth = async (): Promise<void> => {
        for (let step = 0; step < after; step += 1) await Promise.resolve();
        world.put('a', { uid: 'u2' });
      };
      await Promise.all([rebirth(), clock.settle()]);
      await clock.settle();
      expect([after, host.rest('a')?.uid]).toEqual([after, 'u2']);
    }
  });

  test('many keys: concurrency two -> never more turns at once, all get theirs', async () => {
    let active = 0;
    let most = 0;
    const world = createToyWorld();
    const { clock, notes } = toyHost(
      {
        persist: async () => {
          most = Math.max(most, (active += 1));
          await Promise.resolve();
          await Promise.resolve();
          active -= 1;
        },
      },
      { concurrency: 2 },
      world,
    );
    for (let index = 0; index < 20; index += 1) world.put(`k${index}`, {});
    await clock.settle();
    await clock.settle();
    expect([most, notes.turns.length]).toEqual([2, 20]);
  });

  test('an actor that still has to wait: woken before one that can go on -> its turn comes after', async () => {
    const world = createToyWorld();
    const { clock, host, notes } = toyHost({}, { concurrency: 1 }, world);
    for (const key of ['waits', 'goes']) world.put(key, { ready: true });
    await clock.settle();
    notes.turns.length = 0;
    host.wake('waits', { ...other, priority: 'low' } as typeof other);
    host.wake('goes', other);
    await clock.settle();
    expect(notes.turns.map(({ key }) => key)).toEqual(['goes', 'waits']);
  });

  test('a deleted object: -> its actor is forgotten and reported; a new one of the same name is another life', async () => {
    const forgotten: string[] = [];
    const { world, clock, host, notes } = toyHost({ forget: (key) => void forgotten.push(key) });
    world.put('a', { ready: true });
    await clock.settle();
    world.cache.delete('a');
    world.objects.delete('a');
    host.wake('a', self());
    await clock.settle();
    expect([host.rest('a'), host.keys(), notes.gone]).toEqual([null, [], ['a u1']]);
    expect(forgotten).toEqual(['a']);
    world.put('a', { uid: 'u2', parts: [], ready: false, status: '', snapshot: null });
    await clock.settle();
    world.put('a', { uid: 'u3' });
    await clock.settle();
    expect([host.rest('a')?.uid, notes.gone]).toEqual(['u3', ['a u1', 'a u2']]);
  });
});

describe('host: failures', () => {
  const failing = (error: () => Error) => ({
    effects: {
      make: async () => Promise.reject(error()),
      check: async () => ({ type: 'CHECKED' as const, learned: {} }),
    },
  });

  test('expected failures: -> the failure row decides, backoff doubles from 5 ms', async () => {
    const { world, clock, host, path, notes } = toyHost(
      failing(() => new EffectFailure('Broken', 'it broke at 10:6443')),
    );
    world.put('a', { ready: true });
    await clock.settle();
    expect(path()).toEqual(['T05 Making', 'T08 Making']);
    expect(world.objects.get('a')?.status).toBe('Made=False it broke at 10:6443');
    expect(host.rest('a')?.failure).toEqual({ request: 'make', kind: 'Broken', message: 'it broke at 10:6443' });
    expect(host.isSettled).toBe(false);
    const at: number[] = [];
    for (let ms = 1; ms <= 160; ms += 1) {
      const before = notes.turns.length;
      await clock.advance(1);
      if (notes.turns.length > before) at.push(ms);
    }
    expect(at).toEqual([5, 15, 35, 75, 155]);
    expect(world.writes).toEqual(['a status Making']);
  });

  test('backoff: what may not end it -> waits; what may -> a turn at once, and its causes are all told', async () => {
    const causes: (readonly WakeCause[])[] = [];
    const world = createToyWorld();
    const plain = toyController(world);
    const { clock, host, notes } = toyHost(
      {
        ...failing(() => new EffectFailure('Broken', 'x')),
        facts: (view, nowMs, context, why) => (causes.push(why), plain.facts(view, nowMs, context, why) as never),
        backoffMs: () => 60_000,
      },
      {},
      world,
    );
    world.put('a', { ready: true });
    await clock.settle();
    host.wake('a', other);
    await clock.advance(1000);
    expect(notes.turns).toHaveLength(1);
    host.wake('a', self());
    await clock.settle();
    expect(notes.turns).toHaveLength(2);
    expect(causes[1]).toEqual([self('1', ''), other, self()]);
  });

  test('own traces during a failing turn: -> do not make it spin', async () => {
    const world = createToyWorld();
    const { clock, host, notes } = toyHost(
      {
        effects: {
          make: async () => {
            host.wake('a', other);
            throw new EffectFailure('Broken', 'x');
          },
          check: async () => ({ type: 'CHECKED', learned: {} }),
        },
        backoffMs: () => 60_000,
      },
      {},
      world,
    );
    world.put('a', { ready: true });
    await clock.advance(30_000);
    expect(notes.turns).toHaveLength(1);
  });

  test('a change during a failing turn that may end the backoff: -> one more turn at once', async () => {
    const world = createToyWorld();
    let isFirst = true;
    const { clock, notes, path } = toyHost(
      {
        effects: {
          make: async () => {
            if (!isFirst) return { type: 'MADE', learned: { made: true } };
            isFirst = false;
            world.put('a', { joined: true });
            throw new EffectFailure('Broken', 'x');
          },
          check: async () => ({ type: 'CHECKED', learned: {} }),
        },
        backoffMs: () => 60_000,
      },
      {},
      world,
    );
    world.put('a', { ready: true });
    await clock.settle();
    expect(notes.turns.map(({ result }) => result)).toEqual(['error', 'requeue_after']);
    expect(path().at(-1)).toBe('T06 Watching');
  });

  test('a bug in an effect: -> told once per turn, nothing persisted, the actor is where it was, backoff', async () => {
    const { world, clock, host, notes } = toyHost(failing(() => new TypeError('undefined is no function')));
    world.put('a', { ready: true });
    await clock.settle();
    expect(notes.bugs).toEqual(['a undefined is no function']);
    expect([world.writes, host.rest('a')]).toEqual([[], null]);
    await clock.advance(5);
    expect(notes.bugs).toHaveLength(2);
  });

  test('a bug in a guard or a requeue: -> a failed turn, not a dead process', async () => {
    const world = createToyWorld();
    const { table } = toyController(world);
    const broken = {
      ...table,
      rows: table.rows.map((row) =>
        row.id === 'T06'
          ? {
              ...row,
              requeue: {
                why: 'x',
                afterMs: () => {
                  throw new Error('no time');
                },
              },
            }
          : row,
      ),
    };
    const { clock, notes } = toyHost({ table: broken as never }, {}, world);
    world.put('a', { ready: true });
    await clock.settle();
    expect(notes.bugs).toEqual(['a no time']);
    expect(world.writes).toEqual(['a makes one', 'a makes two']);
  });

  test('an endless story: a reply that asks again and again -> ends as a bug', async () => {
    const world = createToyWorld();
    const { table } = toyController(world);
    const endless = {
      ...table,
      rows: table.rows.map((row) => (row.id === 'T06' ? { ...row, target: 'Making', request: 'make' } : row)),
    };
    const { clock, notes } = toyHost({ table: endless as never }, {}, world);
    world.put('a', { ready: true });
    await clock.settle();
    expect(notes.bugs).toEqual([`a more than ${TURN_STEPS_MAX} effects in one turn, the last: make`]);
  });

  test('status cannot be written: a conflict -> the actor stays where its status is, and tries again', async () => {
    let conflicts = 1;
    const world = createToyWorld();
    const plain = toyController(world);
    const { clock, host, notes } = toyHost(
      {
        persist: async (view, outcome, context) => {
          if (conflicts-- > 0) throw apiError('Conflict');
          await plain.persist(view, outcome as never, context);
        },
      },
      {},
      world,
    );
    world.put('a', { ready: true });
    await clock.settle();
    expect(host.rest('a')).toBeNull();
    await clock.advance(5);
    expect([host.rest('a')?.rest.value, notes.turns.map(({ result }) => result)]).toEqual([
      'Watching',
      ['error', 'requeue_after'],
    ]);
    expect(world.writes).toEqual(['a makes one', 'a makes two', 'a status Watching']);
  });

  test('a failure that a row answers with a requeue: -> no error, the requeue counts', async () => {
    const world = createToyWorld();
    const { table } = toyController(world);
    const patient = {
      ...table,
      rows: table.rows.map((row) =>
        row.id === 'T08' ? { ...row, requeue: { why: 'x', afterMs: () => 30_000 } } : row,
      ),
    };
    const { clock, notes } = toyHost({ table: patient as never, ...failing(() => apiError('Forbidden')) }, {}, world);
    world.put('a', { ready: true });
    await clock.advance(29_999);
    expect(notes.turns.map(({ result }) => result)).toEqual(['requeue_after']);
    await clock.advance(1);
    expect(notes.turns).toHaveLength(2);
  });

  test('an effect that does not listen: past its deadline -> abandoned after a moment, as a failure', async () => {
    const { world, clock, host } = toyHost({
      effects: { make: () => new Promise(() => undefined), check: async () => ({ type: 'CHECKED', learned: {} }) },
    });
    world.put('a', { ready: true });
    await clock.advance(10_999);
    expect(host.active).toBe(1);
    await clock.advance(1);
    expect([host.active, host.rest('a')?.failure]).toEqual([
      0,
      { request: 'make', kind: 'Aborted', message: 'make did not end in time' },
    ]);
  });

  test('many keys that are ready, with others to let by -> turns start one by one, the others between them', async () => {
    const waiting: (() => void)[] = [];
    const { world, clock, host } = toyHost({}, { afterOthers: (run) => void waiting.push(run) });
    for (const key of ['a', 'b', 'c']) world.put(key, { ready: true });
    await clock.settle();
    expect([host.active, host.depth, waiting.length]).toEqual([0, 3, 1]);
    waiting.shift()?.();
    expect([host.active, host.depth, waiting.length]).toEqual([1, 2, 1]);
    for (let run = waiting.shift(); run !== undefined; run = waiting.shift()) {
      run();
      await clock.settle();
    }
    expect([host.active, host.isSettled, host.keys().length]).toEqual([0, true, 3]);
  });

  test('a bug in a retry rule: -> told, and the usual backoff counts', async () => {
    const { world, clock, host, notes } = toyHost({
      ...failing(() => new EffectFailure('Broken', 'x')),
      backoffMs: () => {
        throw new Error('no rule');
      },
      endsBackoff: () => {
        throw new Error('no gate');
      },
    });
    world.put('a', { ready: true });
    await clock.settle();
    host.wake('a', other);
    await clock.settle();
    expect(notes.bugs).toEqual(['a no rule', 'a no gate', 'a no rule']);
    expect(notes.turns).toHaveLength(2);
  });
});
