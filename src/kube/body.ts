// Reading bodies: a whole answer as text, or a watch line by line.
//
//   B1. Bounded: an answer or a line that is too long is an error, not memory.
//   B2. A line is given out only when its newline has come; what is left without one at the end is an error, because a watch
//       that broke in the middle of an event must not look like one that ended.

import { BodyError, KeptBytes, TOO_LARGE, type ByteBudget } from './kept-bytes.js';
import type { WireResponse } from './wire.js';

/** The whole body as text. */
export async function readText(
  body: WireResponse['body'],
  { bytesMax, budget }: { readonly bytesMax: number; readonly budget: ByteBudget | null },
): Promise<string> {
  if (typeof body === 'string') return body;
  const kept = new KeptBytes(budget, bytesMax);
  try {
    for await (const chunk of body) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      if (kept.length + bytes.length > bytesMax) throw tooLong('the answer', bytesMax);
      kept.append(bytes);
    }
    return kept.take().toString('utf8');
  } finally {
    kept.release();
  }
}

/** The failure of what is longer than it may be. */
export function tooLong(what: string, bytesMax: number): BodyError {
  return new BodyError(`${what} is longer than ${bytesMax} bytes`, TOO_LARGE);
}

/** How lines are read. */
export interface LineOptions {
  readonly lineBytesMax: number;
  readonly budget: ByteBudget | null;
  /** Called for every chunk. */
  readonly onBytes?: (() => void) | undefined;
}

/** The body's lines without their newlines. */
export async function* readLines(
  body: WireResponse['body'],
  { lineBytesMax, budget, onBytes }: LineOptions,
): AsyncGenerator<string, void> {
  if (typeof body === 'string') {
    const lines = body.split('\n');
    const rest = lines.pop() ?? '';
    yield* lines.filter((line) => line !== '');
    if (rest !== '') throw new BodyError('the stream ended inside a line');
    return;
  }
  const begun = new KeptBytes(budget, lineBytesMax);
  const keep = (piece: Uint8Array): void => {
    if (begun.length + piece.length > lineBytesMax) throw tooLong('a line', lineBytesMax);
    begun.append(piece);
  };
  try {
    for await (const chunk of body) {
      onBytes?.();
      const bytes =
        typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
      let start = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
        const piece = bytes.subarray(start, end);
        if (begun.length > 0) keep(piece);
        const line = begun.length === 0 ? piece : begun.take();
        start = end + 1;
        if (line.length > 0) yield line.toString('utf8');
      }
      if (start < bytes.length) keep(bytes.subarray(start));
    }
    if (begun.length > 0) throw new BodyError('the stream ended inside a line');
  } finally {
    begun.release();
  }
}
