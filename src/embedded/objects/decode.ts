// From a request's body to an object of the resource it was sent to: syntax, kind, unknown fields, defaults.
//
// What clients send is JSON, or YAML for server-side apply; protobuf is answered with 415.
import { parse } from 'yaml';

import { jsonDepth } from '../../json-text.js';
import { JSON_RECURSION_MAX } from '../../limits.js';
import { badRequest, invalid, unsupportedMediaType } from '../failure.js';
import { isObject, textAt, type Fields } from '../json.js';
import { apiVersionOf, type ResourceDefinition } from '../resources/definition.js';
import { objectMetaSchema } from '../resources/builtin-schemas.js';
import { prune, withDefaults } from '../schema/prune.js';
import { decodeProtobuf, protobufType } from './protobuf.js';
import type { ApiObject } from '../types.js';

/** How unknown fields are met: `?fieldValidation=`. */
export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

/** An object and what the answer should warn about. */
export interface Decoded {
  readonly object: ApiObject;
  readonly warnings: readonly string[];
}

/** Parses a JSON body; the media type decides whether it may be JSON at all. */
export function parseBody(body: string | undefined, contentType: string): unknown {
  const type = mediaType(contentType);
  if (type === protobufType) return decodeProtobuf(body ?? '');
  if (type !== '' && type !== 'application/json' && type !== 'application/yaml') {
    throw unsupportedMediaType(['application/json', 'application/yaml']);
  }
  return type === 'application/yaml' ? parseYaml(body ?? '') : parseJson(body ?? '');
}

/** The media type without parameters. */
export function mediaType(header: string | undefined): string {
  return (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** Parses JSON or answers 400, also for what is too deep to be written again. */
export function parseJson(text: string): unknown {
  if (jsonDepth(text) > JSON_RECURSION_MAX) throw badRequest('json parse error: exceeded max depth');
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw badRequest(`couldn't get version/kind; json parse error: ${(error as Error).message}`);
  }
}

/** Parses YAML (JSON is YAML) or answers 400. */
export function parseYaml(text: string): unknown {
  try {
    return parse(text) as unknown;
  } catch (error) {
    throw badRequest(`error decoding YAML: ${(error as Error).message}`);
  }
}

/** An object as sent in a create or update, checked against the resource it was sent to. */
export function decodeObject(definition: ResourceDefinition, value: unknown, validation: FieldValidation): Decoded {
  if (!isObject(value)) throw badRequest(`the object provided is unrecognized (must be of type ${definition.kind})`);
  return admitted(definition, withType(definition, value), validation);
}

/** Built-in kinds may leave out apiVersion and kind; custom ones may not. */
function withType(definition: ResourceDefinition, value: Fields): Fields {
  const expected = apiVersionOf(definition);
  const [apiVersion, kind] = [textAt(value, 'apiVersion'), textAt(value, 'kind')];
  if (definition.custom && kind === '') {
    const shown = JSON.stringify(value);
    const start = shown.length > 27 ? `${shown.slice(0, 27)} ...` : shown;
    throw badRequest(
      `the object provided is unrecognized (must be of type ${definition.kind}): Object 'Kind' is missing in '${shown}' (${start})`,
    );
  }
  if ((definition.custom || apiVersion !== '') && apiVersion !== expected) {
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  if (kind !== '' && kind !== definition.kind) throw wrongKind(definition, value, kind);
  return value;
}

function wrongKind(definition: ResourceDefinition, value: Fields, kind: string): Error {
  if (!definition.custom) {
    return badRequest(`${kind} in version "${definition.version}" cannot be handled as a ${definition.kind}`);
  }
  return invalid({ ...definition, kind }, textAt(value, 'metadata', 'name'), [
    {
      field: 'kind',
      reason: 'FieldValueInvalid',
      detail: `Invalid value: ${JSON.stringify(kind)}: must be ${definition.kind}`,
    },
  ]);
}

/** Paths of the fields that a custom resource's schema does not know, in order. */
export function unknownFields(definition: ResourceDefinition, value: Fields): string[] {
  const unknown: string[] = [];
  prune(value, definition.schema, '', unknown);
  return unknown.sort();
}

/** Unknown fields removed, or refused when asked to be strict; defaults filled in. */
export function admitted(
  definition: ResourceDefinition,
  value: Fields,
  validation: FieldValidation,
  defaults: 'fill' | 'keep' = 'fill',
): Decoded {
  const unknown: string[] = [];
  const metadata = prune(isObject(value.metadata) ? value.metadata : {}, objectMetaSchema, 'metadata', unknown);
  const whole = prune({ ...value, metadata }, definition.custom ? definition.schema : undefined, '', unknown) as Fields;
  const problems = unknown.sort().map((path) => `unknown field ${JSON.stringify(path)}`);
  if (problems.length > 0 && validation === 'Strict') {
    const { kind, version } = definition;
    throw badRequest(
      `${kind} in version "${version}" cannot be handled as a ${kind}: strict decoding error: ${problems.join(', ')}`,
    );
  }
  const schema = definition.custom && defaults === 'fill' ? definition.schema : undefined;
  const defaulted = withDefaults(whole, schema) as Fields;
  const typed = ordered(definition, defaulted);
  const undecodable = definition.decodeProblem?.(typed) ?? null;
  if (undecodable !== null) {
    const { kind, version } = definition;
    throw badRequest(`${kind} in version "${version}" cannot be handled as a ${kind}: ${undecodable}`);
  }
  const object = definition.normalize?.(typed) ?? typed;
  return { object, warnings: validation === 'Warn' ? problems : [] };
}

/** apiVersion, kind and metadata first: lists of built-in kinds cut the first two off the stored text. */
function ordered(definition: ResourceDefinition, value: Fields): ApiObject {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = value;
  return { apiVersion: apiVersionOf(definition), kind: definition.kind, metadata, ...rest } as unknown as ApiObject;
}
