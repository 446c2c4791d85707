// Planted bugs that show only where something rare comes together: most are found by a story (stories.ts). See bugs.ts.
import type { ApiClient, KubeObject, Target } from '../../../src/kube/contract.js';
import { isApiError } from '../../../src/kube/failures.js';
import {
  altered,
  isKind,
  isLock,
  onWorkload,
  patching,
  reading,
  unguarded,
  withEffect,
  withFacts,
  type Body,
  type PlantedBug,
} from './sabotage-kit.js';
import type { Fields } from './mirror.js';
import type { SabotageWorld } from './operator.js';

type Cluster = KubeObject & { readonly status?: { readonly conditions?: readonly Fields[] } };

/** Lists that bring back what is gone: whatever was ever seen and is not in the list stays. */
const keepingWhatIsGone = (client: ApiClient): ApiClient => {
  const seen = new Map<string, Map<string, KubeObject>>();
  const of = ({ plural }: Target['resource']): Map<string, KubeObject> => {
    const known = seen.get(plural) ?? new Map<string, KubeObject>();
    seen.set(plural, known);
    return known;
  };
  return altered(client, {
    async list<T extends KubeObject>(resource: Target['resource'], options?: Parameters<ApiClient['list']>[1]) {
      const page = await client.list<T>(resource, options);
      for (const item of page.items) of(resource).set(item.metadata.name, item);
      const names = new Set(page.items.map(({ metadata }) => metadata.name));
      const gone = [...of(resource).values()].filter(({ metadata }) => !names.has(metadata.name));
      return { ...page, items: [...page.items, ...(gone as T[])] };
    },
    async *watch<T extends KubeObject>(resource: Target['resource'], options: Parameters<ApiClient['watch']>[1]) {
      for await (const event of client.watch<T>(resource, options)) {
        if (event.type === 'DELETED') of(resource).delete(event.object.metadata.name);
        if (event.type === 'ADDED' || event.type === 'MODIFIED')
          of(resource).set(event.object.metadata.name, event.object);
        yield event;
      }
    },
  });
};

/** Lists in which an object of a known generation has the version that was known, so that nobody is told what else became of it. */
const tellingGenerationsAlone = (client: ApiClient): ApiClient => {
  const seen = new Map<string, KubeObject['metadata']>();
  const idOf = ({ plural }: Target['resource'], { metadata }: KubeObject): string => `${plural}/${metadata.uid ?? ''}`;
  return altered(client, {
    async list<T extends KubeObject>(resource: Target['resource'], options?: Parameters<ApiClient['list']>[1]) {
      const page = await client.list<T>(resource, options);
      const items = page.items.map((item) => {
        const known = seen.get(idOf(resource, item));
        const isNews = known === undefined || known.generation !== item.metadata.generation;
        if (isNews) seen.set(idOf(resource, item), item.metadata);
        const { resourceVersion } = isNews ? item.metadata : known;
        return { ...item, metadata: { ...item.metadata, resourceVersion } };
      });
      return { ...page, items };
    },
    async *watch<T extends KubeObject>(resource: Target['resource'], options: Parameters<ApiClient['watch']>[1]) {
      for await (const event of client.watch<T>(resource, options)) {
        if (event.type === 'ADDED' || event.type === 'MODIFIED')
          seen.set(idOf(resource, event.object), event.object.metadata);
        yield event;
      }
    },
  });
};

/** Clients of effects, whose writes carry their actors' names. */
const clients = new WeakMap<SabotageWorld, ApiClient>();

/** Secrets changed before they are made. */
const making = (client: ApiClient, change: (secret: MadeSecret) => object): ApiClient =>
  altered(client, {
    create: <T extends KubeObject>(...[resource, object, options]: Parameters<ApiClient['create']>) =>
      client.create<T>(resource, resource.kind === 'Secret' ? change(object as MadeSecret) : object, options),
  });

type MadeSecret = KubeObject & { readonly type?: string; readonly data?: Readonly<Record<string, string>> };

const LOOKS_LIKE_DATA = { value: '', format: '' };

/** The part of a view that tells of a pool. */
interface PoolView {
  readonly owner?: {
    readonly object?: KubeObject & {
      readonly status?: { readonly replicas?: number; readonly nodeRefs?: readonly object[] };
    };
  };
}

/** Status patches of KubeadmConfigs changed on their way. */
const saying = (client: ApiClient, change: (status: Status) => Status): ApiClient =>
  patching(client, (target, body, isStatus) =>
    isStatus && isKind(target, 'KubeadmConfig') && body.status !== undefined
      ? { ...body, status: change(body.status) }
      : body,
  );

type Status = NonNullable<Body['status']>;

