// The controller of a Cluster's ControlPlaneInitialized: one machine, its eyes, one effect, and one condition to write.
//
// It keeps no snapshot: everything that it knows lies in the Cluster and in the object that the Cluster names, and the condition
// itself is the latch. A restart costs one look and no write.

import type { Facts, Reply, Request, State } from '../../../machines/cluster-initialized/facts.js';
import type { ReasonProfile } from '../../../machines/cluster-initialized/facts.js';
import { CONDITION } from '../../../machines/cluster-initialized/reasons.js';
import { chart } from '../../../machines/cluster-initialized/chart.js';
import { table } from '../../../machines/cluster-initialized/table.js';
import type { Clock, Controller, Effect } from '../../host/contract.js';
import { EffectFailure } from '../../host/effect-failure.js';
import type { Cache } from '../../kube/contract.js';
import type { Informers } from '../../kube/informers.js';
import { EFFECT_TIME_MAX_MS } from '../../limits.js';
import { createExternalObjects, type ExternalObjects } from '../machine/external/external-objects.js';
import { lastIntent } from '../one-condition/intents.js';
import { persistCondition, type ConditionPorts } from '../one-condition/persist-condition.js';
import { createRivalry } from '../one-condition/rivalry.js';
import { controlPlaneFacts, factsOf } from './facts-of-view.js';
import { clusterResource, FIELD_MANAGER, type StoredCluster, type StoredMachine } from './objects.js';
import { controlPlaneReference, viewOf, type View } from './view.js';
import { wire, type Wake } from './wiring.js';

/** What this controller is given. */
export interface ClusterInitializedPorts extends ConditionPorts {
  readonly clock: Clock;
  readonly clusters: Cache<StoredCluster>;
  readonly machines: Cache<StoredMachine>;
  readonly informers: Pick<Informers, 'hold' | 'problems'>;
  readonly settings: {
    readonly watchFilter: string;
    readonly reasons: ReasonProfile;
    /** One namespace; all when empty. */
    readonly namespace: string;
  };
}

/** The controller's type for the host. */
export type ClusterInitializedController = Controller<View, State, Facts, Request, Reply>;

/** The controller with its wires. */
export interface ClusterInitializedParts {
  readonly controller: ClusterInitializedController;
  wire(wake: Wake): () => void;
}

/** Makes the controller. Nothing happens before it is wired and its host is started. */
export function createClusterInitializedController(ports: ClusterInitializedPorts): ClusterInitializedParts {
  const { clock, clusters, machines, informers, log, settings } = ports;
  const controlPlanes = createExternalObjects({ informers, clock, log, namespace: settings.namespace });
  const { watchFilter } = settings;
  const rivalry = createRivalry();
  const told = new Map<string, string>();
  const owned = { resource: clusterResource, fieldManager: FIELD_MANAGER, rivalry };
  const forget = (key: string): void => {
    rivalry.forget(key);
    told.delete(key);
  };
  const controller: ClusterInitializedController = {
    name: 'cluster-initialized',
    kind: 'Cluster',
    group: clusterResource.group,
    chart,
    table,
    observe: (key) => viewOf({ clusters, machines, controlPlanes, watchFilter }, key),
    forget,
    uid: ({ cluster }) => cluster.metadata.uid ?? '',
    facts: (view) => factsOf(view, settings.reasons),
    effects: { watchControlPlane: watchControlPlane(controlPlanes) },
    effectTimeoutMs: EFFECT_TIME_MAX_MS,
    mayPersistSnapshot: () => false,
    readEnvelope: () => null,
    async persist(view, { trail, facts }, context) {
      const problem = facts.failure?.message ?? facts.problem;
      if (problem !== '' && told.get(context.key) !== problem) {
        log.error('Failed to read the control plane object', { object: view.key, err: problem });
      }
      told.set(context.key, problem);
      await persistCondition(ports, owned, {
        object: view.cluster,
        intent: lastIntent(table, trail, CONDITION),
        context,
      });
    },
    endsBackoff: (cause) => cause.kind === 'self' || cause.kind === 'object',
  };
  return { controller, wire: (wake) => wire({ clusters, machines, controlPlanes, watchFilter }, wake, forget) };
}

/** Opens the watch of a kind and reads the object in its first list. Safe to repeat: a watch that is there is used. */
function watchControlPlane(controlPlanes: ExternalObjects): Effect<View, Facts, Reply> {
  return async ({ cluster }, _facts, { signal }) => {
    const reference = controlPlaneReference(cluster);
    if (reference === null) throw new Error('a control plane object was asked for without a reference');
    const problem = await controlPlanes.open(reference, signal);
    const look = controlPlanes.look(reference, cluster.metadata.namespace ?? '');
    if (problem !== null || look.kind === 'unwatched') {
      throw new EffectFailure('ControlPlaneUnavailable', problem ?? 'its watch has not come up');
    }
    return { type: 'CONTROL_PLANE_WATCHED', learned: controlPlaneFacts(look) };
  };
}
