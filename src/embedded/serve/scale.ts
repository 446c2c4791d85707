// The scale subresource of custom kinds: `kubectl scale machinepool`, by the paths that the definition names.
import type { Core } from '../core.js';
import { badRequest, conflict, invalid, modifiedMeanwhile, notFound, unsupportedMediaType } from '../failure.js';
import { at as valueAt, isObject, textAt, withPath } from '../json.js';
import { mediaType, parseJson } from '../objects/decode.js';
import { updateObject, type Place, type WriteOptions } from '../objects/write.js';
import { mergePatch } from '../../api/merge-patch.js';
import { storageOf, type ResourceDefinition, type ScalePaths } from '../resources/definition.js';
import { keyOf } from '../store.js';
import type { ApiObject } from '../types.js';

/** The Scale of an object. */
export function readScale(core: Core, definition: ResourceDefinition, scale: ScalePaths, at: Place): object {
  const object = core.store.get(storageOf(definition), keyOf(at.namespace, at.name));
  if (object === undefined) throw notFound(definition, at.name);
  return scaleOf(object, scale);
}

function scaleOf(object: ApiObject, scale: ScalePaths): object {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = valueAt(object, ...scale.specReplicas);
  const current = valueAt(object, ...scale.statusReplicas);
  const selector = scale.selector === null ? '' : textAt(object, ...scale.selector);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: typeof replicas === 'number' && replicas !== 0 ? { replicas } : {},
    status: { replicas: typeof current === 'number' ? current : 0, ...(selector === '' ? {} : { selector }) },
  };
}

/** Sets the replicas of an object: a whole Scale, or a merge patch of it. */
export function writeScale(
  core: Core,
  definition: ResourceDefinition,
  scale: ScalePaths,
  at: Place,
  request: WriteOptions & { readonly body: string; readonly contentType: string; readonly isPatch: boolean },
): object {
  if (request.isPatch && mediaType(request.contentType) !== 'application/merge-patch+json') {
    throw unsupportedMediaType(['application/merge-patch+json']);
  }
  const sent = parseJson(request.body);
  const change = (old: ApiObject): { object: ApiObject } => {
    const next = request.isPatch ? mergePatch(scaleOf(old, scale), sent) : sent;
    return { object: withPath(old, scale.specReplicas, replicasOf(definition, next, old, at)) as ApiObject };
  };
  return scaleOf(updateObject(core, definition, at, change, { ...request, isPatch: true }), scale);
}

function replicasOf(definition: ResourceDefinition, next: unknown, old: ApiObject, at: Place): number {
  if (!isObject(next) || textAt(next, 'kind') !== 'Scale') throw badRequest('the body is no Scale of autoscaling/v1');
  const { resourceVersion } = old.metadata;
  const guard = textAt(next, 'metadata', 'resourceVersion');
  if (guard !== '' && guard !== resourceVersion) throw conflict(definition, at.name, modifiedMeanwhile);
  const replicas = valueAt(next, 'spec', 'replicas') ?? 0;
  if (typeof replicas === 'number' && Number.isInteger(replicas) && replicas >= 0) return replicas;
  const detail = `Invalid value: ${JSON.stringify(replicas)}: should be a non-negative integer`;
  throw invalid({ group: 'autoscaling', plural: 'scales', kind: 'Scale' }, at.name, [
    { field: 'spec.replicas', reason: 'FieldValueInvalid', detail },
  ]);
}
