// When a workload cluster counts as unreachable, and what its Machines make of it.
import { describe, expect, test } from '@jest/globals';
import {
  at,
  change,
  find,
  machine,
  nodeStatus,
  putCluster,
  putMachine,
  putNode,
  putObjects,
  putPod,
  remove,
  saysOf,
} from './objects.js';
import { isGone, limits, pass, release, running, silence, stay } from './running.js';
import { createWorld, unreachable, type Operator, type World } from './world.js';
import { errorsOf } from './worlds.js';

const HEALTHY = 'True NodeHealthy';

/** How the Node was seen in the facts of each turn. */
const nodeKinds = ({ transitions }: Operator): readonly string[] => [
  ...new Set(
    transitions
      .filter(({ key }) => key === 'default/w-0')
      .map(({ facts }) => (facts as { node: { kind: string } }).node.kind),
  ),
];

/** Workers that had a turn, but for one. */
const othersThan = ({ transitions }: Operator, name: string): readonly string[] =>
  transitions.map(({ key }) => key).filter((key) => key.startsWith('default/w-') && key !== `default/${name}`);

/** The workload cluster refuses every call. */
function breakOff(world: World): void {
  world.workload.setFaults(unreachable());
  world.workload.store.closeWatches('break');
}

/** It answers again. */
const mend = (world: World): void => world.workload.setFaults(undefined);

/** Lets time pass in steps; each may do something first. */
async function steps(
  world: World,
  { lastMs, stepMs, each }: { lastMs: number; stepMs: number; each: (atMs: number) => void | Promise<void> },
): Promise<void> {
  for (let atMs = 0; atMs < lastMs; atMs += stepMs) {
    await each(atMs);
    await pass(world, stepMs);
  }
}

describe('a workload cluster behind something that cuts idle connections', () => {
  test('cut every 35 s for an hour, a Node that speaks every 5 minutes -> no condition changes, the Node is never lost', async () => {
    const { world, operator } = await running();
    operator.transitions.length = 0;
    const said = new Set<string>();
    await steps(world, {
      lastMs: 3_600_000,
      stepMs: 35_000,
      async each(atMs) {
        world.workload.store.closeWatches('break');
        if (atMs % 315_000 === 0)
          await change(world.remote, 'Node', 'w-0', { metadata: { annotations: { beat: String(atMs) } } });
        said.add(await saysOf(world, 'NodeHealthy'));
      },
    });
    expect([...said]).toEqual([HEALTHY]);
    expect(errorsOf(operator)).toEqual([]);
    expect(nodeKinds(operator)).not.toContain('unreachable');
    operator.kill();
  });

  test('cut every 35 s: a Node that changes -> its Machine follows at once, not after a backoff', async () => {
    const { world, operator } = await running();
    await steps(world, { lastMs: 700_000, stepMs: 35_000, each: () => world.workload.store.closeWatches('break') });
    await change(world.remote, 'Node', 'w-0', { status: nodeStatus('False') });
    await world.settle();
    expect(await saysOf(world, 'NodeReady')).toContain('False NodeNotReady');
    operator.kill();
  });

  test('cut again and again: the turn of the Node comes after its time limit -> the Node is deleted', async () => {
    const { world, operator } = await running(limits({ nodeDeletionTimeoutSeconds: 10 }));
    await change(world.user, 'InfraMachine', 'w-0', stay);
    await remove(world);
    await steps(world, { lastMs: 300_000, stepMs: 20_000, each: () => world.workload.store.closeWatches('break') });
    world.workload.store.closeWatches('break');
    await release(world, 'InfraMachine');
    await pass(world, 1_000);
    expect(await isGone(world)).toBe(true);
    expect(await find(world.remote, 'Node', 'w-0')).toBeUndefined();
    operator.kill();
  });
});

