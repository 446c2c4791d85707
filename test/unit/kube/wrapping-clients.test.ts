import { describe, expect, test } from '@jest/globals';
import type { WriteLedger } from '../../../src/host/contract.js';
import { resources } from '../../../src/api/names.js';
import type { ApiClient, ApiFailureKind, KubeObject } from '../../../src/kube/contract.js';
import { withLedger } from '../../../src/kube/ledger-client.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { shadowClient, type ShadowWrite } from '../../../src/kube/shadow-client.js';
import { failure, machine } from './scripted-client.js';

const machines = resourceOf(resources.Machine);
const target = { resource: machines, namespace: 'default', name: 'a' };

/** A client whose every call answers the same way, and remembers what was called. */
function stub(answer: KubeObject | ApiFailureKind): { client: ApiClient; calls: string[] } {
  const calls: string[] = [];
  const reply = (verb: string) => (): Promise<never> => {
    calls.push(verb);
    return typeof answer === 'string' ? Promise.reject(failure(answer)) : Promise.resolve(answer as never);
  };
  const verbs = ['get', 'list', 'create', 'update', 'mergePatch', 'apply', 'delete', 'post'] as const;
  return { client: Object.fromEntries(verbs.map((verb) => [verb, reply(verb)])) as unknown as ApiClient, calls };
}

function ledger(): { ledger: WriteLedger; notes: string[] } {
  const notes: string[] = [];
  return {
    notes,
    ledger: {
      note: ({ kind, namespace, name, uid, resourceVersion }) =>
        notes.push(`${kind} ${namespace}/${name} ${uid} ${resourceVersion}`),
      noteUnknown: ({ kind, namespace, name }) => notes.push(`unknown ${kind} ${namespace}/${name}`),
    },
  };
}

describe('ledger', () => {
  test('the write that takes the last finalizer of what is being deleted -> the version after its answer', async () => {
    const { ledger: book, notes } = ledger();
    const { metadata, ...rest } = machine('a', '12');
    const going = { ...rest, metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [] } };
    await withLedger(stub(going).client, book).mergePatch(target, {});
    await withLedger(stub({ ...going, metadata: { ...going.metadata, finalizers: ['b'] } }).client, book).mergePatch(
      target,
      {},
    );
    expect(notes).toEqual(['Machine default/a uid-a 013', 'Machine default/a uid-a 12']);
  });

  test('writes that succeed -> a receipt each, with the version of the answer', async () => {
    const { ledger: book, notes } = ledger();
    const client = withLedger(stub(machine('a', '12')).client, book);
    await client.create(machines, machine('a', ''));
    await client.update(target, machine('a', '11'));
    await client.mergePatch(target, {}, { subresource: 'status' });
    await client.apply(target, {}, { fieldManager: 'x' });
    expect(notes).toEqual(Array(4).fill('Machine default/a uid-a 12'));
  });

  test('unknown outcome -> a note to read live; a refusal -> nothing', async () => {
    const { ledger: book, notes } = ledger();
    const writes = (client: ApiClient): readonly Promise<unknown>[] => [
      client.create(machines, machine('a', '')),
      client.update(target, {}),
      client.mergePatch(target, {}),
      client.apply(target, {}, { fieldManager: 'x' }),
      client.delete(target),
    ];
    await Promise.allSettled(writes(withLedger(stub('Conflict').client, book)));
    expect(notes).toEqual([]);
    await Promise.allSettled(writes(withLedger(stub('Unknown').client, book)));
    expect(notes).toEqual(Array(5).fill('unknown Machine default/a'));
  });

  test('deletion -> the version after the one that was deleted, or a note where it is not known', async () => {
    const { ledger: book, notes } = ledger();
    const client = withLedger(stub(machine('a', '12')).client, book);
    await client.delete(target, { preconditions: { uid: 'u', resourceVersion: '12' } });
    await client.delete(target, { preconditions: { uid: 'u' } });
    await client.delete(target, { dryRun: true });
    expect(notes).toEqual(['Machine default/a u 013', 'unknown Machine default/a']);
  });

  test('deletion of what is gone already: the cache that showed it lags -> a note to read live', async () => {
    const { ledger: book, notes } = ledger();
    const client = withLedger(stub('NotFound').client, book);
    await Promise.allSettled([client.delete(target, { preconditions: { uid: 'u', resourceVersion: '12' } })]);
    expect(notes).toEqual(['unknown Machine default/a']);
  });

  test('reads and dry runs -> nothing', async () => {
    const { ledger: book, notes } = ledger();
    const client = withLedger(stub(machine('a', '12')).client, book);
    await client.get(target);
    await client.list(machines);
    await client.mergePatch(target, {}, { dryRun: true });
    expect(notes).toEqual([]);
  });
});

