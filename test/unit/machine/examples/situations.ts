// Situations that examples share: Machines on their way out, and what of it is behind them.
import type { MachineFacts } from '../../../../machines/machine/facts.js';
import type { MachineRequest } from '../../../../machines/machine/words.js';
import { deleting, drainStart, factsOf, noBootstrap, noInfrastructure } from '../facts.js';

/** The usual Machine with differences, while it is being deleted. */
export const dying = (more: Parameters<typeof factsOf>[0] = {}): MachineFacts =>
  factsOf({ ...more, machine: { ...deleting, ...more.machine } });

/** Infrastructure and bootstrap object are gone. */
export const gone = { infrastructure: noInfrastructure('missing'), bootstrap: noBootstrap('missing') };

/** Both waits have begun. */
export const deletion = { nodeDrainStartTime: drainStart, waitForNodeVolumeDetachStartTime: drainStart };

/** The drain is over. */
export const drainDone = { drain: { kind: 'drained' } } as const;

/** Drain and detach are over. */
export const allDone = { ...drainDone, volumes: { kind: 'detached' } } as const;

/** Two hooks of a kind. */
export const hooks = (prefix: string): readonly string[] => [
  `${prefix}.delete.hook.machine.cluster.x-k8s.io/a`,
  `${prefix}.delete.hook.machine.cluster.x-k8s.io/b`,
];

/** An effect that could not do its work. */
export const failure = (request: MachineRequest, kind = 'ApiForbidden', message = 'no') => ({
  failure: { request, kind, message },
});

/** The Node's deletion was tried in an earlier turn. */
export const tried = { conditions: [{ type: 'Deleting', status: 'True', reason: 'DeletingNode', message: '' }] };

/** No control plane Machine is left. */
export const lonely = { controlPlaneMachines: 0 };

/** After what time `Ready` of a Machine that is on its way out for a minute says more: at 15 minutes. */
export const staleInMs = 14 * 60_000 + 1;
