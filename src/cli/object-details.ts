// What an object says of itself, for the inspector's right side: its conditions, as they are in the cache.

import type { ObjectDetails } from '../inspector/routes.js';
import type { KubeObject } from '../kube/contract.js';

interface WithConditions {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly reason?: string;
      readonly message?: string;
      readonly lastTransitionTime?: string;
    }[];
  };
}

/** The details of an object; null when it does not exist. The snapshot is not a condition that people read. */
export function detailsOf(object: KubeObject | undefined, plural: string): ObjectDetails | null {
  if (object === undefined) return null;
  const conditions = (object as WithConditions).status?.conditions ?? [];
  return {
    plural,
    events: [],
    conditions: conditions
      .filter((condition) => condition.type !== 'ActorState')
      .map(({ type, status, reason = '', message = '', lastTransitionTime = '' }) => ({
        type,
        status,
        reason,
        message,
        lastTransitionTime,
      })),
  };
}
