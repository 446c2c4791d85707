// The status patch of a turn: what the rows say, and the actor's own condition with it, in one guarded write.
//
//   S1. Nothing changed: nothing is written.
//   S2. A conflict means that somebody else wrote: the projection is laid over what is there now, a few times. One that failed for
//       good or is going meanwhile is told nothing: others may have its lock, and the data that it stored must start no node.
import type { Condition } from '../../conditions/condition.js';
import { sortConditions } from '../../conditions/order.js';
import { projectStatus, type Status } from '../../../machines/kubeadmconfig/status.js';
import type { Facts, State } from '../../../machines/kubeadmconfig/facts.js';
import { restingRow } from '../../../machines/kubeadmconfig/table.js';
import { resources } from '../../api/names.js';
import type { EffectContext, Envelope, Outcome } from '../../host/contract.js';
import { atRest, envelopeText, withFailure } from '../../host/envelope.js';
import {
  ACTOR_STATE_CONDITION,
  actorAnnotationPatch,
  actorStateCondition,
  envelopeInConditions,
  envelopeToWrite,
  storedEnvelope as readStored,
} from '../../host/snapshot-stores.js';
import type { ApiClient } from '../../kube/contract.js';
import { isApiError } from '../../kube/failures.js';
import { withLedger } from '../../kube/ledger-client.js';
import { writeSnapshotConfigMap } from '../snapshot-config-map.js';
import { STATUS_TRIES_MAX } from './limits.js';
import type { Memory } from './memory.js';
import { isConfigLost } from './lock-view.js';
import { mergeDiff } from './merge-diff.js';
import { kinds, targetOf, type StoredConfig } from './objects.js';
import type { Ports } from './ports.js';
import type { View } from './view.js';

/** What a turn leaves behind. */
export type KubeadmConfigOutcome = Outcome<State, Facts>;

/** The stored envelope of a view, where `--snapshot-store` keeps it. */
export function storedEnvelope(view: View, store: Ports['settings']['snapshotStore']): string | null {
  const { config, actorConfigMap } = view;
  return readStored(store, {
    conditions: config.status?.conditions,
    annotations: config.metadata.annotations,
    configMapData: actorConfigMap?.data,
  });
}

/** Writes status and snapshot of a turn if they changed. `config` is the object as the turn's last write left it. */
export async function persistStatus(
  ports: Ports,
  memory: Memory,
  given: {
    readonly view: View;
    readonly config: StoredConfig;
    readonly outcome: KubeadmConfigOutcome;
    readonly context: EffectContext;
  },
): Promise<void> {
  const { view, outcome, context } = given;
  const store = ports.settings.snapshotStore;
  const client = withLedger(ports.client, context.ledger);
  const next = restingEnvelope(outcome);
  const toWrite = envelopeToWrite(storedEnvelope(view, store), next);
  await patchStatus(client, memory, { ...given, envelope: store === 'status' ? next : null });
  if (toWrite === null) return;
  if (store === 'annotation') await patchAnnotation(client, memory, given.view, toWrite, context);
  if (store === 'configmap') await writeConfigMap(client, view, toWrite, context);
}

async function patchStatus(
  client: ApiClient,
  memory: Memory,
  given: {
    readonly view: View;
    readonly config: StoredConfig;
    readonly outcome: KubeadmConfigOutcome;
    readonly context: EffectContext;
    readonly envelope: Envelope | null;
  },
): Promise<void> {
  const { view, outcome, context } = given;
  const { namespace = '', name, uid } = view.config.metadata;
  const target = targetOf(kinds.kubeadmConfig, namespace, name);
  const call = { signal: context.signal, sinceMs: context.sinceMs };
  let { config } = given;
  for (let round = 1; ; round += 1) {
    const body = statusPatch(config, outcome, { envelope: given.envelope, nowMs: context.nowMs() });
    if (body === null) return;
    const { resourceVersion } = config.metadata;
    try {
      const written = await client.mergePatch<StoredConfig>(
        target,
        { metadata: { uid, resourceVersion }, status: body },
        { ...call, subresource: 'status', priority: hasActed(outcome) ? 'normal' : 'low' },
      );
      memory.wrote(view.key, written.metadata.resourceVersion ?? '');
      if (given.envelope !== null) context.noteSnapshot?.(envelopeText(given.envelope));
      return;
    } catch (error) {
      if (isApiError(error, 'NotFound')) return;
      if (!isApiError(error, 'Conflict') || round >= STATUS_TRIES_MAX) throw error;
    }
    const newest = await client.get<StoredConfig>(target, call);
    if (newest.metadata.uid !== uid || isConfigLost(newest)) return;
    config = newest;
  }
}

/** Whether the turn did something or failed at it: a turn that only looked says what nobody waits for. */
function hasActed({ trail, failed }: KubeadmConfigOutcome): boolean {
  return trail.length > 1 || failed;
}

/** The body of the patch, or null when the status says it all already. */
function statusPatch(
  config: StoredConfig,
  outcome: KubeadmConfigOutcome,
  { envelope, nowMs }: { readonly envelope: Envelope | null; readonly nowMs: number },
): unknown {
  const before = (config.status ?? {}) as Status;
  const projected = projectStatus(before, { ...outcome, nowMs });
  const stored = envelopeInConditions(before.conditions);
  const isWorth = projected !== before || envelopeToWrite(stored, envelope) !== null;
  const after = envelope !== null && isWorth ? withActorState(projected, envelope) : projected;
  return mergeDiff(before, after) ?? null;
}

/** The status with the actor's condition in its place. */
function withActorState(status: Status, envelope: Envelope): Status {
  const others = (status.conditions ?? []).filter(({ type }) => type !== ACTOR_STATE_CONDITION);
  const actorState: Condition = actorStateCondition(envelope);
  return { ...status, conditions: sortConditions([...others, actorState]) };
}

function restingEnvelope({ envelope, failed, facts }: KubeadmConfigOutcome): Envelope | null {
  const resting = atRest(envelope, restingRow);
  return resting === null ? null : withFailure(resting, failed ? facts.failure : null);
}

async function patchAnnotation(
  client: ApiClient,
  memory: Memory,
  view: View,
  envelope: Envelope,
  { signal, noteSnapshot }: EffectContext,
): Promise<void> {
  const { namespace = '', name, uid = '' } = view.config.metadata;
  const target = targetOf(kinds.kubeadmConfig, namespace, name);
  for (let round = 1; ; round += 1) {
    const { metadata } = await client.get<StoredConfig>(target, { signal });
    if (metadata.uid !== uid) return;
    const body = actorAnnotationPatch(envelope, { uid, resourceVersion: metadata.resourceVersion ?? '' });
    try {
      const written = await client.mergePatch(target, body, { signal });
      memory.wrote(view.key, written.metadata.resourceVersion ?? '');
      noteSnapshot?.(envelopeText(envelope));
      return;
    } catch (error) {
      if (!isApiError(error, 'Conflict') || round >= STATUS_TRIES_MAX) throw error;
    }
  }
}

async function writeConfigMap(
  client: ApiClient,
  view: View,
  envelope: Envelope,
  context: EffectContext,
): Promise<void> {
  const { apiVersion, kind } = resources.KubeadmConfig;
  const { namespace = '', name, uid = '' } = view.config.metadata;
  const owner = { apiVersion, kind, namespace, name, uid };
  const given = { resource: kinds.configMap, envelope, owner, actor: name };
  await writeSnapshotConfigMap(client, { ...given, cluster: view.cluster?.metadata.name ?? '' }, context);
}
