// The narrow port between what we decide and an API server: requests, caches and watches.
//
// Effects and controllers see these types only; src/kube implements them on one keep-alive transport, and tests implement
// them on the embedded API server's in-process handler. Types only.

import type { KubeObject, Resource, Target, WatchEvent } from '../api/rest.js';

export type { KubeObject, Resource, Target, WatchEvent };

/** The closed list of what an API server's answer, or its absence, can mean. */
export type ApiFailureKind =
  | 'NotFound'
  | 'AlreadyExists'
  | 'Conflict'
  | 'Invalid'
  | 'BadRequest'
  | 'Forbidden'
  | 'Unauthorized'
  | 'TooManyRequests'
  | 'Gone'
  | 'NoSuchResource'
  | 'Unavailable'
  | 'Refused'
  | 'Aborted'
  /** It may have happened: a timeout, reset or 5xx after the request was sent. Only for writes. */
  | 'Unknown';

/** Thrown by every client call that does not succeed. `message` is the server's text. */
export interface ApiFailure {
  readonly kind: ApiFailureKind;
  readonly status: number | null;
  readonly reason: string;
  readonly message: string;
  readonly retryAfterMs: number | null;
  readonly verb: string;
  readonly target: { readonly kind: string; readonly namespace: string; readonly name: string };
  /** The causes of the server's Status, where it names any: why an eviction was refused. */
  readonly causes?: readonly { readonly reason: string; readonly message: string }[];
}

/** Carries an ApiFailure through a throw. */
export class ApiError extends Error {
  readonly failure: ApiFailure;
  constructor(failure: ApiFailure) {
    super(failure.message);
    this.name = 'ApiError';
    this.failure = failure;
  }
}

/** How soon a request leaves where requests must wait: `low` is for what nobody waits for. */
export type RequestPriority = 'normal' | 'low';

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** Milliseconds for the whole call; the client's default otherwise. */
  readonly timeoutMs?: number;
  /** Asks for metadata only (PartialObjectMetadata). */
  readonly metadataOnly?: boolean;
  /** Default `normal`. */
  readonly priority?: RequestPriority;
  /** Monotonic time at which the work began that the request is a step of; default now. The oldest work goes first. */
  readonly sinceMs?: number;
}

export interface WriteOptions extends RequestOptions {
  /** Only `status` and `eviction` and their like: the subresource's name. */
  readonly subresource?: string;
  readonly dryRun?: boolean;
}

export interface ListOptions extends RequestOptions {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly limit?: number;
  readonly continueToken?: string;
}

export interface ListResult<T> {
  readonly resourceVersion: string;
  readonly continueToken: string | null;
  readonly items: readonly T[];
}

export interface DeleteOptions extends WriteOptions {
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  readonly gracePeriodSeconds?: number;
}

/** One API server, one identity. Every method throws ApiError and nothing else. */
export interface ApiClient {
  /** True when nothing is written: writes are told and look as if they had been made. Absent: they are made. */
  readonly isShadow?: true;
  get<T extends KubeObject>(target: Target, options?: RequestOptions): Promise<T>;
  list<T extends KubeObject>(resource: Resource, options?: ListOptions): Promise<ListResult<T>>;
  create<T extends KubeObject>(resource: Resource, object: object, options?: WriteOptions): Promise<T>;
  /** PUT; guarded when the object carries a resourceVersion. */
  update<T extends KubeObject>(target: Target, object: object, options?: WriteOptions): Promise<T>;
  /** RFC 7386. Put `metadata.resourceVersion` (and uid) into the body to guard it. */
  mergePatch<T extends KubeObject>(target: Target, body: object, options?: WriteOptions): Promise<T>;
  /** Server-side apply. */
  apply<T extends KubeObject>(
    target: Target,
    object: object,
    options: WriteOptions & { readonly fieldManager: string; readonly force?: boolean },
  ): Promise<T>;
  delete(target: Target, options?: DeleteOptions): Promise<void>;
  /** POST to a subresource such as `eviction`, or to a review resource. */
  post<T>(path: string, body: object, options?: RequestOptions): Promise<T>;
  /** A watch as an async iterable of events; ends when the server closes it; throws ApiError. */
  watch<T extends KubeObject>(
    resource: Resource,
    options: ListOptions & {
      readonly timeoutSeconds?: number;
      /** Called once, when the server has answered that it watches. */
      readonly onOpened?: () => void;
      readonly onBytes?: () => void;
    },
  ): AsyncIterable<WatchEvent<T>>;
}

/** What changed in a cache. `sync` marks what a list or relist reported, where nobody changed anything just now. */
export interface CacheChange<T> {
  readonly type: 'added' | 'updated' | 'deleted';
  readonly sync: boolean;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

/** The newest known objects of one resource. Objects are frozen: nobody changes them. */
export interface Cache<T extends KubeObject> {
  readonly resource: Resource;
  /** True after the first complete list. */
  readonly synced: boolean;
  get(namespace: string, name: string): T | undefined;
  list(namespace?: string): readonly T[];
  /** Objects under a value of an index that was declared when the cache was made. */
  byIndex(index: string, value: string): readonly T[];
  subscribe(listener: (change: CacheChange<T>) => void): () => void;
  /** The newest resourceVersion that a list, event or bookmark showed. */
  readonly resourceVersion: string;
}

/** State of the way to one workload cluster. */
export type ConnectionState =
  | { readonly kind: 'none' }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'connected'; readonly client: ApiClient }
  | {
      readonly kind: 'failed';
      readonly message: string;
      /** The kubeconfig could not be read: the cluster was not asked. */
      readonly isUnasked?: boolean;
      readonly sinceMs: number;
      readonly retryAtMs: number;
    };

/** Connections to workload clusters; each exists while a turn wants one and 60 s after. */
export interface WorkloadConnections {
  /**
   * A connected client for the cluster, or an ApiError / ConnectionError that says why not. One attempt per cluster at a time;
   * `isLive` makes one though the backoff after the last is not over.
   */
  client(
    cluster: { readonly namespace: string; readonly name: string },
    signal: AbortSignal,
    options?: { readonly isLive?: boolean },
  ): Promise<ApiClient>;
  state(cluster: { readonly namespace: string; readonly name: string }): ConnectionState;
  /** Called when a connection comes up, fails, or its kubeconfig Secret changes: wakes those who wait. */
  subscribe(listener: (cluster: { readonly namespace: string; readonly name: string }) => void): () => void;
  close(): Promise<void>;
}
