// What a Machine's own metadata and spec must become: owner, label, data secret name, provider ID, failure domain. Pure.
//
// All of it goes into one patch, before the status says that it is there.

import type { OwnerReference } from '../../api/core.js';
import { label } from '../../api/names.js';
import { isDataReported, isInfrastructureCopied } from '../../../machines/machine/guards.js';
import type { BootstrapReading, InfrastructureReading } from '../../../machines/machine/facts.js';
import { specFailureDomain, type ExternalLook } from './external/readings.js';
import { clusterGroup, controllerOf, groupOf, kinds, type StoredCluster, type StoredMachine } from './objects.js';

/** Everything that decides. */
export interface MachineChangesInput {
  readonly machine: StoredMachine;
  readonly cluster: StoredCluster | null;
  readonly bootstrap: BootstrapReading | null;
  readonly infrastructure: InfrastructureReading;
  readonly infrastructureLook: ExternalLook;
}

/** The patch by parts, and the names of the fields that it changes. */
export interface MachineChanges {
  readonly names: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** What differs. `names` is empty when nothing does. */
export function machineChanges(input: MachineChangesInput): MachineChanges {
  const { machine } = input;
  const names: string[] = [];
  const metadata: Record<string, unknown> = {};
  const spec: Record<string, unknown> = {};
  const owner = missingClusterOwner(input);
  if (owner !== null) {
    names.push('metadata.ownerReferences');
    metadata['ownerReferences'] = [...(machine.metadata.ownerReferences ?? []), owner];
  }
  if (machine.metadata.labels?.[label.clusterName] !== machine.spec.clusterName) {
    names.push(`metadata.labels[${label.clusterName}]`);
    metadata['labels'] = { [label.clusterName]: machine.spec.clusterName };
  }
  const { bootstrap } = input;
  if (
    bootstrap?.kind === 'found' &&
    bootstrap.isAdopted &&
    isDataReported(bootstrap) &&
    machine.spec.bootstrap.dataSecretName === undefined
  ) {
    names.push('spec.bootstrap.dataSecretName');
    spec['bootstrap'] = { dataSecretName: bootstrap.dataSecretName };
  }
  for (const [name, value] of copiedFields(input)) {
    if ((machine.spec[name] ?? '') === value) continue;
    names.push(`spec.${name}`);
    spec[name] = value === '' ? null : value;
  }
  return { names, metadata, spec };
}

function copiedFields({
  machine,
  infrastructure,
  infrastructureLook,
}: MachineChangesInput): readonly (readonly ['providerID' | 'failureDomain', string])[] {
  const isTaken =
    infrastructure.kind === 'found' &&
    isInfrastructureCopied(infrastructure) &&
    (infrastructure.isCompleted || machine.status?.initialization?.infrastructureProvisioned === true);
  if (!isTaken || infrastructureLook.kind !== 'found') return [];
  const domain = specFailureDomain(infrastructureLook.object);
  return [
    ['providerID', infrastructure.providerId],
    ...(domain === undefined ? [] : [['failureDomain', domain] as const]),
  ];
}

/** The Cluster as owner of a Machine that nobody else owns or will own; null where it is not to be. */
function missingClusterOwner({ machine, cluster }: MachineChangesInput): OwnerReference | null {
  if (cluster === null || controllerOf(machine) !== undefined) return null;
  const owners = machine.metadata.ownerReferences ?? [];
  if (owners.some(({ kind, apiVersion }) => kind === 'Cluster' && groupOf(apiVersion) === clusterGroup)) return null;
  const labels = machine.metadata.labels ?? {};
  const owned = [label.machineSetName, label.machinePoolName, label.controlPlaneName];
  if (owned.some((key) => labels[key] !== undefined)) return null;
  return {
    apiVersion: `${clusterGroup}/${kinds.cluster.version}`,
    kind: 'Cluster',
    name: cluster.metadata.name,
    uid: cluster.metadata.uid ?? '',
  };
}
