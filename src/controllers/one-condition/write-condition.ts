// Writes one condition of an object whose other conditions belong to others.
//
//   W1. What the object says already is not written.
//   W2. The v1beta2 entry travels alone, by forced server-side apply of its own field owner: entries of other types are not even
//       mentioned, so none can be lost.
//   W3. Its deprecated twin lies in a list that only can be written whole: a merge patch with the resourceVersion.
//   W4. Both are guarded by the version that was judged: a conflict is another turn on a newer view, never a second try here.
//   W5. The v1beta2 entry comes last: it is the one that decides whether there is anything left to do after a crash.

import type { ConditionIntent } from '../../../machines/kit/row.js';
import type { DeprecatedStatus } from '../../api/core.js';
import { getCondition, type Condition } from '../../conditions/condition.js';
import { setCondition, setV1Beta1Condition } from '../../conditions/set.js';
import type { EffectContext } from '../../host/contract.js';
import type { ApiClient, KubeObject, Resource } from '../../kube/contract.js';
import { isApiError } from '../../kube/failures.js';
import { withLedger } from '../../kube/ledger-client.js';
import { apiVersionOf } from '../../kube/resource-paths.js';

/** An object with conditions. */
export type ObjectWithConditions = KubeObject & {
  readonly status?: { readonly conditions?: readonly Condition[]; readonly deprecated?: DeprecatedStatus };
};

/** What is written, and as whom. */
export interface ConditionWrite {
  readonly client: ApiClient;
  readonly resource: Resource;
  readonly fieldManager: string;
  readonly object: ObjectWithConditions;
  readonly intent: ConditionIntent;
  readonly context: EffectContext;
}

/** The entry as it has to be, or null when the object has it like that already. */
export function entryToWrite(object: ObjectWithConditions, intent: ConditionIntent, nowMs: number): Condition | null {
  const before = object.status?.conditions ?? [];
  const { type, status, reason, message } = intent;
  const after = setCondition(
    before,
    { type, status, reason, message },
    { nowMs, generation: object.metadata.generation },
  );
  return after === before ? null : getCondition(after, type);
}

/** The deprecated list as it has to be, or null when there is nothing to write. */
export function twinsToWrite(
  object: ObjectWithConditions,
  { type, v1beta1 }: ConditionIntent,
  nowMs: number,
): readonly object[] | null {
  if (v1beta1 === undefined) return null;
  const before = object.status?.deprecated?.v1beta1?.conditions ?? [];
  const after = setV1Beta1Condition(before, { type, ...v1beta1 }, { nowMs });
  return after === before ? null : after;
}

/** Writes what differs. An object that is gone needs nothing. Throws ApiError. */
export async function writeCondition(write: ConditionWrite): Promise<void> {
  const { object, intent, context } = write;
  try {
    const twins = twinsToWrite(object, intent, context.nowMs());
    const patched = twins === null ? object : await patchTwins(write, twins);
    const entry = entryToWrite(object, intent, context.nowMs());
    if (entry !== null) await applyEntry({ ...write, object: patched }, entry);
  } catch (error) {
    if (isApiError(error, 'NotFound')) return;
    if (isApiError(error, 'Conflict')) context.ledger.noteUnknown(nameOf(write));
    throw error;
  }
}

async function applyEntry(
  { client, resource, fieldManager, object, context }: ConditionWrite,
  entry: Condition,
): Promise<void> {
  const { namespace = '', name, uid, resourceVersion } = object.metadata;
  const body = {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: { name, namespace, uid, resourceVersion },
    status: { conditions: [entry] },
  };
  await withLedger(client, context.ledger).apply({ resource, namespace, name }, body, {
    fieldManager,
    force: true,
    subresource: 'status',
    signal: context.signal,
  });
}

function patchTwins(
  { client, resource, object, context }: ConditionWrite,
  twins: readonly object[],
): Promise<ObjectWithConditions> {
  const { namespace = '', name, uid, resourceVersion } = object.metadata;
  const body = { metadata: { uid, resourceVersion }, status: { deprecated: { v1beta1: { conditions: twins } } } };
  return withLedger(client, context.ledger).mergePatch<ObjectWithConditions>({ resource, namespace, name }, body, {
    subresource: 'status',
    signal: context.signal,
  });
}

function nameOf({ resource: { kind }, object: { metadata } }: ConditionWrite): {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
} {
  return { kind, namespace: metadata.namespace ?? '', name: metadata.name };
}
