// What the Machine's table asks about: everything that a row, a condition or an explanation needs, and no object.
//
// Facts are made from the caches in one synchronous look and are completed by what effects learn in the same turn. They hold
// no secret. `status` is the Machine's status as it lies in the cluster: the projection starts from it.

import type { Condition, V1Beta1Condition } from '../../src/conditions/condition.js';
import type { BaseFacts } from '../kit/row.js';
import type { MachineRequest, PhaseRequest } from './words.js';

/** All that is known of a Machine in a turn. */
export interface MachineFacts extends BaseFacts<MachineRequest> {
  readonly nowMs: number;
  readonly machine: MachineReading;
  readonly status: MachineStatus;
  /** Null when no cache shows the Cluster. */
  readonly cluster: ClusterReading | null;
  /** The owner that cannot be found, or null: nothing is done without it. */
  readonly missingOwner: { readonly kind: string; readonly name: string } | null;
  /** Null without `spec.bootstrap.configRef`. */
  readonly bootstrap: BootstrapReading | null;
  readonly infrastructure: InfrastructureReading;
  readonly node: NodeReading;
  readonly connection: ConnectionReading;
  readonly controlPlane: ControlPlaneReading;
  /** Control plane Machines of the Cluster that are not being deleted. */
  readonly controlPlaneMachines: number;
  /** Lines of what differs between the MachineSet's template and the MachineDeployment's; null when one of them is unknown. */
  readonly templateDifferences: readonly string[] | null;
  readonly drain: DrainReading;
  readonly volumes: VolumesReading;
  /** Fields that the next patch of the Machine changes, by name; empty when there is nothing to patch. */
  readonly machineChanges: readonly string[];
  /** Always phases that were tried in this turn, whether they got their work done or not. */
  readonly attempted: readonly PhaseRequest[];
  /** The last phase of this turn that could not do its work; kept when what follows succeeds. */
  readonly phaseFailure: MachineFacts['failure'];
  /** Kinds and Nodes whose watch is not open yet. */
  readonly unwatched: readonly string[];
  /** Expiry date of the Machine's certificates: a date, none, or a text that is no date. */
  readonly certificatesExpiry: CertificatesExpiry;
  /** The CRD of Machines is that of Cluster API v1.14 or later: it keeps the times since which hooks are waited for. */
  readonly keepsHookTimes: boolean;
}

/** The Machine itself. */
export interface MachineReading {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  readonly isControlPlane: boolean;
  /** A KubeadmControlPlane is among its owners. */
  readonly hasKubeadmControlPlane: boolean;
  readonly hasFinalizer: boolean;
  /** Finalizers that are not ours. */
  readonly otherFinalizers?: readonly string[];
  readonly isPausedItself: boolean;
  /** Null for a Machine that lives. */
  readonly deletingSinceMs: number | null;
  readonly clusterName: string;
  readonly version: string;
  readonly dataSecretName: string | null;
  readonly providerId: string;
  readonly minReadySeconds: number;
  readonly readinessGates: readonly { readonly type: string; readonly isNegative: boolean }[];
  /** Annotation keys that block, sorted. */
  readonly preDrainHooks: readonly string[];
  readonly preTerminateHooks: readonly string[];
  readonly isDrainExcluded: boolean;
  readonly isVolumeWaitExcluded: boolean;
  /** Zero is no limit. */
  readonly drainTimeoutMs: number;
  readonly volumeTimeoutMs: number;
  readonly nodeDeletionTimeoutMs: number;
  /** Marked for an update in place, or with that hook pending. */
  readonly isUpdating: boolean;
  /** Marked, and with that hook pending: somebody waits for the update to be carried out. */
  readonly isUpdateAwaited: boolean;
}

/** `status` of a Machine, as far as it is read or written here. Times are RFC 3339. */
export interface MachineStatus {
  readonly phase?: string;
  readonly lastUpdated?: string;
  readonly observedGeneration?: number;
  readonly nodeRef?: { readonly name: string };
  readonly nodeInfo?: Readonly<Record<string, unknown>>;
  readonly addresses?: readonly { readonly type: string; readonly address: string }[];
  readonly failureDomain?: string;
  readonly certificatesExpiryDate?: string;
  readonly initialization?: {
    readonly infrastructureProvisioned?: boolean;
    readonly bootstrapDataSecretCreated?: boolean;
  };
  readonly deletion?: {
    readonly nodeDrainStartTime?: string;
    readonly waitForNodeVolumeDetachStartTime?: string;
    readonly waitForPreDrainHookStartTime?: string;
    readonly waitForPreTerminateHookStartTime?: string;
  };
  readonly conditions?: readonly Condition[];
  readonly deprecated?: {
    readonly v1beta1?: {
      readonly conditions?: readonly V1Beta1Condition[];
      readonly failureReason?: string;
      readonly failureMessage?: string;
    };
  };
}

/** The Machine's Cluster. */
export interface ClusterReading {
  readonly isPaused: boolean;
  readonly isDeleting: boolean;
  readonly infrastructureProvisioned: boolean;
  readonly controlPlaneInitialized: boolean;
  /** Since when; null while not initialized. */
  readonly controlPlaneInitializedSinceMs: number | null;
  readonly hasControlPlaneRef: boolean;
}

