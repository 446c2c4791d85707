// Where an actor is persisted: pure functions that put an envelope into an object's patch and read it back.
//
// `status` is the default: one more condition in the same status patch as the conditions that it explains, so that state and
// status are written together or not at all.

import { statePath } from '../../machines/kit/step.js';
import type { Envelope } from './contract.js';
import { envelopeText, isWorthWriting, parseEnvelope } from './envelope.js';

/** The kinds of `--snapshot-store`. */
export type SnapshotStoreKind = 'status' | 'annotation' | 'configmap' | 'none';

/** Type of the condition that holds an envelope. */
export const ACTOR_STATE_CONDITION = 'ActorState';
/** Annotation that holds an envelope with `--snapshot-store=annotation`. */
export const ACTOR_ANNOTATION = 'kubeadm-bootstrap-operator/actor';
/** Key of an envelope in its ConfigMap. */
export const ACTOR_CONFIGMAP_KEY = 'actor';

/** The condition as the API has it. */
export interface ActorStateCondition {
  readonly type: typeof ACTOR_STATE_CONDITION;
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** The condition of an envelope: reason is the state, nested states joined by `:`; the time is when the state was entered. */
export function actorStateCondition(envelope: Envelope): ActorStateCondition {
  return {
    type: ACTOR_STATE_CONDITION,
    status: 'True',
    reason: statePath(envelope.snapshot.value),
    message: envelopeText(envelope),
    lastTransitionTime: envelope.since,
  };
}

/** The envelope text among conditions; null when there is none. */
export function envelopeInConditions(
  conditions: readonly { readonly type: string; readonly message?: string }[] | undefined,
): string | null {
  return conditions?.find((condition) => condition.type === ACTOR_STATE_CONDITION)?.message ?? null;
}

/** Name of the ConfigMap of an object. */
export function actorConfigMapName(name: string): string {
  return `${name}-actor`;
}

/** The envelope that has to be written, or null when what is stored says the same already. */
export function envelopeToWrite(stored: string | null, next: Envelope | null): Envelope | null {
  if (next === null) return null;
  return isWorthWriting(parseEnvelope(stored, next.uid), next) ? next : null;
}
