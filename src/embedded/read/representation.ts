// How an answer is written: plain JSON, a Table for `kubectl get`, or metadata only; and the text of objects, kept so that
// many watchers cost one serialisation.
import { notAcceptable } from '../failure.js';
import type { Column, ResourceDefinition } from '../resources/definition.js';
import type { ApiObject } from '../types.js';

/** The forms an object or list can take. */
export type Form = 'object' | 'table' | 'metadata';

const offered = ['application/json', 'application/yaml'];

/** Chooses the form from an Accept header. */
export function formOf(accept: string | undefined): Form {
  if (accept === undefined || accept.trim() === '') return 'object';
  for (const clause of accept.split(',')) {
    const [type = '', ...parameters] = clause.split(';').map((part) => part.trim());
    if (!['application/json', 'application/*', '*/*'].includes(type)) continue;
    const values = new Map(parameters.map((parameter) => parameter.split('=') as [string, string]));
    const as = values.get('as');
    if (as === undefined) return 'object';
    const isMeta = values.get('g') === 'meta.k8s.io' && values.get('v') === 'v1';
    if (isMeta && as === 'Table') return 'table';
    if (isMeta && (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList')) return 'metadata';
  }
  throw notAcceptable(offered);
}

const texts = new WeakMap<ApiObject, string>();
const metadataTexts = new WeakMap<ApiObject, string>();

/** The JSON of a stored object. */
export function textOf(object: ApiObject): string {
  let text = texts.get(object);
  if (text === undefined) texts.set(object, (text = JSON.stringify(object)));
  return text;
}

/** The JSON of an object's metadata as PartialObjectMetadata. */
export function metadataTextOf(object: ApiObject): string {
  let text = metadataTexts.get(object);
  if (text === undefined) metadataTexts.set(object, (text = JSON.stringify(partialMetadata(object))));
  return text;
}

function partialMetadata(object: ApiObject): object {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}

/** How much of each object a table row carries: `?includeObject=`. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** A Table of objects. */
export function tableText(
  definition: ResourceDefinition,
  objects: readonly ApiObject[],
  options: {
    readonly metadata: object;
    readonly include: IncludeObject;
    readonly nowMs: number;
    readonly withColumns: boolean;
  },
): string {
  const rows = objects.map((object) => ({
    cells: definition.columns.map((column) => column.cell(object, options.nowMs) ?? null),
    object: options.include === 'None' ? null : options.include === 'Object' ? object : partialMetadata(object),
  }));
  return JSON.stringify({
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: options.metadata,
    columnDefinitions: options.withColumns ? definition.columns.map(columnDefinition) : null,
    rows,
  });
}

function columnDefinition(column: Column): object {
  const { name, type, format = '', description = '', priority = 0 } = column;
  return { name, type, format, description, priority };
}

/** One object in a form. */
export function objectText(
  definition: ResourceDefinition,
  object: ApiObject,
  form: Form,
  options: { nowMs: number; include: IncludeObject },
): string {
  if (form === 'object') return textOf(object);
  if (form === 'metadata') return metadataTextOf(object);
  const { resourceVersion } = object.metadata;
  return tableText(definition, [object], { ...options, metadata: { resourceVersion }, withColumns: true });
}
