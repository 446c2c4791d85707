// Reads a request line: which resource, which verb, or which other path.
import { requestTarget, unescaped } from '../http/request-target.js';
import type { ApiRequest, RequestInfo } from './types.js';

const namespaceSubresources = new Set(['status', 'finalize']);

/** Splits method and URL into what the rest of the server asks about. Never fails: nonsense is a path that nobody serves. */
export function requestInfo(request: ApiRequest, user: string): RequestInfo {
  const { path, query } = requestTarget(request.url);
  const base = {
    path,
    query,
    user,
    userAgent: request.headers['user-agent'] ?? '',
  };
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(unescaped);
  const located = locate(parts);
  if (located === null) return { ...base, ...nowhere, verb: request.method.toLowerCase() };
  const verb = verbOf(request.method, located.name, query);
  return { ...base, ...located, isResource: true, verb };
}

const nowhere = {
  isResource: false,
  group: '',
  version: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
} as const;

type Place = Pick<RequestInfo, 'group' | 'version' | 'resource' | 'subresource' | 'namespace' | 'name'>;

function locate(parts: readonly string[]): Place | null {
  const [root, ...rest] = parts;
  if (root === 'api') {
    const [version, ...path] = rest;
    return version === undefined || path.length === 0 ? null : place('', version, path);
  }
  if (root === 'apis') {
    const [group, version, ...path] = rest;
    return group === undefined || version === undefined || path.length === 0 ? null : place(group, version, path);
  }
  return null;
}

/** `namespaces/x` is the namespace itself; `namespaces/x/secrets/y` is something inside it. */
function place(group: string, version: string, path: readonly string[]): Place {
  const [first = '', second = '', third = '', ...rest] = path;
  if (first === 'namespaces' && third !== '' && !namespaceSubresources.has(third)) {
    const [name = '', ...below] = rest;
    return { group, version, resource: third, namespace: second, name, subresource: below.join('/') };
  }
  const subresource = [third, ...rest].filter((part) => part !== '').join('/');
  const namespace = first === 'namespaces' ? second : '';
  return { group, version, resource: first, namespace, name: second, subresource };
}

function verbOf(method: string, name: string, query: URLSearchParams): string {
  switch (method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === '' ? 'deletecollection' : 'delete';
    case 'GET':
    case 'HEAD':
      if (isTrue(query.get('watch'))) return 'watch';
      return name === '' ? 'list' : 'get';
    default:
      return method.toLowerCase();
  }
}

/** How query parameters say yes. */
export function isTrue(value: string | null): boolean {
  return value === 'true' || value === '1';
}
