// The workload clusters that Machines look into: one connection and one watch of Nodes for each, opened on demand, kept while
// the Cluster has Machines.
//
//   W1. Looking never waits. Opening never waits either: a cluster that does not answer holds up no turn of another.
//   W2. What was last heard from a cluster is remembered while it is unreachable; its grace is judged by that.
//   W3. A broken watch is the reflector's to repair; a new kubeconfig is the connection's, and brings a new watch.
//   W4. A call without an answer puts its cluster under suspicion: until one look has succeeded it counts as unreachable, so
//       that no more turns than those that are under way wait for a cluster that is silent.

import { setMaxListeners } from 'node:events';
import type { Clock, Random } from '../../../host/contract.js';
import type { ApiClient, Cache, CacheChange, KubeObject, WorkloadConnections } from '../../../kube/contract.js';
import { createInformer } from '../../../kube/informer.js';
import { createInformers, type Informers } from '../../../kube/informers.js';
import { isApiError } from '../../../kube/failures.js';
import { watchedClient } from '../../../kube/watched-client.js';
import { WORKLOAD_PROBE_TIMEOUT_MS } from '../../../limits.js';
import type { Logger } from '../../../log.js';
import { kinds, type StoredNode } from '../objects.js';

/** Name of a Cluster. */
export interface ClusterName {
  readonly namespace: string;
  readonly name: string;
}

/** How the way to a cluster is. */
export interface WorkloadHealth {
  /** When something was last heard from it; null for never. */
  readonly lastHeardMs: number | null;
  /** Attempts that failed one after the other. */
  readonly failures: number;
  /** Since when it is unreachable; null while it answers. */
  readonly downSinceMs: number | null;
}

/** A cluster as it is seen right now. */
export type WorkloadLook =
  | { readonly kind: 'closed' }
  | { readonly kind: 'connecting'; readonly health: WorkloadHealth }
  | { readonly kind: 'unreachable'; readonly message: string; readonly health: WorkloadHealth }
  | {
      readonly kind: 'open';
      readonly client: ApiClient;
      readonly nodes: Cache<StoredNode>;
      readonly health: WorkloadHealth;
    };

/** The clusters. */
export interface WorkloadClusters {
  look(cluster: ClusterName): WorkloadLook;
  /** Starts connecting and watching; does nothing where that is under way. */
  open(cluster: ClusterName): void;
  /** Caches of an open cluster for what a drain waits for; null when it is not open. */
  informers(cluster: ClusterName): Informers | null;
  close(cluster: ClusterName): void;
  /** Told when a cluster comes up, goes down, or its grace has to be judged again. */
  onConnection(listener: (cluster: ClusterName) => void): () => void;
  /** Told about every change of a Node. */
  onNode(listener: (cluster: ClusterName, change: CacheChange<StoredNode>) => void): () => void;
  stop(): void;
}

/** What the clusters need. */
export interface WorkloadClustersOptions {
  readonly connections: WorkloadConnections;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly log: Logger;
}

/** Index of Nodes by `spec.providerID`. */
export const providerIdIndex = 'spec.providerID';

/** Failures in a row after which a cluster that answered before counts as unreachable, as upstream's cluster cache. */
const FAILURES_UNTIL_DOWN = 5;
/** How often the connection is asked for while it does not come up; its own backoff decides when it really tries. */
const RETRY_MS = 5_000;

interface Entry {
  readonly cluster: ClusterName;
  lastHeardMs: number | null;
  failures: number;
  downSinceMs: number | null;
  message: string;
  session: Session | null;
  isClosed: boolean;
  cancelRetry: () => void;
}

interface Session {
  /** The connection's own, by which a new connection is told from this one. */
  readonly connection: ApiClient;
  /** The same for effects: their calls tell when there is no answer. */
  readonly client: ApiClient;
  isSuspect: boolean;
  readonly nodes: Cache<StoredNode>;
  readonly informers: Informers;
  readonly lifetime: AbortController;
}

const downText = 'connection to the workload cluster is down';

