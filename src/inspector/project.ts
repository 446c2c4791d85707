// Which facts may be shown, by machine: an allow-list. A fact that is not named by its machine never leaves the process.

import { shownFacts as clusterInitializedFacts } from '../../machines/cluster-initialized/facts.js';
import { shownFacts as kubeadmConfigFacts } from '../../machines/kubeadmconfig/facts.js';
import { shownFacts as machineFacts } from '../../machines/machine/table.js';
import { shownFacts as machinesUpToDateFacts } from '../../machines/machines-up-to-date/facts.js';
import { scrub, scrubDeep } from './scrub.js';

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

/** Whose actor it is: words for the list, the filter and the lanes. Empty where a machine has none. */
export interface Identity {
  readonly cluster: string;
  readonly role: string;
  /** Name of the object that owns it, or its own. */
  readonly ownerName: string;
  /** Kind of the object. */
  readonly kind: string;
}

/** Reads the identity from a machine's facts: names of objects only, scrubbed like everything else. */
export function identityOf(machine: string, facts: Readonly<Record<string, unknown>>): Identity {
  const words = IDENTITIES[machine]?.(facts) ?? { cluster: '', role: '', ownerName: '', kind: '' };
  return { ...words, cluster: scrub(words.cluster), ownerName: scrub(words.ownerName) };
}

type Facts = Readonly<Record<string, unknown>>;

const IDENTITIES: Readonly<Record<string, (facts: Facts) => Identity>> = {
  kubeadmconfig: (facts) => ({
    cluster: text(facts, 'names', 'cluster'),
    role: facts['owner'] === 'MachinePool' ? 'pool' : roleOf(facts['isControlPlaneMachine']),
    ownerName: text(facts, 'names', 'owner'),
    kind: 'KubeadmConfig',
  }),
  machine: (facts) => ({
    cluster: text(facts, 'machine', 'clusterName'),
    role: roleOf(part(facts, 'machine')['isControlPlane']),
    ownerName: text(facts, 'machine', 'name'),
    kind: 'Machine',
  }),
  'cluster-initialized': (facts) => ({
    cluster: text(facts, 'names', 'cluster'),
    role: 'cluster',
    ownerName: text(facts, 'names', 'cluster'),
    kind: 'Cluster',
  }),
  'machines-up-to-date': (facts) => ({
    cluster: text(facts, 'names', 'cluster'),
    role: 'control-plane',
    ownerName: text(facts, 'names', 'controlPlane'),
    kind: 'KubeadmControlPlane',
  }),
};

function roleOf(isControlPlane: unknown): string {
  return typeof isControlPlane !== 'boolean' ? '' : isControlPlane ? 'control-plane' : 'worker';
}

function part(facts: Facts, name: string): Facts {
  const value = facts[name];
  return typeof value === 'object' && value !== null ? (value as Facts) : {};
}

function text(facts: Facts, name: string, inner: string): string {
  const value = part(facts, name)[inner];
  return typeof value === 'string' ? value : '';
}
