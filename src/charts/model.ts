// The chart of a machine as data: states and arrows, made from the transition table.
//
// Two kinds of arrow. *Drawn* arrows are those that a state's own life has (`from`): a reader follows them. *Healing* arrows
// are the root table: any state may be left by any row, so that a lost reply or snapshot heals; they are shown quietly.
// Nothing here knows where a state is on the paper: see layout.ts in visualizations/ and svg.ts.

import type { Row, Table } from '../../machines/kit/row.js';

/** A table of any machine, when only its words matter. */
export type AnyTable = Table<string, never, string, string>;
/** A row of any machine. */
export type AnyRow = Row<string, never, string, string>;

export interface ChartState {
  readonly id: string;
  readonly description: string;
  readonly parent: string | null;
  readonly initial: boolean;
}

/** One row at one source state. */
export interface ChartRow {
  readonly rowId: string;
  readonly requirements: readonly string[];
  readonly title: string;
  readonly description: string;
  readonly event: string;
  readonly guard: string;
  readonly request: string | null;
  /** Why the state is looked at again although nothing changed; null when it is not. */
  readonly requeue: string | null;
}

/** Everything that leads from one state to another, or keeps it where it is. */
export interface ChartEdge {
  /** `Source->Target`: the name by which a viewer highlights it. */
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly rows: readonly ChartRow[];
  /** True when the arrow tells of something that went wrong. */
  readonly failure: boolean;
}

export interface ChartModel {
  readonly id: string;
  readonly initial: string;
  readonly states: readonly ChartState[];
  /** Arrows between two states, and rows that re-enter a state to ask for its effect again. */
  readonly edges: readonly ChartEdge[];
  /** Rows that leave the state alone, by state: shown inside its box. */
  readonly stays: Readonly<Record<string, readonly ChartRow[]>>;
  /** The root table: rows that lead to a state from anywhere, by target. */
  readonly healing: Readonly<Record<string, readonly ChartRow[]>>;
  readonly requests: Readonly<Record<string, string>>;
}

/** Name of the arrow between two states. */
export function edgeId(source: string, target: string): string {
  return `${source}->${target}`;
}

/** The chart of a table. */
export function chartOf(table: AnyTable): ChartModel {
  const states = Object.entries(table.states).map(([id, state]) => ({
    id,
    description: state.description,
    parent: state.parent ?? null,
    initial: id === table.initial,
  }));
  const edges = new Map<string, { source: string; target: string; rows: ChartRow[]; failure: boolean }>();
  const stays: Record<string, ChartRow[]> = {};
  const healing: Record<string, ChartRow[]> = {};
  for (const row of table.rows) {
    if (row.target !== null) (healing[row.target] ??= []).push(chartRow(row));
    for (const source of row.from) {
      const target = row.target ?? source;
      if (target === source && row.request === null) {
        (stays[source] ??= []).push(chartRow(row));
        continue;
      }
      const id = edgeId(source, target);
      const edge = edges.get(id) ?? { source, target, rows: [], failure: true };
      edge.rows.push(chartRow(row));
      edge.failure = edge.failure && row.on === 'EFFECT_FAILED';
      edges.set(id, edge);
    }
  }
  return {
    id: table.id,
    initial: table.initial,
    states,
    edges: [...edges].map(([id, edge]) => ({ id, ...edge })),
    stays,
    healing,
    requests: table.requests,
  };
}

function chartRow(row: AnyRow): ChartRow {
  return {
    rowId: row.id,
    requirements: row.requirements,
    title: row.title,
    description: row.description,
    event: row.on,
    guard: row.guard,
    request: row.request,
    requeue: row.requeue?.why ?? null,
  };
}

/** One line for an arrow: `K07 isLockFree / acquireInitLock`, with the event when it is not a look at the cluster. */
export function rowLabel(row: ChartRow): string {
  const event = row.event === 'OBSERVED' ? '' : `${row.event} `;
  return `${row.rowId} ${event}[${row.guard}]${row.request === null ? '' : ` / ${row.request}`}`;
}

/** Where each state is, and where each arrow runs, in pixels. */
export interface ChartLayout {
  /** Hash of the model that was laid out: another hash means the layout is stale. */
  readonly modelHash: string;
  readonly width: number;
  readonly height: number;
  readonly boxes: Readonly<Record<string, Box>>;
  readonly lines: Readonly<Record<string, Line>>;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Line {
  readonly points: readonly (readonly [number, number])[];
  /** Top left of the label, with its size. */
  readonly label: Box | null;
}

/** A short stable hash of a text (FNV-1a, 53 bits of it as hex): tells a stale layout, nothing more. */
export function textHash(text: string): string {
  let high = 0x811c9dc5;
  let low = 0xcbf29ce4;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    high = Math.imul(high ^ code, 0x01000193) >>> 0;
    low = Math.imul(low ^ ((code << 5) | (code >>> 3)), 0x01000193) >>> 0;
  }
  return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}
