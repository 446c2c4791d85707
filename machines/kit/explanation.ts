// Why an actor is where it is, from the same rows that decided it. Pure: `explain` and the inspector give the same answer.

import type { ActorContext, BaseFacts, Failure, Table, WaitsFor } from './row.js';

/** The answer to *why is it here*. Holds no secret: facts hold none. */
export interface Explanation {
  readonly machine: string;
  readonly object: { readonly kind: string; readonly namespace: string; readonly name: string; readonly uid: string };
  readonly state: string;
  readonly stateMeaning: string;
  /** RFC 3339, or null when the cluster did not record it. */
  readonly since: string | null;
  readonly row: {
    readonly id: string;
    readonly title: string;
    readonly description: string;
    readonly requirements: readonly string[];
    readonly guard: string;
  };
  /** The facts that decided, by name. */
  readonly facts: Readonly<Record<string, unknown>>;
  readonly waitsFor: WaitsFor | null;
  readonly lastError: Failure | null;
  /** RFC 3339, or null. */
  readonly nextLook: string | null;
  readonly unblocks: string;
  /** What looks wrong around the object and holds nothing up, a line for each. */
  readonly warnings: readonly string[];
}

/** What `explainActor` needs to know of one actor. */
export interface ExplainedActor<State extends string, Facts> {
  readonly object: Explanation['object'];
  readonly state: State;
  readonly context: ActorContext | null;
  readonly facts: Facts;
  readonly rowId: string;
  /** Names of the facts that may be shown. */
  readonly shownFacts: readonly string[];
  readonly warnings?: readonly string[];
}

/** Puts the explanation together; total for every state and row of the table. */
export function explainActor<
  State extends string,
  Facts extends BaseFacts,
  Request extends string,
  Reply extends string,
>(table: Table<State, Facts, Request, Reply>, actor: ExplainedActor<State, Facts>): Explanation {
  const row = table.rows.find((each) => each.id === actor.rowId);
  const waitsFor = row?.waitsFor?.(actor.facts) ?? null;
  const all = actor.facts as unknown as Readonly<Record<string, unknown>>;
  return {
    machine: table.id,
    object: actor.object,
    state: actor.state,
    stateMeaning: table.states[actor.state]?.description ?? '',
    since: actor.context === null ? null : rfc3339(actor.context.sinceMs),
    row: {
      id: actor.rowId,
      title: row?.title ?? 'not recorded',
      description: row?.description ?? '',
      requirements: row?.requirements ?? [],
      guard: row?.guard ?? '',
    },
    facts: Object.fromEntries(actor.shownFacts.filter((name) => name in all).map((name) => [name, all[name]])),
    waitsFor,
    lastError: actor.facts.failure,
    nextLook: actor.context?.wakeAtMs === null || actor.context === null ? null : rfc3339(actor.context.wakeAtMs),
    unblocks: waitsFor?.remedy ?? (actor.facts.failure === null ? 'Nothing is needed.' : actor.facts.failure.message),
    warnings: actor.warnings ?? [],
  };
}

/**
 * What is recorded of an actor, as of now. A look that changes nothing is not recorded: where the recorded wake-up is past, the
 * next one is as many intervals later as went by. `everyMs` is the wish of its row; null for none.
 */
export function asOfNow(context: ActorContext, nowMs: number, everyMs: number | null): ActorContext {
  const { wakeAtMs } = context;
  if (wakeAtMs === null || wakeAtMs > nowMs) return context;
  if (everyMs === null || everyMs <= 0) return { ...context, wakeAtMs: null };
  const missed = Math.floor((nowMs - wakeAtMs) / everyMs) + 1;
  return { ...context, wakeAtMs: wakeAtMs + missed * everyMs };
}

function rfc3339(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
