// How an effect says that it could not do its work, and how any failure becomes a value.
//
// What is expected has a `kind`; everything else is a bug and is thrown on. The API client's own class is not known here: its
// errors are recognised by their shape.

import type { Failure, WaitsFor } from '../../machines/kit/row.js';
import { scrubSecrets } from '../scrub.js';
import { AbortedWork } from './deadline.js';
import { normaliseMessage } from './normalise.js';

/** Thrown by an effect for an expected failure: the machine answers EFFECT_FAILED by its `kind`. */
export class EffectFailure extends Error {
  override readonly name = 'EffectFailure';
  constructor(
    readonly kind: string,
    message: string,
    readonly object?: Pick<WaitsFor, 'apiVersion' | 'kind' | 'namespace' | 'name'>,
    /** Where in the object, or where else. */
    readonly place?: string,
  ) {
    super(message);
  }
}

/** The parts of a client's error that matter here. */
interface ApiErrorLike {
  readonly failure: {
    readonly kind: string;
    readonly message: string;
    readonly target?: {
      readonly kind: string;
      readonly namespace: string;
      readonly name: string;
      readonly apiVersion?: string;
    };
  };
}

/** An expected failure as a value; null for a bug, which is thrown on. */
export function failureOf<Request extends string>(request: Request, error: unknown): Failure<Request> | null {
  if (error instanceof EffectFailure) {
    const { kind, object, place } = error;
    return {
      request,
      kind,
      message: cleanMessage(error.message),
      ...(object === undefined ? {} : { object }),
      ...(place === undefined ? {} : { place }),
    };
  }
  if (error instanceof AbortedWork) return { request, kind: 'Aborted', message: cleanMessage(error.message) };
  return isApiError(error) ? apiFailure(request, error) : null;
}

/** What may stand in a condition: the texts of servers come here as they are. */
function cleanMessage(message: string): string {
  return normaliseMessage(scrubSecrets(message));
}

function apiFailure<Request extends string>(request: Request, { failure }: ApiErrorLike): Failure<Request> {
  const { kind, message, target } = failure;
  return {
    request,
    kind: `Api${kind}`,
    message: cleanMessage(message),
    ...(target === undefined || target.name === ''
      ? {}
      : {
          object: {
            apiVersion: target.apiVersion ?? '',
            kind: target.kind,
            namespace: target.namespace,
            name: target.name,
          },
        }),
  };
}

function isApiError(error: unknown): error is ApiErrorLike {
  const failure = typeof error === 'object' && error !== null ? (error as Partial<ApiErrorLike>).failure : undefined;
  return typeof failure?.kind === 'string' && typeof failure.message === 'string';
}
