// What every effect is given: the controller's ports, its memory, and a client whose writes are noted in the turn's ledger.
import type { Facts, Reply } from '../../../../machines/kubeadmconfig/facts.js';
import type { Effect, EffectContext, EffectReply } from '../../../host/contract.js';
import type { ApiClient, RequestOptions } from '../../../kube/contract.js';
import { isApiError } from '../../../kube/failures.js';
import { withLedger } from '../../../kube/ledger-client.js';
import type { Memory } from '../memory.js';
import type { Ports } from '../ports.js';
import { turnOf, type Turn } from '../turn.js';
import type { View } from '../view.js';

/** One effect at work. */
export interface Work {
  readonly view: View;
  readonly facts: Facts;
  readonly turn: Turn;
  readonly ports: Ports;
  readonly memory: Memory;
  /** The management cluster; writes are noted. */
  readonly client: ApiClient;
  /** To be passed with every call. */
  readonly call: Required<Pick<RequestOptions, 'signal' | 'sinceMs'>>;
  readonly nowMs: () => number;
  readonly key: string;
}

/** An effect of this controller. */
export type KubeadmConfigEffect = Effect<View, Facts, Reply>;

/** The answer of an effect. */
export type Answer = EffectReply<Facts, Reply>;

/** Makes an effect of work on a turn. */
export function effectOf(ports: Ports, memory: Memory, work: (work: Work) => Promise<Answer>): KubeadmConfigEffect {
  return (view, facts, context) => work(workOf(ports, memory, { view, facts, context }));
}

/** The work of one effect. */
export function workOf(
  ports: Ports,
  memory: Memory,
  given: { readonly view: View; readonly facts: Facts; readonly context: EffectContext },
): Work {
  const { view, facts, context } = given;
  return {
    view,
    facts,
    turn: turnOf(view),
    ports,
    memory,
    client: withLedger(ports.client, context.ledger),
    call: { signal: context.signal, sinceMs: context.sinceMs },
    nowMs: context.nowMs,
    key: view.key,
  };
}

/** An answer with what was learned. */
export function answer(type: Reply, learned: Partial<Facts> = {}): Answer {
  return { type, learned };
}

/** The value of a read, or null when the object does not exist. */
export async function orNull<T>(read: Promise<T>): Promise<T | null> {
  try {
    return await read;
  } catch (error) {
    if (isApiError(error, 'NotFound')) return null;
    throw error;
  }
}
