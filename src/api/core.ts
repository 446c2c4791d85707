// The wire shapes of objects that we read or write but do not define: Kubernetes' own kinds and Cluster API's.
//
// Only fields that some code of ours touches are named. Everything is readonly: a changed object is a new object. Objects
// of Cluster API are in version v1beta2. KubeadmConfig is described in kubeadmconfig/; Kubernetes' own kinds are in workload.ts.

import type { KubeadmConfigSpec } from './kubeadmconfig/v1beta2.js';
import type { KubernetesObject, LabelSelector, StringMap } from './meta.js';

export type * from './meta.js';
export type * from './workload.js';

/** An object whose content is of no known type: an infrastructure machine, a control plane of another provider. */
export interface UnknownObject extends KubernetesObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
}

/** Status of a condition. */
export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** A standard condition. */
export interface Condition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** How bad it is that a condition of the old shape is False. */
export type ConditionSeverity = 'Error' | 'Warning' | 'Info' | '';

/** A condition in the shape that Cluster API used before it adopted the standard one. */
export interface V1Beta1Condition {
  readonly type: string;
  readonly status: string;
  readonly severity?: string;
  readonly lastTransitionTime: string;
  readonly reason?: string;
  readonly message?: string;
}

/** What Cluster API's kinds keep for readers of v1beta1. */
export interface DeprecatedStatus {
  readonly v1beta1?: {
    readonly conditions?: readonly V1Beta1Condition[];
    readonly failureReason?: string;
    readonly failureMessage?: string;
  };
}

/** A reference to an object of the same namespace whose version is chosen by its contract. */
export interface ContractReference {
  readonly apiGroup: string;
  readonly kind: string;
  readonly name: string;
}

/** A list of address ranges. */
export interface NetworkRanges {
  readonly cidrBlocks: readonly string[];
}

/** A Cluster of Cluster API. */
export interface Cluster extends KubernetesObject {
  readonly spec?: {
    readonly paused?: boolean;
    readonly clusterNetwork?: {
      readonly apiServerPort?: number;
      readonly services?: NetworkRanges;
      readonly pods?: NetworkRanges;
      readonly serviceDomain?: string;
    };
    readonly controlPlaneEndpoint?: { readonly host?: string; readonly port?: number };
    readonly controlPlaneRef?: ContractReference;
    readonly infrastructureRef?: ContractReference;
    readonly topology?: {
      readonly classRef?: { readonly name: string; readonly namespace?: string };
      readonly version?: string;
      readonly controlPlane?: Readonly<Record<string, unknown>>;
    };
  };
  readonly status?: {
    readonly phase?: string;
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
    readonly initialization?: {
      readonly infrastructureProvisioned?: boolean;
      readonly controlPlaneInitialized?: boolean;
    };
    readonly deprecated?: DeprecatedStatus;
  };
}

/** How a Machine gets its bootstrap data. */
export interface MachineBootstrap {
  readonly configRef?: ContractReference;
  readonly dataSecretName?: string;
}

/** Time limits of a Machine's deletion. Zero or absent is no limit. */
export interface MachineDeletionLimits {
  readonly nodeDrainTimeoutSeconds?: number;
  readonly nodeVolumeDetachTimeoutSeconds?: number;
  readonly nodeDeletionTimeoutSeconds?: number;
}

/** A taint that a Machine puts on its Node. */
export interface MachineTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
  readonly propagation: 'Always' | 'OnInitialization';
}

/** What a Machine should be. */
export interface MachineSpec {
  readonly clusterName: string;
  readonly bootstrap: MachineBootstrap;
  readonly infrastructureRef: ContractReference;
  readonly version?: string;
  readonly providerID?: string;
  readonly failureDomain?: string;
  readonly minReadySeconds?: number;
  readonly readinessGates?: readonly {
    readonly conditionType: string;
    readonly polarity?: 'Positive' | 'Negative';
  }[];
  readonly deletion?: MachineDeletionLimits;
  readonly taints?: readonly MachineTaint[];
}

/** An address of a Machine. */
export interface MachineAddress {
  readonly type: string;
  readonly address: string;
}

