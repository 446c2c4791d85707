// A Machine's status as a projection: what it was, what is known, and what the rows of this turn say. Pure.
//
//   P1. The same facts give the same status: a settled Machine costs no write.
//   P2. Flags only ever become true; the Node's name is set once.
//   P3. Conditions of others are never touched.

import {
  conditionTime,
  getCondition,
  type Condition,
  type V1Beta1Condition,
} from '../../../src/conditions/condition.js';
import { setCondition, setV1Beta1Condition } from '../../../src/conditions/set.js';
import type { ConditionIntent } from '../../kit/row.js';
import type { MachineFacts, MachineStatus } from '../facts.js';
import {
  isDeleting,
  isInfrastructureCopied,
  isInfrastructureLost,
  isNodeLossText,
  isNodeLost,
  isPaused,
  lifeOf,
  milestones,
  nodeLossText,
} from '../guards.js';
import { infrastructureLossMessage } from '../messages.js';
import { condition, invalidConfiguration, reason, text } from '../names.js';
import {
  bootstrapConfigReady,
  infrastructureReady,
  oldBootstrapReady,
  oldInfrastructureReady,
} from './external-conditions.js';
import { nodeConditions, oldNodeHealthy } from './node-conditions.js';
import { available, oldReady, ready, updating, upToDate } from './summary.js';

/** What a projection starts from, beside the facts. */
export interface ProjectionOptions {
  /** What the rows that decided say, in order; the last word on a type counts. */
  readonly intents: readonly ConditionIntent[];
  /** The turn ended in an error: the generation does not count as observed. */
  readonly failed: boolean;
}

/** The whole status. */
export function projectStatus(facts: MachineFacts, { intents, failed }: ProjectionOptions): MachineStatus {
  const { machine, status, nowMs } = facts;
  const { conditions } = standardConditions(facts, intents);
  const phase = isDeleting(facts) ? 'Deleting' : lifeOf(facts);
  const { dataSecretCreated, infrastructureProvisioned } = milestones(facts);
  const initialization = {
    ...status.initialization,
    ...(infrastructureProvisioned ? { infrastructureProvisioned: true } : {}),
    ...(dataSecretCreated ? { bootstrapDataSecretCreated: true } : {}),
  };
  return {
    ...withFailureDomain(withoutStaleExpiry(facts), facts),
    ...copied(facts),
    ...(facts.keepsHookTimes ? deletionTimes(facts, conditions) : {}),
    ...(Object.keys(initialization).length === 0 ? {} : { initialization }),
    ...(failed ? {} : { observedGeneration: machine.generation }),
    phase,
    ...(phase === status.phase ? {} : { lastUpdated: conditionTime(nowMs) }),
    conditions,
    deprecated: { ...status.deprecated, v1beta1: oldStatus(facts, intents) },
  };
}

/** The deprecated part of a status in the middle of a turn, before an effect that takes long. */
export function projectOldStatus(facts: MachineFacts, intents: readonly ConditionIntent[]): MachineStatus {
  return { ...facts.status, deprecated: { ...facts.status.deprecated, v1beta1: oldStatus(facts, intents) } };
}

/** The status of a paused Machine: what it was, and that it is paused. */
export function projectPaused(facts: MachineFacts): MachineStatus {
  return { ...facts.status, conditions: setCondition(facts.status.conditions ?? [], paused(facts), at(facts)) };
}

/** After how many milliseconds `Available` changes by itself; null for never. */
export function availableAgainInMs(facts: MachineFacts): number | null {
  return standardConditions(facts, []).availableAgainInMs;
}

function at({ machine, nowMs }: MachineFacts): { readonly nowMs: number; readonly generation: number } {
  return { nowMs, generation: machine.generation };
}

/** `Paused`. */
export function paused(facts: MachineFacts): Condition {
  const type = condition.paused;
  if (!isPaused(facts)) return { type, status: 'False', reason: reason.notPaused, message: '' };
  const causes = [
    ...(facts.cluster?.isPaused === true ? [text.clusterPaused] : []),
    ...(facts.machine.isPausedItself ? [text.machinePaused] : []),
  ];
  return { type, status: 'True', reason: reason.paused, message: causes.join(', ') };
}

function standardConditions(
  facts: MachineFacts,
  intents: readonly ConditionIntent[],
): { readonly conditions: readonly Condition[]; readonly availableAgainInMs: number | null } {
  let conditions = facts.status.conditions ?? [];
  const set = (next: Condition | null): void => {
    if (next !== null) conditions = setCondition(conditions, next, at(facts));
  };
  set(paused(facts));
  set(bootstrapConfigReady(facts));
  set(infrastructureReady(facts));
  for (const each of nodeConditions(facts)) set(each);
  for (const each of lastWords(intents, conditions)) set(each);
  set(deletingUnlessSaid(facts, conditions));
  set(updating(facts));
  set(upToDate(facts));
  set(ready(facts, conditions));
  const { condition: isAvailable, againInMs } = available(facts, conditions);
  set(isAvailable);
  return { conditions, availableAgainInMs: againInMs };
}

/** The last intent of each v1beta2 type. */
function lastWords(intents: readonly ConditionIntent[], present: readonly Condition[]): readonly Condition[] {
  const words = new Map<string, Condition>();
  for (const { type, status, reason: why, message, only, onlyIfAbsent } of intents) {
    if (only === 'v1beta1') continue;
    if (onlyIfAbsent === true && (words.has(type) || getCondition(present, type) !== null)) continue;
    words.set(type, { type, status, reason: why, message });
  }
  return [...words.values()];
}

