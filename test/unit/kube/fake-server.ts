// A scripted HTTP server for tests of the client: answers, delays, broken connections.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { fixedAccess } from '../../../src/kube/access.js';
import { createApiClient, type ApiClientOptions, type FullApiClient } from '../../../src/kube/client.js';
import { createHttpsTransport } from '../../../src/kube/https-transport.js';
import { systemClock } from '../../../src/system.js';

export interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export type Script = (request: Seen, response: ServerResponse, socket: Socket) => void;

export interface FakeServer {
  readonly url: string;
  readonly seen: Seen[];
  /** Connections that were opened. */
  readonly connections: () => number;
  script: Script;
  client(options?: Partial<ApiClientOptions>): FullApiClient;
  close(): Promise<void>;
}

export async function startFakeServer(script: Script): Promise<FakeServer> {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  const clients: FullApiClient[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      const note = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      seen.push(note);
      fake.script(note, response, request.socket);
    });
    request.on('error', () => undefined);
  });
  server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const fake: FakeServer = {
    url,
    seen,
    connections: () => connections,
    script,
    client(options = {}) {
      const identity = { headers: { authorization: 'Bearer test' }, ca: '', clientCertificate: '', clientKey: '' };
      const access = fixedAccess(
        { server: url, tlsServerName: '', insecureSkipTlsVerify: false, proxyUrl: '' },
        identity,
      );
      const client = createApiClient({
        transport: createHttpsTransport({ access, clock: systemClock, environment: {} }),
        clock: systemClock,
        userAgent: 'test-agent',
        fieldManager: 'test-manager',
        timeoutMs: 5_000,
        ...options,
      });
      clients.push(client);
      return client;
    },
    async close() {
      for (const client of clients) await client.close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return fake;
}

export function json(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(value));
}

export function status(
  code: number,
  reason: string,
  message: string,
  details: object = { name: 'x', kind: 'things' },
): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details };
}