describe('a workload cluster that does not answer', () => {
  test('for 45 s: many attempts fail -> no Machine notices', async () => {
    const { world, operator } = await running();
    operator.transitions.length = 0;
    breakOff(world);
    await pass(world, 45_000);
    mend(world);
    await pass(world, 60_000);
    expect(errorsOf(operator)).toEqual([]);
    expect(nodeKinds(operator)).not.toContain('unreachable');
    expect(await saysOf(world, 'NodeHealthy')).toBe(HEALTHY);
    operator.kill();
  });

  test('for three minutes -> unreachable after 50 s, not before; looked at again within 30 s of its answer', async () => {
    const { world, operator } = await running();
    operator.transitions.length = 0;
    breakOff(world);
    await pass(world, 49_000);
    expect(nodeKinds(operator)).not.toContain('unreachable');
    await pass(world, 2_000);
    expect(nodeKinds(operator)).toContain('unreachable');
    await pass(world, 129_000);
    mend(world);
    operator.transitions.length = 0;
    await pass(world, 31_000);
    expect(nodeKinds(operator)).toEqual(['found']);
    expect(await saysOf(world, 'NodeHealthy')).toBe(HEALTHY);
    operator.kill();
  });

  test('when the last try to delete a Node begins, but 4 s later -> the Node is deleted', async () => {
    const { world, operator } = await running(limits({ nodeDeletionTimeoutSeconds: 10 }));
    await change(world.user, 'InfraMachine', 'w-0', stay);
    await remove(world);
    breakOff(world);
    await pass(world, 120_000);
    await change(world.user, 'InfraMachine', 'w-0', { metadata: { finalizers: null } });
    await pass(world, 4_000);
    expect(await isGone(world)).toBe(false);
    mend(world);
    await pass(world, 8_000);
    expect(await isGone(world)).toBe(true);
    expect(await find(world.remote, 'Node', 'w-0')).toBeUndefined();
    operator.kill();
  });

  test('ever: the time for the Node is over -> one budget of tries, then the Machine goes without it', async () => {
    const { world, operator } = await running(limits({ nodeDeletionTimeoutSeconds: 10 }));
    await change(world.user, 'InfraMachine', 'w-0', stay);
    await remove(world);
    breakOff(world);
    await pass(world, 120_000);
    await release(world, 'InfraMachine');
    await pass(world, 15_000);
    expect(await isGone(world)).toBe(true);
    expect(await find(world.remote, 'Node', 'w-0')).toBeDefined();
    operator.kill();
  });

  test('when it was never reached: attempts that are only repeated words of the last -> not down before 50 s', async () => {
    const world = createWorld();
    world.isReachable = false;
    const operator = await world.start();
    await putCluster(world);
    await putObjects(world, 'w-0');
    await putMachine(world, 'w-0');
    await pass(world, 45_000);
    expect(await saysOf(world, 'NodeReady')).toBe('Unknown ConnectionDown Remote connection not established yet');
    await pass(world, 10_000);
    expect(await saysOf(world, 'NodeReady')).toBe('Unknown ConnectionDown');
    operator.kill();
  });
});

describe('a client that is held back by its own rate limit', () => {
  test('a drain of more Pods than it may evict in its time -> throttled, the cluster is not marked, nobody else is woken', async () => {
    const world = createWorld({ workloadLimits: { qps: 2, burst: 3 } });
    const operator = await world.start();
    await putCluster(world);
    const names = ['w-0', 'w-1', 'w-2', 'w-3'];
    for (const name of names) {
      await putObjects(world, name);
      await putMachine(world, name);
      await putNode(world, name);
    }
    for (let index = 0; index < 40; index += 1)
      await putPod(world, `p-${index}`, 'w-0', {
        metadata: {
          ...stay.metadata,
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'u', controller: true }],
        },
      });
    await pass(world, 30_000);
    operator.transitions.length = 0;
    world.seen.length = 0;
    await world.user.delete(at('Machine', 'w-0'));
    await pass(world, 12_000);
    expect(await saysOf(world, 'Deleting')).toContain(
      'failed to evict Pod, eviction was throttled, eviction will be retried',
    );
    await pass(world, 48_000);
    const probes = world.seen.filter(
      ({ cluster, verb, what }) => cluster === 'workload' && verb === 'list' && what === 'nodes',
    );
    expect(probes).toEqual([]);
    expect(othersThan(operator, 'w-0')).toEqual([]);
    expect(nodeKinds(operator)).toEqual(['found']);
    operator.kill();
  });
});

describe('a call that is not answered by a cluster that else answers', () => {
  test('a drain that hangs once -> the Nodes stay known, only the Machine that was refused is woken', async () => {
    const { world, operator } = await running();
    for (const name of ['w-1', 'w-2']) {
      await putObjects(world, name);
      await putMachine(world, name);
      await putNode(world, name);
    }
    await world.settle();
    operator.transitions.length = 0;
    silence(world);
    await world.user.delete(at('Machine', 'w-0'));
    await pass(world, 12_000);
    world.hanging.clear();
    await pass(world, 30_000);
    expect(await isGone(world)).toBe(true);
    expect(nodeKinds(operator)).not.toContain('unreachable');
    expect(othersThan(operator, 'w-0')).toEqual([]);
    expect((await machine(world, 'w-1')).status?.nodeRef).toEqual({ name: 'w-1' });
    operator.kill();
  });
});
