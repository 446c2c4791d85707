// An ApiClient whose lists and watches are answered by the test, one by one.
import {
  ApiError,
  type ApiClient,
  type ApiFailure,
  type ApiFailureKind,
  type KubeObject,
  type ListOptions,
  type ListResult,
  type Resource,
  type WatchEvent,
} from '../../../src/kube/contract.js';

export interface ListCall {
  readonly resource: Resource;
  readonly options: ListOptions;
  answer(list: ListResult<KubeObject>): void;
  fail(kind: ApiFailureKind, more?: Partial<ApiFailure>): void;
}

export interface WatchCall {
  readonly resource: Resource;
  readonly options: Parameters<ApiClient['watch']>[1];
  readonly signal: AbortSignal | undefined;
  /** The server answers that it watches. */
  open(): void;
  send(event: WatchEvent<KubeObject>): void;
  /** The server ends the stream politely. */
  close(): void;
  fail(kind: ApiFailureKind, more?: Partial<ApiFailure>): void;
}

export interface ScriptedClient {
  readonly client: ApiClient;
  readonly lists: ListCall[];
  readonly watches: WatchCall[];
}

export function failure(kind: ApiFailureKind, more: Partial<ApiFailure> = {}): ApiError {
  const target = { kind: 'Machine', namespace: '', name: '' };
  return new ApiError({
    kind,
    status: null,
    reason: '',
    message: kind,
    retryAfterMs: null,
    verb: 'list',
    target,
    ...more,
  });
}

export function createScriptedClient(): ScriptedClient {
  const lists: ListCall[] = [];
  const watches: WatchCall[] = [];
  const client = {
    list: (resource: Resource, options: ListOptions = {}) =>
      new Promise((resolve, reject) => {
        const abort = (): void => reject(failure('Aborted'));
        options.signal?.addEventListener('abort', abort, { once: true });
        lists.push({ resource, options, answer: resolve, fail: (kind, more) => reject(failure(kind, more)) });
      }),
    watch(resource: Resource, options: WatchCall['options']) {
      const stream = createStream(options.signal);
      watches.push({
        resource,
        options,
        signal: options.signal,
        open: () => options.onOpened?.(),
        send(event) {
          options.onBytes?.();
          stream.push({ event });
        },
        close: () => stream.push({ end: null }),
        fail: (kind, more) => stream.push({ end: failure(kind, more) }),
      });
      return stream.events();
    },
  } as unknown as ApiClient;
  return { client, lists, watches };
}

type Item = { readonly event: WatchEvent<KubeObject> } | { readonly end: ApiError | null };

function createStream(signal: AbortSignal | undefined): {
  push(item: Item): void;
  events(): AsyncGenerator<WatchEvent<KubeObject>, void>;
} {
  const items: Item[] = [];
  let wake = (): void => undefined;
  const push = (item: Item): void => {
    items.push(item);
    wake();
  };
  signal?.addEventListener('abort', () => push({ end: failure('Aborted') }), { once: true });
  return {
    push,
    async *events() {
      for (;;) {
        while (items.length === 0) await new Promise<void>((resolve) => (wake = resolve));
        const item = items.shift() as Item;
        if ('event' in item) yield item.event;
        else if (item.end === null) return;
        else throw item.end;
      }
    },
  };
}

/** A Machine at a version. */
export function machine(name: string, resourceVersion: string, more: Partial<KubeObject['metadata']> = {}): KubeObject {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { name, namespace: 'default', uid: `uid-${name}`, resourceVersion, ...more },
  };
}
