// The workload clusters that Machines look into: one connection and one watch of Nodes for each, opened on demand, kept while
// the Cluster has Machines.
//
//   W1. Looking never waits. Opening never waits either: a cluster that does not answer holds up no turn of another.
//   W2. What was last heard from a cluster is remembered while it does not answer; its grace is judged by that.
//   W3. Until a cluster is down by time (reach.ts) its Nodes are shown as they were last seen. While it fails it is asked again
//       every WORKLOAD_PROBE_EVERY_MS; once it is down, its session is made anew.
//   W4. Who needs a client while the cluster fails shares one live attempt with others who do, or is refused where one has failed
//       within WORKLOAD_ATTEMPT_FRESH_MS or WORKLOAD_WAITING_MAX turns wait for it: a silent cluster holds up no more than those.
//   W5. A cluster that comes up or goes down is told to all its Machines; one that answers again before it was down only to
//       those that were refused.
//   W6. That a cluster answers does not mean that its Nodes can be read: Nodes that could not be read at first, or for
//       WORKLOAD_NODES_DOWN_AFTER_MS, are unreachable, though there is a client. So nobody is connecting for ever.

import { setMaxListeners } from 'node:events';
import type { ApiClient, CacheChange, WorkloadConnections } from '../../../kube/contract.js';
import { isSilence } from '../../../kube/failures.js';
import type { Informers } from '../../../kube/informers.js';
import { orAborted } from '../../../kube/waiting.js';
import { ConnectionError } from '../../../kube/workload-connections.js';
import {
  CONNECTION_BACKOFF_MAX_MS,
  WORKLOAD_ATTEMPT_FRESH_MS,
  WORKLOAD_DOWN_AFTER_MS,
  WORKLOAD_NODES_DOWN_AFTER_MS,
  WORKLOAD_PROBE_EVERY_MS,
  WORKLOAD_PROBE_TIMEOUT_MS,
  WORKLOAD_WAITING_MAX,
} from '../../../limits.js';
import { kinds, type StoredNode } from '../objects.js';
import { down, failed, heard, untried, type Reach } from './reach.js';
import { downText, lookAt, NoClientError, type WorkloadLook } from './workload-look.js';
import { isAnswer, messageOf, startSession, type Session, type SessionOptions } from './workload-session.js';

/** Name of a Cluster. */
export interface ClusterName {
  readonly namespace: string;
  readonly name: string;
}

/** Somebody who needs a client. */
export interface ClientAsk {
  /** Told when the cluster answers again, where it was refused. */
  readonly key: string;
  readonly signal: AbortSignal;
  /** Nobody comes back after a refusal: only an attempt that ended after this monotonic time can refuse. */
  readonly sinceMs?: number;
}

/** Told which cluster is to be looked at again, and by whom: null stands for everybody. */
export type ConnectionListener = (cluster: ClusterName, keys: readonly string[] | null) => void;

/** The clusters. */
export interface WorkloadClusters {
  look(cluster: ClusterName): WorkloadLook;
  /** Starts connecting and watching; does nothing where that is under way. */
  open(cluster: ClusterName): void;
  /** A client, after a live attempt where the cluster fails. Throws a NoClientError that says why there is none. */
  client(cluster: ClusterName, ask: ClientAsk): Promise<ApiClient>;
  /** Caches of an open cluster for what a drain waits for; null when it is not open. */
  informers(cluster: ClusterName): Informers | null;
  close(cluster: ClusterName): void;
  /** Told when a cluster comes up, goes down, or answers those that it had refused. */
  onConnection(listener: ConnectionListener): () => void;
  /** Told about every change of a Node. */
  onNode(listener: (cluster: ClusterName, change: CacheChange<StoredNode>) => void): () => void;
  stop(): void;
}

/** What the clusters need. */
export interface WorkloadClustersOptions extends SessionOptions {
  readonly connections: WorkloadConnections;
}

/** How often the connection is asked for while it does not come up; its own backoff decides when it really tries. */
const RETRY_MS = 5_000;

interface Entry {
  readonly cluster: ClusterName;
  /** How its server answers. */
  reach: Reach;
  /** How its Nodes can be read. */
  nodes: Reach;
  session: Session | null;
  /** The live attempt that is under way. */
  attempt: Promise<void> | null;
  /** How many turns wait for it. */
  waiting: number;
  /** When the last live attempt came to nothing; monotonic. */
  refusedAtMs: number;
  /** Who was refused since the cluster last answered. */
  readonly refused: Set<string>;
  isClosed: boolean;
  cancelRetry: () => void;
  cancelProbe: () => void;
  cancelDown: () => void;
  /** Null while nothing is due. */
  cancelNodesDown: (() => void) | null;
}

const unreadText = 'its Nodes could not be listed in time';
const nothing = (): void => undefined;

