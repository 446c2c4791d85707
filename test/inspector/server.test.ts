import { afterEach, describe, expect, test } from '@jest/globals';
import { createServer, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WebSocket } from 'ws';
import { kubernetesAuth, tokenAuth } from '../../src/inspector/auth.js';
import type { Inspector, InspectorOptions } from '../../src/inspector/inspector.js';
import { SOCKET_BOUNDS } from '../../src/inspector/sockets.js';
import { STREAM_BOUNDS } from '../../src/inspector/stream.js';
import { someNote, startPage } from './page-fixture.js';

const TOKEN = 'the-token-of-this-start';
const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

async function start(more: Partial<InspectorOptions> = {}): Promise<{ inspector: Inspector; url: string }> {
  const page = await startPage(more);
  open.push(() => page.inspector.close());
  return page;
}

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A request as it is, with whatever Host it claims. Resolves with the head of the answer. */
function ask(url: string, { path, method = 'GET', headers = {} }: Asked) {
  return new Promise<{ status: number; headers: IncomingHttpHeaders }>((resolve, reject) => {
    const request = httpRequest(`${url}${path}`, { method, headers }, (response) => {
      resolve({ status: response.statusCode ?? 0, headers: response.headers });
      response.destroy();
    });
    request.on('error', reject);
    request.end();
  });
}

/** Tries a WebSocket; resolves with 101 or the status of the refusal. */
function upgrade(url: string, path: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, { headers });
    open.push(() => socket.terminate());
    socket.on('open', () => resolve(101));
    socket.on('unexpected-response', (_, response) => resolve(response.statusCode ?? 0));
    socket.on('error', reject);
  });
}

const CELLS: readonly (readonly [string, Readonly<Record<string, string>>, number])[] = [
  ['nothing', {}, 200],
  ['a rebound Host', { host: 'evil.example:8090' }, 421],
  ['a Host that starts like loopback', { host: 'localhost.evil.example' }, 421],
  ['a foreign Origin', { origin: 'https://evil.example' }, 403],
  ['another local Origin', { origin: 'http://127.0.0.1:1' }, 403],
  ['the Origin null', { origin: 'null' }, 403],
  ['a page of another site', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 403],
];

