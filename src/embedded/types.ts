// The embedded API server's ports and shapes. Types only.
//
// One EmbeddedApiServer is one cluster: its own objects, revisions and users, on a port of its own or reached in process through
// `handle`. It speaks the Kubernetes API as far as the conformance suite proves it; the rest answers 501.
//
//   A1. Time, timers and randomness come in; two servers with the same seed and the same calls give the same bytes.
//   A2. Objects are never changed in place: what a reader holds stays as it was.

import type { OwnerReference } from '../api/meta.js';
import type { KubeObject } from '../api/rest.js';

export type { OwnerReference };

/** A JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;

/** A JSON object. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** Any Kubernetes object as JSON. */
export interface ApiObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

type CommonMeta = KubeObject['metadata'];

/** The metadata that the server itself reads or writes. */
export interface ObjectMeta extends CommonMeta {
  readonly generateName?: string;
  readonly deletionGracePeriodSeconds?: number;
  readonly managedFields?: readonly ManagedFieldsEntry[];
  readonly [field: string]: unknown;
}

/** Who set which fields. */
export interface ManagedFieldsEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsType: 'FieldsV1';
  readonly fieldsV1: JsonObject;
  readonly subresource?: string;
}

/** Time as a port; the host's clock fits. */
export interface EmbeddedClock {
  nowMs(): number;
  /** Calls `run` once after `delayMs`; returns a cancel function. */
  schedule(delayMs: number, run: () => void): () => void;
}

/** Randomness as a port; the host's source fits. */
export interface EmbeddedRandom {
  /** In [0, 1). */
  next(): number;
}

/** A request as the in-process transport takes it. Header names are lower case. */
export interface ApiRequest {
  readonly method: string;
  /** Path and query, as on the request line: `/api/v1/namespaces/default/secrets?limit=500`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Text; the bytes of a protobuf body as latin-1. */
  readonly body?: string;
  /** Ends a watch. */
  readonly signal?: AbortSignal;
}

/** An answer. A watch's body is a stream of chunks, each one or more whole lines; leaving the loop ends the watch. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | AsyncIterable<string>;
}

/** Thrown by `handle` where a socket would have been closed without an answer: the caller cannot know what happened. */
export interface ConnectionDropped extends Error {
  readonly code: 'ECONNRESET';
}

/** A user of the server. */
export interface EmbeddedUser {
  readonly name: string;
  /** Bearer token; a user without one can only be the anonymous user. */
  readonly token?: string;
  readonly groups?: readonly string[];
  /** What the user may do, as RBAC rules over all namespaces; absent: everything. */
  readonly rules?: readonly PolicyRule[];
}

