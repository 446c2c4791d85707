// A client that writes nothing and tells what it would have written: for `--shadow`.
//
//   D1. Nothing that could change an object leaves this process; questions to the server (reviews, dry runs) do.
//   D2. A report names fields, never values.
//   D3. A write is answered as the server would have answered it, judged by the object as it is now, so that what follows from
//       it is decided, too. No later read shows it.

import { mergePatch } from '../api/merge-patch.js';
import type { ApiClient, ApiFailureKind, KubeObject, Target, WriteOptions } from './contract.js';
import { ApiError } from './contract.js';
import { isApiError } from './failures.js';
import { isReviewPath } from './resource-paths.js';

/** A write that was not made. */
export interface ShadowWrite {
  readonly verb: 'create' | 'update' | 'patch' | 'apply' | 'delete' | 'post';
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** Fields that the write sets, as paths. */
  readonly fields: readonly string[];
  /** Those of them that the object does not have like that already; null when it could not be read. */
  readonly differing: readonly string[] | null;
  /** True when the object agrees already: the write would change nothing. Null when it could not be read. */
  readonly agrees: boolean | null;
}

/** Objects whose pretended state is remembered: those of the turns that run. */
const PRETENDED_MAX = 1_000;

/** The client without its writes. `report` must not throw. */
export function shadowClient(client: ApiClient, report: (write: ShadowWrite) => void): ApiClient {
  const pretended = createPretended();
  const tell = (
    verb: ShadowWrite['verb'],
    { target, body, subresource = '' }: { target: Target; body: object | null; subresource?: string | undefined },
    live: KubeObject | null | undefined,
  ): void => {
    const leaves = body === null ? [] : leavesOf(body);
    const differing = difference(live, leaves, verb);
    const { resource, namespace, name } = target;
    report({
      ...{ verb, kind: resource.kind, namespace, name, subresource },
      fields: leaves.map(([path]) => path),
      differing,
      agrees: differing === null ? null : differing.length === 0,
    });
  };
  const change = async <T extends KubeObject>(
    verb: 'update' | 'patch' | 'apply',
    target: Target,
    body: object,
    options: WriteOptions | undefined,
  ): Promise<T> => {
    const live = await readLive(client, target);
    tell(verb, { target, body, subresource: options?.subresource }, live);
    if (live === null && verb !== 'apply') throw refusal(verb, target, 'NotFound');
    if (isObject(live) && !isGuardMet(live, (body as Partial<KubeObject>).metadata)) {
      throw refusal(verb, target, 'Conflict');
    }
    const base = verb === 'update' ? (live ?? {}) : pretended.on(target, live);
    return pretended.keep(target, live, mergePatch(base, body) as object) as T;
  };
  return {
    isShadow: true,
    get: (target, options) => client.get(target, options),
    list: (resource, options) => client.list(resource, options),
    watch: (resource, options) => client.watch(resource, options),
    async create<T extends KubeObject>(resource: Target['resource'], object: object, options?: WriteOptions) {
      if (options?.dryRun === true) return client.create<T>(resource, object, options);
      const { namespace = '', name = '' } = (object as Partial<KubeObject>).metadata ?? {};
      const target = { resource, namespace, name };
      const live = name === '' ? null : await readLive(client, target);
      tell('create', { target, body: object }, live);
      if (isObject(live)) throw refusal('create', target, 'AlreadyExists');
      return pretended.keep(target, live, mergePatch({}, object) as object) as T;
    },
    update: (target, object, options) =>
      options?.dryRun === true ? client.update(target, object, options) : change('update', target, object, options),
    mergePatch: (target, body, options) =>
      options?.dryRun === true ? client.mergePatch(target, body, options) : change('patch', target, body, options),
    apply: (target, object, options) =>
      options.dryRun === true ? client.apply(target, object, options) : change('apply', target, object, options),
    async delete(target, options) {
      if (options?.dryRun === true) return client.delete(target, options);
      const live = await readLive(client, target);
      tell('delete', { target, body: null, subresource: options?.subresource }, live);
      if (live === null) throw refusal('delete', target, 'NotFound');
      if (isObject(live) && !isGuardMet(live, options?.preconditions)) throw refusal('delete', target, 'Conflict');
    },
    post<T>(path: string, body: object, options?: Parameters<ApiClient['post']>[2]) {
      if (isReviewPath(path)) return client.post<T>(path, body, options);
      const { kind = path, metadata } = body as Partial<KubeObject>;
      const { namespace = '', name = '' } = metadata ?? {};
      const fields = leavesOf(body).map(([field]) => field);
      report({ verb: 'post', kind, namespace, name, subresource: '', fields, differing: null, agrees: null });
      return Promise.resolve(body as T);
    },
  };
}

