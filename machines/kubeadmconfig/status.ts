// The status of a KubeadmConfig as a projection: what the rows of one turn say, laid over what is stored.
//
//   P1. The last row that speaks of a condition type wins; types that no row names stay as they are.
//   P2. A turn in which no row speaks leaves the status alone, but for a pause that is over.
//   P3. A paused object gets its Paused condition and nothing else.
//   P4. The name of created data never changes: its owner has been told of it.
//   P5. `observedGeneration` moves only with a turn that did not fail.
import type { Condition, V1Beta1Condition } from '../../src/conditions/condition.js';
import { setCondition, setV1Beta1Condition } from '../../src/conditions/set.js';
import { summarize } from '../../src/conditions/summary.js';
import { summarizeV1Beta1 } from '../../src/conditions/v1beta1-summary.js';
import { rowById } from '../kit/row-by-id.js';
import type { ConditionIntent } from '../kit/row.js';
import type { Facts } from './facts.js';
import { notPaused, types } from './reasons.js';
import { table } from './table.js';

/** The status, as far as this machine knows it. */
export interface Status {
  readonly conditions?: readonly Condition[];
  readonly initialization?: { readonly dataSecretCreated?: boolean };
  readonly dataSecretName?: string;
  readonly observedGeneration?: number;
  readonly deprecated?: { readonly v1beta1?: DeprecatedStatus };
}

/** What is kept for readers of v1beta1. */
interface DeprecatedStatus {
  readonly conditions?: readonly V1Beta1Condition[];
  readonly failureReason?: string;
  readonly failureMessage?: string;
}

/** One turn, as the projection sees it. */
export interface ProjectedTurn {
  readonly trail: readonly { readonly row: string; readonly facts: Facts }[];
  readonly facts: Facts;
  readonly failed: boolean;
  readonly nowMs: number;
}

/** Types that the summary `Ready` is made of, in order. */
const summarized = [types.dataSecretAvailable, types.certificatesAvailable] as const;
const summaryReasons = { issue: 'NotReady', unknown: 'ReadyUnknown', info: 'Ready' } as const;

/** The status after a turn. The very same value when nothing changed. */
export function projectStatus(stored: Status, turn: ProjectedTurn): Status {
  const intents = intentsOf(turn);
  if (intents.length === 0 && !isPauseOver(stored, turn.facts)) return stored;
  const at = { nowMs: turn.nowMs, generation: turn.facts.generation };
  const isPaused = intents.some((intent) => intent.type === types.paused && intent.status === 'True');
  const spoken = isPaused ? intents.filter((intent) => intent.type === types.paused) : [notPaused, ...intents];

  let conditions = stored.conditions ?? [];
  let legacy = stored.deprecated?.v1beta1?.conditions ?? [];
  for (const { type, status, reason, message, v1beta1 } of spoken) {
    conditions = setCondition(conditions, { type, status, reason, message }, at);
    if (v1beta1 !== undefined) legacy = setV1Beta1Condition(legacy, { type, ...v1beta1 }, at);
  }
  if (!isPaused) {
    conditions = setCondition(conditions, summarize(conditions, { types: summarized, reasons: summaryReasons }), at);
    const summary = summarizeV1Beta1(legacy, summarized);
    if (summary !== null) legacy = setV1Beta1Condition(legacy, summary, at);
  }
  return merged(stored, { conditions, legacy, ...(isPaused ? {} : fieldsOf(intents, turn)) });
}

/** The status still says that the object is paused, and it is worked on again. */
function isPauseOver({ conditions = [] }: Status, facts: Facts): boolean {
  const isSaid = conditions.some(({ type, status }) => type === types.paused && status === 'True');
  const hasOwner = facts.owner === 'Machine' || facts.owner === 'MachinePool';
  const isHandled = facts.isHandled && !facts.isDeleting && !facts.isFailedForGood;
  return isSaid && isHandled && hasOwner && facts.hasCluster && !facts.isPaused;
}

/** What the rows say, the last word for each type, in the order in which they first spoke. */
function intentsOf({ trail }: ProjectedTurn): readonly ConditionIntent[] {
  const byType = new Map<string, ConditionIntent>();
  for (const step of trail) {
    for (const intent of rowById(table, step.row)?.conditions(step.facts) ?? []) byType.set(intent.type, intent);
  }
  return [...byType.values()];
}

interface Fields {
  readonly dataSecretName?: string;
  readonly observedGeneration?: number;
}

function fieldsOf(intents: readonly ConditionIntent[], { facts, failed }: ProjectedTurn): Fields {
  const hasData = facts.dataStored !== 'no' || facts.ownerHasData;
  const isAvailable = intents.some(({ type, status }) => type === types.dataSecretAvailable && status === 'True');
  return {
    ...(hasData && isAvailable ? { dataSecretName: facts.dataSecretName } : {}),
    ...(failed || facts.generation === 0 ? {} : { observedGeneration: facts.generation }),
  };
}

/** The stored status with what is new; the same value when nothing is. */
function merged(
  stored: Status,
  next: Fields & { readonly conditions: readonly Condition[]; readonly legacy: readonly V1Beta1Condition[] },
): Status {
  const { v1beta1 } = stored.deprecated ?? {};
  const hasLegacyChange = next.legacy !== (v1beta1?.conditions ?? []) && next.legacy.length > 0;
  const isNamed =
    next.dataSecretName !== undefined &&
    ((stored.dataSecretName ?? '') === '' || stored.initialization?.dataSecretCreated !== true);
  const isObserved = next.observedGeneration !== undefined && next.observedGeneration !== stored.observedGeneration;
  if (next.conditions === stored.conditions && !hasLegacyChange && !isNamed && !isObserved) return stored;
  return {
    ...stored,
    conditions: next.conditions,
    ...(isNamed
      ? {
          initialization: { ...stored.initialization, dataSecretCreated: true },
          dataSecretName: next.dataSecretName as string,
        }
      : {}),
    ...(isObserved ? { observedGeneration: next.observedGeneration as number } : {}),
    ...(hasLegacyChange
      ? { deprecated: { ...stored.deprecated, v1beta1: { ...v1beta1, conditions: next.legacy } } }
      : {}),
  };
}
