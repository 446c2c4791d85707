// The lanes of one cluster: who was in which state when, who held the init lock, who waited for whom.

import type { ActorRow, HistoryEntry, InspectionStore } from './store.js';
import type { WireLane, WireSpan, WireTimeline, WireWait } from './wire.js';

/** States in which an actor holds its cluster's init lock. */
const HOLDS_LOCK: Readonly<Record<string, ReadonlySet<string>>> = { kubeadmconfig: new Set(['Initializing']) };

/** The lanes of a cluster's actors: the Cluster's own first, then machine by machine in the order of `machines`. */
export function timelineOf(
  store: InspectionStore,
  machines: readonly string[],
  { namespace, cluster, nowMs }: { readonly namespace: string; readonly cluster: string; readonly nowMs: number },
): WireTimeline {
  const rows = store
    .rows()
    .filter((row) => row.namespace === namespace && row.cluster === cluster)
    .sort(
      (a, b) =>
        Number(b.kind === 'Cluster') - Number(a.kind === 'Cluster') ||
        machines.indexOf(a.machine) - machines.indexOf(b.machine) ||
        order(a.role, b.role) ||
        order(a.name, b.name),
    );
  const lanes = rows.map((row): WireLane => {
    const history = store.get(row.key)?.history ?? [];
    return { key: row.key, machine: row.machine, name: row.name, role: row.role, spans: spansOf(row, history, rows) };
  });
  return { now: nowMs, lanes };
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Entries of the same state and wait are one span; so is what is done meanwhile without leaving the state. */
function spansOf(row: ActorRow, history: readonly HistoryEntry[], rows: readonly ActorRow[]): readonly WireSpan[] {
  const starts: HistoryEntry[] = [];
  for (const entry of history) {
    const last = starts.at(-1);
    const isSame = last?.to === entry.to && (entry.request !== null || isSameWait(last.waitsFor, entry.waitsFor));
    if (!isSame) starts.push(entry);
  }
  return starts.map((entry, index) => {
    const lane = entry.waitsFor === null ? undefined : laneOf(entry.waitsFor, row, rows);
    return {
      state: entry.to,
      fromMs: index === 0 && entry.from === entry.to ? Math.min(entry.atMs, row.sinceMs) : entry.atMs,
      toMs: starts[index + 1]?.atMs ?? null,
      row: entry.row,
      holdsLock: HOLDS_LOCK[row.machine]?.has(entry.to) ?? false,
      waitsFor: entry.waitsFor,
      waitsForKey: lane?.key ?? null,
      isOwn: lane !== undefined && lane.ownerName === row.ownerName,
    };
  });
}

function isSameWait(a: WireWait | null, b: WireWait | null): boolean {
  return a?.kind === b?.kind && a?.name === b?.name;
}

/** The actor of what is waited for: of the same machine where that acts for the object, else of the object itself. */
function laneOf(wait: WireWait, waiter: ActorRow, rows: readonly ActorRow[]): ActorRow | undefined {
  const others = rows.filter((row) => row.key !== waiter.key);
  return (
    others.find(
      (row) => row.machine === waiter.machine && row.ownerName === wait.name && wait.kind.startsWith('Machine'),
    ) ?? others.find((row) => row.kind === wait.kind && row.name === wait.name)
  );
}
