import { describe, expect, test } from '@jest/globals';
import type { ConditionIntent } from '../../../machines/kit/row.js';
import { isControlPlaneInitialized } from '../../../src/bootstrap/cluster-facts.js';
import { clusterResource, FIELD_MANAGER } from '../../../src/controllers/cluster-initialized/objects.js';
import { lastIntent } from '../../../src/controllers/one-condition/intents.js';
import { persistCondition } from '../../../src/controllers/one-condition/persist-condition.js';
import { createRivalry, otherManager } from '../../../src/controllers/one-condition/rivalry.js';
import { entryToWrite, type ObjectWithConditions } from '../../../src/controllers/one-condition/write-condition.js';
import { ApiError, type ApiClient, type ApiFailureKind } from '../../../src/kube/contract.js';
import { silentLogger } from '../../../src/log.js';

const nowMs = Date.parse('2026-01-02T03:04:05.678Z');
const intent = (more: Partial<ConditionIntent> = {}): ConditionIntent => ({
  type: 'ControlPlaneInitialized',
  status: 'False',
  reason: 'NotInitialized',
  message: 'Control plane not yet initialized',
  ...more,
});
const written = (generation: number, more: object = {}) => ({
  type: 'ControlPlaneInitialized',
  status: 'False',
  observedGeneration: generation,
  lastTransitionTime: '2026-01-02T03:04:05Z',
  reason: 'NotInitialized',
  message: 'Control plane not yet initialized',
  ...more,
});
const cluster = (status: ObjectWithConditions['status'], generation = 3): ObjectWithConditions => ({
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Cluster',
  metadata: { name: 'c1', namespace: 'ns', uid: 'u', resourceVersion: '10', generation },
  ...(status === undefined ? {} : { status }),
});
const failure = (kind: ApiFailureKind, reason = ''): ApiError =>
  new ApiError({
    kind,
    status: null,
    reason,
    message: kind,
    retryAfterMs: null,
    verb: 'apply',
    target: { kind: 'Cluster', namespace: 'ns', name: 'c1' },
  });

/** A client that notes what it is told, and answers as a server would. */
function stage(object: ObjectWithConditions, { fails, live }: { fails?: ApiError; live?: object } = {}) {
  const calls: unknown[][] = [];
  const notes: string[] = [];
  const events: unknown[] = [];
  const answer =
    (what: string) =>
    async (...args: unknown[]) => {
      calls.push([what, ...args]);
      if (fails !== undefined) throw fails;
      return { ...object, metadata: { ...object.metadata, resourceVersion: '11' } };
    };
  const client = {
    apply: answer('apply'),
    mergePatch: answer('mergePatch'),
    get: async () => live ?? object,
  } as unknown as ApiClient;
  const ledger = {
    note: ({ resourceVersion, guardedBy }: { resourceVersion: string; guardedBy?: string }) =>
      notes.push(`${guardedBy}->${resourceVersion}`),
    noteUnknown: ({ name }: { name: string }) => notes.push(`${name}?`),
  };
  const context = { key: 'ns/c1', signal: new AbortController().signal, sinceMs: 0, nowMs: () => nowMs, ledger };
  const rivalry = createRivalry();
  const ports = {
    client,
    log: silentLogger,
    events: { record: (_: unknown, event: unknown) => void events.push(event) },
  };
  const persist = (given: ConditionIntent | null, seen = object) =>
    persistCondition(
      ports,
      { resource: clusterResource, fieldManager: FIELD_MANAGER, rivalry },
      { object: seen, intent: given, context },
    );
  return { calls, notes, events, persist, client };
}

