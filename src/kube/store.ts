// The newest known objects of one resource, with indexes, listeners and the floor that live reads and our own writes set.
//
//   S1. An object never goes back: what is older than what is known is dropped, whoever brings it. Only a current list may
//       (a server whose etcd was restored has gone back itself).
//   S2. Objects are frozen and reduced by the projection before anybody sees them; managedFields are always dropped.
//   S3. Listeners are called after the whole change is in the store; one that throws harms nobody else.
//   S4. `sync` is true for what a list showed: nobody changed anything just now.

import type { Cache, CacheChange, KubeObject, Resource } from './contract.js';
import type { ReflectorTarget } from './reflector.js';
import { compareVersions, newerVersion } from './resource-version.js';
import { createShownWaiters, type Shown, type ShownWaiters } from './shown-waiters.js';
import { createVersionOrder, type VersionOrder } from './version-order.js';

/** Values under which an object is found. Pure; called with projected objects. */
export type IndexFunction<T> = (object: T) => readonly string[];

/** How a store is made. */
export interface StoreOptions<T extends KubeObject> {
  readonly resource: Resource;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  /** Keeps what is read, drops the rest. Must keep apiVersion, kind and metadata. */
  readonly project?: (object: KubeObject) => T;
  /** A listener or an index function threw: a bug. */
  readonly onError?: (error: unknown) => void;
}

/** A cache with its writing side. */
export interface Store<T extends KubeObject> extends Cache<T>, Required<ReflectorTarget> {
  readonly size: number;
  /** What a consistent live read showed: the object or its absence, at this version of the server. */
  settle(namespace: string, name: string, object: KubeObject | null, resourceVersion: string): void;
  /** True when this store shows the write or something later. */
  shows(receipt: Shown): boolean;
  /** Calls the listener after every change by which this store may have come to show the write, until it is taken off. */
  onNews(receipt: Shown, listener: () => void): () => void;
  /** Ends when the first complete list is in. */
  whenSynced(): Promise<void>;
  /** Calls the listener after every change of content or version, once the listeners of changes are through. */
  onMove(listener: () => void): () => void;
}

interface Floor {
  readonly key: string;
  readonly resourceVersion: string;
  readonly mark: number;
}

interface State<T extends KubeObject> {
  readonly objects: Map<string, T>;
  readonly indexes: Map<string, Map<string, Map<string, T>>>;
  /** What live reads showed and the watch has not reached yet. */
  readonly floors: Map<string, Floor>;
  readonly floorOrder: VersionOrder<Floor>;
  readonly listeners: Set<(change: CacheChange<T>) => void>;
  readonly movers: Set<() => void>;
  readonly waiters: ShownWaiters;
  resourceVersion: string;
  synced: boolean;
  mark: number;
}

/** The index over namespaces that every store has. */
const NAMESPACE_INDEX = 'metadata.namespace';

