// The init lock as the caches show it: who holds it, and what is known of the holder.
//
// The lock is a ConfigMap that upstream reads too: `lock-information` is JSON with `machineName`; `machineUID` is ours and
// upstream ignores it. What caches show may be old: nothing is deleted on their word (effects/init-lock.ts).
import { dataSecretNameOf } from './owner.js';
import type { StoredCluster, StoredConfig, StoredConfigMap, StoredMachine } from './objects.js';
import type { Reader } from './reader.js';

/** A Machine as a lock is compared with it. */
export interface LockingMachine {
  readonly name: string;
  readonly uid: string;
  /** The data Secret that it knows; empty when it knows none. */
  readonly dataSecretName: string;
}

/** Key of the lock's only entry. */
export const LOCK_KEY = 'lock-information';

/** Who holds a lock. */
export interface LockInformation {
  readonly machineName: string;
  /** Null when upstream wrote it. */
  readonly machineUid: string | null;
}

/** The lock. */
export type LockView =
  | { readonly kind: 'free' }
  | { readonly kind: 'unreadable'; readonly configMap: StoredConfigMap; readonly problem: string }
  | {
      readonly kind: 'held';
      readonly configMap: StoredConfigMap;
      readonly information: LockInformation;
      readonly holder: Holder;
    };

/** What is known of the Machine that holds the lock. */
export interface Holder {
  readonly machine: StoredMachine | null;
  readonly config: StoredConfig | null;
  readonly hasDataSecret: boolean;
}

/** Name of a cluster's lock. */
export function lockName(clusterName: string): string {
  return `${clusterName}-lock`;
}

/** Reads the lock of a Cluster. */
export function readLock(reader: Reader, cluster: StoredCluster): LockView {
  const { namespace = '', name } = cluster.metadata;
  const configMap = reader.configMap(namespace, lockName(name));
  if (configMap === undefined) return { kind: 'free' };
  const information = parseLock(configMap);
  if ('problem' in information) return { kind: 'unreadable', configMap, problem: information.problem };
  const machine = reader.machine(namespace, information.machineName) ?? null;
  const configName = machine?.spec?.bootstrap?.configRef?.name ?? '';
  return {
    kind: 'held',
    configMap,
    information,
    holder: {
      machine,
      config: configName === '' ? null : (reader.config(namespace, configName) ?? null),
      hasDataSecret: configName !== '' && reader.secret(namespace, configName) !== undefined,
    },
  };
}

/** The content of a lock, or why it cannot be read. */
export function parseLock(configMap: StoredConfigMap): LockInformation | { readonly problem: string } {
  const text = configMap.data?.[LOCK_KEY];
  if (text === undefined) return { problem: `it has no key ${LOCK_KEY}` };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: `${LOCK_KEY} is not JSON` };
  }
  const { machineName, machineUID } = (value ?? {}) as {
    readonly machineName?: unknown;
    readonly machineUID?: unknown;
  };
  if (typeof machineName !== 'string' || machineName === '') return { problem: `${LOCK_KEY} names no Machine` };
  return { machineName, machineUid: typeof machineUID === 'string' && machineUID !== '' ? machineUID : null };
}

/** The text of a lock that a Machine takes. */
export function lockText(machine: Pick<LockingMachine, 'name' | 'uid'>): string {
  return JSON.stringify({ machineName: machine.name, machineUID: machine.uid });
}

/** Whether a lock is a Machine's own. A Machine with another uid that has its data (after a restore) is the holder. */
export function isHeldBy(information: LockInformation, machine: LockingMachine): boolean {
  if (information.machineName !== machine.name) return false;
  return information.machineUid === null || information.machineUid === machine.uid || machine.dataSecretName !== '';
}

/** Whether a KubeadmConfig will never finish an init: it is on its way out or has failed for good. */
export function isConfigLost(config: StoredConfig | null): boolean {
  if (config === null || config.metadata.deletionTimestamp !== undefined) return true;
  const { failureReason = '', failureMessage = '' } = config.status?.deprecated?.v1beta1 ?? {};
  return failureReason !== '' || failureMessage !== '';
}

/** Whether, as far as this shows, the holder of a lock is gone and the lock may be taken over. */
export function isHolderGone(information: LockInformation, holder: Holder): boolean {
  const { machine, config, hasDataSecret } = holder;
  if (machine === null) return true;
  if (dataSecretNameOf(machine) !== '') return false;
  if (information.machineUid !== null && information.machineUid !== machine.metadata.uid) return true;
  if ((machine.spec?.bootstrap?.configRef?.name ?? '') === '') return false;
  return isConfigLost(config) && !hasDataSecret;
}
