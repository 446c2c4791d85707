// What several conditions amount to: status and reason of a summary or an aggregate.
//
// Issues win over unknowns, unknowns over infos. A reason says only which of them are present: reasons of the sources are
// never passed on, not even when they are all equal.

import type { Condition, ConditionStatus } from './condition.js';

/** How much a condition matters to a merge. */
export type MergePriority = 'issue' | 'unknown' | 'info';

/** Priorities, the most important first. */
export const mergePriorities: readonly MergePriority[] = ['issue', 'unknown', 'info'];

/** Which status is the good one. */
export type Polarity = 'positive' | 'negative';

/** How conditions are merged. */
export interface MergeStrategy {
  readonly priority: (condition: Condition) => MergePriority;
  /** Polarity of the result. */
  readonly target: Polarity;
  /** Reason of the result by the most important group that is present. */
  readonly reasons: Readonly<Record<MergePriority, string>>;
}

/** A merged condition, before an object's generation and a time are added. */
export interface MergedCondition {
  readonly type: string;
  readonly status: ConditionStatus;
  readonly reason: string;
  readonly message: string;
}

/** A condition with whatever its caller wants to know about its origin. */
export interface Sourced<Source> {
  readonly condition: Condition;
  readonly source: Source;
}

/** Reasons where nothing better is asked for. */
export const genericReasons: MergeStrategy['reasons'] = Object.freeze({
  issue: 'IssuesReported',
  unknown: 'UnknownReported',
  info: 'InfoReported',
});

/** Priority by status, given the types whose good status is False. Every odd status counts as unknown. */
export function priorityByStatus(negativeTypes: readonly string[]): MergeStrategy['priority'] {
  return ({ type, status }) => {
    const isNegative = negativeTypes.includes(type);
    if (status === 'True') return isNegative ? 'issue' : 'info';
    if (status === 'False') return isNegative ? 'info' : 'issue';
    return 'unknown';
  };
}

/** Conditions by the order of their types (an unlisted one counts as first), then the oldest transition first; stable. */
export function sortForMerge<Source>(
  conditions: readonly Sourced<Source>[],
  types: readonly string[],
): readonly Sourced<Source>[] {
  const position = ({ condition }: Sourced<Source>): number => Math.max(0, types.indexOf(condition.type));
  return conditions.toSorted(
    (one, other) => position(one) - position(other) || timeOf(one.condition) - timeOf(other.condition),
  );
}

/** Conditions in their groups, each in the given order. */
export function splitByPriority<Source>(
  conditions: readonly Sourced<Source>[],
  priority: MergeStrategy['priority'],
): Readonly<Record<MergePriority, readonly Sourced<Source>[]>> {
  const of = (wanted: MergePriority): readonly Sourced<Source>[] =>
    conditions.filter(({ condition }) => priority(condition) === wanted);
  return { issue: of('issue'), unknown: of('unknown'), info: of('info') };
}

/** Status and reason of a merge. Throws for nothing: a caller that may have nothing must decide what that means. */
export function mergeStatus(
  groups: Readonly<Record<MergePriority, readonly unknown[]>>,
  { target, reasons }: MergeStrategy,
): Pick<MergedCondition, 'status' | 'reason'> {
  const top = mergePriorities.find((priority) => groups[priority].length > 0);
  if (top === undefined) throw new Error("can't merge an empty list of conditions");
  const good = target === 'positive' ? 'True' : 'False';
  const bad = target === 'positive' ? 'False' : 'True';
  return { status: top === 'unknown' ? 'Unknown' : top === 'issue' ? bad : good, reason: reasons[top] };
}

function timeOf({ lastTransitionTime }: Condition): number {
  const atMs = Date.parse(lastTransitionTime ?? '');
  return Number.isNaN(atMs) ? Number.NEGATIVE_INFINITY : atMs;
}
