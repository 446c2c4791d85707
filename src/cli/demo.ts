// `demo`: the main job on the embedded default, in one process, with nothing but Node.
//
// An API server in memory, the operator exactly as `run` starts it, and simulated infrastructure whose nodes join only with a
// token that is valid at that moment. Ctrl-C leaves nothing behind.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import type { Random } from '../host/contract.js';
import { createLogger } from '../log.js';
import { createMetrics } from '../metrics.js';
import { environment, systemClock, systemRandom } from '../system.js';
import { chaosPlan } from './chaos.js';
import { parseConfig } from './config.js';
import { startDeletionStory, type DeletionStory } from './demo-deletion.js';
import { DEMO_FLAGS, parseDemo, type DemoOptions } from './demo-flags.js';
import { createOperators, type Operators } from './demo-operators.js';
import { createProgress, type Progress } from './demo-progress.js';
import { unsettledOf, watchWrites, type Unsettled, type WriteWatch } from './demo-settled.js';
import { startDemoWorld, type DemoWorld } from './demo-world.js';
import { CommandFailure } from './exit.js';
import { flagHelp } from './flag-help.js';
import { startOperator, type Operator } from './operator.js';
import { castNet } from './process-net.js';
import { RUN_FLAGS } from './run-flags.js';
import { seededRandom } from './seeded-random.js';

/** No write for so long, with every actor at rest, is a settled world. */
const SILENCE_MS = 5_000;
/** How long trouble lasts, and how often the operator is dropped meanwhile. */
const CHAOS_MS = 30_000;
const DROPS = 4;

/** The subcommand. Its flags are a table, as `run`'s: see demo-flags.ts. */
export function demoCommand(): Command {
  return new Command('demo')
    .description('the main job on an API server in memory: three control planes, three workers and a machine pool')
    .helpOption(false)
    .allowUnknownOption(true)
    .allowExcessArguments(true)
    .argument('[flags...]')
    .action(async (_flags, _options, command: Command) => {
      if (command.args.some((arg) => arg === '--help' || arg === '-h')) {
        process.stdout.write(flagHelp('demo', [...DEMO_FLAGS, ...RUN_FLAGS.map((flag) => ({ ...flag, own: false }))]));
        return;
      }
      await demo(parseDemo(command.args));
    });
}

async function demo(options: DemoOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'kubeadm-bootstrap-operator-demo-'));
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);
  const progress = createProgress({
    output: options.output,
    isTerminal: process.stdout.isTTY === true,
    columns: () => process.stdout.columns ?? 100,
    write: (text) => void process.stdout.write(text),
    nowMs: () => systemClock.nowMs(),
    schedule: (delayMs, run) => systemClock.schedule(delayMs, run),
  });
  const random = options.chaosSeed === null ? systemRandom : seededRandom(options.chaosSeed);
  const world = await startDemoWorld(options, { clock: systemClock, random, onNote: (note) => progress.noted(note) });
  const writes = watchWrites(world, systemClock);
  world.management.store.subscribe((event) => progress.saw(event));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, world.kubeconfig, { mode: 0o600 });
  const operators = createOperators(operatorOf(options, kubeconfig));
  const stop = interrupted();
  const log = createLogger({ format: 'text', level: 0, nowMs: () => systemClock.nowMs() });
  const net = castNet({ log, metrics: createMetrics() });
  void net.fault.then(stop.now);
  try {
    await operators.start();
    announce(progress, operators, { kubeconfig, options });
    const count = await world.populate();
    progress.say(`Created ${count} objects`, { objects: count });
    const chaos = options.chaosSeed === null ? null : startChaos(options.chaosSeed, world, operators, progress);
    const story = tellDeletion(world, progress);
    if (options.exit) await untilSettled(options, { world, writes, operators, stop, progress, story });
    else await stop.signal;
    story?.stop();
    chaos?.end();
  } finally {
    progress.close();
    await operators.stop();
    await world.close();
    stop.end();
    net.end();
    removeFolder();
    process.off('exit', removeFolder);
  }
  const fault = await Promise.race([net.fault, Promise.resolve(null)]);
  if (fault !== null) throw new CommandFailure(fault.message);
}

/** An operator as `run` starts it. */
function operatorOf(options: DemoOptions, kubeconfig: string): () => Promise<Operator> {
  const config = parseConfig([`--kubeconfig=${kubeconfig}`, ...options.runArgs], environment());
  const log = createLogger({
    format: config.loggingFormat,
    level: config.logLevel,
    nowMs: () => systemClock.nowMs(),
    ...(config.logLevel > 0 ? {} : { write: () => undefined }),
  });
  return () =>
    startOperator({
      config,
      environment: environment(),
      clock: systemClock,
      random: systemRandom,
      log,
      metrics: createMetrics(),
    });
}

function announce(
  progress: Progress,
  operators: Operators,
  { kubeconfig, options }: { readonly kubeconfig: string; readonly options: DemoOptions },
): void {
  const inspector = operators.current()?.inspectorUrl ?? null;
  const off = options.hasInspector ? 'The inspector is off (its address is taken)' : 'The inspector is off';
  progress.say(inspector === null ? off : `Inspector: ${inspector}`, { inspector });
  progress.say(`kubectl --kubeconfig ${kubeconfig} get kubeadmconfigs -A`, { kubeconfig });
}