/** A Machine of Cluster API. */
export interface Machine extends KubernetesObject {
  readonly spec: MachineSpec;
  readonly status?: {
    readonly phase?: string;
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
    readonly initialization?: {
      readonly infrastructureProvisioned?: boolean;
      readonly bootstrapDataSecretCreated?: boolean;
    };
    readonly nodeRef?: { readonly name: string };
    readonly nodeInfo?: Readonly<Record<string, unknown>>;
    readonly addresses?: readonly MachineAddress[];
    readonly failureDomain?: string;
    readonly lastUpdated?: string;
    readonly certificatesExpiryDate?: string;
    readonly deletion?: {
      readonly nodeDrainStartTime?: string;
      readonly waitForNodeVolumeDetachStartTime?: string;
    };
    readonly deprecated?: DeprecatedStatus;
  };
}

/** The part of a MachineSet, MachineDeployment or MachinePool from which Machines are made. */
export interface MachineTemplate {
  readonly metadata?: { readonly labels?: StringMap; readonly annotations?: StringMap };
  readonly spec: MachineSpec;
}

/** A MachinePool of Cluster API. */
export interface MachinePool extends KubernetesObject {
  readonly spec: {
    readonly clusterName: string;
    readonly replicas?: number;
    readonly template: MachineTemplate;
    readonly providerIDList?: readonly string[];
    readonly failureDomains?: readonly string[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly replicas?: number;
    readonly nodeRefs?: readonly { readonly name?: string; readonly uid?: string }[];
    readonly conditions?: readonly Condition[];
    readonly initialization?: {
      readonly infrastructureProvisioned?: boolean;
      readonly bootstrapDataSecretCreated?: boolean;
    };
    readonly deprecated?: DeprecatedStatus;
  };
}

/** A MachineSet of Cluster API. */
export interface MachineSet extends KubernetesObject {
  readonly spec?: {
    readonly clusterName: string;
    readonly replicas?: number;
    readonly selector?: LabelSelector;
    readonly template?: MachineTemplate;
  };
}

/** A MachineDeployment of Cluster API. */
export interface MachineDeployment extends KubernetesObject {
  readonly spec?: {
    readonly clusterName: string;
    readonly replicas?: number;
    readonly rollout?: { readonly after?: string };
    readonly template?: MachineTemplate;
  };
}

/** A control plane that kubeadm makes. */
export interface KubeadmControlPlane extends KubernetesObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly version: string;
    readonly kubeadmConfigSpec?: KubeadmConfigSpec;
    readonly machineTemplate?: {
      readonly metadata?: { readonly labels?: StringMap; readonly annotations?: StringMap };
      readonly spec?: { readonly infrastructureRef?: ContractReference };
    };
    readonly rollout?: {
      readonly after?: string;
      readonly before?: { readonly certificatesExpiryDays?: number };
    };
  };
  readonly status?: {
    readonly replicas?: number;
    readonly version?: string;
    readonly selector?: string;
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
    readonly initialization?: { readonly controlPlaneInitialized?: boolean };
    readonly deprecated?: DeprecatedStatus;
  };
}

/** A rule of how Pods of certain Machines are drained. */
export interface MachineDrainRule extends KubernetesObject {
  readonly spec: {
    readonly drain: { readonly behavior: 'Drain' | 'Skip' | 'WaitCompleted'; readonly order?: number };
    readonly machines?: readonly { readonly selector?: LabelSelector; readonly clusterSelector?: LabelSelector }[];
    readonly pods?: readonly { readonly selector?: LabelSelector; readonly namespaceSelector?: LabelSelector }[];
  };
}

/** A CustomResourceDefinition, as far as contracts and storage versions need it. */
export interface CustomResourceDefinition extends KubernetesObject {
  readonly spec: {
    readonly group: string;
    readonly scope?: string;
    readonly names: {
      readonly kind: string;
      readonly plural: string;
      readonly singular?: string;
      readonly listKind?: string;
    };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly storage: boolean;
      readonly deprecated?: boolean;
      readonly subresources?: Readonly<Record<string, unknown>>;
    }[];
    readonly conversion?: Readonly<Record<string, unknown>>;
  };
  readonly status?: {
    readonly storedVersions?: readonly string[];
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
    }[];
  };
}
