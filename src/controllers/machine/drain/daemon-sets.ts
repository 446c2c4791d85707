// Which DaemonSets of workload clusters exist, as drains ask: every Node has a Pod of each, and many Nodes are drained at once.
//
//   D1. An answer counts for DAEMON_SET_ANSWER_AGE_MAX_MS, for all drains of its cluster; a failure to read counts for none.
//   D2. Drains that ask at the same time share one call. A drain that is given up takes no other with it.

import type { Clock } from '../../../host/contract.js';
import type { ApiClient } from '../../../kube/contract.js';
import { isApiError } from '../../../kube/failures.js';
import { orAborted } from '../../../kube/waiting.js';
import { DAEMON_SET_ANSWER_AGE_MAX_MS, DAEMON_SET_ANSWERS_MAX } from '../../../limits.js';
import { kinds, targetOf } from '../objects.js';
import type { DaemonSetAnswer } from './classify-pod.js';

/** A question about one DaemonSet. */
export interface DaemonSetQuestion {
  readonly client: Pick<ApiClient, 'get'>;
  /** What tells the workload cluster from every other: the uid of its Cluster. */
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  readonly signal: AbortSignal;
}

/** Answers questions. Throws what a signal's end makes of the call, and nothing else of an API server. */
export type DaemonSets = (question: DaemonSetQuestion) => Promise<DaemonSetAnswer>;

/** Nothing is known yet. */
export function createDaemonSets(clock: Pick<Clock, 'monotonicMs'>): DaemonSets {
  const known = new Map<string, { readonly answer: DaemonSetAnswer; readonly untilMs: number }>();
  const asking = new Map<string, Promise<DaemonSetAnswer | null>>();

  const remember = (key: string, answer: DaemonSetAnswer): void => {
    const nowMs = clock.monotonicMs();
    if (known.size >= DAEMON_SET_ANSWERS_MAX)
      for (const [each, { untilMs }] of known) if (untilMs <= nowMs) known.delete(each);
    if (known.size >= DAEMON_SET_ANSWERS_MAX) known.clear();
    known.set(key, { answer, untilMs: nowMs + DAEMON_SET_ANSWER_AGE_MAX_MS });
  };

  const ask = async (key: string, question: DaemonSetQuestion): Promise<DaemonSetAnswer> => {
    const work = read(question);
    const shared = work.catch(() => null);
    asking.set(key, shared);
    try {
      const answer = await work;
      if (typeof answer === 'string') remember(key, answer);
      return answer;
    } finally {
      if (asking.get(key) === shared) asking.delete(key);
    }
  };

  return async (question) => {
    const { cluster, namespace, name, signal } = question;
    const key = `${cluster}/${namespace}/${name}`;
    for (;;) {
      const last = known.get(key);
      if (last !== undefined && last.untilMs > clock.monotonicMs()) return last.answer;
      const asked = asking.get(key);
      if (asked === undefined) return ask(key, question);
      const answer = await orAborted(asked, signal, () => new Error('the drain was given up'));
      if (answer !== null) return answer;
    }
  };
}

async function read({ client, namespace, name, signal }: DaemonSetQuestion): Promise<DaemonSetAnswer> {
  try {
    await client.get(targetOf(kinds.daemonSet, namespace, name), { signal, metadataOnly: true });
    return 'exists';
  } catch (error) {
    if (!isApiError(error) || signal.aborted) throw error;
    const { kind, message } = error.failure;
    return kind === 'NotFound' ? 'missing' : { problem: `failed to get DaemonSet ${namespace}/${name}: ${message}` };
  }
}
