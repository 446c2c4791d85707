// Reading bodies: a whole answer as text, or a watch line by line.
//
//   B1. Bounded: an answer or a line that is too long is an error, not memory.
//   B2. A line is given out only when its newline has come; what is left without one at the end is an error, because a watch
//       that broke in the middle of an event must not look like one that ended.

import { RESPONSE_BYTES_MAX, WATCH_LINE_BYTES_MAX } from '../limits.js';
import type { WireResponse } from './wire.js';

/** The stream ended inside a line, or a bound was hit. */
export class BodyError extends Error {
  override readonly name = 'BodyError';
}

/** The whole body as text. */
export async function readText(body: WireResponse['body']): Promise<string> {
  if (typeof body === 'string') return body;
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    length += bytes.length;
    if (length > RESPONSE_BYTES_MAX) throw new BodyError(`the answer is longer than ${RESPONSE_BYTES_MAX} bytes`);
    chunks.push(bytes);
  }
  return Buffer.concat(chunks, length).toString('utf8');
}

/** The body's lines without their newlines. `onBytes` is called for every chunk. */
export async function* readLines(body: WireResponse['body'], onBytes?: () => void): AsyncGenerator<string, void> {
  if (typeof body === 'string') {
    const lines = body.split('\n');
    const rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
    if (rest !== '') throw new BodyError('the stream ended inside a line');
    return;
  }
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    onBytes?.();
    const bytes =
      typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    let start = 0;
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      const piece = bytes.subarray(start, end);
      const line = length === 0 ? piece : Buffer.concat([...parts, piece]);
      parts = [];
      length = 0;
      start = end + 1;
      if (line.length > 0) yield line.toString('utf8');
    }
    if (start < bytes.length) {
      parts.push(bytes.subarray(start));
      length += bytes.length - start;
    }
    if (length > WATCH_LINE_BYTES_MAX) throw new BodyError(`a line is longer than ${WATCH_LINE_BYTES_MAX} bytes`);
  }
  if (length > 0) throw new BodyError('the stream ended inside a line');
}