/** No clusters yet. */
export function createWorkloadClusters(options: WorkloadClustersOptions): WorkloadClusters {
  const entries = new Map<string, Entry>();
  const connectionListeners = new Set<ConnectionListener>();
  const nodeListeners = new Set<(cluster: ClusterName, change: CacheChange<StoredNode>) => void>();
  const stopping = new AbortController();
  // Every cluster that waits for its connection listens to it.
  setMaxListeners(0, stopping.signal);
  const world: World = {
    options,
    stopping,
    tell: (cluster, keys) => connectionListeners.forEach((listener) => listener(cluster, keys)),
    tellNode: (cluster, change) => nodeListeners.forEach((listener) => listener(cluster, change)),
  };
  const unsubscribe = options.connections.subscribe((cluster) => {
    const entry = entries.get(idOf(cluster));
    if (entry !== undefined) onConnectionChange(world, entry);
  });
  const close = (entry: Entry): void => {
    entry.isClosed = true;
    entry.cancelRetry();
    entry.cancelProbe();
    entry.cancelDown();
    entry.cancelNodesDown?.();
    endSession(entry);
    entries.delete(idOf(entry.cluster));
  };

  return {
    look(cluster) {
      const entry = entries.get(idOf(cluster));
      return entry === undefined ? { kind: 'closed' } : lookAt(entry);
    },
    open(cluster) {
      if (entries.has(idOf(cluster)) || stopping.signal.aborted) return;
      const entry = newEntry(cluster);
      entries.set(idOf(cluster), entry);
      expectNodes(world, entry);
      void connect(world, entry);
    },
    async client(cluster, ask) {
      const entry = entries.get(idOf(cluster));
      if (entry === undefined) throw new NoClientError(downText, false);
      return clientFor(world, entry, ask);
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
      stopping.abort();
      for (const entry of [...entries.values()]) close(entry);
    },
  };
}

/** Why an attempt failed. */
type Cause = Parameters<typeof failed>[1];

function causeOf(error: unknown): Cause {
  return { message: messageOf(error), isUnasked: error instanceof ConnectionError && error.isUnasked };
}

interface World {
  readonly options: WorkloadClustersOptions;
  readonly stopping: AbortController;
  readonly tell: ConnectionListener;
  readonly tellNode: (cluster: ClusterName, change: CacheChange<StoredNode>) => void;
}

function newEntry({ namespace, name }: ClusterName): Entry {
  return {
    cluster: { namespace, name },
    reach: untried,
    nodes: untried,
    session: null,
    attempt: null,
    waiting: 0,
    refusedAtMs: Number.NEGATIVE_INFINITY,
    refused: new Set(),
    isClosed: false,
    cancelRetry: nothing,
    cancelProbe: nothing,
    cancelDown: nothing,
    cancelNodesDown: null,
  };
}

/** Asks for a connection until there is one, in the background. */
async function connect(world: World, entry: Entry): Promise<void> {
  const { connections, clock } = world.options;
  entry.cancelRetry();
  if (entry.isClosed || entry.session !== null) return;
  try {
    begin(world, entry, await connections.client(entry.cluster, world.stopping.signal));
  } catch (error) {
    if (entry.isClosed || world.stopping.signal.aborted) return;
    failToConnect(world, entry, causeOf(error));
    entry.cancelRetry();
    entry.cancelRetry = clock.schedule(RETRY_MS, () => void connect(world, entry));
  }
}

/** A session on a connection, unless there is one. */
function begin(world: World, entry: Entry, connection: ApiClient): void {
  if (entry.isClosed || entry.session !== null) return;
  expectNodes(world, entry);
  entry.session = startSession(connection, world.options, {
    onHeard: () => hear(world, entry),
    onNodesRead: () => hearNodes(world, entry),
    onNodesFailure: (message) => failNodes(world, entry, { message }),
    onFailure: (message) => fail(world, entry, { message }),
    onSilence(message) {
      fail(world, entry, { message });
      void attempt(world, entry);
    },
    onSynced: () => world.tell(entry.cluster, null),
    onNode: (change) => world.tellNode(entry.cluster, change),
  });
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
    begin(world, entry, state.client);
    return;
  }
  if (entry.session === null || state.kind === 'connecting') return;
  endSession(entry);
  if (state.kind === 'failed') failToConnect(world, entry, state);
  void connect(world, entry);
}

/** The client of a cluster that answers, else the outcome of a live attempt. */
async function clientFor(world: World, entry: Entry, { key, signal, sinceMs }: ClientAsk): Promise<ApiClient> {
  const { clock } = world.options;
  const isFailing = (): boolean => entry.session === null || entry.reach.failingSinceMs !== null;
  const isStale = entry.refusedAtMs < (sinceMs ?? clock.monotonicMs() - WORKLOAD_ATTEMPT_FRESH_MS);
  if (isFailing() && isStale && (sinceMs !== undefined || entry.waiting < WORKLOAD_WAITING_MAX)) {
    entry.waiting += 1;
    await orAborted(attempt(world, entry), signal, () => new Error('the call was given up')).finally(() => {
      entry.waiting -= 1;
    });
  }
  if (entry.session !== null && !isFailing()) return entry.session.client;
  entry.refused.add(key);
  const { message, isUnasked } = entry.reach;
  throw new NoClientError(message === '' ? downText : message, isUnasked);
}

