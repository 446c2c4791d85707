// Watches: what a reflector relies on. Every test ends its own streams; nothing waits for time to pass.
import { expect, test } from '@jest/globals';

import { machine } from './dialogues-objects.js';
import type { Event, Stream, Target } from './target.js';

/** A server, and a namespace of its own for each test. */
export interface Given {
  readonly target: () => Target;
  readonly namespace: () => Promise<string>;
}

const merge = 'application/merge-patch+json';
const tableForm = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const metadataForm = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

interface Meta {
  readonly name: string;
  readonly resourceVersion: string;
  readonly annotations?: Record<string, string>;
}

function meta(event: Event | null): Meta {
  return event?.object.metadata as Meta;
}

function seen(events: readonly (Event | null)[]): string[] {
  return events.map((event) => (event === null ? 'end' : `${event.type} ${meta(event).name}`));
}

async function take(stream: Stream, count: number): Promise<(Event | null)[]> {
  const events: (Event | null)[] = [];
  for (let index = 0; index < count; index += 1) events.push(await stream.next());
  return events;
}

/** Calls for one namespace of one target. */
function client(
  target: Target,
  namespace: string,
): {
  create(name: string, labels?: object, metadata?: object): Promise<Meta>;
  patch(name: string, body: object, subresource?: string): Promise<Meta>;
  remove(name: string): Promise<void>;
  revision(query?: string): Promise<string>;
  watch(query: string, accept?: string): Promise<Stream>;
} {
  const base = `/apis/cluster.x-k8s.io/v1beta2/namespaces/${namespace}/machines`;
  const object = (text: string): Meta => (JSON.parse(text) as { metadata: Meta }).metadata;
  return {
    async create(name, labels = {}, metadata = {}) {
      const body = JSON.stringify(machine(name, {}, { labels, ...metadata }));
      return object((await target.send({ method: 'POST', path: base, body })).text);
    },
    async patch(name, body, subresource = '') {
      const path = `${base}/${name}${subresource}`;
      return object(
        (await target.send({ method: 'PATCH', path, contentType: merge, body: JSON.stringify(body) })).text,
      );
    },
    async remove(name) {
      await target.send({ method: 'DELETE', path: `${base}/${name}` });
    },
    async revision(query = '') {
      return object((await target.send({ method: 'GET', path: `${base}${query}` })).text).resourceVersion;
    },
    watch: (query, accept) =>
      target.stream({
        method: 'GET',
        path: `${base}?watch=true&${query}`,
        ...(accept === undefined ? {} : { accept }),
      }),
  };
}

