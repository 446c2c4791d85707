// Which MachineDrainRules count for a Machine, in which order, and which of them is for a Pod. Pure.
//
// Rules are of the Machine's namespace. All of them must have selectors that can be read, also those that are for others.
// There is no time limit in a rule: the only one is the Machine's.

import type { StringMap } from '../../../api/core.js';
import { selectorProblem, selects } from './selectors.js';
import type { StoredCluster, StoredDrainRule, StoredMachine } from '../objects.js';

/** The rules of a Machine by name, or why a drain cannot start. */
export type MatchingRules =
  | { readonly kind: 'rules'; readonly rules: readonly StoredDrainRule[] }
  | { readonly kind: 'invalid'; readonly rule: StoredDrainRule; readonly problem: string };

/** The rules that are for a Machine, in the order in which they are asked. */
export function matchingRules(
  rules: readonly StoredDrainRule[],
  machine: StoredMachine,
  cluster: StoredCluster,
): MatchingRules {
  for (const rule of rules) {
    const { machines = [], pods = [] } = rule.spec;
    const selectors = [
      ...machines.flatMap(({ selector, clusterSelector }) => [selector, clusterSelector]),
      ...pods.flatMap(({ selector, namespaceSelector }) => [selector, namespaceSelector]),
    ];
    const problem = selectors.map(selectorProblem).find((each) => each !== null) ?? null;
    if (problem !== null) {
      const what = `invalid selectors in MachineDrainRule ${rule.metadata.name}: ${problem}`;
      return { kind: 'invalid', rule, problem: `failed to get matching MachineDrainRules: ${what}` };
    }
  }
  return {
    kind: 'rules',
    rules: rules
      .filter(({ spec }) =>
        isFor(
          spec.machines,
          (entry) =>
            selects(entry.selector, machine.metadata.labels) && selects(entry.clusterSelector, cluster.metadata.labels),
        ),
      )
      .toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1)),
  };
}

/** The first rule that is for a Pod; undefined when none is. */
export function ruleForPod(
  rules: readonly StoredDrainRule[],
  labels: { readonly pod: StringMap | undefined; readonly namespace: StringMap | undefined },
): StoredDrainRule | undefined {
  return rules.find(({ spec }) =>
    isFor(
      spec.pods,
      (entry) => selects(entry.selector, labels.pod) && selects(entry.namespaceSelector, labels.namespace),
    ),
  );
}

/** An absent or empty list is for all; otherwise one entry must fit. */
function isFor<T>(entries: readonly T[] | undefined, fits: (entry: T) => boolean): boolean {
  return entries === undefined || entries.length === 0 || entries.some(fits);
}
