// Bringing our changes of conditions into a list that others may have changed meanwhile. Pure.
//
//   W1. Types that we own are ours: whatever others wrote is overwritten.
//   W2. Other types: the same change made by somebody else is kept, a different one is a conflict.
//   W3. No change of ours: the newest list comes back as it is, neither rewritten nor sorted.

import { getCondition, hasSameState, hasSameV1Beta1State, type Condition, type V1Beta1Condition } from './condition.js';
import { removeCondition, setCondition, setV1Beta1Condition, type SetAt } from './set.js';
import { sortConditions } from './order.js';

/** The three lists: as we read it, as we left it, as it is now. */
export interface ThreeLists<T> {
  readonly before: readonly T[];
  readonly after: readonly T[];
  readonly latest: readonly T[];
}

/** Whose types they are, and when it is done. */
export interface MergeOptions extends SetAt {
  /** Types that we own; `all` overwrites everything that we changed. */
  readonly owned: readonly string[] | 'all';
}

/** The merged list, or the type that two writers disagree about. */
export type MergeOutcome<T> =
  | { readonly kind: 'merged'; readonly conditions: readonly T[] }
  | { readonly kind: 'conflict'; readonly type: string; readonly message: string };

type Operation<T> =
  | { readonly kind: 'Add' | 'Remove'; readonly type: string; readonly ours: T }
  | { readonly kind: 'Change'; readonly type: string; readonly was: T; readonly ours: T };

interface Flavour<T> {
  readonly isSame: (one: T, other: T) => boolean;
  readonly set: (conditions: readonly T[], next: T) => readonly T[];
}

/** Merges our changes of v1beta2 conditions into the newest list. */
export function mergeConditions(lists: ThreeLists<Condition>, options: MergeOptions): MergeOutcome<Condition> {
  const set = (conditions: readonly Condition[], next: Condition): readonly Condition[] =>
    setCondition(conditions, next, { nowMs: options.nowMs, generation: options.generation ?? next.observedGeneration });
  const outcome = merge(lists, options.owned, { isSame: hasSameState, set });
  if (outcome.kind === 'conflict' || outcome.conditions === lists.latest) return outcome;
  return { kind: 'merged', conditions: sortConditions(outcome.conditions) };
}

/** Merges our changes of deprecated conditions into the newest list. */
export function mergeV1Beta1Conditions(
  lists: ThreeLists<V1Beta1Condition>,
  options: MergeOptions,
): MergeOutcome<V1Beta1Condition> {
  const set = (conditions: readonly V1Beta1Condition[], next: V1Beta1Condition): readonly V1Beta1Condition[] =>
    setV1Beta1Condition(conditions, next, options);
  return merge(lists, options.owned, { isSame: hasSameV1Beta1State, set });
}

function merge<T extends { readonly type: string }>(
  lists: ThreeLists<T>,
  owned: MergeOptions['owned'],
  flavour: Flavour<T>,
): MergeOutcome<T> {
  let conditions = lists.latest;
  for (const operation of operations(lists, flavour)) {
    const isOwned = owned === 'all' || owned.includes(operation.type);
    const problem = isOwned ? null : disagreement(operation, getCondition(lists.latest, operation.type), flavour);
    if (problem !== null) return { kind: 'conflict', type: operation.type, message: problem };
    conditions =
      operation.kind === 'Remove'
        ? removeCondition(conditions, operation.type)
        : flavour.set(conditions, operation.ours);
  }
  return { kind: 'merged', conditions };
}

/** What we did to the list. */
function operations<T extends { readonly type: string }>(
  { before, after }: Pick<ThreeLists<T>, 'before' | 'after'>,
  { isSame }: Flavour<T>,
): readonly Operation<T>[] {
  const made = after.flatMap((ours): Operation<T>[] => {
    const was = getCondition(before, ours.type);
    if (was === null) return [{ kind: 'Add', type: ours.type, ours }];
    return isSame(was, ours) ? [] : [{ kind: 'Change', type: ours.type, was, ours }];
  });
  const removed = before.flatMap((ours): Operation<T>[] =>
    getCondition(after, ours.type) === null ? [{ kind: 'Remove', type: ours.type, ours }] : [],
  );
  return [...made, ...removed];
}

/** Why an operation on a type that is not ours cannot be done; null when it can. */
function disagreement<T>(operation: Operation<T>, latest: T | null, { isSame }: Flavour<T>): string | null {
  const { kind, type, ours } = operation;
  const name = `error patching conditions: The condition "${type}" was`;
  const conflict = `by a different process and this caused a merge/${kind}Condition conflict`;
  if (kind !== 'Change') return latest === null || isSame(latest, ours) ? null : `${name} modified ${conflict}`;
  if (latest === null) return `${name} deleted ${conflict}`;
  return isSame(latest, operation.was) || isSame(latest, ours) ? null : `${name} modified ${conflict}`;
}
