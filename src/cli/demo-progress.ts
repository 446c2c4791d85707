// What a person sees of `demo`: each actor's state as it moves. A live table on a terminal, plain lines elsewhere, JSON lines
// for machines. It reads objects only, as any user of the cluster could.

import { deletingOf } from './demo-deletion.js';
import type { InfrastructureNote } from '../embedded/infrastructure/ports.js';
import type { ApiObject, StoreEvent } from '../embedded/types.js';

/** One actor as the objects show it. */
export interface SeenActor {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly state: string;
  readonly sinceMs: number;
  readonly note: string;
}

/** Where progress goes. */
export interface Progress {
  /** A write on the management cluster. */
  saw(event: StoreEvent): void;
  noted(note: InfrastructureNote): void;
  say(text: string, fields?: Readonly<Record<string, unknown>>): void;
  actors(): ReadonlyMap<string, SeenActor>;
  close(): void;
}

/** What progress is made of. */
export interface ProgressOptions {
  readonly output: 'text' | 'json';
  readonly isTerminal: boolean;
  readonly columns: () => number;
  readonly write: (text: string) => void;
  readonly nowMs: () => number;
  readonly schedule: (delayMs: number, run: () => void) => () => void;
}

const REDRAW_MS = 200;

/** The resources whose actors are shown. */
const shown = new Set(['bootstrap.cluster.x-k8s.io/kubeadmconfigs', 'cluster.x-k8s.io/machines']);

interface SeenCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** Starts to show progress. */
export function createProgress(options: ProgressOptions): Progress {
  const startedMs = options.nowMs();
  const actors = new Map<string, SeenActor>();
  const isLive = options.isTerminal && options.output === 'text';
  let drawnLines = 0;
  let cancelRedraw: (() => void) | null = null;

  const clock = (): string => `${((options.nowMs() - startedMs) / 1000).toFixed(1).padStart(6)}s`;
  const erase = (): void => {
    if (drawnLines > 0) options.write(`\u001b[${drawnLines}A\u001b[J`);
    drawnLines = 0;
  };
  const draw = (): void => {
    cancelRedraw = null;
    erase();
    const lines = tableLines([...actors.values()], options);
    options.write(lines.map((line) => `${line}\n`).join(''));
    drawnLines = lines.length;
  };
  const redraw = (): void => {
    if (isLive && cancelRedraw === null) cancelRedraw = options.schedule(REDRAW_MS, draw);
  };
  const line = (text: string, json: Readonly<Record<string, unknown>>): void => {
    if (options.output === 'json') {
      options.write(`${JSON.stringify({ atMs: options.nowMs() - startedMs, ...json })}\n`);
      return;
    }
    if (isLive) erase();
    options.write(`${clock()}  ${text}\n`);
    if (isLive) redraw();
  };

  return {
    saw(event) {
      if (!shown.has(event.resource)) return;
      const next = seenActor(event.object, options.nowMs());
      const { kind, namespace, name } = next;
      const key = `${kind === 'Machine' ? 'machine ' : ''}${namespace}/${name}`;
      const before = actors.get(key);
      // Only an actor is shown: a Machine of somebody else has none.
      if (kind === 'Machine' && next.state === '' && before === undefined) return;
      if (event.type === 'DELETED') {
        actors.delete(key);
        redraw();
        if (kind === 'Machine') line(`${key.padEnd(34)} gone`, { kind: 'gone', object: kind, namespace, name });
        return;
      }
      actors.set(key, before?.state === next.state ? { ...next, sinceMs: before.sinceMs } : next);
      redraw();
      if (next.state === '' || (before?.state === next.state && !isNews(before, next))) return;
      if (isLive) return;
      line(
        `${key.padEnd(34)} ${(before?.state || 'born').padEnd(15)} → ${next.state.padEnd(15)} ${next.note}`.trimEnd(),
        {
          kind: 'state',
          object: kind,
          namespace,
          name,
          from: before?.state ?? '',
          to: next.state,
          note: next.note,
        },
      );
    },
    noted(note) {
      const text = noteText(note);
      if (text !== null) line(text, withoutSecrets(note));
    },
    say: (text, fields = {}) => line(text, { kind: 'message', text, ...fields }),
    actors: () => actors,
    close() {
      cancelRedraw?.();
      if (isLive) draw();
      drawnLines = 0;
    },
  };
}

/** Reads an actor from its object's conditions. */
export function seenActor(object: ApiObject, nowMs: number): SeenActor {
  const { conditions = [] } = (object['status'] ?? {}) as { readonly conditions?: readonly SeenCondition[] };
  const state = conditions.find((condition) => condition.type === 'ActorState')?.reason ?? '';
  const { namespace = '', name } = object.metadata;
  const { kind } = object;
  const note = kind === 'Machine' ? deletionNote(object) : waitNote(conditions);
  return { kind, namespace, name, state, sinceMs: nowMs, note };
}

function waitNote(conditions: readonly SeenCondition[]): string {
  const waiting = conditions.find(({ type, status }) => type === 'DataSecretAvailable' && status !== 'True');
  return waiting?.message.split('\n')[0] ?? '';
}

function deletionNote(object: ApiObject): string {
  const held = deletingOf(object);
  return held === undefined ? '' : `${held.reason}: ${held.message.replaceAll(/\s*\n\s*/g, ' ')}`;
}

/** What a Machine's deletion waits for is told as it changes, not only with the state. */
function isNews(before: SeenActor, next: SeenActor): boolean {
  return next.kind === 'Machine' && next.note !== '' && before.note !== next.note;
}

function tableLines(actors: readonly SeenActor[], options: ProgressOptions): readonly string[] {
  const width = Math.max(60, options.columns()) - 1;
  const rows = actors
    .map((actor) => [
      `${actor.kind === 'Machine' ? 'machine ' : ''}${actor.namespace}/${actor.name}`,
      actor.state || '-',
      `${Math.floor((options.nowMs() - actor.sinceMs) / 1000)}s`,
      actor.note,
    ])
    .slice(0, 40);
  const all = [['KUBEADMCONFIG', 'STATE', 'FOR', 'WAITS FOR'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const lines = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
      .slice(0, width),
  );
  return actors.length > rows.length ? [...lines, `… and ${actors.length - rows.length} more`] : lines;
}

/** A note as it may be printed: of a token its id alone, which is no secret. */
function withoutSecrets(note: InfrastructureNote): Readonly<Record<string, unknown>> {
  if (note.kind !== 'node-joined') return { ...note };
  const { token, ...rest } = note;
  return { ...rest, tokenId: token === null ? null : (token.split('.')[0] ?? null) };
}

/** A note as a sentence; null for what nobody wants to read. */
function noteText(note: InfrastructureNote): string | null {
  switch (note.kind) {
    case 'cluster-provisioned':
      return `Cluster ${note.cluster}: infrastructure is there, endpoint ${note.endpoint}`;
    case 'control-plane-initialized':
      return `Cluster ${note.cluster}: control plane initialised by ${note.node}`;
    case 'node-joined':
      return `Cluster ${note.cluster}: node ${note.node} joined`;
    case 'join-refused':
      return `Cluster ${note.cluster}: node ${note.node} may not join: ${note.why}`;
    case 'boot-failed':
      return `Cluster ${note.cluster}: node ${note.node} did not boot: ${note.why}`;
    case 'pool-scaled':
      return `MachinePool ${note.pool}: scaled to ${note.replicas}`;
    case 'machine-destroyed':
      return `Machine ${note.machine}: its virtual machine is destroyed`;
    case 'machine-provisioned':
    case 'retry':
      return null;
  }
}
