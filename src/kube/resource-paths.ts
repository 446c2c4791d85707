// Where things are in the API: paths and queries of resources and objects, and Resource values from kinds.

import type { ListOptions, Resource, Target } from './contract.js';

/** A kind as src/api/names.ts lists them. */
export interface KindEntry {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** The REST resource of a kind. */
export function resourceOf({ apiVersion, kind, plural, namespaced }: KindEntry): Resource {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  return Object.freeze({ group, version: apiVersion.slice(slash + 1), plural, kind, namespaced });
}

/** `group/version`, or `v1` for the core group. */
export function apiVersionOf(resource: Pick<Resource, 'group' | 'version'>): string {
  return resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
}

/** `kubeadmconfigs.bootstrap.cluster.x-k8s.io`, or `secrets`: how people and RBAC name a resource. */
export function resourceName(resource: Pick<Resource, 'group' | 'plural'>): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

const RESOURCE_PATH = /^\/(?:api|apis\/([^/]+))\/[^/]+\/(?:namespaces\/[^/]+\/)?([^/?]+)/;

/** `resourceName` of what a path is about, whatever its version, object or subresource; empty where it is about no resource. */
export function resourceNameOfPath(path: string): string {
  const [, group = '', plural = ''] = RESOURCE_PATH.exec(path) ?? [];
  return resourceName({ group, plural });
}

/** The path of all objects of a resource, in one namespace or in all. */
export function collectionPath(resource: Resource, namespace: string): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const inside = resource.namespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${inside}/${resource.plural}`;
}

/** The path of one object or one of its subresources. */
export function objectPath({ resource, namespace, name }: Target, subresource?: string): string {
  const path = `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** A query string with its question mark; absent and empty values are left out. */
export function query(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const pairs = Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== '' && value !== false)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

/** The query of a list, or the common part of a watch. */
export function selection(options: ListOptions): Readonly<Record<string, string | undefined>> {
  return {
    labelSelector: options.labelSelector,
    fieldSelector: options.fieldSelector,
    resourceVersion: options.resourceVersion,
  };
}

/** True for paths whose POST answers a question and stores nothing. */
export function isReviewPath(path: string): boolean {
  return /^\/apis\/(?:authentication|authorization)\.k8s\.io\//.test(path);
}
