// Runs one plan: a world, operators, faults and acts, until every node has joined and nothing is written any more.
import { createEmbeddedApiServer } from '../../../src/embedded/api-server.js';
import { createEmbeddedWorkloads } from '../../../src/embedded/clusters.js';
import { createHandleClient } from '../../../src/embedded/client.js';
import { bootstrapDefinitions, coreDefinitions } from '../../../src/embedded/crds.js';
import { infrastructureDefinitions } from '../../../src/embedded/infrastructure/definitions.js';
import { createSimulatedInfrastructure } from '../../../src/embedded/infrastructure/infrastructure.js';
import type { EmbeddedApiServer } from '../../../src/embedded/types.js';
import { act, growPool, type Stage } from './acts.js';
import { judgeRest } from './at-rest.js';
import { createJudge, type Violation } from './judge.js';
import { endMachine, machineAct } from './machine-acts.js';
import { at, createTruth, dataSecretNameOf, isInitialized, ownerOf, textAt, type Truth } from './mirror.js';
import {
  FOREIGN_OWNER,
  manifestsOf,
  materialOfProcess,
  NAMESPACE,
  pathOf,
  specialWorker,
  USER_TOKEN,
  type Material,
} from './objects.js';
import type { Sabotage } from './operator.js';
import { faultsEndMs, type Plan } from './plan.js';
import { createProcesses, type Processes } from './processes.js';
import { streamOf } from './seeded.js';
import { untoldOf } from './shapes.js';
import { createStage } from './stage.js';
import { tokenSecret } from './story-acts.js';
import { createTrace, type Trace } from './trace.js';
import { createVirtualTime, type VirtualTime } from './virtual-time.js';
import { movingWorkloads } from './workloads.js';

/** How a run ended. */
export interface RunResult {
  readonly violation: Violation | null;
  readonly hash: string;
  readonly steps: number;
  readonly endedAtMs: number;
  readonly trace: readonly string[];
  /** Kinds of faults that hit something. */
  readonly hits: ReadonlySet<string>;
}

/** Options of a run. */
export interface RunOptions {
  readonly sabotage?: Sabotage;
  /** Keep the lines of the trace, not only their hash. */
  readonly keepTrace?: boolean;
}

const MINUTE = 60_000;
/** Time for what faults left behind: backoffs, leases, lost tokens. Nodes may boot one after the other. */
const joinMaxMs = ({ world: { bootMs } }: Plan): number => 45 * MINUTE + 3 * bootMs[1];
const SETTLE_MAX_MS = 40 * MINUTE;
/** What was written just now is on its way. */
const SHOWN_MAX_MS = 5_000;
/** Acts that wait, or that last, are over by then. */
const ACTS_MAX_MS = 15 * MINUTE;
const definitionsOf = (...plurals: readonly string[]): readonly object[] =>
  [...coreDefinitions, ...bootstrapDefinitions].filter((definition) =>
    plurals.includes((definition as { spec: { names: { plural: string } } }).spec.names.plural),
  );
const definitions = definitionsOf('clusters', 'machines', 'machinepools', 'kubeadmconfigs');
const machineDefinitions = [
  ...definitions,
  ...definitionsOf('machinesets', 'machinedeployments', 'machinedrainrules'),
  ...infrastructureDefinitions,
];

