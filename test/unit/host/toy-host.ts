// A host of the toy controller on a world in memory, with everything it tells.

import type { HostObserver, TransitionNote, TurnNote, WakeCause } from '../../../src/host/contract.js';
import { createHost, type HostOptions } from '../../../src/host/host.js';
import { createTestClock, fixedRandom } from '../kube/test-clock.js';
import { createToyWorld, toyController, type ToyWorld } from './toy-controller.js';

/** The object itself changed. */
export const self = (resourceVersion = '?', before = '?'): WakeCause => ({ kind: 'self', resourceVersion, before });
/** Something around it changed. */
export const other: WakeCause = { kind: 'object', objectKind: 'Other', namespace: 'ns', name: 'o' };

/** A host of the toy on a world; watch events wake it. */
export function toyHost(
  change: Parameters<typeof toyController>[1] = {},
  options: Partial<HostOptions> = {},
  world: ToyWorld = createToyWorld(),
) {
  const clock = createTestClock();
  const notes = {
    transitions: [] as TransitionNote[],
    turns: [] as TurnNote[],
    log: [] as string[],
    gone: [] as string[],
    bugs: [] as string[],
  };
  const observer: HostObserver = {
    onTransition: (note) => notes.transitions.push(note),
    onTurn: (note) => notes.turns.push(note),
    onGone: (_, key, uid) => notes.gone.push(`${key} ${uid}`),
    onBug: (_, key, error) => notes.bugs.push(`${key} ${(error as Error).message}`),
    onDiscarded: (_, key, reason) => notes.log.push(`${key} ${reason}`),
    onStaleView: (_, key, kind) => notes.log.push(`${key} waits for ${kind}`),
  };
  const controller = toyController(world, change);
  const host = createHost({
    controller,
    clock,
    random: fixedRandom(),
    freshness: world.freshness,
    concurrency: 4,
    log: { info: () => undefined, error: () => undefined },
    observers: [
      observer,
      {
        onTransition: () => {
          throw new Error('an observer’s own bug');
        },
      },
    ],
    ...options,
  });
  world.onChange = (key, object, before) => host.wake(key, self(String(object.version), before));
  host.start();
  const path = () => notes.transitions.map(({ row, to }) => `${row} ${to}`);
  return { world, clock, host, notes, path };
}
