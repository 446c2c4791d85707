// What this process remembers between turns. Forgetting all of it costs reads and nothing else.
//
//   R1. A token is due when somebody else changed its KubeadmConfig, or what is read of its owner; not when we did and not when a
//       list came in.
//   R2. A lock that this process did not create is confirmed by one live read of its Cluster before anything is done under it.
//   R3. A store of unknown outcome is remembered for as long as it may still arrive.
import type { Key } from '../../host/contract.js';
import type { KubeObject } from '../../kube/contract.js';
import { STORE_MAY_ARRIVE_MS } from './limits.js';

/** The memory of one controller. */
export interface Memory {
  /** The object changed to this version (null: its owner changed). Whether it was us who did it is told later. */
  touch(key: Key, resourceVersion: string | null): void;
  /** The number of the newest touch by somebody else; 0 when the token was looked at since. */
  touchedBy(key: Key): number;
  /** The token was looked at on a view that had seen the touches up to this one. */
  tokenLooked(key: Key, touch: number): void;
  /** Which token the data holds: empty for none. Valid for this version of the Secret only. */
  dataToken(secret: KubeObject | null, key: Key): string | null;
  rememberDataToken(key: Key, secret: KubeObject | null, tokenId: string): void;
  /** The Cluster was read live after this process first saw itself as the holder of this lock. */
  isConfirmed(lockUid: string): boolean;
  confirm(lockUid: string): void;
  /** A write of bootstrap data got no answer. */
  storeUnknown(key: Key, sentAtMs: number): void;
  /** Whether data may still arrive: of this process, or of the one before it. */
  mayDataArrive(key: Key, options: { readonly nowMs: number; readonly isOwnLock: boolean }): boolean;
  /** Locks that this process created, each for one life of a KubeadmConfig. */
  created(lockUid: string, configUid: string): void;
  hasCreated(lockUid: string): boolean;
  hasCreatedFor(lockUid: string, configUid: string): boolean;
  /** Deletions of locks that are under way, by uid: the actors of a cluster share one. */
  readonly releases: Map<string, Promise<void>>;
  /** The version of the KubeadmConfig that this process wrote last: its own echo is no touch. */
  wrote(key: Key, resourceVersion: string): void;
  hasWritten(key: Key, resourceVersion: string): boolean;
  /** The last Event, log line and comparison of an object, so that none is said twice. */
  said(key: Key, what: 'event' | 'log' | 'compared' | 'doubts', text: string): boolean;
  /** The object that the last failure of a key names; null when there is none. */
  waits(key: Key, object: Named | null): void;
  /** Keys whose last failure names this object. */
  waitersFor(object: Pick<Named, 'kind' | 'namespace' | 'name'>): readonly Key[];
  /** Keys whose last failure names an object of this kind. */
  waitersForKind(kind: string): readonly (readonly [Key, Named])[];
  /** Whether the object holds a token of ours and no data. */
  marked(key: Key, isMarked: boolean): void;
  readonly markedCount: number;
  /** The cluster for which keys are made ahead of need on behalf of an object; null for none. It outlives `forget`. */
  preparedFor(key: Key): string | null;
  prepares(key: Key, cluster: string | null): void;
  forget(key: Key): void;
}

