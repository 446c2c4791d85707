// What a Machine brings to its Node: labels, annotations and taints of its own domains, and nothing else. Pure.
//
//   N1. What somebody else put on a Node stays, unless the Machine wants the same key.
//   N2. What the Machine once brought and wants no more is taken away; the Node's annotations remember what it brought. What
//       an operator with other settings brought stays, and stays remembered: its keys are of no domain that is known here.
//   N3. Nothing is written when nothing differs.

import type { StringMap } from '../../../api/core.js';
import { annotation, label } from '../../../api/names.js';
import { interruptible } from '../external/readings.js';
import { controllerOf, keyOf, type ExternalObjectJson, type StoredMachine, type StoredNode } from '../objects.js';
import type { KeyPattern } from '../ports.js';
import type { Owners } from '../view.js';
import { desiredTaints, type NodeTaint } from './node-taints.js';

/** What is brought, from where. */
export interface NodeSyncSource {
  readonly machine: StoredMachine;
  /** The infrastructure object, where it was read. */
  readonly infrastructure: ExternalObjectJson | null;
  readonly owners: Owners;
  readonly additionalLabels: readonly KeyPattern[];
  readonly additionalAnnotations: readonly KeyPattern[];
  readonly propagateTaints: boolean;
}

/** How a Node stands to what its Machine wants. */
export type NodeSync =
  | { readonly kind: 'same' }
  | { readonly kind: 'problem'; readonly message: string }
  | {
      readonly kind: 'differs';
      readonly labels: StringMap;
      readonly annotations: StringMap;
      readonly taints: readonly NodeTaint[];
      /** The Node becomes interruptible with this change. */
      readonly becomesInterruptible: boolean;
    };

/** Compares a Node with what its Machine wants. */
export function nodeSync(node: StoredNode, source: NodeSyncSource): NodeSync {
  const isInterruptible =
    source.infrastructure === null ? { value: false, problem: null } : interruptible(source.infrastructure);
  if (isInterruptible.problem !== null) return { kind: 'problem', message: isInterruptible.problem };
  const wantedLabels = {
    ...labelsOf(source),
    ...(isInterruptible.value ? { [label.interruptible]: '' } : {}),
  };
  const wantedAnnotations = annotationsOf(source);
  const taints = desiredTaints(node, source);
  if ('problem' in taints) return { kind: 'problem', message: taints.problem };

  const hasLabels = node.metadata.labels ?? {};
  const hasAnnotations = node.metadata.annotations ?? {};
  const unwantedLabels = tracked(hasAnnotations[annotation.labelsFromMachine]).filter((key) => !(key in wantedLabels));
  const unwantedAnnotations = tracked(hasAnnotations[annotation.annotationsFromMachine]).filter(
    (key) => !(key in wantedAnnotations) && !trackers.includes(key) && !commonKeys.includes(key),
  );
  const isOurLabel = (key: string): boolean => key === label.interruptible || isLabelBrought(key, source);
  const isOurAnnotation = (key: string): boolean => isAnnotationBrought(key, source);
  const staleLabels = unwantedLabels.filter(isOurLabel);
  const staleAnnotations = [
    ...unwantedAnnotations.filter(isOurAnnotation),
    ...commonKeys.filter((key) => !(key in wantedAnnotations)),
  ];
  const differs =
    !includes(hasLabels, wantedLabels) ||
    !includes(hasAnnotations, wantedAnnotations) ||
    staleLabels.some((key) => key in hasLabels) ||
    staleAnnotations.some((key) => key in hasAnnotations) ||
    taints.differs;
  if (!differs) return { kind: 'same' };
  const brought = [
    ...Object.keys(wantedAnnotations).filter((key) => !commonKeys.includes(key)),
    ...unwantedAnnotations.filter((key) => !isOurAnnotation(key)),
  ];
  const broughtLabels = [...Object.keys(wantedLabels), ...unwantedLabels.filter((key) => !isOurLabel(key))];
  return {
    kind: 'differs',
    labels: { ...without(hasLabels, staleLabels), ...wantedLabels },
    annotations: {
      ...without(hasAnnotations, staleAnnotations),
      ...wantedAnnotations,
      [annotation.labelsFromMachine]: broughtLabels.toSorted().join(','),
      [annotation.annotationsFromMachine]: brought.toSorted().join(','),
      ...(taints.tracked === null ? {} : { [annotation.taintsFromMachine]: taints.tracked }),
    },
    taints: taints.taints,
    becomesInterruptible: isInterruptible.value && !(label.interruptible in hasLabels),
  };
}

const commonKeys: readonly string[] = [
  annotation.clusterName,
  annotation.clusterNamespace,
  annotation.machine,
  annotation.ownerKind,
  annotation.ownerName,
];

const trackers: readonly string[] = [
  annotation.labelsFromMachine,
  annotation.annotationsFromMachine,
  annotation.taintsFromMachine,
];

function labelsOf(source: NodeSyncSource): StringMap {
  return pick(source.machine.metadata.labels, (key) => isLabelBrought(key, source));
}

function isLabelBrought(key: string, { additionalLabels }: NodeSyncSource): boolean {
  const domain = domainOf(key);
  return (
    domain === 'node-role.kubernetes.io' ||
    isInDomain(domain, 'node-restriction.kubernetes.io') ||
    isInDomain(domain, 'node.cluster.x-k8s.io') ||
    additionalLabels.some((expression) => expression.test(key))
  );
}

function isAnnotationBrought(key: string, { additionalAnnotations }: NodeSyncSource): boolean {
  return (
    isInDomain(domainOf(key), 'node.cluster.x-k8s.io') ||
    additionalAnnotations.some((expression) => expression.test(key))
  );
}

function annotationsOf(source: NodeSyncSource): StringMap {
  const { machine } = source;
  const owner = controllerOf(machine);
  return {
    ...pick(machine.metadata.annotations, (key) => isAnnotationBrought(key, source)),
    [annotation.clusterName]: machine.spec.clusterName,
    [annotation.clusterNamespace]: machine.metadata.namespace ?? '',
    [annotation.machine]: machine.metadata.name,
    ...(owner === undefined ? {} : { [annotation.ownerKind]: owner.kind, [annotation.ownerName]: owner.name }),
  };
}

/** The part of a key before its slash; the whole key without one. */
function domainOf(key: string): string {
  return key.split('/')[0] ?? key;
}

function isInDomain(domain: string, parent: string): boolean {
  return domain === parent || domain.endsWith(`.${parent}`);
}

function pick(map: StringMap | undefined, wants: (key: string) => boolean): StringMap {
  return Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => wants(key)));
}

function without(map: StringMap, keys: readonly string[]): StringMap {
  return Object.fromEntries(Object.entries(map).filter(([key]) => !keys.includes(key)));
}

function includes(map: StringMap, part: StringMap): boolean {
  return Object.entries(part).every(([key, value]) => map[key] === value);
}

function tracked(value: string | undefined): readonly string[] {
  return (value ?? '').split(',').filter((key) => key !== '');
}

/** Name of a Node for the text of an error. */
export function nodeProblem(node: StoredNode, message: string): string {
  return `failed to reconcile Node ${keyOf(node)}: ${message}`;
}
