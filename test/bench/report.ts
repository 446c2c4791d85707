// Figures as text: one line each, names to the left.
import type { Counts } from './system/figures.js';
import type { SystemFigures } from './system/run.js';

/** One line of a table. */
export type Line = readonly [name: string, value: string];

/** Lines as an aligned table. */
export function table(title: string, lines: readonly Line[]): string {
  const width = Math.max(...lines.map(([name]) => name.length));
  return `\n${title}\n${lines.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n')}\n`;
}

const ms = (value: number): string => (value >= 10_000 ? `${(value / 1000).toFixed(1)} s` : `${value.toFixed(0)} ms`);

/** The lines of a system run. */
export function systemLines(figures: SystemFigures): readonly Line[] {
  const trips = (value: number): string =>
    `${ms(value)} (${(value / Math.max(0.001, figures.writeRoundTripMs)).toFixed(0)} write round trips)`;
  const { init, join, management, workload, cpuSeconds, idle, restart } = figures;
  return [
    ['KubeadmConfigs', String(figures.configs)],
    ['data Secrets', String(figures.dataSecrets)],
    ['write round trip, idle server', `${figures.writeRoundTripMs.toFixed(2)} ms`],
    ['provisioned -> init data, p50', trips(init.each.p50)],
    ['provisioned -> init data, p99', trips(init.each.p99)],
    ['provisioned -> init data, all done', trips(init.allDoneMs)],
    ['ControlPlaneInitialized -> data, p50', trips(join.each.p50)],
    ['ControlPlaneInitialized -> data, p99', trips(join.each.p99)],
    ['ControlPlaneInitialized -> data, all done', trips(join.allDoneMs)],
    ['tokens minted per worker', figures.tokensPerWorker.toFixed(2)],
    ['data Secrets rendered per KubeadmConfig', figures.rendersPerConfig.toFixed(2)],
    [
      'management calls per KubeadmConfig',
      `${management.perConfig.toFixed(2)} (writes ${management.writesPerConfig.toFixed(2)})`,
    ],
    ['  by verb', counts(management.counts)],
    ['workload calls per KubeadmConfig', workload.perConfig.toFixed(2)],
    ['  by verb', counts(workload.counts)],
    ['provider CPU', `${cpuSeconds.provider.toFixed(2)} s, ${figures.providerCpuMsPerConfig.toFixed(1)} ms a config`],
    [
      'API server + etcd CPU',
      `${cpuSeconds.apiServer.toFixed(2)} + ${cpuSeconds.etcd.toFixed(2)} = ${(cpuSeconds.apiServer + cpuSeconds.etcd).toFixed(2)} s`,
    ],
    ['peak RSS of the provider', `${figures.peakMebibytes.toFixed(0)} MiB`],
    [`idle ${idle.seconds} s, management calls`, counts(idle.management)],
    [`idle ${idle.seconds} s, workload calls`, counts(idle.workload)],
    ['restart to the last call', ms(restart.toLastCallMs)],
    ['restart, writes', String(restart.writes)],
    ['restart, workload calls', String(restart.workload)],
    ['restart, management calls', counts(restart.management)],
  ];
}

function counts(of: Counts): string {
  const list = Object.entries(of).map(([name, count]) => `${count} ${name}`);
  return list.length === 0 ? 'none' : list.join(', ');
}
