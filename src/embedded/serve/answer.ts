// Answers: status, headers and text, from objects or failures.
import { ApiStatusError, failure } from '../failure.js';
import type { ApiResponse, ConnectionDropped } from '../types.js';

/** An answer with a JSON text. */
export function jsonAnswer(status: number, body: string, warnings: readonly string[] = []): ApiResponse {
  const headers: Record<string, string> = { 'content-type': 'application/json', 'cache-control': 'no-cache, private' };
  if (warnings.length > 0) headers.warning = warningHeader(warnings);
  return { status, headers, body };
}

/** Warnings as kubectl shows them. */
export function warningHeader(warnings: readonly string[]): string {
  const line = warnings.map((text) => `299 - ${JSON.stringify(text)}`).join(', ');
  // A header is bytes: text beyond ASCII goes out as UTF-8, each byte as one character.
  return Buffer.from(line, 'utf8').toString('latin1');
}

/** An answer with plain text. */
export function textAnswer(status: number, body: string): ApiResponse {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

/** A stream of watch events. */
export function streamAnswer(body: AsyncIterable<string>): ApiResponse {
  return { status: 200, headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' }, body };
}

/** The answer to a failure. What is no ApiStatusError is a bug here: 500 with its text. */
export function failureAnswer(error: unknown): ApiResponse {
  const known =
    error instanceof ApiStatusError ? error : failure(500, 'InternalError', `Internal error: ${String(error)}`);
  const answer = jsonAnswer(known.status.code, JSON.stringify(known.status));
  return { ...answer, headers: { ...answer.headers, ...known.headers } };
}

/** What `handle` rejects with where a socket would break. */
export function connectionDropped(): ConnectionDropped {
  return Object.assign(new Error('the connection was closed without an answer'), { code: 'ECONNRESET' as const });
}
