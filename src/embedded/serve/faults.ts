// Faults around one request: refused, late, or broken before or after it happened.
import type { Core } from '../core.js';
import { failure } from '../failure.js';
import type { ApiRequest, ApiResponse, RequestFault } from '../types.js';
import { connectionDropped, failureAnswer } from './answer.js';

const reasons: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  409: ['Conflict', 'the object has been modified; please apply your changes to the latest version and try again'],
  410: ['Expired', 'The resourceVersion for the provided list is too old.'],
  429: ['TooManyRequests', 'Too many requests, please try again later.'],
  500: ['InternalError', 'Internal error occurred'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'Timeout: request did not complete within the allotted timeout'],
};

/** Carries out a request under a fault. */
export async function underFault(
  core: Core,
  fault: RequestFault,
  request: ApiRequest,
  act: () => ApiResponse,
): Promise<ApiResponse> {
  switch (fault.kind) {
    case 'delay':
      await pause(core, fault.ms, request.signal);
      return act();
    case 'status':
      return failureAnswer(refusal(fault));
    case 'drop-before':
      await pause(core, fault.ms ?? 0, request.signal);
      throw connectionDropped();
    case 'drop-after':
      discard(act());
      await pause(core, fault.ms ?? 0, request.signal);
      throw connectionDropped();
    case 'hang-before':
      return await silence(request.signal);
    case 'hang-after':
      discard(act());
      return await silence(request.signal);
  }
}

function refusal(fault: RequestFault & { kind: 'status' }): Error {
  const [reason, message] = reasons[fault.code] ?? ['InternalError', 'Internal error occurred'];
  const seconds = fault.retryAfterSeconds;
  const details = seconds === undefined ? {} : { retryAfterSeconds: seconds };
  const headers: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return failure(fault.code, reason, fault.message ?? message, details, headers);
}

/** A watch that nobody will read must be closed. */
function discard(response: ApiResponse): void {
  if (typeof response.body === 'string') return;
  void response.body[Symbol.asyncIterator]().return?.();
}

function pause(core: Core, ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (ms <= 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const cancel = core.clock.schedule(ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    const abort = (): void => {
      cancel();
      reject(connectionDropped());
    };
    signal?.addEventListener('abort', abort, { once: true });
  });
}

function silence(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal?.aborted === true) reject(connectionDropped());
    signal?.addEventListener('abort', () => reject(connectionDropped()), { once: true });
  });
}
