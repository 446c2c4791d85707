import { describe, expect, test } from '@jest/globals';

import type {
  ApiResponse,
  EmbeddedApiServer,
  FaultPlan,
  RequestFault,
  WatchFault,
} from '../../../src/embedded/types.js';
import { createTestClock, type TestClock } from '../kube/test-clock.js';
import { testServer } from './fixture.js';

const configMaps = '/api/v1/namespaces/default/configmaps';

function create(server: EmbeddedApiServer, name: string, signal?: AbortSignal): Promise<ApiResponse> {
  const body = JSON.stringify({ metadata: { name } });
  return server.handle({
    method: 'POST',
    url: configMaps,
    headers: {},
    body,
    ...(signal === undefined ? {} : { signal }),
  });
}

function once(fault: RequestFault): FaultPlan {
  let spent = false;
  return {
    request(info) {
      if (spent || info.resource !== 'configmaps') return undefined;
      spent = true;
      return fault;
    },
  };
}

function exists(server: EmbeddedApiServer, name: string): boolean {
  return server.store.get('configmaps', 'default', name) !== undefined;
}

describe('request faults', () => {
  test.each([
    [409, 'Conflict'],
    [429, 'TooManyRequests'],
    [500, 'InternalError'],
    [503, 'ServiceUnavailable'],
    [504, 'Timeout'],
  ])('status %i: -> refused as %s, nothing happens, the next request is well', async (code, reason) => {
    const server = testServer(createTestClock(), { faults: once({ kind: 'status', code, retryAfterSeconds: 2 }) });
    const refused = await create(server, 'a');
    expect(refused).toMatchObject({ status: code, headers: { 'retry-after': '2' } });
    expect(JSON.parse(refused.body as string)).toMatchObject({
      kind: 'Status',
      reason,
      code,
      details: { retryAfterSeconds: 2 },
    });
    expect(exists(server, 'a')).toBe(false);
    expect((await create(server, 'a')).status).toBe(201);
  });

  test('drop before: -> the connection breaks and nothing happened', async () => {
    const server = testServer(createTestClock(), { faults: once({ kind: 'drop-before' }) });
    await expect(create(server, 'a')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(exists(server, 'a')).toBe(false);
  });

  test('drop after: -> the connection breaks and it happened', async () => {
    const server = testServer(createTestClock(), { faults: once({ kind: 'drop-after' }) });
    await expect(create(server, 'a')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(exists(server, 'a')).toBe(true);
  });

  test('delay: -> happens later', async () => {
    const clock = createTestClock();
    const server = testServer(clock, { faults: once({ kind: 'delay', ms: 5_000 }) });
    const pending = create(server, 'a');
    await clock.advance(4_999);
    expect(exists(server, 'a')).toBe(false);
    await clock.advance(1);
    expect((await pending).status).toBe(201);
  });

  test.each([
    ['hang-before', false],
    ['hang-after', true],
  ] as const)('%s: -> silence until the caller gives up; happened: %s', async (kind, happened) => {
    const clock = createTestClock();
    const server = testServer(clock, { faults: once({ kind }) });
    const abort = new AbortController();
    let answered = false;
    const pending = create(server, 'a', abort.signal).finally(() => (answered = true));
    pending.catch(() => undefined);
    await clock.advance(600_000);
    expect(answered).toBe(false);
    expect(exists(server, 'a')).toBe(happened);
    abort.abort();
    await expect(pending).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('observer: -> sees every request with its answer, a broken one as 0', async () => {
    const seen: string[] = [];
    const server = testServer(createTestClock(), {
      faults: once({ kind: 'drop-before' }),
      onRequest: (info, status) => seen.push(`${info.verb} ${info.resource} ${status}`),
    });
    await create(server, 'a').catch(() => undefined);
    await create(server, 'a');
    expect(seen).toEqual(['create configmaps 0', 'create configmaps 201']);
  });
});

async function lines(response: ApiResponse): Promise<string> {
  let text = '';
  if (typeof response.body !== 'string') for await (const chunk of response.body) text += chunk;
  return text;
}

function watch(server: EmbeddedApiServer, query = ''): Promise<ApiResponse> {
  return server.handle({
    method: 'GET',
    url: `${configMaps}?watch=true&resourceVersion=${server.store.revision()}${query}`,
    headers: {},
  });
}

function names(text: string): string[] {
  const events = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { type: string; object: { metadata: { name: string } } });
  return events.map(({ type, object }) => `${type} ${object.metadata.name}`);
}

function faulty(clock: TestClock, fault: WatchFault, name: string): EmbeddedApiServer {
  return testServer(clock, {
    faults: { watchEvent: (_info, { object }) => (object.metadata.name === name ? fault : undefined) },
  });
}

describe('watch faults', () => {
  test('delay: -> the event and those behind it come later, in order', async () => {
    const clock = createTestClock();
    const server = faulty(clock, { kind: 'delay', ms: 1_000 }, 'b');
    const open = await watch(server);
    let text = '';
    const reading = (async () => {
      if (typeof open.body !== 'string') for await (const chunk of open.body) text += chunk;
    })();
    for (const name of ['a', 'b', 'c']) await create(server, name);
    await clock.settle();
    expect(names(text)).toEqual(['ADDED a']);
    await clock.advance(1_000);
    expect(names(text)).toEqual(['ADDED a', 'ADDED b', 'ADDED c']);
    await server.close();
    await reading;
  });

  test('close: -> the stream ends before the event', async () => {
    const server = faulty(createTestClock(), { kind: 'close' }, 'b');
    const open = await watch(server);
    for (const name of ['a', 'b', 'c']) await create(server, name);
    expect(names(await lines(open))).toEqual(['ADDED a']);
  });

  test('break: -> the stream ends in the middle of a line', async () => {
    const server = faulty(createTestClock(), { kind: 'break' }, 'b');
    const open = await watch(server);
    for (const name of ['a', 'b']) await create(server, name);
    const text = await lines(open);
    expect(text.endsWith('\n')).toBe(false);
    expect(names(text.slice(0, text.lastIndexOf('\n')))).toEqual(['ADDED a']);
  });

  test('gone: -> an ERROR event with code 410 ends the stream', async () => {
    const server = faulty(createTestClock(), { kind: 'gone' }, 'a');
    const open = await watch(server);
    await create(server, 'a');
    expect(JSON.parse((await lines(open)).trim())).toMatchObject({ type: 'ERROR', object: { code: 410 } });
  });
});

describe('history', () => {
  test('compacted: -> watches and pages from before answer 410, new lists are well', async () => {
    const server = testServer(createTestClock());
    for (const name of ['a', 'b', 'c']) await create(server, name);
    const get = (query: string): Promise<ApiResponse> =>
      server.handle({ method: 'GET', url: `${configMaps}?${query}`, headers: {} });
    const first = JSON.parse((await get('limit=2')).body as string) as {
      metadata: { continue: string; resourceVersion: string };
    };
    await create(server, 'd');
    server.store.compact();
    const { continue: token, resourceVersion } = first.metadata;
    expect((await get(`limit=2&continue=${token}`)).status).toBe(410);
    expect((await get(`resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`)).status).toBe(410);
    expect((await get(`resourceVersion=${resourceVersion}`)).status).toBe(200);
    const text = await lines(await get(`watch=true&resourceVersion=${resourceVersion}`));
    expect(JSON.parse(text)).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  });

  test('longer than its bound: -> the oldest events are forgotten, the newest are kept', async () => {
    const server = testServer(createTestClock(), { watchHistoryMax: 10 });
    const start = server.store.revision();
    for (let index = 0; index < 40; index += 1) await create(server, `c-${index}`);
    const from = (revision: number): Promise<ApiResponse> =>
      server.handle({
        method: 'GET',
        url: `${configMaps}?watch=true&timeoutSeconds=1&resourceVersion=${revision}`,
        headers: {},
      });
    expect(await lines(await from(start))).toContain('"code":410');
    const open = await from(server.store.revision() - 5);
    server.store.closeWatches();
    expect(names(await lines(open))).toEqual([35, 36, 37, 38, 39].map((index) => `ADDED c-${index}`));
  });

  test('bookmarks: asked for -> come at intervals with the newest revision', async () => {
    const clock = createTestClock();
    const server = testServer(clock, { bookmarkIntervalMs: 1_000 });
    const open = await watch(server, '&allowWatchBookmarks=true');
    await server.handle({
      method: 'POST',
      url: '/api/v1/namespaces/default/secrets',
      headers: {},
      body: '{"metadata":{"name":"s"}}',
    });
    await clock.advance(1_500);
    server.store.closeWatches();
    const text = await lines(open);
    expect(JSON.parse(text)).toMatchObject({
      type: 'BOOKMARK',
      object: { kind: 'ConfigMap', metadata: { resourceVersion: String(server.store.revision()) } },
    });
  });

  test('open watches: -> are counted, and closed with the server', async () => {
    const server = testServer(createTestClock());
    const open = await watch(server);
    expect(server.store.watchCount()).toBe(1);
    await server.close();
    expect(await lines(open)).toBe('');
    expect(server.store.watchCount()).toBe(0);
  });
});
