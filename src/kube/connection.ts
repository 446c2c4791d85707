// One connection that is ready, and one exchange on it at a time.
//
//   N1. A request leaves in one write; nothing is sent ahead of an answer's end.
//   N2. Whatever does not end as it should ends the connection: a failure, bytes that nobody asked for, an answer before the
//       request has left.
//   N3. While it rests it does not keep the process alive. It is not used again after SOCKET_IDLE_MAX_MS, or what the server said
//       if that is less: a write that meets the server's close has an unknown outcome.

import type { Socket } from 'node:net';
import type { Clock } from '../host/contract.js';
import { ANSWER_HEAD_BYTES_MAX, SOCKET_IDLE_MAX_MS } from '../limits.js';
import { tooLong } from './body.js';
import { createChunkStream, type ChunkStream } from './chunk-stream.js';
import { createAnswerParser, type AnswerHead, type AnswerParser } from './http-wire.js';
import { KeptBytes } from './kept-bytes.js';
import type { WireRequest, WireResponse } from './wire.js';

/** A request and how its answer is wanted. */
export interface Carried {
  /** The whole request. */
  readonly text: string;
  /** Its end ends the connection. */
  readonly signal: AbortSignal;
  /** The body of a success comes piece by piece; any other comes whole. */
  readonly streaming: boolean;
  /** Bounds what comes and what is kept of an answer that is wanted whole. */
  readonly answer: WireRequest['answer'];
}

/** A connection. */
export interface Connection {
  /** Exchanges a request and its answer. Rejects with an UnansweredError where a connection used before proves closed. */
  carry(request: Carried): Promise<WireResponse>;
  /** False once it has ended or has rested for too long. */
  readonly isUsable: () => boolean;
  /** It carries nothing until further notice. */
  rest(): void;
  destroy(error: Error): void;
}

/** Who lends connections. */
export interface ConnectionOwner {
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** Its exchange is over and it can carry another one. */
  onFree(connection: Connection): void;
  onClosed(connection: Connection): void;
}

/** No byte of an answer came on a connection that had carried others: the server had closed it. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
  readonly code: string;

  constructor(cause: Error) {
    super(cause.message, { cause });
    this.code = String((cause as { code?: unknown }).code ?? 'ECONNRESET');
  }
}

interface Exchanging {
  readonly parser: AnswerParser;
  /** Counts what the socket brings. */
  readonly count: (bytes: number) => void;
  readonly fail: (error: Error) => void;
}

/** Takes over a socket that is ready, and whose `timeout` is SOCKET_IDLE_MAX_MS. */
export function createConnection(socket: Socket, owner: ConnectionOwner): Connection {
  let exchanging: Exchanging | null = null;
  let carried = 0;
  let isSilent = true;
  let idleMaxMs = SOCKET_IDLE_MAX_MS;
  let restsSinceMs = Number.POSITIVE_INFINITY;

  const end = (error: Error): void => {
    const told = exchanging;
    exchanging = null;
    socket.destroy();
    told?.fail(error);
  };
  const guarded = (read: (exchange: Exchanging) => void): void => {
    if (exchanging === null) return void socket.destroy();
    try {
      read(exchanging);
    } catch (error) {
      end(error as Error);
    }
  };
  socket.on('data', (bytes: Buffer) => {
    isSilent = false;
    guarded(({ parser, count }) => {
      count(bytes.length);
      parser.feed(bytes);
    });
  });
  socket.on('end', () => guarded(({ parser }) => parser.end()));
  socket.on('error', end);
  socket.on('close', () => {
    end(Object.assign(new Error('connection closed'), { code: 'ECONNRESET' }));
    owner.onClosed(connection);
  });
  socket.on('timeout', () => {
    if (exchanging === null) socket.destroy();
  });
  socket.resume();

  /** The server's own bound, less a second for what is under way. */
  const learnIdleMax = ({ headers }: AnswerHead): void => {
    const seconds = /\btimeout=(\d{1,6})/i.exec(headers['keep-alive'] ?? '')?.[1];
    if (seconds !== undefined) idleMaxMs = Math.min(SOCKET_IDLE_MAX_MS, Number(seconds) * 1000 - 1000);
  };

  const connection: Connection = {
    isUsable: () => socket.writable && owner.clock.monotonicMs() - restsSinceMs < idleMaxMs,
    rest() {
      restsSinceMs = owner.clock.monotonicMs();
      socket.unref();
    },
    destroy: end,
    carry: ({ text, signal, streaming, answer: { bytesMax, budget } }) =>
      new Promise((resolve, reject) => {
        const abort = (): void => end(new Error('aborted'));
        const kept = new KeptBytes(budget, bytesMax);
        let wireBytes = 0;
        let head: AnswerHead | null = null;
        let stream: ChunkStream | null = null;
        const parser = createAnswerParser({
          onHead(read) {
            head = read;
            learnIdleMax(read);
            if (!streaming || read.status >= 300) return;
            stream = createChunkStream(socket, budget);
            resolve({ ...read, body: stream.chunks });
          },
          onBody(bytes) {
            if (stream !== null) return stream.push(bytes);
            if (kept.length + bytes.length > bytesMax) throw tooLong('the answer', bytesMax);
            kept.append(bytes);
          },
          onEnd(reusable) {
            signal.removeEventListener('abort', abort);
            exchanging = null;
            if (reusable && idleMaxMs > 0 && socket.writableLength === 0) owner.onFree(connection);
            else socket.destroy();
            if (stream !== null) stream.end();
            else if (head !== null) resolve({ ...head, body: kept.take().toString('utf8') });
          },
        });
        exchanging = {
          parser,
          count(bytes) {
            wireBytes += bytes;
            // What surrounds the body counts as well: a server may send little in many pieces.
            if (stream === null && wireBytes > bytesMax + ANSWER_HEAD_BYTES_MAX) throw tooLong('the answer', bytesMax);
          },
          fail(error) {
            signal.removeEventListener('abort', abort);
            kept.release();
            if (stream !== null) stream.fail(error);
            else reject(carried > 1 && isSilent && !signal.aborted ? new UnansweredError(error) : error);
          },
        };
        carried += 1;
        isSilent = true;
        restsSinceMs = Number.POSITIVE_INFINITY;
        signal.addEventListener('abort', abort, { once: true });
        socket.ref();
        socket.write(text);
      }),
  };
  return connection;
}
