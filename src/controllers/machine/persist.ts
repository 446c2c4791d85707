// What a turn leaves behind: one guarded patch of the status, if anything changed, and the Events that go with it.
//
//   S1. A settled Machine costs no write.
//   S2. Conditions of others are never lost: the patch carries the version that it was made from, and is made again from what
//       the server has when somebody else was first.
//   S3. State and status are written together: the actor's snapshot is one more condition of the same patch.

import type { Failure } from '../../../machines/kit/row.js';
import { saidByRows } from './rows-of-trail.js';
import type { MachineFacts, MachineStatus } from '../../../machines/machine/facts.js';
import { isPaused } from '../../../machines/machine/guards.js';
import { projectPaused, projectStatus } from '../../../machines/machine/status/project.js';
import { staleView } from '../../../machines/machine/words.js';
import { pausedRow, restingRow, rowsWithoutStatus } from '../../../machines/machine/table.js';
import type { Condition } from '../../conditions/condition.js';
import { sortConditions } from '../../conditions/order.js';
import type { EffectContext, Envelope } from '../../host/contract.js';
import { atRest, withFailure } from '../../host/envelope.js';
import {
  ACTOR_STATE_CONDITION,
  actorStateCondition,
  envelopeInConditions,
  envelopeToWrite,
} from '../../host/snapshot-stores.js';
import { isApiError } from '../../kube/failures.js';
import { withLedger } from '../../kube/ledger-client.js';
import { scrubSecrets } from '../../scrub.js';
import { mergeDiff } from '../kubeadmconfig/merge-diff.js';
import { tellEvents } from './events.js';
import { machineLog } from './machine-log.js';
import { machineTarget, type StoredMachine } from './objects.js';
import type { MachineOutcome } from './outcome.js';
import type { Ports } from './ports.js';
import { writeSnapshotElsewhere } from './snapshot-elsewhere.js';
import { turnOf } from './turn.js';
import type { MachineView } from './view.js';

/** Tries of one patch when others write at the same time. */
const PATCH_TRIES_MAX = 5;

/** Whether a snapshot may be written: there is a Cluster, and nothing is paused. A deletion is a life too. */
export function mayPersistSnapshot(facts: MachineFacts): boolean {
  return facts.cluster !== null && !isPaused(facts);
}

/** Writes what changed. */
export async function persistMachine(
  ports: Ports,
  view: MachineView,
  outcome: MachineOutcome,
  context: EffectContext,
): Promise<void> {
  logFailure(ports, view, outcome);
  try {
    await writeOutcome(ports, view, outcome, context);
  } catch (error) {
    if (isApiError(error))
      logError(ports, view, { request: 'persist', kind: error.failure.kind, message: error.message });
    throw error;
  }
}

async function writeOutcome(
  ports: Ports,
  view: MachineView,
  outcome: MachineOutcome,
  context: EffectContext,
): Promise<void> {
  const turn = turnOf(view);
  if (rowsWithoutStatus.has(outcome.row)) return;
  let base = turn.machine;
  if (isForgotten(base)) return tellEvents(ports, { view, outcome, before: base, after: base, isChanged: true });
  const client = withLedger(ports.client, context.ledger);
  for (let tries = 1; ; tries += 1) {
    const next = nextStatus(ports, base, { outcome, begun: turn.deletion });
    const patch = mergeDiff(base.status ?? {}, next);
    const before = base;
    try {
      if (patch !== undefined) {
        const { uid, resourceVersion } = base.metadata;
        const body = { metadata: { uid, resourceVersion }, status: patch };
        base = await client.mergePatch<StoredMachine>(machineTarget(base), body, {
          subresource: 'status',
          signal: context.signal,
        });
        turn.machine = base;
        const text = envelopeInConditions(next.conditions);
        if (text !== null && text !== envelopeInConditions(before.status?.conditions)) context.noteSnapshot?.(text);
      }
      await writeSnapshotElsewhere(ports, view, {
        machine: base,
        envelope: restingEnvelope(outcome),
        context,
      });
      return tellEvents(ports, {
        view,
        outcome,
        before,
        after: { ...base, status: next },
        isChanged: patch !== undefined,
      });
    } catch (error) {
      if (isApiError(error, 'NotFound') && base.metadata.deletionTimestamp !== undefined) return;
      if (!isApiError(error, 'Conflict') || tries >= PATCH_TRIES_MAX) throw error;
      base = await client.get<StoredMachine>(machineTarget(base), { signal: context.signal });
      if (base.metadata.uid !== view.machine.metadata.uid) return;
    }
  }
}

