// DELETE: preconditions, finalizers, propagation and the grace period of pods.
//
//   D1. An object with finalizers is marked, not removed; removing the last finalizer removes it (write.ts).
//   D2. A scheduled pod is marked for its grace period; only a deletion with grace 0 removes it, as its kubelet would do.
import { rfc3339, type Core } from '../core.js';
import { badRequest, conflict, invalid, notFound, qualified } from '../failure.js';
import { at as valueAt, isObject, textAt } from '../json.js';
import { storageOf, type ResourceDefinition } from '../resources/definition.js';
import { keyOf } from '../store.js';
import type { ApiObject } from '../types.js';
import { isHeldBySpec, type Place } from './write.js';

/** DeleteOptions, from body and query. */
export interface DeleteRequest {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagation?: 'Background' | 'Foreground' | 'Orphan';
  readonly graceSeconds?: number;
  readonly dryRun: boolean;
}

/** What became of it. */
export interface Deletion {
  readonly object: ApiObject;
  /** True when the object is gone, false when it only is marked. */
  readonly removed: boolean;
}

/** Finalizers that the garbage collector removes. */
export const foregroundFinalizer = 'foregroundDeletion';
/** Set where dependents are to be kept. */
export const orphanFinalizer = 'orphan';

/** Reads DeleteOptions. */
export function deleteRequest(body: unknown, query: URLSearchParams): DeleteRequest {
  const options = isObject(body) ? body : {};
  const uid = textAt(options, 'preconditions', 'uid');
  const resourceVersion = textAt(options, 'preconditions', 'resourceVersion');
  const policy =
    textAt(options, 'propagationPolicy') || (query.get('propagationPolicy') ?? '') || orphanPolicy(options);
  if (policy !== '' && policy !== 'Background' && policy !== 'Foreground' && policy !== 'Orphan') {
    throw invalid({ group: 'meta.k8s.io', plural: 'deleteoptions', kind: 'DeleteOptions' }, '', [
      {
        field: 'propagationPolicy',
        reason: 'FieldValueNotSupported',
        detail: `Unsupported value: ${JSON.stringify(policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`,
      },
    ]);
  }
  const grace = valueAt(options, 'gracePeriodSeconds') ?? numberOf(query.get('gracePeriodSeconds'));
  if (grace !== undefined && typeof grace !== 'number') throw badRequest('gracePeriodSeconds must be a number');
  const dryRun =
    query.getAll('dryRun').includes('All') || (Array.isArray(options.dryRun) && options.dryRun.includes('All'));
  return {
    ...(uid === '' ? {} : { uid }),
    ...(resourceVersion === '' ? {} : { resourceVersion }),
    ...(policy === '' ? {} : { propagation: policy }),
    ...(grace === undefined ? {} : { graceSeconds: grace }),
    dryRun,
  };
}

function orphanPolicy(options: Readonly<Record<string, unknown>>): string {
  if (typeof options.orphanDependents !== 'boolean') return '';
  return options.orphanDependents ? 'Orphan' : 'Background';
}

function numberOf(text: string | null): number | undefined {
  return text === null ? undefined : Number(text);
}

/** Deletes or marks one object. */
export function deleteObject(core: Core, definition: ResourceDefinition, at: Place, request: DeleteRequest): Deletion {
  const key = keyOf(at.namespace, at.name);
  const old = core.store.get(storageOf(definition), key);
  if (old === undefined) throw notFound(definition, at.name);
  checkPreconditions(definition, old, request);
  const finalizers = deletionFinalizers(old, request);
  const grace = graceSeconds(definition, old, request);
  if (finalizers.length === 0 && grace === 0 && !isHeldBySpec(old)) {
    const removed = request.dryRun ? old : core.store.remove(storageOf(definition), key, old);
    return { object: removed, removed: true };
  }
  const marked = mark(core, old, finalizers, grace);
  if (marked === old || request.dryRun) return { object: marked, removed: false };
  return { object: core.store.put(storageOf(definition), key, marked), removed: false };
}

function checkPreconditions(definition: ResourceDefinition, old: ApiObject, request: DeleteRequest): void {
  const { uid, resourceVersion, name } = old.metadata;
  const named = { ...definition, plural: definition.kind };
  if (request.uid !== undefined && request.uid !== uid) {
    throw conflict(
      named,
      name,
      `the UID in the precondition (${request.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (request.resourceVersion !== undefined && request.resourceVersion !== resourceVersion) {
    throw conflict(
      named,
      name,
      `the ResourceVersion in the precondition (${request.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}

function deletionFinalizers(old: ApiObject, request: DeleteRequest): readonly string[] {
  const held = (old.metadata.finalizers ?? []).filter((finalizer) => {
    if (request.propagation === undefined) return true;
    return finalizer !== foregroundFinalizer && finalizer !== orphanFinalizer;
  });
  if (request.propagation === 'Foreground') return [...held, foregroundFinalizer];
  return request.propagation === 'Orphan' ? [...held, orphanFinalizer] : held;
}

/** Only a scheduled pod that has not ended has a grace period. */
function graceSeconds(definition: ResourceDefinition, old: ApiObject, request: DeleteRequest): number {
  if (qualified(definition.group, definition.plural) !== 'pods') return 0;
  const phase = textAt(old, 'status', 'phase');
  if (textAt(old, 'spec', 'nodeName') === '' || phase === 'Succeeded' || phase === 'Failed') return 0;
  const own = valueAt(old, 'spec', 'terminationGracePeriodSeconds');
  return request.graceSeconds ?? (typeof own === 'number' ? own : 30);
}

function mark(core: Core, old: ApiObject, finalizers: readonly string[], grace: number): ApiObject {
  const { deletionTimestamp, generation, finalizers: held = [], deletionGracePeriodSeconds } = old.metadata;
  const sameFinalizers = finalizers.length === held.length && finalizers.every((finalizer) => held.includes(finalizer));
  if (deletionTimestamp !== undefined && sameFinalizers && grace >= (deletionGracePeriodSeconds ?? 0)) return old;
  const isFirst = deletionTimestamp === undefined;
  const metadata = {
    ...old.metadata,
    ...(finalizers.length === 0 ? {} : { finalizers }),
    deletionTimestamp: isFirst ? rfc3339(core.clock.nowMs() + grace * 1000) : deletionTimestamp,
    deletionGracePeriodSeconds: isFirst ? grace : Math.min(grace, deletionGracePeriodSeconds ?? grace),
    ...(isFirst && generation !== undefined && generation > 0 ? { generation: generation + 1 } : {}),
  };
  if (textAt(old, 'status', 'phase') !== 'Active' || old.kind !== 'Namespace') return { ...old, metadata };
  return { ...old, metadata, status: { ...(isObject(old.status) ? old.status : {}), phase: 'Terminating' } };
}
