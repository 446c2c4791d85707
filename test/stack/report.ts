// The figures of runs as text.
import type { PhaseFigures } from './figures.js';

/** What one provider's run found. */
export interface RunReport {
  readonly provider: string;
  readonly title: string;
  readonly phases: readonly PhaseFigures[];
}

const columns: readonly (readonly [string, (figures: PhaseFigures) => string])[] = [
  ['phase', ({ phase }) => phase],
  ['ok', ({ problems }) => (problems.length === 0 ? 'ok' : `${problems.length} problems`)],
  ['seconds', ({ seconds }) => seconds.toFixed(1)],
  ['CPU s', ({ cpuSeconds }) => cpuSeconds.toFixed(2)],
  ['RSS MiB', ({ mebibytes }) => mebibytes.toFixed(0)],
  ['calls', ({ calls }) => String(calls)],
  ['writes', ({ writes }) => String(writes)],
  ['refused', ({ refused }) => String(refused)],
  ['workload calls', ({ workloadCalls }) => String(workloadCalls)],
  ['writes', ({ workloadWrites }) => String(workloadWrites)],
  ['token reads', ({ tokenReads }) => String(tokenReads)],
  ['tokens/joins', ({ tokens, joins }) => `${tokens}/${joins}`],
];

/** One run as a table. */
export function runTable({ provider, title, phases }: RunReport): string {
  const rows = [columns.map(([name]) => name), ...phases.map((figures) => columns.map(([, read]) => read(figures)))];
  return `\n${provider}: ${title}\n${aligned(rows)}`;
}

/** Sums of the phases that a comparison is about: all but those that run the other provider as well. */
export interface Totals {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly idleCpuSecondsPerMinute: number;
  readonly mebibytes: number;
  readonly calls: number;
  readonly writes: number;
  readonly workloadCalls: number;
  readonly tokenReadsPerJoin: number;
}

/** Sums one run. */
export function totalsOf({ phases }: RunReport): Totals {
  const counted = phases.filter(({ phase }) => phase !== 'swap');
  const working = counted.filter(({ phase }) => phase !== 'idle');
  const idle = counted.find(({ phase }) => phase === 'idle');
  const sum = (of: readonly PhaseFigures[], read: (figures: PhaseFigures) => number): number =>
    of.reduce((total, figures) => total + read(figures), 0);
  const joins = Math.max(1, ...counted.map((figures) => figures.joins));
  return {
    seconds: sum(working, ({ seconds }) => seconds),
    cpuSeconds: sum(counted, ({ cpuSeconds }) => cpuSeconds),
    idleCpuSecondsPerMinute: idle === undefined ? 0 : (idle.cpuSeconds * 60) / Math.max(1, idle.seconds),
    mebibytes: Math.max(0, ...counted.map(({ mebibytes }) => mebibytes)),
    calls: sum(counted, ({ calls }) => calls),
    writes: sum(counted, ({ writes }) => writes),
    workloadCalls: sum(counted, ({ workloadCalls }) => workloadCalls),
    tokenReadsPerJoin: sum(counted, ({ tokenReads }) => tokenReads) / joins,
  };
}

/** Two runs beside each other: totals and, for each phase, how ours compares. */
export function comparison(ours: RunReport, other: RunReport): string {
  const a = totalsOf(ours);
  const b = totalsOf(other);
  const row = (name: string, read: (totals: Totals) => number, digits: number): readonly string[] => [
    name,
    read(b).toFixed(digits),
    read(a).toFixed(digits),
    ratio(read(a), read(b)),
  ];
  const totals = [
    ['figure', other.provider, ours.provider, 'ratio'],
    row('duration of all phases but idle, s', (of) => of.seconds, 1),
    row('CPU, s', (of) => of.cpuSeconds, 2),
    row('CPU at rest, s a minute', (of) => of.idleCpuSecondsPerMinute, 2),
    row('RSS, MiB', (of) => of.mebibytes, 0),
    row('management calls', (of) => of.calls, 0),
    row('management writes', (of) => of.writes, 0),
    row('workload calls', (of) => of.workloadCalls, 0),
    row('token reads per join', (of) => of.tokenReadsPerJoin, 2),
  ];
  const each = ours.phases.flatMap((mine) => {
    const theirs = other.phases.find(({ phase }) => phase === mine.phase);
    if (theirs === undefined) return [];
    return [
      [
        mine.phase,
        ratio(mine.seconds, theirs.seconds),
        ratio(mine.cpuSeconds, theirs.cpuSeconds),
        ratio(mine.mebibytes, theirs.mebibytes),
        ratio(mine.calls, theirs.calls),
        ratio(mine.writes, theirs.writes),
        ratio(mine.workloadCalls, theirs.workloadCalls),
      ],
    ];
  });
  const head = ['phase', 'seconds', 'CPU', 'RSS', 'calls', 'writes', 'workload calls'];
  return `\nall phases but swap\n${aligned(totals)}\nratios ${ours.provider} to ${other.provider}\n${aligned([head, ...each])}`;
}

const ratio = (mine: number, theirs: number): string => (theirs === 0 ? '-' : (mine / theirs).toFixed(2));

function aligned(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    `  ${row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()}`;
  return `${rows.map(line).join('\n')}\n`;
}
