import { afterEach, describe, expect, test } from '@jest/globals';
import { ApiError, type ApiFailure, type KubeObject, type WatchEvent } from '../../../src/kube/contract.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { createRateLimiter } from '../../../src/kube/rate-limiter.js';
import { resources } from '../../../src/api/names.js';
import { json, startFakeServer, status, type FakeServer, type Script } from './fake-server.js';
import { createTestClock } from './test-clock.js';

const machines = resourceOf(resources.Machine);
const secrets = resourceOf(resources.Secret);
const machine = { resource: machines, namespace: 'default', name: 'm1' };
const body = {
  apiVersion: 'cluster.x-k8s.io/v1beta2',
  kind: 'Machine',
  metadata: { name: 'm1', namespace: 'default', resourceVersion: '7', extra: 1 },
};

let server: FakeServer;
afterEach(() => server.close());

async function serve(script: Script): Promise<FakeServer> {
  server = await startFakeServer(script);
  return server;
}

async function failureOf(work: Promise<unknown>): Promise<ApiFailure> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ApiError);
  return (error as ApiError).failure;
}

describe('client: answers that are none', () => {
  const hidden = 'token: hunter2';
  const html = { 'content-type': 'text/html; charset=utf-8' };
  const asked = 'the answer of the API server to';
  type Api = ReturnType<FakeServer['client']>;
  test.each<[string, Record<string, string>, string, (api: Api) => Promise<unknown>, string, string]>([
    [
      'a page',
      html,
      hidden,
      (api) => api.get(machine),
      'Unavailable',
      `${asked} get Machine default/m1 is not JSON (status 200, text/html)`,
    ],
    [
      'nothing',
      {},
      '',
      (api) => api.get(machine),
      'Unavailable',
      `${asked} get Machine default/m1 is empty (status 200, no content type)`,
    ],
    [
      'a JSON text',
      {},
      `"${hidden}"`,
      (api) => api.get(machine),
      'Unavailable',
      `${asked} get Machine default/m1 is not a JSON object (status 200, no content type)`,
    ],
    [
      'another object',
      {},
      `{"error":"${hidden}"}`,
      (api) => api.get(machine),
      'Unavailable',
      `${asked} get Machine default/m1 is not an object of the API (status 200, no content type)`,
    ],
    [
      'another object for a list',
      {},
      `{"error":"${hidden}"}`,
      (api) => api.list(machines, { namespace: 'n' }),
      'Unavailable',
      `${asked} list Machine n is not a list (status 200, no content type)`,
    ],
    [
      'a page for a list',
      html,
      hidden,
      (api) => api.list(machines),
      'Unavailable',
      `${asked} list Machine is not JSON (status 200, text/html)`,
    ],
    [
      'a page for a write',
      html,
      hidden,
      (api) => api.mergePatch(machine, {}),
      'Unknown',
      `${asked} patch Machine default/m1 is not JSON (status 200, text/html)`,
    ],
    [
      'a page for discovery',
      html,
      hidden,
      (api) => api.getPath('/version'),
      'Unavailable',
      `${asked} get /version is not JSON (status 200, text/html)`,
    ],
    [
      'a secret as content type',
      { 'content-type': hidden },
      'x',
      (api) => api.getPath('/version'),
      'Unavailable',
      `${asked} get /version is not JSON (status 200, no content type)`,
    ],
  ])(
    '%s -> which call got what kind of answer, and nothing of its content',
    async (_, headers, text, call, kind, message) => {
      const { client } = await serve((_request, response) => {
        response.writeHead(200, headers);
        response.end(text);
      });
      expect(await failureOf(call(client()))).toMatchObject({ kind, reason: 'BadAnswer', message });
    },
  );

  test('another protocol -> which call, and that it is not HTTP', async () => {
    const { client } = await serve((_request, _response, socket) => void socket.end(`220 ${hidden}\r\n\r\n`));
    const api = client();
    const { reason, message } = await failureOf(api.get(machine));
    expect([reason, message.replace(api.host, 'HOST')]).toEqual([
      'BadAnswer',
      'cannot talk to the API server at HOST: its answer is not HTTP/1.1 (no status line), to get Machine default/m1',
    ]);
  });

  test.each([
    ['a page', `${hidden}\n`, 'the answer of the API server to watch Machine has a line that is not a JSON object'],
    ['null', 'null\n', 'the answer of the API server to watch Machine has a line that is not a JSON object'],
    [
      'an unknown event',
      `{"type":"${hidden}"}\n`,
      'the answer of the API server to watch Machine has an event of an unknown type',
    ],
    ['half a line', '{"type":"ADD', 'the watch of Machine broke: the stream ended inside a line'],
  ])('a watch with %s -> the kind of it, and nothing of its content', async (_, text, message) => {
    const { client } = await serve((_request, response) => void response.end(text));
    const events = client().watch(machines, {});
    expect(await failureOf(events[Symbol.asyncIterator]().next())).toMatchObject({ kind: 'Unavailable', message });
  });
});

