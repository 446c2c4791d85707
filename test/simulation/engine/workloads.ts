// The workload clusters of a run: watched from their first write, and reached under addresses that may change.
import type { EmbeddedWorkloads } from '../../../src/embedded/clusters.js';
import type { ClusterName } from '../../../src/embedded/infrastructure/ports.js';
import type { ApiResponse, EmbeddedApiServer } from '../../../src/embedded/types.js';
import type { WorldPlan } from './plan.js';

/** Workload clusters that move. */
export interface MovingWorkloads extends EmbeddedWorkloads {
  /** Gives a cluster another address, and ends the one before. Answers both; null for a cluster that is not there. */
  move(cluster: ClusterName): { readonly from: string; readonly to: string } | null;
}

/** What servers, and gateways before them, answer to `/`, where it is not a list of paths. */
const ROOT_ANSWERS: Readonly<Record<Exclude<WorldPlan['rootAnswer'], 'paths'>, ApiResponse>> = {
  nothing: { status: 204, headers: {}, body: '' },
  page: { status: 200, headers: { 'content-type': 'text/html' }, body: '<!doctype html><title>API</title>\n' },
};

/** Watches and moves clusters. */
export function movingWorkloads(
  workloads: EmbeddedWorkloads,
  rootAnswer: WorldPlan['rootAnswer'],
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
    async handle(serverUrl, request) {
      const url = serverUrl.replace(/\/$/, '');
      const [, name = '', namespace = ''] = /^http:\/\/([^.]+)\.([^.]+)\./.exec(url) ?? [];
      const isThere = urlOf({ namespace, name }) === url;
      const answer = await workloads.handle(
        isThere ? `http://${name}.${namespace}.embedded` : url.replace('http://', 'http://no.'),
        request,
      );
      const isRoot = request.method === 'GET' && request.url === '/' && answer.status === 200;
      return isRoot && rootAnswer !== 'paths' ? ROOT_ANSWERS[rootAnswer] : answer;
    },
    move(cluster) {
      if (workloads.find(cluster) === undefined) return null;
      const from = urlOf(cluster);
      moves.set(cluster.name, (moves.get(cluster.name) ?? 0) + 1);
      return { from, to: urlOf(cluster) };
    },
  };
}
