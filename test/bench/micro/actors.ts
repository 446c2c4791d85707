// Actors: transitions, restoring, what a resting one costs, and what watching them costs.
//
// The host is the real one with the real table; looking and writing are as cheap as can be, so that what is left is the runtime.
import { get } from 'node:http';
import { createActor } from 'xstate';
import { born, restOf, restore, step, type Rest } from '../../../machines/kit/step.js';
import { chart } from '../../../machines/kubeadmconfig/chart.js';
import { table } from '../../../machines/kubeadmconfig/table.js';
import { kubeadmconfigLayout } from '../../../src/charts/layouts/kubeadmconfig.js';
import type { AnyTable } from '../../../src/charts/model.js';
import { createHost, type Host } from '../../../src/host/host.js';
import type { AnyController } from '../../../src/host/turn.js';
import type { Inspector } from '../../../src/inspector/inspector.js';
import { systemClock, systemRandom } from '../../../src/system.js';
import { joined, NOW_MS } from '../../unit/kubeadmconfig/facts.js';
import { makeInspector } from '../bench-inspector.js';
import { heapBytes, perSecond, type Figure } from './figure.js';

/** How many there are in every world of these benches. */
export const actors = 5_000;

/** Everything about actors. */
export async function actorFigures(): Promise<readonly Figure[]> {
  return [...machineFigures(), ...(await hostFigures())];
}

function machineFigures(): readonly Figure[] {
  const facts = joined();
  const event = { type: 'OBSERVED' as const, nowMs: NOW_MS, facts };
  const settled = step(chart, born(chart), event).after;
  const rest: Rest = restOf(settled);
  const restored = (): ReturnType<typeof born> => restore(chart, rest) ?? born(chart);
  return [
    { name: 'transitions, pure', value: perSecond(() => void step(chart, settled, event)), unit: '1/s' },
    {
      name: 'restore, one event, stop: a whole actor',
      value: perSecond(() => {
        const actor = createActor(chart, { snapshot: restored() }).start();
        actor.send(event as never);
        actor.stop();
      }),
      unit: '1/s',
    },
    { name: 'restore a snapshot', value: perSecond(() => void restored()), unit: '1/s' },
  ];
}

/** A controller whose objects are names: each look finds the same settled worker. */
function idleController(): AnyController {
  return {
    name: 'bench',
    kind: 'KubeadmConfig',
    group: 'bench',
    chart,
    table: table as unknown as AnyController['table'],
    observe: (key) => ({ key }),
    uid: (view) => `uid-of-${(view as { readonly key: string }).key}`,
    facts: () => joined(),
    effects: {},
    effectTimeoutMs: 60_000,
    mayPersistSnapshot: () => false,
    readEnvelope: () => null,
    persist: () => Promise.resolve(),
    endsBackoff: () => true,
  };
}

/** A host of settled actors, watched or not. */
export function makeHost(inspector: Inspector | null): Host {
  return createHost({
    controller: idleController(),
    clock: systemClock,
    random: systemRandom,
    freshness: { shows: () => true, readLive: () => Promise.resolve() },
    concurrency: 100,
    log: { info: () => undefined, error: () => undefined },
    ...(inspector === null ? {} : { inspect: inspector.observe }),
  });
}

async function hostFigures(): Promise<readonly Figure[]> {
  const before = heapBytes();
  const plain = makeHost(null);
  const unseen = await microsecondsPerTurn(plain);
  const bytes = (heapBytes() - before) / actors;
  await plain.stop();

  const inspector = pagelessInspector();
  const server = await inspector.listen();
  const beforeInspected = heapBytes();
  const inspected = makeHost(inspector);
  const unwatched = await microsecondsPerTurn(inspected);
  const inspectedBytes = (heapBytes() - beforeInspected) / actors;
  const stopViewing = await view(`${server?.url ?? ''}`);
  const watched = await microsecondsPerTurn(inspected);
  stopViewing();
  await inspected.stop();
  await inspector.close();
  return [
    { name: 'turn of a settled actor', value: unseen, unit: 'us' },
    { name: `turn with inspector, no viewer, ${actors} actors`, value: unwatched, unit: 'us' },
    { name: `turn with inspector and a viewer, ${actors} actors`, value: watched, unit: 'us' },
    { name: 'resting actor', value: bytes, unit: 'bytes' },
    { name: 'resting actor with its inspection history', value: inspectedBytes, unit: 'bytes' },
  ];
}

/** Wakes every actor three times, waits until all rest, and divides; the best round. */
async function microsecondsPerTurn(host: Host): Promise<number> {
  host.start();
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 4; round += 1) {
    const startMs = performance.now();
    for (let index = 0; index < actors; index += 1) host.wake(`bench/actor-${index}`, { kind: 'sync' });
    while (!host.isSettled) await new Promise((resolve) => setImmediate(resolve));
    best = Math.min(best, ((performance.now() - startMs) * 1000) / actors);
  }
  return best;
}

/** An inspector without a page. */
export function pagelessInspector(): Inspector {
  return makeInspector({
    machines: [{ table: table as unknown as AnyTable, layout: kubeadmconfigLayout }],
    assets: {},
  });
}

/** A viewer as the page is one: a stream that is read. */
async function view(url: string): Promise<() => void> {
  const address = url.replace(/\/$/, '').split('?')[0] ?? '';
  return new Promise((resolve, reject) => {
    const request = get(`${address}/api/stream`, (response) => {
      if (response.statusCode !== 200) reject(new Error(`the stream answers ${response.statusCode ?? 0}`));
      response.once('data', () => resolve(() => request.destroy()));
      response.on('data', () => undefined);
      response.on('error', () => undefined);
    });
    request.on('error', reject);
  });
}
