// The wire shapes of Kubernetes' own kinds that we read or write, in the management cluster or in a workload cluster.
//
// Only fields that some code of ours touches are named; `data` of a Secret is base64, as on the wire.

import type { KubernetesObject, LabelSelector, StringMap } from './meta.js';
import type { Taint } from './kubeadmconfig/kubernetes-types.js';

/** A Secret. `stringData` is write-only. */
export interface Secret extends KubernetesObject {
  readonly type?: string;
  readonly immutable?: boolean;
  readonly data?: StringMap;
  readonly stringData?: StringMap;
}

/** A ConfigMap. */
export interface ConfigMap extends KubernetesObject {
  readonly immutable?: boolean;
  readonly data?: StringMap;
  readonly binaryData?: StringMap;
}

/** A reference to any object. */
export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}

/** An event about an object (core/v1). */
export interface Event extends KubernetesObject {
  readonly involvedObject: ObjectReference;
  readonly type?: 'Normal' | 'Warning';
  readonly reason?: string;
  readonly message?: string;
  readonly action?: string;
  readonly count?: number;
  readonly firstTimestamp?: string | null;
  readonly lastTimestamp?: string | null;
  readonly eventTime?: string | null;
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
}

/** A Lease, by which one of several processes leads. Times have microseconds. */
export interface Lease extends KubernetesObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly acquireTime?: string;
    readonly renewTime?: string;
    readonly leaseTransitions?: number;
    readonly preferredHolder?: string;
    readonly strategy?: string;
  };
}

/** A condition of a Node or a Pod. */
export interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string | null;
  readonly lastHeartbeatTime?: string | null;
  readonly lastProbeTime?: string | null;
}

/** A Node of a workload cluster. */
export interface Node extends KubernetesObject {
  readonly spec?: {
    readonly providerID?: string;
    readonly unschedulable?: boolean;
    readonly taints?: readonly Taint[];
  };
  readonly status?: {
    readonly conditions?: readonly StatusCondition[];
    readonly nodeInfo?: Readonly<Record<string, unknown>>;
    readonly volumesAttached?: readonly { readonly name: string; readonly devicePath?: string }[];
  };
}

/** A toleration of a Pod. */
export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

/** A Pod of a workload cluster. */
export interface Pod extends KubernetesObject {
  readonly spec?: {
    readonly nodeName?: string;
    readonly tolerations?: readonly Toleration[];
    readonly terminationGracePeriodSeconds?: number;
    readonly volumes?: readonly {
      readonly name: string;
      readonly emptyDir?: Readonly<Record<string, unknown>>;
      readonly persistentVolumeClaim?: { readonly claimName: string };
    }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly conditions?: readonly StatusCondition[];
  };
}

/** A Namespace. */
export type Namespace = KubernetesObject;

/** A DaemonSet, of which only the existence matters. */
export type DaemonSet = KubernetesObject;

/** A limit on how many Pods may be evicted at a time. */
export interface PodDisruptionBudget extends KubernetesObject {
  readonly spec?: { readonly selector?: LabelSelector };
  readonly status?: { readonly disruptionsAllowed?: number };
}

/** A request to evict a Pod (policy/v1). */
export interface Eviction extends KubernetesObject {
  readonly deleteOptions?: {
    readonly gracePeriodSeconds?: number;
    readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  };
}

/** A volume that is attached to a Node, or should be. */
export interface VolumeAttachment extends KubernetesObject {
  readonly spec: {
    readonly attacher?: string;
    readonly nodeName: string;
    readonly source: {
      readonly persistentVolumeName?: string;
      readonly inlineVolumeSpec?: Readonly<Record<string, unknown>>;
    };
  };
  readonly status?: { readonly attached?: boolean };
}

/** A volume of a workload cluster. */
export interface PersistentVolume extends KubernetesObject {
  readonly spec?: {
    readonly claimRef?: ObjectReference;
    readonly csi?: { readonly driver: string; readonly volumeHandle: string };
    readonly [source: string]: unknown;
  };
}

/** A claim of a volume in a workload cluster. */
export interface PersistentVolumeClaim extends KubernetesObject {
  readonly spec?: { readonly volumeName?: string };
}
