// Conditions out of a stored object of any kind, as upstream reads unstructured objects. Pure and total.
//
// The lists of the v1beta2 contract are looked for first, then the plain ones. A container of the wrong type counts as absent; an
// entry that cannot be a condition is a problem that names what is wrong.

import { NO_REASON_REPORTED, type Condition, type ConditionStatus } from './condition.js';

/** The conditions, or why they cannot be read. */
export type StoredConditions =
  | { readonly kind: 'conditions'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'unreadable'; readonly message: string };

/** Reads `status.v1beta2.conditions`, else `status.conditions`. */
export function readConditions(object: unknown): StoredConditions {
  const status = fieldOf(object, 'status');
  const list = [fieldOf(fieldOf(status, 'v1beta2'), 'conditions'), fieldOf(status, 'conditions')].find(Array.isArray);
  const conditions: Condition[] = [];
  for (const entry of (list ?? []) as readonly unknown[]) {
    const read = conditionOf(entry);
    if (typeof read === 'string') return { kind: 'unreadable', message: read };
    conditions.push(read);
  }
  return { kind: 'conditions', conditions };
}

const statuses: readonly string[] = ['True', 'False', 'Unknown'] satisfies readonly ConditionStatus[];

function conditionOf(entry: unknown): Condition | string {
  const type = textOf(entry, 'type');
  if (type === '') return 'type must be set for all conditions';
  const status = textOf(entry, 'status');
  if (status === '') return `status must be set for the ${type} condition`;
  if (!statuses.includes(status)) return `status for the ${type} condition must be one of True, False, Unknown`;
  const time = textOf(entry, 'lastTransitionTime');
  if (time !== '' && Number.isNaN(Date.parse(time))) {
    return `lastTransitionTime for the ${type} condition must be a RFC 3339 time`;
  }
  const generation = fieldOf(entry, 'observedGeneration');
  const reason = textOf(entry, 'reason');
  return {
    type,
    status,
    reason: reason === '' ? NO_REASON_REPORTED : reason,
    message: textOf(entry, 'message'),
    ...(time === '' ? {} : { lastTransitionTime: time }),
    ...(typeof generation === 'number' && generation !== 0 ? { observedGeneration: generation } : {}),
  };
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

function textOf(value: unknown, name: string): string {
  const text = fieldOf(value, name);
  return typeof text === 'string' ? text : '';
}
