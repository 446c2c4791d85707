// Answers one AdmissionReview.
//
// Pure: a review goes in, a review comes out. It never refuses what it does not know how to judge: deletions and operations
// that it was not asked about pass. What it cannot read is refused with the reason, as code 400.

import { group, storageVersion } from '../api/names.js';
import { invalidMessage, type FieldError } from '../api/field-errors.js';
import type { ValidationGates } from '../api/kubeadmconfig/validation.js';
import { isObject, type Json, type JsonObject } from '../api/wire.js';
import type { AdmissionEndpoint } from './endpoints.js';

const reviewVersions = ['admission.k8s.io/v1', 'admission.k8s.io/v1beta1'];
const known = `${group.bootstrap}/${storageVersion}`;

/** Answers a review that was sent to an endpoint. The answer is always a review. */
export function answerAdmission(endpoint: AdmissionEndpoint, review: unknown, gates: ValidationGates): JsonObject {
  const apiVersion = isObject(review) ? review['apiVersion'] : undefined;
  const version =
    typeof apiVersion === 'string' && reviewVersions.includes(apiVersion) ? apiVersion : reviewVersions[0];
  const request = isObject(review) ? review['request'] : undefined;
  if (!isObject(request)) return reviewOf(version, '', refusal('the AdmissionReview has no request'));
  const uid = typeof request['uid'] === 'string' ? request['uid'] : '';
  return reviewOf(version, uid, answer(endpoint, request, gates));
}

/** The answer to what could not even be read as a review. */
export function refuseAdmission(message: string, code = 400): JsonObject {
  return reviewOf(reviewVersions[0], '', refusal(message, code));
}

/** The HTTP-like code inside an answer, for metrics. */
export function codeOf(review: JsonObject): number {
  const response = review['response'];
  const status = isObject(response) ? response['status'] : undefined;
  const code = isObject(status) ? status['code'] : undefined;
  return typeof code === 'number' ? code : 200;
}

function answer(endpoint: AdmissionEndpoint, request: JsonObject, gates: ValidationGates): JsonObject {
  const { operation, object, dryRun } = request;
  if (operation === 'DELETE' || operation === 'CONNECT') return allowed();
  if (operation !== 'CREATE' && operation !== 'UPDATE')
    return refusal(`unknown operation ${JSON.stringify(text(operation))}`);
  if (!isObject(object)) return refusal('there is no content to decode');
  if (object['kind'] !== endpoint.kind || object['apiVersion'] !== known) {
    return refusal(
      `this webhook is about ${known}, Kind=${endpoint.kind}, not ${text(object['apiVersion'])}, Kind=${text(object['kind'])}`,
    );
  }
  if (endpoint.type === 'mutating') return patched(endpoint.additions(object, dryRun === true));
  const outcome = endpoint.validate(object, gates);
  if ('unreadable' in outcome) return refusal(outcome.unreadable);
  return outcome.errors.length === 0 ? allowed() : invalid(endpoint.kind, object, outcome.errors);
}

function reviewOf(apiVersion: string | undefined, uid: string, response: JsonObject): JsonObject {
  return { kind: 'AdmissionReview', apiVersion: apiVersion ?? 'admission.k8s.io/v1', response: { uid, ...response } };
}

function allowed(): JsonObject {
  return { allowed: true, status: { metadata: {}, code: 200 } };
}

function refusal(message: string, code = 400): JsonObject {
  return { allowed: false, status: { metadata: {}, message, code } };
}

function patched(
  additions: readonly { readonly op: string; readonly path: string; readonly value: Json }[],
): JsonObject {
  if (additions.length === 0) return allowed();
  const patch = Buffer.from(JSON.stringify(additions)).toString('base64');
  return { ...allowed(), patch, patchType: 'JSONPatch' };
}

function invalid(kind: string, object: JsonObject, errors: readonly FieldError[]): JsonObject {
  const { metadata } = object;
  const name = isObject(metadata) ? text(metadata['name']) : '';
  const causes = errors.map(({ type, message, field }) => ({ reason: type, message, field }));
  return {
    allowed: false,
    status: {
      metadata: {},
      status: 'Failure',
      message: invalidMessage(`${kind}.${group.bootstrap}`, name, errors),
      reason: 'Invalid',
      details: { name, group: group.bootstrap, kind, causes },
      code: 422,
    },
  };
}

function text(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}
