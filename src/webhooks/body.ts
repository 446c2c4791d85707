// Reads the JSON body of a webhook request, within bounds.
//
//   B1. A body that says that it is too long is refused before it is read; one that is too long without saying so is not kept.
//   B2. All bodies together hold at most WEBHOOK_BYTES_IN_FLIGHT_MAX bytes: the request that would exceed it is told to come back.
//   B3. What is too deep for the API server's own reader, or would fill the memory once it is read, is refused before it is parsed.

import type { IncomingMessage } from 'node:http';
import { jsonExtent } from '../http/json-text.js';
import { JSON_DEPTH_MAX, JSON_VALUES_MAX } from '../limits.js';

/** A body, or why there is none. */
export type Body = { readonly json: unknown } | { readonly problem: string; readonly code: number };

/** Bytes that requests hold, all together. */
export interface BytesInFlight {
  /** Takes so many more; false when there are not so many left. */
  take(bytes: number): boolean;
  giveBack(bytes: number): void;
}

/** A budget of bytes. */
export function bytesInFlight(bytesMax: number): BytesInFlight {
  let left = bytesMax;
  return {
    take(bytes) {
      if (bytes > left) return false;
      left -= bytes;
      return true;
    },
    giveBack(bytes) {
      left += bytes;
    },
  };
}

/** Reads a body and hands it to `use`; its bytes count until `use` has made an answer of it. Never rejects by itself. */
export async function withBody<T>(
  request: IncomingMessage,
  { bytesMax, budget }: { readonly bytesMax: number; readonly budget: BytesInFlight },
  use: (body: Body) => T,
): Promise<T> {
  const held = { bytes: 0 };
  try {
    return use(await readBody(request, { bytesMax, budget, held }));
  } finally {
    budget.giveBack(held.bytes);
  }
}

const BUSY: Body = { problem: 'too many bytes are in flight; try again', code: 503 };

async function readBody(
  request: IncomingMessage,
  {
    bytesMax,
    budget,
    held,
  }: { readonly bytesMax: number; readonly budget: BytesInFlight; readonly held: { bytes: number } },
): Promise<Body> {
  const tooLarge = { problem: `request entity is too large; limit is ${bytesMax} bytes`, code: 413 };
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
    request.resume();
    return tooLarge;
  }
  const body = growingBuffer();
  try {
    // What is not read any more is let through, not cut off: the answer must reach who still sends.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      const isTooLarge = held.bytes + chunk.length > bytesMax;
      if (isTooLarge || !budget.take(chunk.length)) {
        request.resume();
        return isTooLarge ? tooLarge : BUSY;
      }
      held.bytes += chunk.length;
      body.add(chunk);
    }
  } catch {
    return { problem: 'the request ended before its body was complete', code: 400 };
  }
  if (held.bytes === 0) return { problem: 'request body is empty', code: 400 };
  const type = request.headers['content-type'] ?? '';
  if (type.split(';')[0]?.trim() !== 'application/json') {
    return { problem: `contentType=${type}, expected application/json`, code: 400 };
  }
  return parsed(body.text());
}

function parsed(text: string): Body {
  const { depth, values } = jsonExtent(text);
  const refused = (why: string): Body => ({ problem: `couldn't read the body as JSON: ${why}`, code: 400 });
  if (depth > JSON_DEPTH_MAX) return refused(`exceeded max depth ${JSON_DEPTH_MAX}`);
  if (values > JSON_VALUES_MAX) return refused(`more than ${JSON_VALUES_MAX} values`);
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    return refused(error instanceof Error ? error.message : String(error));
  }
}

/** The first buffer of a body, and the largest: together they hold hardly more than the body has. */
const BUFFER_BYTES = { first: 16 * 1024, largest: 1024 * 1024 } as const;

/** Few buffers for all pieces: a body that comes byte by byte must not cost a buffer for each of them. */
function growingBuffer(): { add(piece: Buffer): void; text(): string } {
  const full: Buffer[] = [];
  let current = Buffer.alloc(0);
  let used = 0;
  return {
    add(piece) {
      for (let from = 0; from < piece.length;) {
        if (used === current.length) {
          full.push(current);
          current = Buffer.allocUnsafe(
            Math.min(Math.max(2 * current.length, BUFFER_BYTES.first), BUFFER_BYTES.largest),
          );
          used = 0;
        }
        const taken = piece.copy(current, used, from);
        used += taken;
        from += taken;
      }
    },
    text: () => Buffer.concat([...full, current.subarray(0, used)]).toString('utf8'),
  };
}
