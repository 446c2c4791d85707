// Which change wakes which Machines: exactly those that it concerns, at once.
//
//   W1. A change of the Machine itself, of the objects it refers to, of its Cluster or its owners wakes it.
//   W2. A Node wakes the Machine whose Node it is, or will be by its provider ID; a connection wakes all Machines of its cluster when it
//       comes up or goes down, and else those that it had refused.
//   W3. What people report about themselves (a heartbeat, a status of others) wakes nobody.
//   W4. Lists tell what there is, not what changed: they end no backoff.

import { annotation } from '../../api/names.js';
import type { Key, WakeCause } from '../../host/contract.js';
import type { CacheChange, KubeObject } from '../../kube/contract.js';
import { CONTROL_PLANE_INDEX, controlPlaneKey } from '../cluster-initialized/indexes.js';
import { isSame } from '../kubeadmconfig/merge-diff.js';
import { crdNames } from './external/contract-version.js';
import { machineDefinitionName } from './machine-definition.js';
import { externalKey, inNamespace, isControlPlane, labelValueOf, machineIndex } from './machine-indexes.js';
import {
  clusterGroup,
  groupOf,
  kinds,
  type ExternalObjectJson,
  type StoredCluster,
  type StoredMachine,
  type StoredNode,
} from './objects.js';
import type { Ports } from './ports.js';
import { isControlPlaneInitialized } from './view.js';
import { noClient } from './workload/silence.js';
import type { ClusterName } from './workload/workload-clusters.js';

/** Wakes the actor of a key. */
export type Wake = (key: Key, cause: WakeCause) => void;

/** What the wires are between. */
export type Wires = Pick<Ports, 'caches' | 'definition' | 'externals' | 'workloads'> & { readonly wake: Wake };

/** Subscribes to everything; returns the way out. */
export function wireMachines(wires: Wires): () => void {
  const { caches, externals, workloads } = wires;
  const ends = [
    caches.machines.subscribe((change) => onMachine(wires, change)),
    caches.clusters.subscribe((change) => onCluster(wires, change)),
    caches.machineSets.subscribe((change) => onOwner(wires, machineIndex.set, kinds.machineSet.kind, change)),
    caches.machineDeployments.subscribe((change) =>
      onOwner(wires, machineIndex.deployment, kinds.machineDeployment.kind, change),
    ),
    caches.drainRules.subscribe((change) => onDrainRule(wires, change)),
    externals.subscribe((change) => onExternal(wires, change)),
    externals.onKind((name) => onKind(wires, name)),
    workloads.onConnection((cluster, keys) => {
      const cause: WakeCause = { kind: 'connection', cluster: cluster.name };
      for (const key of keys ?? machinesOf(wires, cluster).map(keyOfMachine)) wires.wake(key, cause);
    }),
    workloads.onNode((cluster, change) => onNode(wires, cluster, change)),
  ];
  return () => ends.forEach((end) => end());
}

/** Whether what is woken for a cause may cut an error backoff short. */
export function endsBackoff(
  cause: WakeCause,
  failure: {
    readonly request: string;
    readonly kind: string;
    readonly object?: { readonly kind: string; readonly namespace: string; readonly name: string };
  } | null,
): boolean {
  switch (cause.kind) {
    case 'self':
    case 'connection':
      return true;
    case 'object': {
      const isWorkload = ['Node', 'Pod', 'VolumeAttachment'].includes(cause.objectKind);
      if (!isWorkload) return true;
      const { object } = failure ?? {};
      if (object?.kind === cause.objectKind && object.name === cause.name) return true;
      const ofNode = ['syncNode', 'confirmNode', 'drainNode', 'checkVolumes', 'deleteNode'];
      return failure !== null && ofNode.includes(failure.request) && !noClient.includes(failure.kind);
    }
    case 'sync':
    case 'timer':
      return false;
  }
}

function keyOfMachine({ metadata }: StoredMachine): Key {
  return inNamespace(metadata.namespace ?? '', metadata.name);
}