/** Runs a plan. */
export async function runPlan(plan: Plan, { sabotage = {}, keepTrace = false }: RunOptions = {}): Promise<RunResult> {
  const material = await materialOfProcess();
  const time = createVirtualTime();
  const trace = createTrace(time, keepTrace);
  const management = createEmbeddedApiServer({
    clock: time.clock,
    random: streamOf(plan.seed, 'management'),
    crds: plan.world.machines ? machineDefinitions : definitions,
    namespaces: [NAMESPACE],
    ...(plan.world.collectMs === undefined ? {} : { garbageCollectorDelayMs: plan.world.collectMs }),
  });
  const truth = createTruth(management);
  const judge = createJudge(plan, truth, () => time.nowMs);
  const workloads = movingWorkloads(
    createEmbeddedWorkloads({ clock: time.clock, random: streamOf(plan.seed, 'workloads'), listen: false }),
    plan.world.rootAnswer,
    (cluster, server) => server.store.subscribe((event) => judge.onWorkload(cluster, event)),
  );
  const infrastructure = createSimulatedInfrastructure({
    client: createHandleClient((request) => management.handle(request), { userAgent: 'simulated-infrastructure' }),
    workloads,
    clock: time.clock,
    random: streamOf(plan.seed, 'infrastructure'),
    delays: {
      clusterMs: [100, 3_000],
      machineMs: [100, 3_000],
      bootMs: plan.world.bootMs,
      retryMs: [4_000, 9_000],
      sayMs: [20, 1_500],
      joinTimeoutMs: 24 * 60 * MINUTE,
    },
    playsMachineController: !plan.world.machines,
    reportsControlPlaneInitialized: !plan.world.conditions,
    onNote(note) {
      if (note.kind !== 'retry') trace.line(`infrastructure: ${Object.values(note).join(' ')}`);
      if (note.kind === 'control-plane-initialized') void addUserToken(plan, stage, note.cluster);
      judge.onNote(note);
    },
  });
  const exempt = new Set<string>();
  const stage = createStage({ plan, time, truth, judge, management, workloads, exempt, trace });
  const process = createProcesses({ plan, time, management, workloads, judge, material, sabotage, trace, stage });
  truth.onChange(({ resource, type, object, revision }) =>
    trace.line(`store: ${revision} ${type} ${resource}/${object.metadata.name}`),
  );
  const isViolated = (): boolean => judge.violation !== null;

  void infrastructure.start();
  void populate(plan, stage, material);
  process.start();
  const faults = startFaults(plan, { time, stage, process, management, trace });
  await time.runUntil(faults.endMs, isViolated);
  await time.runUntil(faults.endMs + ACTS_MAX_MS, () => isViolated() || faults.isOver());
  const endMs = time.nowMs;
  trace.line('simulation: faults are over');
  process.recover();
  let seenChanges = -1;
  const isJoined = (): boolean => {
    if (truth.changes === seenChanges) return false;
    seenChanges = truth.changes;
    return haveJoined(truth, exempt);
  };
  const haveEnded = (): boolean => faults.isOver() && judge.machines.leftovers().length === 0;
  const isComplete = (): boolean =>
    plan.world.machines ? haveEnded() && missing(truth, exempt).length === 0 : isJoined();
  const hasJoined = await time.runUntil(endMs + joinMaxMs(plan), () => isViolated() || isComplete());
  if (!hasJoined && plan.world.machines && !haveEnded())
    judge.accuse('machine-gone', `${judge.machines.leftovers().join(', ')} are still there`);
  if (!hasJoined) judge.accuse('joins', `${missing(truth, exempt).join(', ')} did not join`);
  await settle(plan, { time, truth, judge, process, stage, trace, isViolated, exempt });
  process.kill();
  await infrastructure.stop();
  return {
    violation: judge.violation,
    hash: trace.hash(),
    steps: time.timersFired,
    endedAtMs: time.nowMs,
    trace: trace.lines,
    hits: trace.hits,
  };
}

interface Settling {
  readonly time: VirtualTime;
  readonly truth: Truth;
  readonly judge: ReturnType<typeof createJudge>;
  readonly process: Processes;
  readonly stage: Stage;
  readonly trace: Trace;
  readonly isViolated: () => boolean;
  /** Machines that need not get a node; their KubeadmConfigs have the same names. */
  readonly exempt: ReadonlySet<string>;
}

/** After the last node: actors come to rest, then nothing is written; then a pool grows once more. */
async function settle(plan: Plan, run: Settling): Promise<void> {
  const { time, truth, judge, process, trace, isViolated } = run;
  if (isViolated()) return;
  trace.line('simulation: every node has joined');
  await time.runUntil(time.nowMs + 3 * MINUTE, isViolated);
  const endMs = time.nowMs + SETTLE_MAX_MS;
  while (!isViolated() && !process.isSettled() && time.nowMs < endMs)
    await time.runUntil(time.nowMs + 5_000, isViolated);
  if (isViolated()) return;
  if (!process.isSettled()) judge.accuse('quiet', 'an actor does not come to rest');
  // Where no control plane is left there is nobody to release it.
  const isHeadless = (cluster: string): boolean =>
    !truth
      .all('machines')
      .some(
        (machine) =>
          textAt(machine, 'spec', 'clusterName') === cluster &&
          machine.metadata.labels?.['cluster.x-k8s.io/control-plane'] !== undefined,
      );
  const left = truth
    .all('configmaps')
    .find(({ metadata: { name } }) => name.endsWith('-lock') && !isHeadless(name.replace(/-lock$/, '')));
  if (left !== undefined) judge.accuse('lock-released', `${left.metadata.name} is still there`);
  await judgeRest(plan, run);
  await time.runUntil(time.nowMs + SHOWN_MAX_MS, () => isViolated() || process.untruths().length === 0);
  // Whose Machine was deleted before it was created waits for an owner.
  const untold = truth.all('kubeadmconfigs').flatMap((config) => {
    const owner = ownerOf(truth, config.metadata.name);
    if (owner === null || run.exempt.has(config.metadata.name)) return [];
    const why = untoldOf(config, dataSecretNameOf(owner.object, config.metadata.name));
    return why === '' ? [] : [`${config.metadata.name} ${why}`];
  });
  if (untold.length > 0) judge.accuse('told', untold.join(', '));
  const untruth = process.untruths().slice(0, 3).join('; ');
  if (untruth !== '') judge.accuse('caches-true', untruth);
  if (isViolated() || plan.world.poolReplicas === 0) return;
  await growPool(run.stage);
  const hasGrown = await time.runUntil(
    time.nowMs + 10 * MINUTE + plan.world.bootMs[1],
    () => isViolated() || missing(truth, new Set()).every((name) => !name.endsWith('-pool')),
  );
  if (!hasGrown) judge.accuse('joins', 'an instance that was added to the pool later did not join');
}