/** All of them. */
export const STORY_BUGS: readonly PlantedBug[] = [
  {
    name: 'a write without an answer counts as one that was not made: nobody looks',
    upstream: null,
    invariants: ['fresh-views'],
    hint: 15,
    sabotage: { freshness: (freshness) => ({ ...freshness, readLive: () => Promise.resolve() }) },
  },
  {
    name: 'a list drops nothing: what went while a watch was broken is served for ever',
    upstream: null,
    invariants: ['caches-true', 'quiet', 'joins', 'token-alive', 'machine-gone'],
    hint: 3,
    sabotage: { cacheClient: keepingWhatIsGone },
  },
  {
    name: 'a list tells of new generations alone: status that came in a gap wakes nobody',
    upstream: null,
    invariants: ['joins', 'quiet', 'caches-true', 'fresh-views', 'lock-released'],
    hint: 35,
    sabotage: { cacheClient: tellingGenerationsAlone },
  },
  {
    name: 'a Secret of another type, which nobody controls, is taken for data',
    upstream: null,
    invariants: ['own-writes'],
    hint: 50,
    sabotage: {
      controller: (controller) =>
        withFacts(controller, (facts) =>
          facts['dataSecret'] === 'foreign' ? { ...facts, dataSecret: 'none' } : facts,
        ),
      client: (client) =>
        patching(
          reading(client, (target, object) => {
            const isPlain = isKind(target, 'Secret') && (object as MadeSecret).type === 'Opaque';
            return isPlain
              ? ({ ...object, type: 'cluster.x-k8s.io/secret', data: LOOKS_LIKE_DATA } as KubeObject)
              : object;
          }),
          (target, body) => (isKind(target, 'Secret') ? { ...body, type: undefined } : body),
        ),
    },
  },
  {
    name: 'a pool is complete once as many nodes are there as it counts itself',
    upstream: null,
    invariants: ['joins', 'token-alive'],
    hint: 62,
    sabotage: {
      controller: (controller) =>
        withFacts(controller, (facts, view) => {
          const pool = (view as PoolView).owner?.object;
          const nodes = pool?.status?.nodeRefs?.length ?? 0;
          const isCounted = pool?.kind === 'MachinePool' && nodes >= Math.max(1, pool.status?.replicas ?? 0);
          return isCounted ? { ...facts, nodeJoined: true } : facts;
        }),
    },
  },
  {
    name: 'the lock of an earlier life is used as it is',
    upstream: null,
    invariants: ['init-under-lock', 'lock-owner', 'one-init'],
    hint: 128,
    sabotage: {
      client: (client) =>
        altered(client, {
          mergePatch: (target, body, options) =>
            isLock(target) ? client.get(target, options) : client.mergePatch(target, body, options),
        }),
    },
  },
  {
    name: 'under the lock nobody asks whether the control plane is initialised by now',
    upstream: null,
    invariants: ['one-init'],
    hint: 57,
    sabotage: {
      client: (client) =>
        reading(client, (target, object) => {
          const { status, ...rest } = object as Cluster;
          const conditions = status?.conditions?.filter(({ type }) => type !== 'ControlPlaneInitialized') ?? [];
          return isKind(target, 'Cluster') ? ({ ...rest, status: { ...status, conditions } } as KubeObject) : object;
        }),
    },
  },
  {
    name: "a token whose id somebody else has is taken for one's own",
    upstream: null,
    invariants: ['token-before-data'],
    hint: 190,
    sabotage: {
      workload: onWorkload((client) =>
        altered(client, {
          create: <T extends KubeObject>(...[resource, object, options]: Parameters<ApiClient['create']>) =>
            client.create<T>(resource, object, options).catch((error: unknown) => {
              if (isApiError(error, 'AlreadyExists')) return object as T;
              throw error;
            }),
        }),
      ),
    },
  },
  {
    name: 'data that a Machine has started with is made again when the spec has another token',
    upstream: null,
    invariants: ['data-once', 'started-token'],
    hint: 34,
    sabotage: {
      controller: (controller) =>
        withFacts(controller, (facts) =>
          facts['dataToken'] === 'different' ? { ...facts, ownerHasData: false } : facts,
        ),
    },
  },
  {
    name: 'a lock is given up although its data may still arrive',
    upstream: null,
    invariants: ['init-under-lock', 'one-init'],
    hint: 80,
    sabotage: {
      client(client, operator) {
        clients.set(operator, client);
        return client;
      },
      controller: (controller, operator) =>
        withEffect(controller, 'giveUpInitLock', (effect) => async (view, facts, context) => {
          const reply = await effect(view, facts, context);
          const client = clients.get(operator);
          if (reply.type !== 'LOCK_KEPT' || client === undefined) return reply;
          const { cluster, config } = view as { readonly cluster: KubeObject; readonly config: KubeObject };
          const { namespace = '', name } = cluster.metadata;
          const at = (kind: 'ConfigMap' | 'Secret', named: string): Target => ({
            resource: { group: '', version: 'v1', plural: `${kind.toLowerCase()}s`, kind, namespaced: true },
            namespace,
            name: named,
          });
          const { signal } = context;
          const lock = await client.get(at('ConfigMap', `${name}-lock`), { signal }).catch(() => null);
          const data = await client.get(at('Secret', config.metadata.name), { signal }).catch(() => null);
          if (lock === null || data !== null) return reply;
          const { uid = '', resourceVersion = '' } = lock.metadata;
          const preconditions = { uid, resourceVersion };
          await client.delete(at('ConfigMap', `${name}-lock`), { signal, preconditions }).catch(() => undefined);
          context.ledger.noteUnknown({ kind: 'ConfigMap', namespace, name: `${name}-lock` });
          return { type: 'LOCK_GIVEN_UP', learned: { lock: 'free', failure: facts.failure } as object };
        }),
    },
  },
  {
    name: 'a Cluster is said to be initialised before it has a node',
    upstream: null,
    invariants: ['condition-right'],
    hint: 19,
    sabotage: { clusterController: (controller) => withFacts(controller, (facts) => ({ ...facts, machines: 'node' })) },
  },
  {
    name: 'the condition of a Cluster is written twice',
    upstream: null,
    invariants: ['condition-news'],
    hint: 39,
    sabotage: {
      clusterClient: (client) =>
        altered(client, {
          async apply<T extends KubeObject>(...given: Parameters<ApiClient['apply']>) {
            const written = await client.apply<T>(...given);
            const [target, body, options] = given;
            const { resourceVersion = '', uid = '' } = written.metadata;
            const metadata = { ...(body as KubeObject).metadata, resourceVersion, uid };
            return client.apply<T>(target, { ...body, metadata }, options);
          },
        }),
    },
  },
  {
    name: 'certificates go with the KubeadmConfig that made them',
    upstream: null,
    invariants: ['well-formed'],
    hint: 1,
    sabotage: {
      client: (client) =>
        making(client, (secret) => {
          const { ownerReferences = [], ...metadata } = secret.metadata;
          const owners = ownerReferences.map((each) => ({ ...each, kind: 'KubeadmConfig' }));
          return /-(ca|etcd|proxy|sa)$/.test(metadata.name)
            ? { ...secret, metadata: { ...metadata, ownerReferences: owners } }
            : secret;
        }),
    },
  },
  {
    name: 'a token belongs to no group that may join',
    upstream: null,
    invariants: ['well-formed'],
    hint: 2,
    sabotage: {
      workload: onWorkload((client) =>
        making(client, (secret) => {
          const { 'auth-extra-groups': _, ...data } = secret.data ?? {};
          return { ...secret, data };
        }),
      ),
    },
  },
  {
    name: 'nobody is told which generation was seen',
    upstream: null,
    invariants: ['told'],
    hint: 1,
    sabotage: {
      client: (client) => saying(client, ({ observedGeneration: _, ...status }) => status),
    },
  },
  {
    name: 'the time of a condition moves with every write',
    upstream: null,
    invariants: ['condition-news'],
    hint: 1,
    sabotage: {
      client: (client, { clock }) =>
        saying(client, ({ conditions, ...status }) => {
          const lastTransitionTime = new Date(clock.nowMs()).toISOString().replace(/\.\d+/, '');
          const moved = (conditions as readonly Fields[] | undefined)?.map((each) => ({ ...each, lastTransitionTime }));
          return moved === undefined ? status : { ...status, conditions: moved };
        }),
    },
  },
  {
    name: 'who is paused is told more than that',
    upstream: null,
    invariants: ['paused', 'created-stays'],
    hint: 8,
    sabotage: {
      client: (client) =>
        saying(client, ({ conditions, ...status }) => {
          const all = (conditions ?? []) as readonly Fields[];
          const isPaused = all.some(({ type, status: is }) => type === 'Paused' && is === 'True');
          const ready = { lastTransitionTime: '2026-01-01T00:00:00Z', reason: 'Paused', message: '' };
          const others = all.filter(({ type }) => type !== 'Ready');
          if (!isPaused) return conditions === undefined ? status : { ...status, conditions };
          return { ...status, conditions: [...others, { type: 'Ready', status: 'Unknown', ...ready }] };
        }),
    },
  },
  {
    name: 'a claim of a lock takes whatever lock is there',
    upstream: null,
    invariants: ['guarded'],
    hint: 96,
    sabotage: {
      client: (client) => unguarded(client, isLock),
    },
  },
  {
    name: 'an actor whose node has joined looks again and again, and finds nothing to do',
    upstream: null,
    invariants: ['quiet'],
    hint: 2,
    sabotage: {
      controller: (controller) =>
        withFacts(controller, (facts) =>
          facts['nodeJoined'] === true
            ? { ...facts, nodeJoined: false, tokenDue: false, tokenCheckInMs: 60_000 }
            : facts,
        ),
    },
  },
  {
    name: 'data is made once a timer fires, not when it can be made',
    upstream: null,
    invariants: ['prompt'],
    hint: 31,
    sabotage: {
      client: (client, { clock }) =>
        altered(client, {
          async create<T extends KubeObject>(...[resource, object, options]: Parameters<ApiClient['create']>) {
            const isData = (object as MadeSecret).data?.['format'] !== undefined;
            if (isData) await new Promise<void>((resolve) => void clock.schedule(10_000, resolve));
            return client.create<T>(resource, object, options);
          },
        }),
    },
  },
];
