import { afterEach, describe, expect, test } from '@jest/globals';
import { getEventListeners } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Clock } from '../../../src/host/contract.js';
import type { Identity, ServerAccess } from '../../../src/kube/access.js';
import { createConnections } from '../../../src/kube/connections.js';
import { createHttpsTransport } from '../../../src/kube/https-transport.js';
import { createConnector } from '../../../src/kube/sockets.js';
import type { Transport, WireRequest, WireResponse } from '../../../src/kube/wire.js';
import { systemClock } from '../../../src/system.js';
import { createTestClock } from './test-clock.js';

/** A server of bytes: what came in on each connection, and what a test wants to answer. */
interface RawServer {
  readonly url: string;
  readonly sockets: Socket[];
  /** What came, one entry for each piece that arrived. */
  readonly pieces: string[];
  readonly closed: number[];
  onPiece: (socket: Socket, text: string) => void;
}

const closers: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startRawServer(onPiece: RawServer['onPiece']): Promise<RawServer> {
  const server = createServer((socket) => {
    const index = raw.sockets.push(socket) - 1;
    socket.on('data', (bytes) => {
      raw.pieces.push(bytes.toString('utf8'));
      raw.onPiece(socket, bytes.toString('utf8'));
    });
    socket.on('error', () => undefined);
    socket.on('close', () => raw.closed.push(index));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const raw: RawServer = { url, sockets: [], pieces: [], closed: [], onPiece };
  closers.push(() => {
    for (const socket of raw.sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return raw;
}

const nobody: Identity = { headers: {}, ca: '', clientCertificate: '', clientKey: '' };

function transportTo(
  url: string,
  access: Partial<ServerAccess> = {},
  socketsMax = 32,
  clock: Clock = systemClock,
): Transport {
  const transport = createHttpsTransport({
    access: {
      server: url,
      tlsServerName: '',
      insecureSkipTlsVerify: false,
      proxyUrl: '',
      identity: () => Promise.resolve(nobody),
      forget: () => undefined,
      ...access,
    },
    clock,
    environment: {},
    socketsMax,
  });
  closers.push(() => transport.close());
  return transport;
}

function request(changes: Partial<WireRequest> = {}): WireRequest {
  const signal = new AbortController().signal;
  const bound = { bytesMax: 1_000_000, budget: null };
  const beforeSend = (): undefined => undefined;
  return { method: 'GET', url: '/x', headers: {}, signal, streaming: false, beforeSend, answer: bound, ...changes };
}

async function until(isTrue: () => boolean): Promise<void> {
  for (let tries = 0; !isTrue(); tries += 1) {
    if (tries > 3_000) throw new Error('it did not come true');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

const answer = (body: string, ...headers: string[]): string =>
  ['HTTP/1.1 200 OK', ...headers, `content-length: ${Buffer.byteLength(body)}`, '', body].join('\r\n');

describe('transport: requests', () => {
  test('a write -> head and body leave in one piece', async () => {
    const raw = await startRawServer((socket) => socket.write(answer('{}')));
    const transport = transportTo(`${raw.url}/prefix/`);
    const { status, body } = await transport.send(
      request({ method: 'POST', url: '/a?b=c', headers: { 'content-type': 'application/json' }, body: '{"a":"ü"}' }),
    );
    expect({ status, body }).toEqual({ status: 200, body: '{}' });
    const host = new URL(raw.url).host;
    expect(raw.pieces).toEqual([
      `POST /prefix/a?b=c HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{"a":"ü"}`,
    ]);
  });

  test('a token with a line end -> nothing leaves', async () => {
    const raw = await startRawServer(() => undefined);
    const identity = { ...nobody, headers: { authorization: 'Bearer a\r\nx-other: b' } };
    const transport = transportTo(raw.url, { identity: () => Promise.resolve(identity) });
    let agreed = 0;
    await expect(transport.send(request({ beforeSend: () => void (agreed += 1) }))).rejects.toThrow('authorization');
    expect([agreed, raw.sockets.length]).toEqual([0, 0]);
  });

  test('beforeSend refuses -> nothing leaves, and the connection serves the next request', async () => {
    const raw = await startRawServer((socket) => socket.write(answer('{}')));
    const transport = transportTo(raw.url);
    const refuse = (): void => {
      throw new Error('not the leader');
    };
    await expect(transport.send(request({ beforeSend: refuse }))).rejects.toThrow('not the leader');
    await transport.send(request());
    await expect(transport.send(request({ beforeSend: refuse }))).rejects.toThrow('not the leader');
    await transport.send(request());
    expect([raw.pieces.length, raw.sockets.length]).toEqual([2, 1]);
  });

  test('requests beyond the bound -> wait for a connection', async () => {
    const raw = await startRawServer((socket) => setImmediate(() => socket.write(answer('{}'))));
    const transport = transportTo(raw.url, {}, 2);
    await Promise.all(Array.from({ length: 20 }, () => transport.send(request())));
    expect([raw.pieces.length, raw.sockets.length]).toEqual([20, 2]);
  });

  test('401 and other credentials by now -> sent once more with them; the same ones -> the 401', async () => {
    const tokens = ['old', 'new', 'new', 'new'];
    const raw = await startRawServer((socket, text) =>
      socket.write(text.includes('Bearer old') ? 'HTTP/1.1 401 X\r\ncontent-length: 0\r\n\r\n' : answer('ok')),
    );
    const identity = (): Promise<Identity> =>
      Promise.resolve({ ...nobody, headers: { authorization: `Bearer ${tokens.shift() ?? 'old'}` } });
    const transport = transportTo(raw.url, { identity });
    expect((await transport.send(request({ method: 'POST', body: '{}' }))).body).toBe('ok');
    tokens.length = 0;
    expect((await transport.send(request())).status).toBe(401);
    expect([raw.pieces.length, raw.sockets.length]).toEqual([3, 1]);
  });

  test('close -> what is under way fails, and nothing is sent any more', async () => {
    const raw = await startRawServer(() => undefined);
    const transport = transportTo(raw.url);
    const running = transport.send(request());
    await until(() => raw.pieces.length === 1);
    await transport.close();
    await expect(running).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expect(transport.send(request())).rejects.toThrow('the client is closed');
    await until(() => raw.closed.length === 1);
  });
});

describe('transport: answers', () => {
  test.each([
    [
      'chunks inside of characters',
      ['HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\na\xe2\r\n1', '\r\n\x82\r\n1\r\n\xac\r\n0\r\n\r\n'],
    ],
    ['a length, cut inside of a character', ['HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\na\xe2', '\x82\xac']],
  ])('%s -> whole text', async (_, pieces) => {
    const raw = await startRawServer((socket) => {
      socket.write(Buffer.from(pieces[0] ?? '', 'latin1'));
      setTimeout(() => socket.write(Buffer.from(pieces[1] ?? '', 'latin1')), 5);
    });
    expect((await transportTo(raw.url).send(request())).body).toBe('a€');
  });

  test('neither length nor chunks -> the body lasts until the server closes', async () => {
    const raw = await startRawServer((socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nall'));
    expect((await transportTo(raw.url).send(request())).body).toBe('all');
  });

  test.each([
    ['no HTTP', 'nonsense\r\n\r\n', 'its answer is not HTTP/1.1 (no status line)'],
    ['a length that is none', 'HTTP/1.1 200 OK\r\ncontent-length: x\r\n\r\n', '(the length of its body)'],
  ])('%s -> an error, and the connection ends', async (_, text, message) => {
    const raw = await startRawServer((socket) => socket.write(text));
    await expect(transportTo(raw.url).send(request())).rejects.toThrow(message);
    await until(() => raw.closed.length === 1);
  });

  test.each([
    ['Connection: close', answer('a', 'connection: close')],
    ['bytes after the answer', `${answer('a')}HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nb`],
    ['a server that keeps it for a second', answer('a', 'keep-alive: timeout=1')],
  ])('%s -> the next request has a connection of its own', async (_, text) => {
    const raw = await startRawServer((socket) => socket.write(text));
    const transport = transportTo(raw.url);
    for (let index = 0; index < 3; index += 1) expect((await transport.send(request())).body).toBe('a');
    expect(raw.sockets).toHaveLength(3);
    await until(() => raw.closed.length === 3);
  });

  test('bytes that nobody asked for -> the connection ends', async () => {
    const raw = await startRawServer((socket) => socket.write(answer('a')));
    const transport = transportTo(raw.url);
    await transport.send(request());
    raw.sockets[0]?.write(answer('of nobody'));
    await until(() => raw.closed.length === 1);
    expect((await transport.send(request())).body).toBe('a');
  });

  test('an answer before the request has left -> it counts, and the connection ends', async () => {
    const raw = await startRawServer((socket) => {
      socket.pause();
      socket.write('HTTP/1.1 413 X\r\ncontent-length: 0\r\n\r\n');
    });
    const transport = transportTo(raw.url);
    const body = 'x'.repeat(30_000_000);
    expect((await transport.send(request({ method: 'POST', body }))).status).toBe(413);
    raw.onPiece = () => undefined;
    raw.sockets[0]?.resume();
    await until(() => raw.closed.length === 1);
  });
});

describe('transport: connections', () => {
  /** A server that has answered `count` requests at once, each on its own connection, and then forgot the connections. */
  async function staleConnections(count: number): Promise<{ raw: RawServer; transport: Transport }> {
    let held: Socket[] = [];
    const raw = await startRawServer((socket) => {
      held.push(socket);
      if (held.length === count) for (const one of held) one.write(answer('first'));
    });
    const transport = transportTo(raw.url);
    await Promise.all(Array.from({ length: count }, () => transport.send(request())));
    held = [];
    raw.onPiece = (socket) =>
      raw.sockets.indexOf(socket) < count ? socket.resetAndDestroy() : socket.write(answer('second'));
    return { raw, transport };
  }

  test('several connections that the server has closed -> a read is sent again once, on a new one', async () => {
    const { raw, transport } = await staleConnections(3);
    expect((await transport.send(request())).body).toBe('second');
    expect(raw.sockets).toHaveLength(4);
    expect(raw.pieces).toHaveLength(5);
  });

  test('a write on a connection that the server has closed -> not sent again', async () => {
    const { raw, transport } = await staleConnections(1);
    await expect(transport.send(request({ method: 'POST', body: '{}' }))).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(raw.pieces).toHaveLength(2);
  });

  test('an answer that breaks off -> not sent again, not even a read', async () => {
    const raw = await startRawServer((socket) => socket.write(answer('first')));
    const transport = transportTo(raw.url);
    await transport.send(request());
    raw.onPiece = (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx');
    await expect(transport.send(request())).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(raw.pieces).toHaveLength(2);
  });

  test('certificates that change -> what is free ends, what is in use ends with its answer', async () => {
    const raw = await startRawServer((socket, text) => void (text.includes('/slow') || socket.write(answer('a'))));
    let identity = nobody;
    const transport = transportTo(raw.url, { identity: () => Promise.resolve(identity) });
    const slow = transport.send(request({ url: '/slow' }));
    await until(() => raw.pieces.length === 1);
    await transport.send(request());
    identity = { ...nobody, ca: 'other' };
    await transport.send(request());
    await until(() => raw.closed.length === 1);
    raw.sockets[0]?.write(answer('late'));
    expect((await slow).body).toBe('late');
    await until(() => raw.closed.length === 2);
    expect(raw.closed).toEqual([1, 0]);
  });

  test.each([
    ['nothing about it', answer('a'), 44_000, 46_000],
    ['to keep it for 10 s', answer('a', 'keep-alive: timeout=10, max=100'), 8_000, 10_000],
    ['to keep it for an hour', answer('a', 'Keep-Alive: max=100, timeout=3600'), 44_000, 46_000],
  ])('the server says %s -> it is used again for a while, and then not', async (_, text, soonMs, lateMs) => {
    const raw = await startRawServer((socket) => socket.write(text));
    const clock = createTestClock();
    const transport = transportTo(raw.url, {}, 32, clock);
    await transport.send(request());
    clock.pause(soonMs);
    await transport.send(request());
    expect(raw.sockets).toHaveLength(1);
    clock.pause(lateMs);
    await transport.send(request());
    expect(raw.sockets).toHaveLength(2);
    await until(() => raw.closed.length === 1);
  });

  test('a free connection -> does not keep the process', async () => {
    const count = (): number => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
    const raw = await startRawServer((socket) => socket.write(answer('a')));
    const transport = transportTo(raw.url);
    await until(() => count() === 0);
    await transport.send(request());
    // Of the two ends only the server's.
    expect(count()).toBe(1);
    raw.onPiece = () => undefined;
    transport.send(request()).catch(() => undefined);
    await until(() => raw.pieces.length === 2);
    expect(count()).toBe(2);
  });

  test('many who wait -> four connections are made at a time; one that fails ends who has waited longest', async () => {
    const failing: (() => void)[] = [];
    const connections = createConnections(
      () => new Promise((_, reject) => failing.push(() => reject(new Error('refused')))),
      systemClock,
    );
    const ended: number[] = [];
    const { signal } = new AbortController();
    for (let index = 0; index < 6; index += 1) connections.open(signal).catch(() => ended.push(index));
    expect(failing).toHaveLength(4);
    failing[2]?.();
    await until(() => failing.length === 5);
    expect(ended).toEqual([0]);
    for (const index of [0, 1, 3, 4]) failing[index]?.();
    await until(() => failing.length === 6);
    failing[5]?.();
    await until(() => ended.length === 6);
    expect(ended).toEqual([0, 1, 2, 3, 4, 5]);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('a connection that becomes free -> taken by who waits for a new one, which is kept for the next', async () => {
    const raw = await startRawServer((socket) => socket.write(answer('a')));
    const connector = createConnector(
      {
        server: new URL(raw.url),
        proxy: null,
        access: { tlsServerName: '', insecureSkipTlsVerify: false },
        clock: systemClock,
      },
      nobody,
    );
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    let made = 0;
    const connections = createConnections(async (signal) => {
      made += 1;
      if (made > 1) await held;
      return connector(signal);
    }, systemClock);
    closers.push(() => connections.destroy());
    const { signal } = new AbortController();
    const first = await connections.open(signal);
    const waiting = connections.open(signal);
    await first.carry({
      text: 'GET / HTTP/1.1\r\nhost: a\r\n\r\n',
      signal,
      streaming: false,
      answer: { bytesMax: 1_000, budget: null },
    });
    expect(await waiting).toBe(first);
    letGo();
    await until(() => raw.sockets.length === 2);
    await until(() => connections.takeFree() !== null);
  });
});

describe('transport: signals', () => {
  test('aborted while it connects -> nothing leaves; the connection is kept', async () => {
    const raw = await startRawServer((socket) => socket.write(answer('a')));
    const transport = transportTo(raw.url);
    const controller = new AbortController();
    const sending = transport.send(request({ signal: controller.signal }));
    // Nothing comes in from a socket as long as there are promises to go on with.
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    controller.abort();
    await expect(sending).rejects.toThrow('aborted');
    await until(() => raw.sockets.length === 1);
    await transport.send(request());
    expect(raw.pieces).toHaveLength(1);
  });

  test('aborted inside of an answer -> the connection ends', async () => {
    const raw = await startRawServer((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'));
    const controller = new AbortController();
    const sending = transportTo(raw.url).send(request({ signal: controller.signal }));
    await until(() => raw.pieces.length === 1);
    controller.abort();
    await expect(sending).rejects.toThrow('aborted');
    await until(() => raw.closed.length === 1);
  });

  test('many requests with one signal -> no listener stays', async () => {
    const raw = await startRawServer((socket) => socket.write(answer('a')));
    const transport = transportTo(raw.url);
    const { signal } = new AbortController();
    for (let index = 0; index < 5; index += 1) await transport.send(request({ signal }));
    raw.onPiece = (socket) => socket.destroy();
    await expect(transport.send(request({ signal, method: 'POST' }))).rejects.toThrow();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('transport: streams', () => {
  const chunksOf = (answered: WireResponse): AsyncIterable<Uint8Array> => answered.body as AsyncIterable<Uint8Array>;

  test('a stream that is read slowly -> the server has to wait, and nothing is lost', async () => {
    const total = 64 * 1024 * 1024;
    const piece = Buffer.alloc(1024 * 1024, 'x');
    let written = 0;
    const raw = await startRawServer((socket) => {
      const more = (): void => {
        while (written < total) {
          written += piece.length;
          if (!socket.write(piece)) return void socket.once('drain', more);
        }
      };
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${total}\r\n\r\n`);
      more();
    });
    const answered = await transportTo(raw.url).send(request({ streaming: true }));
    let before = -1;
    while (before !== written) {
      before = written;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(written).toBeLessThan(total);
    let bytes = 0;
    for await (const chunk of chunksOf(answered)) bytes += chunk.length;
    expect(bytes).toBe(total);
  });

  test('a stream that ends -> its connection serves the next request, read or not', async () => {
    const raw = await startRawServer((socket) => socket.write(answer('x'.repeat(2 * 1024 * 1024))));
    const transport = transportTo(raw.url);
    const answered = await transport.send(request({ streaming: true }));
    await until(() => (raw.sockets[0]?.writableLength ?? 1) === 0);
    let bytes = 0;
    for await (const chunk of chunksOf(answered)) bytes += chunk.length;
    expect(bytes).toBe(2 * 1024 * 1024);
    raw.onPiece = (socket) => socket.write(answer('next'));
    expect((await transport.send(request())).body).toBe('next');
    expect(raw.sockets).toHaveLength(1);
  });

  test('a stream that is refused -> its body whole', async () => {
    const raw = await startRawServer((socket) => socket.write('HTTP/1.1 410 Gone\r\ncontent-length: 3\r\n\r\nold'));
    expect(await transportTo(raw.url).send(request({ streaming: true }))).toMatchObject({ status: 410, body: 'old' });
  });

  test('aborted -> the loop ends with an error, the connection too', async () => {
    const raw = await startRawServer((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'));
    const controller = new AbortController();
    const answered = await transportTo(raw.url).send(request({ streaming: true, signal: controller.signal }));
    const reading = (async () => {
      for await (const chunk of chunksOf(answered)) if (chunk.length > 0) controller.abort();
    })();
    await expect(reading).rejects.toThrow('aborted');
    await until(() => raw.closed.length === 1);
  });
});
