// Where an actor is persisted: pure functions that put an envelope into what is written anyway, and read it back.
//
// `status` is the default: one more condition in the same status patch as the conditions that it explains, so that state and
// status are written together or not at all. The other stores are for those who want status untouched. A difference in the
// wake-up alone is never worth a write.

import { statePath } from '../../machines/kit/step.js';
import type { Envelope } from './contract.js';
import { envelopeText, isWorthWriting, parseEnvelope } from './envelope.js';

/** The kinds of `--snapshot-store`. */
export type SnapshotStoreKind = 'status' | 'annotation' | 'configmap' | 'none';

/** Every kind, for flags. */
export const SNAPSHOT_STORES: readonly SnapshotStoreKind[] = ['status', 'annotation', 'configmap', 'none'];

/** Type of the condition that holds an envelope. */
export const ACTOR_STATE_CONDITION = 'ActorState';
/** Annotation that holds an envelope with `--snapshot-store=annotation`. */
export const ACTOR_ANNOTATION = 'kubeadm-bootstrap-operator/actor';
/** Key of an envelope in its ConfigMap. */
export const ACTOR_CONFIGMAP_KEY = 'actor';

/** The condition as the API has it: no observedGeneration. */
export interface ActorStateCondition {
  readonly type: typeof ACTOR_STATE_CONDITION;
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/** The object whose actor is kept, as far as a ConfigMap names it. */
export interface SnapshotOwner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** What an object carries of its actor. */
export interface StoredSnapshot {
  readonly conditions?: readonly { readonly type: string; readonly message?: string }[] | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  /** `data` of the actor's ConfigMap. */
  readonly configMapData?: Readonly<Record<string, string>> | undefined;
}

/** The envelope as text, from where the store keeps it; null when there is none. */
export function storedEnvelope(store: SnapshotStoreKind, stored: StoredSnapshot): string | null {
  switch (store) {
    case 'status':
      return envelopeInConditions(stored.conditions);
    case 'annotation':
      return stored.annotations?.[ACTOR_ANNOTATION] ?? null;
    case 'configmap':
      return stored.configMapData?.[ACTOR_CONFIGMAP_KEY] ?? null;
    case 'none':
      return null;
  }
}

/**
 * The envelope that has to be written, or null when what is stored says the same already. With `withConditions` the conditions
 * beside it are written anyway, and then the wake-up travels along.
 */
export function envelopeToWrite(
  stored: string | null,
  next: Envelope | null,
  { withConditions = false }: { readonly withConditions?: boolean } = {},
): Envelope | null {
  if (next === null) return null;
  return withConditions || isWorthWriting(parseEnvelope(stored, next.uid), next) ? next : null;
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

/** A merge patch that writes the annotation, guarded by the version and the life that were seen. */
export function actorAnnotationPatch(
  envelope: Envelope,
  seen: { readonly uid: string; readonly resourceVersion: string },
): object {
  return {
    metadata: {
      uid: seen.uid,
      resourceVersion: seen.resourceVersion,
      annotations: { [ACTOR_ANNOTATION]: envelopeText(envelope) },
    },
  };
}

/** Name of the ConfigMap of an actor. */
export function actorConfigMapName(actor: string): string {
  return `${actor}-actor`;
}

/** The ConfigMap of an actor; it goes with its object. */
export function actorConfigMap(
  envelope: Envelope,
  {
    owner,
    actor = owner.name,
    labels,
  }: { readonly owner: SnapshotOwner; readonly actor?: string; readonly labels: Readonly<Record<string, string>> },
) {
  const { apiVersion, kind, namespace, name, uid } = owner;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: actorConfigMapName(actor),
      namespace,
      labels,
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
    },
    data: { [ACTOR_CONFIGMAP_KEY]: envelopeText(envelope) },
  };
}
