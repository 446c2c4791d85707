// All caches of one API server in this process: those that are declared at the start, and those that turns ask for.
//
//   I1. One watch per declared cache, and one per kind that is held, however many hold it.
//   I2. A held cache that nobody holds any more ends after ON_DEMAND_IDLE_MAX_MS.
//   I3. Freshness answers for every kind that has a cache here, and says yes for all others.

import type { Freshness } from '../host/contract.js';
import { ON_DEMAND_IDLE_MAX_MS, ON_DEMAND_WATCHES_MAX } from '../limits.js';
import type { ApiFailure, Cache, KubeObject, Resource } from './contract.js';
import { failureOfSilence } from './failures.js';
import { createInformer, type Informer, type InformerBase, type InformerOptions } from './informer.js';
import { apiVersionOf, resourceName } from './resource-paths.js';

/** A cache that lives as long as somebody holds it. */
export interface HeldCache<T extends KubeObject> {
  readonly cache: Cache<T>;
  /** Ends when the first list is in, or when the signal ends. */
  whenSynced(signal?: AbortSignal): Promise<void>;
  /** Once; later calls do nothing. */
  release(): void;
}

/** Why a cache is not up to date. */
export interface CacheProblem {
  readonly resource: Resource;
  readonly failure: ApiFailure;
}

/** The caches of one API server. */
export interface Informers {
  /** Makes a cache that `start` starts. */
  declare<T extends KubeObject>(options: InformerOptions<T>): Cache<T>;
  /** Starts what was declared; what is declared later starts at once. The signal ends all. */
  start(signal: AbortSignal): void;
  /** Ends when every declared cache has its first list, or when the signal ends: then false. */
  whenSynced(signal?: AbortSignal): Promise<boolean>;
  /** A cache for a kind named at run time. Throws ApiError when there are too many. */
  hold<T extends KubeObject>(options: InformerOptions<T>): HeldCache<T>;
  readonly freshness: Required<Freshness>;
  /** What keeps caches from being up to date. */
  problems(): readonly CacheProblem[];
  /** Every cache that runs: for metrics. */
  running(): readonly {
    readonly resource: Resource;
    readonly synced: boolean;
    readonly size: number;
    readonly resourceVersion: string;
  }[];
}

type AnyInformer = Informer<KubeObject>;

interface Held {
  readonly informer: AnyInformer;
  readonly controller: AbortController;
  holders: number;
  cancelEnd: () => void;
}

/** No caches yet. */
export function createInformers(base: InformerBase): Informers {
  const declared: AnyInformer[] = [];
  const held = new Map<string, Held>();
  let lifetime: AbortSignal | undefined;

  const informers = (): readonly AnyInformer[] => [...declared, ...[...held.values()].map(({ informer }) => informer)];
  return {
    declare<T extends KubeObject>(options: InformerOptions<T>) {
      const informer = createInformer(base, options);
      declared.push(informer as unknown as AnyInformer);
      if (lifetime !== undefined) void informer.run(lifetime);
      return informer.store;
    },

    start(signal) {
      lifetime = signal;
      for (const informer of declared) void informer.run(signal);
      for (const { informer, controller } of held.values()) void informer.run(controller.signal);
      signal.addEventListener(
        'abort',
        () => held.forEach(({ controller, cancelEnd }) => (cancelEnd(), controller.abort())),
        { once: true },
      );
    },

    async whenSynced(signal) {
      return before(Promise.all(declared.map(({ store }) => store.whenSynced())), signal);
    },

    hold<T extends KubeObject>(options: InformerOptions<T>): HeldCache<T> {
      const entry = heldEntry(base, held, options, lifetime);
      entry.holders += 1;
      entry.cancelEnd();
      let released = false;
      return {
        cache: entry.informer.store as unknown as Cache<T>,
        whenSynced: async (signal) => void (await before(entry.informer.store.whenSynced(), signal)),
        release() {
          if (released) return;
          released = true;
          entry.holders -= 1;
          if (entry.holders === 0) entry.cancelEnd = base.clock.schedule(ON_DEMAND_IDLE_MAX_MS, () => end(held, entry));
        },
      };
    },

    freshness: freshnessOf(informers),

    problems: () =>
      informers().flatMap((informer) => {
        const failure = informer.problem();
        return failure === null ? [] : [{ resource: informer.store.resource, failure }];
      }),

    running: () =>
      informers().map(({ store: { resource, synced, size, resourceVersion } }) => ({
        resource,
        synced,
        size,
        resourceVersion,
      })),
  };
}

function heldEntry<T extends KubeObject>(
  base: InformerBase,
  held: Map<string, Held>,
  options: InformerOptions<T>,
  lifetime: AbortSignal | undefined,
): Held {
  const { resource, namespace = '', labelSelector = '', fieldSelector = '', metadataOnly = false } = options;
  const key = JSON.stringify([
    apiVersionOf(resource),
    resource.plural,
    namespace,
    labelSelector,
    fieldSelector,
    metadataOnly,
  ]);
  const known = held.get(key);
  if (known !== undefined) return known;
  if (held.size >= ON_DEMAND_WATCHES_MAX) {
    const target = { kind: resource.kind, namespace, name: '' };
    const message = `${resourceName(resource)} cannot be watched: ${ON_DEMAND_WATCHES_MAX} kinds are watched already`;
    throw failureOfSilence(
      { verb: 'watch', target, write: false },
      { sent: false, aborted: false, reason: 'TooManyWatches', message },
    );
  }
  const informer = createInformer(base, options) as unknown as AnyInformer;
  const entry: Held = { informer, controller: new AbortController(), holders: 0, cancelEnd: () => undefined };
  held.set(key, entry);
  if (lifetime?.aborted === true) entry.controller.abort();
  if (lifetime !== undefined) void informer.run(entry.controller.signal);
  return entry;
}

function end(held: Map<string, Held>, entry: Held): void {
  entry.controller.abort();
  for (const [key, value] of held) if (value === entry) held.delete(key);
}

/** Whether the work ended before the signal did. */
function before(work: Promise<unknown>, signal: AbortSignal | undefined): Promise<boolean> {
  const done = work.then(() => true);
  if (signal === undefined) return done;
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const onAbort = (): void => resolve(false);
    signal.addEventListener('abort', onAbort, { once: true });
    void done.then((value) => {
      signal.removeEventListener('abort', onAbort);
      resolve(value);
    });
  });
}

function freshnessOf(informers: () => readonly AnyInformer[]): Required<Freshness> {
  const of = (kind: string): readonly AnyInformer[] => informers().filter(({ store }) => store.resource.kind === kind);
  const shows: Freshness['shows'] = (receipt) => of(receipt.kind).every(({ store }) => store.shows(receipt));
  return {
    shows,
    async readLive({ kind, namespace, name }, signal) {
      await Promise.all(of(kind).map((informer) => informer.readLive(namespace, name, signal)));
    },
    whenShown(receipt, run) {
      let ends: readonly (() => void)[] = [];
      const stop = (): void => ends.forEach((end) => end());
      const look = (): boolean => {
        if (!shows(receipt)) return false;
        stop();
        run();
        return true;
      };
      if (!look()) ends = of(receipt.kind).map(({ store }) => store.onNews(receipt, look));
      return stop;
    },
  };
}
