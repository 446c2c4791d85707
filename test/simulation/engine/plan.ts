// What one seed decides before anything runs: the world, and every fault with its time. Data, so that it can be made smaller.
//
//   P1. The same seed gives the same plan; a plan gives the same run.
//   P2. Each fault has a seed of its own: leaving one out changes nothing in the others.
import { streamOf, type Stream } from './seeded.js';

/** The objects that users create, and how nodes behave. */
export interface WorldPlan {
  readonly clusters: number;
  readonly controlPlanes: number;
  readonly workers: number;
  readonly poolReplicas: number;
  /** CA Secrets are there, or the operator makes them. */
  readonly certificates: 'given' | 'generated';
  readonly tokenTtlMs: number;
  /** Time from power on to kubeadm. */
  readonly bootMs: readonly [number, number];
  /** The last worker has a token of the user's own, without an expiry. */
  readonly userToken: boolean;
  /** A Secret that another kind controls stands where the last worker's data would go, until this time. */
  readonly foreignSecretUntilMs: number | null;
  readonly operators: 1 | 2;
  readonly snapshotStore: 'status' | 'annotation' | 'configmap' | 'none';
}

/** A time in which something happens to some requests. */
interface Window {
  readonly seed: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly rate: number;
}

/** One fault. */
export type Fault =
  | (Window & {
      readonly kind: 'requests';
      readonly on: 'management' | 'workload';
      readonly what: 'delay' | 'status' | 'drop-before' | 'drop-after' | 'hang-before' | 'hang-after' | 'late';
      readonly code: number;
      readonly ms: number;
    })
  | (Window & {
      readonly kind: 'watches';
      readonly what: 'delay' | 'close' | 'break' | 'gone' | 'silent' | 'duplicate';
      /** Plural of the only resource that it hits; empty for all: that is how kinds are reordered. */
      readonly resource: string;
      readonly ms: number;
    })
  | {
      readonly kind: 'isolation';
      readonly from: 'management' | 'workload';
      readonly fromMs: number;
      readonly toMs: number;
    }
  /** The process ends at once, at its nth step on the network after a time, and comes back. */
  | {
      readonly kind: 'kill';
      readonly atMs: number;
      readonly step: number;
      readonly writesOnly: boolean;
      readonly downMs: number;
    }
  | { readonly kind: 'clock'; readonly atMs: number; readonly ms: number }
  | { readonly kind: 'compact'; readonly atMs: number }
  | { readonly kind: 'act'; readonly atMs: number; readonly what: ActName; readonly target: number };

/** What others do to the world. */
export const ACT_NAMES = [
  'loseSnapshot',
  'corruptSnapshot',
  'foreignSnapshot',
  'labelConfig',
  'addFile',
  'pauseConfig',
  'pauseCluster',
  'loseToken',
  'expireToken',
  'corruptLock',
  'dropLock',
  'recreateMachine',
  'recreateConfig',
  'failLockHolder',
  'touchCluster',
  'loseStatus',
] as const;
export type ActName = (typeof ACT_NAMES)[number];

/** Everything that one seed decides. */
export interface Plan {
  readonly seed: number;
  readonly world: WorldPlan;
  readonly faults: readonly Fault[];
}

const MINUTE = 60_000;
/** Faults end by then. */
export const FAULTS_END_MS = 6 * MINUTE;

/** The plan of a seed. */
export function planOf(seed: number): Plan {
  const random = streamOf(seed, 'plan');
  const world = worldOf(random);
  const count = random.chance(0.05) ? 0 : random.int(1, 7);
  return { seed, world, faults: Array.from({ length: count }, () => faultOf(random, world)) };
}

function worldOf(random: Stream): WorldPlan {
  const controlPlanes = random.pick([1, 2, 2, 3]);
  const workers = random.pick([0, 1, 1, 2]);
  return {
    clusters: random.chance(0.12) ? 2 : 1,
    controlPlanes,
    workers,
    poolReplicas: random.chance(0.3) ? random.int(1, 2) : 0,
    certificates: random.chance(0.25) ? 'generated' : 'given',
    tokenTtlMs: random.pick([15 * MINUTE, 15 * MINUTE, 6 * MINUTE]),
    bootMs: random.pick([
      [500, 4_000],
      [500, 4_000],
      [20_000, 90_000],
      [8 * MINUTE, 14 * MINUTE],
    ] as const),
    userToken: workers > 0 && random.chance(0.15),
    foreignSecretUntilMs: workers > 1 && random.chance(0.1) ? random.int(1, 5) * MINUTE : null,
    operators: random.chance(0.25) ? 2 : 1,
    snapshotStore: random.pick(['status', 'status', 'status', 'annotation', 'configmap', 'none'] as const),
  };
}

/** Most of what matters happens in the first minute: half of the times lie there. */
function timeOf(random: Stream): number {
  return random.chance(0.6) ? random.int(0, 40_000) : random.int(0, FAULTS_END_MS - 90_000);
}

function windowOf(random: Stream): Window {
  const fromMs = timeOf(random);
  return {
    seed: random.int(1, 2 ** 30),
    fromMs,
    toMs: Math.min(FAULTS_END_MS, fromMs + random.int(5_000, 90_000)),
    rate: random.pick([0.1, 0.3, 0.6]),
  };
}

function faultOf(random: Stream, world: WorldPlan): Fault {
  const dice = random.next();
  if (dice < 0.22) {
    return {
      kind: 'requests',
      ...windowOf(random),
      on: random.chance(0.7) ? 'management' : 'workload',
      what: random.pick([
        'delay',
        'status',
        'status',
        'drop-before',
        'drop-after',
        'hang-before',
        'hang-after',
        'late',
      ]),
      code: random.pick([409, 429, 500, 503, 504]),
      ms: random.int(200, 50_000),
    };
  }
  if (dice < 0.42) {
    return {
      kind: 'watches',
      ...windowOf(random),
      what: random.pick(['delay', 'delay', 'delay', 'close', 'break', 'gone', 'silent', 'duplicate']),
      resource: random.pick(['', 'secrets', 'configmaps', 'kubeadmconfigs', 'machines', 'clusters', 'kubeadmconfigs']),
      ms: random.int(500, 30_000),
    };
  }
  if (dice < 0.5) {
    const fromMs = timeOf(random);
    const toMs = Math.min(FAULTS_END_MS, fromMs + random.int(5_000, 100_000));
    return { kind: 'isolation', from: random.chance(0.6) ? 'workload' : 'management', fromMs, toMs };
  }
  if (dice < 0.7) {
    const downMs = random.pick([0, 500, 5_000, 40_000]);
    return { kind: 'kill', atMs: timeOf(random), step: random.int(0, 40), writesOnly: random.chance(0.7), downMs };
  }
  if (dice < 0.73)
    return { kind: 'clock', atMs: timeOf(random), ms: random.int(-1, 1) * Math.floor(world.tokenTtlMs / 10) };
  if (dice < 0.76) return { kind: 'compact', atMs: timeOf(random) };
  return { kind: 'act', atMs: timeOf(random), what: random.pick(ACT_NAMES), target: random.int(0, 11) };
}
