// Which facts may be shown, by machine: an allow-list. A fact that is not named by its machine never leaves the process.

import { shownFacts as clusterInitializedFacts } from '../../machines/cluster-initialized/facts.js';
import { shownFacts as kubeadmConfigFacts } from '../../machines/kubeadmconfig/facts.js';
import { shownFacts as machineFacts } from '../../machines/machine/table.js';
import { shownFacts as machinesUpToDateFacts } from '../../machines/machines-up-to-date/facts.js';
import { scrubDeep } from './scrub.js';

/** Names of facts that the page, the protocols and `explain` show: each machine lists its own beside its facts. */
export const SHOWN_FACTS: Readonly<Record<string, readonly string[]>> = {
  kubeadmconfig: kubeadmConfigFacts,
  machine: machineFacts,
  'cluster-initialized': clusterInitializedFacts,
  'machines-up-to-date': machinesUpToDateFacts,
};

/** The allowed facts of a machine, scrubbed. A machine that is not listed shows nothing. */
export function projectFacts(
  machine: string,
  facts: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const names = SHOWN_FACTS[machine] ?? [];
  return Object.fromEntries(
    names.filter((name) => facts[name] !== undefined).map((name) => [name, scrubDeep(facts[name])]),
  );
}

/** Cluster and role of an actor, for the list and the lanes: from allowed facts only, empty where a machine has none. */
export function identityOf(facts: Readonly<Record<string, unknown>>): {
  readonly cluster: string;
  readonly role: string;
} {
  const names = facts['names'];
  const named =
    typeof names === 'object' && names !== null ? (names as Readonly<Record<string, unknown>>)['cluster'] : undefined;
  const cluster = typeof named === 'string' ? named : typeof facts['cluster'] === 'string' ? facts['cluster'] : '';
  if (facts['owner'] === 'MachinePool') return { cluster, role: 'pool' };
  if (typeof facts['isControlPlaneMachine'] !== 'boolean') return { cluster, role: '' };
  return { cluster, role: facts['isControlPlaneMachine'] ? 'control-plane' : 'worker' };
}
