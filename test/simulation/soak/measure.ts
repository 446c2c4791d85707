// A day in figures, and what is wrong with what is held in the evening.
import { held, type Held } from './figures.js';
import type { SoakOperator } from './operator.js';
import { NAMESPACE, type SoakWorld } from './world.js';

/** The figures of one day. */
export interface Day {
  readonly day: number;
  readonly heapBytes: number;
  readonly externalBytes: number;
  readonly residentBytes: number;
  /** Entries of all Maps and Sets of the process. */
  readonly entries: number;
  readonly actors: number;
  readonly armed: number;
  readonly listeners: number;
  /** Open connections to workload clusters. */
  readonly connections: number;
  /** Open watches of all servers. */
  readonly watches: number;
  readonly series: number;
  readonly turns: number;
  readonly writes: number;
  readonly turnMicros: number;
  /** Simulated milliseconds from a worker's creation to its bootstrap data, in order of size. */
  readonly waitsMs: readonly number[];
  /** What must not be: in words. */
  readonly problems: readonly string[];
}

/** Counts at the end of a day. */
export async function measure(
  world: SoakWorld,
  operator: SoakOperator,
  before: {
    readonly day: number;
    readonly turns: number;
    readonly turnsNow: number;
    readonly revision: number;
    readonly cpu: NodeJS.CpuUsage;
    readonly waitsMs: readonly number[];
  },
): Promise<Day> {
  const { user, system } = process.cpuUsage(before.cpu);
  const turns = before.turnsNow - before.turns;
  const { management, workloads, alive } = world;
  operator.scrape();
  const series = (await operator.metrics.registry.getMetricsAsJSON()).flatMap(({ values }) =>
    values.map(({ labels }) => Object.values(labels).join(' ')),
  );
  const things = await held(alive);
  return {
    day: before.day,
    heapBytes: things.heapBytes,
    externalBytes: things.externalBytes,
    residentBytes: process.memoryUsage.rss(),
    entries: things.mapEntries + things.setEntries,
    actors: [...operator.hosts.values()].reduce((sum, host) => sum + host.keys().length, 0),
    armed: operator.armed,
    listeners: operator.listeners,
    connections: operator.connections,
    watches: [management, ...workloads.all()].reduce((sum, { store }) => sum + store.watchCount(), 0),
    series: series.length,
    turns,
    writes: management.store.revision() - before.revision,
    turnMicros: (user + system) / Math.max(1, turns),
    waitsMs: before.waitsMs,
    problems: [...problemsOf(world, operator), ...deadOf(things), ...deadSeries(series, alive)],
  };
}

const OF_CONTROLLER: Readonly<Record<string, string>> = {
  kubeadmconfig: 'kubeadmconfigs.bootstrap.cluster.x-k8s.io',
  machine: 'machines.cluster.x-k8s.io',
  'cluster-initialized': 'clusters.cluster.x-k8s.io',
  'machines-up-to-date': 'machines.cluster.x-k8s.io',
};

function problemsOf({ objects, workloads, alive, management }: SoakWorld, operator: SoakOperator): readonly string[] {
  const problems: string[] = [];
  const same = (what: string, is: number, want: number): void =>
    void (is === want || problems.push(`${what}: ${is}, not ${want}`));
  let actors = 0;
  for (const [name, host] of operator.hosts) {
    const there = new Set(objects(OF_CONTROLLER[name] ?? '').map(({ metadata }) => `${NAMESPACE}/${metadata.name}`));
    const extra = host.keys().filter((key) => !there.has(key));
    if (extra.length > 0) problems.push(`actors of ${name} without an object: ${extra.slice(0, 5).join(', ')}`);
    if (name === 'kubeadmconfig') same('actors of kubeadmconfig', host.keys().length, there.size);
    same(`keys of ${name} that are ready`, host.depth, 0);
    same(`turns of ${name} that run`, host.active, 0);
    actors += host.keys().length;
  }
  same('rows of the inspector', operator.inspection.rows().length, actors);
  same('workload clusters that run', workloads.all().length, alive.size);
  const waiting = objects('machines.cluster.x-k8s.io').filter(
    ({ status }) => (status as { readonly nodeRef?: object } | undefined)?.nodeRef === undefined,
  );
  if (waiting.length > 0)
    problems.push(
      `Machines without a Node: ${waiting
        .slice(0, 5)
        .map(({ metadata }) => metadata.name)
        .join(', ')}`,
    );
  same('connections', operator.connections, alive.size);
  same('locks', management.store.list('configmaps', NAMESPACE).length, 0);
  return problems;
}

/** The recorder's memory of Events is bounded by itself, and its keys name what they were about. */
function deadOf({ dead }: Held): readonly string[] {
  const left = dead.filter((text) => !text.startsWith('[{'));
  return left.length === 0
    ? []
    : [`${left.length} entries name clusters that are gone: ${left.slice(0, 20).join('; ')}`];
}

function deadSeries(series: readonly string[], alive: ReadonlySet<string>): readonly string[] {
  const dead = series.filter((text) => (text.match(/\bfleet\d+-d\d+/g) ?? []).some((name) => !alive.has(name)));
  return dead.length === 0 ? [] : [`${dead.length} series name clusters that are gone: ${dead.slice(0, 5).join('; ')}`];
}

const COLUMNS = [
  'day',
  'heap MiB',
  'external MiB',
  'RSS MiB',
  'entries',
  'actors',
  'timers',
  'listeners',
  'connections',
  'watches',
  'series',
  'turns',
  'writes',
  'µs/turn',
  'data p50 ms',
  'data max ms',
] as const;

/** The head of the table. */
export const title = COLUMNS.map((name) => name.padStart(7)).join(' ');

/** A line of the table. */
export function row(day: Day): string {
  const mib = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1);
  const cells = [
    day.day,
    mib(day.heapBytes),
    mib(day.externalBytes),
    mib(day.residentBytes),
    day.entries,
    day.actors,
    day.armed,
    day.listeners,
    day.connections,
    day.watches,
    day.series,
    day.turns,
    day.writes,
    day.turnMicros.toFixed(0),
    medianOf(day.waitsMs),
    day.waitsMs.at(-1) ?? 0,
  ];
  return cells.map((cell, index) => String(cell).padStart(Math.max(7, COLUMNS[index]?.length ?? 0))).join(' ');
}

/** The middle one of values in order. */
export function medianOf(values: readonly number[]): number {
  return values[Math.floor(values.length / 2)] ?? 0;
}
