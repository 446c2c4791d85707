// Real HTTP on loopback in front of `handle`.
//
// Only names of this machine are accepted in the Host header: a page in a browser must not reach the server through a name of
// its own. A watch that its client does not read is held back, not collected without bound.
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

import { protobufType } from '../objects/protobuf.js';
import type { ApiRequest, ApiResponse } from '../types.js';

const localHost = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/;

/** A running listener. */
export interface Listener {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

/** Starts listening. */
export async function listenHttp(
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  options: {
    readonly port: number;
    readonly host: string;
    readonly tls: { readonly key: string; readonly cert: string } | undefined;
  },
): Promise<Listener> {
  const onRequest: RequestListener = (incoming, outgoing) => void serve(handle, incoming, outgoing);
  const server: Server =
    options.tls === undefined ? createHttpServer(onRequest) : createHttpsServer(options.tls, onRequest);
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, options.host, () => resolve());
  });
  const { port } = server.address() as AddressInfo;
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://${host}:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

async function serve(
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const abort = new AbortController();
  outgoing.once('close', () => abort.abort());
  try {
    if (!localHost.test(incoming.headers.host ?? '')) {
      outgoing
        .writeHead(421, { 'content-type': 'text/plain' })
        .end('this server answers to names of its own machine only\n');
      return;
    }
    const body = await bodyOf(incoming);
    const response = await handle({
      method: incoming.method ?? 'GET',
      url: incoming.url ?? '/',
      headers: flat(incoming),
      ...(body === '' ? {} : { body }),
      signal: abort.signal,
    });
    await send(outgoing, response, incoming.method === 'HEAD');
  } catch {
    outgoing.destroy();
  }
}

function flat(incoming: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(incoming.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  // Protobuf is bytes: latin-1 keeps each of them as one character.
  const isBinary = incoming.headers['content-type']?.startsWith(protobufType) === true;
  return Buffer.concat(chunks).toString(isBinary ? 'latin1' : 'utf8');
}

async function send(outgoing: ServerResponse, response: ApiResponse, headOnly: boolean): Promise<void> {
  const { status, headers, body } = response;
  if (typeof body === 'string') {
    outgoing.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    outgoing.end(headOnly ? undefined : body);
    return;
  }
  outgoing.writeHead(status, headers);
  outgoing.flushHeaders();
  for await (const chunk of body) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(chunk)) await drained(outgoing);
  }
  outgoing.end();
}

function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.off('drain', done);
      outgoing.off('close', done);
      resolve();
    };
    outgoing.once('drain', done);
    outgoing.once('close', done);
  });
}
