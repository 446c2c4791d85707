// The closed list of what can go wrong with a call to an API server, made from answers and from their absence.
//
//   F1. `Unknown` is for writes alone: it left, and nobody told what became of it.
//   F2. `Refused` means that nothing left: no connection, no credentials, no permission by the write gate.
//   F3. Messages are the server's text, or ours without ports of this side, times or ids: they end up in conditions.

import { jsonExtent } from '../json-text.js';
import {
  SERVER_CAUSES_MAX,
  SERVER_TEXT_CHARS_MAX,
  STATUS_CHARS_MAX,
  STATUS_DEPTH_MAX,
  STATUS_VALUES_MAX,
} from '../limits.js';
import { scrubSecrets } from '../scrub.js';
import { ApiError, type ApiFailure, type ApiFailureKind } from './contract.js';
import { CROWDED } from './kept-bytes.js';

/** Reason of a call that this client's own limits held back until its deadline: nothing left, and nothing is known of the server. */
export const THROTTLED = 'Throttled';

/** What was asked, for a failure's text. */
export interface CallName {
  readonly verb: string;
  readonly target: ApiFailure['target'];
  /** True when the call may change something on the server. */
  readonly write: boolean;
}

/** True for failures thrown by a client; narrows. */
export function isApiError(error: unknown, ...kinds: ApiFailureKind[]): error is ApiError {
  return error instanceof ApiError && (kinds.length === 0 || kinds.includes(error.failure.kind));
}

/**
 * True where the API server said nothing although it was asked, or could not be: no connection, no answer in time, a broken
 * one. False for what an API server refused, and for what this process gave up, held back or must not send.
 */
export function isSilence(error: unknown): boolean {
  if (!isApiError(error) || error.failure.status !== null || error.failure.kind === 'Aborted') return false;
  return !isOfThisSide(error.failure);
}

/** True for what this process held back, must not send, or had no room to read: nothing is known of the server. */
export function isOfThisSide({ reason }: Pick<ApiFailure, 'reason'>): boolean {
  return OF_THIS_SIDE.has(reason);
}

const OF_THIS_SIDE: ReadonlySet<string> = new Set([THROTTLED, CROWDED, 'NotLeader']);

/** A call as a message names it: `get Secret default/a`, `list Machine`. */
export function callText({ verb, target: { kind, namespace, name } }: CallName): string {
  const where = [namespace, name].filter((part) => part !== '').join('/');
  return where === '' ? `${verb} ${kind}` : `${verb} ${kind} ${where}`;
}

/**
 * The failure that an answer means that says success and is not what was asked for: it has happened all the same, so for a write
 * the outcome is unknown. The message has the kind of the answer and nothing of its content, which may be a secret.
 */
export function failureOfContent(
  call: CallName,
  what: string,
  answer?: { readonly status: number; readonly contentType: string | undefined },
): ApiError {
  const [mediaType = 'no content type'] = /^[\w.+-]+\/[\w.+-]+/.exec(answer?.contentType ?? '') ?? [];
  const kind = answer === undefined ? '' : ` (status ${answer.status}, ${mediaType})`;
  const message = `the answer of the API server to ${callText(call)} ${what}${kind}`;
  return failureOfSilence(call, { sent: true, aborted: false, reason: 'BadAnswer', message });
}

interface Status {
  readonly kind?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: {
    readonly name?: string;
    readonly kind?: string;
    readonly retryAfterSeconds?: number;
    readonly causes?: readonly { readonly reason?: string; readonly message?: string }[];
  };
}

/** The failure that an answer with an error status means. */
export function failureOfAnswer(
  call: CallName,
  answer: {
    readonly status: number;
    readonly text: string;
    readonly retryAfter: string | undefined;
    /** Whoever names the server may read conditions and not the server, and the server may be anything. */
    readonly isForeign?: boolean;
  },
): ApiError {
  const status = parseStatus(answer.text, answer.isForeign === true);
  const kind = kindOf(call, answer.status, status);
  return new ApiError({
    kind,
    status: answer.status,
    reason: bounded(status?.reason) ?? '',
    message: messageOf(status, answer) ?? messageWithoutStatus(call, kind, answer),
    retryAfterMs: retryAfterMs(answer.retryAfter, status),
    verb: call.verb,
    target: call.target,
    ...causesOf(status),
  });
}

function causesOf(status: Status | null): Pick<ApiFailure, 'causes'> {
  if (status?.details === undefined || status.details === null) return {};
  const { causes } = status.details;
  if (!Array.isArray(causes)) return { causes: [] };
  const kept = (causes as readonly ({ readonly reason?: unknown; readonly message?: unknown } | null)[]).slice(
    0,
    SERVER_CAUSES_MAX,
  );
  return {
    causes: kept.map((cause) => ({ reason: bounded(cause?.reason) ?? '', message: bounded(cause?.message) ?? '' })),
  };
}

