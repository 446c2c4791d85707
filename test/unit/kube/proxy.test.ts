import { afterEach, describe, expect, test } from '@jest/globals';
import { createServer as createHttpServer, type Server } from 'node:http';
import { once } from 'node:events';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { AccessError, fixedAccess } from '../../../src/kube/access.js';
import { createApiClient } from '../../../src/kube/client.js';
import { createHttpsTransport } from '../../../src/kube/https-transport.js';
import { bypasses, connectThrough, proxyAuthorization, proxyFor } from '../../../src/kube/proxy.js';
import { systemClock } from '../../../src/system.js';
import { json, startFakeServer } from './fake-server.js';

describe('proxy: choice', () => {
  const server = new URL('https://api.example.com:6443');
  test.each([
    ['nothing', {}, null],
    ['HTTPS_PROXY', { HTTPS_PROXY: 'http://p:1' }, 'http://p:1/'],
    ['lower case', { https_proxy: 'p:1' }, 'http://p:1/'],
    ['HTTP_PROXY only', { HTTP_PROXY: 'http://p:1' }, null],
    ['NO_PROXY', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'example.com' }, null],
  ])('environment: %s -> as Go', (_, environment, url) => {
    expect(proxyFor(server, '', environment)?.href ?? null).toBe(url);
  });

  test('proxy-url of the kubeconfig -> wins over the environment and NO_PROXY', () => {
    expect(proxyFor(server, 'socks5://s:1080', { HTTPS_PROXY: 'http://p:1', NO_PROXY: '*' })?.href).toBe(
      'socks5://s:1080',
    );
  });

  test('proxy that is no URL -> one line', () => {
    expect(() => proxyFor(server, 'ftp://x', {})).toThrow('proxy-url is not an http, https or socks5 URL');
  });

  test.each([
    ['example.com', true],
    ['.example.com', true],
    ['*.example.com', true],
    ['api.example.com', true],
    ['api.example.com:6443', true],
    ['api.example.com:443', false],
    ['xample.com', false],
    ['other.com, example.com', true],
    ['*', true],
    ['', false],
    ['10.0.0.0/8', false],
  ])('NO_PROXY=%s -> bypassed: %s', (noProxy, expected) => {
    expect(bypasses(server, noProxy)).toBe(expected);
  });

  test.each([
    ['https://10.1.2.3', '10.0.0.0/8', true],
    ['https://10.1.2.3', '10.1.2.3', true],
    ['https://11.1.2.3', '10.0.0.0/8', false],
    ['https://[fd00::1]:6443', 'fd00::/8', true],
    ['https://127.0.0.1', '', true],
    ['https://localhost:1', '', true],
    ['https://[::1]', '', true],
  ])('server %s with NO_PROXY=%s -> bypassed: %s', (url, noProxy, expected) => {
    expect(bypasses(new URL(url), noProxy)).toBe(expected);
  });
});

