// One turn of one actor: look, decide, at most one effect at a time, and status at the end.
//
//   H2. A turn ends within TURN_STEPS_MAX effects, or it is a bug.
//   H3. A settled object causes no write: `persist` compares before it writes.
//   H5. A turn that throws leaves the actor where it was.

import { createActor, type InspectionEvent } from 'xstate';
import type { ActorContext, BaseFacts, EffectRequest, Failure, Table } from '../../machines/kit/row.js';
import type { RowMachine } from '../../machines/kit/row-machine.js';
import { born, leafState, restOf, restore, type Rest, type Snapshot } from '../../machines/kit/step.js';
import type { Clock, Controller, EffectContext, HostObserver, Key, Outcome, WriteLedger } from './contract.js';
import { failureOf } from './effect-failure.js';
import { envelopeOf } from './envelope.js';
import { TURN_STEPS_MAX } from './limits.js';

/** A controller of any machine: the host does not care which. */
export type AnyController = Controller<object, string, BaseFacts, string, string>;

/** What a turn needs beside its controller. */
export interface TurnPorts {
  readonly clock: Clock;
  readonly machine: RowMachine;
  readonly observer: HostObserver;
  /** An `inspect` callback for the actor of an object, or undefined when nobody inspects. */
  readonly inspect:
    | ((actor: {
        readonly machine: string;
        readonly uid: string;
        readonly id: string;
      }) => (event: InspectionEvent) => void)
    | undefined;
  /** Aborted when the host stops. */
  readonly stopping: AbortSignal;
}

/** How a turn ended. */
export interface TurnResult {
  readonly rest: Rest;
  readonly state: string;
  /** The failure of its last failed effect or of `persist`; null for success. */
  readonly failure: Failure | null;
  readonly steps: number;
}

interface Step {
  readonly type: string;
  readonly facts: BaseFacts;
}

/** Runs a turn on a view. Throws for bugs only. */
export async function runTurn(
  controller: AnyController,
  ports: TurnPorts,
  given: { readonly key: Key; readonly view: object; readonly rest: Rest | null; readonly ledger: WriteLedger },
): Promise<TurnResult> {
  const { key, view } = given;
  const { clock } = ports;
  const uid = controller.uid(view);
  const restored = given.rest === null ? null : restore(ports.machine, given.rest);
  const start: Snapshot = restored ?? born(ports.machine);
  const actor = startActor(controller, ports, { key, uid, snapshot: start });
  const asked: string[] = [];
  actor.on('*', (request) => asked.push((request as EffectRequest<string>).type));

  const trail: { readonly row: string; readonly facts: BaseFacts }[] = [];
  const send = (step: Step): void => {
    const before = leafState((actor.getSnapshot() as Snapshot).value);
    const nowMs = clock.nowMs();
    actor.send({ type: step.type, nowMs, facts: step.facts } as never);
    const after = actor.getSnapshot() as Snapshot;
    const context = restOf(after).context;
    trail.push({ row: context.row ?? '', facts: step.facts });
    ports.observer.onTransition?.({
      controller: controller.name,
      key,
      uid,
      atMs: nowMs,
      event: step.type,
      row: context.row ?? '',
      from: before,
      to: leafState(after.value),
      request: asked.at(-1) ?? null,
      wakeAtMs: context.wakeAtMs,
      facts: step.facts,
    });
  };

  let facts = controller.facts(view, clock.nowMs(), restOf(start).context);
  let failure: Failure | null = null;
  let steps = 0;
  try {
    send({ type: 'OBSERVED', facts });
    for (let request = asked.shift(); request !== undefined; request = asked.shift()) {
      steps += 1;
      if (steps > TURN_STEPS_MAX)
        throw new Error(
          `${controller.name} ${key}: more than ${TURN_STEPS_MAX} effects in one turn, the last was ${request}`,
        );
      const step = await runEffect(controller, ports, given, request, facts);
      facts = step.facts;
      if (facts.failure !== null) failure = facts.failure;
      send(step);
    }
    const snapshot = actor.getSnapshot() as Snapshot;
    const rest = restOf(snapshot);
    const persisted = await persist(controller, ports, given, { rest, facts, trail, failed: failure !== null });
    return {
      rest: persisted === null ? rest : (given.rest ?? restOf(start)),
      state: leafState(snapshot.value),
      failure: persisted ?? failure,
      steps,
    };
  } finally {
    actor.stop();
  }
}

