// `npm run test:stack`: the operator in the real Cluster API stack, phase by phase, and what each phase cost.
//
// The programs are built before (`.ci/stack.mjs`); $STACK_PROGRAMS says where they are.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseStack, usage, type StackArguments } from './arguments.js';
import { measure, type PhaseFigures } from './figures.js';
import { differences, leftBehind, type Left } from './left-behind.js';
import type { Wanted } from './manifests.js';
import { phases, type Run } from './phases.js';
import type { ProviderName } from './provider.js';
import { comparison, runTable, totalsOf, type RunReport } from './report.js';
import { startWitness } from './witness.js';
import { startWorld, type World, type WorldOptions } from './world.js';

const print = (text: string): void => void process.stdout.write(text);
const note = (text: string): void => void process.stderr.write(`stack: ${text}\n`);

/** Kubernetes versions before and after the roll-outs. */
const versions = ['v1.34.1', 'v1.35.0'] as const;

/** The world that runs at this moment. */
let current: World | null = null;

interface Outcome {
  readonly report: RunReport;
  readonly left: readonly Left[];
}

/** Runs what the command line asks for; gives the exit code. */
async function main(args: readonly string[]): Promise<number> {
  if (args.includes('--help')) {
    print(usage);
    return 0;
  }
  const wanted = parseStack(args);
  const outcomes: Outcome[] = [];
  for (const provider of wanted.providers) outcomes.push(await runOne(wanted, provider));
  const [other, ours] = outcomes;
  let different: readonly string[] = [];
  if (other !== undefined && ours !== undefined) {
    print(comparison(ours.report, other.report));
    different = differences(ours.left, other.left);
    print(`\nleft behind differently: ${different.length === 0 ? 'nothing' : `\n  ${different.join('\n  ')}`}\n`);
  }
  const reports = outcomes.map(({ report }) => report);
  const totals = Object.fromEntries(reports.map((report) => [report.provider, totalsOf(report)]));
  if (wanted.json !== '')
    writeFileSync(wanted.json, `${JSON.stringify({ arguments: wanted, totals, reports, different }, null, 2)}\n`);
  // The Go provider's own slips are told but are no failure of ours.
  const judged = reports.filter(({ provider }) => provider === 'ours' || wanted.providers.length === 1);
  const all = judged.flatMap((report) => report.phases);
  const failed = all.filter(({ problems }) => problems.length > 0).length + (different.length > 0 ? 1 : 0);
  print(
    `\n${all.length - failed} passed, ${failed} failed, ${wanted.phases.length * judged.length - all.length} skipped\n`,
  );
  return failed === 0 ? 0 : 1;
}

/** One provider through all phases, on a stack of its own. */
async function runOne(wanted: StackArguments, provider: ProviderName): Promise<Outcome> {
  const { folder, sources, testSources } = JSON.parse(
    process.env['STACK_PROGRAMS'] ?? '{}',
  ) as WorldOptions['programs'];
  const tell = (text: string): void => note(`${provider}: ${text}`);
  const world = await startWorld({
    provider,
    programs: { folder, sources, testSources },
    logs: wanted.logs === '' ? '' : join(wanted.logs, provider),
    nodeFlags: wanted.nodeFlags,
    note: tell,
  });
  current = world;
  const witness = startWitness(world);
  const clusters = clustersOf(wanted);
  const run: Run = { world, witness, wanted: clusters, versions, idleMs: wanted.idleMs, note: tell };
  const found: PhaseFigures[] = [];
  let left: readonly Left[] = [];
  try {
    for (const name of wanted.phases) {
      const phase = phases[name];
      const reason = phase?.unfit?.(clusters);
      if (phase === undefined || reason !== undefined) {
        tell(`${name}: left out: ${reason ?? 'there is no such phase'}`);
        continue;
      }
      if (phase.isEnd === true) left = await leftBehind(world.api);
      const figures = await played(run, name);
      found.push(figures);
      tell(
        `${name}: ${figures.problems.length === 0 ? 'ok' : figures.problems.join('; ')} (${figures.seconds.toFixed(1)} s)`,
      );
      if (figures.problems.some((problem) => problem.startsWith('stopped: '))) break;
    }
    if (left.length === 0) left = await leftBehind(world.api);
  } finally {
    await witness.stop();
    await world.stop();
    current = null;
  }
  const title = `${wanted.clusters} x (${wanted.controlPlanes}+${wanted.workers}), ${wanted.topologies} with a topology, ${wanted.pools} with a pool, series ${wanted.series}`;
  const report = { provider, title, phases: found };
  print(runTable(report));
  for (const { phase, problems } of found) for (const problem of problems) print(`  ${phase}: ${problem}\n`);
  return { report, left };
}

async function played(run: Run, name: string): Promise<PhaseFigures> {
  const measurement = await measure(run.world, run.witness);
  const problems: string[] = [];
  const isEnd = phases[name]?.isEnd === true;
  try {
    await phases[name]?.play(run);
    // The audit log is written a moment after the answer.
    await new Promise((resolve) => setTimeout(resolve, 500));
  } catch (error) {
    problems.push(`stopped: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (!isEnd) problems.push(...(await run.witness.judge(run.wanted.map((wanted) => wanted.name))));
  return measurement.end(name, problems);
}

function clustersOf(wanted: StackArguments): readonly Wanted[] {
  return Array.from({ length: wanted.clusters }, (_, index) => ({
    name: `c${index}`,
    hasTopology: index >= wanted.clusters - wanted.topologies,
    hasPool: index < wanted.pools,
    controlPlanes: wanted.controlPlanes,
    workers: wanted.workers,
    controlPlaneVersion: versions[0],
    workerVersion: versions[0],
    poolConfig: `c${index}-pool`,
  }));
}

// What was started ends with us, and its files go.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    const end = (): never => process.exit(130);
    if (current === null) end();
    else current.stop().then(end, end);
  });

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    note(error instanceof Error ? error.message : String(error));
    process.exit(1);
  },
);
