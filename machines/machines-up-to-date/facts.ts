// What the table of a KubeadmControlPlane's MachinesUpToDate asks about. Plain values, total, without an object.

import type { BaseFacts } from '../kit/row.js';

/** Whose words reasons are: `--condition-reasons`. */
export type ReasonProfile = 'table' | 'upstream';

/** Every state: what is known of the Machines. */
export type State = 'NoReplicas' | 'UpToDate' | 'NotUpToDate' | 'UpToDateUnknown' | 'Unmanaged';

/** This machine asks for no effect. */
export type Request = never;

/**
 * The Machines. `unlisted`: they cannot be listed. `adoptable`: a control plane Machine has no controller. `foreign`: one belongs to
 * somebody else. `none`: there is none that counts. `failed`: they could not be aggregated. Otherwise the aggregated status.
 */
export type MachinesFact = 'unlisted' | 'adoptable' | 'foreign' | 'none' | 'failed' | 'False' | 'Unknown' | 'True';

/** All facts. Guards ask the first part; the second part is for texts and times. */
export interface Facts extends BaseFacts<Request> {
  /** The watch filter selects the object. */
  readonly isHandled: boolean;
  /** An owner reference names a Cluster. */
  readonly hasOwnerCluster: boolean;
  /** The Cluster of the owner reference exists. */
  readonly hasCluster: boolean;
  /** The object, or its Cluster. */
  readonly isPaused: boolean;
  readonly machines: MachinesFact;

  /** What the Machines say, aggregated. */
  readonly message: string;
  /** Time until a Machine that is left out for its age counts; null when none is. */
  readonly nextOldEnoughInMs: number | null;
  readonly reasons: ReasonProfile;
  readonly names: { readonly namespace: string; readonly controlPlane: string; readonly cluster: string };
}

/** Facts that people may see. */
export const shownFacts: readonly (keyof Facts)[] = [
  'isHandled',
  'hasOwnerCluster',
  'hasCluster',
  'isPaused',
  'machines',
  'message',
  'nextOldEnoughInMs',
];
