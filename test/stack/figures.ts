// What a phase cost: from the API server's audit log, CAPD's count of calls, and /proc.
import { countsOf, isUpkeep, isWrite, type Counts } from '../bench/system/figures.js';
import { ACCOUNT_USER } from '../envtest/installed.js';
import type { World } from './world.js';
import type { Witness } from './witness.js';
import { workloadCounts, type WorkloadCounts } from './workload.js';

/** The figures of one phase. */
export interface PhaseFigures {
  readonly phase: string;
  readonly problems: readonly string[];
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly mebibytes: number;
  readonly calls: number;
  readonly writes: number;
  /** Answers with 409: somebody else was faster. */
  readonly refused: number;
  readonly workloadCalls: number;
  readonly workloadWrites: number;
  readonly tokenReads: number;
  readonly tokens: number;
  readonly joins: number;
  readonly managementCounts: Counts;
  readonly workloadCounts: Counts;
}

/** A phase that is being measured. */
export interface Measurement {
  end(phase: string, problems: readonly string[]): Promise<PhaseFigures>;
}

/** Begins to measure. */
export async function measure(world: World, witness: Witness): Promise<Measurement> {
  const startMs = performance.now();
  const cpu = world.provider.cpuSeconds();
  const before = world.audit.calls().length;
  const workloadBefore = await workloadCounts(world.metricsPort);
  world.provider.takePeakMebibytes();
  return {
    async end(phase, problems) {
      const seconds = (performance.now() - startMs) / 1000;
      const used = world.provider.cpuSeconds() - cpu;
      const all = world.audit.calls().slice(before);
      const calls = all.filter((call) => call.user === ACCOUNT_USER && !isUpkeep(call));
      const workload = difference(await workloadCounts(world.metricsPort), workloadBefore);
      return {
        phase,
        problems,
        seconds,
        cpuSeconds: used,
        mebibytes: world.provider.takePeakMebibytes(),
        calls: calls.length,
        writes: calls.filter(isWrite).length,
        refused: calls.filter(({ code }) => code === 409).length,
        workloadCalls: sum(workload, () => true),
        workloadWrites: sum(workload, (name) => /^(POST|PUT|PATCH|DELETE|APPLY)/u.test(name)),
        tokenReads: sum(workload, (name) => /^GET secrets/u.test(name)),
        ...witness.counts(),
        managementCounts: countsOf(calls),
        workloadCounts: workload,
      };
    },
  };
}

function difference(after: WorkloadCounts, before: WorkloadCounts): Counts {
  const pairs = [...after].map(([name, count]) => [name, count - (before.get(name) ?? 0)] as const);
  return Object.fromEntries(pairs.filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a));
}

function sum(counts: Counts, isMeant: (name: string) => boolean): number {
  return Object.entries(counts).reduce((total, [name, count]) => total + (isMeant(name) ? count : 0), 0);
}
