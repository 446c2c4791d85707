// The newest known objects of one resource: a list, then a watch, for ever.
//
//   R1. A watch that ends is opened again from the last revision seen; a revision that is gone means a new list.
//   R2. What is missing from a new list is reported as gone.
import type { EmbeddedClock } from '../types.js';
import type { KubeObject, Resource } from '../../api/rest.js';
import type { InfrastructureClient } from './ports.js';

const retryMs = 500;

/** A read-only view of one resource. */
export interface Mirror<T extends KubeObject> {
  get(namespace: string, name: string): T | undefined;
  /** The objects of a group, by `groupOf`. */
  group(key: string): readonly T[];
  /** Resolves after the first list. */
  start(): Promise<void>;
  stop(): void;
}

/** Makes a mirror; `changed` hears of every object that came, changed or went. */
export function createMirror<T extends KubeObject>(options: {
  readonly client: InfrastructureClient;
  readonly resource: Resource;
  readonly clock: EmbeddedClock;
  readonly changed: (object: T) => void;
  /** The group that an object is in; without it there are none. */
  readonly groupOf?: (object: T) => string;
}): Mirror<T> {
  const { client, resource, clock, changed } = options;
  const objects = new Map<string, T>();
  const groups = createGroups(options.groupOf);
  const abort = new AbortController();
  const { signal } = abort;

  const put = (object: T): void => {
    groups.drop(objects.get(keyOf(object)));
    groups.put(object);
    objects.set(keyOf(object), object);
    changed(object);
  };
  const drop = (object: T): void => {
    groups.drop(objects.get(keyOf(object)));
    objects.delete(keyOf(object));
    changed(object);
  };
  const list = async (): Promise<string> => {
    const { items, resourceVersion } = await client.list<T>(resource, { signal });
    const seen = new Set(items.map(keyOf));
    for (const object of [...objects.values()]) if (!seen.has(keyOf(object))) drop(object);
    for (const object of items) put(object);
    return resourceVersion;
  };
  const follow = async (from: string): Promise<string | null> => {
    let revision = from;
    for await (const event of client.watch<T>(resource, { signal, resourceVersion: from })) {
      if (event.type === 'ERROR') return null;
      if (event.type === 'BOOKMARK') {
        revision = event.resourceVersion;
        continue;
      }
      revision = event.object.metadata.resourceVersion ?? revision;
      if (event.type === 'DELETED') drop(event.object);
      else put(event.object);
    }
    return revision;
  };
  const run = async (listed: () => void): Promise<void> => {
    let revision: string | null = null;
    while (!signal.aborted) {
      try {
        if (revision === null) {
          revision = await list();
          listed();
        }
        revision = await follow(revision);
        if (!signal.aborted) await pause(clock, 1, signal);
      } catch {
        revision = null;
        if (!signal.aborted) await pause(clock, retryMs, signal);
      }
    }
  };
  return {
    get: (namespace, name) => objects.get(`${namespace}/${name}`),
    group: groups.members,
    start: () => new Promise((resolve) => void run(resolve)),
    stop: () => abort.abort(),
  };
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

interface Groups<T> {
  put(object: T): void;
  drop(object: T | undefined): void;
  members(this: void, key: string): readonly T[];
}

function createGroups<T extends KubeObject>(groupOf: ((object: T) => string) | undefined): Groups<T> {
  const groups = new Map<string, Map<string, T>>();
  return {
    put(object) {
      if (groupOf === undefined) return;
      const key = groupOf(object);
      const members = groups.get(key) ?? new Map<string, T>();
      groups.set(key, members.set(keyOf(object), object));
    },
    drop(object) {
      if (groupOf === undefined || object === undefined) return;
      const key = groupOf(object);
      const members = groups.get(key);
      members?.delete(keyOf(object));
      if (members?.size === 0) groups.delete(key);
    },
    members: (key) => [...(groups.get(key)?.values() ?? [])],
  };
}

function pause(clock: EmbeddedClock, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.schedule(ms, end);
    signal.addEventListener('abort', end);
  });
}
