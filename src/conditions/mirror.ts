// One object's condition shown on another object, under the same or another type. Pure.

import { getCondition, type Condition } from './condition.js';
import { missing } from './aggregate.js';

/** How a condition is mirrored. */
export interface MirrorOptions {
  /** The type that is read. */
  readonly type: string;
  /** Type of the result; the same by default. */
  readonly target?: string;
  /** What is shown when the source has no such condition; otherwise Unknown. */
  readonly fallback?: Pick<Condition, 'status' | 'reason' | 'message'>;
}

/** The condition under its new type: with its transition time, without its generation, which is another object's. */
export function mirror(conditions: readonly Condition[], { type, target = type, fallback }: MirrorOptions): Condition {
  const found = getCondition(conditions, type);
  const { status, reason, message } = found ?? fallback ?? missing(type);
  const time = found?.lastTransitionTime;
  return { type: target, status, reason, message, ...(time === undefined ? {} : { lastTransitionTime: time }) };
}