/** What objects would look like after the writes of a turn, for as long as nobody else changes them. */
function createPretended() {
  const known = new Map<string, { readonly version: string; readonly object: object }>();
  let made = 0;
  const idOf = ({ resource, namespace, name }: Target): string => `${resource.plural}/${namespace}/${name}`;
  const versionOf = (live: KubeObject | null | undefined): string => live?.metadata.resourceVersion ?? '';
  return {
    on(target: Target, live: KubeObject | null | undefined): object {
      const before = known.get(idOf(target));
      return before !== undefined && before.version === versionOf(live) ? before.object : (live ?? {});
    },
    /** Without a version: nothing of it was stored, so nothing may be guarded by it or waited for. */
    keep(target: Target, live: KubeObject | null | undefined, object: object): object {
      made += 1;
      const { metadata = {} } = object as { readonly metadata?: object };
      const uid = live?.metadata.uid ?? `shadow-${made}`;
      const whole = { ...object, metadata: { ...metadata, uid, resourceVersion: '' } };
      known.delete(idOf(target));
      known.set(idOf(target), { version: versionOf(live), object: whole });
      const [oldest] = known.keys();
      if (known.size > PRETENDED_MAX && oldest !== undefined) known.delete(oldest);
      return whole;
    },
  };
}

/** Whether the server would take a write with these preconditions. An empty version is that of a pretended object. */
function isGuardMet(
  live: KubeObject,
  wanted: { readonly uid?: string; readonly resourceVersion?: string } | undefined,
): boolean {
  const { uid, resourceVersion = '' } = wanted ?? {};
  if (uid !== undefined && uid !== live.metadata.uid) return false;
  return resourceVersion === '' || resourceVersion === live.metadata.resourceVersion;
}

const refusals = {
  NotFound: [404, 'not found'],
  AlreadyExists: [409, 'already exists'],
  Conflict: [409, 'the object has been modified; please apply your changes to the latest version and try again'],
} as const satisfies Partial<Record<ApiFailureKind, readonly [number, string]>>;

/** What the server would have answered. */
function refusal(verb: string, { resource, namespace, name }: Target, kind: keyof typeof refusals): ApiError {
  const [status, what] = refusals[kind];
  const message = `${resource.plural} "${name}" ${what}`;
  const target = { kind: resource.kind, namespace, name };
  return new ApiError({ kind, status, reason: kind, message, retryAfterMs: null, verb, target });
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

type Leaf = readonly [path: string, keys: readonly string[], value: unknown];

/** Fields that name the object or guard the write instead of changing something. */
const GUARDS: ReadonlySet<string> = new Set([
  'apiVersion',
  'kind',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'metadata.resourceVersion',
]);

/** Every field that a body sets. Lists count as one field: patches replace them whole. */
function leavesOf(body: object): readonly Leaf[] {
  const leaves: Leaf[] = [];
  const visit = (value: unknown, keys: readonly string[]): void => {
    const isMap = typeof value === 'object' && value !== null && !Array.isArray(value);
    const entries = isMap ? Object.entries(value).filter(([, part]) => part !== undefined) : [];
    if (entries.length > 0) for (const [key, part] of entries) visit(part, [...keys, key]);
    else leaves.push([pathOf(keys), keys, value]);
  };
  visit(body, []);
  return leaves.filter(([path]) => path !== '' && !GUARDS.has(path));
}

/** `spec.files`, and `metadata.annotations[cluster.x-k8s.io/x]` where a key is no plain word. */
function pathOf(keys: readonly string[]): string {
  return keys.reduce(
    (path, key) => (/^[A-Za-z0-9_-]+$/.test(key) ? `${path}${path === '' ? '' : '.'}${key}` : `${path}[${key}]`),
    '',
  );
}

/** The object as it is now: null when there is none, undefined when it may not be read. */
async function readLive(client: ApiClient, target: Target): Promise<KubeObject | null | undefined> {
  try {
    return await client.get(target);
  } catch (error) {
    if (isApiError(error, 'Aborted')) throw error;
    return isApiError(error, 'NotFound') ? null : undefined;
  }
}

function difference(
  live: KubeObject | null | undefined,
  leaves: readonly Leaf[],
  verb: ShadowWrite['verb'],
): readonly string[] | null {
  if (live === undefined) return null;
  if (live === null) return verb === 'delete' ? [] : leaves.map(([path]) => path);
  // A deletion agrees with an object that is on its way out.
  if (verb === 'delete') return live.metadata.deletionTimestamp === undefined ? ['metadata.deletionTimestamp'] : [];
  return leaves.filter(([, keys, value]) => !agrees(valueAt(live, keys), value)).map(([path]) => path);
}

function valueAt(object: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    object,
  );
}

/** Null in a patch means absence; stringData cannot be read back and never agrees. */
function agrees(live: unknown, wanted: unknown): boolean {
  if (wanted === null || wanted === undefined) return live === undefined || live === null;
  if (typeof wanted !== 'object') return live === wanted;
  if (typeof live !== 'object' || live === null) return false;
  const [a, b] = [live as Record<string, unknown>, wanted as Record<string, unknown>];
  if (Array.isArray(a) !== Array.isArray(b) || (Array.isArray(a) && Object.keys(a).length !== Object.keys(b).length))
    return false;
  return Object.entries(b).every(([key, part]) => agrees(a[key], part));
}
