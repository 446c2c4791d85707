// The summary of several conditions of one object, such as `Ready`. Pure.
//
// One line per condition in the order of the given types; infos only when nothing else is to be said. No grouping, no limit.

import { NOT_YET_REPORTED, getCondition, type Condition } from './condition.js';
import {
  genericReasons,
  mergeStatus,
  priorityByStatus,
  sortForMerge,
  splitByPriority,
  type MergedCondition,
  type MergeStrategy,
  type Sourced,
} from './merge.js';
import { attachMessage } from './message.js';

/** What is summarised, and how. */
export interface SummaryOptions {
  /** The types that count, in order. */
  readonly types: readonly string[];
  /** Type of the result; `Ready` by default. */
  readonly target?: string;
  /** Types whose good status is False. */
  readonly negativeTypes?: readonly string[];
  /** Types that are left out where the object has no such condition; others count as not yet reported. */
  readonly ignoredIfMissing?: readonly string[];
  /** Entries that replace the object's own for this summary. */
  readonly overrides?: readonly Condition[];
  /** Reasons of the result; the generic ones by default. */
  readonly reasons?: MergeStrategy['reasons'];
  /** Replaces the priority by status. */
  readonly priority?: MergeStrategy['priority'];
  /** Changes the lines before they are joined. */
  readonly transform?: (lines: readonly string[]) => readonly string[];
}

/** Summarises an object's conditions. Throws for options that contradict themselves: that is a bug of the caller. */
export function summarize(conditions: readonly Condition[], options: SummaryOptions): MergedCondition {
  const target = options.target ?? 'Ready';
  const strategy: MergeStrategy = {
    priority: options.priority ?? priorityByStatus(options.negativeTypes ?? []),
    target: 'positive',
    reasons: options.reasons ?? genericReasons,
  };
  const scope = sortForMerge(inScope(conditions, options, target), options.types);
  if (scope.length === 0)
    throw new Error("summary can't be performed when the list of conditions to be summarized is empty");
  const { status, reason } = mergeStatus(splitByPriority(scope, strategy.priority), strategy);
  const lines = scope.flatMap(({ condition }) => {
    const isInfo = strategy.priority(condition) === 'info';
    if (isInfo && (status !== 'True' || condition.message === '')) return [];
    return [attachMessage(`* ${condition.type}:`, condition.message === '' ? condition.reason : condition.message)];
  });
  return { type: target, status, reason, message: (options.transform?.(lines) ?? lines).join('\n') };
}

function inScope(
  conditions: readonly Condition[],
  { types, overrides = [], ignoredIfMissing = [] }: SummaryOptions,
  target: string,
): readonly Sourced<null>[] {
  if (types.length === 0) throw new Error('option ForConditionTypes not provided or empty');
  if (types.includes(target)) {
    throw new Error(`option ForConditionTypes cannot include ${target} (target condition type)`);
  }
  const replaced = new Map<string, Condition>();
  for (const override of overrides) {
    if (replaced.has(override.type)) throw new Error(`override condition ${override.type} specified multiple times`);
    if (getCondition(conditions, override.type) === null) {
      throw new Error(`override condition ${override.type} must exist in source object`);
    }
    replaced.set(override.type, override);
  }
  return types.flatMap((type) => {
    const condition = replaced.get(type) ?? getCondition(conditions, type);
    if (condition !== null) return [{ condition, source: null }];
    return ignoredIfMissing.includes(type) ? [] : [{ condition: notYetReported(type), source: null }];
  });
}

function notYetReported(type: string): Condition {
  return { type, status: 'Unknown', reason: NOT_YET_REPORTED, message: 'Condition not yet reported' };
}