/** What failed is told, also where a row goes on without it; a view that was stale is no error. */
function logFailure(ports: Ports, view: MachineView, outcome: MachineOutcome): void {
  const failure = failureOfTurn(outcome);
  const { phaseFailure } = outcome.facts;
  if (failure !== null) logError(ports, view, failure);
  if (phaseFailure !== null && phaseFailure !== failure) logError(ports, view, phaseFailure);
}

/** What made the turn an error; null for a turn that is none. */
function failureOfTurn({ trail, failed }: MachineOutcome): Failure | null {
  return failed ? (trail.findLast(({ facts }) => facts.failure !== null)?.facts.failure ?? null) : null;
}

/** Failures that say nothing about the object: the next look, with a newer view, decides. */
const passing: ReadonlySet<string> = new Set([staleView, 'Aborted', 'ApiAborted', 'ApiConflict', 'ApiUnknown']);

/** The snapshot as it is kept: with what the turn failed with, and no secret in it. */
function restingEnvelope(outcome: MachineOutcome): Envelope | null {
  const resting = atRest(outcome.envelope, restingRow);
  const failure = failureOfTurn(outcome);
  if (resting === null || failure === null || passing.has(failure.kind)) return resting;
  return withFailure(resting, { ...failure, message: scrubSecrets(failure.message) });
}

function logError(ports: Ports, view: MachineView, { request, kind, message, object }: Failure): void {
  const log = machineLog(ports, view, { controller: 'machine', effect: request, kind });
  if (kind === staleView) return log.verbose(4, 'The cache was behind', { err: message });
  const about = object === undefined ? {} : { object: `${object.kind} ${object.namespace}/${object.name}` };
  log.error('Reconciler error', { err: message, ...about });
}

/** The API server has forgotten a deleted object once nobody holds it. */
function isForgotten({ metadata }: StoredMachine): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
}

/** The status that the Machine must have, made from the newest one that is known. */
function nextStatus(
  ports: Ports,
  base: StoredMachine,
  { outcome, begun }: { readonly outcome: MachineOutcome; readonly begun: MachineStatus['deletion'] },
): MachineStatus {
  const { facts, trail, failed } = outcome;
  const learned = facts.status.deletion;
  const deletion = { ...base.status?.deletion, ...begun, ...learned };
  const now: MachineFacts = {
    ...facts,
    status: { ...base.status, ...(Object.keys(deletion).length === 0 ? {} : { deletion }) },
  };
  if (outcome.row === pausedRow) return projectPaused(now);
  const intents = saidByRows(trail);
  const status = projectStatus(now, { intents, failed: failed || facts.phaseFailure !== null });
  return ports.settings.snapshotStore === 'status' ? withSnapshot(status, base, outcome) : status;
}

function withSnapshot(status: MachineStatus, base: StoredMachine, outcome: MachineOutcome): MachineStatus {
  const next = envelopeToWrite(envelopeInConditions(base.status?.conditions), restingEnvelope(outcome));
  if (next === null) return status;
  const others = (status.conditions ?? []).filter(({ type }) => type !== ACTOR_STATE_CONDITION);
  const condition: Condition = actorStateCondition(next);
  return { ...status, conditions: sortConditions([...others, condition]) };
}
