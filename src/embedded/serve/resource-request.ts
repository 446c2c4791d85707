// One request to a resource: which operation it is, and its answer.
import type { Core } from '../core.js';
import {
  ApiStatusError,
  badRequest,
  conflict,
  invalid,
  methodNotAllowed,
  modifiedMeanwhile,
  noSuchResource,
  notFound,
  notImplemented,
} from '../failure.js';
import { decodeObject, parseBody, type FieldValidation } from '../objects/decode.js';
import { deleteObject, deleteRequest } from '../objects/delete.js';
import { patchObject } from '../objects/patch.js';
import { createObject, updateObject, type Place, type WriteOptions } from '../objects/write.js';
import { currentObjects, includeObject, listText } from '../read/list.js';
import { formOf, objectText } from '../read/representation.js';
import { openWatch, type WatchHost } from '../read/watch.js';
import { resourceOf } from '../resources/catalog.js';
import { apiVersionOf, storageOf, type ResourceDefinition, type ScalePaths } from '../resources/definition.js';
import { selectorOf } from '../selectors.js';
import { keyOf } from '../store.js';
import type { ApiObject, ApiRequest, ApiResponse, RequestInfo } from '../types.js';
import { jsonAnswer, streamAnswer, warningHeader } from './answer.js';
import { evict } from './eviction.js';
import { readScale, writeScale } from './scale.js';

interface Call {
  readonly core: Core;
  readonly host: WatchHost;
  readonly definition: ResourceDefinition;
  readonly info: RequestInfo;
  readonly request: ApiRequest;
}

/** Answers a request to a resource. Throws ApiStatusError. */
export function answerResource(host: WatchHost, info: RequestInfo, request: ApiRequest): ApiResponse {
  const { core } = host;
  const definition = resourceOf(core.catalog, info);
  if (info.namespace !== '' && !definition.namespaced && info.resource !== 'namespaces') throw noSuchResource();
  if (info.name === '' && ['update', 'patch'].includes(info.verb)) throw methodNotAllowed();
  const call = { core, host, definition, info, request };
  if (info.subresource !== '') return answerSubresource(call);
  if (definition.namespaced && info.namespace === '' && !['list', 'watch', 'deletecollection'].includes(info.verb)) {
    throw info.name === '' ? methodNotAllowed() : noSuchResource();
  }
  switch (info.verb) {
    case 'get':
      return read(call);
    case 'list':
      return list(call);
    case 'watch':
      return watch(call);
    case 'create':
      return create(call);
    case 'update':
      return update(call);
    case 'patch':
      return patch(call);
    case 'delete':
      return remove(call);
    case 'deletecollection':
      return removeAll(call);
    default:
      throw methodNotAllowed();
  }
}

function answerSubresource(call: Call): ApiResponse {
  const { core, definition, info, request } = call;
  const { subresource } = info;
  if (!definition.subresources.includes(subresource)) {
    throw unknownSubresource(definition, subresource);
  }
  if (subresource === 'eviction') {
    if (info.verb !== 'create') throw methodNotAllowed();
    const body = parseBody(request.body, request.headers['content-type'] ?? '');
    return jsonAnswer(201, JSON.stringify(evict(core, definition, info, body)));
  }
  if (subresource === 'scale' && definition.scale !== undefined) return scale(call, definition.scale);
  switch (info.verb) {
    case 'get':
      return read(call);
    case 'update':
      return update(call);
    case 'patch':
      return patch(call);
    default:
      throw methodNotAllowed();
  }
}

function scale(call: Call, paths: ScalePaths): ApiResponse {
  const { core, definition, info, request } = call;
  if (info.verb === 'get') return jsonAnswer(200, JSON.stringify(readScale(core, definition, paths, placeOf(call))));
  if (info.verb !== 'update' && info.verb !== 'patch') throw methodNotAllowed();
  const body = request.body ?? '';
  const contentType = request.headers['content-type'] ?? '';
  const options = { ...writeOptions(call), body, contentType, isPatch: info.verb === 'patch' };
  return jsonAnswer(200, JSON.stringify(writeScale(core, definition, paths, placeOf(call), options)));
}

function unknownSubresource(definition: ResourceDefinition, subresource: string): Error {
  if (definition.custom) return noSuchResource();
  const known = [
    'scale',
    'log',
    'exec',
    'attach',
    'portforward',
    'proxy',
    'binding',
    'token',
    'finalize',
    'ephemeralcontainers',
    'resize',
  ];
  return known.includes(subresource) ? notImplemented(`the subresource ${subresource}`) : noSuchResource();
}

function placeOf({ definition, info }: Call): Place {
  return { namespace: definition.namespaced ? info.namespace : '', name: info.name };
}

function writeOptions({ info }: Call): WriteOptions & { validation: FieldValidation } {
  const { query } = info;
  const validation = query.get('fieldValidation') ?? 'Warn';
  if (validation !== 'Strict' && validation !== 'Warn' && validation !== 'Ignore') {
    throw badRequest(`fieldValidation: Unsupported value: ${JSON.stringify(validation)}`);
  }
  const dryRun = query.getAll('dryRun');
  if (dryRun.some((value) => value !== 'All')) {
    const detail = `Unsupported value: ${JSON.stringify(dryRun)}: supported values: "All"`;
    throw invalid({ group: 'meta.k8s.io', plural: 'options', kind: 'CreateOptions' }, '', [
      { field: 'dryRun', reason: 'FieldValueNotSupported', detail },
    ]);
  }
  const manager = query.get('fieldManager') || info.userAgent.split('/')[0] || 'unknown';
  return { manager, subresource: info.subresource, dryRun: dryRun.length > 0, validation };
}

