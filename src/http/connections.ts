// The open connections of one port: how many there may be, and which of them give way.
//
// A connection is told from others by its two ends, since TLS wraps one socket into another.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** The connections of a port. */
export interface Connections {
  /**
   * A connection was made. When there are too many, the one that has rested longest is closed; where none rests, the first whose
   * request has not arrived whole; where all are being answered, the new one.
   */
  opened(socket: Socket): void;
  /** A request is under way on a connection; the function that comes back says that it is over. */
  busy(request: IncomingMessage): () => void;
  destroyAll(): void;
}

interface Connection {
  readonly socket: Socket;
  running: number;
  last: IncomingMessage | null;
}

/** No connections yet. */
export function createConnections(connectionsMax: number): Connections {
  // In the order in which they came or came to rest: the first that rests has rested longest.
  const open = new Map<string, Connection>();
  const makeRoom = (): boolean => {
    const all = [...open];
    const [key, found] =
      all.find(([, { running }]) => running === 0) ?? all.find(([, { last }]) => last?.complete === false) ?? [];
    if (key === undefined || found === undefined) return false;
    open.delete(key);
    found.socket.destroy();
    return true;
  };
  return {
    opened(socket) {
      if (open.size >= connectionsMax && !makeRoom()) {
        socket.destroy();
        return;
      }
      const key = endsOf(socket);
      const connection = { socket, running: 0, last: null };
      open.set(key, connection);
      socket.once('close', () => {
        if (open.get(key) === connection) open.delete(key);
      });
    },
    busy(request) {
      const key = endsOf(request.socket);
      const connection = open.get(key);
      if (connection === undefined) return () => undefined;
      connection.running += 1;
      connection.last = request;
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
