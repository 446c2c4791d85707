// What a seed decides of the end of Machines: in some of the worlds the operator is their controller too.
//
//   P1. Everything here comes from streams of its own: the plans of all other worlds stay what they are.
import type { Fault, WorldPlan } from './plan.js';
import { streamOf, type Stream } from './seeded.js';

/** The end of one Machine, and the people and programs that have a say in it. Times are milliseconds after its deletion. */
export interface Ending {
  readonly atMs: number;
  /** Which of the Machines, counted round. */
  readonly target: number;
  /** Waits for its Node first, as long as there is hope. */
  readonly waitsForNode: boolean;
  /** When the owner of a hook takes it away; null for no such hook. */
  readonly preDrainMs: number | null;
  readonly preTerminateMs: number | null;
  /** A Pod on its Node: how long a budget forbids its eviction, and how long it takes to end; null for no Pod. */
  readonly pod: { readonly budgetMs: number; readonly endMs: number } | null;
  /** How long the Pod's volume stays attached after the Pod; null for no volume. */
  readonly volumeMs: number | null;
  readonly drainTimeoutSeconds: number;
  readonly volumeTimeoutSeconds: number;
  /** When somebody else deletes its Node; null for never. */
  readonly nodeVanishesMs: number | null;
  /** A Machine of the same name follows. */
  readonly comesAgain: boolean;
}

/** What others do to Machines. */
export const MACHINE_ACTS = [
  'labelMachine',
  'loseMachineSnapshot',
  'corruptMachineSnapshot',
  'foreignMachineSnapshot',
] as const;
export type MachineActName = (typeof MACHINE_ACTS)[number];

const MINUTE = 60_000;
/** Deletions begin by then. */
const ENDINGS_MAX_MS = 3 * MINUTE;

/** Whether the operator of a seed is the Machine controller too. */
export function hasMachines(seed: number): boolean {
  return streamOf(seed, `machines ${seed}`).chance(1 / 6);
}

/** The ends of Machines, and faults around them. */
export function machineFaults(seed: number, world: WorldPlan): readonly Fault[] {
  const random = streamOf(seed, `endings ${seed}`);
  const endings = Array.from({ length: random.int(1, 3) }, (): Fault => ({ kind: 'ending', ...endingOf(random) }));
  const around = streamOf(seed, `faults of endings ${seed}`);
  const times = endings.map((each) => (each.kind === 'ending' ? each.atMs : 0));
  const faults = Array.from({ length: around.int(0, 5) }, () => faultAround(around, around.pick(times), world));
  return [...endings, ...faults];
}

function endingOf(random: Stream): Ending {
  const waitMs = (): number => random.pick([2_000, 15_000, 40_000, 90_000]) + random.int(0, 5_000);
  const hasPod = random.chance(0.8);
  return {
    atMs: random.int(10_000, ENDINGS_MAX_MS),
    target: random.int(0, 11),
    waitsForNode: random.chance(0.85),
    preDrainMs: random.chance(0.5) ? waitMs() : null,
    preTerminateMs: random.chance(0.6) ? waitMs() : null,
    pod: hasPod ? { budgetMs: random.pick([0, 0, 20_000, 70_000, 150_000]), endMs: random.int(500, 30_000) } : null,
    volumeMs: hasPod && random.chance(0.8) ? random.pick([500, 10_000, 45_000]) : null,
    drainTimeoutSeconds: random.pick([0, 0, 0, 60]),
    volumeTimeoutSeconds: random.pick([0, 0, 0, 60]),
    nodeVanishesMs: random.chance(0.12) ? waitMs() : null,
    comesAgain: random.chance(0.5),
  };
}

/** Faults that hit a deletion while it is under way. */
function faultAround(random: Stream, startMs: number, world: WorldPlan): Fault {
  const atMs = startMs + random.int(0, 60_000);
  const window = { seed: random.int(1, 2 ** 30), fromMs: atMs, toMs: atMs + random.int(5_000, 60_000) };
  const counts = random.pick(['all', 'writes'] as const);
  const operator = world.operators === 2 ? random.pick([null, 1, 2] as const) : null;
  const faults: readonly Fault[] = [
    { kind: 'kill', atMs, counts, step: random.int(0, 25), downMs: random.pick([0, 500, 5_000, 40_000]) },
    { kind: 'freeze', atMs, counts, step: random.int(0, 25), ms: random.pick([2_000, 20_000, 75_000]) },
    { kind: 'isolation', from: random.pick(['workload', 'workload', 'management'] as const), operator, ...window },
    {
      kind: 'requests',
      ...window,
      rate: random.pick([0.3, 0.6, 1]),
      on: random.pick(['management', 'workload'] as const),
      what: random.pick(['delay', 'status', 'drop-before', 'drop-after', 'hang-after', 'late'] as const),
      code: random.pick([409, 429, 500, 503, 504]),
      ms: random.int(200, 50_000),
    },
    {
      kind: 'watches',
      ...window,
      rate: random.pick([0.3, 1]),
      what: random.pick(['delay', 'delay', 'silent', 'duplicate', 'drop'] as const),
      resource: random.pick(['', 'machines', 'demomachines', 'kubeadmconfigs']),
      ms: random.int(500, 30_000),
    },
    { kind: 'race', ...window, rate: 0.3, what: 'touch' },
    { kind: 'machine-act', atMs, what: random.pick(MACHINE_ACTS), target: random.int(0, 11) },
  ];
  return random.pick([...faults, faults[0], faults[2]] as readonly Fault[]);
}
