// Faults that only mean something together, in the order in which they come: some of the seeds have one of these.
//
//   P1. Which seeds, and what is drawn for them, comes from streams of their own: the plans of all other worlds stay what they
//       are.
//   P2. Half of them have nothing else that goes wrong: rules that wait where things may be late are strict there.
import type { Fault, Plan, WorldPlan } from './plan.js';
import { streamOf, type Stream } from './seeded.js';

const SHARE = 0.14;
/** Of those without one of the first. */
const LATER_SHARE = 0.06;
const MINUTE = 60_000;
/** What begins before faults end is over by then. */
const LAST_MS = 90_000;

type World = Omit<WorldPlan, 'machines' | 'conditions'>;

/** A story: what its world must have, and its faults. */
interface Story {
  readonly world?: Partial<World>;
  readonly faults: readonly Fault[];
}

const STORIES: readonly ((random: Stream, world: World) => Story)[] = [
  scaleDown,
  lateData,
  lateCluster,
  takeover,
  unknownHolder,
  holderAgain,
  newAddress,
  otherToken,
  takenToken,
];
/** They came later, and have seeds of their own. */
const LATER_STORIES: readonly ((random: Stream, world: World) => Story)[] = [statusInGap, newKubeconfig];

/**
 * The plan with the story of its seed, if it has one. Not for worlds with the Machine controller, which have their own. Faults
 * that were drawn for a world that lasts longer are left out.
 */
export function withStory(plan: Plan, endMs: (world: WorldPlan) => number): Plan {
  if (plan.world.machines) return plan;
  const first = streamOf(plan.seed, `stories ${plan.seed}`);
  const isFirst = first.chance(SHARE);
  const random = isFirst ? first : streamOf(plan.seed, `later stories ${plan.seed}`);
  if (!isFirst && !random.chance(LATER_SHARE)) return plan;
  const isAlone = random.chance(0.5);
  const story = random.pick(isFirst ? STORIES : LATER_STORIES)(random, plan.world);
  const world = { ...plan.world, ...story.world };
  const isInTime = (fault: Fault): boolean => ('toMs' in fault ? fault.toMs : fault.atMs + LAST_MS) <= endMs(world);
  return { ...plan, world, faults: isAlone ? story.faults : [...plan.faults.filter(isInTime), ...story.faults] };
}

/** Times of a fault, with a seed of its own. */
function during(random: Stream, fromMs: number, forMs: number) {
  return { seed: random.int(1, 2 ** 30), fromMs, toMs: fromMs + forMs };
}

/** A worker goes for good while a watch is broken: its deletion is in no event. */
function scaleDown(random: Stream, { workers }: World): Story {
  const atMs = random.int(6_000, 60_000);
  return {
    world: { workers: Math.max(1, workers), foreignSecretUntilMs: null },
    faults: [
      { kind: 'act', what: 'removeWorker', atMs, target: random.int(0, 11) },
      {
        kind: 'watches',
        ...during(random, atMs, 40_000),
        rate: random.pick([0.5, 1]),
        what: random.pick(['gone', 'gone', 'drop', 'silent', 'close']),
        resource: random.pick(['machines', 'kubeadmconfigs', 'secrets']),
        ms: random.int(500, 30_000),
      },
    ],
  };
}

/** Init data arrives after its sender has given it up, while another control plane waits for the lock. */
function lateData(random: Stream, { controlPlanes }: World): Story {
  return {
    world: { controlPlanes: Math.max(2, controlPlanes), certificates: 'given' },
    faults: [
      {
        kind: 'requests',
        ...during(random, 0, 40_000),
        rate: random.pick([0.6, 1]),
        on: 'management',
        resource: 'secrets',
        isWrite: true,
        what: 'late',
        code: 500,
        ms: random.int(31_000, 50_000),
      },
    ],
  };
}

/** The lock is gone before anybody hears that the control plane is initialised. */
function lateCluster(random: Stream, { controlPlanes }: World): Story {
  return {
    world: { controlPlanes: Math.max(2, controlPlanes) },
    faults: [
      { kind: 'act', what: 'dropLockLate', atMs: 0, target: 0 },
      {
        kind: 'watches',
        ...during(random, 2_000, 3 * MINUTE),
        rate: 1,
        what: 'delay',
        resource: 'clusters',
        ms: random.int(8_000, 30_000),
      },
    ],
  };
}

/** Who takes over has a cache that has heard nothing of late. */
function takeover(random: Stream, { controlPlanes }: World): Story {
  const operator = random.pick([1, 2] as const);
  return {
    world: {
      operators: 2,
      controlPlanes: Math.max(2, controlPlanes),
      bootMs: random.pick([[500, 4_000] as const, [90_000, 150_000] as const]),
    },
    faults: [
      {
        kind: 'watches',
        ...during(random, 0, 3 * MINUTE),
        rate: 1,
        what: 'silent',
        resource: random.pick(['machines', 'clusters', 'kubeadmconfigs', 'configmaps', 'secrets']),
        ms: 1_000,
        operator,
      },
      { kind: 'kill', atMs: 0, counts: 'writes', step: random.int(3, 30), downMs: 40_000 },
      { kind: 'kill', atMs: random.int(2_000, 60_000), counts: 'writes', step: random.int(0, 10), downMs: 40_000 },
    ],
  };
}

