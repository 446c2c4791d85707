// The Secret in which bootstrap data is stored: what infrastructure providers read.
import type { OwnerReference, Secret } from '../api/core.js';
import { annotation, label, resources, secretType } from '../api/names.js';
import { tokenId } from './bootstrap-token.js';
import type { BootstrapFormat } from './bootstrap-types.js';

/** Who the data belongs to. */
export interface DataSecretOwner {
  readonly name: string;
  readonly namespace: string;
  /** Absent for an object that never was in a cluster. */
  readonly uid?: string;
}

/** The reference by which a KubeadmConfig controls its Secret. */
export function dataSecretOwnerReference({ name, uid = '' }: Pick<DataSecretOwner, 'name' | 'uid'>): OwnerReference {
  const { apiVersion, kind } = resources.KubeadmConfig;
  return { apiVersion, kind, name, uid, controller: true };
}

/** What is stored. */
export interface StoredBytes {
  readonly clusterName: string;
  readonly format: BootstrapFormat;
  readonly bytes: Uint8Array;
  /** The bootstrap token inside; empty for none. */
  readonly token: string;
}

/** The whole Secret: one label, one owner, two keys, and the id of its token. */
export function dataSecret(owner: DataSecretOwner, { clusterName, format, bytes, token }: StoredBytes): Secret {
  return {
    apiVersion: resources.Secret.apiVersion,
    kind: 'Secret',
    metadata: {
      name: owner.name,
      namespace: owner.namespace,
      labels: { [label.clusterName]: clusterName },
      ...(token === '' ? {} : { annotations: { [annotation.token]: tokenId(token) } }),
      ownerReferences: [dataSecretOwnerReference(owner)],
    },
    type: secretType.cluster,
    data: dataSecretData({ bytes, format }),
  };
}

/** Its two keys. */
export function dataSecretData({ bytes, format }: Pick<StoredBytes, 'bytes' | 'format'>): Record<string, string> {
  const base64 = (content: Uint8Array | string): string => Buffer.from(content).toString('base64');
  return { value: base64(bytes), format: base64(format) };
}
