// One turn of one actor: look, decide, at most one effect at a time, and status at the end.
//
//   H2. A turn ends within TURN_STEPS_MAX effects, or it is a bug.
//   H3. A settled object causes no write: `persist` compares before it writes.
//   H5. A turn that throws leaves the actor where it was: nothing of it is returned, and the actor is thrown away.

import { createActor, type Actor, type AnyStateMachine, type InspectionEvent } from 'xstate';
import type { BaseFacts, EffectRequest, Failure, RowNote } from '../../machines/kit/row.js';
import { isRowNote, leafState, restOf, type Rest, type Snapshot } from '../../machines/kit/step.js';
import { TURN_STEPS_MAX } from '../limits.js';
import type {
  Clock,
  Controller,
  EffectContext,
  HostObserver,
  Key,
  Outcome,
  WakeCause,
  WriteLedger,
} from './contract.js';
import { AbortedWork, withinBounds, type Bounds } from './deadline.js';
import { failureOf } from './effect-failure.js';
import { envelopeOf } from './envelope.js';

/** A controller of any machine: the host does not care which. */
export type AnyController = Controller<object, string, BaseFacts, string, string>;

/** Gives an `inspect` callback for the actor of an object. */
export type ActorInspector = (actor: {
  readonly machine: string;
  readonly uid: string;
  readonly id: string;
}) => (event: InspectionEvent) => void;

/** What every turn of a host needs. */
export interface TurnPorts {
  readonly controller: AnyController;
  readonly clock: Clock;
  readonly observer: Required<HostObserver>;
  /** Undefined when nobody inspects. */
  readonly inspect: ActorInspector | undefined;
  /** Aborted when running work is given up. */
  readonly stopping: AbortSignal;
}

/** What one turn starts from. */
export interface TurnStart {
  readonly key: Key;
  readonly uid: string;
  /** Monotonic time at which the turn began. */
  readonly sinceMs: number;
  readonly view: object;
  readonly snapshot: Snapshot;
  readonly causes: readonly WakeCause[];
  readonly ledger: WriteLedger;
}

/** How a turn ended. */
export interface TurnResult {
  readonly rest: Rest;
  /** False when status could not be written: then the actor stays where it was, as its status does. */
  readonly isPersisted: boolean;
  /** The failure that makes the turn an error; null for success and for a failure that a row answered with a requeue. */
  readonly failure: Failure | null;
  readonly steps: number;
}

interface ActorStep {
  readonly type: string;
  readonly facts: BaseFacts;
}

type Trail = Outcome<string, BaseFacts>['trail'];

/** Runs a turn. Throws for bugs, and AbortedWork when the host stops. */
export async function runTurn(ports: TurnPorts, start: TurnStart): Promise<TurnResult> {
  const { controller, clock } = ports;
  const working = startActor(ports, start);
  const { actor, asked, trail } = working;
  try {
    const context = restOf(start.snapshot).context;
    let step: ActorStep = {
      type: 'OBSERVED',
      facts: Object.freeze(controller.facts(start.view, clock.nowMs(), context, start.causes)),
    };
    let failure: Failure | null = null;
    let steps = 0;
    send(ports, start, working, step);
    for (let request = asked.shift(); request !== undefined; request = asked.shift()) {
      steps += 1;
      if (steps > TURN_STEPS_MAX)
        throw new Error(`more than ${TURN_STEPS_MAX} effects in one turn, the last: ${request}`);
      step = await runEffect(ports, start, request, step.facts);
      failure = step.facts.failure ?? failure;
      send(ports, start, working, step);
    }
    const rest = restOf(actor.getSnapshot() as Snapshot);
    if (rest.context.wakeAtMs !== null) failure = null;
    const unwritten = await persist(ports, start, { rest, trail, facts: step.facts, failed: failure !== null });
    return { rest, isPersisted: unwritten === null, failure: unwritten ?? failure, steps };
  } finally {
    actor.stop();
  }
}

/** An actor at work, with what it has emitted: the effects it asks for, and the rows that decided. */
interface WorkingActor {
  readonly actor: Actor<AnyStateMachine>;
  readonly asked: string[];
  readonly trail: Trail[number][];
}

function startActor(ports: TurnPorts, { key, uid, snapshot }: TurnStart): WorkingActor {
  const { chart, table } = ports.controller;
  const inspect = ports.inspect?.({ machine: table.id, uid, id: key });
  const actor = createActor(chart, { id: key, snapshot, ...(inspect === undefined ? {} : { inspect }) });
  const working: WorkingActor = { actor, asked: [], trail: [] };
  actor.on('*', (emitted: EffectRequest<string> | RowNote<BaseFacts>) => {
    if (isRowNote<BaseFacts>(emitted)) working.trail.push({ row: emitted.row, facts: emitted.facts });
    else working.asked.push(emitted.type);
  });
  // With an error observer XState leaves the error in the snapshot, where `send` finds it, and throws it at nobody else.
  actor.subscribe({ error: () => undefined });
  actor.start();
  return working;
}

