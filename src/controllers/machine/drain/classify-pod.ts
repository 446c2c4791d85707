// What is to be done with one Pod of a Node that is drained: a chain of questions, the last answer counts. Pure.
//
//   D1. Skip and WaitCompleted end the chain, and so does an error.
//   D2. The Pod's own label outweighs every rule; static, DaemonSet and long terminating Pods are asked about neither.

import type { StringMap } from '../../../api/core.js';
import { annotation, label } from '../../../api/names.js';
import { controllerOf, type StoredDrainRule, type StoredPod } from '../objects.js';
import { ruleForPod } from './drain-rules.js';

/** What is to be done with a Pod. */
export type PodAnswer =
  | { readonly kind: 'drain'; readonly order: number; readonly warnings: readonly string[] }
  | { readonly kind: 'waitCompleted' }
  | { readonly kind: 'skip'; readonly why: string }
  | { readonly kind: 'error'; readonly message: string };

/** Whether a DaemonSet exists, or why that is not known. */
export type DaemonSetAnswer = 'exists' | 'missing' | { readonly problem: string };

/** What the questions need to know beside the Pod. */
export interface ClassifyContext {
  readonly nowMs: number;
  /** Pods that have been terminating for longer are skipped; null for no such limit (the Node is reachable). */
  readonly terminatingMaxMs: number | null;
  readonly daemonSet: (namespace: string, name: string) => DaemonSetAnswer;
  readonly rules: readonly StoredDrainRule[];
  /** Labels of a namespace; null when there is no such namespace. */
  readonly namespaceLabels: (namespace: string) => StringMap | null;
}

type Question = (pod: StoredPod, context: ClassifyContext) => PodAnswer | null;

const drain = (...warnings: readonly string[]): PodAnswer => ({ kind: 'drain', order: 0, warnings });
const skip = (why: string): PodAnswer => ({ kind: 'skip', why });

/** Asks all questions about a Pod. */
export function classifyPod(pod: StoredPod, context: ClassifyContext): PodAnswer {
  const warnings: string[] = [];
  let order = 0;
  for (const ask of questions) {
    const answer = ask(pod, context);
    if (answer === null) continue;
    if (answer.kind !== 'drain') return answer;
    order = answer.order;
    warnings.push(...answer.warnings);
  }
  return { kind: 'drain', order, warnings };
}

const isFinished = ({ status }: StoredPod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

const age: Question = ({ metadata }, { nowMs, terminatingMaxMs }) => {
  if (terminatingMaxMs === null || metadata.deletionTimestamp === undefined) return null;
  const seconds = Math.floor((nowMs - Date.parse(metadata.deletionTimestamp)) / 1000);
  return seconds * 1000 > terminatingMaxMs
    ? skip(`Pod deletionTimestamp is more than ${terminatingMaxMs / 1000}s ago`)
    : null;
};

/** PARITY: a DaemonSet that cannot be read is an error; upstream goes on asking and evicts the Pod. */
const daemonSet: Question = (pod, context) => {
  const controller = controllerOf(pod);
  if (controller?.kind !== 'DaemonSet' || isFinished(pod)) return null;
  const answer = context.daemonSet(pod.metadata.namespace ?? '', controller.name);
  if (answer === 'exists') return skip('ignoring DaemonSet-managed Pod');
  if (answer === 'missing') return drain('evicting orphaned DaemonSet-managed Pod');
  return { kind: 'error', message: answer.problem };
};

const mirror: Question = ({ metadata }) =>
  metadata.annotations?.[annotation.mirrorPod] === undefined ? null : skip('it is a static Pod');

const localStorage: Question = (pod) =>
  !isFinished(pod) && pod.spec?.volumes?.some(({ emptyDir }) => emptyDir !== undefined) === true
    ? drain('evicting Pod with local storage')
    : null;

const noController: Question = (pod) =>
  !isFinished(pod) && controllerOf(pod) === undefined ? drain('evicting Pod that has no controller') : null;

const ownLabel: Question = ({ metadata }) => {
  const value = metadata.labels?.[label.drain];
  if (value === undefined) return null;
  if (value.toLowerCase() === 'skip') return skip(`Pod has ${label.drain} label with ${value} value`);
  return value.replace('-', '').toLowerCase() === 'waitcompleted' ? { kind: 'waitCompleted' } : null;
};

const rules: Question = ({ metadata }, context) => {
  const namespace = context.namespaceLabels(metadata.namespace ?? '');
  if (namespace === null) return { kind: 'error', message: 'Pod Namespace does not exist' };
  const rule = ruleForPod(context.rules, { pod: metadata.labels, namespace });
  if (rule === undefined) return drain();
  const { behavior, order = 0 } = rule.spec.drain;
  const name = rule.metadata.name;
  switch (behavior) {
    case 'Drain':
      return { kind: 'drain', order, warnings: [] };
    case 'Skip':
      return skip(`MachineDrainRule ${name} with behavior ${behavior} applies to the Pod`);
    case 'WaitCompleted':
      return { kind: 'waitCompleted' };
    default:
      return {
        kind: 'error',
        message: `MachineDrainRule "${name}" has unknown spec.drain.behavior: "${String(behavior)}"`,
      };
  }
};

const questions: readonly Question[] = [age, daemonSet, mirror, localStorage, noController, ownLabel, rules];