describe('proxy: way', () => {
  const closers: (() => Promise<void> | void)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function listen(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
    const sockets = new Set<Socket>();
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closers.push(async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    });
    return (server.address() as AddressInfo).port;
  }

  async function getThrough(proxyUrl: string): Promise<unknown> {
    const fake = await startFakeServer((_, response) => json(response, 200, { ok: true }));
    closers.push(() => fake.close());
    const identity = { headers: {}, ca: '', clientCertificate: '', clientKey: '' };
    const access = fixedAccess(
      { server: fake.url, tlsServerName: '', insecureSkipTlsVerify: false, proxyUrl },
      identity,
    );
    const client = createApiClient({
      transport: createHttpsTransport({ access, clock: systemClock, environment: {} }),
      clock: systemClock,
      userAgent: 'x',
      fieldManager: 'x',
      timeoutMs: 5000,
    });
    closers.push(() => client.close());
    return client.getPath('/version');
  }

  test('http proxy and a plain server -> the whole URL and the login are sent to the proxy', async () => {
    const seen: unknown[] = [];
    const proxy = createHttpServer((request, response) => {
      seen.push(request.url?.replace(/:\d+/, ''), request.headers['proxy-authorization']);
      json(response, 200, { from: 'proxy' });
    });
    expect(await getThrough(`http://user:pa%20ss@127.0.0.1:${await listen(proxy)}`)).toEqual({ from: 'proxy' });
    expect(seen).toEqual(['http://127.0.0.1/version', `Basic ${Buffer.from('user:pa ss').toString('base64')}`]);
  });

  test('socks5 proxy with a login -> the server is reached by its name', async () => {
    const asked: string[] = [];
    const proxy = createTcpServer((socket) => {
      const steps: ((data: Buffer) => void)[] = [
        (data) => {
          asked.push(`methods ${[...data].join(',')}`);
          socket.write(Buffer.from([5, 2]));
        },
        (data) => {
          asked.push(`login ${data.subarray(2, 2 + (data[1] ?? 0)).toString()}`);
          socket.write(Buffer.from([1, 0]));
        },
        (data) => {
          const length = data[4] ?? 0;
          const port = data.readUInt16BE(5 + length);
          asked.push(`connect ${data.subarray(5, 5 + length).toString()}`);
          const upstream = connect(port, '127.0.0.1', () => {
            socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
            upstream.pipe(socket);
          });
          upstream.on('error', () => socket.destroy());
          steps.push((bytes) => void upstream.write(bytes));
        },
      ];
      let step = 0;
      socket.on('data', (data) => {
        steps[Math.min(step, steps.length - 1)]?.(data);
        step += 1;
      });
    });
    expect(await getThrough(`socks5://user:pass@127.0.0.1:${await listen(proxy)}`)).toEqual({ ok: true });
    expect(asked).toEqual(['methods 5,2,0,2', 'login user', 'connect 127.0.0.1']);
  });

  test('proxy that refuses -> Refused, and the message says so', async () => {
    const proxy = createTcpServer((socket) => {
      let step = 0;
      socket.on('data', () => {
        step += 1;
        socket.write(Buffer.from(step === 1 ? [5, 0] : [5, 4, 0, 1, 0, 0, 0, 0, 0, 0]));
      });
    });
    const port = await listen(proxy);
    await expect(getThrough(`socks5://127.0.0.1:${port}`)).rejects.toMatchObject({
      failure: {
        kind: 'Refused',
        message: expect.stringMatching(
          /^the proxy 127\.0\.0\.1:\d+ cannot reach 127\.0\.0\.1:\d+ \(SOCKS error 4\)$/,
        ) as unknown as string,
      },
    });
  });

  /** A SOCKS or http proxy that answers so many bytes at a time. */
  async function dripping(
    answers: readonly Buffer[],
    after: (socket: Socket) => void = () => undefined,
  ): Promise<number> {
    const left = [...answers];
    return listen(
      createTcpServer((socket) => {
        socket.setNoDelay(true);
        socket.on('data', () => {
          const answer = left.shift();
          if (answer === undefined) return;
          const drip = (at: number): void => {
            if (at >= answer.length) return left.length === 0 ? after(socket) : undefined;
            socket.write(answer.subarray(at, at + 1));
            setImmediate(drip, at + 1);
          };
          drip(0);
        });
      }),
    );
  }

  test('proxy that drips its answer byte by byte -> read with one set of listeners, what follows is not lost', async () => {
    const warnings: string[] = [];
    const warned = (warning: Error): void => void warnings.push(warning.name);
    process.on('warning', warned);
    const listeners: number[] = [];
    const head = Buffer.from(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(2000)}\r\n\r\nfirst words`);
    const port = await dripping([head]);
    try {
      const socket = await connectThrough(
        new URL(`http://127.0.0.1:${port}`),
        new URL('https://example:6443'),
        new AbortController().signal,
      );
      closers.push(() => void socket.destroy());
      listeners.push(socket.listenerCount('readable'), socket.listenerCount('error'), socket.listenerCount('end'));
      const [words] = (await once(socket.resume(), 'data')) as [Buffer];
      expect('first words'.startsWith(words.toString())).toBe(true);
    } finally {
      process.off('warning', warned);
    }
    expect(warnings).toEqual([]);
    expect(Math.max(...listeners)).toBeLessThanOrEqual(2);
  });

  test('proxy whose answer never ends -> given up at the bound', async () => {
    const port = await listen(
      createTcpServer((socket) => {
        socket.on('data', () => {
          for (let sent = 0; sent < 10; sent += 1) socket.write('x'.repeat(16_384));
        });
      }),
    );
    await expect(
      connectThrough(new URL(`http://127.0.0.1:${port}`), new URL('https://x'), new AbortController().signal),
    ).rejects.toThrow('the proxy sent no answer that we understand');
  });

  test.each([
    [
      'user name',
      `${'u'.repeat(256)}:p@`,
      'api',
      'the user name of the proxy has 256 bytes; SOCKS carries at most 255',
    ],
    ['password', `u:${'p'.repeat(300)}@`, 'api', 'the password of the proxy has 300 bytes; SOCKS carries at most 255'],
    ['server name', '', `${'a.'.repeat(130)}b`, 'the name of the server has 261 bytes; SOCKS carries at most 255'],
  ])('SOCKS with a %s above 255 bytes -> refused, never cut', async (_, login, host, message) => {
    const seen: Buffer[] = [];
    const port = await listen(createTcpServer((socket) => void socket.on('data', (bytes) => seen.push(bytes))));
    await expect(
      connectThrough(
        new URL(`socks5://${login}127.0.0.1:${port}`),
        new URL(`https://${host}:6443`),
        new AbortController().signal,
      ),
    ).rejects.toThrow(message);
    expect(seen).toEqual([]);
  });

  test.each(['http://us%er:p@h:1', 'http://u:p%@h:1', 'socks5://u:%zz@h:1'])(
    'proxy-url %s -> one line that says what to write, without the login',
    (url) => {
      expect(() => proxyFor(new URL('https://x'), url, {})).toThrow(
        new AccessError('proxy-url has a % in its user name or password that is no escape: write it as %25'),
      );
    },
  );

  test('login with escapes that are no UTF-8 -> the bytes are sent, as Go sends them', () => {
    expect(proxyAuthorization(new URL('http://%ff%25:p%c3%a9@h:1'))).toBe(
      `Basic ${Buffer.concat([Buffer.from([0xff]), Buffer.from('%:pé')]).toString('base64')}`,
    );
  });
});
