// Which turns are worth an Event on the object, and what it says: waits and errors that a user must act on, and what was healed.
//
// Pure. An Event names the object and the cause; it never points to a log.
import type { Facts } from '../../../machines/kubeadmconfig/facts.js';
import {
  dataSecretEnding,
  foreignText,
  lockUnreadable,
  tokenLost,
  tokenMismatch,
  tokenTaken,
} from '../../../machines/kubeadmconfig/reasons.js';
import { failureText } from '../../../machines/kit/failure-text.js';
import type { ConditionIntent } from '../../../machines/kit/row.js';
import type { ObjectEvent } from './ports.js';

type Step = { readonly row: string; readonly facts: Facts };

const messageOf = (intents: readonly ConditionIntent[]): string => intents[0]?.message ?? '';

const warning =
  (reason: string, message: (facts: Facts) => string) =>
  (facts: Facts): ObjectEvent => ({
    type: 'Warning',
    reason,
    message: message(facts),
  });
const normal =
  (reason: string, message: (facts: Facts) => string) =>
  (facts: Facts): ObjectEvent => ({
    type: 'Normal',
    reason,
    message: message(facts),
  });

/** Events of rows at which a turn may end, or through which it may pass. */
const eventsOfRows: Readonly<Record<string, (facts: Facts) => ObjectEvent>> = {
  K10: warning('DataSecretForeign', foreignText),
  K16: warning('DataSecretEnding', (f) => messageOf(dataSecretEnding(f))),
  K34: warning('InitLockUnreadable', (f) => messageOf(lockUnreadable(f))),
  K41: warning('InitLockUnreadable', (f) => messageOf(lockUnreadable(f))),
  K50: normal(
    'EndpointMissing',
    (f) => `Cluster ${f.names.namespace}/${f.names.cluster} has no spec.controlPlaneEndpoint with host and port yet`,
  ),
  K25: warning('TokenMismatch', (f) => messageOf(tokenMismatch(f))),
  K70: warning('TokenMismatch', (f) => messageOf(tokenMismatch(f))),
  K63: normal(
    'TokenReplaced',
    (f) => `The bootstrap token of MachinePool ${f.names.owner} was not in the workload cluster and is replaced`,
  ),
  K29: warning('TokenLost', (f) => messageOf(tokenLost(f))),
  K65: warning('TokenLost', (f) => messageOf(tokenLost(f))),
  K66: warning(
    'TokenRecreated',
    (f) =>
      `The bootstrap token of Machine ${f.names.owner} was not in workload cluster ${f.names.cluster} and was created again`,
  ),
  K19: warning('TokenTaken', (f) => messageOf(tokenTaken(f))),
  K68: warning('TokenTaken', (f) => messageOf(tokenTaken(f))),
};

/** Failures that pass by themselves: no Event. */
const quiet: readonly string[] = ['Aborted', 'ApiAborted', 'ApiConflict', 'ApiUnknown'];

/** The Events of a turn, in order. Repeats are the recorder's to fold. */
export function eventsOfTurn(trail: readonly Step[]): readonly ObjectEvent[] {
  return trail.flatMap(({ row, facts }) => {
    const event = eventsOfRows[row]?.(facts);
    if (event !== undefined) return [event];
    const { failure } = facts;
    const self = { kind: 'KubeadmConfig', name: facts.names.config };
    if (failure === null || quiet.includes(failure.kind) || (!row.startsWith('K8') && !row.startsWith('K9'))) return [];
    return [{ type: 'Warning' as const, reason: reasonOf(failure.kind), message: failureText(failure, self) }];
  });
}

function reasonOf(kind: string): string {
  return /^[A-Za-z]+$/.test(kind) ? kind : 'Failed';
}