describe('client: requests', () => {
  test('each verb -> method, path, query and media type of the API', async () => {
    const { seen, client } = await serve((_, response) => json(response, 200, body));
    const api = client();
    await api.get(machine);
    await api.get(machine, { metadataOnly: true });
    await api.create(machines, body);
    await api.update(machine, body, { subresource: 'status' });
    await api.mergePatch(machine, { spec: {} }, { dryRun: true });
    await api.apply(machine, body, { fieldManager: 'other', force: true });
    await api.delete(machine, { preconditions: { uid: 'u', resourceVersion: '7' }, propagationPolicy: 'Background' });
    await api.post('/api/v1/namespaces/default/pods/p/eviction', {
      kind: 'Eviction',
      metadata: { name: 'p', namespace: 'default' },
    });
    const path = '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines';
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET ${path}/m1`,
      `GET ${path}/m1`,
      `POST ${path}?fieldManager=test-manager`,
      `PUT ${path}/m1/status?fieldManager=test-manager`,
      `PATCH ${path}/m1?fieldManager=test-manager&dryRun=All`,
      `PATCH ${path}/m1?fieldManager=other&force=true`,
      `DELETE ${path}/m1`,
      'POST /api/v1/namespaces/default/pods/p/eviction',
    ]);
    expect(seen[1]?.headers.accept).toBe('application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1');
    expect(seen.map(({ headers }) => headers['content-type'])).toEqual([
      undefined,
      undefined,
      'application/json',
      'application/json',
      'application/merge-patch+json',
      'application/apply-patch+yaml',
      'application/json',
      'application/json',
    ]);
    expect(JSON.parse(seen[6]?.body ?? '')).toMatchObject({
      preconditions: { uid: 'u', resourceVersion: '7' },
      propagationPolicy: 'Background',
    });
    expect(new Set(seen.map(({ headers }) => headers['user-agent']))).toEqual(new Set(['test-agent']));
  });

  test('many requests in a row -> one connection', async () => {
    const { client, connections } = await serve((_, response) => json(response, 200, body));
    const api = client();
    for (let index = 0; index < 20; index += 1) await api.get(machine);
    expect(connections()).toBe(1);
  });

  test('many requests at once -> no more than 16 connections', async () => {
    const { client, connections } = await serve((_, response) => json(response, 200, body));
    const api = client();
    await Promise.all(Array.from({ length: 200 }, () => api.get(machine)));
    expect(connections()).toBeLessThanOrEqual(16);
  });

  test('list: selectors, limit and continue -> query, continue token and named items', async () => {
    const { client, seen } = await serve((_, response) =>
      json(response, 200, {
        kind: 'SecretList',
        metadata: { resourceVersion: '9', continue: 'next' },
        items: [{ metadata: { name: 'a' } }],
      }),
    );
    const list = await client().list(secrets, {
      labelSelector: 'a=b',
      fieldSelector: 'metadata.name=a',
      resourceVersion: '0',
      limit: 500,
      continueToken: 'tok',
    });
    expect(seen[0]?.url).toBe(
      '/api/v1/secrets?labelSelector=a%3Db&fieldSelector=metadata.name%3Da&resourceVersion=0&limit=500&continue=tok',
    );
    expect(list).toEqual({
      resourceVersion: '9',
      continueToken: 'next',
      items: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } }],
    });
  });

  test('answer: fields that nobody knows -> kept', async () => {
    const { client } = await serve((_, response) => json(response, 200, { ...body, future: { a: [1] } }));
    expect(await client().get(machine)).toMatchObject({ future: { a: [1] }, metadata: { extra: 1 } });
  });

  test('warnings of the server -> told to the observer', async () => {
    const { client } = await serve((_, response) =>
      json(response, 200, body, { warning: '299 - "one \\"x\\"", 299 - "two"' }),
    );
    const warnings: string[] = [];
    await client({ observer: { onWarning: (text) => warnings.push(text) } }).get(machine);
    expect(warnings).toEqual(['one "x"', 'two']);
  });
});

describe('client: failures', () => {
  const cases: readonly (readonly [string, number, object | string, string, string])[] = [
    ['404 that names the object', 404, status(404, 'NotFound', 'machines "m1" not found'), 'NotFound', 'NotFound'],
    ['404 of an unknown path', 404, '404 page not found\n', 'NoSuchResource', 'NoSuchResource'],
    [
      '404 without a name',
      404,
      status(404, 'NotFound', 'the server could not find the requested resource', {}),
      'NoSuchResource',
      'NoSuchResource',
    ],
    ['409 of an existing object', 409, status(409, 'AlreadyExists', 'exists'), 'AlreadyExists', 'AlreadyExists'],
    ['409 of an old resourceVersion', 409, status(409, 'Conflict', 'modified'), 'Conflict', 'Conflict'],
    ['422', 422, status(422, 'Invalid', 'bad field'), 'Invalid', 'Invalid'],
    ['400', 400, status(400, 'BadRequest', 'bad'), 'BadRequest', 'BadRequest'],
    ['413', 413, 'too large', 'BadRequest', 'BadRequest'],
    ['401', 401, status(401, 'Unauthorized', 'Unauthorized', {}), 'Unauthorized', 'Unauthorized'],
    ['403', 403, status(403, 'Forbidden', 'forbidden'), 'Forbidden', 'Forbidden'],
    ['410', 410, status(410, 'Expired', 'too old'), 'Gone', 'Gone'],
    ['429 without Retry-After', 429, status(429, 'TooManyRequests', 'busy'), 'TooManyRequests', 'TooManyRequests'],
    ['408', 408, 'timeout', 'Unavailable', 'Unknown'],
    ['500', 500, status(500, 'InternalError', 'boom'), 'Unavailable', 'Unknown'],
    ['503', 503, 'apiserver not ready', 'Unavailable', 'Unknown'],
    ['504', 504, status(504, 'Timeout', 'slow'), 'Unavailable', 'Unknown'],
  ];

  test.each(cases)('answer: %s -> the kind for a read and for a write', async (_, code, answer, read, write) => {
    const { client } = await serve((_request, response) => {
      response.writeHead(code);
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    });
    const api = client();
    expect((await failureOf(api.get(machine))).kind).toBe(read);
    expect((await failureOf(api.mergePatch(machine, {}))).kind).toBe(write);
  });

  test('failure -> status, reason, server text, verb and target', async () => {
    const { client } = await serve((_, response) =>
      json(response, 403, status(403, 'Forbidden', 'no list for you'), { 'retry-after': '3' }),
    );
    expect(await failureOf(client().get(machine))).toEqual({
      kind: 'Forbidden',
      status: 403,
      reason: 'Forbidden',
      message: 'no list for you',
      causes: [],
      retryAfterMs: 3000,
      verb: 'get',
      target: { kind: 'Machine', namespace: 'default', name: 'm1' },
    });
  });

  test('connection reset after a write arrived -> Unknown; for a read -> Unavailable', async () => {
    const { client } = await serve((_request, _response, socket) => socket.resetAndDestroy());
    expect(await failureOf(client().create(machines, body))).toMatchObject({
      kind: 'Unknown',
      status: null,
      reason: 'ECONNRESET',
    });
    expect((await failureOf(client().get(machine))).kind).toBe('Unavailable');
  });

  test('connection reset inside the answer -> Unknown for a write', async () => {
    const { client } = await serve((_request, response, socket) => {
      response.writeHead(201, { 'content-length': '1000' });
      response.write('{"kind"');
      setImmediate(() => socket.resetAndDestroy());
    });
    expect((await failureOf(client().create(machines, body))).kind).toBe('Unknown');
  });

  test('answer that is no JSON -> Unknown for a write, Unavailable for a read', async () => {
    const { client } = await serve((_, response) => response.end('<html>'));
    expect((await failureOf(client().create(machines, body))).kind).toBe('Unknown');
    expect((await failureOf(client().get(machine))).kind).toBe('Unavailable');
  });

  test('nobody listens -> Refused, for writes too, without ports of this side', async () => {
    const { client, close } = await serve(() => undefined);
    const api = client();
    await close();
    const fresh = server.client();
    const failure = await failureOf(fresh.create(machines, body));
    expect(failure.kind).toBe('Refused');
    expect(failure.message).toMatch(/^cannot reach the API server at 127\.0\.0\.1:\d+: connection refused$/);
    expect((await failureOf(api.get(machine))).kind).toBe('Refused');
  });

  test('no answer in time -> Unknown for a write, Unavailable for a read, reason Timeout', async () => {
    const { client } = await serve(() => undefined);
    expect(await failureOf(client().create(machines, body, { timeoutMs: 30 }))).toMatchObject({
      kind: 'Unknown',
      reason: 'Timeout',
    });
    expect(await failureOf(client().get(machine, { timeoutMs: 30 }))).toMatchObject({
      kind: 'Unavailable',
      reason: 'Timeout',
    });
  });

  test('caller gives up -> Aborted for a read, Unknown for a write that left, Aborted for one that did not', async () => {
    const { client, seen } = await serve(() => controller.abort());
    let controller = new AbortController();
    expect((await failureOf(client().get(machine, { signal: controller.signal }))).kind).toBe('Aborted');
    controller = new AbortController();
    expect((await failureOf(client().create(machines, body, { signal: controller.signal }))).kind).toBe('Unknown');
    expect(seen).toHaveLength(2);
    expect((await failureOf(client().create(machines, body, { signal: controller.signal }))).kind).toBe('Aborted');
    expect(seen).toHaveLength(2);
  });
});

describe('client: retries', () => {
  test('429 with Retry-After -> sent again after that time, also a write', async () => {
    let tries = 0;
    const { client } = await serve((_, response) => {
      tries += 1;
      if (tries < 3) json(response, 429, status(429, 'TooManyRequests', 'busy'), { 'retry-after': '0.01' });
      else json(response, 201, body);
    });
    await client().create(machines, body);
    expect(tries).toBe(3);
  });

  test('503 with Retry-After -> a read is sent again, a write is not', async () => {
    const { client, seen } = await serve((_, response) =>
      json(response, 503, status(503, 'ServiceUnavailable', 'later'), { 'retry-after': '0.01' }),
    );
    await failureOf(client().get(machine));
    expect(seen).toHaveLength(5);
    expect((await failureOf(client().create(machines, body))).kind).toBe('Unknown');
    expect(seen).toHaveLength(6);
  });

  test('Retry-After beyond the bound, and evictions -> left to the caller', async () => {
    const { client, seen } = await serve((_, response) =>
      json(response, 429, status(429, 'TooManyRequests', 'later'), { 'retry-after': '60' }),
    );
    expect(await failureOf(client().get(machine))).toMatchObject({ kind: 'TooManyRequests', retryAfterMs: 60_000 });
    server.script = (_, response) =>
      json(response, 429, status(429, 'TooManyRequests', 'budget'), { 'retry-after': '0.01' });
    await failureOf(client().post('/api/v1/namespaces/default/pods/p/eviction', {}));
    expect(seen).toHaveLength(2);
  });

  test('reused connection that the server closed meanwhile -> a read is sent again', async () => {
    let answered = 0;
    const { client } = await serve((_, response, socket) => {
      answered += 1;
      if (answered === 2) socket.resetAndDestroy();
      else json(response, 200, body);
    });
    const api = client();
    await api.get(machine);
    await api.get(machine);
    expect(answered).toBe(3);
  });
});

describe('client: write gate', () => {
  test('gate says no -> writes are Refused and nothing leaves, reads and reviews go on', async () => {
    const { client, seen } = await serve((_, response) => json(response, 200, body));
    const api = client({ gate: () => 0 });
    expect(await failureOf(api.create(machines, body))).toMatchObject({ kind: 'Refused', reason: 'NotLeader' });
    expect((await failureOf(api.delete(machine))).kind).toBe('Refused');
    expect((await failureOf(api.post('/api/v1/namespaces/a/pods/b/eviction', {}))).kind).toBe('Refused');
    await api.get(machine);
    await api.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {});
    expect(seen.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  test('gate gives little time -> the write is given up when it is over', async () => {
    const { client } = await serve(() => undefined);
    expect(await failureOf(client({ gate: () => 30 }).create(machines, body))).toMatchObject({
      kind: 'Unknown',
      reason: 'Timeout',
    });
  });

  test('gate closes while the server says "later" -> the repeat is refused', async () => {
    let open = true;
    const { client, seen } = await serve((_, response) => {
      open = false;
      json(response, 429, status(429, 'TooManyRequests', 'busy'), { 'retry-after': '0.01' });
    });
    expect((await failureOf(client({ gate: () => (open ? 1000 : 0) }).create(machines, body))).kind).toBe('Refused');
    expect(seen).toHaveLength(1);
  });
});

describe('client: watch', () => {
  const line = (type: string, object: object): string => `${JSON.stringify({ type, object })}\n`;
  const read = async (
    events: AsyncIterable<WatchEvent<KubeObject>>,
  ): Promise<{ events: WatchEvent<KubeObject>[]; failure: ApiFailure | null }> => {
    const seen: WatchEvent<KubeObject>[] = [];
    try {
      for await (const event of events) seen.push(event);
      return { events: seen, failure: null };
    } catch (error) {
      return { events: seen, failure: (error as ApiError).failure };
    }
  };

  test('events cut anywhere into chunks -> whole events in order, then the end', async () => {
    const text =
      line('ADDED', body) +
      line('BOOKMARK', { metadata: { resourceVersion: '12' } }) +
      line('DELETED', { ...body, note: 'ü€😀' });
    const { client, seen } = await serve((_, response) => {
      const bytes = Buffer.from(text);
      response.writeHead(200);
      for (let index = 0; index < bytes.length; index += 7) response.write(bytes.subarray(index, index + 7));
      response.end();
    });
    const result = await read(client().watch(machines, { resourceVersion: '5', timeoutSeconds: 300 }));
    expect(result.failure).toBeNull();
    expect(result.events).toEqual([
      { type: 'ADDED', object: body },
      { type: 'BOOKMARK', resourceVersion: '12' },
      { type: 'DELETED', object: { ...body, note: 'ü€😀' } },
    ]);
    expect(seen[0]?.url).toBe(
      '/apis/cluster.x-k8s.io/v1beta2/machines?watch=true&allowWatchBookmarks=true&resourceVersion=5&timeoutSeconds=300',
    );
  });

  test('410 before the stream, and an ERROR event inside it -> a failure, and an event', async () => {
    const { client } = await serve((_, response) => json(response, 410, status(410, 'Expired', 'too old')));
    expect((await read(client().watch(machines, {}))).failure?.kind).toBe('Gone');
    server.script = (_, response) => response.end(line('ERROR', status(410, 'Expired', 'too old')));
    expect((await read(client().watch(machines, {}))).events).toEqual([
      { type: 'ERROR', status: 410, reason: 'Expired', message: 'too old' },
    ]);
  });

  test('stream that breaks inside an event -> the events before it and a failure', async () => {
    const { client } = await serve((_, response, socket) => {
      response.writeHead(200);
      response.write(line('ADDED', body) + '{"type":"MOD');
      setTimeout(() => socket.resetAndDestroy(), 5);
    });
    const result = await read(client().watch(machines, {}));
    expect(result.events).toHaveLength(1);
    expect(result.failure?.kind).toBe('Unavailable');
  });

  test('stream that ends politely inside an event -> a failure', async () => {
    const { client } = await serve((_, response) => response.end('{"type":"ADD'));
    expect((await read(client().watch(machines, {}))).failure?.reason).toBe('BrokenStream');
  });

  test('caller gives up -> the connection closes and the loop ends with Aborted', async () => {
    const controller = new AbortController();
    const closed = new Promise<void>((resolve) => {
      void serve((_, response) => {
        response.on('close', resolve);
        response.writeHead(200);
        response.write(line('ADDED', body));
      })
        .then(async () => {
          const watch = server.client().watch(machines, { signal: controller.signal });
          for await (const event of watch) {
            expect(event.type).toBe('ADDED');
            controller.abort();
          }
        })
        .catch((error: ApiError) => expect(error.failure.kind).toBe('Aborted'));
    });
    await closed;
  });

  test('leaving the loop -> the connection closes', async () => {
    let closed: Promise<void> | undefined;
    const { client } = await serve((_, response) => {
      closed = new Promise((resolve) => response.on('close', resolve));
      response.writeHead(200);
      response.write(line('ADDED', body));
    });
    for await (const event of client().watch(machines, {})) {
      expect(event.type).toBe('ADDED');
      break;
    }
    await closed;
  });
});

describe('rate limiter', () => {
  test('beyond the burst -> one request every 1/qps seconds, in order', async () => {
    const clock = createTestClock();
    const limiter = createRateLimiter({ qps: 10, burst: 2, clock });
    const signal = new AbortController().signal;
    const order: string[] = [];
    const ask = (name: string): Promise<unknown> =>
      limiter.take(signal).then(() => order.push(`${name}@${clock.monotonicMs()}`));
    const all = ['a', 'b', 'c', 'd'].map(ask);
    await clock.advance(1000);
    await Promise.all(all);
    expect(order).toEqual(['a@0', 'b@0', 'c@100', 'd@200']);
  });

  test('a request that gives up -> its token comes back', async () => {
    const clock = createTestClock();
    const limiter = createRateLimiter({ qps: 1, burst: 1, clock });
    const controller = new AbortController();
    expect(await limiter.take(controller.signal)).toBe(true);
    const waiting = limiter.take(controller.signal);
    controller.abort();
    expect(await waiting).toBe(false);
    await clock.advance(1000);
    expect(await limiter.take(new AbortController().signal)).toBe(true);
  });

  test('low priority: a full bucket -> leaves at once, until three quarters of it are left', async () => {
    const { ask, order, clock } = limiterWith({ qps: 1, burst: 8 });
    for (const name of ['a', 'b', 'c']) ask(name, 'low');
    await clock.advance(0);
    expect(order).toEqual(['a@0', 'b@0']);
    await clock.advance(1_000);
    expect(order).toEqual(['a@0', 'b@0', 'c@1000']);
  });

  test('low priority: asked before others while there is little left -> leaves after them', async () => {
    const { ask, order, clock } = limiterWith({ qps: 10, burst: 1 });
    ask('first');
    ask('low', 'low');
    ask('b');
    ask('c');
    await clock.advance(1_000);
    expect(order).toEqual(['first@0', 'b@100', 'c@200', 'low@300']);
  });

  test('low priority: others without end -> leaves after five seconds all the same', async () => {
    const { ask, order, clock } = limiterWith({ qps: 1, burst: 1 });
    ask('first');
    ask('low', 'low');
    for (let index = 0; index < 20; index += 1) ask(`other-${index}`);
    await clock.advance(30_000);
    const leftMs = Number(order.find((line) => line.startsWith('low@'))?.slice(4));
    expect(leftMs).toBeGreaterThanOrEqual(5_000);
    expect(leftMs).toBeLessThanOrEqual(6_000);
  });
});

function limiterWith({ qps, burst }: { readonly qps: number; readonly burst: number }) {
  const clock = createTestClock();
  const limiter = createRateLimiter({ qps, burst, clock });
  const order: string[] = [];
  const ask = (name: string, priority?: 'low'): void =>
    void limiter.take(new AbortController().signal, priority).then(() => order.push(`${name}@${clock.monotonicMs()}`));
  return { clock, order, ask };
}
