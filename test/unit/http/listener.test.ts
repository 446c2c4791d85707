// The layer under every port: a handler that fails fails for its own request.
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { listen, type Listener, type ListenerFault, type ListenerOptions } from '../../../src/http/listener.js';
import { CONNECTION_YOUNG_MS } from '../../../src/limits.js';

const open: (() => unknown)[] = [];
const faults: ListenerFault[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
  faults.length = 0;
});

async function start(more: Partial<ListenerOptions>): Promise<Listener> {
  const listener = await listen({
    name: 'test',
    port: 0,
    host: '127.0.0.1',
    onRequest: (_, response) => void response.end('fine'),
    onFault: (fault) => void faults.push(fault),
    ...more,
  });
  open.push(() => listener.close());
  return listener;
}

/** A connection, and everything that came back on it until it was closed. */
function dial(port: number, text: string): { readonly socket: Socket; readonly answer: Promise<string> } {
  const socket = connect(port, '127.0.0.1', () => socket.write(text));
  open.push(() => socket.destroy());
  const answer = new Promise<string>((resolve) => {
    let got = '';
    socket.on('data', (data: Buffer) => (got += data.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(got));
  });
  return { socket, answer };
}

const GET = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
const KEPT = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
const UPGRADE = 'GET / HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n';
const bug = new Error('a bug');

describe('listener', () => {
  test.each([
    [
      'at once',
      () => {
        throw bug;
      },
    ],
    ['later', () => Promise.reject(bug)],
    ['as no error', () => Promise.reject('a bug' as unknown as Error)],
  ])('handler: throws %s -> 500, told once, and the next request is answered', async (_, onRequest) => {
    let isBroken = true;
    const { port } = await start({
      onRequest: (__, response) => (isBroken ? onRequest() : void response.end('fine')),
    });
    expect(await dial(port, GET).answer).toMatch(/^HTTP\/1\.1 500 [^]*\r\n\r\ninternal error\n$/);
    expect(faults.map(({ listener, place }) => [listener, place])).toEqual([['test', 'request']]);
    isBroken = false;
    expect(await dial(port, GET).answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('handler: throws in the middle of its answer -> the connection is closed', async () => {
    const { port } = await start({
      onRequest(_, response) {
        response.writeHead(200, { 'content-length': 10 });
        response.write('half');
        throw bug;
      },
    });
    await dial(port, GET).answer;
    expect(faults).toHaveLength(1);
  });

  test('handler: sets a header that cannot be sent -> 500 without it', async () => {
    const { port } = await start({
      onRequest(_, response) {
        response.setHeader('x-good', 'yes');
        response.writeHead(200, { 'x-bad': 'a\nb' });
      },
    });
    expect(await dial(port, GET).answer).toMatch(/^HTTP\/1\.1 500 /);
  });

  test('handler: writes after its end -> nothing happens to the process', async () => {
    const { port } = await start({
      onRequest(_, response) {
        response.end('fine');
        response.write('more');
      },
    });
    expect(await dial(port, GET).answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  test.each([
    [
      'at once',
      () => {
        throw bug;
      },
    ],
    ['later', () => Promise.reject(bug)],
  ])('upgrade handler: throws %s -> closed, and told', async (_, onUpgrade) => {
    const { port } = await start({ onUpgrade });
    expect(await dial(port, UPGRADE).answer).toBe('');
    expect(faults.map(({ place }) => place)).toEqual(['upgrade']);
  });

  test('telling: throws itself -> the request still has its answer', async () => {
    const { port } = await start({
      onRequest: () => Promise.reject(bug),
      onFault: () => {
        throw new Error('another bug');
      },
    });
    expect(await dial(port, GET).answer).toMatch(/^HTTP\/1\.1 500 /);
  });

  test.each([
    ['no HTTP', '\x16\x03\x01\x02\r\n\r\n', 400],
    ['a head of 20 KiB', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['a line of 20 KiB', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431],
    ['two lengths', 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nx', 400],
    ['no host', 'GET / HTTP/1.1\r\n\r\n', 400],
  ])('request: %s -> refused by the parser', async (_, text, status) => {
    const { port } = await start({});
    expect(await dial(port, text).answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(faults).toEqual([]);
  });

  test('connections: more than there may be -> the one that has rested longest is closed, the newest is answered', async () => {
    const { port } = await start({ connectionsMax: 3 });
    const idle: { readonly socket: Socket; readonly answer: Promise<string> }[] = [];
    for (let index = 0; index < 3; index += 1) {
      const one = dial(port, KEPT);
      await new Promise((resolve) => one.socket.once('data', resolve));
      idle.push(one);
    }
    expect(await dial(port, GET).answer).toMatch(/^HTTP\/1\.1 200 /);
    await idle[0]?.answer;
    expect(idle.map(({ socket }) => socket.closed)).toEqual([true, false, false]);
  });

  test('connections: all have just come -> none of them gives way, the new one is closed; grown old -> the first gives way', async () => {
    let nowMs = 0;
    const { port } = await start({ connectionsMax: 2, monotonicMs: () => nowMs });
    const young = [dial(port, ''), dial(port, '')];
    for (const { socket } of young) if (socket.connecting) await new Promise((done) => socket.once('connect', done));
    expect(await dial(port, GET).answer).toBe('');
    expect(young.map(({ socket }) => socket.closed)).toEqual([false, false]);
    nowMs = CONNECTION_YOUNG_MS + 1;
    expect(await dial(port, GET).answer).toMatch(/^HTTP\/1\.1 200 /);
    await young[0]?.answer;
    expect(young.map(({ socket }) => socket.closed)).toEqual([true, false]);
  });

  test('connections: one rests and an older one has just come -> the one that rests gives way', async () => {
    const { port } = await start({ connectionsMax: 2 });
    const coming = dial(port, '');
    if (coming.socket.connecting) await new Promise((done) => coming.socket.once('connect', done));
    const rests = dial(port, KEPT);
    await new Promise((resolve) => rests.socket.once('data', resolve));
    expect(await dial(port, GET).answer).toMatch(/^HTTP\/1\.1 200 /);
    await rests.answer;
    expect([coming, rests].map(({ socket }) => socket.closed)).toEqual([false, true]);
  });

  test('connections: the oldest was answered last -> it stays, the one that rests longer gives way', async () => {
    const { port } = await start({ connectionsMax: 2 });
    const answered = ({ socket }: { readonly socket: Socket }) => new Promise((done) => socket.once('data', done));
    const oldest = dial(port, KEPT);
    await answered(oldest);
    const second = dial(port, KEPT);
    await answered(second);
    const again = answered(oldest);
    oldest.socket.write(KEPT);
    await again;
    expect(await dial(port, GET).answer).toMatch(/^HTTP\/1\.1 200 /);
    await second.answer;
    expect([oldest, second].map(({ socket }) => socket.closed)).toEqual([false, true]);
  });

  test('connections: one was upgraded, another rests -> the upgraded one stays', async () => {
    const { port } = await start({
      connectionsMax: 2,
      onUpgrade: (_, socket) => void socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n'),
    });
    const answered = ({ socket }: { readonly socket: Socket }) => new Promise((done) => socket.once('data', done));
    const upgraded = dial(port, KEPT);
    await answered(upgraded);
    const switched = answered(upgraded);
    upgraded.socket.write(UPGRADE);
    await switched;
    const rests = dial(port, KEPT);
    await answered(rests);
    expect(await dial(port, GET).answer).toMatch(/^HTTP\/1\.1 200 /);
    await rests.answer;
    expect([upgraded, rests].map(({ socket }) => socket.closed)).toEqual([false, true]);
  });

  test('connections: all send requests slowly -> the first of them gives way', async () => {
    let nowMs = 0;
    let begun = 0;
    const { port } = await start({
      connectionsMax: 2,
      monotonicMs: () => nowMs,
      async onRequest(request, response) {
        begun += 1;
        for await (const _ of request) void _;
        response.end('fine');
      },
    });
    const slow = 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nhalf';
    const [first, second] = [dial(port, slow), dial(port, slow)];
    while (begun < 2) await new Promise(setImmediate);
    nowMs = CONNECTION_YOUNG_MS + 1;
    expect(await dial(port, GET).answer).toMatch(/^HTTP\/1\.1 200 /);
    await Promise.race([first.answer, second.answer]);
    expect([first, second].filter(({ socket }) => socket.closed)).toHaveLength(1);
  });

  test('connections: all are being answered -> the new one is closed', async () => {
    let answered = 0;
    const { port } = await start({ connectionsMax: 1, onRequest: () => void (answered += 1) });
    dial(port, GET);
    while (answered === 0) await new Promise(setImmediate);
    expect(await dial(port, GET).answer).toBe('');
  });

  test('requests: another one before the first has its answer -> the connection ends, the second is not looked at', async () => {
    const paths: (string | undefined)[] = [];
    const { port } = await start({ onRequest: ({ url }) => void paths.push(url) });
    const get = (path: string): string => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
    expect(await dial(port, `${get('/first')}${get('/second')}${get('/third')}`).answer).toBe('');
    expect(paths).toEqual(['/first']);
  });

  test('upgrade: before the first request has its answer -> the connection ends, nothing is upgraded', async () => {
    let upgrades = 0;
    const { port } = await start({ onRequest: () => undefined, onUpgrade: () => void (upgrades += 1) });
    expect(await dial(port, `GET / HTTP/1.1\r\nhost: x\r\n\r\n${UPGRADE}`).answer).toBe('');
    expect(upgrades).toBe(0);
  });

  test('requests: the next one after the answer -> is answered on the same connection', async () => {
    const { port } = await start({});
    const get = 'GET / HTTP/1.1\r\nhost: x\r\n\r\n';
    const { socket } = dial(port, get);
    for (let round = 0; round < 20; round += 1) {
      const answer = await new Promise<string>((done) => socket.once('data', (data: Buffer) => done(String(data))));
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      socket.write(get);
    }
  });

  test('answer: written to its end and not taken -> the connection ends', async () => {
    let isClosed = false;
    const length = 64 * 1024 * 1024;
    const { port } = await start({
      answerTimeMaxMs: 50,
      onRequest(_, response) {
        response.once('close', () => (isClosed = true));
        response.end('x'.repeat(length));
      },
    });
    const { socket, answer } = dial(port, GET);
    socket.pause();
    while (!isClosed) await new Promise((done) => setTimeout(done, 5));
    socket.resume();
    expect((await answer).length).toBeLessThan(length);
  });

  test('answer: still being written -> has no such bound', async () => {
    const { port } = await start({
      answerTimeMaxMs: 10,
      onRequest(_, response) {
        response.write('first ');
        setTimeout(() => response.end('last'), 60);
      },
    });
    expect(await dial(port, GET).answer).toMatch(/first [^]*last/);
  });

  test('close: drained -> what is being answered has its answer first', async () => {
    let finish = (): void => undefined;
    const listener = await start({ onRequest: (_, response) => void (finish = () => response.end('late')) });
    const answer = new Promise<string>((resolve, reject) => {
      const call = request({ port: listener.port, host: '127.0.0.1' }, (response) => {
        response.setEncoding('utf8');
        response.on('data', resolve);
      });
      call.on('error', reject);
      call.end();
    });
    const initial = finish;
    while (finish === initial) await new Promise(setImmediate);
    const closed = listener.close('drain');
    finish();
    expect(await answer).toBe('late');
    await closed;
  });

  test('port: taken -> rejects', async () => {
    const { port } = await start({});
    await expect(start({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
