// PATCH in its four forms, each ending in the same update (or, for server-side apply, create) as any other write.
import { withLastApplied } from '../apply/last-applied.js';
import { applied } from '../apply/managed-fields.js';
import type { Core } from '../core.js';
import { ApiStatusError, badRequest, failure, invalid, notFound, unsupportedMediaType } from '../failure.js';
import { at as valueAt, canonical, isObject, type Fields } from '../json.js';
import { jsonPatch } from '../patch/json-patch.js';
import { mergePatch } from '../../api/merge-patch.js';
import { strategicMerge } from '../patch/strategic-merge.js';
import { apiVersionOf, storageOf, type ResourceDefinition } from '../resources/definition.js';
import { keyOf } from '../store.js';
import type { ApiObject } from '../types.js';
import {
  admitted,
  mediaType,
  parseJson,
  parseYaml,
  unknownFields,
  type Decoded,
  type FieldValidation,
} from './decode.js';
import { createObject, updateObject, type Change, type Place, type WriteOptions } from './write.js';

/** A PATCH as it was sent. */
export interface PatchRequest extends WriteOptions {
  readonly contentType: string;
  readonly body: string;
  readonly force: boolean;
  readonly validation: FieldValidation;
}

/** What was stored, whether it is new, and what to warn about. */
export interface PatchAnswer {
  readonly object: ApiObject;
  readonly created: boolean;
  readonly warnings: readonly string[];
}

const patchTypes = ['application/json-patch+json', 'application/merge-patch+json'];
const strategicType = 'application/strategic-merge-patch+json';
const applyType = 'application/apply-patch+yaml';

/** Carries out a PATCH. */
export function patchObject(core: Core, definition: ResourceDefinition, at: Place, request: PatchRequest): PatchAnswer {
  if (mediaType(request.contentType) === applyType) return applyObject(core, definition, at, request);
  const patch = patcher(definition, request);
  let warnings: readonly string[] = [];
  const change = (old: ApiObject): Change => {
    const decoded = admittedPatched(definition, named(patch(old), at), request.validation);
    warnings = decoded.warnings;
    return { object: decoded.object };
  };
  const object = updateObject(core, definition, at, change, { ...request, isPatch: true });
  return { object, created: false, warnings };
}

/** An object that a patch has made undecodable is an invalid patch. */
function admittedPatched(definition: ResourceDefinition, value: Fields, validation: FieldValidation): Decoded {
  try {
    return admitted(definition, value, validation);
  } catch (error) {
    if (!(error instanceof ApiStatusError) || error.status.code !== 400) throw error;
    const cause = error.message.split(': ').slice(1).join(': ');
    const detail = `Invalid value: ${JSON.stringify(canonical(value))}: ${cause}`;
    throw invalid({ group: '', plural: '', kind: '' }, '', [{ field: 'patch', reason: 'FieldValueInvalid', detail }]);
  }
}

/** A patch may not rename; what is no object any more is refused. */
function named(value: unknown, at: Place): Fields {
  if (!isObject(value)) throw badRequest('the patch leaves no object');
  const name = isObject(value.metadata) ? value.metadata.name : undefined;
  if (name !== at.name) {
    throw badRequest(`the name of the object (${String(name ?? '')}) does not match the name on the URL (${at.name})`);
  }
  return value;
}

function patcher(definition: ResourceDefinition, request: PatchRequest): (old: ApiObject) => unknown {
  const type = mediaType(request.contentType);
  switch (type) {
    case 'application/merge-patch+json': {
      const patch = parseJson(request.body);
      return (old) => mergePatch(old, patch);
    }
    case 'application/json-patch+json': {
      const patch = parseJson(request.body);
      return (old) => {
        const result = jsonPatch(old, patch);
        if (!('message' in result)) return result.value;
        if (result.kind === 'malformed') throw badRequest(result.message);
        throw failure(
          422,
          'Invalid',
          `the server rejected our request due to an error in our request: ${result.message}`,
        );
      };
    }
    case strategicType: {
      if (definition.custom) throw unsupportedMediaType([...patchTypes, applyType]);
      const patch = parseJson(request.body);
      return (old) => strategicMerge(old, patch, definition.schema);
    }
    default:
      throw unsupportedMediaType([...patchTypes, ...(definition.custom ? [] : [strategicType]), applyType]);
  }
}