/** One RBAC rule, as in a ClusterRole. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

/** What a request asks for; also what fault plans and observers see. */
export interface RequestInfo {
  /** get, list, watch, create, update, patch, delete, deletecollection; for other paths the method in lower case. */
  readonly verb: string;
  readonly path: string;
  readonly isResource: boolean;
  readonly group: string;
  readonly version: string;
  /** Plural; empty for paths that are no resource. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly query: URLSearchParams;
  readonly user: string;
  readonly userAgent: string;
}

/** A fault in place of, before or after handling a request. */
export type RequestFault =
  /** Handled after a wait. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Refused with this status; nothing happens. */
  | { readonly kind: 'status'; readonly code: number; readonly retryAfterSeconds?: number; readonly message?: string }
  /** Nothing happens, and the connection breaks after `ms`. */
  | { readonly kind: 'drop-before'; readonly ms?: number }
  /** It happens, and the connection breaks before the answer. */
  | { readonly kind: 'drop-after'; readonly ms?: number }
  /** Nothing happens and nothing is answered until the caller gives up. */
  | { readonly kind: 'hang-before' }
  /** It happens, and nothing is answered until the caller gives up. */
  | { readonly kind: 'hang-after' };

/** A fault of one watch, asked for before each event is sent. */
export type WatchFault =
  /** This event and those behind it arrive later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The stream ends as if the server had closed it; the event is not sent. */
  | { readonly kind: 'close' }
  /** The stream ends in the middle of a line. */
  | { readonly kind: 'break' }
  /** An ERROR event with code 410 ends the stream. */
  | { readonly kind: 'gone' };

/** Decides which requests fail. Both answers undefined: all is well. */
export interface FaultPlan {
  request?(info: RequestInfo): RequestFault | undefined;
  watchEvent?(info: RequestInfo, event: { readonly type: string; readonly object: ApiObject }): WatchFault | undefined;
}

/** One write as it happened: for tests and the demo's progress. */
export interface StoreEvent {
  readonly revision: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  /** `group/plural`, the group empty for core: `/secrets`. */
  readonly resource: string;
  readonly object: ApiObject;
  readonly previous: ApiObject | undefined;
}

/** Options of one server. */
export interface EmbeddedApiServerOptions {
  readonly clock: EmbeddedClock;
  readonly random: EmbeddedRandom;
  /** CustomResourceDefinitions that are there from the start, as JSON. More can be created through the API. */
  readonly crds?: readonly object[];
  /** Users with tokens. With none, and with `anonymous` unset, everybody may do everything. */
  readonly users?: readonly EmbeddedUser[];
  /** Whom a request without a token is: default `all` without users, `refused` with users. */
  readonly anonymous?: 'all' | 'refused';
  readonly faults?: FaultPlan;
  /** Called after every request, with its answer's status (0: dropped). */
  readonly onRequest?: (info: RequestInfo, status: number, tookMs: number) => void;
  /** Deletes what lost its owners, as the controller manager does: default true. */
  readonly garbageCollector?: boolean;
  /** How long after a change it looks; next to nothing by default. */
  readonly garbageCollectorDelayMs?: number;
  /** Ends namespaces, as the controller manager does: default true. */
  readonly namespaceController?: boolean;
  /** Events kept for watches per resource; older resourceVersions answer 410. Default 20000. */
  readonly watchHistoryMax?: number;
  /** Interval of bookmarks. Default 60 s. */
  readonly bookmarkIntervalMs?: number;
  /** Key and certificate (PEM) for https; http otherwise. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Namespaces that exist from the start, beside default, kube-system, kube-public and kube-node-lease. */
  readonly namespaces?: readonly string[];
}

/** Looks into a server without going through the API. */
export interface StoreInspection {
  /** Newest revision: the resourceVersion of a list. */
  revision(): number;
  /** All objects of a resource (`secrets`, or `machines.cluster.x-k8s.io`), in the order of a list. */
  list(resource: string, namespace?: string): readonly ApiObject[];
  get(resource: string, namespace: string, name: string): ApiObject | undefined;
  subscribe(listener: (event: StoreEvent) => void): () => void;
  /** Forgets the events up to now: watches and pages that start before answer 410. */
  compact(): void;
  /** Closes all open watches, as a restart of the server would. */
  closeWatches(how?: 'close' | 'break' | 'gone'): void;
  watchCount(): number;
}

/** One API server in memory. */
export interface EmbeddedApiServer {
  /** The whole API without sockets. Rejects with ConnectionDropped where a fault breaks the connection. */
  handle(request: ApiRequest): Promise<ApiResponse>;
  /** Serves `handle` on loopback; port 0 takes a free one. */
  listen(options?: {
    readonly port?: number;
    readonly host?: string;
  }): Promise<{ readonly url: string; readonly port: number }>;
  /** The address of the listener, or null. */
  url(): string | null;
  /** Ends watches and the listener. The objects stay readable through `store`. */
  close(): Promise<void>;
  readonly store: StoreInspection;
  /** Replaces the fault plan; undefined ends all faults. */
  setFaults(faults: FaultPlan | undefined): void;
  /** A kubeconfig (YAML text) for a user of the listening server. */
  kubeconfig(user?: string): string;
}
