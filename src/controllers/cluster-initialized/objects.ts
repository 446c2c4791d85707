// The objects around a Cluster as this controller reads and names them. Types and names only.

import type { Cluster, Machine } from '../../api/core.js';
import { resources } from '../../api/names.js';
import type { KubeObject } from '../../kube/contract.js';
import { resourceOf } from '../../kube/resource-paths.js';

/** A Cluster that is stored. */
export type StoredCluster = Cluster & KubeObject;
/** A Machine that is stored. */
export type StoredMachine = Machine & KubeObject;

/** The kind whose condition this controller owns. */
export const clusterResource = resourceOf(resources.Cluster);

/** The field owner of the condition. */
export const FIELD_MANAGER = 'kubeadm-bootstrap-operator.cluster-initialized';
