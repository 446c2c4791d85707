// Lists and watches one resource for ever, and tells a target what it sees.
//
// The decisions are in reflector-state.ts; this file carries them out. It refuses to stop for anything but its signal: neither
// failures of the server nor a target that throws end it.
//
//   R5. A complete list is handed over at once, never half of one. Until then a page is kept as far as the target needs it.
//   R6. A watch without a byte for WATCH_IDLE_MAX_MS is dead and is replaced.

import type { Clock, Random } from '../host/contract.js';
import { WATCH_IDLE_MAX_MS, WATCH_TIMEOUT_SECONDS } from '../limits.js';
import {
  ApiError,
  type ApiClient,
  type ApiFailure,
  type KubeObject,
  type Resource,
  type WatchEvent,
} from './contract.js';
import {
  born,
  step,
  type ListFrom,
  type Listing,
  type ReflectorHappening,
  type ReflectorState,
  type Watching,
  type WatchEnd,
} from './reflector-state.js';
import { sleep } from './waiting.js';

/** Who is told. */
export interface ReflectorTarget {
  /** Takes what is needed of an object, as soon as its page is there; absent: everything. */
  ingest?(object: KubeObject): KubeObject;
  /** Called when a list starts; the value comes back with it. */
  mark(): number;
  /** A complete list, of what `ingest` took. `consistent`: it is at least as new as anything seen before it started. */
  replace(
    items: readonly KubeObject[],
    resourceVersion: string,
    list: { readonly mark: number; readonly consistent: boolean },
  ): void;
  apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: KubeObject): void;
  bookmark(resourceVersion: string): void;
}

/** What a reflector tells about itself. */
export interface ReflectorObserver {
  onList?(cause: Listing['cause'], items: number): void;
  onWatch?(): void;
  /** The server has answered a watch: it is there, though there may be nothing to tell. */
  onWatchOpened?(): void;
  onFailure?(failure: ApiFailure, next: ReflectorState): void;
  /** The target threw: a bug. */
  onTargetError?(error: unknown): void;
}

/** What to reflect, and from where. */
export interface ReflectorOptions {
  readonly client: Pick<ApiClient, 'list' | 'watch'>;
  readonly resource: Resource;
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly metadataOnly?: boolean;
  /** The first list: any version at hand (cheap), or the current one. Later lists are always current. */
  readonly firstList?: ListFrom;
  /** Reads one object to learn the version and hands over no items: for streams that keep nothing. */
  readonly eventsOnly?: boolean;
  readonly target: ReflectorTarget;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly observer?: ReflectorObserver;
}

/** Runs until the signal ends. Never rejects. */
export async function runReflector(options: ReflectorOptions, signal: AbortSignal): Promise<void> {
  const pages: KubeObject[] = [];
  const marks = { list: 0 };
  let state: ReflectorState = born(options.firstList ?? 'any');
  while (!signal.aborted) {
    let happening: ReflectorHappening | null;
    switch (state.kind) {
      case 'listing':
        happening = await readPage(options, state, { pages, marks, signal });
        break;
      case 'watching':
        happening = await readEvents(options, state, signal);
        break;
      case 'waiting':
        happening = (await sleep(options.clock, state.delayMs, signal)) ? { kind: 'waited' } : null;
        break;
    }
    if (happening === null || signal.aborted) return;
    const before: ReflectorState = state;
    state = step(before, happening, options.random.next());
    if (before.kind === 'listing' && state.kind === 'watching')
      handOver(options, before, { pages, mark: marks.list, resourceVersion: state.resourceVersion });
    report(options, happening, state);
  }
}

interface ListWork {
  readonly pages: KubeObject[];
  readonly marks: { list: number };
  readonly signal: AbortSignal;
}

async function readPage(
  options: ReflectorOptions,
  state: Listing,
  { pages, marks, signal }: ListWork,
): Promise<ReflectorHappening> {
  if (state.continueToken === null) {
    pages.length = 0;
    marks.list = options.target.mark();
  }
  try {
    const page = await options.client.list(options.resource, {
      ...scope(options),
      signal,
      ...(options.eventsOnly === true ? { limit: 1 } : state.paged ? { limit: state.pageMax } : {}),
      ...(state.continueToken !== null
        ? { continueToken: state.continueToken }
        : state.from === 'any'
          ? { resourceVersion: '0' }
          : {}),
    });
    if (options.eventsOnly === true)
      return { kind: 'page', resourceVersion: page.resourceVersion, continueToken: null };
    for (const item of page.items) pages.push(ingested(options, item));
    return { kind: 'page', resourceVersion: page.resourceVersion, continueToken: page.continueToken };
  } catch (error) {
    return { kind: 'list-failed', failure: failureOf(options, error) };
  }
}

/** Whole where the target throws: it is handed over all the same, and told of there. */
function ingested({ target, observer }: ReflectorOptions, item: KubeObject): KubeObject {
  try {
    return target.ingest?.(item) ?? item;
  } catch (error) {
    observer?.onTargetError?.(error);
    return item;
  }
}

function scope(options: ReflectorOptions): {
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  metadataOnly?: boolean;
} {
  const { namespace, labelSelector, fieldSelector, metadataOnly } = options;
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(metadataOnly === undefined ? {} : { metadataOnly }),
  };
}

