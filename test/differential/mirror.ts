// What a namespace of a server holds, kept by one watch a kind: looking costs the server nothing.
import { resources } from '../../src/api/names.js';
import type { KubeObject } from '../../src/kube/contract.js';
import type { FullApiClient } from '../../src/kube/client.js';
import { resourceOf } from '../../src/kube/resource-paths.js';
import { pause } from '../worlds/operator-process.js';

/** Kinds that are looked at. */
export const SEEN_KINDS = [
  'KubeadmConfig',
  'Secret',
  'ConfigMap',
  'Event',
  'Cluster',
  'Machine',
  'MachinePool',
] as const;
export type SeenKind = (typeof SEEN_KINDS)[number];

/** The namespace of a workload cluster's tokens. */
export const SYSTEM = 'kube-system';

/** Objects of a server. */
export interface Mirror {
  list(kind: SeenKind, namespace: string): readonly KubeObject[];
  get(kind: SeenKind, namespace: string, name: string): KubeObject | undefined;
  /** When something of a namespace changed last; by the monotonic clock, Events do not count. */
  changedMs(namespace: string): number;
  /** Who a uid belonged to, also after its object has gone. */
  ownersOf(namespace: string): ReadonlyMap<string, string>;
  /** Every token that a KubeadmConfig's spec has held: `name` by token. */
  tokensOf(namespace: string): ReadonlyMap<string, string>;
  forget(namespace: string): void;
  stop(): void;
}

type WithToken = KubeObject & {
  readonly spec?: {
    readonly joinConfiguration?: { readonly discovery?: { readonly bootstrapToken?: { readonly token?: string } } };
  };
};

/** Text of the token in a KubeadmConfig's spec; empty for none. */
export function specToken(config: KubeObject): string {
  return (config as WithToken).spec?.joinConfiguration?.discovery?.bootstrapToken?.token ?? '';
}

interface Namespace {
  readonly objects: Map<string, KubeObject>;
  readonly uids: Map<string, string>;
  readonly tokens: Map<string, string>;
  changedMs: number;
}

/** Starts watching; resolves when every kind has been listed. */
export async function startMirror(client: FullApiClient): Promise<Mirror> {
  const namespaces = new Map<string, Namespace>();
  let isStopped = false;
  const at = (namespace: string): Namespace => {
    const known = namespaces.get(namespace);
    if (known !== undefined) return known;
    const fresh: Namespace = { objects: new Map(), uids: new Map(), tokens: new Map(), changedMs: performance.now() };
    namespaces.set(namespace, fresh);
    return fresh;
  };
  const put = (kind: SeenKind, object: KubeObject, isGone: boolean): void => {
    const { name, namespace = '', uid = '' } = object.metadata;
    const space = at(namespace);
    const key = `${kind}/${name}`;
    if (isGone) space.objects.delete(key);
    else space.objects.set(key, object);
    space.uids.set(uid, key);
    if (kind === 'KubeadmConfig' && specToken(object) !== '') space.tokens.set(specToken(object), name);
    if (kind !== 'Event') space.changedMs = performance.now();
  };
  const follow = async (kind: SeenKind, listed: () => void): Promise<void> => {
    const resource = resourceOf(resources[kind]);
    while (!isStopped) {
      try {
        const { items, resourceVersion } = await client.list<KubeObject>(resource);
        const names = new Set(items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
        for (const [namespace, { objects }] of namespaces) {
          for (const [key, object] of objects)
            if (key.startsWith(`${kind}/`) && !names.has(`${namespace}/${object.metadata.name}`))
              put(kind, object, true);
        }
        for (const item of items) put(kind, item, false);
        listed();
        let version = resourceVersion;
        while (!isStopped && version !== '') {
          for await (const event of client.watch<KubeObject>(resource, {
            resourceVersion: version,
            timeoutSeconds: 600,
          })) {
            if (event.type === 'ERROR') version = '';
            if (event.type === 'ERROR') break;
            if (event.type === 'BOOKMARK') {
              version = event.resourceVersion;
              continue;
            }
            put(kind, event.object, event.type === 'DELETED');
            version = event.object.metadata.resourceVersion ?? version;
          }
        }
      } catch {
        if (!isStopped) await pause(500);
      }
    }
  };
  await Promise.all(SEEN_KINDS.map((kind) => new Promise<void>((resolve) => void follow(kind, resolve))));
  return {
    list: (kind, namespace) =>
      [...at(namespace).objects].filter(([key]) => key.startsWith(`${kind}/`)).map(([, object]) => object),
    get: (kind, namespace, name) => at(namespace).objects.get(`${kind}/${name}`),
    changedMs: (namespace) => at(namespace).changedMs,
    ownersOf: (namespace) => at(namespace).uids,
    tokensOf: (namespace) => at(namespace).tokens,
    forget: (namespace) => void namespaces.delete(namespace),
    stop: () => {
      isStopped = true;
    },
  };
}
