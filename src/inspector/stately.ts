// Stately's inspection protocol (@statelyai/inspect 0.7) on `/stately`, and the bridge page for the hosted inspector.
//
// A viewer first gets every actor with its present snapshot, then what happens. Sent are names, states and allowed facts only;
// what a viewer sends is ignored. `?actor=ns/name` narrows it to one actor.

import type { AnyTable } from '../charts/model.js';
import { chartConfig } from '../charts/xstate-config.js';
import { projectFacts } from './project.js';
import { createSocketServer, type Pause, type SocketServer, type Viewer } from './sockets.js';
import type { ActorNote, ActorRow, InspectionStore } from './store.js';
import { stateValue } from './state-value.js';

/** The package version that the frames claim: receivers in a window demand one. */
const PROTOCOL_VERSION = '0.7.2';
/** Where the hosted inspector lives; the bridge page talks to this origin only. */
export const STATELY_ORIGIN = 'https://stately.ai';

type Facts = Readonly<Record<string, unknown>>;

/** What the protocol needs beside the store. */
export interface StatelyPorts {
  readonly nowMs: () => number;
  /** Looks an actor's facts up, which takes a moment: asked for a viewer of one actor only; others get facts with the next transition. */
  readonly factsOf: (row: ActorRow) => Facts;
  readonly pause: Pause;
}

/** Starts the protocol on a store. */
export function statelyProtocol(
  store: InspectionStore,
  tables: readonly AnyTable[],
  { nowMs, factsOf, pause }: StatelyPorts,
): SocketServer {
  const byId = new Map(tables.map((table) => [table.id, table]));
  const definitions = new Map(tables.map((table) => [table.id, JSON.stringify(chartConfig(table))]));
  const wants = (viewer: Viewer, row: Pick<ActorRow, 'namespace' | 'name'>): boolean => {
    const only = viewer.query.get('actor');
    return only === null || only === `${row.namespace}/${row.name}`;
  };
  const base = (row: ActorRow): object => ({
    _version: PROTOCOL_VERSION,
    createdAt: String(nowMs()),
    id: null,
    rootId: row.key,
    sessionId: row.key,
  });
  const snapshot = (row: ActorRow, facts: Facts): object => ({
    status: 'active',
    value: stateValue(byId.get(row.machine), row.state),
    context: { row: row.row, ...projectFacts(row.machine, facts) },
    tags: [],
    children: {},
  });
  const announce = (viewer: Viewer, row: ActorRow): object => ({
    ...base(row),
    type: '@xstate.actor',
    name: `${row.namespace}/${row.name}`,
    definition: definitions.get(row.machine) ?? '{}',
    snapshot: snapshot(row, viewer.query.has('actor') ? factsOf(row) : {}),
  });

  const known = new WeakMap<Viewer, Set<string>>();
  const introduction = (viewer: Viewer, row: ActorRow): object | null => {
    const keys = known.get(viewer) ?? new Set<string>();
    known.set(viewer, keys);
    if (keys.has(row.key) || !wants(viewer, row)) return null;
    keys.add(row.key);
    return announce(viewer, row);
  };
  const server = createSocketServer(
    {
      onConnect(viewer) {
        viewer.sendAll(store.rows(), (row) => introduction(viewer, row));
      },
      onMessage: () => undefined,
    },
    pause,
  );
  const farewell = (row: ActorRow): void => {
    const event = { type: 'xstate.stop' };
    const last = { ...snapshot(row, {}), status: 'stopped' };
    for (const viewer of server.viewers())
      if (known.get(viewer)?.delete(row.key) === true)
        viewer.send({ ...base(row), type: '@xstate.snapshot', event, snapshot: last });
  };
  const stop = store.subscribe((note: ActorNote, row: ActorRow) => {
    for (const viewer of server.viewers()) {
      if (!wants(viewer, row)) continue;
      const first = introduction(viewer, row);
      if (first !== null) viewer.send(first);
      const event = { type: note.event, row: note.row };
      viewer.send({ ...base(row), type: '@xstate.event', event });
      viewer.send({ ...base(row), type: '@xstate.snapshot', event, snapshot: snapshot(row, note.facts) });
    }
  }, farewell);
  return {
    upgrade: (request, socket, head) => server.upgrade(request, socket, head),
    viewers: () => server.viewers(),
    close() {
      stop();
      server.close();
    },
  };
}

/** The bridge page's script: forwards frames of our own socket into the hosted inspector's frame, to its origin only. */
export const BRIDGE_SCRIPT = `const origin = ${JSON.stringify(STATELY_ORIGIN)};
const frame = document.querySelector('iframe');
const query = new URLSearchParams(location.search);
let isReady = false;
const waiting = [];
const socket = new WebSocket((location.protocol === 'https:' ? 'wss://' : 'ws://') + location.host + '/stately?' + query);
socket.addEventListener('message', (event) => {
  const data = JSON.parse(event.data);
  if (isReady) frame.contentWindow.postMessage(data, origin);
  else if (waiting.length < 1000) waiting.push(data);
});
addEventListener('message', (event) => {
  if (event.origin !== origin || event.source !== frame.contentWindow) return;
  if (event.data?.type !== '@statelyai.connected') return;
  isReady = true;
  for (const data of waiting.splice(0)) frame.contentWindow.postMessage(data, origin);
});
`;

/** The bridge page. It hands names, states and facts to a page of a third party: it says so, and shows one actor at a time. */
export const BRIDGE_PAGE = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Stately inspector</title></head>
<body style="margin:0;display:flex;flex-direction:column;height:100vh">
<p style="margin:4px 10px;font:13px sans-serif">What you see here is shown by ${STATELY_ORIGIN}, a page of a third party. Narrow it to one actor with ?actor=namespace/name.</p>
<iframe src="${STATELY_ORIGIN}/inspect" style="flex:1;border:0" title="Stately inspector"></iframe>
<script src="/stately.js"></script></body></html>
`;

/** The bridge page's policy: like every page's, but it may frame the hosted inspector. */
export const BRIDGE_POLICY = `default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; frame-src ${STATELY_ORIGIN}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`;
