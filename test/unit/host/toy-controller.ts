// A controller of the toy table on an object in memory: a thing that is ready, is made once, and whose status is written.

import type { Controller, Envelope, Freshness, WriteReceipt } from '../../../src/host/contract.js';
import { envelopeText } from '../../../src/host/envelope.js';
import { envelopeToWrite } from '../../../src/host/snapshot-stores.js';
import type { AnyController } from '../../../src/host/turn.js';
import { createToyChart, toyTable, type ToyFacts, type ToyReply, type ToyRequest, type ToyState } from '../kit/toy.js';

/** The whole cluster of the toy. */
export interface ToyObject {
  readonly uid: string;
  readonly version: number;
  readonly ready: boolean;
  readonly joined: boolean;
  readonly status: string;
  readonly snapshot: string | null;
  readonly parts: readonly string[];
}

/** A store with versions, a cache that may lag, and a log of writes. */
export interface ToyWorld {
  readonly objects: Map<string, ToyObject>;
  /** What the controller sees. */
  readonly cache: Map<string, ToyObject>;
  readonly writes: string[];
  /** While true, writes do not reach the cache until `catchUp`. */
  isLagging: boolean;
  put(key: string, change: Partial<ToyObject>): ToyObject;
  /** A write guarded by the version that was seen. */
  guardedPut(key: string, seen: ToyObject, what: string, change: Partial<ToyObject>): WriteReceipt;
  catchUp(): void;
  /** Called with each change that reaches the cache. */
  onChange: (key: string, object: ToyObject, before: string) => void;
  readonly freshness: Freshness;
  liveReads: number;
}

/** A conflict as the API client throws it. */
export function apiError(kind: string, name = 'toy'): Error {
  return Object.assign(new Error(kind), {
    failure: { kind, message: kind, target: { kind: 'Toy', namespace: 'ns', name } },
  });
}

export function createToyWorld(): ToyWorld {
  let version = 0;
  const show = (key: string, object: ToyObject): void => {
    if (world.isLagging) return;
    const before = String(world.cache.get(key)?.version ?? '');
    world.cache.set(key, object);
    world.onChange(key, object, before);
  };
  const world: ToyWorld = {
    objects: new Map(),
    cache: new Map(),
    writes: [],
    isLagging: false,
    onChange: () => undefined,
    liveReads: 0,
    put(key, change) {
      const before = world.objects.get(key) ?? blank;
      const object = Object.freeze({ ...before, ...change, version: (version += 1) });
      world.objects.set(key, object);
      show(key, object);
      return object;
    },
    guardedPut(key, seen, what, change) {
      const now = world.objects.get(key);
      if (now === undefined) throw apiError('NotFound');
      if (now.version !== seen.version) throw apiError('Conflict');
      world.writes.push(`${key} ${what}`);
      const { uid, version: made } = world.put(key, change);
      return {
        kind: 'Toy',
        namespace: 'ns',
        name: key,
        uid,
        resourceVersion: String(made),
        guardedBy: String(seen.version),
      };
    },
    catchUp() {
      world.isLagging = false;
      for (const [key, object] of world.objects) {
        if (world.cache.get(key)?.version !== object.version) show(key, object);
      }
    },
    freshness: {
      shows: ({ name, resourceVersion }) => {
        const seen = world.cache.get(name);
        return seen === undefined ? !world.objects.has(name) : seen.version >= Number(resourceVersion);
      },
      readLive: async ({ name }) => {
        world.liveReads += 1;
        const object = world.objects.get(name);
        if (object !== undefined) world.cache.set(name, object);
      },
    },
  };
  return world;
}

const blank: ToyObject = {
  uid: 'u1',
  version: 0,
  ready: false,
  joined: false,
  status: '',
  snapshot: null,
  parts: [],
};

type ToyController = Controller<ToyObject, ToyState, ToyFacts, ToyRequest, ToyReply>;

/** The controller; `between` is awaited at every point where a process may die. */
export function toyController(
  world: ToyWorld,
  more: Partial<ToyController> = {},
  between: (where: string) => Promise<void> = async () => undefined,
): AnyController {
  const controller: ToyController = {
    name: 'toy',
    kind: 'Toy',
    group: 'toys',
    chart: createToyChart(more.table ?? toyTable),
    table: toyTable,
    observe: (key) => world.cache.get(key) ?? null,
    uid: (view) => view.uid,
    facts: (view, nowMs, context) => ({
      ready: view.ready,
      made: view.parts.includes('one') && view.parts.includes('two'),
      joined: view.joined,
      checkDue: context.wakeAtMs !== null && context.wakeAtMs <= nowMs,
      failure: null,
    }),
    effects: {
      make: async (_, __, { key, ledger }) => {
        for (const part of ['one', 'two']) {
          await between(`before ${part}`);
          const seen = world.objects.get(key);
          if (seen === undefined) throw apiError('NotFound');
          if (!seen.parts.includes(part)) {
            ledger.note(world.guardedPut(key, seen, `makes ${part}`, { parts: [...seen.parts, part] }));
          }
          await between(`after ${part}`);
        }
        return { type: 'MADE', learned: { made: true } };
      },
      check: async () => ({ type: 'CHECKED', learned: { checkDue: false } }),
    },
    effectTimeoutMs: 10_000,
    mayPersistSnapshot: () => true,
    readEnvelope: (view) => view.snapshot,
    persist: async (_, outcome, { key, ledger, noteSnapshot }) => {
      await between('before status');
      const seen = world.objects.get(key);
      if (seen === undefined) return;
      const status = outcome.trail.flatMap(({ row, facts }) => conditionsOf(row, facts)).at(-1) ?? seen.status;
      const envelope = envelopeToWrite(seen.snapshot, outcome.envelope as Envelope | null);
      if (status === seen.status && envelope === null) return;
      const snapshot = envelope === null ? seen.snapshot : envelopeText(envelope);
      ledger.note(world.guardedPut(key, seen, `status ${outcome.state}`, { status, snapshot }));
      if (envelope !== null) noteSnapshot?.(envelopeText(envelope));
      await between('after status');
    },
    endsBackoff: (cause) => cause.kind === 'self',
    ...more,
  };
  return controller as unknown as AnyController;
}

function conditionsOf(rowId: string, facts: ToyFacts): readonly string[] {
  const row = toyTable.rows.find((each) => each.id === rowId);
  return (row?.conditions(facts) ?? []).map(
    (condition) => `${condition.type}=${condition.status} ${condition.message}`,
  );
}
