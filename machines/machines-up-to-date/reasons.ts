// Every text that this machine puts into a condition: the requirement table's reasons, and upstream's one flag away.

import type { ConditionIntent } from '../kit/row.js';
import type { Facts, ReasonProfile } from './facts.js';

/** Type of the condition. */
export const CONDITION = 'MachinesUpToDate';
/** Type of the condition of every Machine that is aggregated. */
export const SOURCE_CONDITION = 'UpToDate';

/** Reasons by profile. */
export const reasons = {
  table: {
    noReplicas: 'NoReplicas',
    upToDate: 'MachinesUpToDate',
    notUpToDate: 'MachinesNotUpToDate',
    unknown: 'MachinesUpToDateUnknown',
    internalError: 'InternalError',
  },
  upstream: {
    noReplicas: 'NoReplicas',
    upToDate: 'UpToDate',
    notUpToDate: 'NotUpToDate',
    unknown: 'UpToDateUnknown',
    internalError: 'InternalError',
  },
} as const satisfies Readonly<Record<ReasonProfile, Readonly<Record<string, string>>>>;

const said =
  (status: ConditionIntent['status'], reason: keyof (typeof reasons)['table'], message: (facts: Facts) => string) =>
  (facts: Facts): readonly ConditionIntent[] => [
    { type: CONDITION, status, reason: reasons[facts.reasons][reason], message: message(facts) },
  ];

/** Nothing is said: the condition stays as it is. */
export const unchanged = (): readonly ConditionIntent[] => [];

export const noReplicas = said('True', 'noReplicas', () => '');
export const internalError = said('Unknown', 'internalError', () => 'Please check controller logs for errors');
export const notUpToDate = said('False', 'notUpToDate', (f) => f.message);
export const unknown = said('Unknown', 'unknown', (f) => f.message);
export const upToDate = said('True', 'upToDate', (f) => f.message);
