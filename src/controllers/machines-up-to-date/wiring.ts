// Which change wakes which KubeadmControlPlane.
//
//   W1. Its own change always wakes it.
//   W2. A Machine wakes the object that controls it, before the change and after it, and the one whose Cluster its labels name.
//   W3. A Cluster wakes the object that it names, when pause, infrastructure, endpoint or topology version change.

import { group, label } from '../../api/names.js';
import type { Key, WakeCause } from '../../host/contract.js';
import type { Cache, CacheChange, KubeObject } from '../../kube/contract.js';
import { causeOfSelf } from '../cluster-initialized/wiring.js';
import { groupOf, hasPausedAnnotation, keyOf } from '../one-condition/paused.js';
import { isReachable } from './facts-of-view.js';
import type { StoredCluster, StoredControlPlane, StoredMachine } from './objects.js';
import { isControlPlaneMachine } from './view.js';

/** Wakes a key. */
export type Wake = (key: Key, cause: WakeCause) => void;

/** What is listened to. */
export interface Wires {
  readonly controlPlanes: Pick<Cache<StoredControlPlane>, 'subscribe'>;
  readonly clusters: Pick<Cache<StoredCluster>, 'get' | 'subscribe'>;
  readonly machines: Pick<Cache<StoredMachine>, 'subscribe'>;
}

/** Subscribes; returns the way out. */
export function wire({ controlPlanes, clusters, machines }: Wires, wake: Wake, forget: (key: Key) => void): () => void {
  const ends = [
    controlPlanes.subscribe((change) => {
      const object = change.after ?? change.before;
      if (object === undefined) return;
      if (change.type === 'deleted') forget(keyOf(object));
      wake(keyOf(object), causeOfSelf(change));
    }),
    machines.subscribe(({ sync, before, after }) => {
      const machine = after ?? before;
      if (machine === undefined) return;
      const keys = [before, after].flatMap((each) => (each === undefined ? [] : keysOfMachine(each, clusters)));
      for (const key of new Set(keys)) wake(key, causeOf(machine, sync));
    }),
    clusters.subscribe((change) => onCluster(change, wake)),
  ];
  return () => ends.forEach((end) => end());
}

/** The keys that a Machine's change concerns. */
export function keysOfMachine(machine: StoredMachine, clusters: Pick<Cache<StoredCluster>, 'get'>): readonly Key[] {
  const { namespace = '', ownerReferences = [], labels = {} } = machine.metadata;
  const controller = ownerReferences.find((each) => each.controller === true);
  const isControlled =
    controller?.kind === 'KubeadmControlPlane' && groupOf(controller.apiVersion) === group.controlPlane;
  const cluster = isControlPlaneMachine(machine) ? clusters.get(namespace, labels[label.clusterName] ?? '') : undefined;
  const named = cluster === undefined ? null : keyOfCluster(cluster);
  return [...(isControlled ? [`${namespace}/${controller.name}`] : []), ...(named === null ? [] : [named])];
}

/** The object that a Cluster names; null when it names another kind. */
export function keyOfCluster({ metadata, spec }: StoredCluster): Key | null {
  const { kind = '', name = '' } = spec?.controlPlaneRef ?? {};
  return kind === 'KubeadmControlPlane' && name !== '' ? `${metadata.namespace ?? ''}/${name}` : null;
}

function onCluster({ type, sync, before, after }: CacheChange<StoredCluster>, wake: Wake): void {
  const cluster = after ?? before;
  const key = cluster === undefined ? null : keyOfCluster(cluster);
  if (cluster === undefined || key === null) return;
  if (type === 'updated' && before !== undefined && after !== undefined && newsOf(before) === newsOf(after)) return;
  wake(key, causeOf(cluster, sync));
}

/** What of a Cluster matters here, as text. */
function newsOf(cluster: StoredCluster): string {
  const { metadata, spec } = cluster;
  return JSON.stringify([
    metadata.uid,
    spec?.paused === true,
    hasPausedAnnotation(cluster),
    isReachable(cluster),
    spec?.topology?.version ?? '',
    spec?.controlPlaneRef ?? null,
  ]);
}

function causeOf({ kind, metadata }: KubeObject, sync: boolean): WakeCause {
  if (sync) return { kind: 'sync' };
  return { kind: 'object', objectKind: kind, namespace: metadata.namespace ?? '', name: metadata.name };
}
