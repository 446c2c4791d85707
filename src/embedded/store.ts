// The objects of one cluster, with etcd's view of time: one revision for all resources, and a history for watches and pages.
//
//   S1. Every write gets the next revision and becomes the object's resourceVersion; a no-op is no write.
//   S2. A list at an earlier revision is exact as long as the history reaches back that far, else it is gone.
//   S3. Listeners see events in the order of revisions, before the write's answer.
import type { ApiObject, StoreEvent } from './types.js';

/** `namespace/name`, the namespace empty for cluster-scoped objects. Sorts as etcd's keys do. */
export type ObjectKey = string;

/** The store's port to the rest of the server. */
export interface Store {
  revision(): number;
  /** The oldest revision after which this resource's history is complete. */
  compactedRevision(resource: string): number;
  get(resource: string, key: ObjectKey): ApiObject | undefined;
  /** Writes with the next revision. */
  put(resource: string, key: ObjectKey, object: ApiObject): ApiObject;
  /** Removes; the last form of the object, with the deletion's revision, is what watchers see. */
  remove(resource: string, key: ObjectKey, last: ApiObject): ApiObject;
  /** Keys in order, all or those of one namespace. */
  keys(resource: string, namespace?: string): readonly ObjectKey[];
  /** Objects as they were at a revision that the history still reaches. */
  listAt(resource: string, revision: number): ReadonlyMap<ObjectKey, ApiObject>;
  /** Events of a resource after a revision. */
  eventsAfter(resource: string, revision: number): readonly StoreEvent[];
  subscribe(listener: (event: StoreEvent) => void): () => void;
  /** Forgets the history. */
  compact(): void;
  /** Forgets a resource with all its objects, without events: its definition is gone. */
  drop(resource: string): void;
}

interface Collection {
  readonly objects: Map<ObjectKey, ApiObject>;
  sorted: readonly ObjectKey[] | null;
  history: StoreEvent[];
  compacted: number;
}

/** The key of an object. */
export function keyOf(namespace: string, name: string): ObjectKey {
  return `${namespace}/${name}`;
}

/** Makes an empty store. `historyMax` is the number of events kept per resource. */
export function createStore(historyMax: number): Store {
  const collections = new Map<string, Collection>();
  const listeners = new Set<(event: StoreEvent) => void>();
  const unheard: StoreEvent[] = [];
  let revision = 1;
  let forgottenUpTo = 1;

  const collection = (resource: string): Collection => {
    let found = collections.get(resource);
    if (found === undefined) {
      found = { objects: new Map(), sorted: null, history: [], compacted: 0 };
      collections.set(resource, found);
    }
    return found;
  };

  const record = (target: Collection, event: StoreEvent): void => {
    target.history.push(event);
    if (target.history.length > historyMax * 2) trim(target, historyMax);
    unheard.push(event);
    if (unheard.length === 1) notify();
  };
  /** A listener may write: what it writes is heard after what it heard. */
  const notify = (): void => {
    for (let event = unheard[0]; event !== undefined; event = unheard[0]) {
      try {
        for (const listener of [...listeners]) listener(event);
      } finally {
        unheard.shift();
      }
    }
  };

  return {
    revision: () => revision,
    compactedRevision: (resource) => Math.max(forgottenUpTo, collection(resource).compacted),
    get: (resource, key) => collections.get(resource)?.objects.get(key),
    put(resource, key, object) {
      const target = collection(resource);
      const previous = target.objects.get(key);
      revision += 1;
      const stored = withRevision(object, revision);
      target.objects.set(key, stored);
      if (previous === undefined) target.sorted = null;
      const type = previous === undefined ? 'ADDED' : 'MODIFIED';
      record(target, { revision, type, resource, object: stored, previous });
      return stored;
    },
    remove(resource, key, last) {
      const target = collection(resource);
      const previous = target.objects.get(key);
      revision += 1;
      const final = withRevision(last, revision);
      target.objects.delete(key);
      target.sorted = null;
      record(target, { revision, type: 'DELETED', resource, object: final, previous });
      return final;
    },
    keys(resource, namespace) {
      const target = collection(resource);
      target.sorted ??= [...target.objects.keys()].sort();
      if (namespace === undefined) return target.sorted;
      return slice(target.sorted, `${namespace}/`);
    },
    listAt: (resource, wanted) => past(collection(resource), wanted),
    eventsAfter(resource, after) {
      const { history } = collection(resource);
      return history.slice(firstAfter(history, after));
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    compact() {
      forgottenUpTo = revision;
      for (const target of collections.values()) target.history = [];
    },
    drop(resource) {
      const target = collection(resource);
      target.objects.clear();
      target.sorted = null;
      target.history = [];
      target.compacted = revision;
    },
  };
}

function withRevision(object: ApiObject, revision: number): ApiObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
}

function trim(target: Collection, historyMax: number): void {
  const dropped = target.history.length - historyMax;
  target.compacted = target.history[dropped - 1]?.revision ?? target.compacted;
  target.history = target.history.slice(dropped);
}

/** Undoes the events after a revision, newest first. */
function past(target: Collection, revision: number): ReadonlyMap<ObjectKey, ApiObject> {
  const first = firstAfter(target.history, revision);
  if (first === target.history.length) return target.objects;
  const objects = new Map(target.objects);
  for (let index = target.history.length - 1; index >= first; index -= 1) {
    const event = target.history[index];
    if (event === undefined) continue;
    const { metadata } = event.object;
    const key = keyOf(metadata.namespace ?? '', metadata.name);
    if (event.previous === undefined) objects.delete(key);
    else objects.set(key, event.previous);
  }
  return objects;
}

/** Index of the first event after a revision: the history is sorted. */
function firstAfter(history: readonly StoreEvent[], revision: number): number {
  let low = 0;
  let high = history.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((history[middle]?.revision ?? Infinity) > revision) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The keys with a prefix, from a sorted list. */
function slice(sorted: readonly ObjectKey[], prefix: string): readonly ObjectKey[] {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') >= prefix) high = middle;
    else low = middle + 1;
  }
  let end = low;
  while (end < sorted.length && sorted[end]?.startsWith(prefix)) end += 1;
  return sorted.slice(low, end);
}
