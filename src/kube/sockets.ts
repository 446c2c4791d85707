// Sockets to one API server, ready to be written to: TCP, proxy and TLS are done, or there is none.
//
//   K1. One deadline covers the whole way, so a black hole is noticed.
//   K2. A socket without a byte for SOCKET_IDLE_MAX_MS says so by `timeout`; what that means is up to its owner.
//   K3. Certificates are read once for all sockets of an identity, and a later socket resumes the TLS session of an earlier one.

import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { CONNECT_TIMEOUT_MS, SOCKET_IDLE_MAX_MS } from '../limits.js';
import type { Clock } from '../host/contract.js';
import type { Identity, ServerAccess } from './access.js';
import { connectThrough, hostOf, portOf } from './proxy.js';
import { startDeadline } from './waiting.js';

/** What a socket is made of. */
export interface SocketOptions {
  readonly server: URL;
  readonly proxy: URL | null;
  readonly access: Pick<ServerAccess, 'tlsServerName' | 'insecureSkipTlsVerify'>;
  readonly clock: Clock;
}

const KEEP_ALIVE_PROBE_MS = 30_000;

/** Makes sockets that use this identity's certificates. The signal gives up the one that is under way. */
export function createConnector(options: SocketOptions, identity: Identity): (signal: AbortSignal) => Promise<Socket> {
  const tls = tlsOf(identity);
  return async (signal) => {
    const socket = await connect(options, tls, signal);
    socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
    socket.setNoDelay(true);
    if (isTls(socket)) socket.on('session', (fresh: Buffer) => (tls.session = fresh));
    return socket;
  };
}

/** What sockets of one identity share. */
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

function isTls(socket: Socket): socket is TLSSocket {
  return 'encrypted' in socket;
}

async function connect(
  { server, proxy, access, clock }: SocketOptions,
  { context, session }: SharedTls,
  parent: AbortSignal,
): Promise<Socket> {
  const deadline = startDeadline(clock, CONNECT_TIMEOUT_MS, parent);
  const { signal } = deadline;
  try {
    const target = { host: hostOf(server), port: portOf(server), timeout: SOCKET_IDLE_MAX_MS };
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
      timeout: SOCKET_IDLE_MAX_MS,
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
