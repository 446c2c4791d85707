// Kubeconfigs of workload clusters from their Secrets `<cluster>-kubeconfig`: from the cache, or live where it has none.
//
// Unlabelled Secrets are in no cache; they are read directly, and the stream of names tells when they change.

import type { ApiClient, Cache, Resource } from './contract.js';
import { isApiError } from './failures.js';
import type { NameStream } from './name-stream.js';
import type { CachedSecret } from './projections.js';

/** A cluster by name. */
export interface ClusterName {
  readonly namespace: string;
  readonly name: string;
}

/** The Secret could not be read: nothing is known of it, nor of its cluster. */
export class KubeconfigUnreadError extends Error {
  override readonly name = 'KubeconfigUnreadError';
}

/** Where kubeconfigs come from. */
export interface KubeconfigSource {
  /** The kubeconfig's text. `live` goes past the cache. Throws an Error that says what is missing, or a KubeconfigUnreadError. */
  read(cluster: ClusterName, options: { readonly live: boolean; readonly signal: AbortSignal }): Promise<string>;
  /** Something about a cluster's kubeconfig Secret may have changed; null: about any of them. */
  subscribe(listener: (cluster: ClusterName | null) => void): () => void;
}

/** What a source of Secrets needs. */
export interface KubeconfigSecretsOptions {
  readonly client: Pick<ApiClient, 'get'>;
  readonly secret: Resource;
  /** Labelled Secrets, whose data is kept for the purpose kubeconfig. */
  readonly cache: Cache<CachedSecret>;
  readonly names?: NameStream;
}

const SUFFIX = '-kubeconfig';

/** Name of the Secret with a cluster's kubeconfig. */
export function kubeconfigSecretName(cluster: string): string {
  return `${cluster}${SUFFIX}`;
}

/** A source over Secrets. */
export function kubeconfigSecrets({ client, secret, cache, names }: KubeconfigSecretsOptions): KubeconfigSource {
  return {
    async read(cluster, { live, signal }) {
      const name = kubeconfigSecretName(cluster.name);
      const cached = live ? undefined : cache.get(cluster.namespace, name);
      const found =
        cached?.data === undefined
          ? await readLive({ client, secret, namespace: cluster.namespace, name, signal })
          : cached;
      const value = found.data?.['value'];
      if (value === undefined || value === '')
        throw new Error('error getting kubeconfig secret: missing key "value" in secret data');
      return Buffer.from(value, 'base64').toString('utf8');
    },
    subscribe(listener) {
      const tell = (namespace: string, name: string): void => {
        if (name.endsWith(SUFFIX)) listener({ namespace, name: name.slice(0, -SUFFIX.length) });
      };
      const ends = [
        cache.subscribe(({ before, after }) => {
          const { namespace = '', name } = (after ?? before)?.metadata ?? { name: '' };
          tell(namespace, name);
        }),
        names?.subscribe((change) => {
          if (change.kind === 'changed') tell(change.namespace, change.name);
          else listener(null);
        }),
      ];
      return () => ends.forEach((end) => end?.());
    },
  };
}

async function readLive(options: {
  readonly client: Pick<ApiClient, 'get'>;
  readonly secret: Resource;
  readonly namespace: string;
  readonly name: string;
  readonly signal: AbortSignal;
}): Promise<CachedSecret> {
  const { client, secret, namespace, name, signal } = options;
  try {
    return await client.get<CachedSecret>({ resource: secret, namespace, name }, { signal });
  } catch (error) {
    if (!isApiError(error)) throw error;
    const message = `error getting kubeconfig secret: ${error.failure.message}`;
    if (error.failure.kind === 'NotFound' || error.failure.status === 404) throw new Error(message, { cause: error });
    throw new KubeconfigUnreadError(message, { cause: error });
  }
}
