// What is seen of a workload cluster right now, and why there may be no client of it.

import type { ApiClient, Cache } from '../../../kube/contract.js';
import type { StoredNode } from '../objects.js';
import { isOut, worstOf, type Reach } from './reach.js';
import type { Session } from './workload-session.js';

/** How the way to a cluster is. */
export interface WorkloadHealth {
  /** When something was last heard from it; null for never. */
  readonly lastHeardMs: number | null;
  /** Since when nothing is heard; null while it answers, or was never tried. */
  readonly downSinceMs: number | null;
  /** Nothing was heard for so long that it counts as unreachable. */
  readonly isDown: boolean;
}

/** A cluster as it is seen right now. */
export type WorkloadLook =
  | { readonly kind: 'closed' }
  | { readonly kind: 'connecting'; readonly health: WorkloadHealth }
  | { readonly kind: 'unreachable'; readonly message: string; readonly health: WorkloadHealth }
  | {
      readonly kind: 'open';
      readonly client: ApiClient;
      readonly nodes: Cache<StoredNode>;
      readonly health: WorkloadHealth;
    };

/** Why there is no client. */
export class NoClientError extends Error {
  override readonly name = 'NoClientError';

  /** `isUnasked`: nothing is known of the cluster, as its kubeconfig could not be read. */
  constructor(
    message: string,
    readonly isUnasked: boolean,
  ) {
    super(message);
  }
}

/** Said of a cluster that has told no more. */
export const downText = 'connection to the workload cluster is down';

/** A cluster by how its server answers and by how its Nodes can be read. */
export function lookAt({
  session,
  reach,
  nodes,
}: {
  readonly session: Session | null;
  readonly reach: Reach;
  readonly nodes: Reach;
}): WorkloadLook {
  const worst = worstOf([reach, nodes]);
  const { lastHeardMs, failingSinceMs, isDown, message } = worst;
  const health: WorkloadHealth = { lastHeardMs, downSinceMs: failingSinceMs, isDown };
  if (session?.nodes.synced === true && !isDown) {
    return { kind: 'open', client: session.client, nodes: session.nodes, health };
  }
  return isOut(worst)
    ? { kind: 'unreachable', message: message === '' ? downText : message, health }
    : { kind: 'connecting', health };
}