function causeOf(kind: string, { metadata }: KubeObject, sync: boolean): WakeCause {
  const { namespace = '', name } = metadata;
  return sync ? { kind: 'sync' } : { kind: 'object', objectKind: kind, namespace, name };
}

function machinesOf({ caches }: Pick<Wires, 'caches'>, { namespace, name }: ClusterName): readonly StoredMachine[] {
  return caches.machines.byIndex(machineIndex.cluster, inNamespace(namespace, name));
}

function onMachine(wires: Wires, { type, sync, before, after }: CacheChange<StoredMachine>): void {
  const machine = after ?? before;
  if (machine === undefined) return;
  const { resourceVersion = '', namespace = '' } = machine.metadata;
  const cause: WakeCause = sync
    ? { kind: 'sync' }
    : { kind: 'self', resourceVersion, before: before?.metadata.resourceVersion ?? '' };
  wires.wake(keyOfMachine(machine), cause);
  const cluster = { namespace, name: machine.spec.clusterName };
  if (type === 'deleted' && machinesOf(wires, cluster).length === 0) wires.workloads.close(cluster);
  // The last control plane Machine decides for all others whether their Nodes are touched. Others decide for nobody.
  const isTurn = type !== 'updated' || before?.metadata.deletionTimestamp !== after?.metadata.deletionTimestamp;
  if (isTurn && isControlPlane(machine)) {
    for (const other of machinesOf(wires, cluster)) {
      if (other !== machine && other.metadata.deletionTimestamp !== undefined) {
        wires.wake(keyOfMachine(other), causeOf('Machine', machine, sync));
      }
    }
  }
}

function onCluster(wires: Wires, { type, sync, before, after }: CacheChange<StoredCluster>): void {
  const cluster = after ?? before;
  if (cluster === undefined || (type === 'updated' && isSame(newsOf(before), newsOf(after)))) return;
  const { namespace = '', name } = cluster.metadata;
  for (const machine of machinesOf(wires, { namespace, name })) {
    wires.wake(keyOfMachine(machine), causeOf('Cluster', cluster, sync));
  }
}

/** What of a Cluster matters to its Machines. */
function newsOf(cluster: StoredCluster | undefined): unknown {
  if (cluster === undefined) return null;
  const { metadata, spec, status } = cluster;
  return [
    metadata.uid,
    metadata.deletionTimestamp,
    spec?.paused === true,
    spec?.controlPlaneRef,
    status?.initialization?.infrastructureProvisioned === true,
    isControlPlaneInitialized(cluster),
  ];
}

function onOwner(
  wires: Wires,
  index: string,
  kind: string,
  { type, sync, before, after }: CacheChange<KubeObject>,
): void {
  const owner = after ?? before;
  if (owner === undefined) return;
  const seen = (each: KubeObject | undefined): unknown => {
    const { metadata, spec } = (each ?? {}) as Partial<ExternalObjectJson>;
    const { ['replicas']: _, ...rest } = spec ?? {};
    return [rest, metadata?.annotations?.[annotation.revision], metadata?.labels, metadata?.uid];
  };
  if (type === 'updated' && isSame(seen(before), seen(after))) return;
  const { namespace = '', name } = owner.metadata;
  for (const machine of wires.caches.machines.byIndex(index, inNamespace(namespace, labelValueOf(name)))) {
    wires.wake(keyOfMachine(machine), causeOf(kind, owner, sync));
  }
}

/** A rule concerns the drains of its namespace. */
function onDrainRule(wires: Wires, { sync, before, after }: CacheChange<KubeObject>): void {
  const rule = after ?? before;
  if (rule === undefined || sync) return;
  for (const machine of wires.caches.machines.list(rule.metadata.namespace ?? '')) {
    if (machine.status?.deletion?.nodeDrainStartTime !== undefined) {
      wires.wake(keyOfMachine(machine), causeOf(kinds.drainRule.kind, rule, false));
    }
  }
}

