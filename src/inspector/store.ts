// What the inspector knows of every actor: its row in the list, its history ring, how long others stay in a state.
//
// The store is fed by observe.ts and read by the page and the two protocols. It never holds an object, a fact or an event's
// content: only names, times and the words of an error, scrubbed once, here, at the boundary.
//
//   I1. Feeding it never throws into an actor, and does no JSON.
//   I2. Unwatched, an actor costs a ring of small records, nothing else.
//   I3. Rows are keyed by machine and uid: an actor put to rest and restored is the same row.

import { scrub } from './scrub.js';
import { identityOf } from './project.js';
import type { WireHistory, WireWait } from './wire.js';

/** One transition, as the ring keeps it. */
export type HistoryEntry = WireHistory;

/** One actor in the list. */
export interface ActorRow {
  /** `<machine>/<uid>`. */
  readonly key: string;
  readonly machine: string;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  cluster: string;
  role: string;
  /** Name of the object that owns its object; its own name where the object is the owner. */
  ownerName: string;
  /** Kind of its object; empty for a machine that is not known. */
  kind: string;
  state: string;
  sinceMs: number;
  row: string;
  event: string;
  /** `Source->Target` of the last transition that changed the state; empty before the first. */
  edge: string;
  /** The row that took it. */
  edgeRow: string;
  wakeAtMs: number | null;
  waitsFor: WireWait | null;
  /** The last transition asked for an effect. */
  isBusy: boolean;
  error: { readonly kind: string; readonly message: string; readonly atMs: number } | null;
  transitions: number;
}

/** What happened to an actor; observe.ts makes it. `facts` are the machine's facts, not yet projected; they are not kept. */
export interface ActorNote {
  readonly machine: string;
  readonly uid: string;
  readonly id: string;
  readonly atMs: number;
  readonly event: string;
  readonly row: string;
  readonly from: string;
  readonly to: string;
  readonly request: string | null;
  readonly sinceMs: number;
  readonly wakeAtMs: number | null;
  readonly facts: Readonly<Record<string, unknown>>;
  /** The object that the row waits for; null for none. */
  readonly waitsFor: WireWait | null;
}

interface Kept {
  readonly row: ActorRow;
  readonly ring: HistoryEntry[];
}

/** Everything that happened since a viewer looked last. */
export interface Changes {
  readonly updated: readonly ActorRow[];
  readonly removed: readonly string[];
}

/** The store's port to its feeders and readers. */
export interface InspectionStore {
  readonly epoch: string;
  note(note: ActorNote): void;
  gone(machine: string, uid: string): void;
  rows(): readonly ActorRow[];
  get(key: string): {
    readonly row: ActorRow;
    readonly history: readonly HistoryEntry[];
  } | null;
  /** Starts collecting changes for one viewer; call `take` at its pace and `stop` when it leaves. */
  watch(): { take(): Changes; stop(): void };
  /** Every note as it comes, and every actor that goes, for the protocols; nothing is kept for them. */
  subscribe(onNote: (note: ActorNote, row: ActorRow) => void, onGone: (row: ActorRow) => void): () => void;
  /** How long actors that left a state had been in it, p50 and p95 in milliseconds; null while too few did. */
  timeInState(
    machine: string,
    state: string,
  ): { readonly p50Ms: number; readonly p95Ms: number; readonly count: number } | null;
  /** How many notes were dropped because of a bug in the inspector. */
  readonly failures: number;
}

const DURATIONS_KEPT = 256;

