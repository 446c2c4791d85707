// Which Pods are evicted now, which later, and which are waited for. Pure.
//
// The lowest order goes first, and Pods that are waited for have order 0; a Pod that is on its way out counts for its order
// until it is gone.

import { keyOf, type StoredPod } from '../objects.js';
import type { PodAnswer } from './classify-pod.js';

/** A Pod with what is to be done with it. */
export interface ClassifiedPod {
  readonly pod: StoredPod;
  readonly answer: PodAnswer;
}

/** Pods in the groups of one pass, each sorted by name. */
export interface PodGroups {
  readonly evictNow: readonly StoredPod[];
  readonly evictLater: readonly StoredPod[];
  readonly waitNow: readonly StoredPod[];
  readonly waitLater: readonly StoredPod[];
  readonly terminating: readonly StoredPod[];
}

/** Sorts Pods into groups. Skipped Pods are in none. */
export function groupPods(classified: readonly ClassifiedPod[]): PodGroups {
  const sorted = classified.toSorted((one, other) => (keyOf(one.pod) < keyOf(other.pod) ? -1 : 1));
  const orders = sorted.flatMap(({ answer }) => orderOf(answer) ?? []);
  const current = Math.min(...orders);
  const groups = { evictNow: [], evictLater: [], waitNow: [], waitLater: [], terminating: [] } as Record<
    keyof PodGroups,
    StoredPod[]
  >;
  for (const { pod, answer } of sorted) {
    const isCurrent = orderOf(answer) === current;
    if (answer.kind === 'waitCompleted') groups[isCurrent ? 'waitNow' : 'waitLater'].push(pod);
    if (answer.kind !== 'drain') continue;
    if (pod.metadata.deletionTimestamp !== undefined) groups.terminating.push(pod);
    else groups[isCurrent ? 'evictNow' : 'evictLater'].push(pod);
  }
  return groups;
}

function orderOf(answer: PodAnswer): number | null {
  if (answer.kind === 'drain') return answer.order;
  return answer.kind === 'waitCompleted' ? 0 : null;
}

/** The error of a drain whose Pods cannot be classified, one part for each distinct cause; null when all can. */
export function classifyProblem(classified: readonly ClassifiedPod[]): string | null {
  const causes = new Map<string, string[]>();
  for (const { pod, answer } of classified) {
    if (answer.kind === 'error') causes.set(answer.message, [...(causes.get(answer.message) ?? []), keyOf(pod)]);
  }
  if (causes.size === 0) return null;
  const parts = [...causes].map(([message, pods]) => `Pods with error "${message}": ${pods.toSorted().join(', ')}`);
  return `failed to get Pods for eviction: ${parts.length === 1 ? (parts[0] ?? '') : `[${parts.toSorted().join(', ')}]`}`;
}
