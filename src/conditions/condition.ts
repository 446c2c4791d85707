// Conditions as they lie in an object's status, and how they are read. Pure; nothing here writes.
//
// `Condition` is the entry of the v1beta2 API (`status.conditions`), `V1Beta1Condition` the entry of the deprecated list
// (`status.deprecated.v1beta1.conditions`). Status is a plain string, because what other writers stored is read as it is.

/** The values that a condition's status may have. */
export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** One entry of `status.conditions`. */
export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  /** RFC 3339 seconds. */
  readonly lastTransitionTime?: string;
  /** Generation of the object that was judged; absent for 0. */
  readonly observedGeneration?: number;
}

/** One entry of `status.deprecated.v1beta1.conditions`: empty fields are absent. */
export interface V1Beta1Condition {
  readonly type: string;
  readonly status: string;
  readonly severity?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

/** Reason of an entry that somebody should have set and has not. */
export const NOT_YET_REPORTED = 'NotYetReported';
/** Reason of an entry that was stored without one. */
export const NO_REASON_REPORTED = 'NoReasonReported';

/** The first entry of a type. */
export function getCondition<T extends { readonly type: string }>(conditions: readonly T[], type: string): T | null {
  return conditions.find((each) => each.type === type) ?? null;
}

/** Whether there is an entry of a type. */
export function hasCondition(conditions: readonly { readonly type: string }[], type: string): boolean {
  return getCondition(conditions, type) !== null;
}

/** True only for an entry with status True. */
export function isConditionTrue(conditions: readonly Condition[], type: string): boolean {
  return getCondition(conditions, type)?.status === 'True';
}

/** True only for an entry with status False. */
export function isConditionFalse(conditions: readonly Condition[], type: string): boolean {
  return getCondition(conditions, type)?.status === 'False';
}

/** True for an entry with status Unknown and for no entry at all. */
export function isConditionUnknown(conditions: readonly Condition[], type: string): boolean {
  return (getCondition(conditions, type)?.status ?? 'Unknown') === 'Unknown';
}

/** Reason of an entry; empty without one. */
export function getConditionReason(conditions: readonly Condition[], type: string): string {
  return getCondition(conditions, type)?.reason ?? '';
}

/** Message of an entry; empty without one. */
export function getConditionMessage(conditions: readonly Condition[], type: string): string {
  return getCondition(conditions, type)?.message ?? '';
}

/** Time of an entry's last change of status; null without one. */
export function getLastTransitionTime(conditions: readonly Condition[], type: string): string | null {
  return getCondition(conditions, type)?.lastTransitionTime ?? null;
}

/** Whether two entries say the same. The transition time is no part of it. */
export function hasSameState(one: Condition, other: Condition): boolean {
  return (
    one.type === other.type &&
    one.status === other.status &&
    one.reason === other.reason &&
    one.message === other.message &&
    (one.observedGeneration ?? 0) === (other.observedGeneration ?? 0)
  );
}

/** Whether two deprecated entries say the same; an absent field is an empty one. */
export function hasSameV1Beta1State(one: V1Beta1Condition, other: V1Beta1Condition): boolean {
  return (
    one.type === other.type &&
    one.status === other.status &&
    (one.severity ?? '') === (other.severity ?? '') &&
    (one.reason ?? '') === (other.reason ?? '') &&
    (one.message ?? '') === (other.message ?? '')
  );
}

/** An instant as conditions carry it: UTC, whole seconds, cut off and not rounded. */
export function conditionTime(atMs: number): string {
  return `${new Date(Math.floor(atMs / 1000) * 1000).toISOString().slice(0, 19)}Z`;
}