/** No clusters yet. */
export function createWorkloadClusters(options: WorkloadClustersOptions): WorkloadClusters {
  const entries = new Map<string, Entry>();
  const connectionListeners = new Set<(cluster: ClusterName) => void>();
  const nodeListeners = new Set<(cluster: ClusterName, change: CacheChange<StoredNode>) => void>();
  const stopping = new AbortController();
  // Every cluster that waits for its connection listens to it.
  setMaxListeners(0, stopping.signal);
  const world: World = {
    options,
    stopping,
    tell: (cluster) => connectionListeners.forEach((listener) => listener(cluster)),
    tellNode: (cluster, change) => nodeListeners.forEach((listener) => listener(cluster, change)),
  };
  const unsubscribe = options.connections.subscribe((cluster) => {
    const entry = entries.get(idOf(cluster));
    if (entry !== undefined) onConnectionChange(world, entry);
  });
  const close = (entry: Entry): void => {
    entry.isClosed = true;
    entry.cancelRetry();
    endSession(entry);
    entries.delete(idOf(entry.cluster));
  };

  return {
    look(cluster) {
      const entry = entries.get(idOf(cluster));
      return entry === undefined ? { kind: 'closed' } : lookAt(entry);
    },
    open(cluster) {
      if (entries.has(idOf(cluster)) || world.stopping.signal.aborted) return;
      const entry: Entry = {
        cluster: { namespace: cluster.namespace, name: cluster.name },
        lastHeardMs: null,
        failures: 0,
        downSinceMs: null,
        message: '',
        session: null,
        isClosed: false,
        cancelRetry: () => undefined,
      };
      entries.set(idOf(cluster), entry);
      void connect(world, entry);
    },
    informers: (cluster) => entries.get(idOf(cluster))?.session?.informers ?? null,
    close(cluster) {
      const entry = entries.get(idOf(cluster));
      if (entry !== undefined) close(entry);
    },
    onConnection(listener) {
      connectionListeners.add(listener);
      return () => void connectionListeners.delete(listener);
    },
    onNode(listener) {
      nodeListeners.add(listener);
      return () => void nodeListeners.delete(listener);
    },
    stop() {
      unsubscribe();
      world.stopping.abort();
      for (const entry of [...entries.values()]) close(entry);
    },
  };
}

interface World {
  readonly options: WorkloadClustersOptions;
  readonly stopping: AbortController;
  readonly tell: (cluster: ClusterName) => void;
  readonly tellNode: (cluster: ClusterName, change: CacheChange<StoredNode>) => void;
}

function lookAt({ session, message, lastHeardMs, failures, downSinceMs }: Entry): WorkloadLook {
  const health: WorkloadHealth = { lastHeardMs, failures, downSinceMs };
  if (session?.nodes.synced === true && !session.isSuspect && failures < FAILURES_UNTIL_DOWN) {
    return { kind: 'open', client: session.client, nodes: session.nodes, health };
  }
  if (failures === 0 && session?.isSuspect !== true) return { kind: 'connecting', health };
  return { kind: 'unreachable', message: message === '' ? downText : message, health };
}

/** Asks for a connection until there is one, in the background. */
async function connect(world: World, entry: Entry): Promise<void> {
  const { connections, clock } = world.options;
  entry.cancelRetry();
  if (entry.isClosed || entry.session !== null) return;
  try {
    const client = await connections.client(entry.cluster, world.stopping.signal);
    if (!entry.isClosed && entry.session === null) startSession(world, entry, client);
  } catch (error) {
    if (entry.isClosed || world.stopping.signal.aborted) return;
    fail(world, entry, messageOf(error));
    entry.cancelRetry();
    entry.cancelRetry = clock.schedule(RETRY_MS, () => void connect(world, entry));
  }
}

