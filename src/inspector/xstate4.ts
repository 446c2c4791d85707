// The protocol of @xstate/inspect 0.8 on `/xstate-inspect`: XState 4's JSON, made from our tables.
//
// The viewer says hello, then gets every actor (service.register) and what happens (service.event, service.state). Remote
// control (`xstate.event`) is not implemented: nothing a viewer sends reaches an actor.

import type { AnyRow, AnyTable } from '../charts/model.js';
import { projectFacts } from './project.js';
import { createSocketServer, type Pause, type SocketServer, type Viewer } from './sockets.js';
import { stateValue } from './state-value.js';
import type { ActorNote, ActorRow, InspectionStore } from './store.js';

/** Starts the protocol on a store. */
export function xstate4Protocol(store: InspectionStore, tables: readonly AnyTable[], pause: Pause): SocketServer {
  const byId = new Map(tables.map((table) => [table.id, table]));
  const machines = new Map(tables.map((table) => [table.id, JSON.stringify(machine4(table))]));
  const greeted = new Map<Viewer, Set<string>>();

  const stateText = (row: ActorRow, facts: Readonly<Record<string, unknown>>): string => {
    const event = scxmlEvent(row.event === '' ? 'xstate.init' : row.event);
    return JSON.stringify({
      value: stateValue(byId.get(row.machine), row.state),
      context: { row: row.row, ...projectFacts(row.machine, facts) },
      _event: event,
      event: event.data,
      _sessionid: row.key,
      actions: [],
      activities: {},
      meta: {},
      events: [],
      configuration: [],
      transitions: [],
      children: {},
      done: false,
      changed: true,
      tags: [],
    });
  };
  const registration = (viewer: Viewer, row: ActorRow): object | null => {
    const keys = greeted.get(viewer);
    if (keys === undefined || keys.has(row.key)) return null;
    keys.add(row.key);
    return {
      type: 'service.register',
      machine: machines.get(row.machine) ?? '{}',
      state: stateText(row, {}),
      sessionId: row.key,
      id: `${row.namespace}/${row.name}`,
    };
  };
  const server = createSocketServer(
    {
      onConnect: () => undefined,
      onMessage(viewer, message) {
        if ((message as { readonly type?: unknown }).type !== 'xstate.inspecting') return;
        greeted.set(viewer, new Set());
        viewer.sendAll(store.rows(), (row) => registration(viewer, row));
      },
    },
    pause,
  );
  const farewell = (row: ActorRow): void => {
    for (const [viewer, keys] of greeted)
      if (keys.delete(row.key)) viewer.send({ type: 'service.stop', sessionId: row.key });
  };
  const stop = store.subscribe((note: ActorNote, row: ActorRow) => {
    const alive = new Set(server.viewers());
    for (const viewer of greeted.keys()) {
      if (!alive.has(viewer)) {
        greeted.delete(viewer);
        continue;
      }
      const first = registration(viewer, row);
      if (first !== null) viewer.send(first);
      viewer.send({ type: 'service.event', event: JSON.stringify(scxmlEvent(note.event)), sessionId: row.key });
      viewer.send({ type: 'service.state', state: stateText(row, note.facts), sessionId: row.key });
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

function scxmlEvent(type: string): {
  readonly name: string;
  readonly data: { readonly type: string };
  readonly $$type: 'scxml';
  readonly type: 'external';
} {
  return { name: type, data: { type }, $$type: 'scxml', type: 'external' };
}

interface Node4 {
  readonly id: string;
  readonly key: string;
  readonly description: string;
  readonly type: 'atomic' | 'compound';
  readonly entry: readonly { readonly type: string }[];
  readonly initial?: string;
  readonly states?: Readonly<Record<string, Node4>>;
  readonly on: Readonly<Record<string, readonly object[]>>;
}

/** A table as XState 4's machine JSON. */
export function machine4(table: AnyTable): object {
  const names = Object.keys(table.states);
  const parentOf = (name: string): string | undefined => table.states[name]?.parent;
  const idOf = (name: string): string =>
    `${table.id}.${parentOf(name) === undefined ? '' : `${parentOf(name)}.`}${name}`;
  const on = (rows: readonly AnyRow[]): Record<string, object[]> => {
    const events: Record<string, object[]> = {};
    for (const row of rows) {
      (events[row.on] ??= []).push({
        ...(row.target === null ? {} : { target: [`#${idOf(row.target)}`] }),
        cond: { type: 'xstate.guard', name: row.guard },
        actions: [],
        internal: row.request === null,
        description: `${row.id} ${row.title}`,
      });
    }
    return events;
  };
  const node = (name: string): Node4 => {
    const children = names.filter((each) => parentOf(each) === name);
    const requests = [
      ...new Set(table.rows.flatMap((row) => (row.target === name && row.request !== null ? [row.request] : []))),
    ];
    return {
      id: idOf(name),
      key: name,
      description: table.states[name]?.description ?? '',
      type: children.length === 0 ? 'atomic' : 'compound',
      entry: requests.map((type) => ({ type })),
      ...(children.length === 0
        ? {}
        : { initial: children[0] ?? '', states: Object.fromEntries(children.map((child) => [child, node(child)])) }),
      on: on(table.rows.filter((row) => row.from.includes(name))),
    };
  };
  return {
    id: table.id,
    initial: parentOf(table.initial) ?? table.initial,
    context: {},
    predictableActionArguments: true,
    on: on(table.rows),
    states: Object.fromEntries(names.filter((name) => parentOf(name) === undefined).map((name) => [name, node(name)])),
  };
}
