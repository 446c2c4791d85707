// The objects around a KubeadmControlPlane as this controller reads and names them. Types and names only.

import type { Cluster, KubeadmControlPlane, Machine } from '../../api/core.js';
import { resources } from '../../api/names.js';
import type { KubeObject } from '../../kube/contract.js';
import { resourceOf } from '../../kube/resource-paths.js';

/** A KubeadmControlPlane that is stored. */
export type StoredControlPlane = KubeadmControlPlane & KubeObject;
/** A Cluster that is stored. */
export type StoredCluster = Cluster & KubeObject;
/** A Machine that is stored. */
export type StoredMachine = Machine & KubeObject;

/** The kind whose condition this controller owns. */
export const controlPlaneResource = resourceOf(resources.KubeadmControlPlane);

/** The field owner of the condition. */
export const FIELD_MANAGER = 'kubeadm-bootstrap-operator.machines-up-to-date';
