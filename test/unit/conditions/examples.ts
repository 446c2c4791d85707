// Short forms for the worked examples of conditions.

import type { Condition, V1Beta1Condition } from '../../../src/conditions/condition.js';

const words = { T: 'True', F: 'False', U: 'Unknown' } as const;

/** `F` and its like as a status; anything else as it is. */
export const statusOf = (short: string): string => words[short as keyof typeof words] ?? short;

/** An entry with the generic reason of its type. */
export const entry = (type: string, short: string, message = '', more: Partial<Condition> = {}): Condition => ({
  type,
  status: statusOf(short),
  reason: `Reason-${type}`,
  message,
  ...more,
});

/** A deprecated entry. */
export const old = (type: string, short: string, more: Partial<V1Beta1Condition> = {}): V1Beta1Condition => ({
  type,
  status: statusOf(short),
  ...more,
});
