// What caches keep of an object: what somebody reads, and no secret that nobody needs.

import type { KubeObject } from './contract.js';
import { label } from '../api/names.js';

/** Purposes of a cluster's Secrets whose data is read from the cache: `<cluster>-<purpose>`. */
export const CACHED_SECRET_PURPOSES = ['ca', 'etcd', 'proxy', 'sa', 'apiserver-etcd-client', 'kubeconfig'] as const;

/** A Secret as the cache has it: `data` is there only for the purposes above. */
export interface CachedSecret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

/** Drops a Secret's data unless it is one of a cluster's certificates or its kubeconfig. */
export function projectSecret(object: KubeObject): CachedSecret {
  const { apiVersion, kind, metadata, type, data } = object as CachedSecret;
  const base: CachedSecret = { apiVersion, kind, metadata, ...(type === undefined ? {} : { type }) };
  return data !== undefined && keepsData(metadata) ? { ...base, data } : base;
}

function keepsData(metadata: KubeObject['metadata']): boolean {
  const cluster = metadata.labels?.[label.clusterName];
  return cluster !== undefined && CACHED_SECRET_PURPOSES.some((purpose) => metadata.name === `${cluster}-${purpose}`);
}

/** Metadata alone, for kinds of which only existence, owners and labels are read. */
export function projectMetadata({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  return { apiVersion, kind, metadata };
}
