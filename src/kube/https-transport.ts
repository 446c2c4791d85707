// The transport over sockets of our own: keep-alive connections, the current identity on every request (ADR 0008).
//
//   T1. A request is written only once its connection is ready and `beforeSend` has agreed; nothing has left before that.
//   T2. A 401 makes us read our credentials again and try once more when they are others now: a 401 has no effect, ever.
//   T3. A read whose reused connection turns out to be closed is sent again once, on a new one; a write never is.
//   T4. Requests share a bounded number of connections and wait in order; a watch has one for itself while it lasts.

import { createHash } from 'node:crypto';
import type { Clock } from '../host/contract.js';
import { REQUEST_SOCKETS_MAX } from '../limits.js';
import type { Identity, ServerAccess } from './access.js';
import { UnansweredError, type Connection } from './connection.js';
import { createConnections, type Connections } from './connections.js';
import { headerLines, requestText } from './http-wire.js';
import { isForwarding, proxyAuthorization, proxyFor } from './proxy.js';
import { createSlots } from './slots.js';
import { createConnector } from './sockets.js';
import { HeldBackError, type Transport, type WireRequest, type WireResponse } from './wire.js';

/** What the transport needs. */
export interface HttpsTransportOptions {
  readonly access: ServerAccess;
  readonly clock: Clock;
  /** For HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Connections for requests at once; default REQUEST_SOCKETS_MAX. */
  readonly socketsMax?: number;
  /** How long requests wait for the connections there are before a further one is made, in milliseconds; default not at all. */
  readonly furtherAfterMs?: number;
}

/** A transport to one server with one identity. Throws AccessError for a bad proxy. */
export function createHttpsTransport({
  access,
  clock,
  environment,
  socketsMax = REQUEST_SOCKETS_MAX,
  furtherAfterMs,
}: HttpsTransportOptions): Transport {
  const server = new URL(access.server);
  const proxy = proxyFor(server, access.proxyUrl, environment);
  const address = addressOf(server, proxy);
  const slots = createSlots(socketsMax, furtherAfterMs === undefined ? undefined : { furtherAfterMs, clock });
  let way: Way | undefined;
  let closed = false;

  const wayOf = (identity: Identity): Way => {
    if (identity === way?.identity) return way;
    const key = createHash('sha256')
      .update(JSON.stringify([identity.ca, identity.clientCertificate, identity.clientKey]))
      .digest('hex');
    const same = way?.key === key ? way.connections : null;
    if (same === null) way?.connections.retire();
    const connections = same ?? createConnections(createConnector({ server, proxy, access, clock }, identity), clock);
    way = { identity, key, connections, lines: address.lines + identityLines(identity) };
    return way;
  };

  const attempt = async (request: WireRequest, identity: Identity): Promise<WireResponse> => {
    if (closed) throw Object.assign(new Error('the client is closed'), { code: 'TransportFailed' });
    const { connections, lines } = wayOf(identity);
    const { method, headers, body } = request;
    const text = requestText({ method, target: address.prefix + request.url, lines, headers, body });
    const free = connections.takeFree();
    try {
      return await send(request, text, { connections, connection: free ?? (await connections.open(request.signal)) });
    } catch (error) {
      if (method !== 'GET' || !(error instanceof UnansweredError) || request.signal.aborted) throw error;
      return send(request, text, { connections, connection: await connections.open(request.signal) });
    }
  };

  return {
    host: server.host,
    async send(request) {
      const release = request.streaming ? () => undefined : await slots.take(request.signal, request.sinceMs);
      if (release === null) throw new HeldBackError();
      try {
        const identity = await access.identity();
        const answer = await attempt(request, identity);
        if (answer.status !== 401) return answer;
        access.forget();
        const fresh = await access.identity();
        return JSON.stringify(fresh) === JSON.stringify(identity) ? answer : await attempt(request, fresh);
      } finally {
        release();
      }
    },
    close() {
      closed = true;
      way?.connections.destroy();
      return Promise.resolve();
    },
  };
}

function identityLines({ headers, impersonation = [] }: Identity): string {
  return headerLines(headers) + headerLines(impersonation);
}

/** What one identity travels on. */
interface Way {
  readonly identity: Identity;
  /** A digest of its certificates. */
  readonly key: string;
  readonly connections: Connections;
  /** The header lines that all its requests have. */
  readonly lines: string;
}

interface Lent {
  readonly connections: Connections;
  readonly connection: Connection;
}

function send(request: WireRequest, text: string, { connections, connection }: Lent): Promise<WireResponse> {
  const { signal, streaming, answer } = request;
  try {
    if (signal.aborted) throw new Error('aborted');
    if (!connection.isUsable()) throw Object.assign(new Error('connection closed'), { code: 'ECONNRESET' });
    request.beforeSend();
  } catch (error) {
    connections.giveBack(connection);
    throw error;
  }
  return connection.carry({ text, signal, streaming, answer });
}

/** What stands before every path, and the header lines that name the server. */
function addressOf(server: URL, proxy: URL | null): { readonly prefix: string; readonly lines: string } {
  const path = server.pathname.replace(/\/$/, '');
  const lines = headerLines({ host: server.host });
  if (proxy === null || !isForwarding(proxy, server)) return { prefix: path, lines };
  const login = proxyAuthorization(proxy);
  return {
    prefix: server.origin + path,
    lines: login === null ? lines : lines + headerLines({ 'proxy-authorization': login }),
  };
}
