// How an effect says that it could not do its work, and how any failure becomes a value.

import type { Failure, WaitsFor } from '../../machines/kit/row.js';
import { normaliseMessage } from './normalise.js';

/** Thrown by an effect for an expected failure: the machine answers EFFECT_FAILED by its `kind`. */
export class EffectFailure extends Error {
  override readonly name = 'EffectFailure';
  constructor(
    readonly kind: string,
    message: string,
    readonly object?: Pick<WaitsFor, 'apiVersion' | 'kind' | 'namespace' | 'name'>,
  ) {
    super(message);
  }
}

/** The parts of an API client's error that matter here; the client's own class is not known. */
interface ApiErrorLike {
  readonly failure: {
    readonly kind: string;
    readonly message: string;
    readonly target: {
      readonly kind: string;
      readonly namespace: string;
      readonly name: string;
      readonly apiVersion?: string;
    };
  };
}

/** An expected failure as a value; null for a bug, which is thrown on. */
export function failureOf<Request extends string>(
  request: Request,
  error: unknown,
  signal: AbortSignal,
): Failure<Request> | null {
  if (error instanceof EffectFailure) {
    return {
      request,
      kind: error.kind,
      message: normaliseMessage(error.message),
      ...(error.object === undefined ? {} : { object: error.object }),
    };
  }
  if (isApiError(error)) {
    const { kind, message, target } = error.failure;
    const object = {
      apiVersion: target.apiVersion ?? '',
      kind: target.kind,
      namespace: target.namespace,
      name: target.name,
    };
    return {
      request,
      kind: `Api${kind}`,
      message: normaliseMessage(message),
      ...(target.name === '' ? {} : { object }),
    };
  }
  if (signal.aborted) return { request, kind: 'Aborted', message: abortReason(signal) };
  return null;
}

function isApiError(error: unknown): error is ApiErrorLike {
  const failure = typeof error === 'object' && error !== null ? (error as Partial<ApiErrorLike>).failure : undefined;
  return typeof failure?.kind === 'string' && typeof failure.message === 'string' && typeof failure.target === 'object';
}

function abortReason(signal: AbortSignal): string {
  return typeof signal.reason === 'string' ? signal.reason : 'the effect was aborted';
}
