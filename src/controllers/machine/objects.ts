// The objects around a Machine as this controller reads and names them. Types and names only.

import type {
  Cluster,
  ConfigMap,
  DaemonSet,
  Machine,
  MachineDeployment,
  MachineDrainRule,
  MachineSet,
  Node,
  PersistentVolume,
  Pod,
  VolumeAttachment,
} from '../../api/core.js';
import { resources } from '../../api/names.js';
import type { KubeObject, Resource, Target } from '../../kube/contract.js';
import { resourceOf } from '../../kube/resource-paths.js';
import type { MachineStatus } from '../../../machines/machine/facts.js';

/** A Machine that is stored; its status as the projection knows it. */
export type StoredMachine = Omit<Machine, 'status'> & KubeObject & { readonly status?: MachineStatus };
/** A Cluster that is stored. */
export type StoredCluster = Cluster & KubeObject;
/** A MachineSet that is stored. */
export type StoredMachineSet = MachineSet & KubeObject;
/** A MachineDeployment that is stored. */
export type StoredMachineDeployment = MachineDeployment & KubeObject;
/** A MachineDrainRule that is stored. */
export type StoredDrainRule = MachineDrainRule & KubeObject;
/** A Node that is stored. */
export type StoredNode = Node & KubeObject;
/** A ConfigMap that is stored. */
export type StoredConfigMap = ConfigMap & KubeObject;
/** A Pod that is stored. */
export type StoredPod = Pod & KubeObject;
/** A DaemonSet that is stored. */
export type StoredDaemonSet = DaemonSet & KubeObject;
/** A VolumeAttachment that is stored. */
export type StoredVolumeAttachment = VolumeAttachment & KubeObject;
/** A PersistentVolume that is stored. */
export type StoredPersistentVolume = PersistentVolume & KubeObject;

/** An object of a kind that is known at run time only. */
export type ExternalObjectJson = KubeObject & {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>>;
};

/** The REST resources that this controller reads or writes, in either cluster. */
export const kinds = {
  machine: resourceOf(resources.Machine),
  cluster: resourceOf(resources.Cluster),
  machineSet: resourceOf(resources.MachineSet),
  machineDeployment: resourceOf(resources.MachineDeployment),
  drainRule: resourceOf(resources.MachineDrainRule),
  configMap: resourceOf(resources.ConfigMap),
  customResourceDefinition: resourceOf(resources.CustomResourceDefinition),
  node: resourceOf(resources.Node),
  pod: resourceOf(resources.Pod),
  namespace: resourceOf(resources.Namespace),
  daemonSet: resourceOf(resources.DaemonSet),
  volumeAttachment: resourceOf(resources.VolumeAttachment),
  persistentVolume: resourceOf(resources.PersistentVolume),
} as const;

/** Group of Cluster API's own kinds. */
export const clusterGroup = kinds.machine.group;

/** Where an object is. */
export function targetOf(resource: Resource, namespace: string, name: string): Target {
  return { resource, namespace, name };
}

/** Where a Machine is. */
export function machineTarget({ metadata }: StoredMachine): Target {
  return targetOf(kinds.machine, metadata.namespace ?? '', metadata.name);
}

/** Where a Node is. */
export function nodeTarget(name: string): Target {
  return targetOf(kinds.node, '', name);
}

/** The group of an apiVersion; empty for the core group. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** The owner reference that controls an object. */
export function controllerOf({
  metadata,
}: KubeObject): NonNullable<KubeObject['metadata']['ownerReferences']>[number] | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** `namespace/name`, or the name alone for cluster-scoped objects. */
export function keyOf({ metadata }: KubeObject): string {
  return metadata.namespace === undefined || metadata.namespace === ''
    ? metadata.name
    : `${metadata.namespace}/${metadata.name}`;
}