function answerObject(call: Call, status: number, object: ApiObject, warnings: readonly string[] = []): ApiResponse {
  const form = formOf(call.request.headers.accept);
  const options = { nowMs: call.core.clock.nowMs(), include: includeObject(call.info.query) };
  return jsonAnswer(status, objectText(call.definition, object, form, options), warnings);
}

/** A refusal carries the warnings too. */
function warned<T>(warnings: readonly string[], act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (!(error instanceof ApiStatusError) || warnings.length === 0) throw error;
    throw new ApiStatusError(error.status, { ...error.headers, warning: warningHeader(warnings) });
  }
}

function read(call: Call): ApiResponse {
  const { core, definition, info } = call;
  const place = placeOf(call);
  const object = core.store.get(storageOf(definition), keyOf(place.namespace, place.name));
  if (object === undefined) throw notFound(definition, info.name);
  return answerObject(call, 200, object);
}

function list({ core, definition, info, request }: Call): ApiResponse {
  const form = formOf(request.headers.accept);
  return jsonAnswer(200, listText(core, { definition, namespace: info.namespace, query: info.query, form }));
}

function watch({ host, definition, info, request }: Call): ApiResponse {
  const form = formOf(request.headers.accept);
  const { namespace, name } = info;
  return streamAnswer(openWatch(host, { definition, namespace, name, info, form, signal: request.signal }));
}

function create(call: Call): ApiResponse {
  const { core, definition, info, request } = call;
  if (info.name !== '') throw methodNotAllowed();
  const options = writeOptions(call);
  const sent = parseBody(request.body, request.headers['content-type'] ?? '');
  const { object, warnings } = decodeObject(definition, sent, options.validation);
  const created = warned(warnings, () => createObject(core, definition, info.namespace, object, options));
  return answerObject(call, 201, created, warnings);
}

function update(call: Call): ApiResponse {
  const { core, definition, info, request } = call;
  const options = writeOptions(call);
  const sent = parseBody(request.body, request.headers['content-type'] ?? '');
  const { object, warnings } = decodeObject(definition, sent, options.validation);
  const { name = '' } = object.metadata;
  if (name !== info.name && name !== '') {
    throw badRequest(`the name of the object (${name}) does not match the name on the URL (${info.name})`);
  }
  if (name === '') {
    throw badRequest(`the name of the object (${info.name} based on URL) was undeterminable: name must be provided`);
  }
  const place = placeOf(call);
  const exists = core.store.get(storageOf(definition), keyOf(place.namespace, place.name)) !== undefined;
  if (!exists && definition.createOnUpdate && info.subresource === '') {
    if (object.metadata.uid !== undefined || (object.metadata.resourceVersion ?? '') !== '') {
      throw conflict(definition, name, modifiedMeanwhile);
    }
    return answerObject(call, 201, createObject(core, definition, info.namespace, object, options), warnings);
  }
  const change = (): { object: ApiObject } => ({ object });
  const stored = warned(warnings, () => updateObject(core, definition, place, change, { ...options, isPatch: false }));
  return answerObject(call, 200, stored, warnings);
}

function patch(call: Call): ApiResponse {
  const { core, definition, info, request } = call;
  const options = writeOptions(call);
  const contentType = request.headers['content-type'] ?? '';
  const isApply = contentType.startsWith('application/apply-patch');
  const { object, created, warnings } = patchObject(core, definition, placeOf(call), {
    ...options,
    manager: isApply ? (info.query.get('fieldManager') ?? '') : options.manager,
    contentType,
    body: request.body ?? '',
    force: info.query.get('force') === 'true',
  });
  return answerObject(call, created ? 201 : 200, object, warnings);
}

function deleteBody(request: ApiRequest): unknown {
  if (request.body === undefined || request.body === '') return {};
  return parseBody(request.body, request.headers['content-type'] ?? '');
}

function remove(call: Call): ApiResponse {
  const { core, definition, info, request } = call;
  const deletion = deleteObject(core, definition, placeOf(call), deleteRequest(deleteBody(request), info.query));
  if (!deletion.removed || definition.returnsDeleted) return answerObject(call, 200, deletion.object);
  const { name, uid } = deletion.object.metadata;
  const group = definition.group === '' ? {} : { group: definition.group };
  const details = { name, ...group, kind: definition.plural, uid };
  return jsonAnswer(
    200,
    JSON.stringify({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', details }),
  );
}

function removeAll(call: Call): ApiResponse {
  const { core, definition, info, request } = call;
  const options = deleteRequest(deleteBody(request), info.query);
  const objects = currentObjects(core, definition, info.namespace, selectorOf(info.query, definition.fields));
  const items = objects.map((object) => {
    const place = { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
    return deleteObject(core, definition, place, options).object;
  });
  const metadata = { resourceVersion: String(core.store.revision()) };
  const list = { kind: definition.listKind, apiVersion: apiVersionOf(definition), metadata, items };
  return jsonAnswer(200, JSON.stringify(list));
}