function startSession(world: World, entry: Entry, connection: ApiClient): void {
  const { clock, random, log } = world.options;
  const lifetime = new AbortController();
  const isCurrent = (): boolean => entry.session?.lifetime === lifetime;
  const base = { client: connection, clock, random };
  const onBug = (resource: { readonly kind: string }, error: unknown): void =>
    log.error('A listener of a workload cache failed', { kind: resource.kind, err: error });
  const nodes = createInformer<StoredNode>(
    {
      ...base,
      observer: {
        onBug,
        onList: () => void (isCurrent() && hear(world, entry)),
        onFailure: (_, failure) => void (isCurrent() && fail(world, entry, failure.message)),
      },
    },
    {
      resource: kinds.node,
      firstList: 'current',
      project: projectNode,
      indexes: { [providerIdIndex]: (node) => (node.spec?.providerID ? [node.spec.providerID] : []) },
    },
  );
  const informers = createInformers({ ...base, observer: { onBug } });
  informers.start(lifetime.signal);
  const client = watchedClient(connection, {
    began: () => undefined,
    ended: (error) => void (isCurrent() && isSilence(error) && suspect(world, entry)),
  });
  entry.session = { connection, client, isSuspect: false, nodes: nodes.store, informers, lifetime };
  nodes.store.subscribe((change) => void (isCurrent() && world.tellNode(entry.cluster, change)));
  nodes.store.onMove(() => void (isCurrent() && hear(world, entry)));
  void nodes.run(lifetime.signal);
  void nodes.store.whenSynced().then(() => void (isCurrent() && world.tell(entry.cluster)));
}

/** A Node without what nobody reads: images and volumes in use are most of it. */
function projectNode(object: KubeObject): StoredNode {
  const { apiVersion, kind, metadata, spec, status } = object as StoredNode;
  const { conditions, nodeInfo, volumesAttached } = status ?? {};
  return {
    apiVersion,
    kind,
    metadata,
    ...(spec === undefined ? {} : { spec }),
    status: {
      ...(conditions === undefined ? {} : { conditions }),
      ...(nodeInfo === undefined ? {} : { nodeInfo }),
      ...(volumesAttached === undefined ? {} : { volumesAttached }),
    },
  };
}

function endSession(entry: Entry): void {
  const { session } = entry;
  entry.session = null;
  session?.lifetime.abort();
}

/** A connection that changed under us brings a new session; our own asking keeps it from idling out. */
function onConnectionChange(world: World, entry: Entry): void {
  const state = world.options.connections.state(entry.cluster);
  if (state.kind === 'connected' && entry.session?.connection === state.client) return;
  if (state.kind === 'connected') {
    endSession(entry);
    startSession(world, entry, state.client);
    return;
  }
  if (entry.session === null || state.kind === 'connecting') return;
  endSession(entry);
  if (state.kind === 'failed') fail(world, entry, state.message);
  void connect(world, entry);
}

/** True where nobody answered; what a server refuses is an answer, and what we gave up ourselves tells nothing. */
function isSilence(error: unknown): boolean {
  return isApiError(error) && error.failure.status === null && error.failure.kind !== 'Aborted';
}

/** Asks the cluster for anything, and until it answers counts it as unreachable. Silence ends the session. */
function suspect(world: World, entry: Entry): void {
  const { session } = entry;
  if (session === null || session.isSuspect) return;
  session.isSuspect = true;
  const { signal } = session.lifetime;
  const options = { limit: 1, timeoutMs: WORKLOAD_PROBE_TIMEOUT_MS, signal };
  void session.connection.list(kinds.node, options).then(
    () => {
      if (entry.session !== session) return;
      session.isSuspect = false;
      world.tell(entry.cluster);
    },
    (error: unknown) => {
      if (entry.session !== session || signal.aborted) return;
      endSession(entry);
      entry.failures = Math.max(entry.failures, FAILURES_UNTIL_DOWN - 1);
      fail(world, entry, messageOf(error));
      void connect(world, entry);
    },
  );
}

/** Something was heard: the cluster answers. */
function hear(world: World, entry: Entry): void {
  const wasDown = entry.downSinceMs !== null;
  entry.lastHeardMs = world.options.clock.nowMs();
  entry.failures = 0;
  entry.downSinceMs = null;
  entry.message = '';
  if (wasDown) world.tell(entry.cluster);
}

/** Nothing was heard: those who look are told when that begins, and when it is enough to count. */
function fail(world: World, entry: Entry, message: string): void {
  entry.failures += 1;
  entry.downSinceMs ??= world.options.clock.nowMs();
  entry.message = message;
  const isFirstWord = entry.lastHeardMs === null && entry.failures === 1;
  if (isFirstWord || entry.failures === FAILURES_UNTIL_DOWN) world.tell(entry.cluster);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function idOf({ namespace, name }: ClusterName): string {
  return `${namespace}/${name}`;
}
