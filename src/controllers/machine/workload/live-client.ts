// The client of a Machine's workload cluster for an effect that decides something.

import type { ApiClient } from '../../../kube/contract.js';
import type { Ports } from '../ports.js';
import type { MachineView } from '../view.js';
import { workloadSilent } from './silence.js';
import { downText, NoClientError } from './workload-look.js';

/** What the client is for. */
export interface LiveClientUse {
  /** Begins the failure's message, with the colon behind it; empty for none. */
  readonly what: string;
  readonly signal: AbortSignal;
  /** Monotonic time before which no attempt counts: for what is given up if there is no client. */
  readonly sinceMs?: number;
}

/** The client, after a live attempt where the cluster has not answered of late. Throws the failure that says that it is down. */
export async function liveClient(
  { workloads }: Pick<Ports, 'workloads'>,
  view: MachineView,
  { what, ...ask }: LiveClientUse,
): Promise<ApiClient> {
  const { machine, key } = view;
  const cluster = { namespace: machine.metadata.namespace ?? '', name: machine.spec.clusterName };
  try {
    return await workloads.client(cluster, { key, ...ask });
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error);
    const isUnasked = error instanceof NoClientError && error.isUnasked;
    throw workloadSilent(view, `${what}${downText}${cause === downText ? '' : `: ${cause}`}`, isUnasked);
  }
}