describe('shadow', () => {
  const live = {
    ...machine('a', '12', { annotations: { 'x/y': 'same' }, labels: {} }),
    spec: { token: 'abcdef.0123456789abcdef', files: [{ path: '/a' }] },
  };
  const shadow = (
    answer: KubeObject | ApiFailureKind,
  ): { client: ApiClient; calls: string[]; writes: ShadowWrite[] } => {
    const { client, calls } = stub(answer);
    const writes: ShadowWrite[] = [];
    return { client: shadowClient(client, (write) => writes.push(write)), calls, writes };
  };

  test('every write -> answered as if it had been made; nothing but reads leaves', async () => {
    const { client, calls, writes } = shadow(live);
    const patched = await client.mergePatch<KubeObject & { spec: object }>(target, { spec: { token: null, more: 1 } });
    expect(patched).toMatchObject({ spec: { files: [{ path: '/a' }], more: 1 }, metadata: { uid: 'uid-a' } });
    expect([patched.metadata.resourceVersion, 'token' in patched.spec]).toEqual(['', false]);
    await client.update(target, live);
    await client.apply(target, live, { fieldManager: 'x' });
    await client.delete(target);
    await client.post('/api/v1/namespaces/a/pods/b/eviction', {
      kind: 'Eviction',
      metadata: { name: 'b', namespace: 'a' },
    });
    expect(new Set(calls)).toEqual(new Set(['get']));
    expect(writes.map(({ verb }) => verb)).toEqual(['patch', 'update', 'apply', 'delete', 'post']);
  });

  test('writes that the server would refuse -> refused alike: there already, gone, of another version or life', async () => {
    const kindOf = (work: Promise<unknown>): Promise<string> =>
      work.then(
        () => 'done',
        (error: unknown) => (error as { failure: { kind: string } }).failure.kind,
      );
    const there = shadow(live).client;
    expect(await kindOf(there.create(machines, live))).toBe('AlreadyExists');
    expect(await kindOf(there.mergePatch(target, { metadata: { resourceVersion: '11' } }))).toBe('Conflict');
    expect(await kindOf(there.mergePatch(target, { metadata: { uid: 'another' } }))).toBe('Conflict');
    expect(await kindOf(there.delete(target, { preconditions: { uid: 'u', resourceVersion: '11' } }))).toBe('Conflict');
    const absent = shadow('NotFound').client;
    expect(await kindOf(absent.mergePatch(target, {}))).toBe('NotFound');
    expect(await kindOf(absent.delete(target))).toBe('NotFound');
  });

  test('two writes of a turn -> the second builds on the first, as long as nobody else changes the object', async () => {
    const { client } = shadow(live);
    await client.mergePatch(target, { spec: { first: 1 } });
    expect(await client.mergePatch(target, { spec: { second: 2 } })).toMatchObject({ spec: { first: 1, second: 2 } });
  });

  test('ledger over a shadow -> nothing to wait for', async () => {
    const { ledger: book, notes } = ledger();
    await withLedger(shadow(live).client, book).mergePatch(target, {});
    expect(notes).toEqual([]);
  });

  test('patch -> fields as paths without values, and which of them differ', async () => {
    const { client, writes } = shadow(live);
    const body = {
      metadata: { resourceVersion: '12', annotations: { 'x/y': 'same', 'x/z': 'new' }, labels: { gone: null } },
      spec: { token: 'ghijkl.0123456789abcdef', files: [{ path: '/a' }] },
    };
    await client.mergePatch(target, body, { subresource: 'status' }).catch(() => undefined);
    expect(writes[0]).toEqual({
      verb: 'patch',
      kind: 'Machine',
      namespace: 'default',
      name: 'a',
      subresource: 'status',
      agrees: false,
      fields: [
        'metadata.annotations[x/y]',
        'metadata.annotations[x/z]',
        'metadata.labels.gone',
        'spec.token',
        'spec.files',
      ],
      differing: ['metadata.annotations[x/z]', 'spec.token'],
    });
    expect(JSON.stringify(writes)).not.toContain('0123456789abcdef');
  });

  test('write that the object agrees with already -> agrees', async () => {
    const { client, writes } = shadow(live);
    await client.create(machines, live).catch(() => undefined);
    expect(writes[0]).toMatchObject({ agrees: true, differing: [] });
  });

  test('object that is not there -> a create differs in all, a delete agrees; one that cannot be read -> null', async () => {
    const absent = shadow('NotFound');
    await absent.client.create(machines, live).catch(() => undefined);
    await absent.client.delete(target).catch(() => undefined);
    expect(absent.writes.map(({ agrees }) => agrees)).toEqual([false, true]);
    const hidden = shadow('Forbidden');
    await hidden.client.delete(target).catch(() => undefined);
    expect(hidden.writes[0]).toMatchObject({ agrees: null, differing: null });
  });

  test('reads, reviews and dry runs -> as ever', async () => {
    const { client, calls, writes } = shadow(live);
    await client.get(target);
    await client.list(machines);
    await client.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {});
    await client.mergePatch(target, {}, { dryRun: true });
    expect([calls, writes]).toEqual([['get', 'list', 'post', 'mergePatch'], []]);
  });
});