function applyObject(core: Core, definition: ResourceDefinition, at: Place, request: PatchRequest): PatchAnswer {
  if (request.manager === '') {
    const detail = 'Required value: is required for apply patch';
    throw invalid({ group: 'meta.k8s.io', plural: 'patchoptions', kind: 'PatchOptions' }, '', [
      { field: 'fieldManager', reason: 'FieldValueRequired', detail },
    ]);
  }
  const sent = parseYaml(request.body);
  if (!isObject(sent)) throw badRequest('the applied configuration is no object');
  const decoded = admittedConfig(definition, named(withName(sent, at), at), request.validation);
  if (valueAt(sent, 'metadata', 'managedFields') !== undefined) throw badRequest('metadata.managedFields must be nil');
  const config = onlyPart(definition, decoded.object, request.subresource);
  const options = {
    manager: request.manager,
    apiVersion: apiVersionOf(definition),
    subresource: request.subresource,
    now: core.now(),
    force: request.force,
  };
  const live = core.store.get(storageOf(definition), keyOf(at.namespace, at.name));
  if (live === undefined) {
    if (request.subresource !== '') throw notFound(definition, at.name);
    const born = createObject(core, definition, at.namespace, config, { ...request, applied: config });
    return { object: born, created: true, warnings: decoded.warnings };
  }
  const change = (old: ApiObject): Change => {
    const next = withLastApplied(applied(definition.schema, old, config, options), config, request.manager);
    return {
      object: admitted(definition, next as Fields, 'Ignore').object,
      managedFields: next.metadata.managedFields,
    };
  };
  const object = updateObject(core, definition, at, change, { ...request, isPatch: true });
  return { object, created: false, warnings: decoded.warnings };
}

function withName(sent: Fields, at: Place): Fields {
  const metadata = isObject(sent.metadata) ? sent.metadata : {};
  return metadata.name === undefined ? { ...sent, metadata: { ...metadata, name: at.name } } : sent;
}

/** The configuration as sent, unknown fields removed but no defaults: what it does not say, it does not own. */
function admittedConfig(
  definition: ResourceDefinition,
  sent: Fields,
  validation: FieldValidation,
): ReturnType<typeof admitted> {
  const expected = apiVersionOf(definition);
  if (sent.apiVersion !== expected || sent.kind !== definition.kind) {
    throw badRequest(
      `the applied configuration is of ${String(sent.apiVersion ?? '')} ${String(sent.kind ?? '')}, not of ${expected} ${definition.kind}`,
    );
  }
  const undeclared = definition.custom ? unknownFields(definition, sent) : [];
  if (undeclared.length > 0) {
    const problems = undeclared.map((path) => `.${path}: field not declared in schema`);
    const list =
      problems.length === 1 ? ` ${problems[0]}` : `errors:\n${problems.map((problem) => `  ${problem}`).join('\n')}`;
    const object = `(/${String(valueAt(sent, 'metadata', 'name') ?? '')}; ${expected}, Kind=${definition.kind})`;
    throw failure(500, '', `failed to create typed patch object ${object}:${list}`);
  }
  return admitted(definition, sent, validation, 'keep');
}

/** An apply to the object owns no status, one to the status owns nothing else. */
function onlyPart(definition: ResourceDefinition, config: ApiObject, subresource: string): ApiObject {
  const { status, ...rest } = config;
  if (subresource === 'status') {
    const { apiVersion, kind, metadata } = config;
    const { name, namespace, uid, resourceVersion } = metadata;
    return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion } as ApiObject['metadata'], status };
  }
  const ignoresStatus = definition.subresources.includes('status');
  return (ignoresStatus || status === undefined ? rest : config) as ApiObject;
}
