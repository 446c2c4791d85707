// What the table of a Cluster's ControlPlaneInitialized asks about. Plain values, total, without an object.

import type { BaseFacts } from '../kit/row.js';

/** Whose words reasons are: `--condition-reasons`. */
export type ReasonProfile = 'table' | 'upstream';

/** Every state. */
export type State = 'WaitingTopology' | 'WaitingControlPlane' | 'WaitingFirstNode' | 'Unreadable' | 'Initialized';

/** Every effect that can be asked for. */
export type Request = 'watchControlPlane';

/** Every answer of an effect that got its work done. */
export type Reply = 'CONTROL_PLANE_WATCHED';

/**
 * The control plane object. `unwatched`: no cache of its kind runs yet. `unavailable`: it cannot be read, for another reason than
 * that it does not exist. `unreadable`: it was read, but its field has no meaning.
 */
export type ControlPlaneFact =
  'unwatched' | 'unavailable' | 'missing' | 'unreadable' | 'initialized' | 'notInitialized';

/** The Cluster's control plane Machines. `leavingNode`: the only ones with a node are being deleted. */
export type MachinesFact = 'unlisted' | 'node' | 'leavingNode' | 'noNode';

/** All facts. Guards ask the first part; the second part is for texts. */
export interface Facts extends BaseFacts<Request> {
  /** The watch filter selects the Cluster. */
  readonly isHandled: boolean;
  readonly isPaused: boolean;
  readonly isDeleting: boolean;
  /** The condition is True already. */
  readonly isInitialized: boolean;
  readonly hasControlPlaneRef: boolean;
  readonly hasTopology: boolean;
  readonly controlPlane: ControlPlaneFact;
  readonly machines: MachinesFact;

  readonly isControlPlaneDeleting: boolean;
  /** The deprecated condition of the same type is True already: it never leaves True either. */
  readonly isTwinInitialized: boolean;
  readonly reasons: ReasonProfile;
  /** Why the control plane object cannot be used; empty where it can. For logs, never for the condition. */
  readonly problem: string;
  readonly names: {
    readonly namespace: string;
    readonly cluster: string;
    readonly controlPlaneGroup: string;
    readonly controlPlaneKind: string;
    readonly controlPlane: string;
  };
}

/** Facts that people may see. */
export const shownFacts: readonly (keyof Facts)[] = [
  'isHandled',
  'isPaused',
  'isDeleting',
  'isInitialized',
  'hasControlPlaneRef',
  'hasTopology',
  'controlPlane',
  'isControlPlaneDeleting',
  'machines',
  'problem',
];