/** Resolves at the first SIGINT or SIGTERM. */
function interrupted(): {
  readonly signal: Promise<void>;
  readonly isSet: () => boolean;
  /** As if one had come. */
  now(): void;
  end(): void;
} {
  let isSet = false;
  let resolve = (): void => undefined;
  const signal = new Promise<void>((done) => (resolve = done));
  const onSignal = (): void => {
    isSet = true;
    resolve();
  };
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  return {
    signal,
    isSet: () => isSet,
    now: onSignal,
    end() {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}

function startChaos(seed: number, world: DemoWorld, operators: Operators, progress: Progress): { end(): void } {
  const random: Pick<Random, 'next'> = seededRandom(seed);
  const overMs = systemClock.nowMs() + CHAOS_MS;
  const isOver = (): boolean => systemClock.nowMs() >= overMs;
  world.management.setFaults(chaosPlan(random, isOver));
  progress.say(`Chaos for ${CHAOS_MS / 1000} s, seed ${seed}: API faults, and ${DROPS} crashes of the operator`, {
    seed,
  });
  const cancels = Array.from({ length: DROPS }, () =>
    systemClock.schedule(1000 + random.next() * (CHAOS_MS - 2000), () => {
      progress.say('The operator is dropped without shutdown and started again');
      void operators
        .drop()
        .catch((error: unknown) => progress.say(`The operator did not start again: ${String(error)}`));
    }),
  );
  cancels.push(systemClock.schedule(CHAOS_MS, () => progress.say('Chaos is over')));
  return {
    end() {
      for (const cancel of cancels) cancel();
      world.management.setFaults(undefined);
    },
  };
}

/** Shows a deletion once everything is there, where the operator runs the Machines. */
function tellDeletion(world: DemoWorld, progress: Progress): DeletionStory | null {
  if (world.doomed === null) return null;
  return startDeletionStory({
    world,
    clock: systemClock,
    machine: world.doomed,
    isTime: () => unsettledOf(world).length === 0 && world.infrastructure.settled(),
    say: (text, fields) => progress.say(text, fields),
  });
}

interface Running {
  readonly world: DemoWorld;
  readonly writes: WriteWatch;
  readonly operators: Operators;
  readonly stop: ReturnType<typeof interrupted>;
  readonly progress: Progress;
  readonly story: DeletionStory | null;
}

async function untilSettled(
  options: DemoOptions,
  { world, writes, operators, stop, progress, story }: Running,
): Promise<void> {
  const startedMs = systemClock.monotonicMs();
  const leastMs = options.chaosSeed === null ? 0 : CHAOS_MS;
  for (;;) {
    const wait = new Promise<void>((resolve) => systemClock.schedule(250, resolve));
    await Promise.race([wait, stop.signal]);
    if (stop.isSet()) return;
    const elapsedMs = systemClock.monotonicMs() - startedMs;
    const hosts = operators.current()?.hosts;
    const isResting =
      hosts !== undefined && [...hosts.values()].every((host) => host.isSettled) && world.infrastructure.settled();
    const unsettled = [...unsettledOf(world), ...unfinished(story)];
    if (elapsedMs > leastMs && isResting && unsettled.length === 0 && writes.silentMs() >= SILENCE_MS) {
      progress.say(`Settled after ${(elapsedMs / 1000).toFixed(1)} s: ${summary(world)}`, { settled: true });
      return;
    }
    if (elapsedMs > options.timeoutMs) {
      for (const line of explainUnsettled(operators, unsettled)) progress.say(line);
      throw new CommandFailure(
        `the world did not settle within ${options.timeoutMs / 1000} s: ${unsettled.length === 0 ? 'something still writes' : unsettled.map((each) => each.what).join('; ')}`,
      );
    }
  }
}

function unfinished(story: DeletionStory | null): readonly Unsettled[] {
  if (story === null || story.isOver) return [];
  return [{ what: `the deletion that is shown has not come to its step ${story.next}`, actor: null }];
}

function summary(world: DemoWorld): string {
  const configs = world.management.store.list('kubeadmconfigs.bootstrap.cluster.x-k8s.io').length;
  const nodes = world.workloads.all().reduce((sum, server) => sum + server.store.list('nodes').length, 0);
  return `${configs} KubeadmConfigs, ${nodes} nodes joined`;
}

function explainUnsettled(operators: Operators, unsettled: readonly Unsettled[]): readonly string[] {
  return unsettled.flatMap((each) => {
    if (each.actor === null) return [each.what];
    const { machine, namespace, name } = each.actor;
    const answer = operators.current()?.explain(machine, namespace, name) ?? null;
    return answer === null
      ? [each.what]
      : [
          `${each.what}: ${answer.row.id} ${answer.row.title}. ${answer.row.description} Unblocks it: ${answer.unblocks}`,
        ];
  });
}
