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
  const { init, join, initStatus, joinStatus, management, workload, cpuSeconds, idle, restart } = figures;
  return [
    ['KubeadmConfigs', String(figures.configs)],
    ['data Secrets', String(figures.dataSecrets)],
    ['write round trip, idle server', `${figures.writeRoundTripMs.toFixed(2)} ms`],
    ['provisioned -> init data, p50', trips(init.each.p50)],
    ['provisioned -> init data, p99', trips(init.each.p99)],
    ['provisioned -> init data, all done', trips(init.allDoneMs)],
    ['provisioned -> status with init data, p50', trips(initStatus.each.p50)],
    ['provisioned -> status with init data, all done', trips(initStatus.allDoneMs)],
    ['ControlPlaneInitialized -> data, p50', trips(join.each.p50)],
    ['ControlPlaneInitialized -> data, p99', trips(join.each.p99)],
    ['ControlPlaneInitialized -> data, all done', trips(join.allDoneMs)],
    ['ControlPlaneInitialized -> status with data, p50', trips(joinStatus.each.p50)],
    ['ControlPlaneInitialized -> status with data, all done', trips(joinStatus.allDoneMs)],
    ['tokens minted per worker', figures.tokensPerWorker.toFixed(2)],
    ['data Secrets rendered per KubeadmConfig', figures.rendersPerConfig.toFixed(2)],
    [
      'management calls per KubeadmConfig',
      `${management.perConfig.toFixed(2)} (writes ${management.writesPerConfig.toFixed(2)})`,
    ],
    ['  by verb', counts(management.counts, figures.configs)],
    ['workload calls per KubeadmConfig', workload.perConfig.toFixed(2)],
    ['  by verb', counts(workload.counts, figures.configs)],
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

/** Each figure of one run over the same figure of another; `-` where there is nothing to divide by. */
export function ratioLines(ours: SystemFigures, other: SystemFigures): readonly Line[] {
  const servers = ({ cpuSeconds }: SystemFigures): number => cpuSeconds.apiServer + cpuSeconds.etcd;
  const figures: readonly (readonly [string, (of: SystemFigures) => number])[] = [
    ['write round trip, idle server', (of) => of.writeRoundTripMs],
    ['provisioned -> init data, p50', (of) => of.init.each.p50],
    ['provisioned -> init data, all done', (of) => of.init.allDoneMs],
    ['provisioned -> status with init data, p50', (of) => of.initStatus.each.p50],
    ['provisioned -> status with init data, all done', (of) => of.initStatus.allDoneMs],
    ['ControlPlaneInitialized -> data, p50', (of) => of.join.each.p50],
    ['ControlPlaneInitialized -> data, p99', (of) => of.join.each.p99],
    ['ControlPlaneInitialized -> data, all done', (of) => of.join.allDoneMs],
    ['ControlPlaneInitialized -> status with data, p50', (of) => of.joinStatus.each.p50],
    ['ControlPlaneInitialized -> status with data, all done', (of) => of.joinStatus.allDoneMs],
    ['tokens minted per worker', (of) => of.tokensPerWorker],
    ['data Secrets rendered per KubeadmConfig', (of) => of.rendersPerConfig],
    ['management calls per KubeadmConfig', (of) => of.management.perConfig],
    ['workload calls per KubeadmConfig', (of) => of.workload.perConfig],
    ['provider CPU', (of) => of.cpuSeconds.provider],
    ['API server + etcd CPU', servers],
    ['peak RSS of the provider', (of) => of.peakMebibytes],
    ['restart to the last call', (of) => of.restart.toLastCallMs],
  ];
  return figures.map(([name, read]) => [name, read(other) === 0 ? '-' : (read(ours) / read(other)).toFixed(2)]);
}

/** How often each call was made: in all, or for each of so many. */
function counts(of: Counts, per = 0): string {
  const list = Object.entries(of).map(([name, count]) => `${per === 0 ? count : (count / per).toFixed(2)} ${name}`);
  return list.length === 0 ? 'none' : list.join(', ');
}
