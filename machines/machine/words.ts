// The words of the Machine's machine: its states, what it may ask for, and what can come back.
//
// States, requests and replies are closed lists. `OBSERVED` is among the replies on purpose: what an always phase did (a patch
// of the Machine, an adoption, a Node sync) needs no arrow of its own; the table is simply read again with what is known now.

import type { Observed } from '../kit/row.js';

/** Where a Machine is. `Deleting` is the parent of the steps of a deletion. */
export type MachineState =
  | 'Pending'
  | 'Provisioning'
  | 'Provisioned'
  | 'Running'
  | 'Updating'
  | 'Failed'
  | 'Deleting'
  | 'PreDrainHooks'
  | 'Draining'
  | 'DetachingVolumes'
  | 'PreTerminateHooks'
  | 'DeletingInfrastructure'
  | 'DeletingBootstrap'
  | 'DeletingNode'
  | 'RemovingFinalizer';

/** States of a Machine that lives. */
export type LifeState = 'Pending' | 'Provisioning' | 'Provisioned' | 'Running' | 'Updating' | 'Failed';

/** Always phases that may have something to do, in the requirement's order. Each is tried at most once in a turn. */
export type PhaseRequest = 'openWatches' | 'patchMachine' | 'adoptBootstrap' | 'adoptInfrastructure' | 'syncNode';

/** Everything that the machine may ask for. */
export type MachineRequest =
  | 'readCluster'
  | 'addFinalizer'
  | 'readOwners'
  | PhaseRequest
  | 'confirmInfrastructure'
  | 'confirmNode'
  | 'readControlPlane'
  | 'drainNode'
  | 'checkVolumes'
  | 'deleteInfrastructure'
  | 'deleteBootstrap'
  | 'deleteNode'
  | 'removeFinalizer';

/** What an effect can answer. */
export type MachineReply =
  | Observed
  | 'FINALIZER_ADDED'
  | 'NODE_DRAINED'
  | 'PODS_LEFT'
  | 'VOLUMES_DETACHED'
  | 'VOLUMES_ATTACHED'
  | 'INFRASTRUCTURE_DELETION_ASKED'
  | 'BOOTSTRAP_DELETION_ASKED'
  | 'NODE_DELETED'
  | 'FINALIZER_REMOVED';

/** What each request does, for charts. */
export const requestTexts: Readonly<Record<MachineRequest, string>> = {
  readCluster: 'Reads the Cluster live, because no cache shows it.',
  addFinalizer: 'Adds the finalizer machine.cluster.x-k8s.io.',
  readOwners: 'Reads the owning MachineSet or MachineDeployment live, because no cache shows it.',
  openWatches: 'Starts the watches of the bootstrap, infrastructure and control plane kinds and of the Nodes.',
  patchMachine: 'Writes owner, label, data secret name, provider ID and failure domain to the Machine in one patch.',
  adoptBootstrap: 'Makes the Machine the controller of its bootstrap object.',
  adoptInfrastructure: 'Makes the Machine the controller of its infrastructure object.',
  syncNode: "Brings the Machine's labels, annotations and taints to its Node.",
  confirmInfrastructure: 'Reads live whether the infrastructure object is really gone.',
  confirmNode: 'Reads live whether the Node is really gone.',
  readControlPlane: 'Reads the control plane object live, to know whether the Node may be touched.',
  drainNode: 'Cordons the Node and evicts its Pods.',
  checkVolumes: 'Looks which volumes are still attached to the Node.',
  deleteInfrastructure: 'Deletes the infrastructure object.',
  deleteBootstrap: 'Deletes the bootstrap object.',
  deleteNode: 'Deletes the Node.',
  removeFinalizer: "Removes the Machine's finalizer.",
};

/** Kind of a failure that says: what the cache showed is not so any more. */
export const staleView = 'StaleView';
/** Kind of the failure that confirms the loss of the infrastructure. */
export const infrastructureGone = 'InfrastructureGone';
/** Kind of the failure that confirms the loss of the Node. */
export const nodeGone = 'NodeGone';
