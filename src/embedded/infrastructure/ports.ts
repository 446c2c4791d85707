// What the simulated infrastructure needs: a client of the management cluster, and workload clusters to boot.
//
// The operator's own client fits the client port as it is; so does the in-process client of the embedded server. Types only.
import type { KubeObject, Resource, Target, WatchEvent } from '../../api/rest.js';
import type { EmbeddedClock, EmbeddedRandom } from '../types.js';

/** One API server, one identity. What fails is thrown with `failure.kind`. */
export interface InfrastructureClient {
  get<T extends KubeObject>(target: Target, options?: { readonly signal?: AbortSignal }): Promise<T>;
  list<T extends KubeObject>(
    resource: Resource,
    options?: { readonly signal?: AbortSignal; readonly namespace?: string },
  ): Promise<{ readonly resourceVersion: string; readonly items: readonly T[] }>;
  create<T extends KubeObject>(
    resource: Resource,
    object: object,
    options?: { readonly signal?: AbortSignal },
  ): Promise<T>;
  mergePatch<T extends KubeObject>(
    target: Target,
    body: object,
    options?: { readonly signal?: AbortSignal; readonly subresource?: string },
  ): Promise<T>;
  delete(
    target: Target,
    options?: { readonly signal?: AbortSignal; readonly gracePeriodSeconds?: number },
  ): Promise<void>;
  watch<T extends KubeObject>(
    resource: Resource,
    options: { readonly signal?: AbortSignal; readonly resourceVersion?: string },
  ): AsyncIterable<WatchEvent<T>>;
}

/** Names a cluster of the management cluster. */
export interface ClusterName {
  readonly namespace: string;
  readonly name: string;
}

/** The API server of a workload cluster. */
export interface WorkloadCluster {
  /** As an administrator. */
  readonly client: InfrastructureClient;
  /** What goes into the Secret `<cluster>-kubeconfig`. */
  readonly kubeconfig: string;
  /** Name of the ConfigMap in kube-public that says what the cluster is: `cluster-info`, unless clusters share a server. */
  readonly infoName: string;
}

/** Workload clusters, which start when their first control plane does. */
export interface WorkloadClusters {
  /** Starts the API server, or finds it when it runs. */
  start(cluster: ClusterName): Promise<WorkloadCluster>;
  find(cluster: ClusterName): WorkloadCluster | undefined;
  /** Ends the API server with all it holds. */
  stop(cluster: ClusterName): Promise<void>;
}

/** How long things take, each a range in milliseconds. */
export interface Delays {
  /** Until a Cluster has its network and endpoint. */
  readonly clusterMs: readonly [number, number];
  /** Until a Machine has a virtual machine. */
  readonly machineMs: readonly [number, number];
  /** From power on to `kubeadm`. */
  readonly bootMs: readonly [number, number];
  /** Between two attempts of `kubeadm join`. */
  readonly retryMs: readonly [number, number];
  /** Between two things that others say of a Machine while its node comes up, and until they count a pool's replicas. */
  readonly sayMs: readonly [number, number];
  /** After which `kubeadm join` gives up. */
  readonly joinTimeoutMs: number;
}

/** What happened, for progress, tests and invariants. */
export type InfrastructureNote =
  | { readonly kind: 'cluster-provisioned'; readonly cluster: string; readonly endpoint: string }
  | { readonly kind: 'machine-provisioned'; readonly machine: string }
  | { readonly kind: 'machine-destroyed'; readonly machine: string }
  | { readonly kind: 'control-plane-initialized'; readonly cluster: string; readonly node: string }
  | { readonly kind: 'node-joined'; readonly cluster: string; readonly node: string; readonly token: string | null }
  | { readonly kind: 'join-refused'; readonly cluster: string; readonly node: string; readonly why: string }
  | { readonly kind: 'boot-failed'; readonly cluster: string; readonly node: string; readonly why: string }
  | { readonly kind: 'pool-scaled'; readonly pool: string; readonly replicas: number }
  | { readonly kind: 'retry'; readonly key: string; readonly why: string };

/** Everything the infrastructure is made of. */
export interface InfrastructureOptions {
  readonly client: InfrastructureClient;
  readonly workloads: WorkloadClusters;
  readonly clock: EmbeddedClock;
  readonly random: EmbeddedRandom;
  readonly delays?: Partial<Delays>;
  /** Says that a cluster's control plane is initialised, as the core Cluster controller does: default true. */
  readonly reportsControlPlaneInitialized?: boolean;
  /**
   * Does the core Machine controller's part too: default true. With false Machines belong to somebody else, and this is their
   * infrastructure provider: it follows the DemoMachines that they refer to.
   */
  readonly playsMachineController?: boolean;
  /** Adds one replica to each pool that has all its nodes, once, after this time; absent: pools keep their size. */
  readonly growPoolsAfterMs?: number;
  readonly onNote?: (note: InfrastructureNote) => void;
}

/** The running infrastructure. */
export interface SimulatedInfrastructure {
  /** Begins to watch; resolves when the first lists are there. */
  start(): Promise<void>;
  /** Ends watches and timers; nothing is written afterwards. */
  stop(): Promise<void>;
  /** True when nothing is under way: no key in work, and no timer but those of failed attempts. */
  settled(): boolean;
  readonly notes: readonly InfrastructureNote[];
}
