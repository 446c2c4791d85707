// The page's live data as server-sent events: everything on connect, then what changed, four times a second at most.
//
// A viewer that does not keep up is dropped; its browser connects again and gets everything once more.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ActorRow, InspectionStore } from './store.js';
import type { WireDelta, WireFull, WireRow } from './wire.js';

/** What a stream needs: the store, time and bounds. */
export interface StreamPort {
  readonly store: InspectionStore;
  readonly clock: { nowMs(): number; schedule(delayMs: number, run: () => void): () => void };
  readonly flushMs: number;
  readonly heartbeatMs: number;
  readonly clientsMax: number;
  readonly bufferBytesMax: number;
  readonly rowsPerEvent: number;
  /** Number of open streams, kept here. */
  readonly open: { count: number };
}

/** The bounds that the operator uses. */
export const STREAM_BOUNDS = {
  flushMs: 250,
  heartbeatMs: 15_000,
  clientsMax: 16,
  /** Above what a viewer may lag behind: several times what 5,000 rows need on connect. */
  bufferBytesMax: 16 * 1024 * 1024,
  /** Rows of one event: the first ones are on the page while the others travel. */
  rowsPerEvent: 500,
} as const;

/** Answers with a stream until the viewer leaves. */
export function openStream(
  port: StreamPort,
  request: IncomingMessage,
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): void {
  if (port.open.count >= port.clientsMax) {
    response.writeHead(503, { ...headers, 'content-type': 'text/plain', 'retry-after': '10' });
    response.end('too many viewers\n');
    return;
  }
  port.open.count += 1;
  const watcher = port.store.watch();
  let seq = 0;
  let cancel = (): void => undefined;
  let beatAtMs = port.clock.nowMs() + port.heartbeatMs;
  const close = (): void => {
    cancel();
    watcher.stop();
    port.open.count -= 1;
  };
  response.once('close', close);
  request.on('error', () => response.destroy());
  response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8', connection: 'keep-alive' });
  const send = (event: 'full' | 'delta', data: WireFull | WireDelta): void => {
    seq += 1;
    response.write(`event: ${event}\nid: ${port.store.epoch}-${seq}\ndata: ${JSON.stringify(data)}\n\n`);
    if (response.writableLength > port.bufferBytesMax) response.destroy();
  };
  response.write('retry: 2000\n\n');
  watcher.take();
  const rows = port.store.rows().map(wireRow);
  send('full', { epoch: port.store.epoch, now: port.clock.nowMs(), rows: rows.slice(0, port.rowsPerEvent) });
  for (let from = port.rowsPerEvent; from < rows.length; from += port.rowsPerEvent) {
    send('delta', { now: port.clock.nowMs(), up: rows.slice(from, from + port.rowsPerEvent), rm: [] });
  }
  const flush = (): void => {
    const { updated, removed } = watcher.take();
    if (updated.length > 0 || removed.length > 0)
      send('delta', { now: port.clock.nowMs(), up: updated.map(wireRow), rm: removed });
    else if (port.clock.nowMs() >= beatAtMs) {
      response.write(':hb\n\n');
      beatAtMs = port.clock.nowMs() + port.heartbeatMs;
    }
    cancel = port.clock.schedule(port.flushMs, flush);
  };
  cancel = port.clock.schedule(port.flushMs, flush);
}

/** The wire form of a row. */
export function wireRow(row: ActorRow): WireRow {
  return {
    k: row.key,
    m: row.machine,
    ns: row.namespace,
    n: row.name,
    c: row.cluster,
    r: row.role,
    st: row.state,
    since: row.sinceMs,
    row: row.row,
    ev: row.event,
    ed: row.edge,
    er: row.edgeRow,
    wake: row.wakeAtMs,
    err: row.error === null ? null : row.error.message,
    w: row.waitsFor === null ? '' : `${row.waitsFor.kind} ${row.waitsFor.name}`,
    busy: row.isBusy,
    tx: row.transitions,
  };
}
