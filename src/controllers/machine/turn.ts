// What the effects of one turn learn beyond their view: they run one after the other, and each sees what the one before wrote.
//
// Bound to the view itself, so that it ends with the turn. The caches may be behind our own writes of this turn; what is kept
// here is never older than what was written.

import type { Failure } from '../../../machines/kit/row.js';
import type { MachineFacts, MachineStatus } from '../../../machines/machine/facts.js';
import type { MachineReply, MachineRequest, PhaseRequest } from '../../../machines/machine/words.js';
import { failureOf } from '../../host/effect-failure.js';
import type { Effect, EffectContext, EffectReply } from '../../host/contract.js';
import { compareVersions } from '../../kube/resource-version.js';
import type { DaemonSets } from './drain/daemon-sets.js';
import { factsOfView } from './facts-of-view.js';
import type { ExternalLook } from './external/readings.js';
import type { StoredMachine } from './objects.js';
import type { MachineEvent, Ports } from './ports.js';
import { viewOf, type MachineView } from './view.js';
import type { WaitWatches } from './workload/wait-watches.js';

/** An effect of this controller. */
export type MachineEffect = Effect<MachineView, MachineFacts, MachineReply>;

/** What effects are made from. */
export interface EffectDeps {
  readonly ports: Ports;
  readonly waits: WaitWatches;
  readonly daemonSets: DaemonSets;
}

/** Notes of one turn. */
export interface Turn {
  /** The Machine as it was read or as our last write left it. */
  machine: StoredMachine;
  bootstrap: ExternalLook | null;
  infrastructure: ExternalLook | null;
  /** Times of `status.deletion` that began in this turn, whatever becomes of the effect that began them. */
  deletion: NonNullable<MachineStatus['deletion']>;
  /** Events that are told once the status is written. */
  readonly events: MachineEvent[];
}

const turns = new WeakMap<MachineView, Turn>();

/** The notes of the turn that works on this view. */
export function turnOf(view: MachineView): Turn {
  const known = turns.get(view);
  if (known !== undefined) return known;
  const turn: Turn = { machine: view.machine, bootstrap: null, infrastructure: null, deletion: {}, events: [] };
  turns.set(view, turn);
  return turn;
}

/** The view as it is now: what the caches show, and what this turn wrote. */
export function currentView(ports: Ports, view: MachineView): MachineView {
  const turn = turnOf(view);
  const now = viewOf(ports, turn.machine);
  return {
    ...now,
    bootstrap: now.bootstrap === null ? null : newer(now.bootstrap, turn.bootstrap),
    infrastructure: newer(now.infrastructure, turn.infrastructure),
  };
}

function newer(cached: ExternalLook, written: ExternalLook | null): ExternalLook {
  if (written?.kind !== 'found' || cached.kind !== 'found') return cached;
  const [one = '', other = ''] = [cached, written].map(({ object }) => object.metadata.resourceVersion);
  return cached.object.metadata.uid === written.object.metadata.uid && compareVersions(one, other) < 0
    ? written
    : cached;
}

/** Work of an always phase. Throws what the phase cannot do. */
export type PhaseWork = (view: MachineView, facts: MachineFacts, context: EffectContext) => Promise<void>;

/**
 * An always phase as an effect: it never keeps the next phase from its work. What it could not do is the turn's failure, and
 * the table is read again with the facts as they are now.
 */
export function phase(deps: EffectDeps, name: PhaseRequest, work: PhaseWork): MachineEffect {
  return async (view, facts, context) => {
    let failure: Failure<MachineRequest> | null = null;
    try {
      await work(currentView(deps.ports, view), facts, context);
    } catch (error) {
      failure = failureOf<MachineRequest>(name, error);
      if (failure === null || context.signal.aborted) throw error;
    }
    return {
      type: 'OBSERVED',
      learned: factsAgain(deps, view, { facts, nowMs: context.nowMs(), attempted: name, failure }),
    };
  };
}

/** The facts as they are now, with what the turn has learned before. */
export function factsAgain(
  { ports }: EffectDeps,
  view: MachineView,
  {
    facts,
    nowMs,
    attempted,
    failure,
  }: {
    readonly facts: MachineFacts;
    readonly nowMs: number;
    readonly attempted: PhaseRequest;
    readonly failure: Failure<MachineRequest> | null;
  },
): MachineFacts {
  const fresh = factsOfView(currentView(ports, view), { nowMs, settings: ports.settings, actor: null });
  return {
    ...fresh,
    drain: facts.drain,
    volumes: facts.volumes,
    attempted: [...facts.attempted, attempted],
    failure,
    phaseFailure: failure ?? facts.phaseFailure,
  };
}

/** An answer that teaches nothing but itself. */
export function reply(
  type: MachineReply,
  learned: Partial<MachineFacts> = {},
): EffectReply<MachineFacts, MachineReply> {
  return { type, learned };
}