function startActor(
  controller: AnyController,
  ports: TurnPorts,
  { key, uid, snapshot }: { readonly key: Key; readonly uid: string; readonly snapshot: Snapshot },
) {
  const inspect = ports.inspect?.({ machine: controller.table.id, uid, id: key });
  return createActor(ports.machine, { id: key, snapshot, ...(inspect === undefined ? {} : { inspect }) }).start();
}

async function runEffect(
  controller: AnyController,
  ports: TurnPorts,
  given: { readonly key: Key; readonly view: object; readonly ledger: WriteLedger },
  request: string,
  facts: BaseFacts,
): Promise<Step> {
  const effect = controller.effects[request];
  if (effect === undefined) throw new Error(`${controller.name}: there is no effect ${request}`);
  const startedMs = ports.clock.nowMs();
  const { signal, end } = deadline(ports, controller.effectTimeoutMs, request);
  let step: Step;
  try {
    const reply = await untilAborted(effect(given.view, facts, effectContext(given, ports, signal)), signal);
    step = { type: reply.type, facts: { ...facts, failure: null, ...reply.learned } };
  } catch (error) {
    const failure = failureOf(request, error, signal);
    if (failure === null) throw error;
    step = { type: 'EFFECT_FAILED', facts: { ...facts, failure } };
  } finally {
    end();
  }
  ports.observer.onEffect?.({
    controller: controller.name,
    key: given.key,
    request,
    startedMs,
    tookMs: ports.clock.nowMs() - startedMs,
    result: step.type,
    failure: step.facts.failure,
  });
  return step;
}

async function persist(
  controller: AnyController,
  ports: TurnPorts,
  given: { readonly key: Key; readonly view: object; readonly ledger: WriteLedger },
  done: {
    readonly rest: Rest;
    readonly facts: BaseFacts;
    readonly trail: Outcome<string, BaseFacts>['trail'];
    readonly failed: boolean;
  },
): Promise<Failure | null> {
  const { rest, facts } = done;
  const context: ActorContext = rest.context;
  const mayPersist = controller.mayPersistSnapshot(given.view, facts);
  const outcome: Outcome<string, BaseFacts> = {
    state: leafState(rest.value),
    row: context.row ?? '',
    trail: done.trail,
    facts,
    context,
    failed: done.failed,
    envelope: mayPersist ? envelopeOf(controller.uid(given.view), rest) : null,
  };
  const { signal, end } = deadline(ports, controller.effectTimeoutMs, 'persist');
  try {
    await untilAborted(controller.persist(given.view, outcome, effectContext(given, ports, signal)), signal);
    return null;
  } catch (error) {
    const failure = failureOf('persist', error, signal);
    if (failure === null) throw error;
    return failure;
  } finally {
    end();
  }
}

function effectContext(
  given: { readonly key: Key; readonly ledger: WriteLedger },
  ports: TurnPorts,
  signal: AbortSignal,
): EffectContext {
  return { key: given.key, signal, nowMs: () => ports.clock.nowMs(), ledger: given.ledger };
}

function deadline(
  ports: TurnPorts,
  timeoutMs: number,
  what: string,
): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const cancel = ports.clock.schedule(timeoutMs, () =>
    controller.abort(`${what} did not end within ${timeoutMs / 1000} s`),
  );
  const onStop = (): void => controller.abort('the operator stops');
  if (ports.stopping.aborted) onStop();
  ports.stopping.addEventListener('abort', onStop, { once: true });
  return {
    signal: controller.signal,
    end() {
      cancel();
      ports.stopping.removeEventListener('abort', onStop);
    },
  };
}

/** Work that ignores its signal must not hold a turn for ever. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = (): void => undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(new Error('aborted'));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    work.catch(() => undefined);
  }
}

/** A table of any machine, for `createRowMachine`. */
export type AnyControllerTable = Table<string, BaseFacts, string, string>;
