// The body of a watch between the socket that it comes from and the loop that reads it.
//
//   B1. Bounded: what is not read in time makes the socket wait.
//   B2. Leaving the loop early ends the connection.
//   B3. A failure comes at once; what nobody has read by then is dropped.

import type { Socket } from 'node:net';
import { STREAM_BUFFER_BYTES_MAX } from '../limits.js';
import { KeptBytes, type ByteBudget } from './kept-bytes.js';

/** One body. */
export interface ChunkStream {
  /** To be read once. */
  readonly chunks: AsyncIterable<Uint8Array>;
  push(bytes: Uint8Array): void;
  end(): void;
  fail(error: Error): void;
}

/** A body that comes from a socket. */
export function createChunkStream(
  socket: Pick<Socket, 'pause' | 'resume' | 'destroy'>,
  budget: ByteBudget | null,
): ChunkStream {
  const waiting = new KeptBytes(budget);
  let failure: Error | null = null;
  let isOver = false;
  let wake = (): void => undefined;

  async function* read(): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) {
        if (failure !== null) throw failure;
        if (waiting.length > 0) {
          yield waiting.take();
          if (!isOver) socket.resume();
        } else if (isOver) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      waiting.release();
      if (!isOver) socket.destroy();
    }
  }

  return {
    chunks: read(),
    push(bytes) {
      waiting.append(bytes);
      if (waiting.length > STREAM_BUFFER_BYTES_MAX) socket.pause();
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
      waiting.release();
      wake();
    },
  };
}
