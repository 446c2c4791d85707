// The body of a watch between the socket that it comes from and the loop that reads it.
//
//   B1. Bounded: what is not read in time makes the socket wait.
//   B2. Leaving the loop early ends the connection.
//   B3. A failure comes at once; what nobody has read by then is dropped.

import type { Socket } from 'node:net';
import { STREAM_BUFFER_BYTES_MAX } from '../limits.js';

/** One body. */
export interface ChunkStream {
  /** To be read once. */
  readonly chunks: AsyncIterable<Uint8Array>;
  push(bytes: Uint8Array): void;
  end(): void;
  fail(error: Error): void;
}

/** A body that comes from a socket. */
export function createChunkStream(socket: Pick<Socket, 'pause' | 'resume' | 'destroy'>): ChunkStream {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  let failure: Error | null = null;
  let isOver = false;
  let wake = (): void => undefined;

  async function* read(): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        if (failure !== null) throw failure;
        if (waiting.length > 0) {
          const batch = waiting;
          waiting = [];
          waitingBytes = 0;
          for (const bytes of batch) {
            yield bytes;
            if (failure !== null) throw failure;
          }
          if (!isOver) socket.resume();
        } else if (isOver) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      if (!isOver) socket.destroy();
    }
  }

  return {
    chunks: read(),
    push(bytes) {
      waiting.push(bytes);
      waitingBytes += bytes.length;
      if (waitingBytes > STREAM_BUFFER_BYTES_MAX) socket.pause();
      wake();
    },
    end() {
      isOver = true;
      // The connection may carry others before the last pieces are read.
      socket.resume();
      wake();
    },
    fail(error) {
      failure = error;
      isOver = true;
      wake();
    },
  };
}