/** The `Ready` condition of another object, as it is mirrored. */
export type ReadyReading =
  | { readonly kind: 'absent' }
  /** The object's conditions cannot be read. */
  | { readonly kind: 'invalid'; readonly message: string }
  | {
      readonly kind: 'reported';
      readonly status: 'True' | 'False' | 'Unknown';
      readonly reason: string;
      readonly message: string;
      readonly lastTransitionTime: string | null;
    };

/** What every external object tells. */
export interface ExternalObject {
  readonly kind: 'found';
  readonly isDeleting: boolean;
  /** Who holds it when it is deleted: for explanations only. */
  readonly finalizers?: readonly string[];
  /** Owner reference and label are as they must be. */
  readonly isAdopted: boolean;
  /** One of its failure fields cannot be read: upstream leaves the whole object unread. */
  readonly isMisread?: boolean;
  /** A field that cannot be used, as the phase's error; null for none. */
  readonly problem: string | null;
  /** Its own flag that its work is done. */
  readonly isCompleted: boolean;
  readonly ready: ReadyReading;
  /** `Ready` in the old shape, for the mirrored v1beta1 condition. */
  readonly oldReady: Omit<V1Beta1Condition, 'type'> | null;
  readonly failureReason: string;
  /** With the text that names the object in front. */
  readonly failureMessage: string;
}

/** An external object as the cache shows it. */
export type ExternalReading<Found> = {
  readonly objectKind: string;
  readonly objectName: string;
  readonly apiVersion: string;
} & (
  | { readonly kind: 'unwatched' }
  /** The object or its kind cannot be read, or it belongs to somebody else; the message is the phase's error. */
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'missing' }
  | Found
);

/** The bootstrap object. */
export type BootstrapReading = ExternalReading<ExternalObject & { readonly dataSecretName: string }>;

/** The infrastructure object. */
export type InfrastructureReading = ExternalReading<
  ExternalObject & {
    readonly providerId: string;
    /** Absent when the object has no such field; then the Machine keeps what it has. */
    readonly addresses?: readonly { readonly type: string; readonly address: string }[];
    /** `status.failureDomain`. */
    readonly failureDomain?: string;
  }
>;

/** One condition of a Node. */
export interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly message: string;
  readonly lastTransitionTime: string | null;
}

/** The Node of the Machine, looked up by provider ID. */
export type NodeReading =
  /** Nobody looked: no provider ID, or the Cluster is not that far. */
  | { readonly kind: 'unsought' }
  /** The first connection is being made. */
  | { readonly kind: 'connecting' }
  /** No connection: the message is the phase's error. */
  | { readonly kind: 'unreachable'; readonly message: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'ambiguous'; readonly message: string }
  | {
      readonly kind: 'found';
      readonly name: string;
      readonly conditions: readonly NodeCondition[];
      readonly nodeInfo: Readonly<Record<string, unknown>>;
      readonly isSynced: boolean;
      /** Why the Node cannot be brought in line, as the phase's error; null for none. */
      readonly problem: string | null;
    };

/** How the way to the workload cluster is. */
export interface ConnectionReading {
  /** When something was last heard from it; null for never. */
  readonly lastHeardMs: number | null;
  readonly isConnected: boolean;
  /** Since when nothing is heard; null while it answers, or was never tried. */
  readonly downSinceMs: number | null;
  /** Nothing was heard for so long that it counts as unreachable. */
  readonly isDown: boolean;
  readonly graceMs: number;
}

/** The object of the Cluster's `spec.controlPlaneRef`. */
export type ControlPlaneReading =
  | { readonly kind: 'none' }
  | { readonly kind: 'unwatched' }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'found'; readonly isDeleting: boolean; readonly isExternallyManaged: boolean };

/** Pods that share one reason why they could not be evicted. */
export interface FailedEviction {
  readonly message: string;
  readonly pods: readonly string[];
}

/** What a pass of the drain left on the Node; names are `namespace/name`, sorted. */
export interface DrainReport {
  readonly terminating: readonly string[];
  readonly failed: readonly FailedEviction[];
  readonly waitNow: readonly string[];
  readonly evictLater: readonly string[];
  readonly waitLater: readonly string[];
}

/** The drain as known in this turn. */
export type DrainReading =
  /** The next pass is due. */
  | { readonly kind: 'due' }
  /** The last pass is young and nothing changed since. */
  | { readonly kind: 'resting' }
  | { readonly kind: 'left'; readonly report: DrainReport }
  | { readonly kind: 'drained' };

/** What is still attached to the Node; each list is sorted. */
export interface VolumeReport {
  readonly claims: readonly string[];
  readonly volumesWithoutClaim: readonly string[];
  readonly nodeEntriesWithoutVolume: readonly string[];
  readonly attachmentsWithoutVolume: readonly string[];
}

/** The volumes as known in this turn. */
export type VolumesReading =
  | { readonly kind: 'due' }
  | { readonly kind: 'resting' }
  | { readonly kind: 'attached'; readonly report: VolumeReport }
  | { readonly kind: 'detached' };

/** What the annotations say about the certificates. */
export type CertificatesExpiry =
  /** Not a control plane Machine: the field is left alone. */
  | { readonly kind: 'unsought' }
  | { readonly kind: 'none' }
  | { readonly kind: 'date'; readonly value: string }
  | { readonly kind: 'invalid'; readonly message: string };
