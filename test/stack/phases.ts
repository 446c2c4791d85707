// The phases of a run: each is a wish of a user or an accident, and ends when the world has arrived again.
//
//   PH1. A phase says what it does to the world; the witness says afterwards whether everything is in order.
//   PH2. A phase that needs what a world does not have (a pool, three control planes) says so and is left out.
import { at, namespace, type Seen } from './api.js';
import {
  rollOutControlPlane,
  rollOutWorkers,
  setControlPlaneVersion,
  setPaused,
  setPoolConfig,
  setWorkers,
  setWorkerVersion,
} from './change.js';
import { classObjects, clusterObjects, healthCheck, type Wanted } from './manifests.js';
import type { ProviderName } from './provider.js';
import { belongsTo, isControlPlane, lookAt, missing } from './state.js';
import { rotateTokens } from './token-phase.js';
import type { Witness } from './witness.js';
import { workloadCall } from './workload.js';
import type { World } from './world.js';

/** What phases work on. */
export interface Run {
  readonly world: World;
  readonly witness: Witness;
  readonly wanted: readonly Wanted[];
  /** Kubernetes versions before and after the roll-outs. */
  readonly versions: readonly [before: string, after: string];
  readonly idleMs: number;
  readonly note: (text: string) => void;
}

/** One phase. */
export interface Phase {
  /** Why a world cannot play it; undefined when it can. */
  readonly unfit?: (wanted: readonly Wanted[]) => string | undefined;
  /** Whether the world is gone afterwards. */
  readonly isEnd?: boolean;
  readonly play: (run: Run) => Promise<void>;
}

const arrivesWithinMs = 900_000;
const withoutPool = (wanted: readonly Wanted[]): string | undefined =>
  wanted.some(({ hasPool }) => hasPool) ? undefined : 'no cluster has a pool';
const withoutQuorum = (wanted: readonly Wanted[]): string | undefined =>
  wanted.some(({ controlPlanes }) => controlPlanes >= 3) ? undefined : 'no cluster has three control planes';

/** All phases by name, in the order of a whole run. */
export const phases: Readonly<Record<string, Phase>> = {
  create: { play: create },
  'scale-up': { play: (run) => all(run, (wanted) => setWorkers(run.world.api, wanted, wanted.workers + 2)) },
  'scale-down': { play: (run) => all(run, (wanted) => setWorkers(run.world.api, wanted, wanted.workers - 2)) },
  'control-plane': {
    play: (run) => all(run, (wanted) => setControlPlaneVersion(run.world.api, wanted, run.versions[1])),
  },
  workers: { play: (run) => all(run, (wanted) => setWorkerVersion(run.world.api, wanted, run.versions[1])) },
  pool: { unfit: withoutPool, play: rollOutPools },
  remediate: { play: remediate },
  replace: { unfit: withoutQuorum, play: replaceControlPlane },
  pause: { play: pauseAndUnpause },
  tokens: { unfit: withoutPool, play: async (run) => rotateTokens(run).then(() => arrived(run)) },
  restart: { play: (run) => interrupted(run, ['restart', 'restart', 'restart']) },
  swap: { play: swap },
  idle: { play: ({ idleMs }) => new Promise((resolve) => setTimeout(resolve, idleMs)) },
  delete: { isEnd: true, play: deleteAll },
};

/** Waits until the world is as it is wanted; throws with what is missing. */
export async function arrived(run: Run, withinMs = arrivesWithinMs): Promise<void> {
  await until(run, 'the world has arrived', async () => missing(await lookAt(run.world.api), run.wanted), { withinMs });
}

/** Waits until nothing is missing. */
export async function until(
  { world }: Run,
  what: string,
  look: () => Promise<readonly string[]>,
  { withinMs = 300_000, eachMs = 500 }: { readonly withinMs?: number; readonly eachMs?: number } = {},
): Promise<void> {
  const endMs = performance.now() + withinMs;
  for (;;) {
    const problems = await look();
    if (problems.length === 0) return;
    for (const program of [...world.managers, world.provider.program])
      if (program?.hasEnded() === true) throw new Error(`${program.name} has ended by itself`);
    if (performance.now() > endMs) throw new Error(`${what}: not within ${withinMs / 1000} s: ${problems.join('; ')}`);
    await new Promise((resolve) => setTimeout(resolve, eachMs));
  }
}

