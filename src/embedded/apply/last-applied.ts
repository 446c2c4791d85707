// The bridge that an API server builds from client-side to server-side apply for kubectl: the annotation in which kubectl keeps
// what it applied.
import { canonical, parseOr, isObject, withPath } from '../json.js';
import type { Schema } from '../schema/schema.js';
import type { ApiObject } from '../types.js';
import { difference, emptySet, union, type FieldSet } from './field-set.js';
import { compare, fieldsOf } from './typed.js';

const annotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** Fields that kubectl applied before and nobody changed since: it may change them without force. */
export function ownLastApplied(schema: Schema, live: ApiObject, manager: string): FieldSet {
  const text = live.metadata.annotations?.[annotation];
  const config = manager === 'kubectl' && text !== undefined ? parseOr(text, null) : null;
  if (!isObject(config)) return emptySet;
  const { added, modified } = compare(live, config, schema);
  return difference(fieldsOf(config, schema), union(added, modified));
}

/** The object with its annotation brought up to date after kubectl has applied a configuration. */
export function withLastApplied(object: ApiObject, config: ApiObject, manager: string): ApiObject {
  if (manager !== 'kubectl' || object.metadata.annotations?.[annotation] === undefined) return object;
  return withPath(object, ['metadata', 'annotations', annotation], `${canonical(config)}\n`) as ApiObject;
}
