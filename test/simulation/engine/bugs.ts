// Planted bugs: what an operator would do if one rule were missing. Each must be found, and by the invariant that it breaks.
//
// They live in the hands that tests have on an operator (sabotage-kit.ts); the product knows nothing of them. Those that
// happened upstream carry the number of their entry in the list of upstream's bugs.
import type { ApiClient, KubeObject, Target } from '../../../src/kube/contract.js';
import { EffectFailure } from '../../../src/host/effect-failure.js';
import { base64 } from './objects.js';
import {
  altered,
  isKind,
  isToken,
  onWorkload,
  patching,
  reading,
  staleViews,
  withEffect,
  withFacts,
  withoutGuards,
  notFound,
  type Body,
  type PlantedBug,
} from './sabotage-kit.js';

/** All of them. */
export const PLANTED_BUGS: readonly PlantedBug[] = [
  {
    name: 'turns on a view older than our own writes, patches without a guard: mints again',
    upstream: 1,
    invariants: ['token-once', 'data-once', 'token-before-data', 'created-true', 'condition-news'],
    hint: 1,
    sabotage: { freshness: staleViews, client: withoutGuards },
  },
  {
    name: 'turns on a view older than our own writes',
    upstream: 1,
    invariants: ['fresh-views'],
    hint: 1,
    sabotage: { freshness: staleViews },
  },
  {
    name: 'every effect that makes join data runs twice on the same view, without a guard',
    upstream: null,
    invariants: ['token-once', 'data-once', 'created-true'],
    hint: 5,
    sabotage: {
      client: withoutGuards,
      controller: (controller) =>
        withEffect(controller, 'storeJoinData', (effect) => async (...given) => {
          await effect(...given);
          return effect(...given);
        }),
    },
  },
  {
    name: 'data is stored before the token is confirmed',
    upstream: null,
    invariants: ['token-before-data'],
    hint: 2,
    sabotage: {
      workload: (workload, { clock }) => ({
        ...workload,
        async client(cluster, signal) {
          const client = await workload.client(cluster, signal);
          return altered(client, {
            create: <T extends KubeObject>(resource: Target['resource'], object: object) => {
              clock.schedule(5_000, () => void client.create(resource, object).catch(() => undefined));
              return Promise.resolve(object as T);
            },
          });
        },
      }),
    },
  },
  {
    name: 'the token is made in the management cluster',
    upstream: 8,
    invariants: ['own-writes', 'token-before-data'],
    hint: 2,
    sabotage: { workload: onWorkload((_, management) => management) },
  },
  {
    name: 'the origin mark is forgotten',
    upstream: null,
    invariants: ['token-before-data', 'token-alive', 'joins'],
    hint: 4,
    sabotage: {
      client: (client) =>
        patching(client, (_, { metadata = {}, ...body }) => {
          const { annotations: __, ...rest } = metadata;
          return { ...body, metadata: rest };
        }),
    },
  },
  {
    name: 'the holder of the lock is taken for gone: anybody unlocks',
    upstream: 14,
    invariants: ['lock-owner', 'one-init', 'init-under-lock'],
    hint: 3,
    sabotage: {
      controller: (controller) =>
        withFacts(controller, (facts) => (facts['lock'] === 'other' ? { ...facts, lock: 'stale' } : facts)),
      client: (client) =>
        altered(client, {
          get: (target, options) =>
            isKind(target, 'Machine') ? Promise.reject(notFound(target)) : client.get(target, options),
        }),
    },
  },
  {
    name: 'a lock that was deleted is deleted once more, whoever has it by then',
    upstream: null,
    invariants: ['lock-owner', 'one-init'],
    hint: 8,
    sabotage: {
      client: (client, { clock, client: plain }) =>
        altered(client, {
          async delete(target, options) {
            await client.delete(target, options);
            if (isKind(target, 'ConfigMap'))
              clock.schedule(1_000, () => void plain.delete(target).catch(() => undefined));
          },
        }),
    },
  },
  {
    name: 'a lock is deleted whatever became of it since it was read',
    upstream: null,
    invariants: ['guarded'],
    hint: 1,
    sabotage: {
      client: (client) =>
        altered(client, {
          delete: (target, { preconditions: _, ...options } = {}) => client.delete(target, options),
        }),
    },
  },
  {
    name: 'the lock is kept for ever',
    upstream: 17,
    invariants: ['lock-released', 'joins'],
    hint: 1,
    sabotage: {
      client: (client) =>
        altered(client, {
          delete: (target, options) =>
            isKind(target, 'ConfigMap') ? Promise.resolve() : client.delete(target, options),
        }),
    },
  },
  {
    name: 'the lock is given up whatever became of the data',
    upstream: null,
    invariants: ['lock-owner', 'one-init', 'guarded'],
    hint: 8,
    sabotage: {
      controller: (controller, { client }) =>
        withEffect(controller, 'giveUpInitLock', () => async (view, facts, context) => {
          const { cluster } = view as { cluster: KubeObject };
          const { namespace = '', name } = cluster.metadata;
          const resource = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
          await client
            .delete({ resource, namespace, name: `${name}-lock` }, { signal: context.signal })
            .catch(() => undefined);
          context.ledger.noteUnknown({ kind: 'ConfigMap', namespace, name: `${name}-lock` });
          return { type: 'LOCK_GIVEN_UP', learned: { lock: 'free', failure: facts.failure } as object };
        }),
    },
  },
  {
    name: 'a lock that cannot be read is taken',
    upstream: 16,
    invariants: ['lock-owner', 'one-init'],
    hint: 21,
    sabotage: {
      controller: (controller) =>
        withFacts(controller, (facts) => (facts['lock'] === 'unreadable' ? { ...facts, lock: 'stale' } : facts)),
      client: (client) =>
        altered(client, {
          async get<T extends KubeObject>(target: Target, options?: Parameters<ApiClient['get']>[1]) {
            const object = await client.get<T & { data?: Record<string, string> }>(target, options);
            if (!isKind(target, 'ConfigMap') || object.data?.['lock-information'] !== 'nonsense') return object;
            const { uid = '', resourceVersion = '' } = object.metadata;
            await client.delete(target, { ...options, preconditions: { uid, resourceVersion } });
            throw notFound(target);
          },
        }),
    },
  },
  {
    name: 'the token is never renewed, though it is said to be',
    upstream: null,
    invariants: ['token-alive'],
    hint: 6,
    sabotage: {
      workload: onWorkload((client) =>
        altered(client, {
          mergePatch: (target, body, options) =>
            isToken(target) ? client.get(target, options) : client.mergePatch(target, body, options),
        }),
      ),
    },
  },
  {
    name: 'the token is renewed once it has ended',
    upstream: null,
    invariants: ['token-alive'],
    hint: 6,
    sabotage: {
      workload: (workload, { clock }) => ({
        ...workload,
        client: async (cluster, signal) =>
          reading(await workload.client(cluster, signal), (target, object) => {
            const { data = {} } = object as KubeObject & { data?: Record<string, string> };
            const endsAtMs = Date.parse(Buffer.from(data['expiration'] ?? '', 'base64').toString());
            return isToken(target) && endsAtMs > clock.nowMs()
              ? ({ ...object, data: { ...data, expiration: base64('2030-01-01T00:00:00Z') } } as KubeObject)
              : object;
          }),
      }),
    },
  },
  {
    name: 'the token is renewed until the infrastructure is there, not the node',
    upstream: 4,
    invariants: ['token-alive'],
    hint: 6,
    sabotage: {
      controller: (controller) =>
        withFacts(controller, (facts, view) => {
          const { owner } = view as {
            owner: { object: { status?: { initialization?: { infrastructureProvisioned?: boolean } } } | null };
          };
          return owner.object?.status?.initialization?.infrastructureProvisioned === true
            ? { ...facts, nodeJoined: true }
            : facts;
        }),
    },
  },
  {
    name: 'a lost token is an error for ever',
    upstream: 2,
    invariants: ['joins', 'token-alive', 'quiet'],
    hint: 4,
    sabotage: {
      controller: (controller) =>
        withEffect(controller, 'refreshToken', (effect) => async (...given) => {
          const reply = await effect(...given);
          if (reply.type === 'TOKEN_MISSING') throw new EffectFailure('TokenFailed', 'the token is gone');
          return reply;
        }),
    },
  },
  {
    name: "a missing expiry is read as a past one: the user's token gets one",
    upstream: 10,
    invariants: ['own-writes'],
    hint: 10,
    sabotage: {
      workload: onWorkload((client) =>
        reading(client, (target, object) => {
          const { data = {} } = object as KubeObject & { data?: Record<string, string> };
          return isToken(target) && data['expiration'] === undefined
            ? ({ ...object, data: { ...data, expiration: base64('2020-01-01T00:00:00Z') } } as KubeObject)
            : object;
        }),
      ),
    },
  },
  {
    name: "somebody else's Secret is taken over",
    upstream: 41,
    invariants: ['own-writes'],
    hint: 39,
    sabotage: {
      controller: (controller) =>
        withFacts(controller, (facts) =>
          facts['dataSecret'] === 'foreign' ? { ...facts, dataSecret: 'none' } : facts,
        ),
      client: (client) =>
        reading(client, (target, object) => {
          const isForeign =
            isKind(target, 'Secret') &&
            object.metadata.ownerReferences?.some(({ kind }) => kind === 'ConfigMap') === true;
          const { ownerReferences: _, ...metadata } = object.metadata;
          return isForeign ? { ...object, metadata } : object;
        }),
    },
  },
  {
    name: 'data that is there is never adopted: it is made again',
    upstream: 44,
    invariants: ['data-once', 'started-token', 'token-once'],
    hint: 15,
    sabotage: {
      client: (client) =>
        reading(client, (target, object) => {
          const { data } = object as KubeObject & { data?: Record<string, string> };
          if (!isKind(target, 'Secret') || data?.['format'] === undefined) return object;
          const { format: _, ...rest } = data;
          return { ...object, data: rest } as KubeObject;
        }),
      controller: (controller) => controller,
    },
  },
  {
    name: 'pausing is not seen',
    upstream: 46,
    invariants: ['paused'],
    hint: 8,
    sabotage: { controller: (controller) => withFacts(controller, (facts) => ({ ...facts, isPaused: false })) },
  },
  {
    name: 'the infrastructure of the cluster is not waited for',
    upstream: null,
    invariants: ['infra-first'],
    hint: 4,
    sabotage: {
      controller: (controller) =>
        withFacts(controller, (facts) =>
          facts['hasCluster'] === true ? { ...facts, infrastructureProvisioned: true } : facts,
        ),
    },
  },
  {
    name: 'a minted token is noted beside the spec',
    upstream: null,
    invariants: ['no-secrets'],
    hint: 2,
    sabotage: {
      client: (client) =>
        patching(client, (_, body) => {
          const token = /"token":"([a-z0-9.]{23})"/.exec(JSON.stringify(body.spec ?? {}))?.[1];
          if (token === undefined) return body;
          const { annotations, ...metadata } = body.metadata ?? {};
          return { ...body, metadata: { ...metadata, annotations: { ...(annotations as object), last: token } } };
        }),
    },
  },
  {
    name: 'deletion is not seen',
    upstream: null,
    invariants: ['ending'],
    hint: 67,
    sabotage: { controller: (controller) => withFacts(controller, (facts) => ({ ...facts, isDeleting: false })) },
  },
  {
    name: 'a broken watch is dead until a restart',
    upstream: 70,
    invariants: ['joins', 'quiet', 'lock-released'],
    hint: 1,
    sabotage: {
      cacheClient: (client) =>
        altered(client, {
          async *watch<T extends KubeObject>(resource: Target['resource'], options: Parameters<ApiClient['watch']>[1]) {
            try {
              yield* client.watch<T>(resource, options);
            } catch {
              // Nobody hears of it.
            }
            await new Promise(() => undefined);
          },
        }),
    },
  },
  {
    name: 'a failure is retried at once, for ever',
    upstream: 72,
    invariants: ['no-busy-loop'],
    hint: 22,
    sabotage: { controller: (controller) => ({ ...controller, backoffMs: () => 1 }) },
  },
  {
    name: 'status is rebuilt with what a turn knows: dataSecretCreated goes back',
    upstream: 43,
    invariants: ['created-stays', 'joins'],
    hint: 1,
    sabotage: {
      client: (client) =>
        patching(client, (target, body, isStatus) =>
          isStatus && isKind(target, 'KubeadmConfig') && body.status?.['initialization'] === undefined
            ? { ...body, status: { ...body.status, initialization: { dataSecretCreated: false } } }
            : body,
        ),
    },
  },
  {
    name: 'the whole spec is written back as it was seen',
    upstream: 15,
    invariants: ['others-changes'],
    hint: 1,
    sabotage: {
      client: (client) => {
        const files = new Map<string, unknown>();
        return altered(withoutGuards(client), {
          mergePatch: (target, body, options) => {
            const { spec, metadata } = body as Body;
            const isSpec = isKind(target, 'KubeadmConfig') && spec !== undefined;
            const { uid: _, resourceVersion: __, ...rest } = metadata ?? {};
            return client.mergePatch(
              target,
              isSpec ? { ...body, metadata: rest, spec: { ...spec, files: files.get(target.name) ?? null } } : body,
              options,
            );
          },
        });
      },
    },
  },
  {
    name: 'the write gate of the Lease is always open',
    upstream: null,
    invariants: ['lease'],
    hint: 11,
    sabotage: { gate: () => () => Infinity },
  },
  {
    name: 'a condition quotes the token',
    upstream: 77,
    invariants: ['no-secrets'],
    hint: 2,
    sabotage: {
      client: (client) => {
        let token = '';
        return patching(client, (_, body, isStatus) => {
          const text = JSON.stringify(body.spec ?? {});
          token = /"token":"([a-z0-9.]{23})"/.exec(text)?.[1] ?? token;
          return isStatus && token !== '' ? { ...body, status: { ...body.status, note: token } } : body;
        });
      },
    },
  },
];
