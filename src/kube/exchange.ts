// One call to an API server: rate limit, write gate, deadline, retries that the server asked for, and the failure's kind.
//
//   X1. A write passes the gate right before it leaves, on every try, and its deadline never outlives the gate's.
//   X2. Only what certainly had no effect is sent again: 429, and for reads 503, each only with Retry-After.
//   X3. The rate limit is for calls. Watches pass it by, as they do in client-go: there are few, and their owner paces them.
//   X4. Everything that goes wrong becomes an ApiError.
//   X5. A call that our own limits held back until its deadline says nothing about the server: its reason is THROTTLED.

import type { Clock } from '../host/contract.js';
import {
  CALL_TRIES_MAX,
  FOREIGN_ANSWER_CHARS_MAX,
  LOW_REQUEST_WAIT_MAX_MS,
  RESPONSE_BYTES_MAX,
  RETRY_AFTER_WAIT_MAX_MS,
  WATCH_LINE_BYTES_MAX,
} from '../limits.js';
import { AccessError } from './access.js';
import { readText } from './body.js';
import { ApiError, type RequestOptions } from './contract.js';
import { callText, failureOfAnswer, failureOfSilence, isStatus, THROTTLED, type CallName } from './failures.js';
import { CROWDED, TOO_LARGE, type ByteBudget } from './kept-bytes.js';
import type { RateLimiters } from './rate-limiter.js';
import { resourceNameOfPath } from './resource-paths.js';
import { sleep, startDeadline, type Deadline } from './waiting.js';
import { HeldBackError, type Transport, type WireRequest, type WireResponse } from './wire.js';
import { warningsOf } from './warnings.js';

/**
 * Asked right before each write leaves: for how many milliseconds from now may it still be under way? Zero or less refuses the
 * write. Without leader election the answer is always Infinity.
 */
export type WriteGate = () => number;

/** What a client tells about its calls. No secrets: neither bodies nor headers. */
export interface ClientObserver {
  onAnswer?(note: {
    readonly method: string;
    readonly verb: string;
    /** The status, or `<error>` when no answer came. */
    readonly code: string;
    readonly host: string;
    readonly tookMs: number;
  }): void;
  /** The start of an answer that is no Kubernetes API's: for the log of who looks for the mistake, and for nothing else. */
  onForeignAnswer?(note: { readonly host: string; readonly status: number; readonly text: string }): void;
  /** A `Warning` header of the server. */
  onWarning?(text: string): void;
}

/** What an exchange needs. */
export interface ExchangeOptions {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly userAgent: string;
  readonly timeoutMs: number;
  readonly limiters?: RateLimiters;
  readonly gate?: WriteGate;
  readonly observer?: ClientObserver;
  /** What may be kept of answers; default those of the management cluster. */
  readonly answers?: AnswerLimits;
}

/** What may be kept of answers, by use, in bytes. */
export interface AnswerLimits {
  readonly objectBytesMax: number;
  /** A page of a list. */
  readonly listBytesMax: number;
  /** One event of a watch. */
  readonly lineBytesMax: number;
  /** How much JSON one answer may hold, counted before it is read; null where the server is trusted. */
  readonly extent: AnswerExtent | null;
  /** Shared with other clients; null for none. */
  readonly budget: ByteBudget | null;
}

/** How many values may be in an answer, and how many brackets within each other. */
export interface AnswerExtent {
  /** In an object, and in an event of a watch. */
  readonly objectValuesMax: number;
  /** In a page of a list. */
  readonly listValuesMax: number;
  readonly depthMax: number;
}

/** For a server that is trusted with the whole process. */
export const managementAnswers: AnswerLimits = Object.freeze({
  objectBytesMax: RESPONSE_BYTES_MAX,
  listBytesMax: RESPONSE_BYTES_MAX,
  lineBytesMax: WATCH_LINE_BYTES_MAX,
  extent: null,
  budget: null,
});

/** One request in the terms of this layer. */
export interface Call {
  readonly name: CallName;
  readonly method: WireRequest['method'];
  readonly url: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: object;
  readonly options: RequestOptions;
  readonly isList?: true;
  /** False where a 429 is an answer to act upon, as for evictions. */
  readonly mayRepeat?: boolean;
}

