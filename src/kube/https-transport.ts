// The transport over node:http and node:https: keep-alive connections, the current identity on every request.
//
//   T1. A request is written only once its connection is ready and `beforeSend` has agreed; nothing has left before that.
//   T2. A 401 makes us read our credentials again and try once more when they are others now: a 401 has no effect, ever.
//   T3. A read whose reused connection turns out to be closed is sent again once; a write never is.

import { createHash } from 'node:crypto';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Clock } from '../host/contract.js';
import { REQUEST_SOCKETS_MAX } from '../limits.js';
import type { Identity, ServerAccess } from './access.js';
import { isForwarding, proxyAuthorization, proxyFor } from './proxy.js';
import { createSlots } from './slots.js';
import { createSockets, type Sockets } from './sockets.js';
import type { Transport, WireRequest, WireResponse } from './wire.js';

/** What the transport needs. */
export interface HttpsTransportOptions {
  readonly access: ServerAccess;
  readonly clock: Clock;
  /** For HTTPS_PROXY, HTTP_PROXY and NO_PROXY. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Connections for requests at once; default REQUEST_SOCKETS_MAX. */
  readonly socketsMax?: number;
}

/** A transport to one server with one identity. Throws AccessError for a bad proxy. */
export function createHttpsTransport({
  access,
  clock,
  environment,
  socketsMax = REQUEST_SOCKETS_MAX,
}: HttpsTransportOptions): Transport {
  const server = new URL(access.server);
  const proxy = proxyFor(server, access.proxyUrl, environment);
  const slots = createSlots(socketsMax);
  let sockets: { readonly key: string; readonly value: Sockets } | undefined;
  let lastIdentity: Identity | undefined;
  let closed = false;

  const socketsFor = (identity: Identity): Sockets => {
    if (identity === lastIdentity && sockets !== undefined) return sockets.value;
    lastIdentity = identity;
    const key = createHash('sha256')
      .update(JSON.stringify([identity.ca, identity.clientCertificate, identity.clientKey]))
      .digest('hex');
    if (sockets?.key !== key) {
      sockets?.value.retire();
      sockets = { key, value: createSockets({ server, proxy, access, clock }, identity) };
    }
    return sockets.value;
  };

  const attempt = async (request: WireRequest, identity: Identity): Promise<IncomingMessage> => {
    if (closed) throw Object.assign(new Error('the client is closed'), { code: 'TransportFailed' });
    const wire = { request, identity, server, proxy, sockets: socketsFor(identity) };
    try {
      return await sendOnce(wire);
    } catch (error) {
      if (request.method !== 'GET' || !(error as { reusedSocket?: boolean }).reusedSocket || request.signal.aborted)
        throw error;
      return sendOnce(wire);
    }
  };

  return {
    host: server.host,
    async send(request) {
      const release = request.streaming ? () => undefined : await slots.take(request.signal);
      if (release === null) throw new Error('aborted');
      try {
        const identity = await access.identity();
        let answer = await attempt(request, identity);
        if (answer.statusCode === 401) {
          access.forget();
          const fresh = await access.identity();
          if (JSON.stringify(fresh) !== JSON.stringify(identity)) {
            answer.resume();
            answer = await attempt(request, fresh);
          }
        }
        answer.once('close', release);
        return asResponse(answer);
      } catch (error) {
        release();
        throw error;
      }
    },
    close() {
      closed = true;
      sockets?.value.destroy();
      return Promise.resolve();
    },
  };
}

interface Wire {
  readonly request: WireRequest;
  readonly identity: Identity;
  readonly server: URL;
  readonly proxy: URL | null;
  readonly sockets: Sockets;
}

function sendOnce({ request, identity, server, proxy, sockets }: Wire): Promise<IncomingMessage> {
  const { method, url, headers, body, signal, streaming } = request;
  const secure = server.protocol === 'https:';
  const forwarded = proxy !== null && isForwarding(proxy, server) ? proxy : null;
  const login = forwarded === null ? null : proxyAuthorization(forwarded);
  const path = `${server.pathname === '/' ? '' : server.pathname.replace(/\/$/, '')}${url}`;
  return new Promise((resolve, reject) => {
    const outgoing = (secure ? httpsRequest : httpRequest)({
      host: server.hostname,
      port: server.port === '' ? (secure ? 443 : 80) : server.port,
      method,
      path: forwarded === null ? path : `${server.origin}${path}`,
      headers: {
        ...headers,
        ...identity.headers,
        ...(login === null ? {} : { 'proxy-authorization': login }),
        ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
      },
      agent: streaming ? sockets.watches : sockets.requests,
    });
    // The signal is this call's own, so the listener ends with it.
    const abort = (): void => void outgoing.destroy(new Error('aborted'));
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    outgoing.once('socket', () => {
      try {
        request.beforeSend();
        outgoing.end(body);
      } catch (error) {
        reject(error as Error);
        outgoing.destroy();
      }
    });
    outgoing.once('response', resolve);
    outgoing.on('error', (error) => reject(Object.assign(error, { reusedSocket: outgoing.reusedSocket })));
  });
}

function asResponse(message: IncomingMessage): WireResponse {
  // Only `set-cookie` would be a list, and nobody reads that.
  const headers = message.headers as Readonly<Record<string, string | undefined>>;
  return { status: message.statusCode ?? 0, headers, body: message };
}
