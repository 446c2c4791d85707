// The inspector's HTTP server: the page, its data and the upgrade paths of the protocols. Read-only by construction.
//
// A port that is taken or a bind address that is refused disables the inspector with one line; it never stops the operator.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { gzipSync } from 'node:zlib';
import type { Explanation } from '../../machines/kit/explanation.js';
import { listen, type Listener, type ListenerFault, type ListenerOptions } from '../http/listener.js';
import { requestTarget } from '../http/request-target.js';
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
  /** A handler that threw. */
  readonly onFault: (fault: ListenerFault) => void;
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
  const listener = await listenOrSay(options, {
    name: 'inspector',
    port: address.port,
    host: address.host === '' ? '0.0.0.0' : address.host,
    tls: options.tls,
    onRequest: (request, response) => answer(options, scheme, request, response),
    onUpgrade: (request, socket, head) => upgrade(options, scheme, request, socket, head),
    onFault: options.onFault,
  });
  if (listener === null) return null;
  const host = address.host.includes(':') ? `[${address.host}]` : address.host || '127.0.0.1';
  return { url: `${scheme}://${host}:${listener.port}`, close: () => listener.close() };
}

/** Null, and a line in the log, where the address cannot be had. What is wrong with the certificate is an error. */
async function listenOrSay(options: InspectorServerOptions, how: ListenerOptions): Promise<Listener | null> {
  try {
    return await listen(how);
  } catch (error) {
    const { syscall, code, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    const reason = code ?? message;
    options.log.warn('Inspector is off: its address cannot be used', { address: options.bindAddress, reason });
    return null;
  }
}

/** What Host, Origin and method refuse, before anything else of a request is read. */
function refusalOf(
  { allowedHosts, allowedOrigins }: InspectorServerOptions,
  scheme: 'http' | 'https',
  request: IncomingMessage,
  isUpgrade: boolean,
): Refusal {
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value[0] : value]),
  );
  return guard(
    { method: request.method ?? '', path: requestTarget(request.url).path, headers, upgrade: isUpgrade },
    { allowedHosts, allowedOrigins, scheme },
  );
}

const UNAUTHENTICATED = { status: 401, message: 'authentication is needed' } as const;

async function answer(
  options: InspectorServerOptions,
  scheme: 'http' | 'https',
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refuse = ({ status, message }: NonNullable<Refusal>): void =>
    send(response, status, 'text/plain; charset=utf-8', `${message}\n`);
  const refusal = refusalOf(options, scheme, request, false);
  if (refusal !== null) return refuse(refusal);
  const target = requestTarget(request.url);
  const login = options.auth.login?.(target) ?? null;
  if (login !== null) {
    // A path of this server alone: two slashes at its beginning would name another one.
    const location = `/${target.path.replace(/^\/+/, '')}`;
    response.writeHead(303, { ...SECURITY_HEADERS, 'set-cookie': login.cookie, location });
    response.end();
    return;
  }
  const notKnown = await unauthenticated(options, request);
  if (notKnown !== null) return refuse(notKnown);
  const { assets } = options;
  const asset = Object.hasOwn(assets, target.path) ? assets[target.path] : undefined;
  if (asset !== undefined) {
    send(response, 200, asset.type, asset.body, request, undefined, asset.policy);
    return;
  }
  if (target.path === '/api/stream') {
    openStream(options.stream, request, response, SECURITY_HEADERS);
    return;
  }
  const data = answerApi(options.data, target);
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
  const refusal = refusalOf(options, scheme, request, true) ?? (await unauthenticated(options, request));
  const { upgrades } = options;
  const { path } = requestTarget(request.url);
  const handler = Object.hasOwn(upgrades, path) ? upgrades[path] : undefined;
  if (refusal === null && handler !== undefined) {
    handler(request, socket, head);
    return;
  }
  const status = refusal?.status ?? 404;
  // The peer may leave its half of the connection open: nothing waits for that.
  socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
}

async function unauthenticated({ auth }: InspectorServerOptions, request: IncomingMessage): Promise<Refusal> {
  return (await auth.isAllowed(request)) ? null : UNAUTHENTICATED;
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
