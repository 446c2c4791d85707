// The inspector as one thing: store, page, stream and protocols behind one address.
//
// It is given charts and ports, and gives an observer for actors. Nothing of it can reach an actor, an object or the cluster.

import type { AnyTable, ChartLayout } from '../charts/model.js';
import { chartOf } from '../charts/model.js';
import { chartSvg } from '../charts/svg.js';
import { chartMermaid, chartPlantUml, chartScxml } from '../charts/text.js';
import { chartConfig } from '../charts/xstate-config.js';
import type { ListenerFault } from '../http/listener.js';
import type { InspectorAuth } from './auth.js';
import { observeActors, type ActorObserver } from './observe.js';
import type { PageChart, PageData } from './routes.js';
import { startInspector, type Asset, type InspectorServer } from './server.js';
import type { SocketServer } from './sockets.js';
import { BRIDGE_PAGE, BRIDGE_POLICY, BRIDGE_SCRIPT, statelyProtocol } from './stately.js';
import { createInspectionStore, type InspectionStore } from './store.js';
import { STREAM_BOUNDS, type StreamPort } from './stream.js';
import { xstate4Protocol } from './xstate4.js';

/** A machine with its finished layout. */
export interface InspectedMachine {
  readonly table: AnyTable;
  readonly layout: ChartLayout;
}

/** What the inspector is made of. */
export interface InspectorOptions {
  readonly bindAddress: string;
  /** Of `ui`, `stately`, `xstate-inspect`. */
  readonly protocols: readonly string[];
  readonly history: number;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly auth: InspectorAuth;
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly machines: readonly InspectedMachine[];
  readonly assets: Readonly<Record<string, Asset>>;
  readonly clock: StreamPort['clock'];
  /** Names this process's life: viewers start afresh when it changes. */
  readonly epoch: string;
  readonly explain: PageData['explain'];
  readonly details: PageData['details'];
  readonly status: PageData['status'];
  /** A handler that threw. */
  readonly onFault: (fault: ListenerFault) => void;
  readonly log: { info(message: string, fields?: object): void; warn(message: string, fields?: object): void };
}

/** A store with its observer, and a server that can be started. */
export interface Inspector {
  readonly store: InspectionStore;
  readonly observe: ActorObserver;
  gone(machine: string, uid: string): void;
  /** Starts listening; null when the address cannot be used. */
  listen(): Promise<InspectorServer | null>;
  close(): Promise<void>;
}

/** Makes the inspector; nothing listens before `listen`. */
export function createInspector(options: InspectorOptions): Inspector {
  const store = createInspectionStore({ history: options.history, epoch: options.epoch });
  const tables = options.machines.map((machine) => machine.table);
  const sockets: Record<string, SocketServer> = {};
  let server: InspectorServer | null = null;
  return {
    store,
    observe: observeActors(store, tables),
    gone: (machine, uid) => store.gone(machine, uid),
    async listen() {
      const pause = (run: () => void): void => void options.clock.schedule(0, run);
      const has = (protocol: string): boolean => options.protocols.includes(protocol);
      if (has('stately'))
        sockets['/stately'] = statelyProtocol(store, tables, {
          nowMs: () => options.clock.nowMs(),
          pause,
          factsOf: (row) => options.explain(row.machine, row.namespace, row.name)?.facts ?? {},
        });
      if (has('xstate-inspect')) sockets['/xstate-inspect'] = xstate4Protocol(store, tables, pause);
      server = await startInspector({
        bindAddress: options.bindAddress,
        allowedHosts: options.allowedHosts,
        allowedOrigins: options.allowedOrigins,
        auth: options.auth,
        ...(options.tls === undefined ? {} : { tls: options.tls }),
        assets: { ...(has('ui') ? options.assets : {}), ...(has('stately') ? BRIDGE_ASSETS : {}) },
        data: {
          store,
          charts: options.machines.map(pageChart),
          explain: options.explain,
          details: options.details,
          status: options.status,
          nowMs: () => options.clock.nowMs(),
        },
        stream: { store, clock: options.clock, ...STREAM_BOUNDS, open: { count: 0 } },
        upgrades: Object.fromEntries(Object.entries(sockets).map(([path, socket]) => [path, socket.upgrade])),
        onFault: options.onFault,
        log: options.log,
      });
      return server;
    },
    async close() {
      for (const socket of Object.values(sockets)) socket.close();
      await server?.close();
    },
  };
}

const BRIDGE_ASSETS: Readonly<Record<string, Asset>> = {
  '/stately.html': { type: 'text/html; charset=utf-8', body: BRIDGE_PAGE, policy: BRIDGE_POLICY },
  '/stately.js': { type: 'text/javascript; charset=utf-8', body: BRIDGE_SCRIPT },
};

function pageChart({ table, layout }: InspectedMachine): PageChart {
  const model = chartOf(table);
  const svg = chartSvg(model, layout, null);
  return {
    model,
    svg,
    exports: {
      svg,
      mmd: chartMermaid(model),
      puml: chartPlantUml(model),
      scxml: chartScxml(model),
      json: JSON.stringify(chartConfig(table), null, 2),
    },
  };
}
