// What the controller of ControlPlaneInitialized may write: its condition and the deprecated twin, where something changes.
import type { StoreEvent } from '../../../src/embedded/types.js';
import type { InvariantName } from './invariants.js';
import { at, textAt, type Fields, type Loose, type Truth } from './mirror.js';
import type { Seen } from './network.js';

/** The key of a Cluster's actor, as requests carry it. */
export const CLUSTER_ACTOR = 'Cluster:';

/** Rules for the writes of that controller. */
export interface ConditionRules {
  /** Something changed, whoever did it. */
  note(event: StoreEvent, resource: string): void;
  /** An actor of a Cluster wrote. */
  judge(by: Seen, event: StoreEvent, resource: string): void;
}

const TYPE = 'ControlPlaneInitialized';

/** Rules that have seen nothing yet. */
export function createConditionRules(
  truth: Truth,
  accuse: (invariant: InvariantName, message: string) => void,
): ConditionRules {
  /** Clusters that ever had a control plane Machine with a node. */
  const reached = new Set<string>();
  return {
    note({ object }, resource) {
      if (resource !== 'machines' || textAt(object, 'status', 'nodeRef', 'name') === '') return;
      if (object.metadata.labels?.['cluster.x-k8s.io/control-plane'] === undefined) return;
      reached.add(textAt(object, 'spec', 'clusterName'));
    },
    judge(by, { type, object, previous }, resource) {
      const { name } = object.metadata;
      if (resource === 'events') return;
      if (resource !== 'clusters' || type !== 'MODIFIED' || !by.actor.endsWith(`/${name}`))
        return accuse('own-writes', `${by.actor} ${type} ${resource}/${name}`);
      const before = previous as Loose;
      const after = object as Loose;
      if (JSON.stringify(othersPart(before)) !== JSON.stringify(othersPart(after)))
        accuse('others-changes', `${by.actor} changed more of Cluster ${name} than its condition`);
      const [had, has] = [statusOf(before), statusOf(after)];
      if (had === 'True' && has !== 'True') accuse('condition-right', `${name} was initialised, and is ${has} now`);
      if (had !== 'True' && has === 'True' && !reached.has(name))
        accuse('condition-right', `${name} is said to be initialised, and has no node`);
      if (truth.get('clusters', name)?.metadata.uid !== after.metadata.uid)
        accuse('own-writes', `${by.actor} wrote another Cluster ${name}`);
    },
  };
}

function conditionsOf(cluster: Loose, ...path: readonly string[]): readonly Fields[] {
  return (at(cluster, 'status', ...path, 'conditions') ?? []) as readonly Fields[];
}

function statusOf(cluster: Loose): string {
  return String(conditionsOf(cluster).find(({ type }) => type === TYPE)?.['status'] ?? 'unknown');
}

/** A Cluster without what that controller writes, and without what a server does at each write. */
function othersPart(cluster: Loose): unknown {
  const {
    resourceVersion: _,
    managedFields: __,
    ...metadata
  } = cluster.metadata as Loose['metadata'] & {
    readonly managedFields?: unknown;
  };
  const { conditions: ___, deprecated: ____, ...status } = cluster.status ?? {};
  const others = [[], ['deprecated', 'v1beta1']].map((path) =>
    conditionsOf(cluster, ...path).filter(({ type }) => type !== TYPE),
  );
  return [metadata, cluster.spec, status, others];
}
