// Which change wakes which Cluster.
//
//   W1. A Cluster's own change always wakes it.
//   W2. A control plane Machine that has a node wakes its Cluster until that is initialised.
//   W3. A control plane object wakes the Clusters that it names as owners, and those that name it, unless it is paused.
//   W4. A CRD that comes, goes or gets other labels wakes the Clusters that name its kind.

import { CONDITION } from '../../../machines/cluster-initialized/reasons.js';
import { group, label } from '../../api/names.js';
import { isConditionTrue } from '../../conditions/condition.js';
import type { Key, WakeCause } from '../../host/contract.js';
import type { Cache, CacheChange, KubeObject } from '../../kube/contract.js';
import { crdNames } from '../machine/external/contract-version.js';
import type { ExternalObjects } from '../machine/external/external-objects.js';
import { groupOf, hasPausedAnnotation, isSelected, keyOf } from '../one-condition/paused.js';
import { CONTROL_PLANE_INDEX, controlPlaneKey } from './indexes.js';
import type { StoredCluster, StoredMachine } from './objects.js';
import { controlPlaneReference } from './view.js';

/** Wakes a key. */
export type Wake = (key: Key, cause: WakeCause) => void;

/** What is listened to. */
export interface Wires {
  readonly clusters: Pick<Cache<StoredCluster>, 'get' | 'list' | 'byIndex' | 'subscribe'>;
  readonly machines: Pick<Cache<StoredMachine>, 'subscribe'>;
  readonly controlPlanes: Pick<ExternalObjects, 'subscribe' | 'onKind'>;
  readonly watchFilter: string;
}

/** Subscribes; returns the way out. */
export function wire(wires: Wires, wake: Wake, forget: (key: Key) => void): () => void {
  const ends = [
    wires.clusters.subscribe((change) => {
      const cluster = change.after ?? change.before;
      if (cluster === undefined) return;
      if (change.type === 'deleted') forget(keyOf(cluster));
      wake(keyOf(cluster), causeOfSelf(change));
    }),
    wires.machines.subscribe((change) => onMachine(wires, change, wake)),
    wires.controlPlanes.subscribe((change) => onControlPlane(wires, change, wake)),
    wires.controlPlanes.onKind((crdName) => {
      for (const cluster of wires.clusters.list()) {
        const reference = controlPlaneReference(cluster);
        if (reference === null || !crdNames(reference).includes(crdName)) continue;
        wake(keyOf(cluster), { kind: 'object', objectKind: 'CustomResourceDefinition', namespace: '', name: crdName });
      }
    }),
  ];
  return () => ends.forEach((end) => end());
}

/** Why an object of its own wakes a key: a list tells nothing new, a version tells our own writes from others'. */
export function causeOfSelf({ sync, before, after }: CacheChange<KubeObject>): WakeCause {
  if (sync) return { kind: 'sync' };
  return {
    kind: 'self',
    resourceVersion: (after ?? before)?.metadata.resourceVersion ?? '',
    before: before?.metadata.resourceVersion ?? '',
  };
}

/** The Cluster that a Machine's change concerns, by the rules of upstream's mapping; null for none. */
export function clusterOfMachine(
  machine: StoredMachine,
  clusters: Pick<Cache<StoredCluster>, 'get'>,
): StoredCluster | null {
  if (machine.metadata.labels?.[label.controlPlane] === undefined) return null;
  if ((machine.status?.nodeRef?.name ?? '') === '') return null;
  const cluster = clusters.get(machine.metadata.namespace ?? '', machine.spec.clusterName);
  if (cluster === undefined || isConditionTrue(cluster.status?.conditions ?? [], CONDITION)) return null;
  return cluster;
}

function onMachine(wires: Wires, { sync, after }: CacheChange<StoredMachine>, wake: Wake): void {
  if (after === undefined || !isSelected(after, wires.watchFilter)) return;
  const cluster = clusterOfMachine(after, wires.clusters);
  if (cluster !== null) wake(keyOf(cluster), sync ? { kind: 'sync' } : causeOf(after));
}

function onControlPlane({ clusters }: Wires, { sync, before, after }: CacheChange<KubeObject>, wake: Wake): void {
  const object = after ?? before;
  if (object === undefined || hasPausedAnnotation(object)) return;
  const { namespace = '', name, ownerReferences = [] } = object.metadata;
  const owners = ownerReferences
    .filter(({ kind, apiVersion }) => kind === 'Cluster' && groupOf(apiVersion) === group.cluster)
    .map((owner) => `${namespace}/${owner.name}`);
  const index = controlPlaneKey({ namespace, group: groupOf(object.apiVersion), kind: object.kind, name });
  const naming = clusters.byIndex(CONTROL_PLANE_INDEX, index).map(keyOf);
  for (const key of new Set([...owners, ...naming])) wake(key, sync ? { kind: 'sync' } : causeOf(object));
}

function causeOf({ kind, metadata }: KubeObject): WakeCause {
  return { kind: 'object', objectKind: kind, namespace: metadata.namespace ?? '', name: metadata.name };
}
