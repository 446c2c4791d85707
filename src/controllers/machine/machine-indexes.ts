// The indexes of the cache of Machines, and how their values are spelt. Empty values are not indexed.

import { label } from '../../api/names.js';
import type { KubeObject } from '../../kube/contract.js';
import type { IndexFunction } from '../../kube/store.js';
import type { StoredMachine } from './objects.js';

/** Names of the indexes. */
export const machineIndex = {
  cluster: 'machine.cluster',
  /** Control plane Machines, by cluster. */
  controlPlane: 'machine.controlPlane',
  nodeName: 'machine.nodeName',
  providerId: 'machine.providerID',
  set: 'machine.set',
  deployment: 'machine.deployment',
  external: 'machine.external',
} as const;

/** `namespace/name`. */
export function inNamespace(namespace: string, name: string): string {
  return `${namespace}/${name}`;
}

/** Key of an object that Machines refer to. */
export function externalKey(group: string, kind: string, namespace: string, name: string): string {
  return `${kind}.${group} ${namespace}/${name}`;
}

function byLabel(key: string): IndexFunction<StoredMachine> {
  return ({ metadata }) => {
    const value = metadata.labels?.[key];
    return value === undefined || value === '' ? [] : [inNamespace(metadata.namespace ?? '', value)];
  };
}

/** The indexes, for whoever declares the cache. */
export const machineIndexes: Readonly<Record<string, IndexFunction<KubeObject>>> = {
  [machineIndex.cluster]: byCluster,
  [machineIndex.controlPlane]: (machine) => (isControlPlane(machine) ? byCluster(machine) : []),
  [machineIndex.nodeName]: ({ status }: StoredMachine) => (status?.nodeRef?.name ? [status.nodeRef.name] : []),
  [machineIndex.providerId]: ({ spec }: StoredMachine) => (spec.providerID ? [spec.providerID] : []),
  [machineIndex.set]: byLabel(label.machineSetName),
  [machineIndex.deployment]: byLabel(label.machineDeploymentName),
  [machineIndex.external]: byReference,
} as Readonly<Record<string, IndexFunction<StoredMachine>>> as Readonly<Record<string, IndexFunction<KubeObject>>>;

/** A Machine of the control plane: its label is there, with whatever value. */
export function isControlPlane({ metadata }: StoredMachine): boolean {
  return metadata.labels?.[label.controlPlane] !== undefined;
}

/** A Machine belongs to the Cluster that its spec names, whatever its labels say. */
function byCluster({ metadata, spec }: StoredMachine): readonly string[] {
  return spec.clusterName === '' ? [] : [inNamespace(metadata.namespace ?? '', spec.clusterName)];
}

function byReference({ metadata, spec }: StoredMachine): readonly string[] {
  const references = [spec.bootstrap?.configRef, spec.infrastructureRef];
  return references.flatMap((reference) =>
    reference === undefined
      ? []
      : [externalKey(reference.apiGroup, reference.kind, metadata.namespace ?? '', reference.name)],
  );
}

/** A label's value for a name that may be no valid one: the name itself, or its hash. */
export function labelValueOf(name: string): string {
  if (name.length <= 63 && /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/.test(name)) return name;
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(hash);
  return `hash_${bytes.toString('base64url')}_z`;
}
