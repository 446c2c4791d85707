import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { startDeletionStory } from '../../src/cli/demo-deletion.js';
import { parseDemo } from '../../src/cli/demo-flags.js';
import { unsettledOf } from '../../src/cli/demo-settled.js';
import { startDemoWorld, type DemoWorld } from '../../src/cli/demo-world.js';
import { parseConfig } from '../../src/cli/config.js';
import { startOperator } from '../../src/cli/operator.js';
import type { ApiObject, StoreEvent } from '../../src/embedded/types.js';
import type { Clock } from '../../src/host/contract.js';
import { silentLogger } from '../../src/log.js';
import { createMetrics } from '../../src/metrics.js';
import { systemClock, systemRandom } from '../../src/system.js';

/** The demo's minute in seconds: servers, operator and infrastructure share this clock. */
const FASTER = 6;
const startMs = systemClock.nowMs();
const fastClock: Clock = {
  nowMs: () => startMs + (systemClock.nowMs() - startMs) * FASTER,
  monotonicMs: () => systemClock.monotonicMs() * FASTER,
  schedule: (delayMs, run) => systemClock.schedule(delayMs / FASTER, run),
};

const HOOK = 'pre-drain.delete.hook.machine.cluster.x-k8s.io/backup';
const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const isDeleting = ({ metadata }: ApiObject): boolean => metadata.deletionTimestamp !== undefined;
const isCordoned = ({ spec }: ApiObject): boolean =>
  (spec as { readonly unschedulable?: boolean } | undefined)?.unschedulable === true;
const hasHook = (object: ApiObject | undefined): boolean => object?.metadata.annotations?.[HOOK] !== undefined;

/** What an event means for the story of one worker; null for nothing. */
function milestone({ type, resource, object, previous }: StoreEvent, worker: string): string | null {
  const kind = resource.split('/').at(-1) ?? '';
  const isGone = type === 'DELETED';
  if (kind === 'pods') return isGone ? 'pod gone' : isDeleting(object) ? 'pod evicted' : null;
  if (kind === 'poddisruptionbudgets') return isGone ? 'budget lifted' : null;
  if (kind === 'volumeattachments') return isGone ? 'volume detached' : null;
  if (object.metadata.name !== worker) return null;
  switch (kind) {
    case 'machines':
      if (isGone) return 'machine gone';
      if (hasHook(previous) && !hasHook(object)) return 'hook removed';
      return isDeleting(object) ? 'machine deleted' : null;
    case 'nodes':
      return isGone ? 'node gone' : isCordoned(object) ? 'node cordoned' : null;
    case 'demomachines':
      return isGone ? 'infrastructure gone' : isDeleting(object) ? 'infrastructure deleted' : null;
    case 'kubeadmconfigs':
      return isGone ? 'bootstrap gone' : null;
    default:
      return null;
  }
}

/** Every milestone once, in the order of both servers' writes. */
function recordMilestones(world: DemoWorld, worker: string): string[] {
  const seen: string[] = [];
  const listen = (event: StoreEvent): void => {
    const what = milestone(event, worker);
    if (what !== null && !seen.includes(what)) seen.push(what);
  };
  world.management.store.subscribe(listen);
  const known = new Set<object>();
  world.management.store.subscribe(() => {
    for (const server of world.workloads.all()) {
      if (known.has(server)) continue;
      known.add(server);
      server.store.subscribe(listen);
    }
  });
  return seen;
}

async function startOperatorOn(world: DemoWorld, runArgs: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'demo-deletion-'));
  ends.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, world.kubeconfig);
  const operator = await startOperator({
    config: parseConfig([`--kubeconfig=${kubeconfig}`, ...runArgs], {}),
    environment: {},
    clock: fastClock,
    random: systemRandom,
    log: silentLogger,
    metrics: createMetrics(),
  });
  ends.push(() => operator.stop());
}

describe('demo with all controllers', () => {
  test('deletion of a worker: hook, budget and volume -> nothing goes before what holds it, and the rest stays', async () => {
    const options = parseDemo(['--controllers=all', '--inspector-bind-address=']);
    const world = await startDemoWorld(options, {
      clock: fastClock,
      random: systemRandom,
      onNote: () => undefined,
    });
    ends.push(() => world.close());
    const { doomed } = world;
    if (doomed === null) throw new Error('no Machine is to be deleted');
    const seen = recordMilestones(world, doomed.name);
    await startOperatorOn(world, options.runArgs);
    await world.populate();
    const steps: unknown[] = [];
    await new Promise<void>((resolve) => {
      const story = startDeletionStory({
        world,
        clock: fastClock,
        machine: doomed,
        isTime: () => unsettledOf(world).length === 0,
        say(_text, { step }) {
          steps.push(step);
          if (step === 'gone') resolve();
        },
      });
      ends.push(() => Promise.resolve(story.stop()));
    });
    expect(steps).toEqual(['delete', 'remove-hook', 'lift-budget', 'end-pod', 'detach-volume', 'gone']);
    expect(seen).toEqual([
      'machine deleted',
      'hook removed',
      'node cordoned',
      'budget lifted',
      'pod evicted',
      'pod gone',
      'volume detached',
      'infrastructure deleted',
      'infrastructure gone',
      'bootstrap gone',
      'node gone',
      'machine gone',
    ]);
    expect(unsettledOf(world)).toEqual([]);
    expect(world.management.store.list('machines.cluster.x-k8s.io').map(({ metadata }) => metadata.name)).toEqual([
      'sample-control-plane-0',
      'sample-control-plane-1',
      'sample-control-plane-2',
      'sample-worker-1',
      'sample-worker-2',
    ]);
  }, 120_000);
});
