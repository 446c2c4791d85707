// The failure of work that needs a workload cluster which does not answer.

import { workloadUnreachable } from '../../../../machines/machine/guards.js';
import { resources } from '../../../api/names.js';
import { EffectFailure } from '../../../host/effect-failure.js';
import { kubeconfigSecretName } from '../../../kube/kubeconfig-secrets.js';
import type { MachineView } from '../view.js';

/** Names the kubeconfig Secret where the message says that it is at fault, else the Cluster. */
export function workloadSilent({ machine }: MachineView, message: string): EffectFailure {
  const { clusterName } = machine.spec;
  const isSecret = message.includes('kubeconfig');
  const { apiVersion, kind } = isSecret ? resources.Secret : resources.Cluster;
  const name = isSecret ? kubeconfigSecretName(clusterName) : clusterName;
  const namespace = machine.metadata.namespace ?? '';
  return new EffectFailure(workloadUnreachable, message, { apiVersion, kind, namespace, name });
}
