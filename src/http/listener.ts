// The one layer through which every port of this program is served: health, diagnostics, webhooks, inspector, demo API server.
//
// Handlers judge what strangers send; this file sees to it that a handler that fails fails for that request alone.
//
//   N1. Whatever a handler throws, at once or later, becomes an answer (500) or a closed connection, and is told to `onFault`.
//   N2. A request's head has a size and a time, a request has a time, a port has a number of connections.
//   N3. A port with all its connections taken closes the one that has rested longest since its last answer, then one that has been
//       coming for long: strangers who hold connections open do not keep an API server or a probe out.
//   N4. An answer that nobody takes is not kept: its connection ends.
//   N5. A connection on which a request comes before the last one has its answer ends: one stranger has one request at a time.

import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions, TlsOptions } from 'node:tls';
import {
  LISTENER_ANSWER_TIME_MAX_MS,
  LISTENER_CHECK_MS,
  LISTENER_CONNECTIONS_MAX,
  LISTENER_HEAD_BYTES_MAX,
  LISTENER_HEAD_TIME_MAX_MS,
  LISTENER_REQUEST_TIME_MAX_MS,
} from '../limits.js';
import { systemClock } from '../system.js';
import { createConnections } from './connections.js';

/** Something that went wrong in a handler or in the port itself, and ended one request at most. */
export interface ListenerFault {
  /** Which port, by what it is for. */
  readonly listener: string;
  readonly place: 'request' | 'upgrade' | 'server';
  readonly error: unknown;
}

/** How a port is served. Port 0 takes any free port; without a host it is open on every interface. */
export interface ListenerOptions {
  readonly name: string;
  readonly port: number;
  readonly host?: string | undefined;
  readonly tls?: TlsOptions | undefined;
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;
  /** Without it an upgrade is a request like any other. */
  readonly onUpgrade?: (request: IncomingMessage, socket: Duplex, head: Buffer) => void | Promise<void>;
  readonly onFault: (fault: ListenerFault) => void;
  /** A handshake that failed: no fault, strangers do that. */
  readonly onHandshakeFailure?: (error: Error) => void;
  /** How long a connection may rest between two requests. */
  readonly keepAliveMs?: number;
  /** LISTENER_CONNECTIONS_MAX when absent. */
  readonly connectionsMax?: number;
  /** The time that connections grow old by; the process's own when absent. */
  readonly monotonicMs?: () => number;
  /** How long a request may take to arrive; 0 for no bound. */
  readonly requestTimeMaxMs?: number;
  /** How long an answer may take to be taken after its end was written. What is still being written (a stream) has no such bound. */
  readonly answerTimeMaxMs?: number;
}

/** A port that is served. */
export interface Listener {
  readonly port: number;
  /** Whether new connections are taken. */
  isListening(): boolean;
  /** Uses another certificate for connections that are made from now on. Throws for one that TLS refuses. */
  useCertificate(pair: SecureContextOptions): void;
  /** Takes no new connections and ends: at once, or (`drain`) when what is being answered has its answer. */
  close(how?: 'now' | 'drain'): Promise<void>;
}

/** Starts to listen. Rejects when the port cannot be had, and for TLS options that TLS refuses. */
export async function listen(options: ListenerOptions): Promise<Listener> {
  const fault = (place: ListenerFault['place'], error: unknown): void =>
    tell(options, { listener: options.name, place, error });
  const running = new Set<ServerResponse>();
  const last = new WeakMap<Socket, ServerResponse>();
  const connections = createConnections(
    options.connectionsMax ?? LISTENER_CONNECTIONS_MAX,
    options.monotonicMs ?? (() => performance.now()),
  );
  const answerTimeMaxMs = options.answerTimeMaxMs ?? LISTENER_ANSWER_TIME_MAX_MS;
  const server = serverOf(options, (request, response) => {
    if (connections.isBusy(request) && !isWritten(last.get(request.socket), request.socket)) {
      request.socket.destroy();
      return;
    }
    last.set(request.socket, response);
    const rested = connections.busy(request);
    running.add(response);
    response.once('close', () => {
      running.delete(response);
      rested();
    });
    destroyUntaken(response, answerTimeMaxMs);
    // A peer that goes away while it is answered is no fault of anybody here.
    request.on('error', () => response.destroy());
    response.on('error', () => response.destroy());
    void settle(() => options.onRequest(request, response)).catch((error: unknown) => {
      fault('request', error);
      refuse(response);
    });
  });
  server.on('connection', (socket: Socket) => connections.opened(socket));
  const { onUpgrade } = options;
  if (onUpgrade !== undefined) {
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (connections.isBusy(request)) {
        socket.destroy();
        return;
      }
      connections.busy(request);
      socket.on('error', () => socket.destroy());
      void settle(() => onUpgrade(request, socket, head)).catch((error: unknown) => {
        fault('upgrade', error);
        socket.destroy();
      });
    });
  }
  if (options.onHandshakeFailure !== undefined) server.on('tlsClientError', options.onHandshakeFailure);
  const port = await bound(server, options);
  server.on('error', (error) => fault('server', error));
  return {
    port,
    isListening: () => server.listening,
    useCertificate: (pair) => (server as HttpsServer).setSecureContext({ ...options.tls, ...pair }),
    async close(how = 'now') {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      if (how === 'drain')
        await Promise.all([...running].map((each) => new Promise((done) => each.once('close', done))));
      connections.destroyAll();
      await closed;
    },
  };
}

function serverOf(
  { tls, keepAliveMs, requestTimeMaxMs }: ListenerOptions,
  onRequest: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const bounds = {
    maxHeaderSize: LISTENER_HEAD_BYTES_MAX,
    headersTimeout: LISTENER_HEAD_TIME_MAX_MS,
    requestTimeout: requestTimeMaxMs ?? LISTENER_REQUEST_TIME_MAX_MS,
    connectionsCheckingInterval: LISTENER_CHECK_MS,
    ...(keepAliveMs === undefined ? {} : { keepAliveTimeout: keepAliveMs }),
  };
  if (tls === undefined) return createHttpServer(bounds, onRequest);
  return createHttpsServer({ ...tls, ...bounds, handshakeTimeout: LISTENER_HEAD_TIME_MAX_MS }, onRequest);
}

async function bound(server: Server, { port, host }: ListenerOptions): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const at = server.address();
  return typeof at === 'object' && at !== null ? at.port : port;
}

/** Over TLS a peer may have an answer, and ask again, before we are told that it was written. */
function isWritten(response: ServerResponse | undefined, socket: Socket): boolean {
  return 'encrypted' in socket && !socket.destroyed && response?.writableEnded === true;
}

/** Ends the connection of an answer that was written to its end and is not taken in time. */
function destroyUntaken(response: ServerResponse, timeMaxMs: number): void {
  response.once('prefinish', () => {
    response.once(
      'close',
      systemClock.schedule(timeMaxMs, () => response.destroy()),
    );
  });
}

/** Runs a handler; what it throws before its first await rejects like what it throws later. */
async function settle(run: () => void | Promise<void>): Promise<void> {
  await run();
}

function tell({ onFault }: ListenerOptions, fault: ListenerFault): void {
  try {
    onFault(fault);
  } catch {
    // Whoever counts faults must not make one out of them.
  }
}

function refuse(response: ServerResponse): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  try {
    for (const name of response.getHeaderNames()) response.removeHeader(name);
    const text = 'internal error\n';
    response.writeHead(500, { 'content-type': 'text/plain; charset=utf-8', 'content-length': text.length });
    response.end(text);
  } catch {
    response.destroy();
  }
}
