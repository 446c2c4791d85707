// CustomResourceDefinitions in action: serves what is defined, and ends a definition only after its objects.
import type { Core } from '../core.js';
import { deleteObject } from '../objects/delete.js';
import { updateObject } from '../objects/write.js';
import { currentObjects } from '../read/list.js';
import { storageOf } from '../resources/definition.js';
import { establishedStatus } from '../resources/custom.js';
import { everything } from '../selectors.js';
import { keyOf } from '../store.js';
import type { ApiObject, StoreEvent } from '../types.js';

const storage = 'apiextensions.k8s.io/customresourcedefinitions';
const finalizer = 'customresourcecleanup.apiextensions.k8s.io';
const writer = { manager: 'embedded', dryRun: false, isPatch: true } as const;

/** Keeps the catalog in step with the stored definitions. Returns what stops it. */
export function startDefinitionController(core: Core): () => void {
  return core.store.subscribe((event) => {
    if (event.resource === storage) onDefinition(core, event);
    else if (event.type === 'DELETED') onInstanceGone(core, event);
  });
}

function onDefinition(core: Core, event: StoreEvent): void {
  const { object } = event;
  if (event.type === 'DELETED') {
    const gone = core.catalog.undefine(object.metadata.name);
    if (gone !== undefined) core.store.drop(storageOf(gone));
    return;
  }
  if (object.metadata.deletionTimestamp !== undefined) {
    finish(core, object);
    return;
  }
  core.catalog.define(object);
  if (object.status === undefined) establish(core, object);
}

/** Marks a definition as served, and holds it until its objects are gone. */
function establish(core: Core, crd: ApiObject): void {
  const definitions = core.catalog.byName('customresourcedefinitions.apiextensions.k8s.io');
  if (definitions === undefined) return;
  const place = { namespace: '', name: crd.metadata.name };
  const held = (old: ApiObject): { object: ApiObject } => ({
    object: { ...old, metadata: { ...old.metadata, finalizers: [finalizer] } },
  });
  updateObject(core, definitions, place, held, { ...writer, subresource: '' });
  const established = (old: ApiObject): { object: ApiObject } => ({
    object: { ...old, status: establishedStatus(old, core.now()) },
  });
  updateObject(core, definitions, place, established, { ...writer, subresource: 'status' });
}

/** Deletes the objects of a definition that is going; the last of them lets it go. */
function finish(core: Core, crd: ApiObject): void {
  const defined = core.catalog.byName(crd.metadata.name);
  if (defined !== undefined) {
    for (const object of currentObjects(core, defined, '', everything)) {
      if (object.metadata.deletionTimestamp !== undefined) continue;
      const place = { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
      deleteObject(core, defined, place, { dryRun: false });
    }
    if (core.store.keys(storageOf(defined)).length > 0) return;
  }
  release(core, crd.metadata.name);
}

function release(core: Core, name: string): void {
  const definitions = core.catalog.byName('customresourcedefinitions.apiextensions.k8s.io');
  const current = core.store.get(storage, keyOf('', name));
  if (definitions === undefined || current === undefined) return;
  const freed = (old: ApiObject): { object: ApiObject } => ({
    object: {
      ...old,
      metadata: { ...old.metadata, finalizers: (old.metadata.finalizers ?? []).filter((other) => other !== finalizer) },
    },
  });
  updateObject(core, definitions, { namespace: '', name }, freed, { ...writer, subresource: '' });
}

function onInstanceGone(core: Core, event: StoreEvent): void {
  const [group = '', plural = ''] = event.resource.split('/');
  const crd = core.store.get(storage, keyOf('', `${plural}.${group}`));
  if (crd?.metadata.deletionTimestamp !== undefined) finish(core, crd);
}
