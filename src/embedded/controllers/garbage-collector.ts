// The garbage collector: objects whose owners are all gone are deleted, and the deletion policies are carried out.
//
//   G1. An object is deleted only when every owner that it names is certainly gone: no object with that uid is stored.
//   G2. With Foreground an owner waits for the dependents that block it; with Orphan dependents lose the reference and stay.
import type { Core } from '../core.js';
import { deleteObject, foregroundFinalizer, orphanFinalizer } from '../objects/delete.js';
import { updateObject } from '../objects/write.js';
import type { ResourceDefinition } from '../resources/definition.js';
import { keyOf } from '../store.js';
import type { ApiObject, OwnerReference, StoreEvent } from '../types.js';

const DELAY_MS = 5;
const writer = { manager: 'embedded', subresource: '', dryRun: false, isPatch: true } as const;

interface Located {
  readonly definition: ResourceDefinition;
  readonly object: ApiObject;
}

/** Starts collecting, so long after each change. Returns what stops it. */
export function startGarbageCollector(core: Core, delayMs = DELAY_MS): () => void {
  const places = new Map<string, { resource: string; key: string }>();
  const dependents = new Map<string, Set<string>>();
  const pending = new Map<string, () => void>();

  const locate = (uid: string): Located | null => {
    const place = places.get(uid);
    if (place === undefined) return null;
    const [group = '', plural = ''] = place.resource.split('/');
    const definition = core.catalog.byName(group === '' ? plural : `${plural}.${group}`);
    const object = core.store.get(place.resource, place.key);
    return definition === undefined || object?.metadata.uid !== uid ? null : { definition, object };
  };
  const later = (uid: string, act: (uid: string) => void): void => {
    if (pending.has(uid)) return;
    const cancel = core.clock.schedule(delayMs, () => {
      pending.delete(uid);
      act(uid);
    });
    pending.set(uid, cancel);
  };
  const look = (uid: string): void => {
    const found = locate(uid);
    if (found === null) return;
    const below = [...(dependents.get(uid) ?? [])].flatMap((dependent) => locate(dependent) ?? []);
    if (found.object.metadata.deletionTimestamp !== undefined) finishDeletion(core, found, below);
    else collect(core, found, (owner) => isGone(locate(owner.uid), owner, found.object));
  };

  const stop = core.store.subscribe((event) => {
    const { uid } = event.object.metadata;
    if (uid === undefined) return;
    remember(event, uid, places, dependents);
    if (event.type === 'DELETED') {
      for (const dependent of dependents.get(uid) ?? []) later(dependent, look);
      dependents.delete(uid);
      for (const owner of event.object.metadata.ownerReferences ?? []) later(owner.uid, look);
    } else if (matters(event.object)) {
      later(uid, look);
      for (const owner of event.object.metadata.ownerReferences ?? []) {
        if (locate(owner.uid)?.object.metadata.deletionTimestamp !== undefined) later(owner.uid, look);
      }
    }
  });
  return () => {
    stop();
    for (const cancel of pending.values()) cancel();
  };
}

function matters({ metadata }: ApiObject): boolean {
  const { ownerReferences = [], finalizers = [] } = metadata;
  return ownerReferences.length > 0 || finalizers.includes(foregroundFinalizer) || finalizers.includes(orphanFinalizer);
}

function remember(
  event: StoreEvent,
  uid: string,
  places: Map<string, { resource: string; key: string }>,
  dependents: Map<string, Set<string>>,
): void {
  const { metadata } = event.object;
  for (const owner of event.previous?.metadata.ownerReferences ?? []) dependents.get(owner.uid)?.delete(uid);
  if (event.type === 'DELETED') {
    places.delete(uid);
    return;
  }
  places.set(uid, { resource: event.resource, key: keyOf(metadata.namespace ?? '', metadata.name) });
  for (const owner of metadata.ownerReferences ?? []) {
    dependents.set(owner.uid, (dependents.get(owner.uid) ?? new Set()).add(uid));
  }
}

/** An owner in another namespace than its dependent does not count as an owner. */
function isGone(found: Located | null, owner: OwnerReference, dependent: ApiObject): boolean {
  if (found === null || found.object.metadata.name !== owner.name) return true;
  const { namespace } = found.object.metadata;
  return namespace !== undefined && namespace !== dependent.metadata.namespace;
}

function placeOf(object: ApiObject): { namespace: string; name: string } {
  return { namespace: object.metadata.namespace ?? '', name: object.metadata.name };
}

/** Deletes what has lost all its owners; takes away references to those that are gone. */
function collect(core: Core, { definition, object }: Located, gone: (owner: OwnerReference) => boolean): void {
  const owners = object.metadata.ownerReferences ?? [];
  const remaining = owners.filter((owner) => !gone(owner));
  if (owners.length === 0 || remaining.length === owners.length) return;
  const { uid } = object.metadata;
  if (remaining.length === 0) {
    deleteObject(core, definition, placeOf(object), {
      dryRun: false,
      propagation: 'Background',
      ...(uid === undefined ? {} : { uid }),
    });
  } else {
    setOwners(core, definition, object, remaining);
  }
}

function setOwners(
  core: Core,
  definition: ResourceDefinition,
  object: ApiObject,
  owners: readonly OwnerReference[],
): void {
  const change = (old: ApiObject): { object: ApiObject } => ({
    object: { ...old, metadata: { ...old.metadata, ownerReferences: owners } },
  });
  updateObject(core, definition, placeOf(object), change, writer);
}

function finishDeletion(core: Core, { definition, object }: Located, dependents: readonly Located[]): void {
  const { finalizers = [], uid } = object.metadata;
  if (finalizers.includes(orphanFinalizer)) {
    for (const dependent of dependents) {
      const owners = (dependent.object.metadata.ownerReferences ?? []).filter((owner) => owner.uid !== uid);
      setOwners(core, dependent.definition, dependent.object, owners);
    }
    withoutFinalizer(core, definition, object, orphanFinalizer);
    return;
  }
  if (!finalizers.includes(foregroundFinalizer)) return;
  const blocking = dependents.filter(({ object: dependent }) =>
    (dependent.metadata.ownerReferences ?? []).some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true),
  );
  if (blocking.length === 0) {
    withoutFinalizer(core, definition, object, foregroundFinalizer);
    return;
  }
  for (const dependent of dependents) {
    if (dependent.object.metadata.deletionTimestamp !== undefined) continue;
    deleteObject(core, dependent.definition, placeOf(dependent.object), { dryRun: false, propagation: 'Foreground' });
  }
}

function withoutFinalizer(core: Core, definition: ResourceDefinition, object: ApiObject, finalizer: string): void {
  const change = (old: ApiObject): { object: ApiObject } => ({
    object: {
      ...old,
      metadata: { ...old.metadata, finalizers: (old.metadata.finalizers ?? []).filter((other) => other !== finalizer) },
    },
  });
  updateObject(core, definition, placeOf(object), change, writer);
}
