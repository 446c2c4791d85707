// The read-only data behind the page, by path. Pure but for reading the store and the explainers.
//
//   /api/charts                  every machine: chart and words        /charts/<machine>.(svg|mmd|puml|scxml|json)
//   /api/actors/<machine>/<uid>  one actor: why, facts, history        /api/actors/<machine>/<uid>/history.json
//   /api/timeline?ns=&cluster=   lanes of a cluster's actors           /text?...   the list for terminals

import type { Explanation } from '../../machines/kit/explanation.js';
import type { ChartModel } from '../charts/model.js';
import { unescaped, type RequestTarget } from '../http/request-target.js';
import { scrubDeep } from './scrub.js';
import type { ActorRow, InspectionStore } from './store.js';
import { timelineOf } from './timeline.js';
import { ageText, type ObjectDetails, type WireDetail } from './wire.js';

/** A machine as the page shows it. */
export interface PageChart {
  readonly model: ChartModel;
  readonly svg: string;
  readonly exports: Readonly<Record<'svg' | 'mmd' | 'puml' | 'scxml' | 'json', string>>;
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
export function answerApi(data: PageData, { path, query }: RequestTarget): Answer | null {
  const parts = path.split('/').slice(1).map(unescaped);
  const [first, second, third, fourth, fifth] = parts;
  if (first === 'api' && second === 'charts' && parts.length === 2) {
    return json(data.charts.map(({ model, svg }) => ({ ...model, svg })));
  }
  if (first === 'api' && second === 'status' && parts.length === 2) return json(data.status());
  if (first === 'api' && second === 'timeline' && parts.length === 2) {
    const machines = data.charts.map((chart) => chart.model.id);
    const wanted = { namespace: query.get('ns') ?? '', cluster: query.get('cluster') ?? '', nowMs: data.nowMs() };
    return json(timelineOf(data.store, machines, wanted));
  }
  if (first === 'api' && second === 'actors' && third !== undefined && fourth !== undefined) {
    return actorAnswer(data, `${third}/${fourth}`, fifth);
  }
  if (first === 'charts' && second !== undefined && parts.length === 2) return chartFile(data, second);
  if (first === 'text' && parts.length === 1) return { type: 'text/plain; charset=utf-8', body: textList(data, query) };
  return null;
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
  // The page asks for the actor it showed a moment ago: that it is gone is an answer, not an error.
  if (actor === null) return rest === undefined ? json(null) : null;
  const { row, history } = actor;
  if (rest === 'history.json') {
    return {
      ...json({ machine: row.machine, namespace: row.namespace, name: row.name, uid: row.uid, history }),
      fileName: `${row.namespace}-${row.name}-history.json`,
    };
  }
  if (rest !== undefined) return null;
  const detail: WireDetail = {
    key,
    history,
    why: scrubDeep(data.explain(row.machine, row.namespace, row.name)) as WireDetail['why'],
    details: scrubDeep(data.details(row.machine, row.namespace, row.name)) as WireDetail['details'],
    others: data.store.timeInState(row.machine, row.state),
  };
  return json(detail);
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