async function all(run: Run, change: (wanted: Wanted) => Promise<void>): Promise<void> {
  for (const wanted of run.wanted) await change(wanted);
  await arrived(run);
}

async function create(run: Run): Promise<void> {
  const { api } = run.world;
  if (run.wanted.some(({ hasTopology }) => hasTopology)) for (const object of classObjects()) await api.create(object);
  for (const wanted of run.wanted) for (const object of clusterObjects(wanted)) await api.create(object);
  await arrived(run);
}

async function rollOutPools(run: Run): Promise<void> {
  const { api } = run.world;
  for (const wanted of run.wanted.filter(({ hasPool }) => hasPool))
    await setPoolConfig(api, wanted, `${wanted.poolConfig}-next`);
  await arrived(run);
}

/** A worker's node falls ill, and a MachineHealthCheck sees to it. */
async function remediate(run: Run): Promise<void> {
  const { api } = run.world;
  const ill: string[] = [];
  for (const { name } of run.wanted) {
    await api.create(healthCheck(name));
    const workers = (await lookAt(api)).machines.filter(belongsTo(name)).filter((each) => !isControlPlane(each));
    const [machine] = workers;
    if (machine === undefined) continue;
    const node = String(at(machine, 'status', 'nodeRef', 'name'));
    const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/u, 'Z');
    const conditions = [
      { type: 'Ready', status: 'True', reason: 'KubeletReady', lastTransitionTime },
      { type: 'StackFault', status: 'True', reason: 'Broken', lastTransitionTime },
    ];
    const path = `/api/v1/nodes/${node}`;
    const contentType = 'application/merge-patch+json';
    const answer = await workloadCall(api, name, {
      method: 'PATCH',
      path,
      body: { status: { conditions } },
      contentType,
    });
    if (answer?.status !== 200) throw new Error(`node ${node} cannot be made ill: ${answer?.status ?? 'no answer'}`);
    ill.push(machine.metadata.name);
  }
  await until(run, 'ill machines are replaced', () => stillThere(run, ill));
  await arrived(run);
  for (const { name } of run.wanted) await api.remove('MachineHealthCheck', `${name}-health`);
}

async function replaceControlPlane(run: Run): Promise<void> {
  const { api } = run.world;
  const { machines } = await lookAt(api);
  const gone: string[] = [];
  for (const { name } of run.wanted.filter(({ controlPlanes }) => controlPlanes >= 3)) {
    const machine = machines.filter(belongsTo(name)).find(isControlPlane);
    if (machine === undefined) continue;
    await api.remove('Machine', machine.metadata.name);
    gone.push(machine.metadata.name);
  }
  await until(run, 'deleted machines are gone', () => stillThere(run, gone));
  await arrived(run);
}

async function stillThere({ world }: Run, names: readonly string[]): Promise<readonly string[]> {
  const machines = await world.api.list('Machine');
  return machines.filter(({ metadata }) => names.includes(metadata.name)).map(({ metadata }) => metadata.name);
}

/** Names of the KubeadmConfigs that are there. */
async function configNames({ world }: Run): Promise<ReadonlySet<string>> {
  return new Set((await world.api.list('KubeadmConfig')).map(({ metadata }) => metadata.name));
}

