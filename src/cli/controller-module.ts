// What the operator needs to know of a controller to run it: which kinds it watches, and how it is put together.

import type { Explanation } from '../../machines/kit/explanation.js';
import type { KeyPool } from '../bootstrap/certificates/types.js';
import type { Clock, Random } from '../host/contract.js';
import type { Host } from '../host/host.js';
import type { AnyController } from '../host/turn.js';
import type { ApiClient, Resource, WorkloadConnections } from '../kube/contract.js';
import type { EventRecorder } from '../kube/event-recorder.js';
import type { Informers } from '../kube/informers.js';
import type { NameStream } from '../kube/name-stream.js';
import type { Logger } from '../log.js';
import type { AnyTable, ChartLayout } from '../charts/model.js';
import type { ObjectDetails } from '../inspector/wire.js';
import type { OperatorConfig } from './config.js';
import type { ControllerName } from './run-flags.js';

/** What every controller is given. */
export interface ModuleDeps {
  readonly config: OperatorConfig;
  /** The management cluster, with the write gate of the controller's Lease. */
  readonly client: ApiClient;
  readonly caches: SharedCaches;
  readonly workload: WorkloadConnections;
  readonly keyPool: KeyPool;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** The caches of the process: one for each kind, whoever reads it. */
export interface SharedCaches {
  readonly informers: Informers;
  readonly secretNames: NameStream;
}

/** A controller, ready to be hosted. */
export interface BuiltController {
  readonly controller: AnyController;
  readonly concurrency: number;
  /** Wakes keys when what they look at changes; returns what ends it. */
  connect(host: Host): () => void;
  /** Why an object is where it is; null when it does not exist. */
  explain(namespace: string, name: string, host: Host): Explanation | null;
  /** What the object says of itself; null when it does not exist. */
  details(namespace: string, name: string): ObjectDetails | null;
  /** How many of its objects hold a token of ours and no data: for the metric of that name. */
  markedTokensWithoutData?(): number;
}

/** One controller of the product. */
export interface ControllerModule {
  readonly name: ControllerName;
  readonly table: AnyTable;
  readonly layout: ChartLayout;
  /** Needs connections to workload clusters, and for them the Secrets of the management cluster. */
  readonly reachesWorkloads: boolean;
  /** Kinds that must be there before the start. */
  resources(config: OperatorConfig): readonly Resource[];
  build(deps: ModuleDeps): BuiltController;
}
