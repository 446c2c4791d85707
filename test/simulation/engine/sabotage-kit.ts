// What planted bugs are made of: the hands that tests have on an operator (operator.ts, Sabotage), by what they change.
import type { AnyController } from '../../../src/host/turn.js';
import type { ApiClient, KubeObject, Target } from '../../../src/kube/contract.js';
import { failureOfAnswer } from '../../../src/kube/failures.js';
import type { InvariantName } from './invariants.js';
import type { Sabotage } from './operator.js';

/** A planted bug. */
export interface PlantedBug {
  readonly name: string;
  /** Number in the list of upstream's bugs, where it happened there. */
  readonly upstream: number | null;
  /** What finds it. */
  readonly invariants: readonly InvariantName[];
  readonly sabotage: Sabotage;
  /** The first seed that finds it. */
  readonly hint: number;
}

/** What a patch says. */
export type Body = {
  readonly metadata?: Record<string, unknown>;
  readonly spec?: Record<string, unknown>;
  readonly status?: Record<string, unknown>;
};

/** A client with some calls replaced. */
export const altered = (client: ApiClient, change: Partial<ApiClient>): ApiClient => ({ ...client, ...change });

/** Whether a call is about a kind. */
export const isKind = ({ resource }: Pick<Target, 'resource'>, kind: string): boolean => resource.kind === kind;
/** Whether a call is about an init lock. */
export const isLock = (target: Target): boolean => isKind(target, 'ConfigMap') && target.name.endsWith('-lock');
/** Whether a call is about a bootstrap token. */
export const isToken = ({ name }: Pick<Target, 'name'>): boolean => name.startsWith('bootstrap-token-');

/** What a server says of an object that it does not have. */
export function notFound({ resource, namespace, name }: Target): Error {
  const text = JSON.stringify({
    kind: 'Status',
    status: 'Failure',
    reason: 'NotFound',
    message: 'not found',
    details: { name },
    code: 404,
  });
  return failureOfAnswer(
    { verb: 'get', target: { kind: resource.kind, namespace, name }, write: false },
    { status: 404, text, retryAfter: undefined },
  );
}

/** Reads changed on their way. */
export const reading = (client: ApiClient, change: (target: Target, object: KubeObject) => KubeObject): ApiClient =>
  altered(client, {
    get: async <T extends KubeObject>(target: Target, options?: Parameters<ApiClient['get']>[1]) =>
      change(target, await client.get<T>(target, options)) as T,
  });

/** Merge patches changed on their way. */
export const patching = (
  client: ApiClient,
  change: (target: Target, body: Body, isStatus: boolean) => object,
): ApiClient =>
  altered(client, {
    mergePatch: (target, body, options) =>
      client.mergePatch(target, change(target, body as Body, options?.subresource === 'status'), options),
  });

/** Patches that say nothing of the version they change. */
export const unguarded = (client: ApiClient, concerns: (target: Target) => boolean): ApiClient =>
  patching(client, (target, { metadata = {}, ...body }) => {
    const { uid: _, resourceVersion: __, ...rest } = metadata;
    return concerns(target) ? { ...body, metadata: rest } : { ...body, metadata };
  });

/** The same for KubeadmConfigs. */
export const withoutGuards = (client: ApiClient): ApiClient =>
  unguarded(client, (target) => isKind(target, 'KubeadmConfig'));

/** The clients of workload clusters changed. */
export const onWorkload =
  (change: (client: ApiClient, management: ApiClient) => ApiClient): NonNullable<Sabotage['workload']> =>
  (workload, { client: management }) => ({
    ...workload,
    client: async (cluster, signal) => change(await workload.client(cluster, signal), management),
  });

/** A controller with one effect replaced. */
export const withEffect = (
  controller: AnyController,
  request: string,
  change: (effect: AnyController['effects'][string]) => AnyController['effects'][string],
): AnyController => ({
  ...controller,
  effects: {
    ...controller.effects,
    [request]: change(controller.effects[request] as AnyController['effects'][string]),
  },
});

/** A controller that sees other facts. */
export const withFacts = (
  controller: AnyController,
  change: (facts: Record<string, unknown>, view: unknown) => object,
): AnyController => ({
  ...controller,
  facts: (view, nowMs, context, causes) =>
    change(controller.facts(view, nowMs, context, causes) as never, view) as never,
});

/** Whoever asks whether a cache shows a write is told that it does. */
export const staleViews: NonNullable<Sabotage['freshness']> = (freshness) => ({
  ...freshness,
  shows: () => true,
  readLive: () => Promise.resolve(),
  whenShown: (_receipt, run) => (run(), () => undefined),
});
