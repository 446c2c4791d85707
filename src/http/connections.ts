// The open connections of one port: how many there may be, and which of them give way.
//
// A connection is told from others by its two ends, since TLS wraps one socket into another.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { CONNECTION_YOUNG_MS } from '../limits.js';

/** The connections of a port. */
export interface Connections {
  /**
   * A connection was made. When there are too many, the one is closed that has rested longest since it was answered; where none
   * rests, the first whose handshake or request has been on its way for long; else the new one.
   */
  opened(socket: Socket): void;
  /** Tells whether another request of the same connection has no answer yet, or the connection is gone: HTTP/1.1 clients wait. */
  isBusy(request: IncomingMessage): boolean;
  /** A request is under way on a connection; the function that comes back says that it is over. */
  busy(request: IncomingMessage): () => void;
  destroyAll(): void;
}

interface Connection {
  readonly socket: Socket;
  running: number;
  /** Its last request; null before the first. */
  last: IncomingMessage | null;
  /** When it was made, or its last request began. */
  sinceMs: number;
}

/** No connections yet. */
export function createConnections(connectionsMax: number, monotonicMs: () => number): Connections {
  // In the order in which they came or came to rest: the first that rests has rested longest.
  const open = new Map<string, Connection>();
  const makeRoom = (): boolean => {
    const oldMs = monotonicMs() - CONNECTION_YOUNG_MS;
    let found: readonly [string, Connection] | null = null;
    for (const each of open) {
      const [, { running, last, sinceMs }] = each;
      if (running === 0 && last !== null) {
        found = each;
        break;
      }
      if (last?.complete !== true && sinceMs < oldMs) found ??= each;
    }
    if (found === null) return false;
    const [key, connection] = found;
    open.delete(key);
    connection.socket.destroy();
    return true;
  };
  return {
    opened(socket) {
      if (open.size >= connectionsMax && !makeRoom()) {
        socket.destroy();
        return;
      }
      const key = endsOf(socket);
      const connection = { socket, running: 0, last: null, sinceMs: monotonicMs() };
      open.set(key, connection);
      socket.once('close', () => {
        if (open.get(key) === connection) open.delete(key);
      });
    },
    isBusy: ({ socket }) => socket.destroyed || (open.get(endsOf(socket))?.running ?? 0) > 0,
    busy(request) {
      const key = endsOf(request.socket);
      const connection = open.get(key);
      if (connection === undefined) return () => undefined;
      connection.running += 1;
      connection.last = request;
      connection.sinceMs = monotonicMs();
      return () => {
        connection.running -= 1;
        if (open.get(key) !== connection) return;
        open.delete(key);
        open.set(key, connection);
      };
    },
    destroyAll() {
      for (const { socket } of open.values()) socket.destroy();
    },
  };
}

function endsOf({ remoteAddress, remotePort, localAddress, localPort }: Socket): string {
  return `${remoteAddress}:${remotePort} ${localAddress}:${localPort}`;
}
