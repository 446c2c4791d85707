// Bugs that upstream's Machine controller once had with Nodes, by the numbers of docs/upstream-bugs.md.
import { describe, expect, test } from '@jest/globals';
import { machine, nodeStatus, putMachine, putNode, putObjects, putRunning, saysOf } from './objects.js';
import { errorsOf, useWorlds } from './worlds.js';

const start = useWorlds();

describe('upstream bugs: Nodes', () => {
  test('upstream bug 52: Nodes that cannot be listed -> NodeHealthy and NodeReady do not become False', async () => {
    const { world } = await start();
    await putRunning(world);
    world.workload.setFaults({
      request: (info) => (info.resource === 'nodes' ? { kind: 'status', code: 503 } : undefined),
    });
    await world.clock.advance(20_000);
    await world.settle();
    for (const type of ['NodeReady', 'NodeHealthy']) expect(await saysOf(world, type)).not.toMatch(/^False/);
  });

  test('upstream bug 53: two Nodes with the provider ID -> an error that says so, and neither is taken', async () => {
    const { world, operator } = await start();
    for (const name of ['one', 'two']) {
      await putNode(world, name, { spec: { providerID: 'test://w-0' }, status: nodeStatus() });
    }
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0');
    await world.settle();
    expect((await machine(world)).status?.nodeRef).toBeUndefined();
    expect(JSON.stringify(errorsOf(operator))).toContain('more than one Node matching the providerID test://w-0');
  });
});