function onExternal(wires: Wires, { type, sync, before, after }: CacheChange<ExternalObjectJson>): void {
  const object = after ?? before;
  if (object === undefined) return;
  // PARITY: a paused object's deletion is told all the same; upstream waits for its next resync.
  if (type !== 'deleted' && object.metadata.annotations?.[annotation.paused] !== undefined) return;
  const { namespace = '', name, ownerReferences = [] } = object.metadata;
  const group = groupOf(object.apiVersion);
  const { machines, clusters } = wires.caches;
  const referring = machines.byIndex(machineIndex.external, externalKey(group, object.kind, namespace, name));
  const owners = ownerReferences
    .filter(({ kind, apiVersion }) => kind === 'Machine' && groupOf(apiVersion) === clusterGroup)
    .flatMap((reference) => machines.get(namespace, reference.name) ?? []);
  const ofControlPlane = clusters
    .byIndex(CONTROL_PLANE_INDEX, controlPlaneKey({ namespace, group, kind: object.kind, name }))
    .flatMap(({ metadata }) => machinesOf(wires, { namespace, name: metadata.name }))
    .filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
  for (const machine of new Set([...referring, ...owners, ...ofControlPlane])) {
    wires.wake(keyOfMachine(machine), causeOf(object.kind, object, sync));
  }
}

/** A CRD that comes, goes or changes its contract concerns all who refer to its kind. */
function onKind(wires: Wires, crdName: string): void {
  if (crdName === machineDefinitionName) wires.definition.forget();
  for (const machine of wires.caches.machines.list()) {
    const references = [machine.spec.bootstrap?.configRef, machine.spec.infrastructureRef];
    const concerns = references.some((reference) => reference !== undefined && crdNames(reference).includes(crdName));
    const cause: WakeCause = { kind: 'object', objectKind: 'CustomResourceDefinition', namespace: '', name: crdName };
    if (concerns) wires.wake(keyOfMachine(machine), cause);
  }
}

/** The Machine of a Node: the one that names it, else the one that waits for its provider ID. Several are none. */
function onNode(wires: Wires, cluster: ClusterName, { sync, before, after }: CacheChange<StoredNode>): void {
  const node = after ?? before;
  if (node === undefined || isSame(newsOfNode(before), newsOfNode(after))) return;
  const { machines } = wires.caches;
  const isOfCluster = ({ metadata, spec }: StoredMachine): boolean =>
    metadata.namespace === cluster.namespace && spec.clusterName === cluster.name;
  const named = machines.byIndex(machineIndex.nodeName, node.metadata.name).filter(isOfCluster);
  const ids = [before, after].flatMap((each) => each?.spec?.providerID ?? []);
  const awaited = [...new Set(ids)].flatMap((id) => machines.byIndex(machineIndex.providerId, id)).filter(isOfCluster);
  for (const machine of new Set([...named, ...awaited])) wires.wake(keyOfMachine(machine), causeOf('Node', node, sync));
  const attached = (each: StoredNode | undefined): unknown => each?.status?.volumesAttached ?? [];
  if (isSame(attached(before), attached(after))) return;
  for (const machine of named) {
    const { name } = node.metadata;
    wires.wake(keyOfMachine(machine), { kind: 'object', objectKind: 'VolumeAttachment', namespace: '', name });
  }
}

/** What of a Node matters: a heartbeat does not. */
function newsOfNode(node: StoredNode | undefined): unknown {
  if (node === undefined) return null;
  const { metadata, spec, status } = node;
  const conditions = (status?.conditions ?? []).map(({ type, status: is, message, lastTransitionTime }) => [
    type,
    is,
    message,
    lastTransitionTime,
  ]);
  const { uid, labels, annotations, deletionTimestamp } = metadata;
  return [uid, labels, annotations, deletionTimestamp, spec, status?.nodeInfo, status?.volumesAttached, conditions];
}
