// Failures as an API server words them: one constructor for each kind of `Status`.
//
// Handlers throw an ApiStatusError; `handle` turns it into an answer. Texts are those of a real API server, because clients
// and people read them.
import type { JsonObject } from './types.js';

/** One cause inside a Status. */
export interface StatusCause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

/** The body of a failed request. */
export interface FailureStatus {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: JsonObject;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason?: string;
  readonly details?: {
    readonly name?: string;
    readonly group?: string;
    readonly kind?: string;
    readonly uid?: string;
    readonly causes?: readonly StatusCause[];
    readonly retryAfterSeconds?: number;
  };
  readonly code: number;
}

/** Carries a Status through a throw. */
export class ApiStatusError extends Error {
  readonly status: FailureStatus;
  readonly headers: Readonly<Record<string, string>>;
  constructor(status: FailureStatus, headers: Readonly<Record<string, string>> = {}) {
    super(status.message);
    this.name = 'ApiStatusError';
    this.status = status;
    this.headers = headers;
  }
}

/** What an error names: group and plural (or kind, for validation). */
export interface Named {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

/** `secrets`, `machines.cluster.x-k8s.io`. */
export function qualified(group: string, name: string): string {
  return group === '' ? name : `${name}.${group}`;
}

/** Builds any Status; an empty reason is left out. */
export function failure(
  code: number,
  reason: string,
  message: string,
  details?: FailureStatus['details'],
  headers?: Readonly<Record<string, string>>,
): ApiStatusError {
  return new ApiStatusError(
    {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      ...(reason === '' ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    },
    headers,
  );
}

function about(resource: Named, name: string): { name: string; group?: string; kind: string } {
  return { name, ...(resource.group === '' ? {} : { group: resource.group }), kind: resource.plural };
}

/** 404 for an object. */
export function notFound(resource: Named, name: string): ApiStatusError {
  const message = `${qualified(resource.group, resource.plural)} "${name}" not found`;
  return failure(404, 'NotFound', message, about(resource, name));
}

/** 404 for a resource that is not served. */
export function noSuchResource(): ApiStatusError {
  return failure(404, 'NotFound', 'the server could not find the requested resource', {});
}

/** 409 of a create. */
export function alreadyExists(resource: Named, name: string): ApiStatusError {
  const message = `${qualified(resource.group, resource.plural)} "${name}" already exists`;
  return failure(409, 'AlreadyExists', message, about(resource, name));
}

/** 409 of an update or delete whose view was old. */
export function conflict(resource: Named, name: string, cause: string): ApiStatusError {
  const message = `Operation cannot be fulfilled on ${qualified(resource.group, resource.plural)} "${name}": ${cause}`;
  return failure(409, 'Conflict', message, about(resource, name));
}

/** The cause of nearly every conflict. */
export const modifiedMeanwhile =
  'the object has been modified; please apply your changes to the latest version and try again';

/** One invalid field. `detail` is what follows the field's name: `Required value`. */
export interface FieldProblem {
  readonly field: string;
  readonly reason:
    | 'FieldValueRequired'
    | 'FieldValueInvalid'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueTooLong'
    | 'FieldValueTooMany'
    | 'FieldValueTypeInvalid'
    | 'FieldValueDuplicate';
  readonly detail: string;
}

/** 422 with one cause a field. */
export function invalid(resource: Named, name: string, problems: readonly FieldProblem[]): ApiStatusError {
  const texts = problems.map(({ field, detail }) => `${field}: ${detail}`);
  const list = texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
  const causes = problems.map(({ field, reason, detail }) => ({ reason, message: detail, field }));
  return failure(422, 'Invalid', `${qualified(resource.group, resource.kind)} "${name}" is invalid: ${list}`, {
    ...(name === '' ? {} : { name }),
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.kind,
    causes,
  });
}

/** 400. */
export function badRequest(message: string): ApiStatusError {
  return failure(400, 'BadRequest', message);
}

/** 403 with a cause in words. */
export function forbidden(
  resource: Named,
  name: string,
  cause: string,
  causes?: readonly StatusCause[],
): ApiStatusError {
  const what = qualified(resource.group, resource.plural) + (name === '' ? '' : ` "${name}"`);
  return failure(403, 'Forbidden', `${what} is forbidden: ${cause}`, {
    ...(name === '' ? {} : { name }),
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.plural,
    ...(causes === undefined ? {} : { causes }),
  });
}

/** 410 for a resourceVersion or page that is no longer kept. */
export function expired(message: string): ApiStatusError {
  return failure(410, 'Expired', message);
}

/** 405. */
export function methodNotAllowed(): ApiStatusError {
  return failure(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});
}

/** 415, with what would be understood. */
export function unsupportedMediaType(accepted: readonly string[]): ApiStatusError {
  return failure(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}

/** 406, with what could be produced. */
export function notAcceptable(offered: readonly string[]): ApiStatusError {
  return failure(406, 'NotAcceptable', `only the following media types are accepted: ${offered.join(', ')}`);
}

/** 501: what this server does not claim to do. */
export function notImplemented(what: string): ApiStatusError {
  return failure(501, 'NotImplemented', `the embedded API server does not implement ${what}`);
}
