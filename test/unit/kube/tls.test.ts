import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import forge from 'node-forge';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Identity, ServerAccess } from '../../../src/kube/access.js';
import { createApiClient, type FullApiClient } from '../../../src/kube/client.js';
import { createHttpsTransport } from '../../../src/kube/https-transport.js';
import { systemClock } from '../../../src/system.js';

interface Pair {
  readonly cert: string;
  readonly key: string;
}

function selfSigned(name: string): Pair {
  const keys = forge.pki.rsa.generateKeyPair(2048);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = keys.publicKey;
  certificate.serialNumber = '01';
  certificate.validity.notBefore = new Date(systemClock.nowMs() - 60_000);
  certificate.validity.notAfter = new Date(systemClock.nowMs() + 3_600_000);
  const subject = [{ name: 'commonName', value: name }];
  certificate.setSubject(subject);
  certificate.setIssuer(subject);
  certificate.setExtensions([
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
  ]);
  certificate.sign(keys.privateKey, forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(certificate), key: forge.pki.privateKeyToPem(keys.privateKey) };
}

const closers: (() => Promise<unknown>)[] = [];
let pair: Pair;
let other: Pair;
let server: Server;
let handshakes: { readonly servername: unknown; readonly client: string; readonly reused: boolean }[] = [];
let port: number;

beforeAll(async () => {
  pair = selfSigned('kubernetes');
  other = selfSigned('someone');
  server = createServer({ ...pair, requestCert: true, rejectUnauthorized: false }, (request, response) => {
    response.end(JSON.stringify({ authorization: request.headers.authorization ?? null }));
  });
  server.on('secureConnection', (socket: TLSSocket) => {
    const subject = socket.getPeerCertificate().subject as { CN?: string } | undefined;
    handshakes.push({ servername: socket.servername, client: subject?.CN ?? '', reused: socket.isSessionReused() });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
  handshakes = [];
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

function clientFor(access: Partial<ServerAccess>, identity: Partial<Identity> | (() => Identity)): FullApiClient {
  const nobody = { headers: {}, ca: pair.cert, clientCertificate: '', clientKey: '' };
  const client = createApiClient({
    transport: createHttpsTransport({
      access: {
        server: `https://127.0.0.1:${port}`,
        tlsServerName: 'kubernetes',
        insecureSkipTlsVerify: false,
        proxyUrl: '',
        identity: () => Promise.resolve(typeof identity === 'function' ? identity() : { ...nobody, ...identity }),
        forget: () => undefined,
        ...access,
      },
      clock: systemClock,
      environment: {},
    }),
    clock: systemClock,
    userAgent: 'x',
    fieldManager: 'x',
    timeoutMs: 5000,
  });
  closers.push(() => client.close());
  return client;
}

describe('TLS', () => {
  test('tls-server-name -> is what the certificate must have, and what is asked for', async () => {
    await clientFor({}, {}).getPath('/');
    expect(handshakes[0]?.servername).toBe('kubernetes');
    await expect(clientFor({ tlsServerName: 'wrong' }, {}).getPath('/')).rejects.toMatchObject({
      failure: { kind: 'Refused' },
    });
    await expect(clientFor({ tlsServerName: '' }, {}).getPath('/')).rejects.toMatchObject({
      failure: { kind: 'Refused' },
    });
  });

  test('authority that we do not know -> Refused with words; accepted with insecure-skip-tls-verify', async () => {
    await expect(clientFor({}, { ca: other.cert }).getPath('/')).rejects.toMatchObject({
      failure: {
        kind: 'Refused',
        message: `cannot reach the API server at 127.0.0.1:${port}: its certificate is not signed by the expected authority`,
      },
    });
    await clientFor({ insecureSkipTlsVerify: true }, { ca: other.cert }).getPath('/');
  });

  test('client certificate that changes -> a new connection with the new one', async () => {
    let identity: Identity = { headers: {}, ca: pair.cert, clientCertificate: pair.cert, clientKey: pair.key };
    const client = clientFor({}, () => identity);
    await client.getPath('/');
    await client.getPath('/');
    identity = { ...identity, clientCertificate: other.cert, clientKey: other.key };
    await client.getPath('/');
    expect(handshakes.map(({ client: name }) => name)).toEqual(['kubernetes', 'someone']);
  });

  test('http proxy -> a tunnel by CONNECT, TLS with the server inside it', async () => {
    const asked: string[] = [];
    const sockets: Socket[] = [];
    const proxy = createHttpServer();
    proxy.on('connect', (request, socket: Socket) => {
      asked.push(`${request.url ?? ''} ${request.headers['proxy-authorization'] ?? ''}`);
      const upstream = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
        upstream.pipe(socket).pipe(upstream);
      });
      sockets.push(socket, upstream);
      for (const end of [socket, upstream]) end.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    closers.push(() => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => proxy.close(resolve));
    });
    const proxyUrl = `http://user:pass@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const client = clientFor({ proxyUrl }, { headers: { authorization: 'Bearer t' } });
    expect(await client.getPath('/')).toEqual({ authorization: 'Bearer t' });
    expect(asked).toEqual([`127.0.0.1:${port} Basic ${Buffer.from('user:pass').toString('base64')}`]);
    expect(handshakes[0]?.servername).toBe('kubernetes');
  });
});
