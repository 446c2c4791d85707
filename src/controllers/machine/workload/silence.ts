// The failure of work that needs a workload cluster which does not answer.

import { kubeconfigUnread, workloadUnreachable } from '../../../../machines/machine/guards.js';
import { resources } from '../../../api/names.js';
import { EffectFailure } from '../../../host/effect-failure.js';
import { kubeconfigSecretName } from '../../../kube/kubeconfig-secrets.js';
import type { MachineView } from '../view.js';

/** Kinds of such failures. */
export const noClient: readonly string[] = [workloadUnreachable, kubeconfigUnread];

/** Nothing is known of the cluster where it was not asked. Names the kubeconfig Secret where the message says that it is at fault, else the Cluster. */
export function workloadSilent({ machine }: MachineView, message: string, isUnasked = false): EffectFailure {
  const { clusterName } = machine.spec;
  const isSecret = message.includes('kubeconfig');
  const { apiVersion, kind } = isSecret ? resources.Secret : resources.Cluster;
  const name = isSecret ? kubeconfigSecretName(clusterName) : clusterName;
  const namespace = machine.metadata.namespace ?? '';
  return new EffectFailure(isUnasked ? kubeconfigUnread : workloadUnreachable, message, {
    apiVersion,
    kind,
    namespace,
    name,
  });
}
