// Connections to workload clusters: opened when a turn wants one, closed when none has for a minute.
//
//   N4. No probes: a connection is checked when it is made, and by the calls that use it.
//   N5. A client that was handed out stays usable for the call that has it, also after the connection ended.
//   N6. Listeners hear when a connection comes up or breaks, when its failure changes, and when its kubeconfig changes.

import { setMaxListeners } from 'node:events';
import type { Clock, Random } from '../host/contract.js';
import { CONNECTION_IDLE_MAX_MS, CONNECTIONS_MAX } from '../limits.js';
import type { ApiClient, ApiError, ConnectionState, WorkloadConnections } from './contract.js';
import { step, unconnected, type ConnectionHappening, type ConnectionPhase } from './connection-state.js';
import { failureOfSilence, isApiError } from './failures.js';
import { KubeconfigUnreadError, type ClusterName, type KubeconfigSource } from './kubeconfig-secrets.js';
import { orAborted } from './waiting.js';
import { watchedClient } from './watched-client.js';

/** Why there is no connection. Its `failure` has the shape of an ApiError's. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly failure: {
    readonly kind: 'NotConnected';
    readonly message: string;
    readonly target: { readonly kind: 'Cluster'; readonly namespace: string; readonly name: string };
  };
  /** Milliseconds from now until another attempt may be made. */
  readonly retryInMs: number;

  constructor(
    cluster: ClusterName,
    message: string,
    retryInMs: number,
    /** The kubeconfig could not be read: the cluster was not asked. */
    readonly isUnasked = false,
  ) {
    super(message);
    this.failure = { kind: 'NotConnected', message, target: { kind: 'Cluster', ...cluster } };
    this.retryInMs = retryInMs;
  }
}

/** A client that can be closed. */
export type ClosableClient = ApiClient & { close(): Promise<void> };

/** What connections tell: for metrics and logs. */
export interface ConnectionObserver {
  onPhase?(cluster: ClusterName, phase: ConnectionPhase, tookMs: number): void;
  onAttempt?(cluster: ClusterName, success: boolean): void;
  onForgotten?(cluster: ClusterName): void;
  /** Four fifths of what there may be are there. */
  onCrowded?(connections: number): void;
}

/** What connections need. */
export interface WorkloadConnectionsOptions {
  readonly kubeconfigs: KubeconfigSource;
  /** Makes a client and checks that the cluster answers. Throws an Error whose message says why not. */
  readonly connect: (kubeconfigText: string, signal: AbortSignal) => Promise<ClosableClient>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'next'>;
  readonly observer?: ConnectionObserver;
}

interface Connection {
  readonly cluster: ClusterName;
  phase: ConnectionPhase;
  client: OpenClient | null;
  /** Kubeconfig of the last attempt, so that a change that is none is recognised. */
  kubeconfig: string | null;
  settled: Settled | null;
  usedAtMs: number;
  cancelTimer: () => void;
}

interface OpenClient {
  readonly raw: ClosableClient;
  readonly watched: ApiClient;
  /** Calls and watches that run. */
  readonly calls: { count: number };
}

