// The inspector's HTTP server: the page, its data and the upgrade paths of the protocols. Read-only by construction.
//
// A port that is taken or a bind address that is refused disables the inspector with one line; it never stops the operator.

import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Explanation } from '../../machines/kit/explanation.js';
import type { InspectorAuth } from './auth.js';
import { guard, isLoopbackAddress, SECURITY_HEADERS, splitAddress, type Refusal } from './guards.js';
import { answerApi, type PageData } from './routes.js';
import { openStream, type StreamPort } from './stream.js';

/** A file of the page. */
export interface Asset {
  readonly type: string;
  readonly body: string;
  /** A content security policy of its own; the page's strict one otherwise. */
  readonly policy?: string;
}

/** What the server needs. */
export interface InspectorServerOptions {
  readonly bindAddress: string;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly auth: InspectorAuth;
  /** Files by path: `/`, `/app.js`, `/app.css`. */
  readonly assets: Readonly<Record<string, Asset>>;
  readonly data: PageData;
  readonly stream: StreamPort;
  /** Protocols by upgrade path: `/stately`, `/xstate-inspect`. */
  readonly upgrades: Readonly<Record<string, (request: IncomingMessage, socket: Duplex, head: Buffer) => void>>;
  /** Key and certificate for an address that is not loopback. */
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly log: { info(message: string, fields?: object): void; warn(message: string, fields?: object): void };
}

/** A running inspector. */
export interface InspectorServer {
  /** Where the page is: `http://127.0.0.1:8090`. */
  readonly url: string;
  close(): Promise<void>;
}

/** The answer of the explainers: the same as `explain`. */
export type Explain = (machine: string, namespace: string, name: string) => Explanation | null;

/** Starts the server; null when it could not listen (said in the log). Throws for an address that may not be used. */
export async function startInspector(options: InspectorServerOptions): Promise<InspectorServer | null> {
  const address = splitAddress(options.bindAddress);
  if (address === null)
    throw new Error(`--inspector-bind-address: want host:port, got ${JSON.stringify(options.bindAddress)}`);
  if (!isLoopbackAddress(address.host) && options.auth.kind === 'none') {
    throw new Error(
      '--inspector-bind-address: an address that is not loopback needs --inspector-auth=token or kubernetes',
    );
  }
  const scheme = options.tls === undefined ? 'http' : 'https';
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    void answer(options, scheme, request, response).catch(() => {
      if (!response.headersSent) send(response, 500, 'text/plain', 'the inspector failed to answer\n');
      else response.destroy();
    });
  };
  const server = options.tls === undefined ? createHttpServer(handle) : createHttpsServer(options.tls, handle);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    void upgrade(options, scheme, request, socket, head);
  });
  const isListening = await listen(server, address, options);
  if (!isListening) return null;
  const bound = server.address();
  const port = typeof bound === 'object' && bound !== null ? bound.port : address.port;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host || '127.0.0.1';
  return {
    url: `${scheme}://${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function listen(
  server: Server,
  address: { readonly host: string; readonly port: number },
  options: InspectorServerOptions,
): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      options.log.warn('Inspector is off: its address cannot be used', {
        address: options.bindAddress,
        reason: error.code ?? error.message,
      });
      resolve(false);
    });
    server.listen({ host: address.host === '' ? '0.0.0.0' : address.host, port: address.port }, () => {
      server.removeAllListeners('error');
      server.on('error', (error) => options.log.warn('Inspector server error', { reason: error.message }));
      resolve(true);
    });
  });
}

async function refusalOf(
  options: InspectorServerOptions,
  scheme: 'http' | 'https',
  request: IncomingMessage,
  isUpgrade: boolean,
): Promise<Refusal> {
  const path = pathOf(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
  const refusal = guard(
    { method: request.method ?? '', path, headers, upgrade: isUpgrade },
    { allowedHosts: options.allowedHosts, allowedOrigins: options.allowedOrigins, scheme },
  );
  if (refusal !== null) return refusal;
  return (await options.auth.isAllowed(request)) ? null : { status: 401, message: 'authentication is needed' };
}

async function answer(
  options: InspectorServerOptions,
  scheme: 'http' | 'https',
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', `${scheme}://inspector`);
  const login = options.auth.login?.(url);
  const refusal = await refusalOf(options, scheme, request, false);
  if (refusal !== null && !(refusal.status === 401 && login !== undefined && login !== null)) {
    send(response, refusal.status, 'text/plain; charset=utf-8', `${refusal.message}\n`);
    return;
  }
  if (login !== undefined && login !== null) {
    response.writeHead(303, { ...SECURITY_HEADERS, 'set-cookie': login.cookie, location: url.pathname });
    response.end();
    return;
  }
  const asset = options.assets[url.pathname];
  if (asset !== undefined) {
    send(response, 200, asset.type, asset.body, request, undefined, asset.policy);
    return;
  }
  if (url.pathname === '/api/stream') {
    openStream(options.stream, request, response, SECURITY_HEADERS);
    return;
  }
  const data = answerApi(options.data, url);
  if (data === null) send(response, 404, 'text/plain; charset=utf-8', 'there is nothing here\n');
  else send(response, 200, data.type, data.body, request, data.fileName);
}

async function upgrade(
  options: InspectorServerOptions,
  scheme: 'http' | 'https',
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const refusal = await refusalOf(options, scheme, request, true);
  const handler = options.upgrades[pathOf(request)];
  if (refusal === null && handler !== undefined) {
    handler(request, socket, head);
    return;
  }
  const status = refusal?.status ?? 404;
  socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`);
}

function pathOf(request: IncomingMessage): string {
  return new URL(request.url ?? '/', 'http://inspector').pathname;
}

function send(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  request?: IncomingMessage,
  fileName?: string,
  policy?: string,
): void {
  const isZipped = body.length > 2000 && /\bgzip\b/.test(String(request?.headers['accept-encoding'] ?? ''));
  const bytes = isZipped ? gzipSync(body) : Buffer.from(body);
  response.writeHead(status, {
    ...SECURITY_HEADERS,
    ...(policy === undefined ? {} : { 'content-security-policy': policy }),
    'content-type': type,
    'content-length': bytes.length,
    ...(isZipped ? { 'content-encoding': 'gzip' } : {}),
    ...(fileName === undefined
      ? {}
      : { 'content-disposition': `attachment; filename="${fileName.replace(/[^A-Za-z0-9._-]/g, '_')}"` }),
  });
  response.end(request?.method === 'HEAD' ? undefined : bytes);
}