/** A successful answer as it came. */
export interface Answer {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

/** Makes calls. */
export interface Exchange {
  /** A successful answer. */
  call(request: Call): Promise<Answer>;
  /** The open body of a successful answer, for watches. The deadline covers the way to the first header. */
  open(request: Call): Promise<WireResponse['body']>;
}

/** Binds the calls to one transport. */
export function createExchange(options: ExchangeOptions): Exchange {
  return {
    async call(request) {
      const deadline = startDeadline(
        options.clock,
        request.options.timeoutMs ?? options.timeoutMs,
        request.options.signal,
      );
      try {
        for (let tries = 1; ; tries += 1) {
          try {
            return await once(options, request, deadline);
          } catch (error) {
            const waitMs = repeatAfterMs(request, error, tries);
            if (waitMs === null || !(await sleep(options.clock, waitMs, deadline.signal))) throw error;
          }
        }
      } finally {
        deadline.release();
      }
    },
    open: (request) => openStream(options, request),
  };
}

/** One try, with its whole body. */
async function once(options: ExchangeOptions, request: Call, deadline: Deadline): Promise<Answer> {
  const { answer, sent } = await send(options, request, deadline, false);
  try {
    const text = await readText(answer.body, boundOf(options, request));
    if (answer.status < 300) return { status: answer.status, contentType: answer.headers['content-type'], text };
    tellForeign(options, answer.status, text);
    const retryAfter = answer.headers['retry-after'];
    throw failureOfAnswer(request.name, { status: answer.status, text, retryAfter, isForeign: isForeign(options) });
  } catch (error) {
    throw error instanceof ApiError ? error : silence(options, request, deadline, { sent, error });
  }
}

/** True where the server is not trusted with this process. */
function isForeign({ answers = managementAnswers }: ExchangeOptions): boolean {
  return answers.extent !== null;
}

function tellForeign(options: ExchangeOptions, status: number, text: string): void {
  const { observer, transport } = options;
  if (observer?.onForeignAnswer === undefined || text === '' || isStatus(text, isForeign(options))) return;
  const { host } = transport;
  observer.onForeignAnswer({ host, status, text: text.slice(0, FOREIGN_ANSWER_CHARS_MAX) });
}

async function openStream(options: ExchangeOptions, request: Call): Promise<WireResponse['body']> {
  const deadline = startDeadline(options.clock, options.timeoutMs, undefined);
  const parent = request.options.signal;
  const controller = new AbortController();
  const end = (): void => controller.abort();
  // The stream lives as long as its caller wants it, so only the way to the headers is under the deadline.
  deadline.signal.addEventListener('abort', end, { once: true });
  parent?.addEventListener('abort', end, { once: true });
  if (parent?.aborted === true) end();
  const stop = (): void => parent?.removeEventListener('abort', end);
  try {
    const { answer } = await send(options, request, { ...deadline, signal: controller.signal }, true);
    if (answer.status < 300) {
      return typeof answer.body === 'string' ? answer.body : untilEnd(answer.body, stop);
    }
    const text = await readText(answer.body, boundOf(options, request));
    stop();
    const retryAfter = answer.headers['retry-after'];
    throw failureOfAnswer(request.name, { status: answer.status, text, retryAfter, isForeign: isForeign(options) });
  } catch (error) {
    stop();
    throw error instanceof ApiError ? error : silence(options, request, deadline, { sent: true, error });
  } finally {
    deadline.release();
    deadline.signal.removeEventListener('abort', end);
  }
}

async function* untilEnd(
  body: AsyncIterable<string | Uint8Array>,
  done: () => void,
): AsyncGenerator<string | Uint8Array> {
  try {
    yield* body;
  } finally {
    done();
  }
}

interface Sent {
  readonly answer: WireResponse;
  readonly sent: boolean;
}

async function send(options: ExchangeOptions, request: Call, deadline: Deadline, streaming: boolean): Promise<Sent> {
  const { transport, clock, limiters, observer } = options;
  let sent = false;
  const fail = (error: unknown): ApiError => silence(options, request, deadline, { sent, error });
  const limiter = streaming ? undefined : limiters?.(resourceNameOfPath(request.url));
  if (limiter !== undefined && !(await limiter.take(deadline.signal, request.options.priority)))
    throw fail(new HeldBackError());
  const startedMs = clock.monotonicMs();
  const observe = (code: string): void => {
    const tookMs = clock.monotonicMs() - startedMs;
    observer?.onAnswer?.({ method: request.method, verb: request.name.verb, code, host: transport.host, tookMs });
  };
  try {
    const answer = await transport.send({
      method: request.method,
      url: request.url,
      headers: headersOf(options, request),
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      signal: deadline.signal,
      sinceMs: ageOf(request, startedMs),
      streaming,
      answer: boundOf(options, request),
      beforeSend() {
        if (request.name.write) passGate(options.gate, request, deadline);
        sent = true;
      },
    });
    observe(String(answer.status));
    warn(observer, answer.headers['warning']);
    return { answer, sent: true };
  } catch (error) {
    if (error instanceof ApiError) throw error;
    observe('<error>');
    throw fail(error);
  }
}

/** What may wait counts as younger by the time that it may wait. */
function ageOf({ options: { sinceMs, priority } }: Call, nowMs: number): number {
  return (sinceMs ?? nowMs) + (priority === 'low' ? LOW_REQUEST_WAIT_MAX_MS : 0);
}

function passGate(gate: WriteGate | undefined, request: Call, deadline: Deadline): void {
  const leftMs = gate?.() ?? Number.POSITIVE_INFINITY;
  if (leftMs > 0) {
    if (leftMs !== Number.POSITIVE_INFINITY) deadline.shorten(leftMs);
    return;
  }
  throw failureOfSilence(request.name, {
    sent: false,
    aborted: false,
    reason: 'NotLeader',
    message: 'this process does not hold its Lease, nothing was sent',
  });
}

function boundOf({ answers = managementAnswers }: ExchangeOptions, { isList }: Call): WireRequest['answer'] {
  const { objectBytesMax, listBytesMax, budget } = answers;
  return { bytesMax: isList === true ? listBytesMax : objectBytesMax, budget };
}

function headersOf({ userAgent }: ExchangeOptions, request: Call): Record<string, string> {
  return {
    accept: request.accept ?? 'application/json',
    'user-agent': userAgent,
    ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
  };
}

function silence(
  { transport }: ExchangeOptions,
  request: Call,
  deadline: Deadline,
  { sent, error }: { readonly sent: boolean; readonly error: unknown },
): ApiError {
  const expired = deadline.expired();
  const aborted = deadline.signal.aborted && !expired;
  if (error instanceof AccessError && !deadline.signal.aborted) {
    return failureOfSilence(request.name, { sent, aborted: false, reason: error.code, message: error.message });
  }
  if (expired && error instanceof HeldBackError) {
    const message = `the call to ${callText(request.name)} was throttled: it was not sent to the API server at ${transport.host} in time, because of the limits for its client`;
    return failureOfSilence(request.name, { sent: false, aborted: false, reason: THROTTLED, message });
  }
  const { code, message: text } = error as { code?: unknown; message?: unknown };
  const reason = expired ? 'Timeout' : aborted ? 'Aborted' : typeof code === 'string' ? code : 'TransportFailed';
  const messages = {
    Timeout: `no answer from the API server at ${transport.host} in time`,
    Aborted: 'the call was given up',
  } as const;
  const message =
    reason === 'Timeout' || reason === 'Aborted'
      ? messages[reason]
      : `cannot ${sent ? 'talk to' : 'reach'} the API server at ${transport.host}: ${wordsFor(request, reason, String(text))}`;
  return failureOfSilence(request.name, { sent, aborted, reason, message });
}

const WORDS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  ENOTFOUND: 'no such host',
  EAI_AGAIN: 'name cannot be resolved',
  ETIMEDOUT: 'connection timed out',
  EHOSTUNREACH: 'no route to host',
  ENETUNREACH: 'network is unreachable',
  ERR_STREAM_PREMATURE_CLOSE: 'connection closed',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not signed by the expected authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not signed by the expected authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not signed by the expected authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not signed by the expected authority',
};

/** Texts of sockets name ports of this side, which would make every message another one. */
function wordsFor({ name }: Call, code: string, text: string): string {
  if (code === 'BadAnswer' || code === TOO_LARGE || code === CROWDED) return `${text}, to ${callText(name)}`;
  return WORDS[code] ?? (code === 'TransportFailed' || code.startsWith('ERR_') ? text : `${code}`);
}

function repeatAfterMs(request: Call, error: unknown, tries: number): number | null {
  if (!(error instanceof ApiError) || request.mayRepeat === false || tries >= CALL_TRIES_MAX) return null;
  const { status, retryAfterMs } = error.failure;
  if (retryAfterMs === null || retryAfterMs > RETRY_AFTER_WAIT_MAX_MS) return null;
  return status === 429 || (status === 503 && !request.name.write) ? retryAfterMs : null;
}

function warn(observer: ClientObserver | undefined, header: string | undefined): void {
  if (observer?.onWarning === undefined || header === undefined) return;
  for (const warning of warningsOf(header)) observer.onWarning(warning);
}
