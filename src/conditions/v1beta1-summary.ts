// The summary `Ready` of the deprecated v1beta1 conditions. Pure.
//
// True outranks Unknown, and a type that nobody has set is not counted, as readers of this list have always seen it.

import type { V1Beta1Condition } from './condition.js';

/** A summary before a time is added. */
export type V1Beta1Summary = Omit<V1Beta1Condition, 'lastTransitionTime'>;

/** How a summary differs from the usual. */
export interface V1Beta1SummaryOptions {
  /** Type of the result; `Ready` by default. */
  readonly target?: string;
  /** Replaces the message by `<true ones> of <steps> completed`. */
  readonly steps?: number;
}

/** Summarises the conditions of the given types; null when none of them exists, and then no summary is written. */
export function summarizeV1Beta1(
  conditions: readonly V1Beta1Condition[],
  types: readonly string[],
  { target = 'Ready', steps }: V1Beta1SummaryOptions = {},
): V1Beta1Summary | null {
  const scope = conditions.filter(({ type }) => types.includes(type));
  const topRank = Math.min(...scope.map(rank));
  const top = scope.filter((condition) => rank(condition) === topRank);
  const chosen = types.flatMap((type) => top.find((condition) => condition.type === type) ?? [])[0];
  if (chosen === undefined) return null;
  const { status, severity = '', reason = '' } = chosen;
  if (status === 'True') return { type: target, status };
  const done = scope.filter((condition) => condition.status === 'True').length;
  const message = steps === undefined ? (chosen.message ?? '') : `${done} of ${steps} completed`;
  return {
    type: target,
    status,
    ...(status !== 'False' || severity === '' ? {} : { severity }),
    ...(reason === '' ? {} : { reason }),
    ...(message === '' ? {} : { message }),
  };
}

/** The smaller, the more it matters. */
function rank({ status, severity = '' }: V1Beta1Condition): number {
  if (status === 'True') return 3;
  if (status === 'Unknown') return 4;
  if (status !== 'False') return 99;
  return severity === 'Error' ? 0 : severity === 'Warning' ? 1 : severity === 'Info' ? 2 : 99;
}