function handOver(
  options: ReflectorOptions,
  list: Listing,
  read: { pages: KubeObject[]; mark: number; resourceVersion: string },
): void {
  const items = read.pages.splice(0);
  guarded(options, () =>
    options.target.replace(items, read.resourceVersion, { mark: read.mark, consistent: list.from === 'current' }),
  );
  options.observer?.onList?.(list.cause, items.length);
}

async function readEvents(
  options: ReflectorOptions,
  state: Watching,
  signal: AbortSignal,
): Promise<ReflectorHappening> {
  const { clock, client, resource, random } = options;
  const startedMs = clock.monotonicMs();
  const watchdog = startWatchdog(clock, signal);
  let resourceVersion = state.resourceVersion;
  let events = 0;
  let openedAtMs: number | null = null;
  const ended = (end: WatchEnd): ReflectorHappening => ({
    kind: 'watch-ended',
    end,
    resourceVersion,
    events,
    livedMs: openedAtMs === null && end.kind !== 'closed' ? 0 : clock.monotonicMs() - (openedAtMs ?? startedMs),
  });
  options.observer?.onWatch?.();
  try {
    const stream = client.watch(resource, {
      ...scope(options),
      resourceVersion,
      timeoutSeconds: WATCH_TIMEOUT_SECONDS + Math.floor(random.next() * WATCH_TIMEOUT_SECONDS),
      signal: watchdog.signal,
      onOpened() {
        openedAtMs = clock.monotonicMs();
        options.observer?.onWatchOpened?.();
      },
      onBytes: watchdog.alive,
    });
    for await (const event of stream) {
      if (event.type === 'ERROR') return ended({ kind: 'error', failure: failureOfEvent(resource, event) });
      events += 1;
      resourceVersion = deliver(options, event) ?? resourceVersion;
    }
    return ended({ kind: 'closed' });
  } catch (error) {
    return ended(watchdog.bitten() ? { kind: 'idle' } : { kind: 'failed', failure: failureOf(options, error) });
  } finally {
    watchdog.release();
  }
}

/** The event's version. A target that throws must not make us read the same event for ever. */
function deliver(
  options: ReflectorOptions,
  event: Exclude<WatchEvent<KubeObject>, { type: 'ERROR' }>,
): string | undefined {
  const { target } = options;
  if (event.type === 'BOOKMARK') {
    guarded(options, () => target.bookmark(event.resourceVersion));
    return event.resourceVersion;
  }
  guarded(options, () => target.apply(event.type, event.object));
  return event.object.metadata.resourceVersion;
}

function guarded(options: ReflectorOptions, run: () => void): void {
  try {
    run();
  } catch (error) {
    options.observer?.onTargetError?.(error);
  }
}

interface Watchdog {
  readonly signal: AbortSignal;
  readonly alive: () => void;
  readonly bitten: () => boolean;
  readonly release: () => void;
}

/** Looks once in a while instead of moving a timer with every byte. */
function startWatchdog(clock: Clock, parent: AbortSignal): Watchdog {
  const controller = new AbortController();
  let aliveAtMs = clock.monotonicMs();
  let bitten = false;
  let cancel = (): void => undefined;
  const look = (): void => {
    const leftMs = aliveAtMs + WATCH_IDLE_MAX_MS - clock.monotonicMs();
    if (leftMs > 0) {
      cancel = clock.schedule(leftMs, look);
      return;
    }
    bitten = true;
    controller.abort();
  };
  const end = (): void => controller.abort();
  parent.addEventListener('abort', end, { once: true });
  if (parent.aborted) end();
  look();
  return {
    signal: controller.signal,
    alive: () => void (aliveAtMs = clock.monotonicMs()),
    bitten: () => bitten,
    release() {
      cancel();
      parent.removeEventListener('abort', end);
    },
  };
}

function report(options: ReflectorOptions, happening: ReflectorHappening, next: ReflectorState): void {
  const failure =
    happening.kind === 'list-failed'
      ? happening.failure
      : happening.kind === 'watch-ended' && 'failure' in happening.end
        ? happening.end.failure
        : null;
  if (failure !== null) options.observer?.onFailure?.(failure as ApiFailure, next);
}

/** An ERROR event as the failure that it stands for. 500s carry a reason of their own in a stream, so they are told apart. */
function failureOfEvent(resource: Resource, event: Extract<WatchEvent<KubeObject>, { type: 'ERROR' }>): ApiFailure {
  const kinds: Readonly<Record<number, ApiFailure['kind']>> = {
    410: 'Gone',
    429: 'TooManyRequests',
    503: 'Unavailable',
    504: 'Unavailable',
  };
  return {
    kind: kinds[event.status] ?? 'BadRequest',
    status: event.status,
    reason: event.reason,
    message: event.message,
    retryAfterMs: null,
    verb: 'watch',
    target: { kind: resource.kind, namespace: '', name: '' },
  };
}

/** Clients throw ApiErrors; anything else is a bug that must not end the reflector. */
function failureOf(options: ReflectorOptions, error: unknown): ApiFailure {
  if (error instanceof ApiError) return error.failure;
  options.observer?.onTargetError?.(error);
  return {
    kind: 'Unavailable',
    status: null,
    reason: 'Bug',
    message: String(error),
    retryAfterMs: null,
    verb: 'watch',
    target: { kind: options.resource.kind, namespace: options.namespace ?? '', name: '' },
  };
}
