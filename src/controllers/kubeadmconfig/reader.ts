// The caches as the view reads them. Types only.
import type {
  CachedSecret,
  StoredCluster,
  StoredConfig,
  StoredConfigMap,
  StoredMachine,
  StoredMachinePool,
} from './objects.js';

/** Reads by name; undefined is absence. */
export interface Reader {
  config(namespace: string, name: string): StoredConfig | undefined;
  machine(namespace: string, name: string): StoredMachine | undefined;
  /** Undefined for all when the MachinePool gate is off. */
  machinePool(namespace: string, name: string): StoredMachinePool | undefined;
  readonly hasMachinePools: boolean;
  cluster(namespace: string, name: string): StoredCluster | undefined;
  secret(namespace: string, name: string): CachedSecret | undefined;
  configMap(namespace: string, name: string): StoredConfigMap | undefined;
}
