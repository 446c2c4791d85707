// The Secret in which bootstrap data is stored: what infrastructure providers read.
import type { OwnerReference, Secret } from '../api/core.js';
import { label, resources, secretType } from '../api/names.js';
import type { BootstrapFormat } from './node-data.js';

/** Who the data belongs to. */
export interface DataSecretOwner {
  readonly name: string;
  readonly namespace: string;
  /** Absent for an object that never was in a cluster. */
  readonly uid?: string;
}

/** The reference by which a KubeadmConfig controls its Secret. */
export function dataSecretOwnerReference({ name, uid = '' }: DataSecretOwner): OwnerReference {
  const { apiVersion, kind } = resources.KubeadmConfig;
  return { apiVersion, kind, name, uid, controller: true };
}

/** The whole Secret: one label, one owner, two keys. */
export function dataSecret(
  owner: DataSecretOwner,
  data: { readonly clusterName: string; readonly format: BootstrapFormat; readonly bytes: Uint8Array },
): Secret {
  const base64 = (bytes: Uint8Array | string): string => Buffer.from(bytes).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: owner.name,
      namespace: owner.namespace,
      labels: { [label.clusterName]: data.clusterName },
      ownerReferences: [dataSecretOwnerReference(owner)],
    },
    type: secretType.cluster,
    data: { value: base64(data.bytes), format: base64(data.format) },
  };
}
