// The read-only data behind the page, by path. Pure but for reading the store and the explainers.
//
//   /api/charts                  every machine: chart and words        /charts/<machine>.(svg|mmd|puml|scxml|json)
//   /api/actors/<machine>/<uid>  one actor: why, facts, history        /api/actors/<machine>/<uid>/history.json
//   /api/timeline?ns=&cluster=   lanes of a cluster's actors           /text?...   the list for terminals

import type { Explanation } from '../../machines/kit/explanation.js';
import type { ChartModel } from '../charts/model.js';
import { scrubDeep } from './scrub.js';
import type { ActorRow, InspectionStore } from './store.js';

/** A machine as the page shows it. */
export interface PageChart {
  readonly model: ChartModel;
  readonly svg: string;
  readonly exports: Readonly<Record<'svg' | 'mmd' | 'puml' | 'scxml' | 'json', string>>;
}

/** What an actor's object says of itself: read from the caches when somebody looks. */
export interface ObjectDetails {
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason: string;
    readonly message: string;
    readonly lastTransitionTime: string;
  }[];
  readonly events: readonly {
    readonly type: string;
    readonly reason: string;
    readonly message: string;
    readonly at: string;
  }[];
  readonly plural: string;
}

/** Everything that the routes read. */
export interface PageData {
  readonly store: InspectionStore;
  readonly charts: readonly PageChart[];
  readonly explain: (machine: string, namespace: string, name: string) => Explanation | null;
  readonly details: (machine: string, namespace: string, name: string) => ObjectDetails | null;
  readonly status: () => { readonly leader: boolean; readonly identity: string };
  readonly nowMs: () => number;
}

/** A body with its type; `fileName` makes it a download. */
export interface Answer {
  readonly type: string;
  readonly body: string;
  readonly fileName?: string;
}

const TYPES = {
  svg: 'image/svg+xml',
  mmd: 'text/plain; charset=utf-8',
  puml: 'text/plain; charset=utf-8',
  scxml: 'application/xml',
  json: 'application/json',
} as const;

/** The answer to a path, or null when there is none. */
export function answerApi(data: PageData, url: URL): Answer | null {
  const parts = url.pathname.split('/').slice(1).map(decode);
  const [first, second, third, fourth, fifth] = parts;
  if (first === 'api' && second === 'charts' && parts.length === 2) {
    return json(data.charts.map(({ model, svg }) => ({ ...model, svg })));
  }
  if (first === 'api' && second === 'status' && parts.length === 2) return json(data.status());
  if (first === 'api' && second === 'timeline' && parts.length === 2) return json(timeline(data, url.searchParams));
  if (first === 'api' && second === 'actors' && third !== undefined && fourth !== undefined) {
    return actorAnswer(data, `${third}/${fourth}`, fifth);
  }
  if (first === 'charts' && second !== undefined && parts.length === 2) return chartFile(data, second);
  if (first === 'text' && parts.length === 1)
    return { type: 'text/plain; charset=utf-8', body: textList(data, url.searchParams) };
  return null;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function json(value: unknown): Answer {
  return { type: 'application/json', body: JSON.stringify(value) };
}

function chartFile(data: PageData, file: string): Answer | null {
  const match = /^([a-z-]+)\.(svg|mmd|puml|scxml|json)$/.exec(file);
  const chart = data.charts.find((each) => each.model.id === match?.[1]);
  if (match === null || chart === undefined) return null;
  const extension = match[2] as keyof PageChart['exports'];
  return { type: TYPES[extension], body: chart.exports[extension], fileName: file };
}

function actorAnswer(data: PageData, key: string, rest: string | undefined): Answer | null {
  const actor = data.store.get(key);
  if (actor === null) return null;
  const { row, history, facts } = actor;
  if (rest === 'history.json') {
    return {
      ...json({ machine: row.machine, namespace: row.namespace, name: row.name, uid: row.uid, history }),
      fileName: `${row.namespace}-${row.name}-history.json`,
    };
  }
  if (rest !== undefined) return null;
  return json({
    key,
    history,
    facts,
    why: scrubDeep(data.explain(row.machine, row.namespace, row.name)),
    details: scrubDeep(data.details(row.machine, row.namespace, row.name)),
    others: data.store.timeInState(row.machine, row.state),
    now: data.nowMs(),
  });
}

/** The lanes of one cluster: who was in which state when. */
function timeline(data: PageData, query: URLSearchParams): object {
  const namespace = query.get('ns') ?? '';
  const cluster = query.get('cluster') ?? '';
  const lanes = data.store
    .rows()
    .filter((row) => row.namespace === namespace && row.cluster === cluster)
    .map((row) => ({ key: row.key, machine: row.machine, name: row.name, role: row.role, spans: spansOf(data, row) }))
    .sort((a, b) => (a.role < b.role ? -1 : a.role > b.role ? 1 : a.name < b.name ? -1 : 1));
  return { now: data.nowMs(), lanes };
}

interface Span {
  readonly state: string;
  readonly fromMs: number;
  readonly toMs: number | null;
  readonly row: string;
}

function spansOf(data: PageData, row: ActorRow): readonly Span[] {
  const history = data.store.get(row.key)?.history ?? [];
  const moves = history.filter((entry, index) => index === 0 || entry.from !== entry.to);
  return moves.map((entry, index) => ({
    state: entry.to,
    fromMs: entry.atMs,
    toMs: moves[index + 1]?.atMs ?? null,
    row: entry.row,
  }));
}

/** The list for terminals: the same columns as the page. */
function textList(data: PageData, query: URLSearchParams): string {
  const wanted = (row: ActorRow): boolean =>
    [...query].every(([name, value]) => {
      if (name === 'ns') return row.namespace === value;
      if (name === 'cluster') return row.cluster === value;
      if (name === 'state') return row.state === value;
      if (name === 'role') return row.role === value;
      if (name === 'machine') return row.machine === value;
      return name !== 'error' || row.error !== null;
    });
  const lines = data.store
    .rows()
    .filter(wanted)
    .map((row) => [
      row.machine,
      `${row.namespace}/${row.name}`,
      row.state,
      ageText(data.nowMs() - row.sinceMs),
      row.row,
      row.error?.message ?? '',
    ]);
  const table = [['MACHINE', 'OBJECT', 'STATE', 'FOR', 'ROW', 'ERROR'], ...lines];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((line) => (line[column] ?? '').length)));
  return (
    table
      .map((line) =>
        line
          .map((cell, column) => cell.padEnd(widths[column] ?? 0))
          .join('  ')
          .trimEnd(),
      )
      .join('\n') + '\n'
  );
}

/** An age as kubectl prints it: `42s`, `5m`, `3h`, `2d`. */
export function ageText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}
