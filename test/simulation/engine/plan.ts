// What one seed decides before anything runs: the world, and every fault with its time. Data, so that it can be made smaller.
//
//   P1. The same seed gives the same plan; a plan gives the same run.
//   P2. Each fault has a seed of its own: leaving one out changes nothing in the others.
import { hasMachines, machineFaults, type Ending, type MachineActName } from './machine-plan.js';
import { streamOf, type Stream } from './seeded.js';
import { withStory } from './stories.js';

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
  /** A Secret of somebody else's stands where the last worker's data would go, until so long after initialisation. */
  readonly foreignSecretUntilMs: number | null;
  /** What it is: one that another kind controls, or one without labels and controller, of another type. */
  readonly foreignSecret: 'controlled' | 'plain';
  readonly operators: 1 | 2;
  readonly snapshotStore: 'status' | 'annotation' | 'configmap' | 'none';
  /** The operator is the Machine controller too; otherwise the infrastructure plays it. */
  readonly machines: boolean;
  /** The operator says of Clusters that they are initialised; otherwise the infrastructure does. */
  readonly conditions: boolean;
  /** Files and passwords come from Secrets with marks in them; not said in other worlds. Drawn from a stream of its own. */
  readonly contentsFromSecrets?: true;
  /** What API servers of workload clusters answer to `/`. */
  readonly rootAnswer: 'paths' | 'nothing' | 'page';
  /** How often the operator looks at everything; 0 for never. Where it does, who is not woken is found by it. */
  readonly syncPeriodMs: number;
  /** How long what has no owner any more is still there; next to nothing where it is not said. Never drawn. */
  readonly collectMs?: number;
}

/** A time in which something happens to some requests. */
interface Window {
  readonly seed: number;
  readonly fromMs: number;
  readonly toMs: number;
  readonly rate: number;
}

/** A step of a process on the network, before or after a request, of those that count. */
export interface Moment {
  readonly atMs: number;
  readonly step: number;
  readonly counts: 'all' | 'writes' | 'secrets';
}

/** One fault. */
export type Fault =
  | (Window & {
      readonly kind: 'requests';
      readonly on: 'management' | 'workload';
      readonly what: 'delay' | 'status' | 'drop-before' | 'drop-after' | 'hang-before' | 'hang-after' | 'late';
      readonly code: number;
      readonly ms: number;
      /** Plural of the only resource that it hits. */
      readonly resource?: string;
      /** It hits writes alone. */
      readonly isWrite?: boolean;
    })
  | (Window & {
      readonly kind: 'watches';
      readonly what: 'delay' | 'close' | 'break' | 'gone' | 'silent' | 'duplicate' | 'drop' | 'lapse';
      /** Plural of the only resource that it hits; empty for all: that is how kinds are reordered. */
      readonly resource: string;
      readonly ms: number;
      /** The only one of two processes that it hits. */
      readonly operator?: 1 | 2;
    })
  | {
      readonly kind: 'isolation';
      readonly from: 'management' | 'workload';
      /** The only one of two processes that it hits; null for all. */
      readonly operator: 1 | 2 | null;
      readonly fromMs: number;
      readonly toMs: number;
    }
  /**
   * Somebody else is faster: just before a write is handled, its object is changed, or deleted and created again; or a token
   * is taken, or a certificate stored, before it is made.
   */
  | (Window & { readonly kind: 'race'; readonly what: 'touch' | 'recreate' | 'take' })
  /** At its nth step on the network after a time the process that acts stands still, and then goes on as if nothing had been. */
  | (Moment & { readonly kind: 'freeze'; readonly ms: number })
  /** At its nth step the process ends at once, and comes back. */
  | (Moment & { readonly kind: 'kill'; readonly downMs: number })
  | { readonly kind: 'clock'; readonly atMs: number; readonly ms: number }
  | { readonly kind: 'compact'; readonly atMs: number }
  | { readonly kind: 'act'; readonly atMs: number; readonly what: ActName; readonly target: number }
  | { readonly kind: 'machine-act'; readonly atMs: number; readonly what: MachineActName; readonly target: number }
  /** A Machine is deleted. */
  | ({ readonly kind: 'ending' } & Ending);

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
  'moveConfig',
  'growPool',
] as const;
/** Acts that are never drawn: some seeds have one besides. */
const RARE_ACTS = ['addWhilePaused'] as const;
const RARE_SHARE = 0.06;
const CONDITIONS_SHARE = 0.2;
const CONTENTS_SHARE = 0.06;
const SYNC_SHARE = 0.2;
/** Those that need a moment that is rare are drawn more often. */
const ACTS_DRAWN: readonly ActName[] = [
  ...ACT_NAMES,
  'loseToken',
  'loseToken',
  'expireToken',
  'corruptLock',
  'pauseConfig',
  'failLockHolder',
];
/** Acts of stories: they are never drawn either. */
export type StoryAct =
  | 'pauseFirst'
  | 'removeWorker'
  | 'dropLockLate'
  | 'recreateLockHolder'
  | 'rotateKubeconfig'
  | 'renewKubeconfig'
  | 'swapToken';
