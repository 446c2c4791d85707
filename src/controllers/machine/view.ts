// What the caches show of a Machine and everything around it, in one synchronous look.

import type { ContractReference } from '../../api/core.js';
import { annotation, label } from '../../api/names.js';
import { isEmptyReference } from './external/contract-version.js';
import { textField } from './external/field.js';
import type { ExternalLook } from './external/readings.js';
import { inNamespace, machineIndex } from './machine-indexes.js';
import {
  clusterGroup,
  groupOf,
  type StoredCluster,
  type StoredConfigMap,
  type StoredMachine,
  type StoredMachineDeployment,
  type StoredMachineSet,
  type StoredNode,
} from './objects.js';
import type { Ports } from './ports.js';
import { snapshotConfigMapName } from './snapshot-name.js';
import type { WorkloadLook } from './workload/workload-look.js';
import { providerIdIndex } from './workload/workload-session.js';

/** The look. Frozen by use: nobody changes an object of a cache. */
export interface MachineView {
  readonly key: string;
  readonly machine: StoredMachine;
  readonly cluster: StoredCluster | null;
  readonly owners: Owners;
  /** Null without a reference. */
  readonly bootstrap: ExternalLook | null;
  readonly infrastructure: ExternalLook;
  /** Null where nobody asks: the Machine lives, or its Cluster has no reference. */
  readonly controlPlane: ExternalLook | null;
  readonly workload: WorkloadLook;
  /** The ID under which the Node is looked for; empty when it is not known. */
  readonly providerId: string;
  /** Nodes with that ID. */
  readonly nodes: readonly StoredNode[];
  readonly controlPlaneMachines: number;
  /** Whether the CRD of Machines is that of Cluster API v1.14 or later; null while nobody knows. */
  readonly keepsHookTimes: boolean | null;
  /** The Machine's stored snapshot, where ConfigMaps keep them. */
  readonly actorConfigMap: StoredConfigMap | null;
}

/** The owning MachineSet and MachineDeployment. */
export interface Owners {
  readonly machineSet: StoredMachineSet | null;
  readonly machineDeployment: StoredMachineDeployment | null;
  /** An owner that is named and not there. */
  readonly missing: {
    readonly kind: 'MachineSet' | 'MachineDeployment';
    readonly name: string;
    readonly of: string;
  } | null;
}

/** The view of a key; null when there is no such Machine, or it is not ours to see. */
export function observeMachine(ports: Ports, key: string): MachineView | null {
  const slash = key.indexOf('/');
  const machine = ports.caches.machines.get(key.slice(0, slash), key.slice(slash + 1));
  if (machine === undefined || !isOurs(machine, ports.settings.watchFilter)) return null;
  return viewOf(ports, machine);
}

/** True for objects that pass the watch filter. */
export function isOurs({ metadata }: StoredMachine, watchFilter: string): boolean {
  return watchFilter === '' || metadata.labels?.[label.watchFilter] === watchFilter;
}

/** The view around a Machine that may be newer than the cache. */
export function viewOf(ports: Ports, machine: StoredMachine): MachineView {
  const { caches, externals, workloads } = ports;
  const namespace = machine.metadata.namespace ?? '';
  const clusterName = { namespace, name: machine.spec.clusterName };
  const cluster = caches.clusters.get(namespace, clusterName.name) ?? null;
  const configRef = machine.spec.bootstrap?.configRef;
  const infrastructure = externals.look(machine.spec.infrastructureRef, namespace);
  const workload = workloads.look(clusterName);
  const isDeleting = machine.metadata.deletionTimestamp !== undefined;
  const providerId = machine.spec.providerID || (isDeleting ? providerIdOf(infrastructure) : '');
  const controlPlaneRef = cluster?.spec?.controlPlaneRef;
  return {
    key: inNamespace(namespace, machine.metadata.name),
    machine,
    cluster,
    owners: ownersOf(ports, machine),
    bootstrap: isEmptyReference(configRef) ? null : externals.look(configRef as ContractReference, namespace),
    infrastructure,
    controlPlane:
      isDeleting && !isEmptyReference(controlPlaneRef)
        ? externals.look(controlPlaneRef as ContractReference, namespace)
        : null,
    workload,
    providerId,
    nodes: workload.kind === 'open' && providerId !== '' ? workload.nodes.byIndex(providerIdIndex, providerId) : [],
    controlPlaneMachines: caches.machines
      .byIndex(machineIndex.controlPlane, inNamespace(namespace, clusterName.name))
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined).length,
    keepsHookTimes: ports.definition.keepsHookTimes(),
    actorConfigMap: caches.configMaps?.get(namespace, snapshotConfigMapName(machine.metadata.name)) ?? null,
  };
}

function providerIdOf(look: ExternalLook): string {
  if (look.kind !== 'found') return '';
  const found = textField(look.object, ['spec', 'providerID']);
  return found.is === 'set' ? found.value : '';
}

function ownersOf({ caches }: Ports, machine: StoredMachine): Owners {
  const none = { machineSet: null, machineDeployment: null, missing: null };
  const namespace = machine.metadata.namespace ?? '';
  const reference = machine.metadata.ownerReferences?.find(
    ({ kind, apiVersion }) => kind === 'MachineSet' && groupOf(apiVersion) === clusterGroup,
  );
  if (reference === undefined) return none;
  const machineSet = caches.machineSets.get(namespace, reference.name);
  const of = `Machine ${namespace}/${machine.metadata.name}`;
  if (machineSet === undefined) return { ...none, missing: { kind: 'MachineSet', name: reference.name, of } };
  const name = machineSet.metadata.labels?.[label.machineDeploymentName] ?? '';
  if (name === '') return { ...none, machineSet };
  const machineDeployment = caches.machineDeployments.get(namespace, name);
  if (machineDeployment !== undefined) return { machineSet, machineDeployment, missing: null };
  return {
    ...none,
    machineSet,
    missing: { kind: 'MachineDeployment', name, of: `MachineSet ${namespace}/${reference.name}` },
  };
}

/** Whether the Nodes of the Machine's Cluster are of interest: there can be one, or somebody must know that there cannot. */
export function wantsNodes({ cluster, providerId }: MachineView): boolean {
  if (cluster?.status?.initialization?.infrastructureProvisioned !== true) return false;
  return isControlPlaneInitialized(cluster) || providerId !== '';
}

/** The Cluster's condition `ControlPlaneInitialized` is True. */
export function isControlPlaneInitialized(cluster: StoredCluster): boolean {
  return (
    cluster.status?.conditions?.some(({ type, status }) => type === 'ControlPlaneInitialized' && status === 'True') ===
    true
  );
}

/** The Machine has the pause annotation. */
export function isPausedItself({ metadata }: StoredMachine): boolean {
  return metadata.annotations?.[annotation.paused] !== undefined;
}