describe('one condition: what is written', () => {
  test('CI-017 MU-010 a new condition -> one entry with the generation of the object, by forced apply, guarded by its version', async () => {
    const { calls, notes, persist } = stage(cluster(undefined));
    await persist(intent());
    expect(calls).toEqual([
      [
        'apply',
        { resource: clusterResource, namespace: 'ns', name: 'c1' },
        {
          apiVersion: 'cluster.x-k8s.io/v1beta2',
          kind: 'Cluster',
          metadata: { name: 'c1', namespace: 'ns', uid: 'u', resourceVersion: '10' },
          status: { conditions: [written(3)] },
        },
        expect.objectContaining({ fieldManager: FIELD_MANAGER, force: true, subresource: 'status' }),
      ],
    ]);
    expect(notes).toEqual(['10->11']);
  });

  test('C-20 P-1 nothing new -> no call at all', async () => {
    const { calls, persist } = stage(cluster({ conditions: [written(3)] }));
    await persist(intent());
    await persist(null);
    expect(calls).toEqual([]);
  });

  test('CI-017 C-21 only the generation moved -> observedGeneration alone changes, the time stays', () => {
    const entry = entryToWrite(
      cluster({ conditions: [written(2, { lastTransitionTime: '2020-01-01T00:00:00Z' })] }),
      intent(),
      nowMs,
    );
    expect(entry).toEqual(written(3, { lastTransitionTime: '2020-01-01T00:00:00Z' }));
  });

  test('P-2 another status -> the time is now, in whole seconds', () => {
    const before = cluster({
      conditions: [written(3, { status: 'Unknown', lastTransitionTime: '2020-01-01T00:00:00Z' })],
    });
    expect(entryToWrite(before, intent(), nowMs)).toEqual(written(3));
  });

  test('CI-016 MU-012 P-4 other conditions -> not even mentioned', async () => {
    const foreign = { type: 'Available', status: 'True', reason: 'x', message: '' };
    const { calls, persist } = stage(cluster({ conditions: [foreign] }));
    await persist(intent());
    expect(JSON.stringify(calls)).not.toContain('Available');
  });

  test('V-5 the deprecated twin: -> the whole list by a guarded merge patch, before the entry that decides what is left to do', async () => {
    const old = { type: 'InfrastructureReady', status: 'True', lastTransitionTime: 'x' };
    const { calls, notes, persist } = stage(cluster({ deprecated: { v1beta1: { conditions: [old] } } }));
    await persist(intent({ v1beta1: { status: 'False', reason: 'W', severity: 'Info', message: 'm' } }));
    expect(calls.map(([what]) => what)).toEqual(['mergePatch', 'apply']);
    expect(calls[1]?.[2]).toMatchObject({ metadata: { resourceVersion: '11' } });
    expect(calls[0]?.[2]).toEqual({
      metadata: { uid: 'u', resourceVersion: '10' },
      status: {
        deprecated: {
          v1beta1: {
            conditions: [
              {
                type: 'ControlPlaneInitialized',
                status: 'False',
                severity: 'Info',
                lastTransitionTime: '2026-01-02T03:04:05Z',
                reason: 'W',
                message: 'm',
              },
              old,
            ],
          },
        },
      },
    });
    expect(notes).toEqual(['10->11', '11->11']);
  });

  test('the twin alone differs -> one merge patch, guarded by the version that was seen', async () => {
    const { calls, persist } = stage(cluster({ conditions: [written(3)] }));
    await persist(intent({ v1beta1: { status: 'True' } }));
    expect(calls.map(([what, , body]) => [what, (body as { metadata: object }).metadata])).toEqual([
      ['mergePatch', { uid: 'u', resourceVersion: '10' }],
    ]);
  });

  test('P-6 a conflict -> thrown, and the object is read live before the next turn', async () => {
    const { notes, persist } = stage(cluster(undefined), { fails: failure('Conflict') });
    await expect(persist(intent())).rejects.toThrow('Conflict');
    expect(notes).toEqual(['c1?']);
  });

  test('P-8 gone -> done', async () => {
    await stage(cluster(undefined), { fails: failure('NotFound') }).persist(intent());
    await expect(
      stage(cluster(undefined), { fails: failure('Refused', 'NotLeader') }).persist(intent()),
    ).rejects.toThrow('Refused');
  });

  test('those who gate on the condition -> wait while it is not True, and go once it is', () => {
    const said = (status: ConditionIntent['status']) => {
      const entry = entryToWrite(cluster(undefined), intent({ status, reason: 'x' }), nowMs);
      return isControlPlaneInitialized(cluster({ conditions: entry === null ? [] : [entry] }) as never);
    };
    expect([said('False'), said('Unknown'), said('True')]).toEqual([false, false, true]);
  });

  test('the last word of a turn: several rows -> the last that speaks of the type', () => {
    const row = (id: string, ...conditions: ConditionIntent[]) => ({ id, conditions: () => conditions });
    const table = {
      rows: [row('A', intent({ message: 'a' })), row('B'), row('C', intent({ type: 'Other' }))],
    } as never;
    const trail = (...ids: string[]) => ids.map((id) => ({ row: id, facts: {} }));
    expect(lastIntent(table, trail('A', 'B', 'C'), 'ControlPlaneInitialized')?.message).toBe('a');
    expect(lastIntent(table, trail('B', 'C'), 'ControlPlaneInitialized')).toBeNull();
  });
});

