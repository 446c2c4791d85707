// Runs one plan: a world, operators, faults and acts, until every node has joined and nothing is written any more.
import type { HostObserver } from '../../../src/host/contract.js';
import { createEmbeddedApiServer } from '../../../src/embedded/api-server.js';
import { createEmbeddedWorkloads } from '../../../src/embedded/clusters.js';
import { createHandleClient } from '../../../src/embedded/client.js';
import { bootstrapDefinitions, coreDefinitions } from '../../../src/embedded/crds.js';
import { infrastructureDefinitions } from '../../../src/embedded/infrastructure/definitions.js';
import { createSimulatedInfrastructure } from '../../../src/embedded/infrastructure/infrastructure.js';
import type { EmbeddedApiServer } from '../../../src/embedded/types.js';
import type { Logger } from '../../../src/log.js';
import { act, growPool, race, type Stage } from './acts.js';
import { createJudge, type Violation } from './judge.js';
import { endMachine, machineAct } from './machine-acts.js';
import { at, createTruth, isInitialized, ownerOf, textAt, type Truth } from './mirror.js';
import { createNetwork, type NetworkObserver, type Seen } from './network.js';
import {
  FOREIGN_OWNER,
  manifestsOf,
  materialOfProcess,
  NAMESPACE,
  pathOf,
  specialWorker,
  base64,
  decoded,
  USER_TOKEN,
  type Material,
} from './objects.js';
import { startSimulatedOperator, type Sabotage, type SimulatedOperator } from './operator.js';
import { faultsEndMs, type Fault, type Plan } from './plan.js';
import { hashText, streamOf } from './seeded.js';
import { untruths } from './shown.js';
import { tokenSecret } from './story-acts.js';
import { createVirtualTime, type VirtualTime } from './virtual-time.js';
import { movingWorkloads, type MovingWorkloads } from './workloads.js';

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
const QUIET_MS = 10 * MINUTE;
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
  });
  const truth = createTruth(management);
  const judge = createJudge(plan, truth, () => time.nowMs);
  const workloads = movingWorkloads(
    createEmbeddedWorkloads({ clock: time.clock, random: streamOf(plan.seed, 'workloads'), listen: false }),
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
  await rest(plan, run);
  await time.runUntil(time.nowMs + SHOWN_MAX_MS, () => isViolated() || process.untruths().length === 0);
  // Whose Machine was deleted before it was created waits for an owner.
  const untold = truth
    .all('kubeadmconfigs')
    .filter(({ metadata }) => ownerOf(truth, metadata.name) !== null)
    .map(({ metadata, status }) => [metadata.name, at(status, 'initialization', 'dataSecretCreated')] as const)
    .filter(([name, isCreated]) => isCreated !== true && !run.exempt.has(name));
  if (untold.length > 0) judge.accuse('told', `${untold.map(([name]) => name).join(', ')} do not say so`);
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

/** Nothing is written, and nobody is asked anything; but the tokens of pools are kept. */
async function rest({ world, faults }: Plan, { time, judge, isViolated }: Settling): Promise<void> {
  const [writesBefore, questionsBefore] = [judge.writes.length, judge.questions.length];
  await time.runUntil(time.nowMs + QUIET_MS, isViolated);
  const isOfPool = (text: string): boolean => /-pool\b/.test(text);
  const writes = judge.writes.slice(writesBefore);
  // A snapshot that others spoilt in a ConfigMap is mended at the next look, whenever that is.
  const isMended = (text: string): boolean =>
    world.snapshotStore === 'configmap' &&
    faults.some((fault) => fault.kind === 'act' && fault.what.endsWith('Snapshot')) &&
    text.endsWith('-actor') &&
    writes.filter((write) => write === text).length === 1;
  const late = writes.filter((write) => !isOfPool(write) && !isMended(write));
  if (late.length > 0) judge.accuse('quiet', `written at rest: ${late.slice(0, 3).join('; ')}`);
  // Twice in a time to live, and a rotation is some six writes.
  const most = 10 * Math.ceil((2 * QUIET_MS) / world.tokenTtlMs) * world.clusters;
  if (writes.length > most) judge.accuse('quiet', `${writes.length} writes for a pool at rest`);
  const asked = judge.questions
    .slice(questionsBefore)
    .filter((question) => world.poolReplicas === 0 && !late.includes(question) && !question.endsWith('-actor'))
    // Who watches Nodes asks now and then whether anybody is there.
    .filter((question) => !world.machines || !question.startsWith('http'));
  if (asked.length > 0) judge.accuse('quiet', `asked at rest: ${asked.slice(0, 3).join('; ')}`);
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
    const isForeign = manifest.kind === 'Secret' && manifest.metadata.name === specialWorker(plan.world);
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

interface Trace {
  line(text: string): void;
  hash(): string;
  readonly lines: readonly string[];
  readonly hits: Set<string>;
}

function createTrace(time: VirtualTime, isKept: boolean): Trace {
  const lines: string[] = [];
  let hash = hashText('');
  let count = 0;
  return {
    lines,
    hits: new Set(),
    line(text) {
      const line = `${(time.nowMs / 1000).toFixed(3)} ${text}`;
      hash = hashText(line, hash);
      count += 1;
      if (isKept) lines.push(line);
    },
    hash: () => `${hash.toString(16).padStart(8, '0')}-${count}`,
  };
}

function createStage(given: {
  readonly plan: Plan;
  readonly time: VirtualTime;
  readonly truth: Truth;
  readonly judge: ReturnType<typeof createJudge>;
  readonly management: EmbeddedApiServer;
  readonly workloads: MovingWorkloads;
  readonly exempt: Set<string>;
  readonly trace: Trace;
}): Stage {
  const { time, truth, judge, management, workloads, exempt, trace } = given;
  const callOn = async (
    server: EmbeddedApiServer,
    method: string,
    url: string,
    options: { readonly body?: object | undefined; readonly token?: string },
  ): Promise<number> => {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const authorization = options.token === undefined ? {} : { authorization: `Bearer ${options.token}` };
    const headers = {
      accept: 'application/json',
      'content-type': contentType,
      'user-agent': 'somebody',
      ...authorization,
    };
    const { status, body: text } = await server.handle({
      method,
      url,
      headers,
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });
    trace.line(`somebody: ${method} ${url} -> ${status}`);
    if (status === 400 || status === 422)
      throw new Error(`the simulation wrote nonsense: ${method} ${url}: ${String(text)}`);
    return status;
  };
  const call = (method: string, path: string, body?: object): Promise<number> =>
    callOn(management, method, path, { body });
  return {
    time,
    truth,
    judge,
    call,
    async moveWorkload(cluster) {
      const secret = truth.get('secrets', `${cluster}-kubeconfig`);
      const moved = secret === undefined ? null : workloads.move({ namespace: NAMESPACE, name: cluster });
      if (secret === undefined || moved === null) return;
      const value = base64(decoded(secret.data?.['value']).replace(moved.from, moved.to));
      await call('PATCH', pathOf(secret, secret.metadata.name), { data: { value } });
      judge.onMoved(moved.from);
    },
    async callWorkload(cluster, method, path, body) {
      const name = { namespace: NAMESPACE, name: cluster };
      const server = workloads.server(name);
      const token = /token: (\S+)/.exec(workloads.find(name)?.kubeconfig ?? '')?.[1];
      return server === undefined || token === undefined ? 0 : callOn(server, method, path, { body, token });
    },
    workload: (cluster, resource, key) => judge.machines.workload(cluster, resource, key),
    hasMachines: given.plan.world.machines,
    exempt: (machine) => void exempt.add(machine),
    note: (text) => trace.line(`somebody: ${text}`),
  };
}

/** The operator processes of a run. */
interface Processes {
  start(): void;
  /** Kills or freezes the process that acts (or the first) at its nth step from now. */
  strikeAt(fault: Strike): void;
  jump(ms: number): void;
  /** Nothing is pending any more. */
  recover(): void;
  isSettled(): boolean;
  /** What caches show that is not so. */
  untruths(): readonly string[];
  kill(): void;
}

interface Slot {
  readonly name: string;
  readonly making: Set<AbortSignal>;
  lives: number;
  operator: SimulatedOperator | null;
  /** What happens once so many more of the steps that count are taken. */
  next: { readonly fault: Strike; left: number } | null;
}

type Strike = Extract<Fault, { kind: 'kill' | 'freeze' }>;

function isCounted({ counts }: Strike, { isWrite, resource }: Seen): boolean {
  return counts === 'all' || (isWrite && (counts === 'writes' || resource === 'secrets'));
}

function createProcesses(given: {
  readonly plan: Plan;
  readonly time: VirtualTime;
  readonly management: EmbeddedApiServer;
  readonly workloads: MovingWorkloads;
  readonly judge: ReturnType<typeof createJudge>;
  readonly material: Material;
  readonly sabotage: Sabotage;
  readonly trace: Trace;
  readonly stage: Stage;
}): Processes {
  const { plan, time, judge, trace } = given;
  const slots = Array.from({ length: plan.world.operators }, (_, index): Slot => ({
    name: `operator-${index + 1}`,
    making: new Set(),
    lives: 0,
    operator: null,
    next: null,
  }));
  let isOver = false;
  time.awaitReal(() => slots.some(({ making }) => making.size > 0));

  const end = (slot: Slot, why: string, downMs: number): void => {
    if (slot.operator === null || isOver) return;
    trace.line(`simulation: ${slot.operator.name} ends: ${why}`);
    trace.hits.add('kill');
    slot.operator.kill();
    slot.operator = null;
    slot.next = null;
    slot.making.clear();
    void time.sleep(downMs).then(() => begin(slot));
  };
  const freeze = ({ operator }: Slot, ms: number): void => {
    trace.line(`simulation: ${operator?.name ?? 'nobody'} is frozen for ${ms} ms`);
    trace.hits.add('freeze');
    operator?.clock.freeze(ms);
  };
  const begin = (slot: Slot): void => {
    if (isOver) return;
    slot.lives += 1;
    const name = `${slot.name}.${slot.lives}`;
    const clock = time.process();
    const network = createNetwork({
      operator: name,
      time,
      random: streamOf(plan.seed, `network ${name}`),
      faults: plan.faults,
      observer: observerOf(() => slot.operator?.identity ?? ''),
      thawed: () => clock.thawed(),
      step(seen) {
        const { next } = slot;
        if (next === null || !isCounted(next.fault, seen)) return;
        next.left -= 1;
        if (next.left >= 0) return;
        slot.next = null;
        if (next.fault.kind === 'kill') end(slot, 'killed', next.fault.downMs);
        else freeze(slot, next.fault.ms);
      },
    });
    trace.line(`simulation: ${name} starts`);
    slot.operator = startSimulatedOperator({
      ...given,
      name,
      plan: plan.world,
      clock,
      random: streamOf(plan.seed, name),
      network,
      keys: given.material.keys,
      log: logOf(judge),
      observer: (prefix) => hostObserver(judge, trace, { name, prefix }),
      onWake: (key, cause) => trace.line(`${name} ${key} is woken: ${cause}`),
      making: slot.making,
      onLook: (actor) => judge.onLook({ operator: name, actor }),
      onLeaseLost: () => end(slot, 'the Lease is lost', 2_000),
    });
  };
  const observerOf = (identity: () => string): NetworkObserver => ({
    onSend: (seen) => judge.onSend(seen, identity()),
    onHandle(seen) {
      return judge.handling(seen);
    },
    onHeard: judge.onHeard,
    onGivenUp: judge.onGivenUp,
    onRace: (seen, what) => race(given.stage, seen, what),
    onAnswer(seen, status) {
      const [kind = ''] = status.split(' by ');
      if (!/^\d+$/.test(status)) trace.hits.add(kind);
      judge.onAnswer(seen, status);
      trace.line(`${seen.operator} ${seen.actor} ${seen.method} ${short(seen)} -> ${status}`);
    },
  });
  const acting = (): Slot | undefined => slots.find((slot) => slot.operator?.isLeader() === true) ?? slots[0];

  return {
    start: () => slots.forEach(begin),
    strikeAt(fault) {
      const slot = acting();
      if (slot !== undefined) slot.next = { fault, left: fault.step };
    },
    jump(ms) {
      trace.line(`simulation: wall clocks jump to ${ms} ms`);
      slots.forEach((slot) => slot.operator?.clock.jump(ms));
    },
    recover: () => slots.forEach((slot) => void (slot.next = null)),
    isSettled() {
      const concerned = plan.world.machines ? slots : [acting()];
      return concerned.every((slot) => slot?.operator?.hosts.every((host) => host.isSettled) === true);
    },
    untruths: () =>
      slots.flatMap(({ operator }) =>
        untruths(operator?.shown ?? [], given.management.store).map((text) => `${operator?.name ?? ''} shows ${text}`),
      ),
    kill() {
      isOver = true;
      slots.forEach((slot) => slot.operator?.kill());
    },
  };
}

function short({ server, resource, name, subresource, isWatch, path }: Seen): string {
  const where = server === 'management' ? '' : `${server} `;
  const what = resource === '' ? path : [resource, name, subresource].filter((part) => part !== '').join('/');
  return `${where}${what}${isWatch ? ' (watch)' : ''}`;
}

function logOf(judge: ReturnType<typeof createJudge>): Logger {
  const write = (message: string, fields: unknown): void =>
    judge.onText('the log', `${message} ${JSON.stringify(fields) ?? ''}`);
  const logger: Logger = {
    info: write,
    verbose: (_level, message, fields) => write(message, fields),
    warning: write,
    error: write,
    with: () => logger,
    enabled: () => true,
  };
  return logger;
}

function hostObserver(
  judge: ReturnType<typeof createJudge>,
  trace: Trace,
  { name, prefix }: { readonly name: string; readonly prefix: string },
): HostObserver {
  return {
    onTransition: ({ key, event, row, from, to, request }) =>
      trace.line(`${name} ${prefix}${key} ${event} ${row} ${from} -> ${to}${request === null ? '' : ` ${request}`}`),
    onTurn: ({ key }) => judge.onTurn(name, prefix + key),
    onEffect({ key, request, result, failure }) {
      if (failure !== null) judge.onText('a failure', failure.message);
      const why = failure === null ? '' : ` (${failure.kind}: ${failure.message})`;
      trace.line(`${name} ${prefix}${key} ${request}: ${result}${why}`);
    },
    onBug: (_controller, key, error) =>
      judge.accuse(
        'no-bug',
        `${prefix}${key}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      ),
  };
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