/** The last one is asked for by name alone. */
export type ActName = (typeof ACT_NAMES)[number] | (typeof RARE_ACTS)[number] | StoryAct | 'failLockHolderLate';

/** Everything that one seed decides. */
export interface Plan {
  readonly seed: number;
  readonly world: WorldPlan;
  readonly faults: readonly Fault[];
}

/** Parts of a world that change nothing in its objects' plan. */
type Surroundings = Pick<WorldPlan, 'foreignSecret' | 'rootAnswer' | 'syncPeriodMs'>;

const MINUTE = 60_000;

/** The plan of a seed. */
export function planOf(seed: number): Plan {
  const random = streamOf(seed, 'plan');
  const drawn = worldOf(random);
  const common = { ...drawn, ...surroundings(seed) };
  const world = hasMachines(seed) ? smallWorld(common) : { ...common, machines: false, conditions: false };
  const count = random.chance(0.05) ? 0 : random.int(1, 9);
  const faults = Array.from({ length: count }, () => faultOf(random, world));
  const others = world.machines ? machineFaults(seed, world) : rareActs(seed);
  return withContents(withConditions(withStory({ seed, world, faults: [...faults, ...others] }, faultsEndMs)));
}

/** One more controller in some of the worlds of one process. */
function withConditions(plan: Plan): Plan {
  const isDrawn = streamOf(plan.seed, `conditions ${plan.seed}`).chance(CONDITIONS_SHARE);
  return { ...plan, world: { ...plan.world, conditions: isDrawn && plan.world.operators === 1 } };
}

/** Secrets in the data of some of the worlds. */
function withContents(plan: Plan): Plan {
  const isDrawn = streamOf(plan.seed, `contents ${plan.seed}`).chance(CONTENTS_SHARE);
  return isDrawn ? { ...plan, world: { ...plan.world, contentsFromSecrets: true } } : plan;
}

/** What is around the objects, from a stream of its own: all else stays what it is. */
function surroundings(seed: number): Surroundings {
  const random = streamOf(seed, `surroundings ${seed}`);
  return {
    foreignSecret: random.pick(['controlled', 'plain'] as const),
    rootAnswer: random.pick(['paths', 'paths', 'nothing', 'page'] as const),
    syncPeriodMs: random.chance(SYNC_SHARE) ? random.pick([3, 10, 20]) * MINUTE : 0,
  };
}

/** From a stream of its own: the plans of all other seeds stay what they are. */
function rareActs(seed: number): readonly Fault[] {
  const random = streamOf(seed, `rare acts ${seed}`);
  if (!random.chance(RARE_SHARE)) return [];
  return [{ kind: 'act', atMs: random.int(0, 30_000), what: random.pick(RARE_ACTS), target: 0 }];
}

/** Faults end by then: where nodes boot for long, most of the life of their tokens lies before it. */
export function faultsEndMs({ bootMs }: Pick<WorldPlan, 'bootMs'>): number {
  return 6 * MINUTE + (bootMs[1] > 5 * MINUTE ? bootMs[0] : 0);
}

/** The operator has twice as much to do, and a world the less to hold. */
function smallWorld(drawn: Omit<WorldPlan, 'machines' | 'conditions'>): WorldPlan {
  const controlPlanes = Math.min(drawn.controlPlanes, 2);
  return { ...drawn, clusters: 1, controlPlanes, poolReplicas: 0, machines: true, conditions: false };
}

function worldOf(random: Stream): Omit<WorldPlan, 'machines' | 'conditions' | keyof Surroundings> {
  const tokenTtlMs = random.pick([15, 15, 6]) * MINUTE;
  const controlPlanes = random.pick([1, 2, 2, 3]);
  const workers = random.pick([0, 1, 1, 2]);
  return {
    clusters: random.chance(0.12) ? 2 : 1,
    controlPlanes,
    workers,
    poolReplicas: random.chance(0.3) ? random.int(1, 2) : 0,
    certificates: random.chance(0.25) ? 'generated' : 'given',
    tokenTtlMs,
    bootMs: random.pick([
      [500, 4_000],
      [500, 4_000],
      [20_000, 90_000],
      [tokenTtlMs * 1.2, tokenTtlMs * 2.5],
    ] as const),
    userToken: workers > 0 && random.chance(0.15),
    foreignSecretUntilMs: workers > 0 && random.chance(0.12) ? random.int(1, 5) * MINUTE : null,
    operators: random.chance(0.25) ? 2 : 1,
    snapshotStore: random.pick(['status', 'status', 'status', 'annotation', 'configmap', 'none'] as const),
  };
}