/** An empty store. */
export function createStore<T extends KubeObject>(options: StoreOptions<T>): Store<T> {
  const floors = new Map<string, Floor>();
  const state: State<T> = {
    objects: new Map(),
    indexes: new Map([NAMESPACE_INDEX, ...Object.keys(options.indexes ?? {})].map((name) => [name, new Map()])),
    floors,
    floorOrder: createVersionOrder({
      isAlive: (floor) => floors.get(floor.key) === floor,
      count: () => floors.size,
    }),
    listeners: new Set(),
    movers: new Set(),
    waiters: createShownWaiters((listener) => guarded(options, listener)),
    resourceVersion: '',
    synced: false,
    mark: 0,
  };
  const synced = deferred();
  return {
    resource: options.resource,
    ...readers(state),
    ...writers(state, options, () => synced.resolve()),
    get synced() {
      return state.synced;
    },
    get resourceVersion() {
      return state.resourceVersion;
    },
    get size() {
      return state.objects.size;
    },
    whenSynced: () => synced.promise,
    shows: (receipt) => shows(state, receipt),
    onNews: (receipt, listener) =>
      state.waiters.add(keyOf(receipt.namespace, receipt.name), receipt.resourceVersion, listener),
    onMove(listener) {
      state.movers.add(listener);
      return () => void state.movers.delete(listener);
    },
  };
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

function readers<T extends KubeObject>(state: State<T>): Pick<Cache<T>, 'get' | 'list' | 'byIndex' | 'subscribe'> {
  const byIndex = (index: string, value: string): readonly T[] => {
    const values = state.indexes.get(index);
    if (values === undefined) throw new Error(`no index ${index} was declared: a bug`);
    return [...(values.get(value)?.values() ?? [])];
  };
  return {
    get: (namespace, name) => state.objects.get(keyOf(namespace, name)),
    list: (namespace) => (namespace === undefined ? [...state.objects.values()] : byIndex(NAMESPACE_INDEX, namespace)),
    byIndex,
    subscribe(listener) {
      state.listeners.add(listener);
      return () => void state.listeners.delete(listener);
    },
  };
}

function writers<T extends KubeObject>(
  state: State<T>,
  options: StoreOptions<T>,
  onSynced: () => void,
): Required<ReflectorTarget> & Pick<Store<T>, 'settle'> {
  const taken = new WeakSet<KubeObject>();
  const ingest = (object: KubeObject): T => {
    if (taken.has(object)) return object as T;
    const kept = frozen(projected(options, object));
    taken.add(kept);
    return kept;
  };
  return {
    ingest,
    mark: () => state.mark,

    replace(items, resourceVersion, { mark, consistent }) {
      const keeps = (key: string): boolean => {
        const floor = state.floors.get(key);
        return (
          floor !== undefined &&
          (!consistent || floor.mark > mark) &&
          compareVersions(floor.resourceVersion, resourceVersion) > 0
        );
      };
      const changes: CacheChange<T>[] = [];
      const listed = new Set<string>();
      for (const item of items) {
        const key = keyOf(item.metadata.namespace ?? '', item.metadata.name);
        listed.add(key);
        if (!keeps(key)) put(state, options, { key, object: ingest(item), sync: true }, changes);
      }
      for (const key of [...state.objects.keys()])
        if (!listed.has(key) && !keeps(key)) drop(state, options, { key, sync: true }, changes);
      for (const key of [...state.floors.keys()]) if (!keeps(key)) state.floors.delete(key);
      state.resourceVersion = resourceVersion;
      state.synced = true;
      notify(state, options, changes, null);
      onSynced();
    },

    apply(type, object) {
      const { namespace = '', name, resourceVersion = '' } = object.metadata;
      const key = keyOf(namespace, name);
      const changes: CacheChange<T>[] = [];
      if (!isOld(state, key, type, resourceVersion)) {
        if (type === 'DELETED') drop(state, options, { key, sync: false }, changes);
        else put(state, options, { key, object: ingest(object), sync: false }, changes);
      }
      advance(state, resourceVersion);
      notify(state, options, changes, [key]);
    },

    bookmark(resourceVersion) {
      advance(state, resourceVersion);
      notify(state, options, [], []);
    },

    settle(namespace, name, object, resourceVersion) {
      const key = keyOf(namespace, name);
      const known = state.objects.get(key)?.metadata.resourceVersion ?? '';
      if (compareVersions(known, object?.metadata.resourceVersion ?? resourceVersion) > 0) return;
      // An answer that was slow: what the store does not have went since.
      const reached = newerVersion(state.resourceVersion, state.floors.get(key)?.resourceVersion ?? '');
      if (known === '' && compareVersions(reached, resourceVersion) > 0) return;
      const changes: CacheChange<T>[] = [];
      state.mark += 1;
      if (compareVersions(resourceVersion, state.resourceVersion) > 0) raiseFloor(state, key, resourceVersion);
      if (object === null) drop(state, options, { key, sync: false }, changes);
      else put(state, options, { key, object: ingest(object), sync: false }, changes);
      notify(state, options, changes, [key]);
    },
  };
}

function keyOf(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** True for an event that tells what is known already, or was true before. */
function isOld<T extends KubeObject>(state: State<T>, key: string, type: string, resourceVersion: string): boolean {
  const floor = state.floors.get(key);
  if (floor !== undefined && compareVersions(resourceVersion, floor.resourceVersion) <= 0) return true;
  const known = state.objects.get(key)?.metadata.resourceVersion;
  if (known === undefined) return false;
  const order = compareVersions(resourceVersion, known);
  // A server may report a deletion with the version of the object's last change.
  return type === 'DELETED' ? order < 0 : order <= 0;
}

function advance<T extends KubeObject>(state: State<T>, resourceVersion: string): void {
  state.resourceVersion = newerVersion(resourceVersion, state.resourceVersion);
  for (const { key } of state.floorOrder.take(state.resourceVersion)) state.floors.delete(key);
}

function raiseFloor<T extends KubeObject>(state: State<T>, key: string, resourceVersion: string): void {
  const floor: Floor = { key, resourceVersion, mark: state.mark };
  state.floors.set(key, floor);
  state.floorOrder.add(floor);
}

function shows<T extends KubeObject>(state: State<T>, receipt: Shown): boolean {
  const key = keyOf(receipt.namespace, receipt.name);
  // A later life has a later version, so the uid needs no look; an earlier life must not pass for a later one.
  const shown = state.objects.get(key)?.metadata.resourceVersion ?? state.resourceVersion;
  const floor = state.floors.get(key)?.resourceVersion ?? '';
  return compareVersions(newerVersion(shown, floor), receipt.resourceVersion) >= 0;
}

function put<T extends KubeObject>(
  state: State<T>,
  options: StoreOptions<T>,
  { key, object, sync }: { readonly key: string; readonly object: T; readonly sync: boolean },
  changes: CacheChange<T>[],
): void {
  const before = state.objects.get(key);
  if (before !== undefined) unindex(state, options, key, before);
  state.objects.set(key, object);
  index(state, options, key, object);
  const same =
    before?.metadata.resourceVersion === object.metadata.resourceVersion &&
    before?.metadata.uid === object.metadata.uid;
  if (!same) changes.push({ type: before === undefined ? 'added' : 'updated', sync, before, after: object });
}

function drop<T extends KubeObject>(
  state: State<T>,
  options: StoreOptions<T>,
  { key, sync }: { readonly key: string; readonly sync: boolean },
  changes: CacheChange<T>[],
): void {
  const before = state.objects.get(key);
  if (before === undefined) return;
  unindex(state, options, key, before);
  state.objects.delete(key);
  changes.push({ type: 'deleted', sync, before, after: undefined });
}

function indexValues<T extends KubeObject>(options: StoreOptions<T>, name: string, object: T): readonly string[] {
  if (name === NAMESPACE_INDEX) return [object.metadata.namespace ?? ''];
  try {
    return options.indexes?.[name]?.(object) ?? [];
  } catch (error) {
    options.onError?.(error);
    return [];
  }
}

function index<T extends KubeObject>(state: State<T>, options: StoreOptions<T>, key: string, object: T): void {
  for (const [name, values] of state.indexes) {
    for (const value of indexValues(options, name, object)) {
      const found = values.get(value);
      if (found === undefined) values.set(value, new Map([[key, object]]));
      else found.set(key, object);
    }
  }
}

function unindex<T extends KubeObject>(state: State<T>, options: StoreOptions<T>, key: string, object: T): void {
  for (const [name, values] of state.indexes) {
    for (const value of indexValues(options, name, object)) {
      const found = values.get(value);
      found?.delete(key);
      if (found?.size === 0) values.delete(value);
    }
  }
}

/** Tells what changed. `touched` are the keys of objects of which something was heard; null for all. */
function notify<T extends KubeObject>(
  state: State<T>,
  options: StoreOptions<T>,
  changes: readonly CacheChange<T>[],
  touched: readonly string[] | null,
): void {
  for (const change of changes) for (const listener of [...state.listeners]) guarded(options, () => listener(change));
  for (const mover of [...state.movers]) guarded(options, mover);
  const { waiters, resourceVersion } = state;
  if (touched === null) waiters.tellAll();
  else touched.forEach((key) => waiters.tellOfObject(key));
  waiters.tellOfVersion(resourceVersion);
}

function guarded({ onError }: Pick<StoreOptions<KubeObject>, 'onError'>, run: () => void): void {
  try {
    run();
  } catch (error) {
    onError?.(error);
  }
}

function projected<T extends KubeObject>(options: StoreOptions<T>, object: KubeObject): T {
  const { managedFields: _, ...metadata } = object.metadata as KubeObject['metadata'] & {
    readonly managedFields?: unknown;
  };
  const slim: KubeObject = { ...object, metadata };
  return options.project === undefined ? (slim as T) : options.project(slim);
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
