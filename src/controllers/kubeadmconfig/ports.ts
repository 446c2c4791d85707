// What the controller of KubeadmConfigs is given: caches, clients, time, randomness, keys. Narrow, so that tests write them by hand.
import type { KeyPool } from '../../bootstrap/certificates/types.js';
import type { Clock, Random } from '../../host/contract.js';
import type { ApiClient, Cache, WorkloadConnections } from '../../kube/contract.js';
import type { EventNote, EventRecorder } from '../../kube/event-recorder.js';
import type { Logger } from '../../log.js';
import type {
  CachedSecret,
  StoredCluster,
  StoredConfig,
  StoredConfigMap,
  StoredMachine,
  StoredMachinePool,
} from './objects.js';

/** The newest known objects. ConfigMaps and Secrets are those with a cluster-name label. */
export interface Caches {
  readonly configs: Cache<StoredConfig>;
  readonly machines: Cache<StoredMachine>;
  /** Null when the MachinePool gate is off. */
  readonly machinePools: Cache<StoredMachinePool> | null;
  readonly clusters: Cache<StoredCluster>;
  readonly secrets: Cache<CachedSecret>;
  readonly configMaps: Cache<StoredConfigMap>;
}

/** Tells names of Secrets that changed, labelled or not; keeps nothing. */
export interface SecretNames {
  subscribe(
    listener: (
      change:
        { readonly kind: 'changed'; readonly namespace: string; readonly name: string } | { readonly kind: 'missed' },
    ) => void,
  ): () => void;
}

/** What an Event says of its object. */
export type ObjectEvent = Pick<EventNote, 'type' | 'reason' | 'message'>;

/** What users can choose. */
export interface Settings {
  readonly tokenTtlMs: number;
  /** Value of the watch-filter label; empty for none. */
  readonly watchFilter: string;
  readonly recreateLostTokens: boolean;
  readonly snapshotStore: 'status' | 'annotation' | 'configmap' | 'none';
  /** 0 for no limit. */
  readonly bootstrapDataSizeLimitBytes: number;
  /** Shadow mode: nothing is made that would be written, a placeholder stands for a token. */
  readonly shadow: boolean;
}

/** Everything. */
export interface Ports {
  /** The management cluster. */
  readonly client: ApiClient;
  readonly caches: Caches;
  readonly secretNames: SecretNames | null;
  readonly workload: WorkloadConnections;
  readonly clock: Clock;
  readonly random: Random;
  readonly keyPool: KeyPool;
  readonly log: Logger;
  /** Where Events go. It never throws. */
  readonly events: Pick<EventRecorder, 'record'>;
  readonly settings: Settings;
}
