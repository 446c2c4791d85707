// A proxy in front of an API server, for tests that disturb what is between an operator and it: plain HTTP in, the real server out.
//
//   P1. What a test does not disturb passes through as it is, watches included.
//   P2. A held request has either not reached the server, or its answer has come back and goes no further: never something between.
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A request as the proxy sees it. */
export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
  readonly isWatch: boolean;
  /** Changes something: not a read, and no question whether somebody may do something. */
  readonly isWrite: boolean;
}

/** What a test may do with requests. */
export interface Disturbance {
  /** Awaited before a request goes on to the server; `false` drops its connection instead. */
  before?(request: ProxiedRequest): Promise<boolean> | boolean;
  /** Awaited before an answer goes back; `false` drops the connection instead. */
  after?(request: ProxiedRequest, status: number): Promise<boolean> | boolean;
  /** How long a chunk of a watch is kept back. Chunks stay in order. */
  watchDelayMs?(): number;
}

/** A running proxy. */
export interface ApiProxy {
  readonly url: string;
  disturb(disturbance: Disturbance): void;
  /** Ends all open watches, as a server under load does. */
  closeWatches(): void;
  close(): Promise<void>;
}

/** Starts a proxy on a free port of loopback. */
export async function startApiProxy(target: string): Promise<ApiProxy> {
  const upstream = new URL(target);
  const watches = new Set<ServerResponse>();
  let disturbance: Disturbance = {};

  const handle = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const request = describe(incoming);
    const body = await bytesOf(incoming);
    if ((await disturbance.before?.(request)) === false) return void response.destroy();
    const answer = await forward(upstream, incoming, body, response);
    const status = answer.statusCode ?? 500;
    if (request.isWatch) {
      watches.add(response);
      response.once('close', () => watches.delete(response));
      response.writeHead(status, answer.headers);
      response.flushHeaders();
      pipeSlowly(answer, response, () => disturbance.watchDelayMs?.() ?? 0);
      return;
    }
    const bytes = await bytesOf(answer);
    if ((await disturbance.after?.(request, status)) === false) return void response.destroy();
    response.writeHead(status, answer.headers);
    response.end(bytes);
  };

  const server = createServer((incoming, response) => {
    handle(incoming, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 120_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    disturb(next) {
      disturbance = next;
    },
    closeWatches() {
      for (const watch of [...watches]) watch.end();
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function describe({ method = 'GET', url = '/' }: IncomingMessage): ProxiedRequest {
  const isRead = method === 'GET' || method === 'HEAD';
  return {
    method,
    path: url.split('?')[0] ?? '',
    isWatch: isRead && /[?&]watch=(true|1)/.test(url),
    isWrite: !isRead && !/(access|token)reviews/.test(url),
  };
}

function forward(
  upstream: URL,
  incoming: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const { host: _host, connection: _connection, ...headers } = incoming.headers;
    const send = upstream.protocol === 'https:' ? httpsRequest : httpRequest;
    const outgoing = send({
      hostname: upstream.hostname,
      port: upstream.port,
      method: incoming.method,
      path: incoming.url,
      headers: { ...headers, ...(body.length > 0 ? { 'content-length': body.length } : {}) },
      rejectUnauthorized: false,
    });
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    // A watch ends with the one who watches; a write that has left is never called back.
    response.once('close', () => {
      if (!response.writableFinished && incoming.method === 'GET') outgoing.destroy();
    });
    outgoing.end(body);
  });
}

function pipeSlowly(from: IncomingMessage, to: ServerResponse, delayMs: () => number): void {
  let tail: Promise<void> = Promise.resolve();
  let dueMs = 0;
  // A chunk that is late holds up those behind it; their delays do not add up.
  const next = (act: () => void): void => {
    dueMs = Math.max(dueMs, Date.now() + delayMs());
    const atMs = dueMs;
    tail = tail.then(async () => {
      const waitMs = atMs - Date.now();
      if (waitMs > 0 && !to.destroyed) await new Promise((resolve) => setTimeout(resolve, waitMs));
      act();
    });
  };
  from.on('data', (chunk: Buffer) => next(() => void (to.writable && to.write(chunk))));
  from.on('end', () => next(() => void to.end()));
  from.on('error', () => to.destroy());
}

async function bytesOf(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