/** Who takes over has never heard of the Machine that has the lock. */
function unknownHolder(random: Stream): Story {
  return {
    world: { operators: 2, clusters: 1, controlPlanes: 2, bootMs: [200_000, 240_000] },
    faults: [
      {
        kind: 'watches',
        ...during(random, 0, 2 * MINUTE),
        rate: 1,
        what: 'silent',
        resource: 'machines',
        ms: 1_000,
        operator: random.pick([1, 2] as const),
      },
      { kind: 'act', what: 'pauseFirst', atMs: 0, target: random.int(85, 130) },
      { kind: 'kill', atMs: random.int(6_000, 9_000), counts: 'all', step: 0, downMs: 90_000 },
    ],
  };
}

/** The holder of the lock is made again, and the cache still shows it the lock that another has taken from it meanwhile. */
function holderAgain(random: Stream, { controlPlanes }: World): Story {
  const lateMs = random.int(6, 15) * 1000;
  return {
    world: { controlPlanes: Math.max(2, controlPlanes), bootMs: [60_000, 90_000], certificates: 'given' },
    faults: [
      {
        kind: 'act',
        what: 'recreateLockHolder',
        atMs: 0,
        target: lateMs / 1000 + 1,
      },
      {
        kind: 'watches',
        ...during(random, 0, 2 * MINUTE),
        rate: 1,
        what: 'delay',
        resource: 'configmaps',
        ms: lateMs,
      },
      {
        kind: 'requests',
        ...during(random, 0, 2 * MINUTE),
        rate: 0.5,
        on: 'management',
        resource: 'secrets',
        what: 'delay',
        code: 500,
        ms: random.int(1_000, 4_000),
      },
    ],
  };
}

/** A workload cluster gets another address while somebody waits for it. */
function newAddress(random: Stream, { workers }: World): Story {
  return {
    world: {
      workers: Math.max(1, workers),
      foreignSecretUntilMs: null,
      bootMs: [60_000, 240_000],
    },
    faults: [{ kind: 'act', what: 'rotateKubeconfig', atMs: random.int(5_000, 60_000), target: random.int(0, 11) }],
  };
}

/** A user writes another token into a spec whose Machine has started. */
function otherToken(random: Stream, { workers }: World): Story {
  return {
    world: {
      workers: Math.max(1, workers),
      userToken: false,
      foreignSecretUntilMs: null,
      bootMs: [60_000, 240_000],
    },
    faults: [{ kind: 'act', what: 'swapToken', atMs: random.int(5_000, 60_000), target: random.int(0, 11) }],
  };
}

/**
 * Watches of a kind say nothing for a while, and then that they are too old: the list that follows shows what happened meanwhile,
 * most of it with the generation that was known, or without what has gone. Nobody comes by to find it.
 */
function statusInGap(random: Stream, { workers }: World): Story {
  const resource = random.pick(['clusters', 'clusters', 'secrets', 'secrets', 'kubeadmconfigs', 'machines'] as const);
  return {
    world: {
      workers: Math.max(1, workers),
      // Its end is what is missed.
      foreignSecretUntilMs: resource === 'secrets' ? random.int(20, 80) * 1_000 : null,
      foreignSecret: 'plain',
      syncPeriodMs: 0,
      bootMs: [10_000, 40_000],
    },
    faults: [
      {
        kind: 'watches',
        ...during(random, 0, 3 * MINUTE),
        rate: random.pick([0.5, 1]),
        what: 'lapse',
        resource,
        ms: random.int(500, 9_000),
      },
    ],
  };
}

/** The kubeconfig of the workload cluster is deleted and made anew while nodes join. */
function newKubeconfig(random: Stream, { workers }: World): Story {
  return {
    world: {
      workers: Math.max(1, workers),
      foreignSecretUntilMs: null,
      syncPeriodMs: 0,
      bootMs: random.pick([[500, 4_000] as const, [60_000, 120_000] as const]),
    },
    faults: [{ kind: 'act', what: 'renewKubeconfig', atMs: random.int(0, 20_000), target: random.int(1, 40) }],
  };
}

/** Somebody else has a token of the very id, and stores certificates, too. */
function takenToken(random: Stream, { workers }: World): Story {
  return {
    world: { workers: Math.max(1, workers), certificates: random.pick(['given', 'generated'] as const) },
    faults: [{ kind: 'race', ...during(random, 0, 2 * MINUTE), rate: random.pick([0.3, 0.6]), what: 'take' }],
  };
}
