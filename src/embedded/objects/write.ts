// Create and update: the one way by which an object gets into the store.
//
//   W1. What is stored has passed metadata rules, schema, and the kind's own rules.
//   W2. An update that changes nothing is answered with what is stored, and nobody hears of it.
//   W3. The last finalizer's removal from a deleted object is its removal.
import { isSameButTimes, trackFirstApply, trackUpdate, type Writer } from '../apply/managed-fields.js';
import type { Core } from '../core.js';
import {
  alreadyExists,
  badRequest,
  conflict,
  failure,
  forbidden,
  invalid,
  modifiedMeanwhile,
  notFound,
  type FieldProblem,
} from '../failure.js';
import { listAt, withPath } from '../json.js';
import { withDefaults } from '../schema/prune.js';
import { validate } from '../schema/validate.js';
import { apiVersionOf, storageOf, type ResourceDefinition } from '../resources/definition.js';
import { keyOf } from '../store.js';
import type { ApiObject, ManagedFieldsEntry } from '../types.js';
import { metadataProblems, sameContent, tidyMetadata, updatedMetadata } from './metadata.js';

/** Who writes and how. */
export interface WriteOptions {
  readonly manager: string;
  readonly subresource: string;
  readonly dryRun: boolean;
  /** A creation by server-side apply: the configuration whose fields the manager will own. */
  readonly applied?: ApiObject;
}

const namespaces = { group: '', plural: 'namespaces', kind: 'Namespace' };

/** Refuses to create into a namespace that is not there or is ending. */
function checkNamespace(core: Core, definition: ResourceDefinition, namespace: string, name: string): void {
  if (!definition.namespaced) return;
  const found = core.store.get('/namespaces', keyOf('', namespace));
  if (found === undefined) throw notFound(namespaces, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const message = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(definition, name, message, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]);
}

/** Stores a new object. */
export function createObject(
  core: Core,
  definition: ResourceDefinition,
  namespace: string,
  sent: ApiObject,
  options: WriteOptions,
): ApiObject {
  if (
    sent.metadata.namespace !== undefined &&
    sent.metadata.namespace !== '' &&
    sent.metadata.namespace !== namespace
  ) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  checkNamespace(core, definition, namespace, sent.metadata.name);
  if (sent.metadata.resourceVersion !== undefined && sent.metadata.resourceVersion !== '') {
    throw failure(500, '', 'resourceVersion should not be set on objects to be created');
  }
  const newborn = withFirstMetadata(core, definition, namespace, sent);
  const born = definition.prepareCreate?.(newborn) ?? newborn;
  checkValid(definition, born, null, '');
  const name = born.metadata.name;
  const key = keyOf(definition.namespaced ? namespace : '', name);
  if (core.store.get(storageOf(definition), key) !== undefined) throw alreadyExists(definition, name);
  const writer = writerOf(core, definition, options);
  const tracked =
    options.applied === undefined
      ? trackUpdate(definition, null, newborn, writer)
      : trackFirstApply(definition.schema, options.applied, newborn, writer);
  const whole = withPath(born, ['metadata', 'managedFields'], tracked.metadata.managedFields) as ApiObject;
  return options.dryRun ? whole : core.store.put(storageOf(definition), key, whole);
}

function withFirstMetadata(core: Core, definition: ResourceDefinition, namespace: string, given: ApiObject): ApiObject {
  const sent = definition.custom ? (withDefaults(given, definition.schema) as ApiObject) : given;
  const { generateName = '', name = '' } = sent.metadata;
  const metadata = tidyMetadata({
    ...sent.metadata,
    name: name === '' && generateName !== '' ? generateName.slice(0, 58) + core.nameSuffix() : name,
    namespace: definition.namespaced ? namespace : undefined,
    uid: core.newUid(),
    resourceVersion: undefined,
    generation: definition.hasGeneration ? 1 : undefined,
    creationTimestamp: core.now(),
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    selfLink: undefined,
    managedFields: undefined,
  });
  const { status, ...rest }: ApiObject = { ...sent, metadata };
  const keepsStatus = !(definition.custom && definition.subresources.includes('status'));
  return (keepsStatus && status !== undefined ? { ...rest, status } : rest) as unknown as ApiObject;
}

function checkValid(
  definition: ResourceDefinition,
  object: ApiObject,
  old: ApiObject | null,
  subresource: string,
): void {
  const problems = metadataProblems(definition, object);
  if (definition.custom) problems.push(...schemaProblems(definition, object, subresource));
  problems.push(...(definition.validate?.(object, old) ?? []));
  if (problems.length > 0) throw invalid(definition, object.metadata.name ?? '', problems);
}

