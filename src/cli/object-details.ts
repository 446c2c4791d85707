// What an object says of itself, for the inspector's right side: its conditions, as they are in the cache, and our Events on it.

import type { ObjectDetails } from '../inspector/wire.js';
import type { KubeObject } from '../kube/contract.js';
import type { EventRecorder } from '../kube/event-recorder.js';

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
export function detailsOf(
  object: KubeObject | undefined,
  plural: string,
  recorder: Pick<EventRecorder, 'about'>,
): ObjectDetails | null {
  if (object === undefined) return null;
  const conditions = (object as WithConditions).status?.conditions ?? [];
  return {
    plural,
    events: recorder
      .about(object.metadata.uid ?? '')
      .map(({ type, reason, message, count, lastAtMs }) => ({ type, reason, message, count, atMs: lastAtMs }))
      .reverse(),
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
