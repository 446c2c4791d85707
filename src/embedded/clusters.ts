// Several embedded clusters in one process: a management cluster and the workload clusters that boot in it.
//
//   C1. Each cluster is a server of its own: its own objects, revisions, users and port.
//   C2. A request may also be handled in process by URL, so that a simulation needs no sockets.
import { createEmbeddedApiServer } from './api-server.js';
import { createHandleClient } from './client.js';
import type { ClusterName, WorkloadCluster, WorkloadClusters } from './infrastructure/ports.js';
import { kubeconfigText } from './kubeconfig.js';
import type { ApiRequest, ApiResponse, EmbeddedApiServer, EmbeddedApiServerOptions } from './types.js';

/** Embedded workload clusters. */
export interface EmbeddedWorkloads extends WorkloadClusters {
  /** The server of a cluster that has started. */
  server(cluster: ClusterName): EmbeddedApiServer | undefined;
  all(): readonly EmbeddedApiServer[];
  /** Handles a request to the server that a kubeconfig names. Rejects like an unknown host for others. */
  handle(serverUrl: string, request: ApiRequest): Promise<ApiResponse>;
  close(): Promise<void>;
}

/** What workload clusters are made of. */
export interface EmbeddedWorkloadsOptions extends Pick<EmbeddedApiServerOptions, 'clock' | 'random' | 'tls'> {
  /** Listens on loopback ports; otherwise servers have names that only `handle` knows. */
  readonly listen: boolean;
  /** More options for the server of one cluster: faults, observers. */
  readonly serverOptions?: (cluster: ClusterName) => Partial<EmbeddedApiServerOptions>;
}

interface Running {
  readonly server: EmbeddedApiServer;
  readonly url: string;
  readonly workload: WorkloadCluster;
}

/** No workload clusters yet. */
export function createEmbeddedWorkloads(options: EmbeddedWorkloadsOptions): EmbeddedWorkloads {
  const running = new Map<string, Running>();
  const starting = new Map<string, Promise<Running>>();
  const keyOf = ({ namespace, name }: ClusterName): string => `${namespace}/${name}`;

  const launch = async (cluster: ClusterName): Promise<Running> => {
    const token = `admin-${cluster.name}-${Math.floor(options.random.next() * 1e9)}`;
    const server = createEmbeddedApiServer({
      clock: options.clock,
      random: options.random,
      ...(options.tls === undefined ? {} : { tls: options.tls }),
      users: [{ name: 'cluster-admin', token, groups: ['system:masters'] }],
      ...options.serverOptions?.(cluster),
    });
    const url = options.listen ? (await server.listen()).url : `http://${cluster.name}.${cluster.namespace}.embedded`;
    const kubeconfig = kubeconfigText({
      url,
      cluster: cluster.name,
      user: 'cluster-admin',
      token,
      ca: options.tls?.cert,
    });
    const client = createHandleClient(server.handle, { token, userAgent: 'simulated-node' });
    return { server, url, workload: { client, kubeconfig, infoName: 'cluster-info' } };
  };

  return {
    async start(cluster) {
      const key = keyOf(cluster);
      const known = running.get(key);
      if (known !== undefined) return known.workload;
      const pending = starting.get(key) ?? launch(cluster);
      starting.set(key, pending);
      const started = await pending;
      running.set(key, started);
      starting.delete(key);
      return started.workload;
    },
    find: (cluster) => running.get(keyOf(cluster))?.workload,
    async stop(cluster) {
      const known = running.get(keyOf(cluster));
      running.delete(keyOf(cluster));
      await known?.server.close();
    },
    server: (cluster) => running.get(keyOf(cluster))?.server,
    all: () => [...running.values()].map(({ server }) => server),
    handle(serverUrl, request) {
      const found = [...running.values()].find(({ url }) => url === serverUrl.replace(/\/$/, ''));
      if (found !== undefined) return found.server.handle(request);
      return Promise.reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${serverUrl}`), { code: 'ENOTFOUND' }));
    },
    async close() {
      await Promise.all([...running.values()].map(({ server }) => server.close()));
      running.clear();
    },
  };
}

/** Workload clusters that all live on one API server, as in tests on a real one: each has its own name for cluster-info. */
export function createSharedWorkloads(options: {
  readonly client: WorkloadCluster['client'];
  readonly kubeconfig: string;
}): WorkloadClusters {
  const started = new Map<string, WorkloadCluster>();
  const keyOf = ({ namespace, name }: ClusterName): string => `${namespace}/${name}`;
  return {
    start(cluster) {
      const { namespace, name } = cluster;
      const workload = started.get(keyOf(cluster)) ?? { ...options, infoName: `cluster-info-${namespace}-${name}` };
      started.set(keyOf(cluster), workload);
      return Promise.resolve(workload);
    },
    find: (cluster) => started.get(keyOf(cluster)),
    stop(cluster) {
      started.delete(keyOf(cluster));
      return Promise.resolve();
    },
  };
}
