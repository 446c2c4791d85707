// Reads the JSON body of a webhook request, within bounds.
//
//   B1. A body that says that it is too long is refused before it is read; one that is too long without saying so is not kept.
//   B2. All bodies together hold at most WEBHOOK_BYTES_IN_FLIGHT_MAX bytes: the request that would exceed it is told to come back.
//   B3. What is too deep for the API server's own reader, or would fill the memory once it is read, is refused before it is parsed.
//   B4. Long bodies are read, judged and answered one after the other: whoever rests meanwhile is not one of many in memory.

import type { IncomingMessage } from 'node:http';
import { jsonExtent, type JsonExtent } from '../json-text.js';
import { JSON_DEPTH_MAX } from '../limits.js';

/** Why there is no body. */
export interface Problem {
  readonly problem: string;
  readonly code: number;
}

/** A body, or why there is none. */
export type Body = { readonly json: unknown } | Problem;

/** What a body may be. */
export interface BodyBounds {
  readonly bytesMax: number;
  readonly valuesMax: number;
  /** At which level of the JSON its objects are, and how many values one of them may have. */
  readonly objects?: { readonly level: number; readonly valuesMax: number };
  /** A body of more values waits until those before it have their answers. */
  readonly atOnceValuesMax: number;
}

/** Lets one run after the other. */
export type InTurn = <T>(run: () => Promise<T>) => Promise<T>;

/** Nobody runs yet. */
export function createTurns(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (run) => {
    const mine = last.then(run);
    last = mine.catch(() => undefined);
    return mine;
  };
}

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
  { bounds, budget, inTurn }: { readonly bounds: BodyBounds; readonly budget: BytesInFlight; readonly inTurn: InTurn },
  use: (body: Body) => T | Promise<T>,
): Promise<T> {
  const held = { bytes: 0 };
  try {
    const read = await readBody(request, { bytesMax: bounds.bytesMax, budget, held });
    if ('problem' in read) return await use(read);
    const extent = jsonExtent(read.text, bounds.objects?.level);
    const problem = refusal(extent, bounds);
    if (problem !== null) return await use(problem);
    if (extent.values <= bounds.atOnceValuesMax) return await use(parsed(read.text));
    return await inTurn(async () => use(parsed(read.text)));
  } finally {
    budget.giveBack(held.bytes);
  }
}

/** What is said where there is no room for a body, or for an answer. */
export const BUSY: Problem = { problem: 'too many bytes are in flight; try again', code: 503 };

async function readBody(
  request: IncomingMessage,
  {
    bytesMax,
    budget,
    held,
  }: { readonly bytesMax: number; readonly budget: BytesInFlight; readonly held: { bytes: number } },
): Promise<{ readonly text: string } | Problem> {
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
  return { text: body.text() };
}

const refused = (why: string): Problem => ({ problem: `couldn't read the body as JSON: ${why}`, code: 400 });

function refusal({ depth, values, largest }: JsonExtent, { valuesMax, objects }: BodyBounds): Problem | null {
  if (depth > JSON_DEPTH_MAX) return refused(`exceeded max depth ${JSON_DEPTH_MAX}`);
  if (values > valuesMax) return refused(`more than ${valuesMax} values`);
  if (objects === undefined || largest <= objects.valuesMax) return null;
  return refused(`more than ${objects.valuesMax} values in one object`);
}

function parsed(text: string): Body {
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
