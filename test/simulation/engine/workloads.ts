// The workload clusters of a run: watched from their first write, and reached under addresses that may change.
import type { EmbeddedWorkloads } from '../../../src/embedded/clusters.js';
import type { ClusterName } from '../../../src/embedded/infrastructure/ports.js';
import type { EmbeddedApiServer } from '../../../src/embedded/types.js';

/** Workload clusters that move. */
export interface MovingWorkloads extends EmbeddedWorkloads {
  /** Gives a cluster another address, and ends the one before. Answers both; null for a cluster that is not there. */
  move(cluster: ClusterName): { readonly from: string; readonly to: string } | null;
}

/** Watches and moves clusters. */
export function movingWorkloads(
  workloads: EmbeddedWorkloads,
  onStart: (cluster: string, server: EmbeddedApiServer) => void,
): MovingWorkloads {
  const known = new Set<EmbeddedApiServer>();
  const moves = new Map<string, number>();
  const urlOf = ({ namespace, name }: ClusterName): string => {
    const times = moves.get(name) ?? 0;
    return `http://${name}.${namespace}.${times === 0 ? '' : `moved-${times}.`}embedded`;
  };
  return {
    ...workloads,
    async start(cluster) {
      const started = await workloads.start(cluster);
      const server = workloads.server(cluster);
      if (server !== undefined && !known.has(server)) {
        known.add(server);
        onStart(cluster.name, server);
      }
      return started;
    },
    handle(serverUrl, request) {
      const url = serverUrl.replace(/\/$/, '');
      const [, name = '', namespace = ''] = /^http:\/\/([^.]+)\.([^.]+)\./.exec(url) ?? [];
      const isThere = urlOf({ namespace, name }) === url;
      return workloads.handle(
        isThere ? `http://${name}.${namespace}.embedded` : url.replace('http://', 'http://no.'),
        request,
      );
    },
    move(cluster) {
      if (workloads.find(cluster) === undefined) return null;
      const from = urlOf(cluster);
      moves.set(cluster.name, (moves.get(cluster.name) ?? 0) + 1);
      return { from, to: urlOf(cluster) };
    },
  };
}
