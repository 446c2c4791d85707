// Real HTTP on loopback in front of `handle`.
//
// Only names of this machine are accepted in the Host header: a page in a browser must not reach the server through a name of
// its own. A watch that its client does not read is held back, not collected without bound.
import type { IncomingMessage, ServerResponse } from 'node:http';

import { listen, type ListenerFault } from '../../http/listener.js';
import { protobufType } from '../objects/protobuf.js';
import type { ApiRequest, ApiResponse } from '../types.js';

const localHost = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])(:\d+)?$/;

/** Watches of many clients: each holds a connection for itself. */
const CONNECTIONS_MAX = 10_000;

/** A running server. */
export interface EmbeddedListener {
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
    readonly onFault?: (fault: ListenerFault) => void;
  },
): Promise<EmbeddedListener> {
  const listener = await listen({
    name: 'embedded API server',
    port: options.port,
    host: options.host,
    tls: options.tls,
    onRequest: (incoming, outgoing) => serve(handle, incoming, outgoing),
    onFault: options.onFault ?? (() => undefined),
    keepAliveMs: 60_000,
    requestTimeMaxMs: 0,
    connectionsMax: CONNECTIONS_MAX,
  });
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://${host}:${listener.port}`,
    port: listener.port,
    close: () => listener.close(),
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