/** An object as failures name it. */
export interface Named {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

interface ObjectMemory {
  touches: { readonly number: number; readonly version: string | null }[];
  dataToken: { readonly version: string; readonly id: string } | null;
  unknownStoreMs: number | null;
  readonly versions: string[];
  readonly said: Map<string, string>;
}

/** Own versions of one object that are remembered: more than one turn writes. */
const VERSIONS_MAX = 8;
/** Locks that are remembered: one for each cluster that initialises at the same time, and some. */
const LOCKS_MAX = 1_000;

/** An empty memory. */
export function createMemory(startedMs: number): Memory {
  const objects = new Map<Key, ObjectMemory>();
  const confirmed = new Set<string>();
  /** The KubeadmConfig's uid, by that of the lock. */
  const created = new Map<string, string>();
  const waiting = new Map<Key, Named>();
  const waiters = new Map<string, Set<Key>>();
  const marked = new Set<Key>();
  const prepared = new Map<Key, string>();
  let lastTouch = 0;

  const of = (key: Key): ObjectMemory => {
    const known = objects.get(key);
    if (known !== undefined) return known;
    const fresh: ObjectMemory = {
      touches: [],
      dataToken: null,
      unknownStoreMs: null,
      versions: [],
      said: new Map(),
    };
    objects.set(key, fresh);
    return fresh;
  };
  const endWait = (key: Key): void => {
    const object = waiting.get(key);
    if (object === undefined) return;
    waiting.delete(key);
    const keys = waiters.get(idOf(object));
    keys?.delete(key);
    if (keys?.size === 0) waiters.delete(idOf(object));
  };
  const versionOf = (secret: KubeObject | null): string =>
    secret === null ? 'absent' : `${secret.metadata.uid}/${secret.metadata.resourceVersion}`;

  return {
    releases: new Map(),
    touch: (key, version) => {
      const known = of(key);
      lastTouch += 1;
      // An event may come before the answer to the write that caused it: our own are left out when somebody asks.
      known.touches = [...known.touches.slice(1 - VERSIONS_MAX), { number: lastTouch, version }];
    },
    touchedBy: (key) => {
      const { touches = [], versions = [] } = objects.get(key) ?? {};
      return touches.findLast(({ version }) => version === null || !versions.includes(version))?.number ?? 0;
    },
    tokenLooked: (key, touch) => {
      const known = of(key);
      known.touches = known.touches.filter(({ number }) => number > touch);
    },
    dataToken: (secret, key) => {
      const known = objects.get(key)?.dataToken ?? null;
      return known?.version === versionOf(secret) ? known.id : null;
    },
    rememberDataToken: (key, secret, id) => void (of(key).dataToken = { version: versionOf(secret), id }),
    isConfirmed: (lockUid) => confirmed.has(lockUid),
    confirm: (lockUid) => {
      confirmed.add(lockUid);
      bound(confirmed);
    },
    storeUnknown: (key, sentAtMs) => void (of(key).unknownStoreMs = sentAtMs),
    mayDataArrive: (key, { nowMs, isOwnLock }) => {
      const sentMs = objects.get(key)?.unknownStoreMs ?? null;
      if (sentMs !== null && nowMs - sentMs < STORE_MAY_ARRIVE_MS) return true;
      return !isOwnLock && nowMs - startedMs < STORE_MAY_ARRIVE_MS;
    },
    created: (lockUid, configUid) => {
      created.set(lockUid, configUid);
      bound(created);
    },
    hasCreated: (lockUid) => created.has(lockUid),
    hasCreatedFor: (lockUid, configUid) => created.get(lockUid) === configUid,
    wrote: (key, resourceVersion) => {
      const { versions } = of(key);
      versions.push(resourceVersion);
      if (versions.length > VERSIONS_MAX) versions.shift();
    },
    hasWritten: (key, resourceVersion) => objects.get(key)?.versions.includes(resourceVersion) === true,
    said: (key, what, text) => {
      const { said } = of(key);
      if (said.get(what) === text) return true;
      said.set(what, text);
      return false;
    },
    waits: (key, object) => {
      endWait(key);
      if (object === null) return;
      waiting.set(key, object);
      const keys = waiters.get(idOf(object)) ?? new Set();
      waiters.set(idOf(object), keys.add(key));
    },
    waitersFor: (object) => [...(waiters.get(idOf(object)) ?? [])],
    waitersForKind: (kind) => [...waiting].filter(([, object]) => object.kind === kind),
    marked: (key, isMarked) => void (isMarked ? marked.add(key) : marked.delete(key)),
    get markedCount() {
      return marked.size;
    },
    preparedFor: (key) => prepared.get(key) ?? null,
    prepares: (key, cluster) => void (cluster === null ? prepared.delete(key) : prepared.set(key, cluster)),
    forget: (key) => {
      objects.delete(key);
      endWait(key);
      marked.delete(key);
    },
  };
}

function idOf({ kind, namespace, name }: Pick<Named, 'kind' | 'namespace' | 'name'>): string {
  return `${kind}/${namespace}/${name}`;
}

/** The oldest is forgotten. */
function bound(locks: Set<string> | Map<string, unknown>): void {
  const [oldest] = locks.keys();
  if (locks.size > LOCKS_MAX && oldest !== undefined) locks.delete(oldest);
}
