// The controller of a KubeadmControlPlane's MachinesUpToDate: one machine, its eyes, and one condition to write.
//
// It keeps no snapshot: what it says follows from the Machines as they are, and the wake-up of the ten-second rule from their age.

import type { Facts, Request, State } from '../../../machines/machines-up-to-date/facts.js';
import type { ReasonProfile } from '../../../machines/machines-up-to-date/facts.js';
import { CONDITION } from '../../../machines/machines-up-to-date/reasons.js';
import { chart } from '../../../machines/machines-up-to-date/chart.js';
import { table } from '../../../machines/machines-up-to-date/table.js';
import type { Controller } from '../../host/contract.js';
import type { Cache } from '../../kube/contract.js';
import { EFFECT_TIME_MAX_MS } from '../../limits.js';
import { lastIntent } from '../one-condition/intents.js';
import { persistCondition, type ConditionPorts } from '../one-condition/persist-condition.js';
import { createRivalry } from '../one-condition/rivalry.js';
import { factsOf } from './facts-of-view.js';
import {
  controlPlaneResource,
  FIELD_MANAGER,
  type StoredCluster,
  type StoredControlPlane,
  type StoredMachine,
} from './objects.js';
import { viewOf, type View } from './view.js';
import { wire, type Wake } from './wiring.js';

/** What this controller is given. */
export interface MachinesUpToDatePorts extends ConditionPorts {
  readonly controlPlanes: Cache<StoredControlPlane>;
  readonly clusters: Cache<StoredCluster>;
  readonly machines: Cache<StoredMachine>;
  readonly settings: { readonly watchFilter: string; readonly reasons: ReasonProfile };
}

/** The controller's type for the host. */
export type MachinesUpToDateController = Controller<View, State, Facts, Request, never>;

/** The controller with its wires. */
export interface MachinesUpToDateParts {
  readonly controller: MachinesUpToDateController;
  wire(wake: Wake): () => void;
}

/** What is logged where a row writes nothing although somebody should act. */
const silentTroubles: Readonly<Partial<Record<Facts['machines'], string>>> = {
  foreign:
    'not all control plane machines are owned by this KubeadmControlPlane, refusing to operate in mixed management mode',
  failed: 'failed to aggregate the UpToDate conditions of the machines',
};

/** Makes the controller. Nothing happens before it is wired and its host is started. */
export function createMachinesUpToDateController(ports: MachinesUpToDatePorts): MachinesUpToDateParts {
  const { controlPlanes, clusters, machines, log, settings } = ports;
  const rivalry = createRivalry();
  const told = new Map<string, string>();
  const owned = { resource: controlPlaneResource, fieldManager: FIELD_MANAGER, rivalry };
  const forget = (key: string): void => {
    rivalry.forget(key);
    told.delete(key);
  };
  const controller: MachinesUpToDateController = {
    name: 'machines-up-to-date',
    kind: 'KubeadmControlPlane',
    group: controlPlaneResource.group,
    chart,
    table,
    observe: (key) => viewOf({ controlPlanes, clusters, machines, watchFilter: settings.watchFilter }, key),
    forget,
    uid: ({ controlPlane }) => controlPlane.metadata.uid ?? '',
    facts: (view, nowMs) => factsOf(view, nowMs, settings.reasons),
    effects: {},
    effectTimeoutMs: EFFECT_TIME_MAX_MS,
    mayPersistSnapshot: () => false,
    readEnvelope: () => null,
    async persist(view, { trail, facts }, context) {
      const trouble = silentTroubles[facts.machines] ?? '';
      if (trouble !== '' && told.get(context.key) !== trouble) {
        log.error('Reconciler error', { controller: 'machines-up-to-date', object: view.key, err: trouble });
      }
      told.set(context.key, trouble);
      await persistCondition(ports, owned, {
        object: view.controlPlane,
        intent: lastIntent(table, trail, CONDITION),
        context,
      });
    },
    endsBackoff: (cause) => cause.kind === 'self' || cause.kind === 'object',
  };
  return { controller, wire: (wake) => wire({ controlPlanes, clusters, machines }, wake, forget) };
}