interface Settled {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

/** No connections yet. */
export function createWorkloadConnections(options: WorkloadConnectionsOptions): WorkloadConnections {
  const connections = new Map<string, Connection>();
  const listeners = new Set<(cluster: ClusterName) => void>();
  const closing = new AbortController();
  // Every attempt of every cluster listens to it.
  setMaxListeners(0, closing.signal);
  const world: World = {
    options,
    connections,
    closing,
    tell: (cluster) => listeners.forEach((listener) => listener(cluster)),
  };
  const unsubscribe = options.kubeconfigs.subscribe((changed) => {
    const named = changed === null ? [...connections.values()].map(({ cluster }) => cluster) : [changed];
    for (const cluster of named) void onSecret(world, cluster);
  });

  return {
    async client(cluster, signal, { isLive = false } = {}) {
      const connection = connectionFor(world, cluster);
      connection.usedAtMs = options.clock.monotonicMs();
      happen(world, connection, { kind: isLive && connection.phase.kind === 'failed' ? 'retry-due' : 'wanted' });
      while (connection.phase.kind === 'connecting' && connection.settled !== null) {
        await orAborted(connection.settled.promise, signal, () => abortedError(cluster));
      }
      if (connection.phase.kind === 'connected' && connection.client !== null) return connection.client.watched;
      throw connectionError(world, connection);
    },

    state(cluster): ConnectionState {
      const connection = connections.get(keyOf(cluster));
      return connection === undefined ? { kind: 'none' } : stateOf(connection, options.clock);
    },

    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    async close() {
      unsubscribe();
      closing.abort();
      const clients = [...connections.values()].flatMap(({ client }) => (client === null ? [] : [client.raw]));
      for (const connection of connections.values()) connection.cancelTimer();
      connections.clear();
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

interface World {
  readonly options: WorkloadConnectionsOptions;
  readonly connections: Map<string, Connection>;
  readonly closing: AbortController;
  readonly tell: (cluster: ClusterName) => void;
}

function connectionFor(world: World, cluster: ClusterName): Connection {
  const key = keyOf(cluster);
  const known = world.connections.get(key);
  if (known !== undefined) return known;
  if (world.closing.signal.aborted) throw abortedError(cluster);
  if (world.connections.size >= CONNECTIONS_MAX && !makeRoom(world)) {
    throw new ConnectionError(
      cluster,
      `${CONNECTIONS_MAX} workload clusters are connected already, and all are in use`,
      CONNECTION_IDLE_MAX_MS,
      true,
    );
  }
  const { namespace, name } = cluster;
  const connection: Connection = {
    cluster: Object.freeze({ namespace, name }),
    phase: unconnected,
    client: null,
    kubeconfig: null,
    settled: null,
    usedAtMs: 0,
    cancelTimer: () => undefined,
  };
  world.connections.set(key, connection);
  if (world.connections.size === CONNECTIONS_MAX * 0.8) world.options.observer?.onCrowded?.(world.connections.size);
  return connection;
}

/** Ends the unused connection that was used least lately. */
function makeRoom(world: World): boolean {
  const idle = [...world.connections.values()].filter(
    (each) => callsOf(each) === 0 && each.phase.kind !== 'connecting',
  );
  const oldest = idle.sort((a, b) => a.usedAtMs - b.usedAtMs)[0];
  if (oldest === undefined) return false;
  happen(world, oldest, { kind: 'idle' });
  forget(world, oldest);
  return true;
}

/** Takes one step and does what the new phase asks for. */
function happen(world: World, connection: Connection, happening: ConnectionHappening): void {
  const { clock, random, observer } = world.options;
  const before = connection.phase;
  const after = step(before, happening, { ms: clock.monotonicMs(), random: random.next() });
  if (after === before) return;
  connection.phase = after;
  if (after.kind !== 'connected') dropClient(connection);
  connection.cancelTimer();
  observer?.onPhase?.(
    connection.cluster,
    after,
    before.kind === 'connected' ? clock.monotonicMs() - before.sinceMs : 0,
  );
  switch (after.kind) {
    case 'connecting':
      // A changed kubeconfig only marks the attempt that runs.
      if (before.kind !== 'connecting' || happening.kind !== 'kubeconfig-changed')
        void attempt(world, connection, after.fresh);
      return;
    case 'connected':
      watchIdleness(world, connection);
      break;
    case 'failed':
      connection.cancelTimer = clock.schedule(after.retryAtMs - clock.monotonicMs(), () =>
        onRetryDue(world, connection),
      );
      break;
    case 'none':
      // What a 401 taught us is kept for the next attempt.
      if (after.failures === 0) forget(world, connection);
      else connection.cancelTimer = clock.schedule(CONNECTION_IDLE_MAX_MS, () => forget(world, connection));
      break;
  }
  settle(connection);
  if (isNews(before, after, happening)) world.tell(connection.cluster);
}

/** What those who wait must hear. A repeated failure is none: they come back by themselves. */
function isNews(before: ConnectionPhase, after: ConnectionPhase, happening: ConnectionHappening): boolean {
  if (happening.kind === 'idle' || happening.kind === 'wanted') return false;
  return after.kind !== 'failed' || before.kind === 'connected' || after.failures <= 1;
}

function settle(connection: Connection): void {
  connection.settled?.resolve();
  connection.settled = null;
}

function dropClient(connection: Connection): void {
  const { client } = connection;
  connection.client = null;
  // Calls that run keep their sockets; the last of them closes the client.
  if (client !== null && client.calls.count === 0) void client.raw.close();
}

function callsOf({ client }: Connection): number {
  return client?.calls.count ?? 0;
}

function forget(world: World, connection: Connection): void {
  connection.cancelTimer();
  if (world.connections.get(keyOf(connection.cluster)) !== connection) return;
  world.connections.delete(keyOf(connection.cluster));
  world.options.observer?.onForgotten?.(connection.cluster);
}

async function attempt(world: World, connection: Connection, live: boolean): Promise<void> {
  const { kubeconfigs, connect, observer } = world.options;
  const { signal } = world.closing;
  connection.settled ??= deferred();
  try {
    connection.kubeconfig = null;
    const text = await kubeconfigs.read(connection.cluster, { live, signal }).catch((error: unknown) => {
      throw new Error(`error creating REST config: ${messageOf(error)}`, { cause: error });
    });
    connection.kubeconfig = text;
    const raw = await connect(text, signal);
    if (signal.aborted) {
      await raw.close();
      settle(connection);
      return;
    }
    const calls = { count: 0 };
    connection.client = { raw, calls, watched: watchedClient(raw, hooksFor(world, connection, { raw, calls })) };
    observer?.onAttempt?.(connection.cluster, true);
    happen(world, connection, { kind: 'succeeded' });
  } catch (error) {
    observer?.onAttempt?.(connection.cluster, false);
    if (signal.aborted) settle(connection);
    else happen(world, connection, { kind: 'failed', message: messageOf(error), isUnasked: isUnread(error) });
  }
}

function hooksFor(
  world: World,
  connection: Connection,
  { raw, calls }: Pick<OpenClient, 'raw' | 'calls'>,
): Parameters<typeof watchedClient>[1] {
  const isCurrent = (): boolean => connection.client?.raw === raw;
  return {
    began() {
      calls.count += 1;
    },
    ended(error) {
      calls.count -= 1;
      connection.usedAtMs = world.options.clock.monotonicMs();
      const wasCurrent = isCurrent();
      if (wasCurrent && isApiError(error, 'Unauthorized')) {
        const message = `error creating HTTP client and mapper: cluster is not reachable: ${error.message}`;
        happen(world, connection, { kind: 'unauthorized', message });
      }
      if (calls.count === 0 && !wasCurrent) void raw.close();
    },
  };
}

function watchIdleness(world: World, connection: Connection): void {
  const { clock } = world.options;
  const look = (): void => {
    const leftMs =
      callsOf(connection) > 0
        ? CONNECTION_IDLE_MAX_MS
        : connection.usedAtMs + CONNECTION_IDLE_MAX_MS - clock.monotonicMs();
    if (leftMs > 0) connection.cancelTimer = clock.schedule(leftMs, look);
    else happen(world, connection, { kind: 'idle' });
  };
  connection.usedAtMs = clock.monotonicMs();
  look();
}

/** Nobody has asked for a while: the failure is forgotten, so that the next one who asks gets an attempt at once. */
function onRetryDue(world: World, connection: Connection): void {
  const silentMs = world.options.clock.monotonicMs() - connection.usedAtMs;
  if (silentMs >= CONNECTION_IDLE_MAX_MS) forget(world, connection);
  else happen(world, connection, { kind: 'retry-due' });
}

async function onSecret(world: World, cluster: ClusterName): Promise<void> {
  const connection = world.connections.get(keyOf(cluster));
  if (connection === undefined || connection.phase.kind === 'none') return;
  const { signal } = world.closing;
  const text = await world.options.kubeconfigs.read(cluster, { live: false, signal }).catch(() => null);
  if (signal.aborted || text === connection.kubeconfig) return;
  happen(world, connection, { kind: 'kubeconfig-changed' });
}

function connectionError({ options }: World, { cluster, phase }: Connection): ConnectionError {
  if (phase.kind !== 'failed') return new ConnectionError(cluster, 'connection to the workload cluster is down', 0);
  const retryInMs = Math.max(0, phase.retryAtMs - options.clock.monotonicMs());
  return new ConnectionError(cluster, phase.message, retryInMs, phase.isUnasked);
}

function stateOf({ phase, client }: Connection, clock: Clock): ConnectionState {
  if (phase.kind === 'connected' && client !== null) return { kind: 'connected', client: client.watched };
  if (phase.kind === 'connecting') return { kind: 'connecting' };
  if (phase.kind !== 'failed') return { kind: 'none' };
  // Outside of this file times are the wall clock's.
  const offsetMs = clock.nowMs() - clock.monotonicMs();
  return {
    kind: 'failed',
    message: phase.message,
    ...(phase.isUnasked === true ? { isUnasked: true } : {}),
    sinceMs: phase.sinceMs + offsetMs,
    retryAtMs: phase.retryAtMs + offsetMs,
  };
}

function deferred(): Settled {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}

function abortedError(cluster: ClusterName): ApiError {
  const target = { kind: 'Cluster', ...cluster };
  return failureOfSilence(
    { verb: 'connect', target, write: false },
    { sent: false, aborted: true, reason: 'Aborted', message: 'the call was given up' },
  );
}

function keyOf({ namespace, name }: ClusterName): string {
  return `${namespace}/${name}`;
}

function isUnread(error: unknown): boolean {
  return (error as { cause?: unknown }).cause instanceof KubeconfigUnreadError;
}

function messageOf(error: unknown): string {
  return String((error as { message?: unknown }).message ?? error);
}
