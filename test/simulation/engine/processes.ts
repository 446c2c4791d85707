// The operator processes of a run: they start, are killed or frozen at a step, and start again.
import type { HostObserver } from '../../../src/host/contract.js';
import type { EmbeddedApiServer } from '../../../src/embedded/types.js';
import type { Logger } from '../../../src/log.js';
import { race, type Stage } from './acts.js';
import type { createJudge } from './judge.js';
import { createNetwork, type NetworkObserver, type Seen } from './network.js';
import type { Material } from './objects.js';
import { startSimulatedOperator, type Sabotage, type SimulatedOperator } from './operator.js';
import type { Fault, Plan } from './plan.js';
import { streamOf } from './seeded.js';
import { untruths } from './shown.js';
import type { Trace } from './trace.js';
import type { VirtualTime } from './virtual-time.js';
import type { MovingWorkloads } from './workloads.js';

/** The operator processes of a run. */
export interface Processes {
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

/** As many as the plan's world has; none runs before `start`. */
export function createProcesses(given: {
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
      isJudged: () => judge.violation !== null,
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
