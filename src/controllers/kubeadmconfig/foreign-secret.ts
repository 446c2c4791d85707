// Whose a Secret of the data's name is, as far as its controller, its type and its content tell. Pure.
//
//   F1. What another kind controls is somebody else's.
//   F2. What nobody controls may be data whose owner was lost. It is taken for that only if it looks like it: with the type of
//       bootstrap data, and with the cluster's label or exactly the two keys of bootstrap data. Passwords, certificates and
//       kubeconfigs of the same name are not.
//   F3. What bears the name of one of the cluster's own Secrets (certificates, kubeconfig) is data only if its keys say so,
//       whoever controls it.
//
// Caches keep the keys of few Secrets. What only metadata speaks for is judged again with a live read before it is touched.
import { label, secretType } from '../../api/names.js';
import type { KubeObject } from '../../kube/contract.js';
import { CACHED_SECRET_PURPOSES } from '../../kube/projections.js';
import { isKubeadmConfigReference, textOf } from './objects.js';
import { controllerOf, type View } from './view.js';

/** A Secret, with as much of it as is known: of metadata alone neither type nor data are. */
export interface SeenSecret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

const dataKeys: readonly string[] = ['value', 'format'];
/** What is shown of a type, which may be any text. */
const TYPE_SHOWN_MAX = 100;

/** For whom a Secret is judged. */
export interface ForWhom {
  /** Name of the KubeadmConfig's Cluster; empty when it has none. */
  readonly cluster: string;
  /** Whether it is on record that this KubeadmConfig stored its data: then others may have added keys to it. */
  readonly isOnRecord: boolean;
}

/** For whom the Secret of a view is judged. */
export function forWhom({ config, owner, cluster }: Pick<View, 'config' | 'owner' | 'cluster'>): ForWhom {
  const { name } = config.metadata;
  const isOnRecord = config.status?.dataSecretName === name || owner.dataSecretName === name;
  return { cluster: cluster?.metadata.name ?? owner.clusterName, isOnRecord };
}

/** Why a Secret is somebody else's, as the end of a sentence; empty when it may be data of this KubeadmConfig. */
export function whyForeign(secret: SeenSecret, whom: ForWhom): string {
  const controller = controllerOf(secret);
  if (controller !== undefined && !isKubeadmConfigReference(controller))
    return `it is already controlled by ${controller.kind} ${controller.name}`;
  const isClusters =
    whom.cluster !== '' &&
    CACHED_SECRET_PURPOSES.some((purpose) => secret.metadata.name === `${whom.cluster}-${purpose}`);
  const clusters = `its name is that of a Secret that belongs to Cluster ${whom.cluster}, and its keys are not just value and format`;
  if (controller === undefined) return whyNoData(secret, whom) || (isClusters && !isData(secret) ? clusters : '');
  return isClusters && secret.data !== undefined && !isData(secret) ? clusters : '';
}

/** Whether the keys that are known are those of bootstrap data; a kubeconfig has `value` alone. */
export function isData({ data = {} }: SeenSecret): boolean {
  return dataKeys.every((key) => Object.hasOwn(data, key));
}

function whyNoData(secret: SeenSecret, { isOnRecord }: ForWhom): string {
  const type = textOf(secret.type);
  if (type !== '' && type !== secretType.cluster) {
    return `nobody controls it and its type is ${type.slice(0, TYPE_SHOWN_MAX)}, not ${secretType.cluster}`;
  }
  const keys = Object.keys(secret.data ?? {});
  const hasDataKeys = isOnRecord ? keys.includes('value') : isData(secret) && keys.length === dataKeys.length;
  if (keys.length > 0 && !hasDataKeys) return 'nobody controls it and its keys are not just value and format';
  if (secret.metadata.labels?.[label.clusterName] !== undefined || hasDataKeys) return '';
  return `nobody controls it and it has neither the label ${label.clusterName} nor the keys value and format`;
}
