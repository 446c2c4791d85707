// Parts that many rows share: the row type of this machine, requeue times, and what is waited for.
import type { Requeue, Row, WaitsFor } from '../kit/row.js';
import type { Facts, Reply, Request, State } from './facts.js';
import type { Guard } from './guards.js';
import { unchanged } from './reasons.js';

/** A row of this machine. */
export type KubeadmConfigRow = Row<State, Facts, Request, Reply, Guard>;

/** What a row must say; the rest is silence: no request, no requeue, no condition, no arrow. */
type RowSaying = Pick<KubeadmConfigRow, 'id' | 'requirements' | 'title' | 'description' | 'on' | 'guard' | 'target'> &
  Partial<KubeadmConfigRow>;

/** Fills in what a row leaves unsaid. */
export function row(saying: RowSaying): KubeadmConfigRow {
  return { from: [], request: null, requeue: null, conditions: unchanged, ...saying };
}

/** Requeue while the control plane is not initialised: a safety net, events come first. */
export const CONTROL_PLANE_REQUEUE_MS = 30_000;
/** Requeue while the endpoint is missing: a safety net, events come first. */
export const ENDPOINT_REQUEUE_MS = 10_000;

export const controlPlaneRequeue: Requeue<Facts> = {
  afterMs: () => CONTROL_PLANE_REQUEUE_MS,
  why: 'a safety net: the Cluster and the lock wake it at once',
};
export const endpointRequeue: Requeue<Facts> = {
  afterMs: () => ENDPOINT_REQUEUE_MS,
  why: 'a safety net: the Cluster wakes it at once',
};
export const atOnce: Requeue<Facts> = { afterMs: () => 0, why: 'the next step follows at once' };
/** The lock of an initialised cluster is released by the next look. */
export const lockLeftOver: Requeue<Facts> = {
  afterMs: (f) => (f.lock !== 'free' && f.controlPlaneInitialized ? 0 : null),
  why: 'a lock that is left over is released at once',
};
export const tokenRequeue: Requeue<Facts> = {
  afterMs: (f) => Math.floor(f.tokenTtlMs / 3),
  why: 'tokens are looked at every TTL/3',
};
/** Keeps the time that was set when the token was last looked at. */
export const nextTokenLook: Requeue<Facts> = {
  afterMs: (f) => f.tokenCheckInMs,
  why: 'tokens are looked at every TTL/3',
};

const clusterApi = 'cluster.x-k8s.io/v1beta2';

export const onCluster = (f: Facts, what: string, remedy: string): WaitsFor => ({
  apiVersion: clusterApi,
  kind: 'Cluster',
  namespace: f.names.namespace,
  name: f.names.cluster,
  what,
  remedy,
});

export const onOwner = (f: Facts, what: string, remedy: string): WaitsFor => ({
  apiVersion: clusterApi,
  kind: f.owner === 'MachinePool' ? 'MachinePool' : 'Machine',
  namespace: f.names.namespace,
  name: f.names.owner,
  what,
  remedy,
});

export const onHolder = (f: Facts): WaitsFor => ({
  ...onOwner(
    f,
    `it holds the init lock, ConfigMap ${f.names.namespace}/${f.names.cluster}-lock`,
    'The Machine that holds the lock initialises the control plane, or is deleted.',
  ),
  kind: 'Machine',
  name: f.names.lockHolder,
});

export const onLock = (f: Facts): WaitsFor => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: f.names.namespace,
  name: `${f.names.cluster}-lock`,
  what: `it cannot be read as an init lock: ${f.lockProblem}`,
  remedy: `Delete ConfigMap ${f.names.namespace}/${f.names.cluster}-lock if no control plane Machine is initializing.`,
});

export const onDataSecret = (f: Facts, what: string, remedy: string): WaitsFor => ({
  apiVersion: 'v1',
  kind: 'Secret',
  namespace: f.names.namespace,
  name: f.names.config,
  what,
  remedy,
});

export const onItself = (f: Facts, what: string, remedy: string): WaitsFor => ({
  apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmConfig',
  namespace: f.names.namespace,
  name: f.names.config,
  what,
  remedy,
});

/** The node that is to come; nobody where all nodes of a pool are there. */
export const onNode = (f: Facts): WaitsFor | null =>
  f.nodeJoined
    ? null
    : onOwner(
        f,
        'its node has not joined',
        'The infrastructure boots the machine with the stored data and its node joins.',
      );

/** What the turn's failure names, with a remedy. */
export const onFailure =
  (remedy: string): ((f: Facts) => WaitsFor | null) =>
  (f) => {
    if (f.failure === null) return null;
    const { object } = f.failure;
    if (object === undefined) return onItself(f, f.failure.message, remedy);
    return { ...object, what: f.failure.message, remedy };
  };
