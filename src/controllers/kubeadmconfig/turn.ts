// What the effects of one turn learn beyond their view: they run one after the other on the same, frozen view.
//
// Bound to the view itself, so that it ends with the turn. It may hold a token: it is never shown and never stored.
import type { KubeadmConfigSpec } from '../../api/kubeadmconfig/v1beta2.js';
import type { StoredCluster, StoredConfig, StoredConfigMap } from './objects.js';
import type { View } from './view.js';

/** Notes of one turn. */
export interface Turn {
  /** The KubeadmConfig as it was read or as our last write left it. */
  config: StoredConfig;
  /** The Cluster, newer than the view where it was read live. */
  cluster: StoredCluster;
  /** The lock, where this turn created it or read it live. */
  lock: StoredConfigMap | null;
  /** Whether this turn created the lock. */
  hasCreatedLock: boolean;
}

const turns = new WeakMap<View, Turn>();

/** The notes of the turn that works on this view. Throws without a Cluster: no row asks for an effect then. */
export function turnOf(view: View): Turn {
  const known = turns.get(view);
  if (known !== undefined) return known;
  if (view.cluster === null) throw new Error(`${view.key}: an effect was asked for without a Cluster`);
  const turn: Turn = {
    config: view.config,
    cluster: view.cluster,
    lock: view.lock.kind === 'free' ? null : view.lock.configMap,
    hasCreatedLock: false,
  };
  turns.set(view, turn);
  return turn;
}

/** The spec as the turn has it. */
export function specOf(turn: Turn): KubeadmConfigSpec {
  return turn.config.spec ?? {};
}