/** Registers the tests about watches. */
export function watchTests(given: Given): void {
  const start = async (): Promise<ReturnType<typeof client>> => client(given.target(), await given.namespace());

  test('watch: from the revision of a list -> each later change once, in order, with growing revisions', async () => {
    const api = await start();
    await api.create('before');
    const revision = await api.revision();
    const stream = await api.watch(`resourceVersion=${revision}`);
    await api.create('a');
    await api.patch('a', { metadata: { labels: { x: 'y' } } });
    await api.patch('a', { status: { phase: 'Running' } }, '/status');
    await api.remove('a');
    const events = await take(stream, 4);
    stream.close();
    expect(seen(events)).toEqual(['ADDED a', 'MODIFIED a', 'MODIFIED a', 'DELETED a']);
    const revisions = events.map((event) => Number(meta(event).resourceVersion));
    expect([...revisions].sort((left, right) => left - right)).toEqual(revisions);
    expect(new Set(revisions).size).toBe(4);
  });

  test('watch: changes that happened before it started -> are sent from the history', async () => {
    const api = await start();
    const revision = await api.revision();
    await api.create('a');
    await api.create('b');
    await api.remove('a');
    const stream = await api.watch(`resourceVersion=${revision}`);
    const events = await take(stream, 3);
    stream.close();
    expect(seen(events)).toEqual(['ADDED a', 'ADDED b', 'DELETED a']);
  });

  test('watch: without a revision -> everything there is as ADDED, then changes', async () => {
    const api = await start();
    await api.create('a');
    await api.create('b');
    const stream = await api.watch('');
    const first = await take(stream, 2);
    await api.remove('b');
    const [last] = await take(stream, 1);
    stream.close();
    expect(seen(first).sort()).toEqual(['ADDED a', 'ADDED b']);
    expect(seen([last ?? null])).toEqual(['DELETED b']);
  });

  test('watch: a label selector -> an object that leaves it is DELETED, one that enters it is ADDED', async () => {
    const api = await start();
    const revision = await api.revision();
    const stream = await api.watch(`resourceVersion=${revision}&labelSelector=in%3Dyes`);
    await api.create('other');
    await api.create('a', { in: 'yes' });
    await api.patch('a', { metadata: { labels: { in: 'no' } } });
    const entered = await api.patch('a', { metadata: { labels: { in: 'yes' } } });
    await api.patch('a', { spec: { version: 'v1.0.0' } });
    const events = await take(stream, 4);
    stream.close();
    expect(seen(events)).toEqual(['ADDED a', 'DELETED a', 'ADDED a', 'MODIFIED a']);
    expect(meta(events[2] ?? null).resourceVersion).toBe(entered.resourceVersion);
    expect(Number(meta(events[1] ?? null).resourceVersion)).toBeLessThan(Number(entered.resourceVersion));
  });

  test('watch: a field selector for one name -> only that object', async () => {
    const api = await start();
    const revision = await api.revision();
    const stream = await api.watch(`resourceVersion=${revision}&fieldSelector=metadata.name%3Db`);
    await api.create('a');
    await api.create('b');
    const events = await take(stream, 1);
    stream.close();
    expect(seen(events)).toEqual(['ADDED b']);
  });

  test('watch: an object with finalizers -> MODIFIED when marked, DELETED with the last finalizer', async () => {
    const api = await start();
    await api.create('a', {}, { finalizers: ['a.io/one'] });
    const stream = await api.watch(`resourceVersion=${await api.revision()}`);
    await api.remove('a');
    await api.patch('a', { metadata: { finalizers: null } });
    const events = await take(stream, 2);
    stream.close();
    expect(seen(events)).toEqual(['MODIFIED a', 'DELETED a']);
    expect(events[0]?.object).toMatchObject({ metadata: { deletionGracePeriodSeconds: 0 } });
  });

  test('watch: a change that changes nothing -> no event', async () => {
    const api = await start();
    await api.create('a', { x: 'y' });
    const stream = await api.watch(`resourceVersion=${await api.revision()}`);
    await api.patch('a', { metadata: { labels: { x: 'y' } } });
    await api.create('b');
    const events = await take(stream, 1);
    stream.close();
    expect(seen(events)).toEqual(['ADDED b']);
  });

  test('watch: timeoutSeconds with bookmarks -> a bookmark with the newest revision, then the end', async () => {
    const api = await start();
    await api.create('a');
    const revision = await api.revision();
    const stream = await api.watch(`resourceVersion=${revision}&allowWatchBookmarks=true&timeoutSeconds=1`);
    const events: Event[] = [];
    for (let event = await stream.next(); event !== null; event = await stream.next()) events.push(event);
    expect(events.every((event) => event.type === 'BOOKMARK')).toBe(true);
    for (const event of events) {
      expect(Number(meta(event).resourceVersion)).toBeGreaterThanOrEqual(Number(revision));
      expect(event.object).toMatchObject({ kind: 'Machine', apiVersion: 'cluster.x-k8s.io/v1beta2' });
    }
  });

  test('watch: initial events asked for -> objects, a bookmark that ends them, then changes', async () => {
    const api = await start();
    await api.create('a');
    await api.create('b');
    const stream = await api.watch('sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true');
    const events = await take(stream, 3);
    await api.create('c');
    const [next] = await take(stream, 1);
    stream.close();
    expect(seen(events.slice(0, 2)).sort()).toEqual(['ADDED a', 'ADDED b']);
    expect(events[2]?.type).toBe('BOOKMARK');
    expect(meta(events[2] ?? null).annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    expect(seen([next ?? null])).toEqual(['ADDED c']);
  });

  test('watch: a revision that is too old -> an ERROR event with code 410, then the end', async () => {
    const api = await start();
    await api.create('a');
    const stream = await api.watch('resourceVersion=1');
    const event = await stream.next();
    expect(stream.status).toBe(200);
    expect(event?.type).toBe('ERROR');
    expect(event?.object).toMatchObject({ kind: 'Status', status: 'Failure', code: 410, reason: 'Expired' });
    expect(await stream.next()).toBeNull();
  });

  test('watch: metadata only -> partial objects', async () => {
    const api = await start();
    const stream = await api.watch(`resourceVersion=${await api.revision()}`, metadataForm);
    await api.create('a', { x: 'y' });
    const event = await stream.next();
    stream.close();
    expect(event?.object).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'a', labels: { x: 'y' } },
    });
    expect(event?.object.spec).toBeUndefined();
  });

  test('watch: as a table -> a row for each event, columns in the first only', async () => {
    const api = await start();
    const stream = await api.watch(`resourceVersion=${await api.revision()}`, tableForm);
    await api.create('a');
    await api.create('b');
    const [first, second] = await take(stream, 2);
    stream.close();
    expect(first?.object.kind).toBe('Table');
    expect(first?.object.columnDefinitions).toEqual(
      expect.arrayContaining([expect.objectContaining({ name: 'Name' })]),
    );
    expect(second?.object.columnDefinitions).toBeNull();
    expect((second?.object.rows as { cells: unknown[] }[])[0]?.cells[0]).toBe('b');
  });

  test('watch: two on the same resource -> both see everything', async () => {
    const api = await start();
    const revision = await api.revision();
    const streams = await Promise.all([
      api.watch(`resourceVersion=${revision}`),
      api.watch(`resourceVersion=${revision}`),
    ]);
    await api.create('a');
    await api.remove('a');
    for (const stream of streams) {
      expect(seen(await take(stream, 2))).toEqual(['ADDED a', 'DELETED a']);
      stream.close();
    }
  });
}
