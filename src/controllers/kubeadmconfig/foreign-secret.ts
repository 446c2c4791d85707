// Whose a Secret of the data's name is, as far as its controller, its type and its content tell. Pure.
//
//   F1. What another kind controls is somebody else's.
//   F2. What nobody controls may be data whose owner was lost. It is taken for that only if it looks like it: with the type of
//       bootstrap data, and with the cluster's label or exactly the two keys of bootstrap data. Passwords, certificates and
//       kubeconfigs of the same name are not.
import { label, secretType } from '../../api/names.js';
import type { KubeObject } from '../../kube/contract.js';
import { isKubeadmConfigReference, textOf } from './objects.js';
import { controllerOf } from './view.js';

/** A Secret, with as much of it as is known: of metadata alone neither type nor data are. */
export interface SeenSecret extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

const dataKeys: readonly string[] = ['value', 'format'];
/** What is shown of a type, which may be any text. */
const TYPE_SHOWN_MAX = 100;

/** Why a Secret is somebody else's, as the end of a sentence; empty when it may be data of this KubeadmConfig. */
export function whyForeign(secret: SeenSecret): string {
  const controller = controllerOf(secret);
  if (controller !== undefined) {
    return isKubeadmConfigReference(controller)
      ? ''
      : `it is already controlled by ${controller.kind} ${controller.name}`;
  }
  const type = textOf(secret.type);
  if (type !== '' && type !== secretType.cluster) {
    return `nobody controls it and its type is ${type.slice(0, TYPE_SHOWN_MAX)}, not ${secretType.cluster}`;
  }
  const keys = Object.keys(secret.data ?? {});
  const hasDataKeys = keys.length === dataKeys.length && keys.every((key) => dataKeys.includes(key));
  if (keys.length > 0 && !hasDataKeys) return 'nobody controls it and its keys are not just value and format';
  if (secret.metadata.labels?.[label.clusterName] !== undefined || hasDataKeys) return '';
  return `nobody controls it and it has neither the label ${label.clusterName} nor the keys value and format`;
}
