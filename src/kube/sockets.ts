// Connections to one API server, kept alive and shared.
//
//   S1. A socket is handed out only when it is ready: TCP, proxy and TLS are done. So "not sent" can be told for sure.
//   S2. Certificates are part of the connection: other ones make other connections, and old ones are left to end by themselves.
//   S3. Requests share a bounded number of connections and wait in order; watches have one each.
//   S4. Certificates are read once for all connections, and a later connection resumes the TLS session of an earlier one.

import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { CONNECT_TIMEOUT_MS, SOCKET_IDLE_MAX_MS } from '../limits.js';
import type { Clock } from '../host/contract.js';
import type { Identity, ServerAccess } from './access.js';
import { connectThrough, hostOf, portOf } from './proxy.js';
import { startDeadline } from './waiting.js';

/** What a connection is made of. */
export interface SocketOptions {
  readonly server: URL;
  readonly proxy: URL | null;
  readonly access: Pick<ServerAccess, 'tlsServerName' | 'insecureSkipTlsVerify'>;
  readonly clock: Clock;
}

/** Keep-alive agents: one for requests and one for watches. */
export interface Sockets {
  readonly requests: HttpAgent;
  readonly watches: HttpAgent;
  /** Ends what is idle; what is in use ends when it becomes idle. */
  retire(): void;
  /** Ends everything. */
  destroy(): void;
}

const KEEP_ALIVE_PROBE_MS = 30_000;

/** Agents whose connections use this identity's certificates. */
export function createSockets(options: SocketOptions, identity: Identity): Sockets {
  const tls = tlsOf(identity);
  const agents = [makeAgent(options, tls), makeAgent(options, tls)] as const;
  return {
    requests: agents[0],
    watches: agents[1],
    retire() {
      for (const agent of agents)
        for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
    },
    destroy() {
      for (const agent of agents) agent.destroy();
    },
  };
}

/** What connections of one identity share. */
interface SharedTls {
  /** Made at the first use: a server without TLS needs none. */
  readonly context: () => SecureContext;
  session: Buffer | undefined;
}

function tlsOf({ ca, clientCertificate, clientKey }: Identity): SharedTls {
  let made: SecureContext | undefined;
  return {
    context: () =>
      (made ??= createSecureContext({
        ...(ca === '' ? {} : { ca }),
        ...(clientCertificate === '' ? {} : { cert: clientCertificate, key: clientKey }),
      })),
    session: undefined,
  };
}

function makeAgent(options: SocketOptions, tls: SharedTls): HttpAgent {
  const settings = {
    keepAlive: true,
    keepAliveMsecs: KEEP_ALIVE_PROBE_MS,
    timeout: SOCKET_IDLE_MAX_MS,
    scheduling: 'lifo' as const,
  };
  const agent = options.server.protocol === 'https:' ? new HttpsAgent(settings) : new HttpAgent(settings);
  const create = (_: unknown, callback: (error: Error | null, socket?: Socket) => void): undefined => {
    connect(options, tls).then(
      (socket) => {
        socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
        socket.setNoDelay(true);
        if (isTls(socket)) socket.on('session', (fresh: Buffer) => (tls.session = fresh));
        callback(null, socket);
      },
      (error: Error) => callback(error),
    );
    return undefined;
  };
  return Object.assign(agent, { createConnection: create });
}

function isTls(socket: Socket): socket is TLSSocket {
  return 'encrypted' in socket;
}

async function connect(
  { server, proxy, access, clock }: SocketOptions,
  { context, session }: SharedTls,
): Promise<Socket> {
  const deadline = startDeadline(clock, CONNECT_TIMEOUT_MS, undefined);
  const { signal } = deadline;
  try {
    const target = { host: hostOf(server), port: portOf(server) };
    const raw =
      proxy === null ? await ready(connectTcp(target), 'connect', signal) : await connectThrough(proxy, server, signal);
    if (server.protocol !== 'https:') return raw;
    const name = access.tlsServerName === '' ? target.host : access.tlsServerName;
    const socket = connectTls({
      socket: raw,
      host: name,
      ...(isIP(name) === 0 ? { servername: name } : {}),
      rejectUnauthorized: !access.insecureSkipTlsVerify,
      secureContext: context(),
      ...(session === undefined ? {} : { session }),
      ALPNProtocols: ['http/1.1'],
    });
    return await ready(socket, 'secureConnect', signal);
  } catch (error) {
    throw deadline.expired() ? Object.assign(new Error('connection timed out'), { code: 'ETIMEDOUT' }) : error;
  } finally {
    deadline.release();
  }
}

function ready<S extends Socket>(socket: S, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<S> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void): void => {
      socket.off('error', failed);
      socket.off('close', closed);
      signal.removeEventListener('abort', ended);
      finish();
    };
    const failed = (error: Error): void => settle(() => reject(error));
    const closed = (): void => failed(Object.assign(new Error('connection closed'), { code: 'ECONNRESET' }));
    const ended = (): void => {
      failed(new Error('aborted'));
      socket.on('error', () => undefined);
      socket.destroy();
    };
    socket.once(event, () => settle(() => resolve(socket)));
    socket.once('error', failed);
    socket.once('close', closed);
    signal.addEventListener('abort', ended, { once: true });
  });
}
