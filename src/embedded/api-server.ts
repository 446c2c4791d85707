// The embedded Kubernetes API server: one cluster in memory, over HTTP on loopback or in process.
//
// It claims what the conformance suite proves on it and on a real kube-apiserver. Everything else answers 501 with a sentence.
import { startDefinitionController } from './controllers/definitions.js';
import { startGarbageCollector } from './controllers/garbage-collector.js';
import { startNamespaceController } from './controllers/namespaces.js';
import { createCore, type Core } from './core.js';
import { kubeconfigText } from './kubeconfig.js';
import { decodeObject } from './objects/decode.js';
import { createObject } from './objects/write.js';
import { currentObjects } from './read/list.js';
import type { WatchHost } from './read/watch.js';
import type { ResourceDefinition } from './resources/definition.js';
import { storageOf } from './resources/definition.js';
import { createAccess } from './serve/access.js';
import { handleRequest } from './serve/handle.js';
import { listenHttp, type EmbeddedListener } from './serve/http.js';
import { keyOf } from './store.js';
import { everything } from './selectors.js';
import type { ApiRequest, EmbeddedApiServer, EmbeddedApiServerOptions, FaultPlan, StoreInspection } from './types.js';

const watchHistoryMax = 20_000;
const bookmarkIntervalMs = 60_000;
const firstNamespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];
const setupWriter = { manager: 'embedded', subresource: '', dryRun: false } as const;

/** Makes a server with its first namespaces and definitions. Nothing listens until `listen`. */
export function createEmbeddedApiServer(options: EmbeddedApiServerOptions): EmbeddedApiServer {
  const core = createCore(options.clock, options.random, options.watchHistoryMax ?? watchHistoryMax);
  const stops = [startDefinitionController(core)];
  if (options.garbageCollector !== false) stops.push(startGarbageCollector(core, options.garbageCollectorDelayMs));
  if (options.namespaceController !== false) stops.push(startNamespaceController(core));
  setUp(core, options);

  let faults = options.faults;
  let listener: EmbeddedListener | null = null;
  const watches = new Set<(how: 'close' | 'break' | 'gone') => void>();
  const watchHost: WatchHost = {
    core,
    bookmarkIntervalMs: options.bookmarkIntervalMs ?? bookmarkIntervalMs,
    faults: () => faults,
    opened(close) {
      watches.add(close);
      return () => watches.delete(close);
    },
  };
  const users = options.users ?? [];
  const access = createAccess(users, options.anonymous ?? (users.length === 0 ? 'all' : 'refused'));
  const { onRequest } = options;
  const handling = { core, access, watchHost, faults: () => faults, ...(onRequest === undefined ? {} : { onRequest }) };
  const handle = (request: ApiRequest): ReturnType<EmbeddedApiServer['handle']> => handleRequest(handling, request);

  return {
    handle,
    async listen(where = {}) {
      if (listener !== null) throw new Error('the server listens already');
      listener = await listenHttp(handle, { port: where.port ?? 0, host: where.host ?? '127.0.0.1', tls: options.tls });
      return { url: listener.url, port: listener.port };
    },
    url: () => listener?.url ?? null,
    async close() {
      for (const close of [...watches]) close('close');
      for (const stop of stops) stop();
      await listener?.close();
      listener = null;
    },
    store: inspection(core, watches),
    setFaults(next: FaultPlan | undefined) {
      faults = next;
    },
    kubeconfig(name) {
      if (listener === null) throw new Error('a kubeconfig needs a listening server');
      const user = users.find((candidate) => candidate.name === name) ?? users[0];
      return kubeconfigText({
        url: listener.url,
        cluster: 'embedded',
        user: user?.name ?? name ?? 'anybody',
        token: user?.token,
        ca: options.tls?.cert,
      });
    },
  };
}

function setUp(core: Core, options: EmbeddedApiServerOptions): void {
  const define = (name: string): ResourceDefinition => {
    const found = core.catalog.byName(name);
    if (found === undefined) throw new Error(`no built-in resource ${name}`);
    return found;
  };
  const namespaces = define('namespaces');
  for (const name of [...firstNamespaces, ...(options.namespaces ?? [])]) {
    const { object } = decodeObject(namespaces, { metadata: { name } }, 'Ignore');
    createObject(core, namespaces, '', object, setupWriter);
  }
  const definitions = define('customresourcedefinitions.apiextensions.k8s.io');
  for (const crd of options.crds ?? []) {
    const { object } = decodeObject(definitions, crd, 'Ignore');
    createObject(core, definitions, '', object, setupWriter);
  }
  core.store.compact();
}

function inspection(core: Core, watches: ReadonlySet<(how: 'close' | 'break' | 'gone') => void>): StoreInspection {
  const definition = (resource: string): ResourceDefinition => {
    const found = core.catalog.byName(resource);
    if (found === undefined) throw new Error(`no resource ${resource}`);
    return found;
  };
  return {
    revision: () => core.store.revision(),
    list: (resource, namespace = '') => currentObjects(core, definition(resource), namespace, everything),
    get: (resource, namespace, name) => core.store.get(storageOf(definition(resource)), keyOf(namespace, name)),
    subscribe: (listener) => core.store.subscribe(listener),
    compact: () => core.store.compact(),
    closeWatches(how = 'close') {
      for (const close of [...watches]) close(how);
    },
    watchCount: () => watches.size,
  };
}
