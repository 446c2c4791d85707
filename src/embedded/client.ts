// A small client for a server in this process: what the simulated infrastructure and tests need, without sockets.
//
// Failures are thrown with `failure`, shaped like those of the operator's own client: callers that read `failure.kind` work
// with either.
import type { WatchEvent, KubeObject, Resource, Target } from '../api/rest.js';
import type { InfrastructureClient } from './infrastructure/ports.js';
import type { ApiRequest, ApiResponse } from './types.js';

const kinds: Readonly<Record<string, string>> = {
  NotFound: 'NotFound',
  AlreadyExists: 'AlreadyExists',
  Conflict: 'Conflict',
  Invalid: 'Invalid',
  BadRequest: 'BadRequest',
  Forbidden: 'Forbidden',
  Unauthorized: 'Unauthorized',
  TooManyRequests: 'TooManyRequests',
  Expired: 'Gone',
};

/** Options of one call. */
interface CallOptions {
  readonly signal?: AbortSignal;
}

/** A client of a handler, as one user. */
export function createHandleClient(
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  options: { readonly token?: string; readonly userAgent?: string } = {},
): InfrastructureClient {
  const headers = {
    accept: 'application/json',
    'user-agent': options.userAgent ?? 'embedded-client',
    ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
  };
  const call = async (
    method: string,
    url: string,
    more: CallOptions & { readonly body?: object; readonly contentType?: string } = {},
  ): Promise<unknown> => {
    const body = more.body === undefined ? undefined : JSON.stringify(more.body);
    const response = await handle({
      method,
      url,
      headers: body === undefined ? headers : { ...headers, 'content-type': more.contentType ?? 'application/json' },
      ...(body === undefined ? {} : { body }),
      ...(more.signal === undefined ? {} : { signal: more.signal }),
    });
    const text = typeof response.body === 'string' ? response.body : '';
    if (response.status < 400) return JSON.parse(text) as unknown;
    throw failed(response.status, text);
  };
  return {
    get: async <T extends KubeObject>(target: Target, more: CallOptions = {}) =>
      (await call('GET', pathOf(target), more)) as T,
    async list<T extends KubeObject>(resource: Resource, more: CallOptions & { readonly namespace?: string } = {}) {
      const list = (await call('GET', collection(resource, more.namespace ?? ''), more)) as {
        metadata: { resourceVersion: string };
        items: T[];
      };
      const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
      const items = list.items.map((item) => ({ ...item, apiVersion, kind: resource.kind }));
      return { resourceVersion: list.metadata.resourceVersion, items };
    },
    create: async <T extends KubeObject>(resource: Resource, object: object, more: CallOptions = {}) => {
      const namespace = (object as KubeObject).metadata.namespace ?? '';
      return (await call('POST', collection(resource, namespace), { ...more, body: object })) as T;
    },
    mergePatch: async <T extends KubeObject>(
      target: Target,
      body: object,
      more: CallOptions & { readonly subresource?: string } = {},
    ) => {
      const url = more.subresource === undefined ? pathOf(target) : `${pathOf(target)}/${more.subresource}`;
      return (await call('PATCH', url, { ...more, body, contentType: 'application/merge-patch+json' })) as T;
    },
    async delete(target, { gracePeriodSeconds, ...more } = {}) {
      const query = gracePeriodSeconds === undefined ? '' : `?gracePeriodSeconds=${gracePeriodSeconds}`;
      await call('DELETE', pathOf(target) + query, more);
    },
    watch: <T extends KubeObject>(resource: Resource, more: CallOptions & { readonly resourceVersion?: string }) =>
      events<T>(handle, headers, resource, more),
  };
}

async function* events<T extends KubeObject>(
  handle: (request: ApiRequest) => Promise<ApiResponse>,
  headers: Readonly<Record<string, string>>,
  resource: Resource,
  more: CallOptions & { readonly resourceVersion?: string },
): AsyncGenerator<WatchEvent<T>> {
  const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${more.resourceVersion ?? ''}`;
  const response = await handle({
    method: 'GET',
    url: `${collection(resource, '')}?${query}`,
    headers,
    ...(more.signal === undefined ? {} : { signal: more.signal }),
  });
  if (typeof response.body === 'string') throw failed(response.status, response.body);
  let rest = '';
  for await (const chunk of response.body) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield eventOf<T>(line);
  }
}

function eventOf<T extends KubeObject>(line: string): WatchEvent<T> {
  const { type, object } = JSON.parse(line) as {
    type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
    object: T;
  };
  if (type === 'BOOKMARK') return { type, resourceVersion: object.metadata.resourceVersion ?? '' };
  if (type !== 'ERROR') return { type, object };
  const status = object as unknown as { code: number; reason: string; message: string };
  return { type, status: status.code, reason: status.reason, message: status.message };
}

function collection(resource: Resource, namespace: string): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  return namespace === '' ? `${root}/${resource.plural}` : `${root}/namespaces/${namespace}/${resource.plural}`;
}

function pathOf({ resource, namespace, name }: Target): string {
  return `${collection(resource, namespace)}/${encodeURIComponent(name)}`;
}

function failed(status: number, text: string): Error {
  const parsed = statusOf(text);
  const kind = kinds[parsed.reason] ?? (status >= 500 ? 'Unavailable' : 'Refused');
  return Object.assign(new Error(parsed.message), {
    failure: { kind, status, reason: parsed.reason, message: parsed.message },
  });
}

function statusOf(text: string): { reason: string; message: string } {
  try {
    const { reason = '', message = text } = JSON.parse(text) as { reason?: string; message?: string };
    return { reason, message };
  } catch {
    return { reason: '', message: text };
  }
}
