// What a Machine says about its bootstrap and infrastructure objects: mirrors of their `Ready`, and what stands in for it.
//
// The fallback's text names the v1beta2 field also for objects of the older contract, as upstream's does.

import type { Condition, V1Beta1Condition } from '../../../src/conditions/condition.js';
import type { BootstrapReading, ExternalObject, InfrastructureReading, MachineFacts } from '../facts.js';
import { isDeleting, milestones } from '../guards.js';
import { condition, oldCondition, oldReason, reason, text } from '../names.js';

type Entry = Pick<Condition, 'status' | 'reason' | 'message'> & { readonly lastTransitionTime?: string };
type OldEntry = Omit<V1Beta1Condition, 'type'>;

const entry = (status: 'True' | 'False' | 'Unknown', why: string, message = ''): Entry => ({
  status,
  reason: why,
  message,
});

/** `BootstrapConfigReady`. */
export function bootstrapConfigReady(facts: MachineFacts): Condition {
  const { bootstrap } = facts;
  return {
    type: condition.bootstrapConfigReady,
    ...(bootstrap === null ? entry('True', reason.dataSecretProvided) : ofBootstrap(facts, bootstrap)),
  };
}

function ofBootstrap(facts: MachineFacts, bootstrap: BootstrapReading): Entry {
  const { objectKind } = bootstrap;
  const isCreated = milestones(facts).dataSecretCreated;
  switch (bootstrap.kind) {
    case 'found':
      if (!bootstrap.isAdopted || bootstrap.isMisread === true) return notRead;
      return (
        mirrored(bootstrap) ??
        (isCreated
          ? entry('True', reason.ready)
          : entry('False', reason.notReady, `${objectKind} status.initialization.dataSecretCreated is false`))
      );
    case 'missing':
      return isDeleting(facts) && isCreated
        ? entry('False', reason.objectDeleted, `${objectKind} has been deleted`)
        : entry('False', reason.objectDoesNotExist, `${objectKind} does not exist`);
    default:
      return notRead;
  }
}

/** `InfrastructureReady`. */
export function infrastructureReady(facts: MachineFacts): Condition {
  return { type: condition.infrastructureReady, ...ofInfrastructure(facts, facts.infrastructure) };
}

function ofInfrastructure(facts: MachineFacts, infrastructure: InfrastructureReading): Entry {
  const { objectKind } = infrastructure;
  const isProvisioned = milestones(facts).infrastructureProvisioned;
  switch (infrastructure.kind) {
    case 'found': {
      if (!infrastructure.isAdopted || infrastructure.isMisread === true) return notRead;
      const mirror = mirrored(infrastructure);
      if (isProviderIdAwaited(facts) && mirror !== null && mirror.status !== 'False') {
        return entry('False', reason.notReady, `Waiting for ${objectKind} to report spec.providerID`);
      }
      if (mirror !== null) return mirror;
      return isProvisioned
        ? entry('True', reason.ready)
        : entry('False', reason.notReady, `${objectKind} status.initialization.provisioned is false`);
    }
    case 'missing':
      if (!isProvisioned) return entry('False', reason.objectDoesNotExist, `${objectKind} does not exist`);
      return isDeleting(facts)
        ? entry('False', reason.objectDeleted, `${objectKind} has been deleted`)
        : entry('False', reason.objectDeleted, `${objectKind} has been deleted while the Machine still exists`);
    default:
      return notRead;
  }
}

const notRead = entry('Unknown', reason.internalError, text.checkLogs);

/** Provisioned by its own word, but without the ID that ties it to a Node: not ready yet, whatever it says. */
function isProviderIdAwaited(facts: MachineFacts): boolean {
  const { infrastructure } = facts;
  return (
    infrastructure.kind === 'found' &&
    infrastructure.isCompleted &&
    infrastructure.providerId === '' &&
    facts.status.initialization?.infrastructureProvisioned !== true
  );
}

function mirrored({ ready }: ExternalObject): Entry | null {
  switch (ready.kind) {
    case 'absent':
      return null;
    case 'invalid':
      return entry('Unknown', reason.invalidConditionReported, ready.message);
    case 'reported': {
      const isNameless = ready.reason === reason.noReasonReported && ready.status === 'True';
      const { lastTransitionTime } = ready;
      return {
        ...entry(ready.status, isNameless ? reason.ready : ready.reason, ready.message),
        ...(lastTransitionTime === null ? {} : { lastTransitionTime }),
      };
    }
  }
}

/** The deprecated `BootstrapReady`; null leaves it as it is. */
export function oldBootstrapReady(facts: MachineFacts): V1Beta1Condition | null {
  const { bootstrap, machine } = facts;
  if (bootstrap?.kind !== 'found' || !bootstrap.isAdopted || bootstrap.isMisread === true) return null;
  const type = oldCondition.bootstrapReady;
  if (machine.dataSecretName !== null) return { type, status: 'True' };
  return {
    type,
    ...oldMirror(facts, bootstrap, { isDone: bootstrap.isCompleted, waits: oldReason.waitingForDataSecret }),
  };
}

/** The deprecated `InfrastructureReady`; null leaves it as it is. */
export function oldInfrastructureReady(facts: MachineFacts): V1Beta1Condition | null {
  const { infrastructure } = facts;
  if (infrastructure.kind !== 'found' || !infrastructure.isAdopted || infrastructure.isMisread === true) return null;
  const type = oldCondition.infrastructureReady;
  const waits = oldReason.waitingForInfrastructure;
  const mirror = oldMirror(facts, infrastructure, { isDone: infrastructure.isCompleted, waits });
  if (!isProviderIdAwaited(facts) || mirror.status === 'False') return { type, ...mirror };
  return { type, status: 'False', severity: 'Info', reason: waits };
}

function oldMirror(
  facts: MachineFacts,
  { oldReady }: ExternalObject,
  { isDone, waits }: { readonly isDone: boolean; readonly waits: string },
): OldEntry {
  if (oldReady !== null) return oldReady;
  if (isDone) return { status: 'True' };
  return { status: 'False', severity: 'Info', reason: isDeleting(facts) ? oldReason.deleting : waits };
}
