// Setting one condition in a list, in memory. Pure: the list that is given stays as it is.
//
//   S1. Nothing changed: the very same list comes back, neither rewritten nor sorted.
//   S2. v1beta2: the transition time moves only with the status. v1beta1: it moves with any change.
//   S3. Times have whole seconds.

import { conditionTime, getCondition, hasSameState, hasSameV1Beta1State } from './condition.js';
import type { Condition, V1Beta1Condition } from './condition.js';
import { compareV1Beta1Types, sortConditions } from './order.js';

/** When a condition is set, and on which generation of its object. */
export interface SetAt {
  readonly nowMs: number;
  /** `metadata.generation` of the object that was judged. */
  readonly generation?: number | undefined;
}

/** The list with a condition set. `observedGeneration` comes from the object, never from the new entry. */
export function setCondition(conditions: readonly Condition[], next: Condition, at: SetAt): readonly Condition[] {
  const now = conditionTime(at.nowMs);
  const present = getCondition(conditions, next.type);
  const stated = observed(next, at.generation, wholeSeconds(next.lastTransitionTime) ?? now);
  if (present === null) return sortConditions([...conditions, stated]);
  const keepsTime = present.status === next.status;
  const entry = keepsTime ? observed(next, at.generation, present.lastTransitionTime ?? now) : stated;
  if (hasSameState(present, entry)) return conditions;
  return sortConditions(conditions.map((each) => (each === present ? entry : each)));
}

/** The deprecated list with a condition set. */
export function setV1Beta1Condition(
  conditions: readonly V1Beta1Condition[],
  next: V1Beta1Condition,
  at: Pick<SetAt, 'nowMs'>,
): readonly V1Beta1Condition[] {
  const present = getCondition(conditions, next.type);
  if (present !== null && hasSameV1Beta1State(present, next)) return conditions;
  const entry = trimmed(next, wholeSeconds(next.lastTransitionTime) ?? conditionTime(at.nowMs));
  const others =
    present === null ? [...conditions, entry] : conditions.map((each) => (each === present ? entry : each));
  return sortConditions(others, compareV1Beta1Types);
}

/** The list without a type; the very same list when it has none. */
export function removeCondition<T extends { readonly type: string }>(
  conditions: readonly T[],
  type: string,
): readonly T[] {
  return conditions.some((each) => each.type === type) ? conditions.filter((each) => each.type !== type) : conditions;
}

/** A v1beta2 entry in the API's field order, with a generation that is not 0. */
function observed(next: Condition, generation: number | undefined, time: string): Condition {
  const { type, status, reason, message } = next;
  return {
    type,
    status,
    ...(generation === undefined || generation === 0 ? {} : { observedGeneration: generation }),
    lastTransitionTime: time,
    reason,
    message,
  };
}

/** A deprecated entry without empty fields. */
function trimmed(next: V1Beta1Condition, time: string): V1Beta1Condition {
  const { type, status, severity = '', reason = '', message = '' } = next;
  return {
    type,
    status,
    ...(severity === '' ? {} : { severity }),
    lastTransitionTime: time,
    ...(reason === '' ? {} : { reason }),
    ...(message === '' ? {} : { message }),
  };
}

function wholeSeconds(time: string | undefined): string | null {
  const atMs = time === undefined || time === '' ? Number.NaN : Date.parse(time);
  return Number.isNaN(atMs) ? null : conditionTime(atMs);
}
