// A client that writes nothing and tells what it would have written: for `--shadow`.
//
//   D1. Nothing that could change an object leaves this process; questions to the server (reviews, dry runs) do.
//   D2. A report names fields, never values.
//   D3. Every write ends as Refused with the reason ShadowMode, so nothing downstream takes it for done.

import type { ApiClient, KubeObject, Target } from './contract.js';
import { failureOfSilence, isApiError } from './failures.js';
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

/** The client without its writes. `report` must not throw. */
export function shadowClient(client: ApiClient, report: (write: ShadowWrite) => void): ApiClient {
  const refuse = async (
    write: Omit<ShadowWrite, 'differing' | 'agrees' | 'fields'>,
    target: Target | null,
    body: object | null,
  ): Promise<never> => {
    const leaves = body === null ? [] : leavesOf(body);
    const differing = target === null ? null : await difference(client, target, leaves, write.verb);
    report({
      ...write,
      fields: leaves.map(([path]) => path),
      differing,
      agrees: differing === null ? null : differing.length === 0,
    });
    const { verb, kind, namespace, name } = write;
    throw failureOfSilence(
      { verb, target: { kind, namespace, name }, write: true },
      { sent: false, aborted: false, reason: 'ShadowMode', message: 'shadow mode: nothing is written' },
    );
  };
  const onTarget = (
    verb: ShadowWrite['verb'],
    target: Target,
    body: object | null,
    subresource = '',
  ): Promise<never> => {
    const { resource, namespace, name } = target;
    return refuse({ verb, kind: resource.kind, namespace, name, subresource }, target, body);
  };
  return {
    get: (target, options) => client.get(target, options),
    list: (resource, options) => client.list(resource, options),
    watch: (resource, options) => client.watch(resource, options),
    create(resource, object, options) {
      if (options?.dryRun === true) return client.create(resource, object, options);
      const { namespace = '', name = '' } = (object as Partial<KubeObject>).metadata ?? {};
      return onTarget('create', { resource, namespace, name }, object);
    },
    update: (target, object, options) =>
      options?.dryRun === true
        ? client.update(target, object, options)
        : onTarget('update', target, object, options?.subresource),
    mergePatch: (target, body, options) =>
      options?.dryRun === true
        ? client.mergePatch(target, body, options)
        : onTarget('patch', target, body, options?.subresource),
    apply: (target, object, options) =>
      options.dryRun === true
        ? client.apply(target, object, options)
        : onTarget('apply', target, object, options.subresource),
    delete: (target, options) =>
      options?.dryRun === true
        ? client.delete(target, options)
        : onTarget('delete', target, null, options?.subresource),
    post(path, body, options) {
      if (isReviewPath(path)) return client.post(path, body, options);
      const { kind = path, metadata } = body as Partial<KubeObject>;
      const write = {
        verb: 'post',
        kind,
        namespace: metadata?.namespace ?? '',
        name: metadata?.name ?? '',
        subresource: '',
      } as const;
      return refuse(write, null, body);
    },
  };
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

async function difference(
  client: ApiClient,
  target: Target,
  leaves: readonly Leaf[],
  verb: ShadowWrite['verb'],
): Promise<readonly string[] | null> {
  try {
    const live = await client.get(target);
    // A deletion agrees with an object that is on its way out.
    if (verb === 'delete') return live.metadata.deletionTimestamp === undefined ? ['metadata.deletionTimestamp'] : [];
    return leaves.filter(([, keys, value]) => !agrees(valueAt(live, keys), value)).map(([path]) => path);
  } catch (error) {
    if (!isApiError(error, 'NotFound')) return null;
    return verb === 'delete' ? [] : leaves.map(([path]) => path);
  }
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
