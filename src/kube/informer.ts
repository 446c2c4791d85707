// A cache of one resource that keeps itself up to date: reflector, store and live reads together.

import type { Clock, Random } from '../host/contract.js';
import type { ApiClient, ApiFailure, KubeObject, Resource } from './contract.js';
import { runReflector, type ReflectorObserver, type ReflectorTarget } from './reflector.js';
import type { ListFrom, Listing } from './reflector-state.js';
import { createStore, type IndexFunction, type Store } from './store.js';

/** What every informer of a process shares. */
export interface InformerBase {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  /** Told what happens, by resource: for metrics and logs. */
  readonly observer?: InformerObserver;
}

/** What informers tell. */
export interface InformerObserver {
  onList?(resource: Resource, cause: Listing['cause'], items: number): void;
  onWatch?(resource: Resource): void;
  onWatchOpened?(resource: Resource): void;
  onFailure?(resource: Resource, failure: ApiFailure, retryInMs: number): void;
  /** A listener, index or projection threw: a bug. */
  onBug?(resource: Resource, error: unknown): void;
}

/** What one informer holds. */
export interface InformerOptions<T extends KubeObject> {
  readonly resource: Resource;
  /** One namespace; all without it. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly metadataOnly?: boolean;
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
  readonly project?: (object: KubeObject) => T;
  /** `current` for what decisions of safety read right after a start. */
  readonly firstList?: ListFrom;
}

/** One informer. */
export interface Informer<T extends KubeObject> {
  readonly store: Store<T>;
  /** Runs until the signal ends. Never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Reads one object live into the store; its absence counts. Throws ApiError. */
  readLive(namespace: string, name: string, signal: AbortSignal): Promise<void>;
  /** What keeps it from being up to date, or null. */
  problem(): ApiFailure | null;
}

/** An informer that does nothing until it is run. */
export function createInformer<T extends KubeObject>(base: InformerBase, options: InformerOptions<T>): Informer<T> {
  const { resource, indexes, project, firstList } = options;
  const { client, clock, random, observer } = base;
  let problem: ApiFailure | null = null;
  const onError = (error: unknown): void => observer?.onBug?.(resource, error);
  const store = createStore<T>({
    resource,
    onError,
    ...(indexes === undefined ? {} : { indexes }),
    ...(project === undefined ? {} : { project }),
  });
  const watching = reflectorObserver(resource, observer, {
    failed: (failure) => (problem = failure),
    recovered: () => (problem = null),
  });
  const target: ReflectorTarget = {
    ingest: (object) => store.ingest(object),
    mark: () => store.mark(),
    replace: (...list) => store.replace(...list),
    apply(...event) {
      problem = null;
      store.apply(...event);
    },
    bookmark(resourceVersion) {
      problem = null;
      store.bookmark(resourceVersion);
    },
  };
  const selectors = selectorsOf(options);
  return {
    store,
    problem: () => problem,
    run: (signal) =>
      runReflector(
        {
          client,
          resource,
          clock,
          random,
          target,
          observer: watching,
          ...selectors,
          ...(firstList === undefined ? {} : { firstList }),
        },
        signal,
      ),
    async readLive(namespace, name, signal) {
      const fieldSelector = [options.fieldSelector, `metadata.name=${name}`]
        .filter((part) => part !== undefined)
        .join(',');
      const list = await client.list(resource, { ...selectors, namespace, fieldSelector, signal });
      store.settle(namespace, name, list.items[0] ?? null, list.resourceVersion);
    },
  };
}

function selectorsOf<T extends KubeObject>(
  options: InformerOptions<T>,
): Pick<InformerOptions<T>, 'namespace' | 'labelSelector' | 'fieldSelector' | 'metadataOnly'> {
  const { namespace, labelSelector, fieldSelector, metadataOnly } = options;
  return {
    ...(namespace === undefined || namespace === '' ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(metadataOnly === undefined ? {} : { metadataOnly }),
  };
}

/** A reflector's observer that names its resource. Shared with the streams that keep nothing. */
export function reflectorObserver(
  resource: Resource,
  observer: InformerObserver | undefined,
  health: { readonly failed: (failure: ApiFailure) => void; readonly recovered: () => void },
): ReflectorObserver {
  return {
    onList(cause, items) {
      health.recovered();
      observer?.onList?.(resource, cause, items);
    },
    onWatch: () => observer?.onWatch?.(resource),
    onWatchOpened() {
      health.recovered();
      observer?.onWatchOpened?.(resource);
    },
    onFailure(failure, next) {
      health.failed(failure);
      observer?.onFailure?.(resource, failure, next.kind === 'waiting' ? next.delayMs : 0);
    },
    onTargetError: (error) => observer?.onBug?.(resource, error),
  };
}
