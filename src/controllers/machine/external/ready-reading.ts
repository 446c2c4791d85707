// The `Ready` condition of an object of any kind, as a Machine mirrors it: in today's shape and in the old one. Pure.
//
//   R1. One bad entry makes the whole list unusable, as upstream reads it; an entry that is no object is passed over.
//   R2. Nothing here throws, whatever a provider wrote.

import type { V1Beta1Condition } from '../../../conditions/condition.js';
import type { ReadyReading } from '../../../../machines/machine/facts.js';
import { isRecord } from './field.js';

const noReason = 'NoReasonReported';

/** `Ready` in today's shape. */
export function readyReading(kind: string, status: unknown): ReadyReading {
  const source = listOf(status);
  if (source === null) return { kind: 'absent' };
  let ready: ReadyReading = { kind: 'absent' };
  for (const entry of source.list) {
    if (!isRecord(entry)) continue;
    const problem = problemOf(entry);
    if (problem !== null) {
      return {
        kind: 'invalid',
        message: `failed to convert ${source.path} from ${kind} to []metav1.Condition: ${problem}`,
      };
    }
    if (entry['type'] === 'Ready' && ready.kind === 'absent') {
      ready = {
        kind: 'reported',
        status: entry['status'] as 'True',
        reason: textOr(entry['reason'], '') === '' ? noReason : textOr(entry['reason'], noReason),
        message: textOr(entry['message'], ''),
        lastTransitionTime: typeof entry['lastTransitionTime'] === 'string' ? entry['lastTransitionTime'] : null,
      };
    }
  }
  return ready;
}

/** `Ready` in the old shape; null when the object has none that can be read. */
export function oldReadyReading(status: unknown): Omit<V1Beta1Condition, 'type'> | null {
  const list = isRecord(status) ? status['conditions'] : undefined;
  if (!Array.isArray(list) || !list.every(isRecord)) return null;
  const entry = list.find((each) => each['type'] === 'Ready');
  if (entry === undefined || typeof entry['status'] !== 'string') return null;
  const { severity, reason, message, lastTransitionTime } = entry;
  return {
    status: entry['status'],
    ...(typeof severity === 'string' && severity !== '' ? { severity } : {}),
    ...(typeof reason === 'string' && reason !== '' ? { reason } : {}),
    ...(typeof message === 'string' && message !== '' ? { message } : {}),
    ...(typeof lastTransitionTime === 'string' ? { lastTransitionTime } : {}),
  };
}

/** The list that counts: the new one of objects in transition, else the usual one. */
function listOf(status: unknown): { readonly list: readonly unknown[]; readonly path: string } | null {
  if (!isRecord(status)) return null;
  const next = isRecord(status['v1beta2']) ? status['v1beta2']['conditions'] : undefined;
  if (Array.isArray(next)) return { list: next, path: 'status.v1beta2.conditions' };
  const usual = status['conditions'];
  return Array.isArray(usual) ? { list: usual, path: 'status.conditions' } : null;
}

function problemOf(entry: Readonly<Record<string, unknown>>): string | null {
  const type = textOr(entry['type'], '');
  if (type === '') return 'type must be set for all conditions';
  const status = textOr(entry['status'], '');
  if (status === '') return `status must be set for the ${type} condition`;
  if (!['True', 'False', 'Unknown'].includes(status)) {
    return `status for the ${type} condition must be one of True, False, Unknown`;
  }
  const time = entry['lastTransitionTime'];
  if (time === undefined || time === null) return null;
  if (typeof time !== 'string' || Number.isNaN(Date.parse(time))) {
    return `failed to unmarshal lastTransitionTime value: ${String(time)}: it is no RFC 3339 time`;
  }
  return null;
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' ? value : otherwise;
}
