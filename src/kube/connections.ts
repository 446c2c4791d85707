// Connections to one API server with one identity's certificates: lent for one exchange, then kept for the next.
//
//   S1. A connection is lent only when it is ready: TCP, proxy and TLS are done. So "not sent" can be told for sure.
//   S2. Certificates are part of a connection: other ones make other connections, and old ones end when they are free.
//   S3. The one that was used last is lent first, so that those which are too many end by themselves.
//   S4. Who waits for a new connection takes one that becomes free before it; a failure to connect ends who has waited longest.
//   S5. At most CONNECTING_MAX are made at a time, so that a burst is not held up by handshakes that it does not need.

import { setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import type { Clock } from '../host/contract.js';
import { CONNECTING_MAX } from '../limits.js';
import { createConnection, type Connection } from './connection.js';

/** Connections to lend. */
export interface Connections {
  /** One that is ready and free, or null. */
  takeFree(): Connection | null;
  /** A new one, or one that becomes free before. Rejects when the signal ends; the connection is kept for others then. */
  open(signal: AbortSignal): Promise<Connection>;
  /** Gives back what carried nothing. */
  giveBack(connection: Connection): void;
  /** Ends what is free; what is lent ends when it is given back. */
  retire(): void;
  /** Ends everything. */
  destroy(): void;
}

interface Waiting {
  readonly take: (connection: Connection) => void;
  readonly fail: (error: Error) => void;
}

/** No connections yet. `connect` makes a socket that is ready, and gives it up when the signal ends. */
export function createConnections(
  connect: (signal: AbortSignal) => Promise<Socket>,
  clock: Pick<Clock, 'monotonicMs'>,
): Connections {
  const all = new Set<Connection>();
  const free: Connection[] = [];
  const waiting: Waiting[] = [];
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  let isRetired = false;
  let connecting = 0;

  const give = (connection: Connection): void => {
    if (ending.signal.aborted || !connection.isUsable()) return connection.destroy(closed());
    const next = waiting.shift();
    if (next !== undefined) return next.take(connection);
    if (isRetired) return connection.destroy(closed());
    connection.rest();
    free.push(connection);
  };
  const owner = {
    clock,
    onFree: give,
    onClosed(connection: Connection) {
      all.delete(connection);
      const at = free.indexOf(connection);
      if (at >= 0) free.splice(at, 1);
    },
  };
  const add = (socket: Socket): void => {
    const connection = createConnection(socket, owner);
    all.add(connection);
    give(connection);
  };

  const connectMore = (): void => {
    if (connecting >= Math.min(waiting.length, CONNECTING_MAX)) return;
    connecting += 1;
    const after = (): void => {
      connecting -= 1;
      connectMore();
    };
    connect(ending.signal)
      .then(add, (error: Error) => waiting.shift()?.fail(error))
      .finally(after);
  };

  return {
    takeFree() {
      for (let last = free.pop(); last !== undefined; last = free.pop()) {
        if (last.isUsable()) return last;
        last.destroy(closed());
      }
      return null;
    },
    open: (signal) =>
      new Promise((resolve, reject) => {
        const leave = (): void => {
          waiting.splice(waiting.indexOf(one), 1);
          reject(new Error('aborted'));
        };
        const one: Waiting = {
          take(connection) {
            signal.removeEventListener('abort', leave);
            resolve(connection);
          },
          fail(error) {
            signal.removeEventListener('abort', leave);
            reject(error);
          },
        };
        if (signal.aborted) return reject(new Error('aborted'));
        signal.addEventListener('abort', leave, { once: true });
        waiting.push(one);
        connectMore();
      }),
    giveBack: give,
    retire() {
      isRetired = true;
      for (const connection of free.splice(0)) connection.destroy(closed());
    },
    destroy() {
      ending.abort();
      for (const one of waiting.splice(0)) one.fail(closed());
      for (const connection of all) connection.destroy(closed());
    },
  };
}

function closed(): Error {
  return Object.assign(new Error('connection closed'), { code: 'ECONNRESET' });
}