/** Sends one event. What the chart decides stands in the snapshot and in what the actor emitted. */
function send(ports: TurnPorts, { key, uid }: TurnStart, working: WorkingActor, { type, facts }: ActorStep): void {
  const { controller, clock, observer } = ports;
  const { actor, asked, trail } = working;
  const decidedBefore = trail.length;
  const from = leafState((actor.getSnapshot() as Snapshot).value);
  const nowMs = clock.nowMs();
  actor.send({ type, nowMs, facts });
  const after = actor.getSnapshot() as Snapshot;
  if (after.status !== 'active') throw after.error ?? new Error(`the actor is ${after.status}`);
  const { row, wakeAtMs } = restOf(after).context;
  if (trail.length === decidedBefore)
    throw new Error(`${actor.logic.id}: no row answers ${type}; the chart is not total`);
  if (asked.length > 1) throw new Error(`row ${row} asked for ${asked.join(' and ')}: one effect at a time`);
  observer.onTransition({
    controller: controller.name,
    key,
    uid,
    atMs: nowMs,
    event: type,
    row: row ?? '',
    from,
    to: leafState(after.value),
    request: asked[0] ?? null,
    wakeAtMs,
    facts,
  });
}

async function runEffect(ports: TurnPorts, start: TurnStart, request: string, facts: BaseFacts): Promise<ActorStep> {
  const { controller, clock, stopping } = ports;
  const effect = controller.effects[request];
  if (effect === undefined) throw new Error(`there is no effect ${request}`);
  const startedMs = clock.monotonicMs();
  const atMs = clock.nowMs();
  const bounds = boundsOf(ports, start, request);
  let step: ActorStep;
  try {
    const reply = await withinBounds(bounds, (signal) => effect(start.view, facts, contextOf(ports, start, signal)));
    step = { type: reply.type, facts: Object.freeze({ ...facts, failure: null, ...reply.learned }) };
  } catch (error) {
    const failure = failureOf(request, error);
    if (failure === null || (stopping.aborted && error instanceof AbortedWork)) throw error;
    step = { type: 'EFFECT_FAILED', facts: Object.freeze({ ...facts, failure }) };
  }
  ports.observer.onEffect({
    controller: controller.name,
    key: start.key,
    request,
    startedMs: atMs,
    tookMs: clock.monotonicMs() - startedMs,
    result: step.type,
    failure: step.facts.failure,
  });
  return step;
}

/** Writes status and snapshot; the failure when that did not work. */
async function persist(
  ports: TurnPorts,
  start: TurnStart,
  done: { readonly rest: Rest; readonly facts: BaseFacts; readonly trail: Trail; readonly failed: boolean },
): Promise<Failure | null> {
  const { controller, stopping } = ports;
  const { context, value } = done.rest;
  const mayPersist = controller.mayPersistSnapshot(start.view, done.facts);
  const outcome: Outcome<string, BaseFacts> = {
    state: leafState(value),
    row: context.row ?? '',
    trail: done.trail,
    facts: done.facts,
    context,
    failed: done.failed,
    envelope: mayPersist ? envelopeOf(start.uid, done.rest) : null,
  };
  const bounds = boundsOf(ports, start, 'persist');
  try {
    await withinBounds(bounds, (signal) => controller.persist(start.view, outcome, contextOf(ports, start, signal)));
    return null;
  } catch (error) {
    const failure = failureOf('persist', error);
    if (failure === null || (stopping.aborted && error instanceof AbortedWork)) throw error;
    return failure;
  }
}

function boundsOf({ controller, clock, stopping, observer }: TurnPorts, { key }: TurnStart, what: string): Bounds {
  const onTimeout = (): void => observer.onTimeout(controller.name, key, what);
  return { clock, stopping, timeoutMs: controller.effectTimeoutMs, what, onTimeout };
}

function contextOf(
  { clock, controller, observer }: TurnPorts,
  { key, ledger, sinceMs }: TurnStart,
  signal: AbortSignal,
): EffectContext {
  const noteSnapshot = (text: string): void => observer.onSnapshot(controller.name, key, Buffer.byteLength(text));
  return { key, signal, sinceMs, nowMs: () => clock.nowMs(), ledger, noteSnapshot };
}
