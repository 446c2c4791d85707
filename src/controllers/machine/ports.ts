// What the Machine controller is given: caches, clients, time and settings. Narrow, so that tests write them by hand.

import type { Clock } from '../../host/contract.js';
import type { ApiClient, Cache } from '../../kube/contract.js';
import type { EventRecorder } from '../../kube/event-recorder.js';
import type { Logger } from '../../log.js';
import type { ExternalObjects } from './external/external-objects.js';
import type { MachineDefinition } from './machine-definition.js';
import type {
  StoredCluster,
  StoredConfigMap,
  StoredDrainRule,
  StoredMachine,
  StoredMachineDeployment,
  StoredMachineSet,
} from './objects.js';
import type { WorkloadClusters } from './workload/workload-clusters.js';

/** The newest known objects of the management cluster. */
export interface Caches {
  /** With the indexes of machine-indexes.ts. */
  readonly machines: Cache<StoredMachine>;
  readonly clusters: Cache<StoredCluster>;
  readonly machineSets: Cache<StoredMachineSet>;
  readonly machineDeployments: Cache<StoredMachineDeployment>;
  readonly drainRules: Cache<StoredDrainRule>;
  /** ConfigMaps with a cluster's label, where `snapshotStore` keeps snapshots in them; null elsewhere. */
  readonly configMaps: Cache<StoredConfigMap> | null;
}

/** An Event on a Machine. */
export interface MachineEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** Which keys are meant. */
export interface KeyPattern {
  test(key: string): boolean;
}

/** What users can choose. */
export interface Settings {
  /** Value of the watch-filter label; empty for none. */
  readonly watchFilter: string;
  /** How long NodeReady and NodeHealthy keep what they said of a cluster that does not answer. */
  readonly remoteConditionsGraceMs: number;
  /** Keys of further labels and annotations that go from Machines to Nodes; a match anywhere in the key counts. */
  readonly additionalSyncLabels: readonly KeyPattern[];
  readonly additionalSyncAnnotations: readonly KeyPattern[];
  /** Gate `MachineTaintPropagation`. */
  readonly propagateTaints: boolean;
  /** Gate `MachineWaitForVolumeDetachConsiderVolumeAttachments`: without it only the Node's own list of volumes counts. */
  readonly considerVolumeAttachments: boolean;
  readonly snapshotStore: 'status' | 'annotation' | 'configmap' | 'none';
}

/** Everything. */
export interface Ports {
  /** The management cluster. */
  readonly client: ApiClient;
  readonly caches: Caches;
  readonly externals: ExternalObjects;
  readonly workloads: WorkloadClusters;
  readonly definition: MachineDefinition;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly settings: Settings;
}