/** A cluster is paused while a worker joins: the provider writes nothing but that it is paused, and goes on afterwards. */
async function pauseAndUnpause(run: Run): Promise<void> {
  const { api, audit } = run.world;
  for (const wanted of run.wanted) {
    const mine = async (): Promise<readonly Seen[]> =>
      (await api.list('KubeadmConfig')).filter(belongsTo(wanted.name)).filter((config) => isInUse(config, wanted));
    const before = (await mine()).length;
    await setWorkers(api, wanted, wanted.workers + 1);
    await until(
      run,
      'a KubeadmConfig for one worker more',
      async () => ((await mine()).length > before ? [] : ['none']),
      { eachMs: 50 },
    );
    await setPaused(api, wanted, true);
    await until(run, 'everything is paused', async () => (await mine()).filter((each) => !isPaused(each)).map(nameOf));
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const calls = audit.calls().length;
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const names = new Set((await mine()).map(nameOf));
    const written = audit
      .calls()
      .slice(calls)
      .filter(
        ({ user, verb, name }) =>
          user.includes('bootstrap') && !['get', 'list', 'watch'].includes(verb) && names.has(name),
      );
    if (written.length > 0)
      throw new Error(
        `paused, but written: ${written.map(({ verb, resource, name }) => `${verb} ${resource} ${name}`).join(', ')}`,
      );
    await setPaused(api, wanted, false);
  }
  await arrived(run);
  await all(run, (wanted) => setWorkers(api, wanted, wanted.workers - 1));
}

const nameOf = ({ metadata }: Seen): string => metadata.name;

/** Whether a Machine has adopted it (that of a paused cluster may not have had the time) or the pool is pointed to it. */
function isInUse({ metadata }: Seen, { poolConfig }: Wanted): boolean {
  return metadata.name === poolConfig || (metadata.ownerReferences ?? []).some(({ kind }) => kind === 'Machine');
}

function isPaused(config: Seen): boolean {
  const conditions = (at(config, 'status', 'conditions') ?? []) as readonly Readonly<Record<string, string>>[];
  return conditions.some((each) => each['type'] === 'Paused' && each['status'] === 'True');
}

type Interruption = 'restart' | ProviderName;

/** Everything is rolled out at once; the provider is killed, or exchanged, whenever a new Machine appears. */
async function interrupted(run: Run, interruptions: readonly Interruption[]): Promise<void> {
  const { world } = run;
  for (const wanted of run.wanted) {
    await rollOutControlPlane(world.api, wanted);
    await rollOutWorkers(world.api, wanted);
  }
  for (const interruption of interruptions) {
    const before = await configNames(run);
    await until(run, 'another Machine of the roll-out', async () => {
      const look = await lookAt(world.api);
      const isNew = look.configs.some(({ metadata }) => !before.has(metadata.name));
      // A small roll-out may be over before.
      return isNew || missing(look, run.wanted).length === 0 ? [] : ['none'];
    });
    if (interruption === 'restart') {
      const { name } = world.provider;
      await world.provider.kill();
      world.provider.start(name);
    } else {
      await world.provider.stop();
      world.provider.start(interruption);
    }
    run.note(`${interruption} in the roll-out`);
    await world.untilProviderServes();
  }
  await arrived(run);
}

/** Two roll-outs: in the first the provider is exchanged and exchanged back, in the second the other one begins. */
async function swap(run: Run): Promise<void> {
  const { provider } = run.world;
  const first = provider.name;
  const other: ProviderName = first === 'ours' ? 'go' : 'ours';
  await interrupted(run, [other, first]);
  await provider.stop();
  provider.start(other);
  await run.world.untilProviderServes();
  await interrupted(run, [first, other]);
  await provider.stop();
  provider.start(first);
  await run.world.untilProviderServes();
  await arrived(run);
}

async function deleteAll(run: Run): Promise<void> {
  const { api } = run.world;
  for (const { name } of run.wanted) await api.remove('Cluster', name);
  await until(run, 'the clusters are gone', async () => (await api.list('Cluster')).map(nameOf), {
    withinMs: arrivesWithinMs,
  });
  if (run.wanted.some(({ hasTopology }) => hasTopology))
    for (const object of [...classObjects()].reverse()) {
      const { kind, metadata } = object as { readonly kind: never; readonly metadata: { readonly name: string } };
      await api.remove(kind, metadata.name);
    }
  await until(run, `nothing is left in ${namespace}`, () => run.witness.leftovers());
}