/** Makes the store. `history` is the number of transitions kept per actor. */
export function createInspectionStore({
  history,
  epoch,
}: {
  readonly history: number;
  readonly epoch: string;
}): InspectionStore {
  const actors = new Map<string, Kept>();
  const watchers = new Set<{ updated: Set<string>; removed: Set<string> }>();
  const listeners = new Set<{ onNote(note: ActorNote, row: ActorRow): void; onGone(row: ActorRow): void }>();
  const durations = new Map<string, number[]>();
  let failures = 0;
  let seq = 0;

  const record = (note: ActorNote): void => {
    const key = actorKey(note.machine, note.uid);
    const kept = actors.get(key) ?? newActor(key, note);
    actors.set(key, kept);
    const { row } = kept;
    if (note.to !== note.from && note.from !== '')
      keepDuration(durations, `${note.machine}/${note.from}`, note.atMs - row.sinceMs);
    const failure = failureOf(note);
    seq += 1;
    remember(kept.ring, note, { seq, error: failure?.message ?? null });
    if (kept.ring.length > history) kept.ring.shift();
    if (row.cluster === '' || row.ownerName === '') Object.assign(row, identityOf(note.machine, note.facts));
    row.state = note.to;
    row.sinceMs = note.sinceMs;
    row.row = note.row;
    row.event = note.event;
    if (note.to !== note.from) Object.assign(row, { edge: `${note.from}->${note.to}`, edgeRow: note.row });
    row.wakeAtMs = note.wakeAtMs;
    row.waitsFor = note.waitsFor;
    row.isBusy = note.request !== null;
    row.error = failure === null ? null : { ...failure, atMs: note.atMs };
    row.transitions += 1;
    for (const watcher of watchers) watcher.updated.add(key);
    for (const listener of listeners) listener.onNote(note, row);
  };

  return {
    epoch,
    get failures() {
      return failures;
    },
    note(note) {
      try {
        record(note);
      } catch {
        failures += 1;
      }
    },
    gone(machine, uid) {
      const key = actorKey(machine, uid);
      const row = actors.get(key)?.row;
      if (row === undefined) return;
      actors.delete(key);
      for (const watcher of watchers) {
        watcher.updated.delete(key);
        watcher.removed.add(key);
      }
      try {
        for (const listener of listeners) listener.onGone(row);
      } catch {
        failures += 1;
      }
    },
    rows: () => [...actors.values()].map((kept) => kept.row),
    get(key) {
      const kept = actors.get(key);
      if (kept === undefined) return null;
      return { row: kept.row, history: [...kept.ring] };
    },
    watch() {
      const watcher = { updated: new Set<string>(), removed: new Set<string>() };
      watchers.add(watcher);
      return {
        take() {
          const updated = [...watcher.updated].flatMap((key) => actors.get(key)?.row ?? []);
          const removed = [...watcher.removed];
          watcher.updated.clear();
          watcher.removed.clear();
          return { updated, removed };
        },
        stop: () => watchers.delete(watcher),
      };
    },
    subscribe(onNote, onGone) {
      const listener = { onNote, onGone };
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    timeInState(machine, state) {
      const sorted = [...(durations.get(`${machine}/${state}`) ?? [])].sort((a, b) => a - b);
      if (sorted.length < 5) return null;
      const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
      return { p50Ms: at(0.5), p95Ms: at(0.95), count: sorted.length };
    },
  };
}

/** The key of an actor's row. */
export function actorKey(machine: string, uid: string): string {
  return `${machine}/${uid}`;
}

function newActor(key: string, note: ActorNote): Kept {
  const slash = note.id.indexOf('/');
  const row: ActorRow = {
    key,
    machine: note.machine,
    uid: note.uid,
    namespace: note.id.slice(0, slash),
    name: note.id.slice(slash + 1),
    ...identityOf(note.machine, note.facts),
    state: note.to,
    sinceMs: note.sinceMs,
    row: note.row,
    event: note.event,
    edge: '',
    edgeRow: '',
    wakeAtMs: note.wakeAtMs,
    waitsFor: note.waitsFor,
    isBusy: note.request !== null,
    error: null,
    transitions: 0,
  };
  return { row, ring: [] };
}

/** Adds a transition. One that repeats the last and changed nothing is counted there: a long rest does not push out a life. */
function remember(ring: HistoryEntry[], note: ActorNote, { seq, error }: Pick<HistoryEntry, 'seq' | 'error'>): void {
  const { atMs, event, row, from, to, request, waitsFor } = note;
  const last = ring.at(-1);
  const isRepeat =
    last !== undefined &&
    from === to &&
    last.to === to &&
    last.from === from &&
    last.row === row &&
    last.event === event &&
    last.error === error &&
    last.waitsFor?.name === waitsFor?.name;
  if (isRepeat) ring[ring.length - 1] = { ...last, lastMs: atMs, times: last.times + 1 };
  else ring.push({ seq, atMs, lastMs: atMs, times: 1, event, row, from, to, request, error, waitsFor });
}

function failureOf(note: ActorNote): { readonly kind: string; readonly message: string } | null {
  const failure = note.facts['failure'];
  if (typeof failure !== 'object' || failure === null) return null;
  const { kind, message } = failure as { readonly kind?: unknown; readonly message?: unknown };
  return { kind: String(kind ?? 'Error'), message: scrub(String(message ?? '')) };
}

function keepDuration(durations: Map<string, number[]>, key: string, ms: number): void {
  const list = durations.get(key) ?? [];
  list.push(Math.max(0, ms));
  if (list.length > DURATIONS_KEPT) list.shift();
  durations.set(key, list);
}
