// The Machine controller: one machine, its eyes (view, facts), its hands (effects) and its voice (status, Events).
//
// `run`, `demo` and tests make it with `createMachineController`, give the controller to a host, and wire it.

import type { Explanation } from '../../../machines/kit/explanation.js';
import type { MachineFacts } from '../../../machines/machine/facts.js';
import { chart } from '../../../machines/machine/chart.js';
import { machineTable } from '../../../machines/machine/table.js';
import type { MachineReply, MachineRequest, MachineState } from '../../../machines/machine/words.js';
import type { Controller, Key, Random } from '../../host/contract.js';
import { CONNECTION_BACKOFF_MAX_MS, CONNECTION_BACKOFF_MIN_MS, EFFECT_TIME_MAX_MS } from '../../limits.js';
import { checkVolumes } from './effects/check-volumes.js';
import { confirmInfrastructure, confirmNode, readControlPlane } from './effects/confirm.js';
import { deleteBootstrap, deleteInfrastructure, deleteNode, removeFinalizer } from './effects/delete-objects.js';
import { createDaemonSets } from './drain/daemon-sets.js';
import { drainNode } from './effects/drain-node.js';
import { addFinalizer, readCluster, readOwners } from './effects/entry.js';
import { adoptBootstrap, adoptInfrastructure, openWatches, patchMachine, syncNode } from './effects/phases.js';
import { explainMachine, type KnownActor } from './explain.js';
import { factsOfView } from './facts-of-view.js';
import { clusterGroup } from './objects.js';
import { mayPersistSnapshot, persistMachine } from './persist.js';
import type { Ports } from './ports.js';
import { readStoredEnvelope } from './stored-envelope.js';
import type { EffectDeps, MachineEffect } from './turn.js';
import { observeMachine, type MachineView } from './view.js';
import { endsBackoff, wireMachines, type Wake } from './wiring.js';
import { noClient } from './workload/silence.js';
import { createWaitWatches } from './workload/wait-watches.js';

/** The controller's type for the host. */
export type MachineController = Controller<MachineView, MachineState, MachineFacts, MachineRequest, MachineReply>;

/** The controller with its wires. */
export interface MachineParts {
  readonly controller: MachineController;
  /** Subscribes to caches, external kinds and workload clusters and wakes keys; returns the way out. */
  wire(wake: Wake): () => void;
  /** Why a Machine is where it is, as the host sees it; null when it does not exist. */
  explain(key: Key, actor: KnownActor | null): Explanation | null;
}

/** Makes the controller. Nothing happens before it is wired and its host is started. */
export function createMachineController(ports: Ports): MachineParts {
  const { settings } = ports;
  let wake: Wake = () => undefined;
  const waits = createWaitWatches({
    workloads: ports.workloads,
    clock: ports.clock,
    onChange: (key, change) => wake(key, { kind: 'object', ...change }),
  });
  const controller: MachineController = {
    name: 'machine',
    kind: 'Machine',
    group: clusterGroup,
    chart,
    table: machineTable,
    effects: effectsOf({ ports, waits, daemonSets: createDaemonSets(ports.clock) }),
    effectTimeoutMs: EFFECT_TIME_MAX_MS,
    observe: (key) => observeMachine(ports, key),
    uid: ({ machine }) => machine.metadata.uid ?? '',
    facts: (view, nowMs, context, causes) =>
      factsOfView(view, {
        nowMs,
        settings,
        actor: { context, causes, isWatching: (kind) => waits.isWatching(view, kind) },
      }),
    mayPersistSnapshot: (_, facts) => mayPersistSnapshot(facts),
    readEnvelope: (view) => readStoredEnvelope(view, settings),
    persist: (view, outcome, context) => persistMachine(ports, view, outcome, context),
    endsBackoff,
    backoffMs,
  };
  return {
    controller,
    wire(given) {
      wake = given;
      const end = wireMachines({ ...ports, wake });
      return () => {
        end();
        waits.stop();
      };
    },
    explain(key, actor) {
      const view = controller.observe(key);
      return view === null ? null : explainMachine(view, actor, { nowMs: ports.clock.nowMs(), settings });
    },
  };
}

function effectsOf(deps: EffectDeps): { readonly [R in MachineRequest]: MachineEffect } {
  return {
    readCluster: readCluster(deps),
    addFinalizer: addFinalizer(deps),
    readOwners: readOwners(deps),
    openWatches: openWatches(deps),
    patchMachine: patchMachine(deps),
    adoptBootstrap: adoptBootstrap(deps),
    adoptInfrastructure: adoptInfrastructure(deps),
    syncNode: syncNode(deps),
    confirmInfrastructure: confirmInfrastructure(deps),
    confirmNode: confirmNode(deps),
    readControlPlane: readControlPlane(deps),
    drainNode: drainNode(deps),
    checkVolumes: checkVolumes(deps),
    deleteInfrastructure: deleteInfrastructure(deps),
    deleteBootstrap: deleteBootstrap(deps),
    deleteNode: deleteNode(deps),
    removeFinalizer: removeFinalizer(deps),
  };
}

/** A cluster that does not answer is asked again after 1 s to 30 s with jitter; every other failure waits as usual. */
function backoffMs(failure: { readonly kind: string } | null, failures: number, random: Random): number | null {
  if (failure === null || !noClient.includes(failure.kind)) return null;
  const wholeMs = Math.min(CONNECTION_BACKOFF_MAX_MS, CONNECTION_BACKOFF_MIN_MS * 2 ** Math.min(10, failures - 1));
  return Math.max(CONNECTION_BACKOFF_MIN_MS, Math.floor(wholeMs * (0.5 + random.next() / 2)));
}
