// What a Machine's snapshot is called where it has an object of its own.

import { actorConfigMapName } from '../../host/snapshot-stores.js';

/** The name of a Machine's actor: not that of the KubeadmConfig which is called the same. */
export function snapshotActor(machine: string): string {
  return `${machine}-machine`;
}

/** The name of a Machine's ConfigMap. */
export function snapshotConfigMapName(machine: string): string {
  return actorConfigMapName(snapshotActor(machine));
}
