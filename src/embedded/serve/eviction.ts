// pods/eviction: a deletion that PodDisruptionBudgets may refuse.
import type { Core } from '../core.js';
import { failure } from '../failure.js';
import { at, listAt, textAt } from '../json.js';
import { deleteObject, deleteRequest } from '../objects/delete.js';
import { updateObject, type Place } from '../objects/write.js';
import type { ResourceDefinition } from '../resources/definition.js';
import { labelSelector } from '../selectors.js';
import type { ApiObject } from '../types.js';
import { currentObjects } from '../read/list.js';

/** Evicts a pod, or answers 429 while its budget allows no disruption. */
export function evict(core: Core, pods: ResourceDefinition, at: Place, body: unknown): object {
  const pod = core.store.get('/pods', `${at.namespace}/${at.name}`);
  const budgets = core.catalog.find('policy', 'v1', 'poddisruptionbudgets');
  const isEnded = ['Succeeded', 'Failed', 'Pending'].includes(textAt(pod, 'status', 'phase'));
  const isGoing = pod?.metadata.deletionTimestamp !== undefined;
  if (pod !== undefined && budgets !== undefined && !isEnded && !isGoing) spend(core, budgets, pod);
  deleteObject(core, pods, at, deleteRequest(deleteOptions(body), new URLSearchParams()));
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
}

function deleteOptions(body: unknown): unknown {
  return at(body, 'deleteOptions') ?? {};
}

/** Takes one allowed disruption from the budget of a pod. */
function spend(core: Core, budgets: ResourceDefinition, pod: ApiObject): void {
  const matching = currentObjects(core, budgets, pod.metadata.namespace ?? '', (budget) => selects(budget, pod));
  if (matching.length > 1) {
    throw failure(
      500,
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  const [budget] = matching;
  if (budget === undefined || mayGoUnready(budget, pod)) return;
  const allowed = at(budget, 'status', 'disruptionsAllowed');
  const observed = at(budget, 'status', 'observedGeneration');
  const name = budget.metadata.name;
  if (observed !== budget.metadata.generation) {
    throw refusal(`The disruption budget ${name} is still being processed by the server.`);
  }
  if (typeof allowed !== 'number' || allowed <= 0) {
    const needs = String(at(budget, 'status', 'desiredHealthy') ?? 0);
    const has = String(at(budget, 'status', 'currentHealthy') ?? 0);
    throw refusal(`The disruption budget ${name} needs ${needs} healthy pods and has ${has} currently`);
  }
  const place = { namespace: budget.metadata.namespace ?? '', name };
  const spent = (old: ApiObject): { object: ApiObject } => ({
    object: { ...old, status: { ...(old.status as object), disruptionsAllowed: allowed - 1 } },
  });
  updateObject(core, budgets, place, spent, {
    manager: 'embedded',
    subresource: 'status',
    dryRun: false,
    isPatch: true,
  });
}

/** A pod that is not ready does not count, as long as the budget is healthy without it. */
function mayGoUnready(budget: ApiObject, pod: ApiObject): boolean {
  const ready = listAt(pod, 'status', 'conditions').find((condition) => at(condition, 'type') === 'Ready');
  if (at(ready, 'status') === 'True') return false;
  if (at(budget, 'spec', 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return true;
  const [current, desired] = [at(budget, 'status', 'currentHealthy'), at(budget, 'status', 'desiredHealthy')];
  return typeof current === 'number' && typeof desired === 'number' && desired > 0 && current >= desired;
}

function refusal(message: string): Error {
  return failure(
    429,
    'TooManyRequests',
    "Cannot evict pod as it would violate the pod's disruption budget.",
    { causes: [{ reason: 'DisruptionBudget', message }], retryAfterSeconds: 10 },
    { 'retry-after': '10' },
  );
}

function selects(budget: ApiObject, pod: ApiObject): boolean {
  const labels = at(budget, 'spec', 'selector', 'matchLabels');
  const expressions = at(budget, 'spec', 'selector', 'matchExpressions');
  const terms = Object.entries((labels ?? {}) as Record<string, string>).map(([key, value]) => `${key}=${value}`);
  for (const expression of Array.isArray(expressions) ? expressions : []) terms.push(expressionText(expression));
  return terms.length === 0 || labelSelector(terms.join(','))(pod);
}

function expressionText(expression: unknown): string {
  const key = textAt(expression, 'key');
  const values = at(expression, 'values');
  const list = Array.isArray(values) ? values.join(',') : '';
  switch (textAt(expression, 'operator')) {
    case 'In':
      return `${key} in (${list})`;
    case 'NotIn':
      return `${key} notin (${list})`;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return key;
  }
}