describe('guards of the running server', () => {
  test.each(CELLS)('request with %s: page, data, stream and chart -> as designed', async (_, headers, status) => {
    const { url } = await start();
    for (const path of ['/', '/app.js', '/api/charts', '/api/stream', '/charts/kubeadmconfig.svg', '/text'])
      expect([path, (await ask(url, { path, headers })).status]).toEqual([path, status]);
  });

  test.each(CELLS)('upgrade with %s: both protocols -> as designed', async (_, headers, status) => {
    const { url } = await start();
    for (const path of ['/stately', '/xstate-inspect'])
      expect([path, await upgrade(url, path, headers)]).toEqual([path, status === 200 ? 101 : status]);
  });

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('method %s: anywhere -> 405', async (method) => {
    const { url } = await start();
    for (const path of ['/', '/api/charts', '/api/stream', '/api/actors/kubeadmconfig/u1'])
      expect((await ask(url, { path, method })).status).toBe(405);
  });

  test('upgrade to a path without a protocol, or to one that is off -> 404', async () => {
    const { url } = await start({ protocols: ['ui'] });
    expect(await upgrade(url, '/stately')).toBe(404);
    expect(await upgrade(url, '/xstate-inspect')).toBe(404);
    expect(await upgrade(url, '/')).toBe(404);
  });

  test('headers: every answer, refusals too -> strict policy, no sniffing, no storing, nothing for other origins', async () => {
    const { url } = await start();
    for (const [path, headers] of [
      ['/', {}],
      ['/app.css', {}],
      ['/api/stream', {}],
      ['/nowhere', {}],
      ['/api/charts', { origin: 'https://evil.example' }],
    ] as const) {
      const answer = (await ask(url, { path, headers })).headers;
      expect(answer['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/);
      expect(answer).toMatchObject({
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'cross-origin-resource-policy': 'same-origin',
        'referrer-policy': 'no-referrer',
      });
      expect(answer['access-control-allow-origin']).toBeUndefined();
    }
  });

  test('bridge page: the hosted inspector -> may be framed by that page only, and by its origin only', async () => {
    const { url } = await start();
    const policy = (await ask(url, { path: '/stately.html' })).headers['content-security-policy'] ?? '';
    expect(policy).toContain('frame-src https://stately.ai;');
    expect(policy).toContain("connect-src 'self'");
    const script = await (await fetch(`${url}/stately.js`)).text();
    expect(script).toContain('const origin = "https://stately.ai"');
    expect(script).toContain('event.origin !== origin || event.source !== frame.contentWindow');
    expect(script).not.toMatch(/postMessage\([^)]*'\*'/);
    const { url: without } = await start({ protocols: ['ui'] });
    expect((await ask(without, { path: '/stately.html' })).status).toBe(404);
  });
});

describe('authentication by token', () => {
  const ways: readonly (readonly [string, Readonly<Record<string, string>>, boolean])[] = [
    ['none', {}, false],
    ['a wrong one', { authorization: 'Bearer wrong' }, false],
    ['a wrong cookie', { cookie: 'inspector=wrong' }, false],
    ['the token as Basic', { authorization: `Basic ${TOKEN}` }, false],
    ['the right one', { authorization: `Bearer ${TOKEN}` }, true],
    ['the right cookie', { cookie: `other=1; inspector=${TOKEN}` }, true],
  ];

  test.each(ways)('%s: page, data, stream and sockets -> let in or 401', async (_, headers, isIn) => {
    const { url } = await start({ auth: tokenAuth(TOKEN, { isTls: false }) });
    for (const path of ['/', '/api/charts', '/api/stream', '/charts/machine.scxml'])
      expect([path, (await ask(url, { path, headers })).status]).toEqual([path, isIn ? 200 : 401]);
    expect(await upgrade(url, '/stately', headers)).toBe(isIn ? 101 : 401);
    expect(await upgrade(url, '/xstate-inspect', headers)).toBe(isIn ? 101 : 401);
  });

  test('a link with the token: once -> a cookie for this page only, and an address without the token', async () => {
    const { url } = await start({ auth: tokenAuth(TOKEN, { isTls: false }) });
    const { status, headers } = await ask(url, { path: `/?token=${TOKEN}` });
    expect(status).toBe(303);
    expect(headers.location).toBe('/');
    expect(headers['set-cookie']?.[0]).toMatch(/^inspector=[^;]+; HttpOnly; SameSite=Strict; Path=\/$/);
    expect((await ask(url, { path: '/?token=wrong' })).status).toBe(401);
  });

  test('a link with the token: a rebound Host or a foreign Origin -> refused all the same, no cookie', async () => {
    const { url } = await start({ auth: tokenAuth(TOKEN, { isTls: false }) });
    for (const [headers, status] of [
      [{ host: 'evil.example' }, 421],
      [{ origin: 'https://evil.example' }, 403],
    ] as const) {
      const answer = await ask(url, { path: `/?token=${TOKEN}`, headers });
      expect([answer.status, answer.headers['set-cookie']]).toEqual([status, undefined]);
    }
  });
});

describe('authentication by the cluster', () => {
  const request = (authorization?: string) => ({ headers: authorization === undefined ? {} : { authorization } });

  test('a token: reviewed for GET of the inspector -> what the review says, for a minute', async () => {
    const asked: (readonly string[])[] = [];
    let now = 0;
    const auth = kubernetesAuth(
      (...question) => {
        asked.push(question);
        return Promise.resolve(question[0] === 'right');
      },
      () => now,
    );
    expect(await auth.isAllowed(request('Bearer right'))).toBe(true);
    expect(await auth.isAllowed(request('Bearer right'))).toBe(true);
    expect(await auth.isAllowed(request('Bearer wrong'))).toBe(false);
    expect(asked).toEqual([
      ['right', '/inspector/', 'get'],
      ['wrong', '/inspector/', 'get'],
    ]);
    now = 60_001;
    await auth.isAllowed(request('Bearer right'));
    expect(asked).toHaveLength(3);
  });

  test('no token, or a review that fails -> refused; nothing is asked without a token', async () => {
    let asked = 0;
    const auth = kubernetesAuth(
      () => {
        asked += 1;
        return Promise.reject(new Error('the API server is away'));
      },
      () => 0,
    );
    expect(await auth.isAllowed(request())).toBe(false);
    expect(asked).toBe(0);
    expect(await auth.isAllowed(request('Bearer right'))).toBe(false);
  });

  test('running server: a reviewed token -> 200, another -> 401, sockets alike', async () => {
    const auth = kubernetesAuth((token) => Promise.resolve(token === 'right'), Date.now);
    const { url } = await start({ auth });
    expect((await ask(url, { path: '/api/charts', headers: { authorization: 'Bearer right' } })).status).toBe(200);
    expect((await ask(url, { path: '/api/charts', headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    expect(await upgrade(url, '/stately', { authorization: 'Bearer right' })).toBe(101);
    expect(await upgrade(url, '/stately', { authorization: 'Bearer wrong' })).toBe(401);
  });
});

describe('bounds', () => {
  test.each(['0.0.0.0:0', ':0', '[::]:0', '10.0.0.1:0'])(
    'address %s without authentication -> refused',
    async (bindAddress) => {
      await expect(startPage({ bindAddress })).rejects.toThrow(/needs --inspector-auth=token or kubernetes/);
    },
  );

  test('a port that is taken -> no inspector, one line, no error', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', () => resolve()));
    open.push(() => other.close());
    const lines: string[] = [];
    const bindAddress = `127.0.0.1:${(other.address() as AddressInfo).port}`;
    const log = { info: () => undefined, warn: (message: string) => void lines.push(message) };
    await expect(startPage({ bindAddress, log })).rejects.toThrow(/did not listen/);
    expect(lines).toEqual(['Inspector is off: its address cannot be used']);
  });

  test('a socket: more than it may send -> closed, compression is not agreed, the next one is served', async () => {
    const { url } = await start();
    const socket = new WebSocket(`${url.replace('http', 'ws')}/xstate-inspect`);
    open.push(() => socket.terminate());
    await new Promise((resolve) => socket.once('open', resolve));
    expect(socket.extensions).toBe('');
    const closed = new Promise<number>((resolve) => socket.once('close', (code) => resolve(code)));
    socket.on('error', () => undefined);
    socket.send('x'.repeat(SOCKET_BOUNDS.payloadBytesMax + 1));
    expect(await closed).toBe(1009);
    expect(await upgrade(url, '/xstate-inspect')).toBe(101);
  });

  test('sockets: one more than may be open -> 503', async () => {
    const { url } = await start();
    for (let index = 0; index < SOCKET_BOUNDS.clientsMax; index += 1) expect(await upgrade(url, '/stately')).toBe(101);
    expect(await upgrade(url, '/stately')).toBe(503);
  });

  test('streams: one more than may be open -> 503, and a place again when one leaves', async () => {
    const { url } = await start();
    const viewers = await Promise.all(
      Array.from({ length: STREAM_BOUNDS.clientsMax }, async () => {
        const abort = new AbortController();
        open.push(() => abort.abort());
        const { status } = await fetch(`${url}/api/stream`, { signal: abort.signal });
        return { abort, status };
      }),
    );
    expect(new Set(viewers.map(({ status }) => status))).toEqual(new Set([200]));
    expect((await ask(url, { path: '/api/stream' })).status).toBe(503);
    viewers[0]?.abort.abort();
    let status = 503;
    while (status === 503) ({ status } = await ask(url, { path: '/api/stream' }));
    expect(status).toBe(200);
  });

  test('a long list on a socket: 3,000 actors -> every one arrives, announced once', async () => {
    const { inspector, url } = await start();
    for (let index = 0; index < 3000; index += 1)
      inspector.store.note(someNote(`c1-md-${index}`, 'K13', '', 'WaitingInfra'));
    const socket = new WebSocket(`${url.replace('http', 'ws')}/stately`);
    open.push(() => socket.terminate());
    const names: string[] = [];
    await new Promise<void>((resolve, reject) => {
      socket.on('close', () => reject(new Error(`closed after ${names.length}`)));
      socket.on('message', (data) => {
        names.push((JSON.parse(String(data)) as { readonly name: string }).name);
        if (names.length === 3000) resolve();
      });
    });
    expect(new Set(names).size).toBe(3000);
  });
});