/** Most of what matters happens in the first half minute. */
function timeOf(random: Stream, world: WorldPlan): number {
  return random.chance(0.7) ? random.int(0, 30_000) : random.int(0, faultsEndMs(world) - 90_000);
}

function windowOf(random: Stream, world: WorldPlan): Window {
  const fromMs = timeOf(random, world);
  return {
    seed: random.int(1, 2 ** 30),
    fromMs,
    toMs: Math.min(faultsEndMs(world), fromMs + random.int(5_000, 90_000)),
    rate: random.pick([0.1, 0.3, 0.6, 1]),
  };
}

/** Kinds of faults and how often each is drawn. */
const SHARES: readonly (readonly [number, (random: Stream, world: WorldPlan) => Fault])[] = [
  [22, requestsFault],
  [20, watchesFault],
  [8, isolationFault],
  [18, (random, world) => ({ kind: 'kill', ...momentOf(random, world), downMs: random.pick([0, 500, 5_000, 40_000]) })],
  [6, raceFault],
  [4, freezeFault],
  [
    3,
    (random, world) => ({
      kind: 'clock',
      atMs: timeOf(random, world),
      ms: random.int(-1, 1) * (world.tokenTtlMs / 10),
    }),
  ],
  [3, (random, world) => ({ kind: 'compact', atMs: timeOf(random, world) })],
  [
    24,
    (random, world) => ({
      kind: 'act',
      atMs: timeOf(random, world),
      what: random.pick(ACTS_DRAWN),
      target: random.int(0, 11),
    }),
  ],
];
const ALL_SHARES = SHARES.reduce((sum, [share]) => sum + share, 0);

function faultOf(random: Stream, world: WorldPlan): Fault {
  // Who loses the Lease in the middle of something is what two processes are about.
  if (world.operators === 2 && random.chance(0.15)) return freezeFault(random, world);
  let dice = random.next() * ALL_SHARES;
  for (const [share, make] of SHARES) {
    dice -= share;
    if (dice < 0) return make(random, world);
  }
  throw new Error('the shares of faults do not add up');
}

function requestsFault(random: Stream, world: WorldPlan): Fault {
  return {
    kind: 'requests',
    ...windowOf(random, world),
    on: random.chance(0.7) ? 'management' : 'workload',
    what: random.pick(['delay', 'status', 'status', 'drop-before', 'drop-after', 'hang-before', 'hang-after', 'late']),
    code: random.pick([409, 429, 500, 503, 504]),
    ms: random.int(200, 50_000),
  };
}

function watchesFault(random: Stream, world: WorldPlan): Fault {
  return {
    kind: 'watches',
    ...windowOf(random, world),
    what: random.pick(['delay', 'delay', 'delay', 'close', 'break', 'gone', 'silent', 'duplicate', 'drop']),
    resource: random.pick(['', 'secrets', 'configmaps', 'kubeadmconfigs', 'machines', 'clusters', 'kubeadmconfigs']),
    ms: random.int(500, 30_000),
  };
}

function isolationFault(random: Stream, world: WorldPlan): Fault {
  const fromMs = timeOf(random, world);
  const toMs = Math.min(faultsEndMs(world), fromMs + random.int(5_000, 100_000));
  const operator = world.operators === 2 ? random.pick([null, 1, 2] as const) : null;
  return { kind: 'isolation', from: random.chance(0.6) ? 'workload' : 'management', operator, fromMs, toMs };
}

function momentOf(random: Stream, world: WorldPlan): Moment {
  const counts = random.pick(['all', 'writes', 'writes', 'secrets'] as const);
  return { atMs: timeOf(random, world), counts, step: random.int(0, counts === 'secrets' ? 12 : 40) };
}

function freezeFault(random: Stream, world: WorldPlan): Fault {
  return { kind: 'freeze', ...momentOf(random, world), ms: random.pick([2_000, 20_000, 75_000, 100_000]) };
}

function raceFault(random: Stream, world: WorldPlan): Fault {
  // At every write nobody would ever get through.
  return {
    kind: 'race',
    ...windowOf(random, world),
    rate: random.pick([0.1, 0.3, 0.5]),
    what: random.pick(['touch', 'touch', 'recreate']),
  };
}