/** One live attempt at a time: a connection where there is none, else a call. Never rejects. */
function attempt(world: World, entry: Entry): Promise<void> {
  entry.attempt ??= tryOnce(world, entry).finally(() => {
    entry.attempt = null;
    if (entry.session === null || entry.reach.failingSinceMs !== null)
      entry.refusedAtMs = world.options.clock.monotonicMs();
  });
  return entry.attempt;
}

async function tryOnce(world: World, entry: Entry): Promise<void> {
  const { connections } = world.options;
  const { signal } = world.stopping;
  let error: unknown;
  let session: Session | null = null;
  try {
    if (entry.session === null) begin(world, entry, await connections.client(entry.cluster, signal, { isLive: true }));
    ({ session } = entry);
    if (session === null) return;
    const options = { limit: 1, timeoutMs: WORKLOAD_PROBE_TIMEOUT_MS, signal: session.lifetime.signal };
    await session.connection.list(kinds.node, options);
  } catch (thrown) {
    error = thrown;
  }
  if (entry.isClosed || entry.session !== session || signal.aborted) return;
  if (isAnswer(error)) hear(world, entry);
  else if (session === null) failToConnect(world, entry, causeOf(error));
  else if (isSilence(error)) fail(world, entry, { message: messageOf(error) });
}

/** Something was heard: the cluster answers. */
function hear(world: World, entry: Entry): void {
  const { isDown } = entry.reach;
  entry.reach = heard(world.options.clock.nowMs());
  entry.cancelProbe();
  entry.cancelDown();
  const refused = [...entry.refused];
  entry.refused.clear();
  if (isDown) world.tell(entry.cluster, null);
  else if (refused.length > 0) world.tell(entry.cluster, refused);
}

/** Nothing was heard: those who look are told when that begins with the first word, and when it has lasted long enough. */
function fail(world: World, entry: Entry, cause: Cause): void {
  const { clock } = world.options;
  const before = entry.reach;
  entry.reach = failed(before, cause, clock.nowMs());
  if (before.failingSinceMs !== null) return;
  entry.cancelDown();
  // What answers in the last moment is not down.
  entry.cancelDown = clock.schedule(
    WORKLOAD_DOWN_AFTER_MS,
    () => void attempt(world, entry).then(() => goDown(world, entry)),
  );
  probeLater(world, entry);
  if (before.lastHeardMs === null) world.tell(entry.cluster, null);
}

/** Without a connection neither the server nor its Nodes can be asked. */
function failToConnect(world: World, entry: Entry, cause: Cause): void {
  failNodes(world, entry, cause);
  fail(world, entry, cause);
}

/** The Nodes were read. */
function hearNodes(world: World, entry: Entry): void {
  const wasDown = entry.nodes.isDown && !entry.reach.isDown;
  entry.nodes = heard(world.options.clock.nowMs());
  entry.cancelNodesDown?.();
  entry.cancelNodesDown = null;
  hear(world, entry);
  if (wasDown) world.tell(entry.cluster, null);
}

/** They could not be read: those who look are told as by `fail`. */
function failNodes(world: World, entry: Entry, cause: Cause): void {
  const before = entry.nodes;
  entry.nodes = failed(before, cause, world.options.clock.nowMs());
  expectNodes(world, entry);
  if (before.failingSinceMs === null && before.lastHeardMs === null) world.tell(entry.cluster, null);
}

/** From now on the Nodes are to be read in time. Their watch goes on: it repairs itself. */
function expectNodes(world: World, entry: Entry): void {
  const { clock } = world.options;
  if (entry.nodes.isDown || entry.cancelNodesDown !== null) return;
  entry.cancelNodesDown = clock.schedule(WORKLOAD_NODES_DOWN_AFTER_MS, () => {
    entry.cancelNodesDown = null;
    const { nodes } = entry;
    const message = nodes.message === '' ? unreadText : nodes.message;
    entry.nodes = down(failed(nodes, { ...nodes, message }, clock.nowMs()));
    world.tell(entry.cluster, null);
  });
}

/** Asks again and again while the cluster fails; where there is no connection, `connect` does. */
function probeLater(world: World, entry: Entry): void {
  const { clock } = world.options;
  entry.cancelProbe();
  const delayMs = entry.reach.isDown ? CONNECTION_BACKOFF_MAX_MS : WORKLOAD_PROBE_EVERY_MS;
  entry.cancelProbe = clock.schedule(delayMs, () => {
    const probe = entry.session === null ? Promise.resolve() : attempt(world, entry);
    void probe.then(() => {
      if (!entry.isClosed && entry.reach.failingSinceMs !== null) probeLater(world, entry);
    });
  });
}

/** The failures have lasted long enough: the session is made anew, as its connection may be at fault. */
function goDown(world: World, entry: Entry): void {
  if (entry.isClosed || entry.reach.failingSinceMs === null) return;
  entry.reach = down(entry.reach);
  endSession(entry);
  world.tell(entry.cluster, null);
  void connect(world, entry);
}

function idOf({ namespace, name }: ClusterName): string {
  return `${namespace}/${name}`;
}
