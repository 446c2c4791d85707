import { afterEach, describe, expect, test } from '@jest/globals';
import { createServer as createHttpServer, type Server } from 'node:http';
import { connect, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { fixedAccess } from '../../../src/kube/access.js';
import { createApiClient } from '../../../src/kube/client.js';
import { createHttpsTransport } from '../../../src/kube/https-transport.js';
import { bypasses, proxyFor } from '../../../src/kube/proxy.js';
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
});
