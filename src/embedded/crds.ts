// The CustomResourceDefinitions of Cluster API's core and kubeadm control plane kinds, v1beta2 only and without conversion.
// Those of KubeadmConfig and KubeadmConfigTemplate are the operator's own, reduced in the same way.
import { kubeadmConfigCrd, kubeadmConfigTemplateCrd } from '../api/kubeadmconfig/crd.js';
import clusters from './crds/clusters.json' with { type: 'json' };
import kubeadmControlPlanes from './crds/kubeadmcontrolplanes.json' with { type: 'json' };
import machineDeployments from './crds/machinedeployments.json' with { type: 'json' };
import machineDrainRules from './crds/machinedrainrules.json' with { type: 'json' };
import machineHealthChecks from './crds/machinehealthchecks.json' with { type: 'json' };
import machinePools from './crds/machinepools.json' with { type: 'json' };
import machines from './crds/machines.json' with { type: 'json' };
import machineSets from './crds/machinesets.json' with { type: 'json' };
import { storageVersionOnly } from './resources/custom.js';

/** Cluster API's core and control plane kinds. */
export const coreDefinitions: readonly object[] = [
  clusters,
  machines,
  machinePools,
  machineSets,
  machineDeployments,
  machineDrainRules,
  machineHealthChecks,
  kubeadmControlPlanes,
];

/** The bootstrap provider's kinds, with the label by which its contract is found: the components carry it too. */
export const bootstrapDefinitions: readonly object[] = [kubeadmConfigCrd, kubeadmConfigTemplateCrd]
  .map(storageVersionOnly)
  .map((definition) => ({
    ...definition,
    metadata: { ...definition.metadata, labels: { 'cluster.x-k8s.io/v1beta2': 'v1beta2' } },
  }));
