// Every text that this machine puts into a condition: the requirement table's reasons, and upstream's one flag away.

import type { ConditionIntent } from '../kit/row.js';
import type { Facts, ReasonProfile } from './facts.js';

/** Type of the condition, in both API versions. */
export const CONDITION = 'ControlPlaneInitialized';

/** Reasons by profile. */
export const reasons = {
  table: {
    doesNotExist: 'DoesNotExist',
    internalError: 'InternalError',
    initialized: 'Initialized',
    notInitialized: 'NotInitialized',
  },
  upstream: {
    doesNotExist: 'ObjectDoesNotExist',
    internalError: 'InternalError',
    initialized: 'Initialized',
    notInitialized: 'NotInitialized',
  },
} as const satisfies Readonly<Record<ReasonProfile, Readonly<Record<string, string>>>>;

type Twin = ConditionIntent['v1beta1'];

/** What a row says: nothing but this one condition. */
type Saying = (facts: Facts) => readonly ConditionIntent[];

const said = (
  status: ConditionIntent['status'],
  reason: keyof (typeof reasons)['table'],
  { message, twin = () => undefined }: { message: (f: Facts) => string; twin?: (f: Facts) => Twin },
): Saying => {
  return (facts) => {
    const v1beta1 = facts.isTwinInitialized ? undefined : twin(facts);
    const text = { type: CONDITION, status, reason: reasons[facts.reasons][reason], message: message(facts) };
    return [v1beta1 === undefined ? text : { ...text, v1beta1 }];
  };
};

const waiting = (reason: string, message: string): Twin => ({ status: 'False', reason, severity: 'Info', message });
const isTrue: Twin = { status: 'True' };

/** Nothing is said: the condition stays as it is. */
export const unchanged: Saying = () => [];

export const topologyPending = said('Unknown', 'doesNotExist', {
  message: () => 'Waiting for cluster topology to be reconciled',
});
export const topologyLeaving = said('Unknown', 'doesNotExist', { message: () => '' });

export const internalError = said('Unknown', 'internalError', {
  message: () => 'Please check controller logs for errors',
});
export const controlPlaneMissing = said('Unknown', 'doesNotExist', {
  message: (f) => `${f.names.controlPlaneKind} does not exist`,
});

export const controlPlaneInitialized = said('True', 'initialized', {
  message: () => '',
  twin: (f) => (f.isControlPlaneDeleting ? undefined : isTrue),
});
export const controlPlaneNotInitialized = said('False', 'notInitialized', {
  message: () => 'Control plane not yet initialized',
  twin: (f) =>
    f.isControlPlaneDeleting
      ? undefined
      : waiting(
          'WaitingForControlPlaneProviderInitialized',
          'Waiting for control plane provider to indicate the control plane has been initialized',
        ),
});

/** PARITY: the deprecated condition does not count Machines that are being deleted, and has a text of its own. */
const standaloneTwin = (f: Facts): Twin => {
  if (f.isDeleting) return undefined;
  if (f.machines === 'node') return isTrue;
  return waiting('MissingNodeRef', 'Waiting for the first control plane machine to have its status.nodeRef set');
};
export const firstNode = said('True', 'initialized', { message: () => '', twin: standaloneTwin });
export const noNode = said('False', 'notInitialized', {
  message: () => 'Waiting for the first control plane machine to have status.nodeRef set',
  twin: standaloneTwin,
});