describe('one condition: rivals', () => {
  const rival = { type: 'ControlPlaneInitialized', status: 'Unknown', reason: 'InternalError', message: 'x' };
  const managed = (...managers: readonly (readonly [string, object, string])[]) => ({
    ...cluster(undefined),
    metadata: {
      ...cluster(undefined).metadata,
      managedFields: managers.map(([manager, conditions, time]) => ({
        manager,
        time,
        fieldsV1: { 'f:status': { 'f:conditions': conditions } },
      })),
    },
  });

  test('changed back twice -> written twice, then left alone, and told once with the other manager’s name', async () => {
    const live = managed(
      [FIELD_MANAGER, { 'k:{"type":"ControlPlaneInitialized"}': {} }, '3'],
      ['capi-manager', { 'k:{"type":"ControlPlaneInitialized"}': {} }, '2'],
    );
    const seen = cluster({ conditions: [rival] });
    const { calls, events, persist } = stage(seen, { live });
    for (let round = 0; round < 6; round += 1) await persist(intent());
    expect(calls).toHaveLength(2);
    expect(events).toEqual([
      {
        type: 'Warning',
        reason: 'ConditionContested',
        message:
          'Condition ControlPlaneInitialized is changed back by "capi-manager": it is left alone until there is something new to say',
      },
    ]);
  });

  test('left alone: another generation, or something new to say -> written again', async () => {
    const { calls, persist } = stage(cluster({ conditions: [rival] }));
    for (let round = 0; round < 4; round += 1) await persist(intent());
    await persist(intent(), cluster({ conditions: [rival] }, 4));
    expect(calls).toHaveLength(3);
    await persist(intent({ status: 'True', reason: 'Initialized', message: '' }));
    expect(calls).toHaveLength(4);
  });

  test('nobody changes it back: many different things to say -> all written', async () => {
    const { calls, events, persist } = stage(cluster({ conditions: [rival] }));
    for (let round = 0; round < 6; round += 1) await persist(intent({ message: `cause ${round % 2}` }));
    expect([calls.length, events.length]).toEqual([6, 0]);
  });

  test('who it is: the newest other owner of the entry or of the whole list; a failed read -> unknown', async () => {
    const ask = (object: object | Error) =>
      otherManager(
        {
          get: async () => {
            if (object instanceof Error) throw object;
            return object;
          },
        } as never,
        { resource: clusterResource, namespace: 'ns', name: 'c1' },
        { type: 'ControlPlaneInitialized', fieldManager: FIELD_MANAGER, signal: new AbortController().signal },
      );
    const entry = { 'k:{"type":"ControlPlaneInitialized"}': {} };
    expect(await ask(managed(['a', entry, '1'], ['b', entry, '2'], ['c', { 'k:{"type":"Ready"}': {} }, '3']))).toBe(
      'b',
    );
    expect(await ask(managed(['whole-list', {}, '1']))).toBe('whole-list');
    expect(await ask(managed())).toBe('');
    expect(await ask(new Error('no'))).toBe('');
  });
});