/** An update of the status is told about the status only, with paths that start there. */
function schemaProblems(definition: ResourceDefinition, object: ApiObject, subresource: string): FieldProblem[] {
  // Of metadata a schema may say only that it is there, and what its name must be.
  const content = { ...object, metadata: { name: object.metadata.name } };
  if (subresource !== 'status') return validate(content, definition.schema, '');
  if (object.status === undefined) return [];
  const schema = definition.schema.properties?.status ?? {};
  return validate(object.status, schema, '').map((problem) => ({
    ...problem,
    field: problem.field === '' ? 'status' : `status.${problem.field}`,
  }));
}

/** What a request makes of an object; `managedFields` where server-side apply has already decided them. */
export interface Change {
  readonly object: ApiObject;
  readonly managedFields?: readonly ManagedFieldsEntry[] | undefined;
}

/** Replaces an object by what `change` makes of it. Answers with what is stored then. */
export function updateObject(
  core: Core,
  definition: ResourceDefinition,
  at: Place,
  change: (old: ApiObject) => Change,
  options: WriteOptions & { readonly isPatch: boolean },
): ApiObject {
  const key = keyOf(at.namespace, at.name);
  const old = core.store.get(storageOf(definition), key);
  if (old === undefined) throw notFound(definition, at.name);
  const changed = change(old);
  checkGuards(definition, at, changed.object, old, options.isPatch);
  const next = revised(definition, changed.object, old, options.subresource);
  checkValid(definition, next, old, options.subresource);
  const tracked =
    'managedFields' in changed
      ? (withPath(next, ['metadata', 'managedFields'], changed.managedFields) as ApiObject)
      : trackUpdate(definition, old, next, writerOf(core, definition, options), changed.object.metadata.managedFields);
  if (isSameButTimes(tracked, old)) return old;
  if (options.dryRun) return tracked;
  if (isFinished(tracked)) {
    core.store.remove(storageOf(definition), key, tracked);
    return tracked;
  }
  return core.store.put(storageOf(definition), key, tracked);
}

/** Which object. */
export interface Place {
  readonly namespace: string;
  readonly name: string;
}

function checkGuards(
  definition: ResourceDefinition,
  at: Place,
  sent: ApiObject,
  old: ApiObject,
  isPatch: boolean,
): void {
  const { uid, resourceVersion, namespace } = sent.metadata;
  if (definition.namespaced && namespace !== undefined && namespace !== '' && namespace !== at.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (uid !== undefined && uid !== '' && uid !== old.metadata.uid) {
    if (isPatch) {
      const detail = `Invalid value: ${JSON.stringify(uid)}: field is immutable`;
      throw invalid(definition, at.name, [{ field: 'metadata.uid', reason: 'FieldValueInvalid', detail }]);
    }
    const cause = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`;
    throw conflict(definition, at.name, cause);
  }
  const hasVersion = resourceVersion !== undefined && resourceVersion !== '' && resourceVersion !== '0';
  if (!hasVersion && !isPatch && !definition.unconditionalUpdate) {
    throw invalid({ ...definition, kind: definition.plural }, at.name, [
      {
        field: 'metadata.resourceVersion',
        reason: 'FieldValueInvalid',
        detail: 'Invalid value: 0: must be specified for an update',
      },
    ]);
  }
  if (hasVersion && resourceVersion !== old.metadata.resourceVersion)
    throw conflict(definition, at.name, modifiedMeanwhile);
}

/** The parts of `sent` that this request may change, on top of `old`. */
function revised(definition: ResourceDefinition, sent: ApiObject, old: ApiObject, subresource: string): ApiObject {
  const metadata = updatedMetadata(definition, sent, old);
  if (subresource === 'status') {
    return clean({ ...old, metadata: definition.custom ? old.metadata : metadata, status: sent.status });
  }
  const hasStatus = definition.subresources.includes('status');
  const candidate = clean({ ...sent, metadata, status: hasStatus ? old.status : sent.status });
  const next = definition.prepareUpdate?.(candidate, old) ?? candidate;
  if (!definition.hasGeneration || sameContent(next, old, !hasStatus)) return next;
  return { ...next, metadata: { ...next.metadata, generation: (old.metadata.generation ?? 0) + 1 } };
}

function clean(object: Record<string, unknown>): ApiObject {
  if (object.status === undefined) delete object.status;
  return object as unknown as ApiObject;
}

/** Deleted, and nothing holds it any more. */
export function isFinished(object: ApiObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds !== 0) return false;
  return finalizers.length === 0 && !isHeldBySpec(object);
}

/** Namespaces are held by `spec.finalizers` until their content is gone. */
export function isHeldBySpec(object: ApiObject): boolean {
  return object.kind === 'Namespace' && object.apiVersion === 'v1' && listAt(object, 'spec', 'finalizers').length > 0;
}

function writerOf(core: Core, definition: ResourceDefinition, options: WriteOptions): Writer {
  return {
    manager: options.manager,
    apiVersion: apiVersionOf(definition),
    subresource: options.subresource,
    now: core.now(),
  };
}