/** A living Machine is not deleting; a deleting one whose rows said nothing keeps what was said, or says that it started. */
function deletingUnlessSaid(facts: MachineFacts, conditions: readonly Condition[]): Condition | null {
  const type = condition.deleting;
  if (!isDeleting(facts)) return { type, status: 'False', reason: reason.notDeleting, message: '' };
  const said = getCondition(conditions, type);
  if (said?.status === 'True') return said;
  return { type, status: 'True', reason: reason.deleting, message: text.deletionStarted };
}

function oldStatus(
  facts: MachineFacts,
  intents: readonly ConditionIntent[],
): NonNullable<NonNullable<MachineStatus['deprecated']>['v1beta1']> {
  const before = facts.status.deprecated?.v1beta1 ?? {};
  const words = new Map<string, V1Beta1Condition>();
  const say = (next: V1Beta1Condition | null): void => {
    if (next !== null) words.set(next.type, next);
  };
  say(oldBootstrapReady(facts));
  say(oldInfrastructureReady(facts));
  say(oldNodeHealthy(facts));
  for (const { type, v1beta1, only, onlyIfAbsent } of intents) {
    if (v1beta1 === undefined || only === 'v1beta2') continue;
    const isPresent = words.has(type) || getCondition(before.conditions ?? [], type) !== null;
    if (onlyIfAbsent !== true || !isPresent) say({ type, ...v1beta1 });
  }
  let conditions = before.conditions ?? [];
  for (const next of words.values()) conditions = setV1Beta1Condition(conditions, next, facts);
  const summary = oldReady(facts, conditions);
  if (summary !== null) conditions = setV1Beta1Condition(conditions, summary, facts);
  const { failureReason: _reason, failureMessage: _message, ...others } = before;
  return { ...others, ...failureFields(facts), ...(conditions.length === 0 ? {} : { conditions }) };
}

/** What others report is copied, what was set stays, and the loss of a Node is taken back when it is there again. */
function failureFields(facts: MachineFacts): { readonly failureReason?: string; readonly failureMessage?: string } {
  const { bootstrap, infrastructure, machine, status } = facts;
  let { failureReason = '', failureMessage = '' } = status.deprecated?.v1beta1 ?? {};
  if (failureReason === '' && isNodeLossText(failureMessage) && !isNodeLost(facts)) failureMessage = '';
  for (const reading of [bootstrap, infrastructure]) {
    if (reading?.kind !== 'found') continue;
    if (reading.failureReason !== '') failureReason = reading.failureReason;
    if (reading.failureMessage !== '') failureMessage = reading.failureMessage;
  }
  if (isNodeLost(facts) && failureMessage === '') failureMessage = nodeLossText(status.nodeRef?.name ?? '');
  if (isInfrastructureLost(facts)) {
    failureReason = invalidConfiguration;
    const key = `${machine.namespace}/${infrastructure.objectName}`;
    failureMessage = infrastructureLossMessage(infrastructure.objectKind, key);
  }
  return {
    ...(failureReason === '' ? {} : { failureReason }),
    ...(failureMessage === '' ? {} : { failureMessage }),
  };
}

type FoundInfrastructure = Extract<MachineFacts['infrastructure'], { readonly kind: 'found' }>;

/** The infrastructure object, where status takes over what it says. */
function copiedFrom({ infrastructure, status }: MachineFacts): FoundInfrastructure | null {
  if (infrastructure.kind !== 'found' || !isInfrastructureCopied(infrastructure)) return null;
  const isProvisioned = infrastructure.isCompleted || status.initialization?.infrastructureProvisioned === true;
  return isProvisioned ? infrastructure : null;
}

/** The failure domain that the infrastructure object says; an empty one is none, which the API takes by its absence alone. */
function withFailureDomain(status: MachineStatus, facts: MachineFacts): MachineStatus {
  const said = copiedFrom(facts)?.failureDomain;
  if (said === undefined) return status;
  const { failureDomain: _, ...others } = status;
  return said === '' ? others : { ...others, failureDomain: said };
}

/** What is taken from the infrastructure object and from the Node. */
function copied(facts: MachineFacts): Partial<MachineStatus> {
  const { node } = facts;
  const addresses = copiedFrom(facts)?.addresses;
  const name = milestones(facts).nodeRef;
  return {
    ...(addresses === undefined ? {} : { addresses }),
    ...(name === null ? {} : { nodeRef: { name } }),
    // A Node that has not reported yet has none, and the API takes no empty one.
    ...(node.kind === 'found' && Object.keys(node.nodeInfo).length > 0 ? { nodeInfo: node.nodeInfo } : {}),
  };
}

/** The status before, with the expiry date that the annotations say; one that is no date changes nothing. */
function withoutStaleExpiry({ certificatesExpiry, status }: MachineFacts): MachineStatus {
  switch (certificatesExpiry.kind) {
    case 'date':
      return { ...status, certificatesExpiryDate: certificatesExpiry.value };
    case 'none': {
      const { certificatesExpiryDate: _, ...others } = status;
      return others;
    }
    default:
      return status;
  }
}

/** Since when hooks are waited for: set with the first condition that says so, and never again. */
function deletionTimes(
  { status, nowMs }: MachineFacts,
  conditions: readonly Condition[],
): Pick<MachineStatus, 'deletion'> {
  const why = getCondition(conditions, condition.deleting)?.reason;
  const before = status.deletion ?? {};
  const starts = (field: keyof NonNullable<MachineStatus['deletion']>): MachineStatus['deletion'] =>
    before[field] === undefined ? { [field]: conditionTime(nowMs) } : {};
  const deletion = {
    ...before,
    ...(why === reason.waitingForPreDrainHook ? starts('waitForPreDrainHookStartTime') : {}),
    ...(why === reason.waitingForPreTerminateHook ? starts('waitForPreTerminateHookStartTime') : {}),
  };
  return Object.keys(deletion).length === 0 ? {} : { deletion };
}
