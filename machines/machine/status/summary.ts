// What a Machine amounts to: `Ready`, `Available`, `UpToDate`, `Updating`, and the deprecated `Ready`.
//
// `Ready` is the summary of the others by one rule; `Available` is `Ready` that has lasted.

import { getCondition, type Condition, type V1Beta1Condition } from '../../../src/conditions/condition.js';
import { priorityByStatus, type MergeStrategy } from '../../../src/conditions/merge.js';
import { summarize } from '../../../src/conditions/summary.js';
import { summarizeV1Beta1 } from '../../../src/conditions/v1beta1-summary.js';
import type { MachineFacts } from '../facts.js';
import { isDeleting } from '../guards.js';
import { budgetSentence, completionText, terminatingText } from '../messages.js';
import { condition, oldCondition, reason, text } from '../names.js';

/** A deletion that takes longer is told of in `Ready`. */
export const staleDeletionMs = 15 * 60_000;
const slowDrainMs = 5 * 60_000;

/** `Ready`, from the other conditions as they are now. */
export function ready(facts: MachineFacts, conditions: readonly Condition[]): Condition {
  const gates = facts.machine.readinessGates.map(({ type }) => type);
  const negativeTypes = [
    condition.deleting,
    condition.updating,
    ...facts.machine.readinessGates.filter(({ isNegative }) => isNegative).map(({ type }) => type),
  ];
  const types = [
    condition.deleting,
    condition.updating,
    condition.bootstrapConfigReady,
    condition.infrastructureReady,
    condition.nodeHealthy,
    condition.healthCheckSucceeded,
    ...gates,
  ];
  const deleting = getCondition(conditions, condition.deleting);
  const isGoing = isDeleting(facts) && deleting !== null;
  try {
    return summarize(conditions, {
      types,
      negativeTypes,
      ignoredIfMissing: [condition.healthCheckSucceeded],
      overrides: isGoing ? [deletionSummary(facts, deleting)] : [],
      reasons: { issue: reason.notReady, unknown: reason.readyUnknown, info: reason.ready },
      priority: isGoing ? priorityWhileDeleting(negativeTypes) : priorityByStatus(negativeTypes),
      transform: withOneControlPlaneLine,
    });
  } catch {
    return { type: condition.ready, status: 'Unknown', reason: reason.internalError, message: text.checkLogs };
  }
}

/** While the Machine goes, what is gone is no issue. */
function priorityWhileDeleting(negativeTypes: readonly string[]): MergeStrategy['priority'] {
  const usual = priorityByStatus(negativeTypes);
  const objects: readonly string[] = [condition.bootstrapConfigReady, condition.infrastructureReady];
  const gone: readonly string[] = [reason.objectDeleted, reason.objectDoesNotExist];
  const nodeGone: readonly string[] = [reason.nodeDeleted, reason.nodeDoesNotExist];
  return (each) => {
    const isGone =
      (objects.includes(each.type) && gone.includes(each.reason)) ||
      (each.type === condition.nodeHealthy && nodeGone.includes(each.reason));
    return isGone ? 'info' : usual(each);
  };
}

/** What the summary says about the deletion, which can be much less than the condition itself says. */
function deletionSummary({ machine, status, nowMs }: MachineFacts, deleting: Condition): Condition {
  const isStale = nowMs - (machine.deletingSinceMs ?? nowMs) > staleDeletionMs;
  const drainStartMs = Date.parse(status.deletion?.nodeDrainStartTime ?? '');
  const isSlowDrain = isStale && deleting.reason === reason.drainingNode && nowMs - drainStartMs > slowDrainMs;
  const causes = isSlowDrain ? drainCauses(deleting.message) : [];
  const since = isStale ? ' since more than 15m' : '';
  const why = causes.length === 0 ? '' : `, delay likely due to ${causes.join(', ')}`;
  return {
    ...deleting,
    status: 'True',
    reason: reason.deleting,
    message: `Machine deletion in progress${since}, stage: ${deleting.reason}${why}`,
  };
}

function drainCauses(message: string): readonly string[] {
  const known: readonly (readonly [string, string])[] = [
    ['PodDisruptionBudgets', budgetSentence],
    ['Pods not terminating', terminatingText],
    ['Pod eviction errors', 'failed to evict Pod'],
    ['Pods not completed yet', completionText],
  ];
  return known.filter(([, words]) => message.includes(words)).map(([name]) => name);
}

