// Lists: pages, and the meaning of resourceVersion.
//
//   L1. All pages of one list show the same revision, whatever was written meanwhile.
//   L2. A page or exact revision that the history no longer reaches answers 410, never something else.
import type { Core } from '../core.js';
import { badRequest, expired, failure, invalid } from '../failure.js';
import { isObject, parseOr } from '../json.js';
import { apiVersionOf, storageOf, type ResourceDefinition } from '../resources/definition.js';
import { everything, selectorOf, type Selector } from '../selectors.js';
import type { ApiObject } from '../types.js';
import { metadataTextOf, tableText, textOf, type Form, type IncludeObject } from './representation.js';

/** A list as asked for. */
export interface ListRequest {
  readonly definition: ResourceDefinition;
  /** Empty: all namespaces. */
  readonly namespace: string;
  readonly query: URLSearchParams;
  readonly form: Form;
}

interface Page {
  readonly objects: readonly ApiObject[];
  readonly revision: number;
  readonly continueToken: string;
  readonly remaining: number | null;
}

interface ContinueToken {
  readonly revision: number;
  readonly after: string;
}

/** The text of a list. */
export function listText(core: Core, request: ListRequest): string {
  const { definition, form, query } = request;
  const page = pageOf(core, request);
  const metadata = {
    resourceVersion: String(page.revision),
    ...(page.continueToken === '' ? {} : { continue: page.continueToken }),
    ...(page.remaining === null ? {} : { remainingItemCount: page.remaining }),
  };
  if (form === 'table') {
    const include = includeObject(query);
    return tableText(definition, page.objects, { metadata, include, nowMs: core.clock.nowMs(), withColumns: true });
  }
  if (form === 'metadata') {
    const items = page.objects.map(metadataTextOf).join(',');
    return `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":${JSON.stringify(metadata)},"items":[${items}]}`;
  }
  const head = `{"kind":"${definition.listKind}","apiVersion":"${apiVersionOf(definition)}"`;
  const items = page.objects.map(definition.custom ? textOf : untypedText(definition)).join(',');
  return `${head},"metadata":${JSON.stringify(metadata)},"items":[${items}]}`;
}

/** `?includeObject=`, metadata by default. */
export function includeObject(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject') ?? '';
  if (value === '' || value === 'Metadata') return 'Metadata';
  if (value === 'None' || value === 'Object') return value;
  throw badRequest(`unrecognized includeObject value: ${JSON.stringify(value)}`);
}

/** Items of built-in lists have neither apiVersion nor kind: the list says both. */
function untypedText(definition: ResourceDefinition): (object: ApiObject) => string {
  const head = `{"apiVersion":"${apiVersionOf(definition)}","kind":"${definition.kind}",`;
  return (object) => {
    const text = textOf(object);
    return text.startsWith(head) ? `{${text.slice(head.length)}` : text;
  };
}

/** The newest objects that a selector finds, in order. */
export function currentObjects(
  core: Core,
  definition: ResourceDefinition,
  namespace: string,
  selector: Selector,
): ApiObject[] {
  const storage = storageOf(definition);
  const keys = core.store.keys(storage, namespace === '' ? undefined : namespace);
  const objects: ApiObject[] = [];
  for (const key of keys) {
    const object = core.store.get(storage, key);
    if (object !== undefined && selector(object)) objects.push(object);
  }
  return objects;
}

function pageOf(core: Core, request: ListRequest): Page {
  const { definition, namespace, query } = request;
  const selector = selectorOf(query, definition.fields);
  const limit = Number(query.get('limit') ?? '0');
  const token = continueToken(query.get('continue') ?? '');
  const revision = token?.revision ?? wantedRevision(core, query);
  const isCurrent = revision === core.store.revision() && token === null;
  if (isCurrent && limit === 0) {
    const objects = currentObjects(core, definition, namespace, selector);
    return { objects, revision, continueToken: '', remaining: null };
  }
  const objects = objectsAt(core, definition, revision, token !== null).filter(
    (object) => (namespace === '' || object.metadata.namespace === namespace) && selector(object),
  );
  const rest = token === null ? objects : objects.filter((object) => keyText(object) > token.after);
  const page = limit > 0 ? rest.slice(0, limit) : rest;
  const last = page.at(-1);
  if (page.length === rest.length || last === undefined)
    return { objects: page, revision, continueToken: '', remaining: null };
  const next = Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: keyText(last) })).toString(
    'base64url',
  );
  return {
    objects: page,
    revision,
    continueToken: next,
    remaining: selector === everything ? rest.length - page.length : null,
  };
}

function keyText(object: ApiObject): string {
  return `${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

function continueToken(text: string): ContinueToken | null {
  if (text === '') return null;
  const value = parseOr(Buffer.from(text, 'base64url').toString('utf8'), null);
  if (!isObject(value) || typeof value.rv !== 'number' || typeof value.start !== 'string') {
    throw badRequest('continue key is not valid: encoded start key or version is malformed');
  }
  return { revision: value.rv, after: value.start };
}

/** Which revision a list shows: the newest, unless it is to match one exactly. */
function wantedRevision(core: Core, query: URLSearchParams): number {
  const text = query.get('resourceVersion') ?? '';
  const match = query.get('resourceVersionMatch') ?? '';
  const newest = core.store.revision();
  if (text === '') {
    if (match === '') return newest;
    const detail = 'Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided';
    throw listOptionsProblem('resourceVersionMatch', 'FieldValueForbidden', detail);
  }
  const version = revisionNumber(text);
  if (version > newest) throw tooLarge(version, newest);
  if (match === 'Exact') {
    if (version === 0) {
      const detail = 'Forbidden: resourceVersionMatch "Exact" is forbidden for resourceVersion "0"';
      throw listOptionsProblem('resourceVersionMatch', 'FieldValueForbidden', detail);
    }
    return version;
  }
  if (match !== '' && match !== 'NotOlderThan') {
    const detail = `Unsupported value: ${JSON.stringify(match)}: supported values: "Exact", "NotOlderThan"`;
    throw listOptionsProblem('resourceVersionMatch', 'FieldValueNotSupported', detail);
  }
  return newest;
}

function listOptionsProblem(
  field: string,
  reason: 'FieldValueForbidden' | 'FieldValueNotSupported',
  detail: string,
): Error {
  return invalid({ group: 'meta.k8s.io', plural: 'listoptions', kind: 'ListOptions' }, '', [{ field, reason, detail }]);
}

/** A resourceVersion as a number, or 400. */
export function revisionNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw badRequest(`invalid resource version ${JSON.stringify(text)}`);
  return Number(text);
}

/** 504 for a revision that does not exist yet. */
export function tooLarge(version: number, newest: number): Error {
  return failure(504, 'Timeout', `Timeout: Too large resource version: ${version}, current: ${newest}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

function objectsAt(core: Core, definition: ResourceDefinition, revision: number, isPage: boolean): ApiObject[] {
  const storage = storageOf(definition);
  if (revision < core.store.compactedRevision(storage)) {
    throw isPage
      ? expired(
          'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
        )
      : expired(`The resourceVersion for the provided list is too old.`);
  }
  const objects = core.store.listAt(storage, revision);
  return [...objects.keys()].sort().flatMap((key) => objects.get(key) ?? []);
}
