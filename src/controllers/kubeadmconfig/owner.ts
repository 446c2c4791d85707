// Who owns a KubeadmConfig: a Machine, or a MachinePool where they are switched on.
//
// The first owner reference of Cluster API's group and a known kind counts, in any version; the controller flag does not.
//
//   O1. The uid counts for one thing: what an object of the owner's name and another uid says of data and nodes was said in
//       another life, of which a cache that lags tells. It is not believed; the owner that is named is waited for.
import type { OwnerReference } from '../../api/core.js';
import { group, label } from '../../api/names.js';
import { groupOf, textOf, type StoredConfig, type StoredMachine, type StoredMachinePool } from './objects.js';
import type { Reader } from './reader.js';

/** The owner as this controller sees it. `name` is empty when nobody is named. */
export type Owner = {
  readonly kind: 'none' | 'Machine' | 'MachinePool';
  readonly name: string;
  readonly uid: string;
  /** Null when the owner that is named does not exist. */
  readonly object: StoredMachine | StoredMachinePool | null;
  readonly clusterName: string;
  readonly isControlPlaneMachine: boolean;
  /** The data Secret that the owner has been told to use, as far as it can be this KubeadmConfig's; empty for none. */
  readonly dataSecretName: string;
  readonly hasJoined: boolean;
  readonly kubernetesVersion: string;
};

const nobody: Owner = Object.freeze({
  kind: 'none',
  name: '',
  uid: '',
  object: null,
  clusterName: '',
  isControlPlaneMachine: false,
  dataSecretName: '',
  hasJoined: false,
  kubernetesVersion: '',
});

/** Resolves the owner of a KubeadmConfig. */
export function ownerOf(reader: Reader, config: StoredConfig): Owner {
  const reference = config.metadata.ownerReferences?.find(
    ({ apiVersion, kind }) =>
      groupOf(apiVersion) === group.cluster &&
      (kind === 'Machine' || (kind === 'MachinePool' && reader.hasMachinePools)),
  );
  if (reference === undefined) return nobody;
  const { namespace = '' } = config.metadata;
  if (reference.kind === 'Machine') {
    const machine = reader.machine(namespace, reference.name);
    return believed(machine === undefined ? null : ownerMachine(machine, config.metadata.name), reference);
  }
  const pool = reader.machinePool(namespace, reference.name);
  return believed(pool === undefined ? null : ownerPool(pool, config.metadata.name), reference);
}

/** The owner as the cache has it, unless it tells of the data or the nodes of another life. */
function believed(owner: Owner | null, { kind, name, uid }: OwnerReference): Owner {
  const missing: Owner = { ...nobody, kind: kind as 'Machine' | 'MachinePool', name };
  if (owner === null) return missing;
  // PARITY: upstream believes it (docs/parity.md, pivot).
  const isOtherLife = owner.uid !== '' && uid !== '' && owner.uid !== uid;
  return isOtherLife && (owner.dataSecretName !== '' || owner.hasJoined) ? missing : owner;
}

function ownerMachine(machine: StoredMachine, config: string): Owner {
  const { name, uid = '', labels } = machine.metadata;
  return {
    kind: 'Machine',
    name,
    uid,
    object: machine,
    clusterName: textOf(machine.spec?.clusterName),
    isControlPlaneMachine: labels?.[label.controlPlane] !== undefined,
    dataSecretName: toldDataOf(machine, config),
    hasJoined: textOf(machine.status?.nodeRef?.name) !== '',
    kubernetesVersion: textOf(machine.spec?.version),
  };
}

function ownerPool(pool: StoredMachinePool, config: string): Owner {
  const { name, uid = '' } = pool.metadata;
  const replicas = pool.spec?.replicas ?? 1;
  return {
    kind: 'MachinePool',
    name,
    uid,
    object: pool,
    clusterName: textOf(pool.spec?.clusterName),
    isControlPlaneMachine: false,
    dataSecretName: toldDataOf(pool, config),
    // PARITY: upstream wants exactly as many; a surplus would end the rotation (docs/parity.md, Q-25).
    hasJoined: (pool.status?.nodeRefs?.length ?? 0) >= replicas,
    kubernetesVersion: textOf(pool.spec?.template?.spec?.version),
  };
}

/** The data Secret that a Machine names; an empty name is none. */
export function dataSecretNameOf(machine: StoredMachine): string {
  return textOf(machine.spec?.bootstrap?.dataSecretName);
}

/**
 * The data Secret of a KubeadmConfig that its owner has been told to use; empty for none. While a pool is rolled out by another
 * KubeadmConfig it still names the Secret of the old one: there only the KubeadmConfig's own name is believed.
 */
export function toldDataOf(owner: StoredMachine | StoredMachinePool, config: string): string {
  const spec = owner.spec as Partial<StoredMachine['spec']> & Partial<StoredMachinePool['spec']>;
  const poolsName = textOf(spec?.template?.spec?.bootstrap?.dataSecretName);
  return textOf(spec?.bootstrap?.dataSecretName) || (poolsName === config ? poolsName : '');
}
