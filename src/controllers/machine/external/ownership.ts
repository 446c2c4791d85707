// Who owns a bootstrap or infrastructure object: the Machine, as its controller, once the Machine exists. Pure.
//
// Owners of the time before (a MachineSet, a control plane object) are taken off. An object that somebody else controls is
// never taken over.

import type { OwnerReference } from '../../../api/core.js';
import { label } from '../../../api/names.js';
import {
  clusterGroup,
  groupOf,
  keyOf,
  kinds,
  type ExternalObjectJson,
  type StoredCluster,
  type StoredMachine,
} from '../objects.js';

/** How an object's metadata stands to what it must be. */
export type Ownership =
  | { readonly kind: 'right' }
  /** The owner references and labels that it must get. */
  | {
      readonly kind: 'wrong';
      readonly ownerReferences: readonly OwnerReference[];
      readonly labels: Readonly<Record<string, string>>;
    }
  /** Somebody else controls it; the text is the phase's error. */
  | { readonly kind: 'foreign'; readonly problem: string };

/** Compares an external object's metadata with what its Machine wants. */
export function ownershipOf(
  object: ExternalObjectJson,
  { machine, cluster }: { readonly machine: StoredMachine; readonly cluster: StoredCluster },
): Ownership {
  const present = object.metadata.ownerReferences ?? [];
  const wanted: OwnerReference = {
    apiVersion: `${clusterGroup}/${kinds.machine.version}`,
    kind: 'Machine',
    name: machine.metadata.name,
    uid: machine.metadata.uid ?? '',
    controller: true,
    blockOwnerDeletion: true,
  };
  const kept = present.filter((reference) => !isOnCreateOwner(reference, machine, cluster));
  const foreign = kept.find(({ controller, ...rest }) => controller === true && !isSameOwner(rest, wanted));
  if (foreign !== undefined) {
    return {
      kind: 'foreign',
      problem: `Object ${keyOf(object)} is already owned by another ${foreign.kind} controller ${foreign.name}`,
    };
  }
  const hasOwner = present.some(
    ({ apiVersion, kind, name, uid, controller }) =>
      apiVersion === wanted.apiVersion &&
      kind === wanted.kind &&
      name === wanted.name &&
      uid === wanted.uid &&
      controller === true,
  );
  const { clusterName } = machine.spec;
  const hasLabel = object.metadata.labels?.[label.clusterName] === clusterName;
  if (kept.length === present.length && hasOwner && hasLabel) return { kind: 'right' };
  return {
    kind: 'wrong',
    ownerReferences: [...kept.filter((reference) => !isSameOwner(reference, wanted)), wanted],
    labels: { ...object.metadata.labels, [label.clusterName]: clusterName },
  };
}

/** Same group, kind and name: another life or version of the same owner. */
function isSameOwner(
  one: Pick<OwnerReference, 'apiVersion' | 'kind' | 'name'>,
  other: Pick<OwnerReference, 'apiVersion' | 'kind' | 'name'>,
): boolean {
  return groupOf(one.apiVersion) === groupOf(other.apiVersion) && one.kind === other.kind && one.name === other.name;
}

/** An owner of the time before the Machine existed. */
function isOnCreateOwner(
  { apiVersion, kind }: OwnerReference,
  machine: StoredMachine,
  cluster: StoredCluster,
): boolean {
  if (kind === 'MachineSet' && groupOf(apiVersion) === clusterGroup) return true;
  const reference = cluster.spec?.controlPlaneRef;
  return (
    machine.metadata.labels?.[label.controlPlane] !== undefined &&
    reference !== undefined &&
    kind === reference.kind &&
    groupOf(apiVersion) === reference.apiGroup
  );
}
