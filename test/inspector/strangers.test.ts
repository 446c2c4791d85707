// Requests that no browser makes, on the inspector: an answer or a closed connection, never the end of the process.
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { kubernetesAuth, NO_AUTH, tokenAuth } from '../../src/inspector/auth.js';
import type { InspectorOptions } from '../../src/inspector/inspector.js';
import { startPage } from './page-fixture.js';

const TOKEN = 'the-token-of-this-start';
const open: (() => unknown)[] = [];
const faults: unknown[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
  faults.length = 0;
});

async function start(more: Partial<InspectorOptions> = {}): Promise<string> {
  const page = await startPage({ onFault: ({ error }) => faults.push(error), ...more });
  open.push(() => page.inspector.close());
  return page.url;
}

/** Sends a head as it is; resolves with the status of the answer, 0 for none. */
function send(url: string, lines: readonly string[]): Promise<{ readonly status: number; readonly text: string }> {
  const { port } = new URL(url);
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
    socket.on('data', (data: Buffer) => {
      text += data.toString('latin1');
      if (text.startsWith('HTTP/1.1 101')) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text }));
  });
}

const upgradeOf = (target: string, ...headers: string[]): string[] => [
  `GET ${target} HTTP/1.1`,
  'connection: upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  ...(headers.some((header) => header.startsWith('host:')) ? [] : ['host: 127.0.0.1:8090']),
  ...headers,
];

const TARGETS = ['//', '//[', 'http://%/x', '/%', '/__proto__', '/constructor', '/stately/', '*'];

describe('strangers at the inspector', () => {
  test.each(TARGETS)('upgrade to %s -> 404, and the next viewer is let in', async (target) => {
    const url = await start({ auth: NO_AUTH });
    expect((await send(url, upgradeOf(target))).status).toBe(404);
    expect((await send(url, upgradeOf('/stately'))).status).toBe(101);
    expect(faults).toEqual([]);
  });

  test.each(TARGETS)('request for %s -> 404', async (target) => {
    const url = await start({ auth: NO_AUTH });
    const { status } = await send(url, [`GET ${target} HTTP/1.1`, 'host: 127.0.0.1:8090', 'connection: close']);
    expect(status).toBe(404);
    expect(faults).toEqual([]);
  });

  test.each(['inspector=%', 'inspector=%E0%A4%A', 'inspector', '=;=;%'])(
    'cookie %s -> 401, also on an upgrade',
    async (cookie) => {
      const url = await start({ auth: tokenAuth(TOKEN, { isTls: false }) });
      const plain = ['GET / HTTP/1.1', 'host: 127.0.0.1:8090', 'connection: close', `cookie: ${cookie}`];
      expect((await send(url, plain)).status).toBe(401);
      for (const target of ['/stately', '//']) {
        expect((await send(url, upgradeOf(target, `cookie: ${cookie}`))).status).toBe(401);
      }
      expect(faults).toEqual([]);
    },
  );

  test.each([
    ['host: evil.example', 421],
    ['host: [', 421],
    ['origin: https://evil.example', 403],
    ['origin: http://[', 403],
    ['sec-fetch-site: cross-site', 403],
  ])('upgrade to // with %s -> refused before anything else is read of it', async (header, status) => {
    let asked = 0;
    const auth = { ...NO_AUTH, isAllowed: () => Promise.resolve((asked += 1) > 0) };
    const url = await start({ auth });
    expect((await send(url, upgradeOf('//', header))).status).toBe(status);
    expect(asked).toBe(0);
  });

  test('a link with the token that names another server in its path -> a place of this one', async () => {
    const url = await start({ auth: tokenAuth(TOKEN, { isTls: false }) });
    const { status, text } = await send(url, [
      `GET //evil.example/x?token=${TOKEN} HTTP/1.1`,
      'host: 127.0.0.1:8090',
      'connection: close',
    ]);
    expect(status).toBe(303);
    expect(text).toContain('location: /evil.example/x\r\n');
  });

  test('an authentication that throws -> the connection is closed, and it is told', async () => {
    const auth = { ...NO_AUTH, isAllowed: () => Promise.reject(new Error('a bug')) };
    const url = await start({ auth });
    expect((await send(url, upgradeOf('/stately'))).status).toBe(0);
    expect(faults).toEqual([new Error('a bug')]);
  });
});

describe('who may look', () => {
  const query = new URLSearchParams({ token: TOKEN });

  test.each([
    [true, /; Secure$/],
    [false, /; Path=\/$/],
  ])('cookie: TLS %s -> sent over TLS alone where there is TLS', (isTls, end) => {
    expect(tokenAuth(TOKEN, { isTls }).login?.({ path: '/', query })?.cookie).toMatch(end);
  });

  test('a review that failed: asked again at once -> the answer of the second review', async () => {
    const answers: (boolean | null | Error)[] = [null, new Error('the API server is away'), true];
    const auth = kubernetesAuth(
      () => {
        const answer = answers.shift() ?? null;
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
      () => 0,
    );
    const headers = { authorization: 'Bearer right' };
    expect(await auth.isAllowed({ headers })).toBe(false);
    expect(await auth.isAllowed({ headers })).toBe(false);
    expect(await auth.isAllowed({ headers })).toBe(true);
  });
});
