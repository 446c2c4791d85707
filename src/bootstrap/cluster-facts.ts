// What bootstrap data takes from the objects around a KubeadmConfig. Total: a field of another shape counts as absent.
import type { Cluster, KubernetesObject } from '../api/core.js';
import { conditionType, label } from '../api/names.js';
import type { ClusterFacts } from './bootstrap-types.js';
import { listOf, memberOf, numberOf, textOf } from './loose-json.js';

/** The facts of a Cluster. */
export function clusterFacts(cluster: Cluster): ClusterFacts {
  const network = memberOf(cluster, 'spec', 'clusterNetwork');
  const endpoint = memberOf(cluster, 'spec', 'controlPlaneEndpoint');
  const ref = memberOf(cluster, 'spec', 'controlPlaneRef');
  return {
    name: textOf(cluster.metadata.name),
    namespace: textOf(cluster.metadata.namespace),
    controlPlaneEndpoint: { host: textOf(memberOf(endpoint, 'host')), port: numberOf(memberOf(endpoint, 'port')) },
    serviceDomain: textOf(memberOf(network, 'serviceDomain')),
    serviceCidrBlocks: listOf(memberOf(network, 'services', 'cidrBlocks')).map(textOf),
    podCidrBlocks: listOf(memberOf(network, 'pods', 'cidrBlocks')).map(textOf),
    hasControlPlaneRef: ['apiGroup', 'kind', 'name'].some((part) => textOf(memberOf(ref, part)) !== ''),
  };
}

/** Whether the Cluster's condition says that its control plane is initialised. Absent counts as no. */
export function isControlPlaneInitialized(cluster: Cluster): boolean {
  return listOf(memberOf(cluster, 'status', 'conditions')).some(
    (condition) =>
      memberOf(condition, 'type') === conditionType.controlPlaneInitialized && memberOf(condition, 'status') === 'True',
  );
}

/** Whether this owner is a control plane Machine. A MachinePool never is; the label's value does not matter. */
export function isControlPlaneMachine(owner: KubernetesObject): boolean {
  return owner.kind === 'Machine' && memberOf(owner.metadata.labels, label.controlPlane) !== undefined;
}

/** The Kubernetes version of a Machine or MachinePool, empty if it has none. */
export function ownerKubernetesVersion(owner: KubernetesObject): string {
  const way = owner.kind === 'Machine' ? ['spec', 'version'] : ['spec', 'template', 'spec', 'version'];
  return textOf(memberOf(owner, ...way));
}