const componentLine = /^\* (?:(?:APIServer|ControllerManager|Scheduler)[^:]*|EtcdPodHealthy):/;

/** Several control plane components with the same story make one line. */
function withOneControlPlaneLine(lines: readonly string[]): readonly string[] {
  const stories = lines.filter((line) => componentLine.test(line)).map((line) => line.replace(componentLine, ''));
  if (stories.length < 2 || stories.some((story) => story !== stories[0])) return lines;
  const first = lines.findIndex((line) => componentLine.test(line));
  return lines.flatMap((line, index) => {
    if (!componentLine.test(line)) return [line];
    return index === first ? [`* Control plane components:${stories[0] ?? ''}`] : [];
  });
}

/** `Available`, and after how many milliseconds it has to be looked at again; null for never. */
export function available(
  facts: MachineFacts,
  conditions: readonly Condition[],
): { readonly condition: Condition; readonly againInMs: number | null } {
  const state = (status: string, why: string, message = ''): Condition => ({
    type: condition.available,
    status,
    reason: why,
    message,
  });
  const is = getCondition(conditions, condition.ready);
  if (is === null) return { condition: state('Unknown', reason.internalError, text.checkLogs), againInMs: null };
  if (is.status !== 'True') return { condition: state('False', reason.notReady), againInMs: null };
  const sinceMs = Date.parse(is.lastTransitionTime ?? '');
  const leftMs = sinceMs + facts.machine.minReadySeconds * 1000 - facts.nowMs;
  if (!(leftMs > 0)) return { condition: state('True', reason.available), againInMs: null };
  return { condition: state('False', reason.waitingForMinReadySeconds), againInMs: leftMs };
}

/** `Updating`. */
export function updating({ machine }: MachineFacts): Condition {
  return machine.isUpdating
    ? { type: condition.updating, status: 'True', reason: reason.inPlaceUpdating, message: text.inPlaceUpdating }
    : { type: condition.updating, status: 'False', reason: reason.notUpdating, message: '' };
}

/** `UpToDate`; null leaves it to whoever else owns it. */
export function upToDate(facts: MachineFacts): Condition | null {
  const { templateDifferences, machine, status, node, keepsHookTimes } = facts;
  if (templateDifferences === null) return null;
  const type = condition.upToDate;
  if (templateDifferences.length > 0) {
    const message = templateDifferences.map((line) => `* ${line}`).join('\n');
    return { type, status: 'False', reason: reason.notUpToDate, message };
  }
  if (machine.isUpdating) {
    return { type, status: 'False', reason: reason.updating, message: `* ${text.inPlaceUpdating}` };
  }
  const nodeInfo = node.kind === 'found' ? node.nodeInfo : status.nodeInfo;
  const kubelet = nodeInfo?.['kubeletVersion'];
  // Controllers of older releases know no such rule: beside them a kubelet of a vendor's build would never be up to date.
  const isJudged = keepsHookTimes && machine.version !== '';
  if (isJudged && typeof kubelet === 'string' && kubelet !== '' && kubelet !== machine.version) {
    const message = `* Node.status.nodeInfo.kubeletVersion ${kubelet}, ${machine.version} required`;
    return { type, status: 'False', reason: reason.updating, message };
  }
  return { type, status: 'True', reason: reason.upToDate, message: '' };
}

/** The deprecated `Ready`; null when there is nothing to summarise. */
export function oldReady(facts: MachineFacts, conditions: readonly V1Beta1Condition[]): V1Beta1Condition | null {
  const steps = [oldCondition.bootstrapReady, oldCondition.infrastructureReady];
  const types = [
    oldCondition.infrastructureReady,
    oldCondition.bootstrapReady,
    oldCondition.healthCheckSucceeded,
    oldCondition.ownerRemediated,
    oldCondition.draining,
  ];
  const present = conditions.map(({ type }) => type).filter((type) => (types as readonly string[]).includes(type));
  const isCounted =
    !isDeleting(facts) &&
    facts.machine.providerId === '' &&
    present.every((type) => (steps as readonly string[]).includes(type));
  return summarizeV1Beta1(conditions, types, isCounted ? { steps: 2 } : {});
}