function missing(truth: Truth, exempt: ReadonlySet<string>): readonly string[] {
  const machines = truth
    .all('machines')
    .filter((machine) => !exempt.has(machine.metadata.name) && textAt(machine, 'status', 'nodeRef', 'name') === '');
  const pools = truth.all('machinepools').filter((pool) => {
    const refs = (at(pool, 'status', 'nodeRefs') ?? []) as readonly unknown[];
    return refs.length < Number(at(pool, 'spec', 'replicas') ?? 1);
  });
  return [...machines, ...pools].map(({ metadata }) => metadata.name);
}

function haveJoined(truth: Truth, exempt: ReadonlySet<string>): boolean {
  return truth.all('machines').length > 0 && missing(truth, exempt).length === 0;
}

async function populate(plan: Plan, stage: Stage, material: Material): Promise<void> {
  const random = streamOf(plan.seed, 'users');
  for (const manifest of manifestsOf(plan.world, material)) {
    const owner = stage.truth.get('configmaps', FOREIGN_OWNER);
    const isControlled = plan.world.foreignSecret === 'controlled';
    const isForeign =
      isControlled && manifest.kind === 'Secret' && manifest.metadata.name === specialWorker(plan.world);
    const references = [
      { apiVersion: 'v1', kind: 'ConfigMap', name: FOREIGN_OWNER, uid: owner?.metadata.uid, controller: true },
    ];
    const body = isForeign
      ? { ...manifest, metadata: { ...manifest.metadata, ownerReferences: references } }
      : manifest;
    await stage.call('POST', pathOf(manifest), body);
    await stage.time.sleep(random.next() ** 4 * 4_000);
  }
  const special = specialWorker(plan.world);
  if (plan.world.foreignSecretUntilMs === null || special === null) return;
  // Before, nobody would want to write it.
  while (!isInitialized(stage.truth.get('clusters', 'c1'))) await stage.time.sleep(1_000);
  await stage.time.sleep(plan.world.foreignSecretUntilMs);
  await stage.call('DELETE', pathOf({ apiVersion: 'v1', kind: 'Secret' }, special));
}

/** The user's own token, as soon as there is a cluster to put it into. */
async function addUserToken({ world }: Plan, stage: Stage, cluster: string): Promise<void> {
  if (!world.userToken || !cluster.endsWith('/c1')) return;
  await stage.callWorkload('c1', 'POST', '/api/v1/namespaces/kube-system/secrets', tokenSecret(USER_TOKEN));
}

/** Sets every fault's time. Answers when they are over, but for acts that are still on their way. */
function startFaults(
  { faults, world }: Plan,
  run: {
    readonly time: VirtualTime;
    readonly stage: Stage;
    readonly process: Processes;
    readonly management: EmbeddedApiServer;
    readonly trace: Trace;
  },
): { readonly endMs: number; isOver(): boolean } {
  const { time, stage, process, management } = run;
  let endMs = 5_000;
  let acting = 0;
  for (const fault of faults) {
    endMs = Math.max(endMs, 'toMs' in fault ? fault.toMs : fault.atMs + 1_000);
    if (!('atMs' in fault)) continue;
    void time.sleep(fault.atMs).then(async () => {
      if (fault.kind === 'kill' || fault.kind === 'freeze') process.strikeAt(fault);
      if (fault.kind === 'clock') process.jump(fault.ms);
      if (fault.kind === 'compact') management.store.compact();
      if (fault.kind !== 'act' && fault.kind !== 'machine-act' && fault.kind !== 'ending') return;
      acting += 1;
      if (fault.kind === 'act') await act(stage, fault.what, fault.target);
      if (fault.kind === 'machine-act') await machineAct(stage, fault.what, fault.target);
      if (fault.kind === 'ending') await endMachine(stage, fault);
      acting -= 1;
    });
    if (fault.kind === 'clock') void time.sleep(fault.atMs + MINUTE).then(() => process.jump(0));
    if (fault.kind === 'kill') endMs = Math.max(endMs, fault.atMs + 20_000);
    if (fault.kind === 'clock') endMs = Math.max(endMs, fault.atMs + MINUTE);
    if (fault.kind === 'freeze') endMs = Math.max(endMs, fault.atMs + 20_000 + fault.ms);
    if (fault.kind === 'act') endMs = Math.max(endMs, fault.atMs + 45_000);
  }
  return { endMs: Math.min(endMs, faultsEndMs(world) + MINUTE), isOver: () => acting === 0 };
}
