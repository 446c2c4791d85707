// One condition type of many objects as one condition, such as `MachinesUpToDate`. Pure.
//
//   A1. At most three messages are shown, each with at most three names; what is left out is counted.
//   A2. Messages of control plane Machines come first, then issues, then unknowns, then what most objects say.
//   A3. Texts are compared byte by byte and never trimmed; names and kinds are ordered by code units.

import { NOT_YET_REPORTED, getCondition, type Condition } from './condition.js';
import {
  genericReasons,
  mergePriorities,
  mergeStatus,
  priorityByStatus,
  sortForMerge,
  splitByPriority,
  type MergedCondition,
  type MergePriority,
  type MergeStrategy,
  type Polarity,
  type Sourced,
} from './merge.js';
import { attachMessage } from './message.js';
import { compareText } from './order.js';

/** An object whose condition is aggregated. */
export interface AggregateSource {
  readonly kind: string;
  readonly name: string;
  readonly conditions: readonly Condition[];
  /** True for a Machine of the control plane: what it says goes first. */
  readonly isControlPlaneMachine?: boolean;
}

/** What is aggregated, and how. */
export interface AggregateOptions {
  /** The type that is read from every object. */
  readonly type: string;
  /** Type of the result; the same by default. */
  readonly target?: string;
  /** Types whose good status is False: only the source type itself makes sense here. */
  readonly negativeTypes?: readonly string[];
  readonly reasons?: MergeStrategy['reasons'];
  /** Replaces the priority by status. */
  readonly priority?: MergeStrategy['priority'];
  /** Polarity of the result; by default that of the source type. */
  readonly targetPolarity?: Polarity;
}

const MESSAGES_MAX = 3;
const NAMES_MAX = 3;

const trailers: Readonly<Record<MergePriority, string>> = {
  issue: 'with other issues',
  unknown: 'with status unknown',
  info: 'with additional info',
};

/** Aggregates one condition over objects. Throws for no objects and for options that contradict themselves. */
export function aggregate(sources: readonly AggregateSource[], options: AggregateOptions): MergedCondition {
  const { type, target = type, negativeTypes = [] } = options;
  if (sources.length === 0) throw new Error("sourceObjs can't be empty");
  if (negativeTypes.some((each) => each !== type)) {
    throw new Error(`negativePolarityConditionTypes can only be set to ["${type}"]`);
  }
  const strategy: MergeStrategy = {
    priority: options.priority ?? priorityByStatus(negativeTypes),
    target: options.targetPolarity ?? (negativeTypes.includes(type) ? 'negative' : 'positive'),
    reasons: options.reasons ?? genericReasons,
  };
  const scope = sources.map((source) => ({
    source,
    condition: getCondition(source.conditions, type) ?? missing(type),
  }));
  const groups = splitByPriority(sortForMerge(scope, [type]), strategy.priority);
  const isOnlyInfo = groups.issue.length === 0 && groups.unknown.length === 0;
  const pool = isOnlyInfo
    ? groups.info.filter(({ condition }) => condition.message !== '')
    : [...groups.issue, ...groups.unknown];
  return { type: target, ...mergeStatus(groups, strategy), message: messageOf(pool, strategy.priority) };
}

/** The text for an object that does not have the condition. */
export function missing(type: string): Condition {
  return { type, status: 'Unknown', reason: NOT_YET_REPORTED, message: `Condition ${type} not yet reported` };
}

/** One message of one kind with those who say it, in the order of the pool. */
interface Said {
  readonly message: string;
  readonly names: readonly string[];
}

/** What is known of a message over all kinds. */
interface Standing {
  priority: MergePriority;
  isOfControlPlane: boolean;
}

function messageOf(pool: readonly Sourced<AggregateSource>[], priorityOf: MergeStrategy['priority']): string {
  const standings = standingsOf(pool, priorityOf);
  const controlPlane = new Set(
    pool.flatMap(({ source }) => (source.isControlPlaneMachine === true ? [source.name] : [])),
  );
  const kinds = [...new Set(pool.map(({ source }) => source.kind))].toSorted(compareText);
  const lines: string[] = [];
  let left = MESSAGES_MAX;
  for (const kind of kinds) {
    const said = saidBy(pool, kind).toSorted((one, other) => compareSaid(one, other, standings));
    const shown = said.slice(0, left);
    left -= shown.length;
    lines.push(
      ...shown.map(({ message, names }) => attachMessage(headOf(kind, namesInOrder(names, controlPlane)), message)),
    );
    lines.push(...trailersOf(kind, said.slice(shown.length), standings));
  }
  return lines.join('\n');
}

function standingsOf(
  pool: readonly Sourced<AggregateSource>[],
  priorityOf: MergeStrategy['priority'],
): ReadonlyMap<string, Standing> {
  const standings = new Map<string, Standing>();
  for (const { condition, source } of pool) {
    const priority = priorityOf(condition);
    const standing = standings.get(condition.message) ?? { priority, isOfControlPlane: false };
    standings.set(condition.message, standing);
    if (rank(priority) < rank(standing.priority)) standing.priority = priority;
    standing.isOfControlPlane ||= source.isControlPlaneMachine === true;
  }
  return standings;
}

function saidBy(pool: readonly Sourced<AggregateSource>[], kind: string): readonly Said[] {
  const names = new Map<string, string[]>();
  for (const { condition, source } of pool) {
    if (source.kind !== kind) continue;
    const known = names.get(condition.message);
    if (known === undefined) names.set(condition.message, [source.name]);
    else known.push(source.name);
  }
  return [...names].map(([message, those]) => ({ message, names: those }));
}

function compareSaid(one: Said, other: Said, standings: ReadonlyMap<string, Standing>): number {
  const [a, b] = [standings.get(one.message), standings.get(other.message)];
  return (
    Number(b?.isOfControlPlane ?? false) - Number(a?.isOfControlPlane ?? false) ||
    rank(a?.priority ?? 'info') - rank(b?.priority ?? 'info') ||
    other.names.length - one.names.length ||
    compareText(one.names.join(','), other.names.join(','))
  );
}

function namesInOrder(names: readonly string[], controlPlane: ReadonlySet<string>): readonly string[] {
  return names.toSorted(
    (one, other) => Number(controlPlane.has(other)) - Number(controlPlane.has(one)) || compareText(one, other),
  );
}

function headOf(kind: string, names: readonly string[]): string {
  const more = names.length - NAMES_MAX;
  const shown = names.slice(0, NAMES_MAX).join(', ');
  if (names.length === 1) return `* ${kind} ${shown}:`;
  return more > 0 ? `* ${plural(kind)} ${shown}, ... (${more} more):` : `* ${plural(kind)} ${shown}:`;
}

function trailersOf(
  kind: string,
  hidden: readonly Said[],
  standings: ReadonlyMap<string, Standing>,
): readonly string[] {
  return mergePriorities.flatMap((priority) => {
    const count = hidden
      .filter(({ message }) => standings.get(message)?.priority === priority)
      .reduce((sum, { names }) => sum + names.length, 0);
    return count === 0 ? [] : [`And ${count} ${count === 1 ? kind : plural(kind)} ${trailers[priority]}`];
  });
}

function rank(priority: MergePriority): number {
  return mergePriorities.indexOf(priority);
}

/** Kinds that are aggregated here take an `s`. */
function plural(kind: string): string {
  return `${kind}s`;
}