/** The reasons that API servers give: metav1.StatusReason. */
const STATUS_REASONS: ReadonlySet<unknown> = new Set([
  'Unauthorized',
  'Forbidden',
  'NotFound',
  'AlreadyExists',
  'Conflict',
  'Gone',
  'Invalid',
  'ServerTimeout',
  'StoreReadError',
  'Timeout',
  'TooManyRequests',
  'BadRequest',
  'MethodNotAllowed',
  'NotAcceptable',
  'RequestEntityTooLarge',
  'UnsupportedMediaType',
  'InternalError',
  'Expired',
  'ServiceUnavailable',
]);

/** What a Status says; of a foreign server only where its reason is one of an API server, and without what looks like a secret. */
function messageOf(
  status: Status | null,
  answer: { readonly status: number; readonly isForeign?: boolean },
): string | undefined {
  const message = bounded(status?.message);
  if (answer.isForeign !== true || message === undefined) return message;
  if (STATUS_REASONS.has(status?.reason)) return scrubSecrets(message);
  return `the server answered ${answer.status} without a reason of a Kubernetes API`;
}

/** A text of a server, cut; undefined for anything else. */
function bounded(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined;
  return text.length > SERVER_TEXT_CHARS_MAX ? `${text.slice(0, SERVER_TEXT_CHARS_MAX)}…` : text;
}

/** The failure that a missing answer means. `sent`: whether the request had begun to leave. */
export function failureOfSilence(
  call: CallName,
  cause: { readonly sent: boolean; readonly reason: string; readonly message: string; readonly aborted: boolean },
): ApiError {
  const kind = silenceKind(call, cause);
  return new ApiError({
    kind,
    status: null,
    reason: cause.reason,
    message: cause.message,
    retryAfterMs: null,
    verb: call.verb,
    target: call.target,
  });
}

function silenceKind(call: CallName, cause: { readonly sent: boolean; readonly aborted: boolean }): ApiFailureKind {
  if (call.write && cause.sent) return 'Unknown';
  if (cause.aborted) return 'Aborted';
  return cause.sent ? 'Unavailable' : 'Refused';
}

function kindOf(call: CallName, code: number, status: Status | null): ApiFailureKind {
  switch (code) {
    case 401:
      return 'Unauthorized';
    case 403:
      return 'Forbidden';
    case 404:
      // A missing object has a Status that names it; a path that the server does not serve has neither.
      return status?.details?.name === undefined || status.details.name === '' ? 'NoSuchResource' : 'NotFound';
    case 408:
      return call.write ? 'Unknown' : 'Unavailable';
    case 409:
      return status?.reason === 'AlreadyExists' ? 'AlreadyExists' : 'Conflict';
    case 410:
      return 'Gone';
    case 422:
      return 'Invalid';
    case 429:
      return 'TooManyRequests';
    default:
      if (code >= 400 && code < 500) return 'BadRequest';
      return call.write ? 'Unknown' : 'Unavailable';
  }
}

/** True for the body of a Kubernetes API's refusal. */
export function isStatus(text: string, isForeign: boolean): boolean {
  return parseStatus(text, isForeign) !== null;
}

function parseStatus(text: string, isForeign: boolean): Status | null {
  if (!text.startsWith('{') || (isForeign && isTooMuch(text))) return null;
  try {
    const value = JSON.parse(text) as Status;
    return value.kind === 'Status' ? value : null;
  } catch {
    return null;
  }
}

function isTooMuch(text: string): boolean {
  if (text.length > STATUS_CHARS_MAX) return true;
  const { values, depth } = jsonExtent(text);
  return values > STATUS_VALUES_MAX || depth > STATUS_DEPTH_MAX;
}

function messageWithoutStatus(call: CallName, kind: ApiFailureKind, answer: { readonly status: number }): string {
  if (kind === 'NoSuchResource') return `the server does not serve ${call.target.kind}`;
  // Nothing of its content: messages end up in conditions, and whoever names the server may read those and not it.
  return `the server answered ${answer.status}, and it is no Kubernetes API`;
}

function retryAfterMs(header: string | undefined, status: Status | null): number | null {
  const seconds = header === undefined ? status?.details?.retryAfterSeconds : Number(header);
  return seconds === undefined || !Number.isFinite(seconds) || seconds < 0 ? null : seconds * 1000;
}
