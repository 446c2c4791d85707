// The Events and log lines of a turn: told once its status is written, so that nobody hears of what did not happen.

import { isDeleting, isPaused, wasVolumeWaitCut } from '../../../machines/machine/guards.js';
import type { MachineFacts } from '../../../machines/machine/facts.js';
import { machineLog } from './machine-log.js';
import type { StoredMachine } from './objects.js';
import type { MachineOutcome } from './outcome.js';
import type { MachineEvent, Ports } from './ports.js';
import { turnOf } from './turn.js';
import type { MachineView } from './view.js';

/** What was, and what is. */
export interface Told {
  readonly view: MachineView;
  readonly outcome: MachineOutcome;
  readonly before: StoredMachine;
  readonly after: StoredMachine;
  /** The status was written. */
  readonly isChanged: boolean;
}

/** Records the Events and logs the lines. */
export function tellEvents(ports: Ports, told: Told): void {
  const turn = turnOf(told.view);
  const { apiVersion, kind, metadata } = told.view.machine;
  const { namespace = '', name, uid = '' } = metadata;
  const object = { apiVersion, kind, namespace, name, uid };
  for (const event of [...turn.events, ...eventsOfChange(told)]) ports.events.record({ object, ...event });
  turn.events.length = 0;
  if (told.isChanged) logRow(ports, told);
}

function eventsOfChange({ outcome: { facts }, before, after }: Told): readonly MachineEvent[] {
  const name = after.status?.nodeRef?.name;
  const isCut = wasVolumeWaitCut(facts) && !isDetachDone(before) && isDetachDone(after);
  return [
    ...(name !== undefined && before.status?.nodeRef === undefined && facts.machine.providerId !== ''
      ? [{ type: 'Normal', reason: 'SuccessfulSetNodeRef', message: name } as const]
      : []),
    ...(isCut ? [volumeWaitCut(facts)] : []),
    ...(facts.machine.isUpdateAwaited && !isDeleting(facts) && !isPaused(facts) ? [updateNotCarriedOut] : []),
  ];
}

/** Told in each turn: what the recorder has told lately it only counts. */
const updateNotCarriedOut: MachineEvent = {
  type: 'Warning',
  reason: 'InPlaceUpdateNotCarriedOut',
  message:
    "the Machine waits for an update in place, which this operator's Machine controller does not carry out: switch the feature gate InPlaceUpdates of the other controllers off, or run Cluster API's own Machine controller",
};

function isDetachDone({ status }: StoredMachine): boolean {
  const conditions = status?.deprecated?.v1beta1?.conditions ?? [];
  return conditions.some(({ type, status: is }) => type === 'VolumeDetachSucceeded' && is === 'True');
}

function volumeWaitCut({ machine }: MachineFacts): MachineEvent {
  const limit = `spec.deletion.nodeVolumeDetachTimeoutSeconds (${machine.volumeTimeoutMs / 1000}s)`;
  return {
    type: 'Warning',
    reason: 'NodeVolumeDetachTimedOut',
    message: `volumes may still be attached to Machine's node: the wait for them ended with ${limit}`,
  };
}

/** What is logged when a turn that changed something ends in a row. */
const lines: Readonly<Record<string, string>> = {
  M03: 'Pausing reconciliation for this object',
  M23: 'Machine waits for an update in place, which is not carried out here',
  M42: 'Waiting for pre-drain hooks to succeed',
  M47: 'Waiting for pre-terminate hooks to succeed',
  M62: 'Waiting for pre-terminate hooks to succeed',
  M66: 'Waiting for pre-terminate hooks to succeed',
  M50: 'Waiting for infrastructure to be deleted',
  M69: 'Waiting for infrastructure to be deleted',
  M53: 'Waiting for bootstrap to be deleted',
  M70: 'Waiting for bootstrap to be deleted',
};

function logRow(ports: Ports, { view, outcome }: Told): void {
  const log = machineLog(ports, view);
  const { facts, row, trail } = outcome;
  if (trail.some(({ row: each }) => each === 'M54' || each === 'M91')) {
    log.info('Node deletion timeout expired, continuing without Node deletion.');
  }
  const line = lines[row];
  if (line === undefined) return;
  const hooks = row === 'M42' ? facts.machine.preDrainHooks : facts.machine.preTerminateHooks;
  log.info(line, line.includes('hooks') ? { hooks: hooks.join(',') } : {});
}
