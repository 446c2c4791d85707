// What rows say about conditions, as small pieces: `Deleting` with its reasons, and the deprecated conditions of a deletion.
//
// Everything else a Machine's status says is projected from facts (status/project.ts), whichever row decided.

import type { ConditionIntent } from '../kit/row.js';
import type { MachineFacts } from './facts.js';
import { isNodeTouched, wasVolumeWaitCut } from './guards.js';
import {
  deletionFailedMessage,
  drainHeader,
  drainMessage,
  hooksMessage,
  volumesHeader,
  volumesMessage,
  waitingForDeletionMessage,
} from './messages.js';
import { condition, oldCondition, oldReason, reason, text } from './names.js';

/** What several rows say, in order. */
export type Say = (facts: MachineFacts) => readonly ConditionIntent[];

/** Nothing. */
export const silent: Say = () => [];

function deleting(why: string, message: string): ConditionIntent {
  return { type: condition.deleting, status: 'True', reason: why, message };
}

/** Something about a deprecated condition only. */
function old(
  type: string,
  v1beta1: NonNullable<ConditionIntent['v1beta1']>,
  more: Pick<ConditionIntent, 'onlyIfAbsent'> = {},
): ConditionIntent {
  const { status, reason: why = status, message = '' } = v1beta1;
  return { type, status, reason: why, message, v1beta1, only: 'v1beta1', ...more };
}

const done = (type: string): ConditionIntent => old(type, { status: 'True' });
const waits = (type: string, why: string, message?: string): ConditionIntent =>
  old(type, { status: 'False', severity: 'Info', reason: why, ...(message === undefined ? {} : { message }) });

/** The control plane object cannot be read. */
export const internalError: Say = () => [deleting(reason.internalError, text.checkLogs)];

/** Hooks before the drain block. */
export const preDrainHooks: Say = ({ machine }) => [
  deleting(reason.waitingForPreDrainHook, hooksMessage('pre-drain', machine.preDrainHooks)),
  waits(oldCondition.preDrain, oldReason.waitingExternalHook),
];

/** No hooks before the drain. */
export const preDrainPassed: Say = () => [done(oldCondition.preDrain)];

/** A pass of the drain starts. */
export const drainStarts: Say = (facts) => [
  ...preDrainPassed(facts),
  deleting(reason.drainingNode, drainHeader(startOf(facts, 'nodeDrainStartTime'))),
  old(
    oldCondition.draining,
    { status: 'False', severity: 'Info', reason: oldReason.draining, message: text.drainStarts },
    { onlyIfAbsent: true },
  ),
];

/** A pass of the drain left Pods. */
export const drainContinues: Say = (facts) => {
  if (facts.drain.kind !== 'left') return [];
  const message = drainMessage(startOf(facts, 'nodeDrainStartTime'), facts.drain.report);
  return [deleting(reason.drainingNode, message), waits(oldCondition.draining, oldReason.draining, message)];
};

/** A pass of the drain failed. */
export const drainFailed: Say = ({ failure }) => [
  deleting(reason.drainingNode, text.drainError),
  old(oldCondition.draining, {
    status: 'False',
    severity: 'Warning',
    reason: oldReason.drainingFailed,
    message: failure?.message ?? '',
  }),
];

/** Nothing is left to drain. */
export const drained: Say = () => [done(oldCondition.draining)];

/** A look at the volumes starts. */
export const volumesStart: Say = (facts) => [
  ...preDrainPassed(facts),
  deleting(reason.waitingForVolumeDetach, volumesHeader(startOf(facts, 'waitForNodeVolumeDetachStartTime'))),
  old(
    oldCondition.volumeDetach,
    { status: 'False', severity: 'Info', reason: oldReason.waitingForVolumeDetach, message: text.volumeWaitStarts },
    { onlyIfAbsent: true },
  ),
];

/** Volumes are still attached. */
export const volumesAttached: Say = (facts) =>
  facts.volumes.kind !== 'attached'
    ? []
    : [
        deleting(
          reason.waitingForVolumeDetach,
          volumesMessage(startOf(facts, 'waitForNodeVolumeDetachStartTime'), facts.volumes.report),
        ),
      ];

/** The volumes could not be looked at. */
export const volumesFailed: Say = () => [deleting(reason.waitingForVolumeDetach, text.volumesError)];

/** No volume is attached any more. */
export const volumesDetached: Say = () => [done(oldCondition.volumeDetach)];

/** What is behind us when the hooks after the drain are looked at. */
const detachPassed: Say = (facts) => [
  ...(isNodeTouched(facts) ? preDrainPassed(facts) : []),
  ...(wasVolumeWaitCut(facts) ? [done(oldCondition.volumeDetach)] : []),
];

/** Hooks before the end of the infrastructure block. */
export const preTerminateHooks: Say = (facts) => [
  ...detachPassed(facts),
  deleting(reason.waitingForPreTerminateHook, hooksMessage('pre-terminate', facts.machine.preTerminateHooks)),
  waits(oldCondition.preTerminate, oldReason.waitingExternalHook),
];

/** No hooks before the end of the infrastructure; it has to go. */
export const infrastructureGoes: Say = (facts) => [
  ...detachPassed(facts),
  done(oldCondition.preTerminate),
  deleting(reason.waitingForInfrastructureDeletion, waitingForDeletionMessage(facts.infrastructure.objectKind)),
];

/** The infrastructure object cannot be deleted. */
export const infrastructureStays: Say = ({ infrastructure }) => [
  deleting(reason.internalError, deletionFailedMessage(infrastructure.objectKind)),
];

const infrastructureGone: Say = (facts) => [
  ...detachPassed(facts),
  done(oldCondition.preTerminate),
  waits(oldCondition.infrastructureReady, oldReason.deleted),
];

/** The infrastructure is gone; the bootstrap object has to go. */
export const bootstrapGoes: Say = (facts) => [
  ...infrastructureGone(facts),
  deleting(reason.waitingForBootstrapDeletion, waitingForDeletionMessage(facts.bootstrap?.objectKind ?? '')),
];

/** The bootstrap object cannot be deleted. */
export const bootstrapStays: Say = ({ bootstrap }) => [
  deleting(reason.internalError, deletionFailedMessage(bootstrap?.objectKind ?? '')),
];

const objectsGone: Say = (facts) => [
  ...infrastructureGone(facts),
  ...(facts.bootstrap === null ? [] : [waits(oldCondition.bootstrapReady, oldReason.deleted)]),
];

/** Infrastructure and bootstrap object are gone; the Node has to go. */
export const nodeGoes: Say = objectsGone;

/** The Node cannot be deleted. */
export const nodeStays: Say = () => [
  deleting(reason.deletingNode, text.nodeDeletionError),
  old(oldCondition.nodeHealthy, { status: 'False', severity: 'Warning', reason: oldReason.deletionFailed }),
];

/** Everything is gone. */
export const completed: Say = (facts) => [
  ...objectsGone(facts),
  deleting(reason.deletionCompleted, text.deletionCompleted),
];

function startOf({ status }: MachineFacts, field: 'nodeDrainStartTime' | 'waitForNodeVolumeDetachStartTime'): string {
  return status.deletion?.[field] ?? '';
}
