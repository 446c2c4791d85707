// Keys made ahead of need: while the infrastructure of a cluster is being provisioned, those that its first control plane will need.
//
//   P1. What nobody will need any more is given back: the pool holds a few sets, and a set is private keys.
import type { Facts } from '../../../machines/kubeadmconfig/facts.js';
import { parseEncryptionAlgorithm } from '../../bootstrap/certificates/encryption-algorithm.js';
import { clusterFacts } from '../../bootstrap/cluster-facts.js';
import type { Key } from '../../host/contract.js';
import type { Memory } from './memory.js';
import type { Ports } from './ports.js';
import type { View } from './view.js';

/** Prepares the keys of a view's cluster, or gives them back. */
export function prepareKeys(ports: Ports, memory: Memory, view: View, facts: Facts): void {
  const { keyPool, settings } = ports;
  if (settings.shadow) return;
  const { cluster, config, key } = view;
  const owner = cluster === null ? '' : `${cluster.metadata.namespace ?? ''}/${cluster.metadata.name}`;
  const known = memory.preparedFor(key);
  if (!willMakeKeys(ports, view, facts) || (known !== null && known !== owner)) forgetKeys(ports, memory, key);
  if (!willMakeKeys(ports, view, facts) || facts.infrastructureProvisioned || facts.isPaused) return;
  const parsed = parseEncryptionAlgorithm(config.spec?.clusterConfiguration?.encryptionAlgorithm);
  if (parsed.kind === 'unknown') return;
  if (keyPool.prepare(owner, parsed.algorithm)) memory.prepares(key, owner);
}

/** Gives back what was prepared on behalf of an object, if anything was. */
export function forgetKeys({ keyPool }: Pick<Ports, 'keyPool'>, memory: Memory, key: Key): void {
  const owner = memory.preparedFor(key);
  if (owner === null) return;
  memory.prepares(key, null);
  keyPool.forget(owner);
}

/** Whether this may be the Machine that makes the certificates of its cluster. */
function willMakeKeys({ caches }: Ports, { cluster }: View, facts: Facts): boolean {
  if (cluster === null || !facts.isControlPlaneMachine || facts.isDeleting || facts.isFailedForGood) return false;
  if (facts.dataStored !== 'no' || facts.controlPlaneInitialized) return false;
  const { namespace = '', name } = cluster.metadata;
  return !clusterFacts(cluster).hasControlPlaneRef && caches.secrets.get(namespace, `${name}-ca`) === undefined;
}
