// The taints that a Machine takes off its Node, puts there, or keeps there. Pure. Taints are the same by key and effect.

import type { Node } from '../../../api/core.js';
import { annotation, taintKey } from '../../../api/names.js';
import type { StoredMachine, StoredNode } from '../objects.js';
import type { Owners } from '../view.js';

/** A taint of a Node. */
export type NodeTaint = NonNullable<NonNullable<Node['spec']>['taints']>[number];

/** What the taints should be, or why that cannot be said. */
export type DesiredTaints =
  | {
      readonly taints: readonly NodeTaint[];
      readonly differs: boolean;
      /** What `taints-from-machine` must say; null leaves it. */
      readonly tracked: string | null;
    }
  | { readonly problem: string };

interface TaintSource {
  readonly machine: StoredMachine;
  readonly owners: Owners;
  readonly propagateTaints: boolean;
}

const outdated: NodeTaint = { key: taintKey.outdatedRevision, effect: 'PreferNoSchedule' };

/** The taints of a Node as its Machine wants them. */
export function desiredTaints(node: StoredNode, source: TaintSource): DesiredTaints {
  const before = node.spec?.taints ?? [];
  let taints = before.filter((taint) => !isSame(taint, { key: taintKey.uninitialized, effect: 'NoSchedule' }));
  let tracked: string | null = null;
  if (source.propagateTaints) {
    const propagated = propagate(node, taints, source.machine);
    if ('problem' in propagated) {
      return { problem: `failed to propagate Machine taints to Node ${node.metadata.name}: ${propagated.problem}` };
    }
    taints = propagated.taints;
    tracked = propagated.tracked;
  }
  const isOutdated = outdatedRevision(source.owners);
  if (typeof isOutdated !== 'boolean') {
    return { problem: `failed to check if Node ${node.metadata.name} is outdated: ${isOutdated.problem}` };
  }
  const hasOutdated = taints.some((taint) => isSame(taint, outdated));
  if (isOutdated && !hasOutdated) taints = [...taints, outdated];
  if (!isOutdated) taints = taints.filter((taint) => !isSame(taint, outdated));
  const isTracked = tracked === null || node.metadata.annotations?.[annotation.taintsFromMachine] === tracked;
  return { taints, tracked, differs: !isTracked || JSON.stringify(taints) !== JSON.stringify(before) };
}

function isSame(one: NodeTaint, other: { readonly key?: string; readonly effect?: string }): boolean {
  return one.key === other.key && one.effect === other.effect;
}

/** The list with a taint, instead of its namesake of another value where it has one. */
function withTaint(taints: readonly NodeTaint[], taint: NodeTaint): NodeTaint[] {
  const has = taints.some((each) => isSame(each, taint));
  if (!has) return [...taints, taint];
  return taints.map((each) => (isSame(each, taint) && (each.value ?? '') !== (taint.value ?? '') ? taint : each));
}

/** The MachineSet of the Machine is not the newest of its MachineDeployment. */
function outdatedRevision({ machineSet, machineDeployment }: Owners): boolean | { readonly problem: string } {
  if (machineSet === null || machineDeployment === null) return false;
  const revisions: number[] = [];
  for (const owner of [machineSet, machineDeployment]) {
    const text = owner.metadata.annotations?.[annotation.revision] ?? '';
    if (text !== '' && !/^[+-]?\d+$/.test(text))
      return { problem: `strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax` };
    revisions.push(text === '' ? 0 : Number(text));
  }
  const [ofSet = 0, ofDeployment = 0] = revisions;
  return ofSet < ofDeployment;
}

function propagate(
  node: StoredNode,
  taints: readonly NodeTaint[],
  machine: StoredMachine,
): { readonly taints: NodeTaint[]; readonly tracked: string } | { readonly problem: string } {
  const stored = node.metadata.annotations?.[annotation.taintsFromMachine];
  const wanted = machine.spec.taints ?? [];
  const always = wanted.filter(({ propagation }) => propagation === 'Always');
  const first = stored === undefined ? wanted.filter(({ propagation }) => propagation === 'OnInitialization') : [];
  let next = [...taints];
  for (const entry of (stored ?? '').split(',')) {
    if (entry === '') continue;
    const [key = '', effect = '', ...rest] = entry.split(':');
    if (rest.length > 0 || !entry.includes(':')) return { problem: `invalid taint format: "${entry}"` };
    const isWanted = wanted.some((taint) => taint.key === key && taint.effect === effect);
    if (!isWanted) next = next.filter((taint) => !isSame(taint, { key, effect }));
  }
  for (const { key, value, effect } of [...always, ...first]) {
    next = withTaint(next, { key, effect, ...(value === undefined ? {} : { value }) });
  }
  return {
    taints: next,
    tracked: always
      .map(({ key, effect }) => `${key}:${effect}`)
      .toSorted()
      .join(','),
  };
}
