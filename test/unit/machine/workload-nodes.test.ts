// A workload cluster that answers, but does not let its Nodes be read.
import { afterEach, describe, expect, test } from '@jest/globals';
import type { RequestFault, RequestInfo } from '../../../src/embedded/types.js';
import { at, change, find, nodeStatus, remove, saysOf } from './objects.js';
import { isGone, limits, pass, release, running, stay } from './running.js';
import type { Operator, World } from './world.js';
import { breaking, errorsOf, rowsOf } from './worlds.js';

const operators: Operator[] = [];
afterEach(() => {
  for (const operator of operators.splice(0)) operator.kill();
});

const shortLimits = {
  nodeDrainTimeoutSeconds: 60,
  nodeVolumeDetachTimeoutSeconds: 60,
  nodeDeletionTimeoutSeconds: 10,
};

const begin = async (deletion: object): Promise<{ readonly world: World; readonly operator: Operator }> => {
  const started = await running(limits(deletion));
  operators.push(started.operator);
  return started;
};

/** A process that starts anew. */
async function restart(world: World, operator: Operator): Promise<Operator> {
  operator.kill();
  const next = await world.start();
  operators.push(next);
  await world.settle();
  return next;
}

const isOfNodes = ({ resource, verb }: RequestInfo): boolean =>
  resource === 'nodes' && ['list', 'watch'].includes(verb);
/** A page of one Node is answered, a whole list is not. */
const isLongList = (info: RequestInfo): boolean => isOfNodes(info) && info.query.get('limit') !== '1';
const isCallOnNode = ({ resource, verb }: RequestInfo): boolean => resource === 'nodes' && verb !== 'watch';

const faults: readonly (readonly [string, (info: RequestInfo) => boolean, RequestFault])[] = [
  ['403', isOfNodes, { kind: 'status', code: 403, message: 'nodes is forbidden' }],
  ['401', isOfNodes, { kind: 'status', code: 401, message: 'Unauthorized' }],
  ['404', isOfNodes, { kind: 'status', code: 404 }],
  ['429', isOfNodes, { kind: 'status', code: 429 }],
  ['no answer to a whole list', isLongList, { kind: 'hang-before' }],
];

describe('a workload cluster that answers and does not let Nodes be listed', () => {
  test.each(faults)(
    '%s from the start: a Machine that is deleted -> it is not connecting for ever, and goes',
    async (_title, which, fault) => {
      const { world, operator } = await begin(shortLimits);
      world.workload.setFaults(breaking(which, fault));
      await restart(world, operator);
      await remove(world);
      await pass(world, 300_000);
      expect(await isGone(world)).toBe(true);
    },
  );

  test('403 for every call on Nodes -> the limits for drain and Node end the deletion, as upstream', async () => {
    const { world, operator } = await begin(shortLimits);
    world.workload.setFaults(breaking(isCallOnNode, { kind: 'status', code: 403, message: 'nodes is forbidden' }));
    const next = await restart(world, operator);
    await remove(world);
    await pass(world, 30_000);
    expect(rowsOf(next)).not.toContain('M41');
    expect(await saysOf(world, 'Deleting')).toContain('DrainingNode');
    await pass(world, 300_000);
    expect(await isGone(world)).toBe(true);
    expect(await find(world.remote, 'Node', 'w-0')).toBeDefined();
  });

  test('403 from the start: a Machine that lives -> it says so, and follows its Node as soon as it may', async () => {
    const { world, operator } = await begin({ nodeDrainTimeoutSeconds: 60 });
    world.workload.setFaults(breaking(isOfNodes, { kind: 'status', code: 403, message: 'nodes is forbidden' }));
    const next = await restart(world, operator);
    await pass(world, 20_000);
    expect(errorsOf(next).join(' ')).toContain('nodes is forbidden');
    await change(world.remote, 'Node', 'w-0', { status: nodeStatus('False') });
    await pass(world, 600_000);
    expect(await saysOf(world, 'NodeReady')).toMatch(/^Unknown ConnectionDown/);
    world.workload.setFaults(undefined);
    await pass(world, 60_000);
    expect(await saysOf(world, 'NodeReady')).toContain('False NodeNotReady');
  });

  test('403 once they were read -> for 45 s nobody notices; in the end the Machine does not keep what it said', async () => {
    const { world, operator } = await begin({ nodeDrainTimeoutSeconds: 60 });
    operator.transitions.length = 0;
    world.workload.setFaults(breaking(isOfNodes, { kind: 'status', code: 403, message: 'nodes is forbidden' }));
    world.workload.store.closeWatches('break');
    await pass(world, 45_000);
    expect(await saysOf(world, 'NodeHealthy')).toBe('True NodeHealthy');
    expect(rowsOf(operator)).toEqual([]);
    await pass(world, 600_000);
    expect(await saysOf(world, 'NodeHealthy')).toMatch(/^Unknown ConnectionDown/);
    world.workload.setFaults(undefined);
    await pass(world, 60_000);
    expect(await saysOf(world, 'NodeHealthy')).toBe('True NodeHealthy');
  });
});

describe('a kubeconfig Secret that cannot be read in the management cluster', () => {
  const beginLate = async (isUnread: boolean): Promise<World> => {
    const { world, operator } = await begin({ nodeDeletionTimeoutSeconds: 10 });
    await change(world.user, 'InfraMachine', 'w-0', stay);
    await remove(world);
    world.isKubeconfigUnread = isUnread;
    world.kubeconfigProblem = 'error getting kubeconfig secret: etcdserver: leader changed';
    await restart(world, operator);
    await pass(world, 120_000);
    await release(world, 'InfraMachine');
    await pass(world, 600_000);
    return world;
  };

  test('the time for the Node is over -> the Node is not given up; once it is read, the Node is deleted', async () => {
    const world = await beginLate(true);
    expect(await isGone(world)).toBe(false);
    world.kubeconfigProblem = null;
    await pass(world, 1_100_000);
    expect(await isGone(world)).toBe(true);
    expect(await find(world.remote, 'Node', 'w-0')).toBeUndefined();
  });

  test('but where there is none -> the Node is left behind', async () => {
    const world = await beginLate(false);
    expect(await isGone(world)).toBe(true);
    expect(await find(world.remote, 'Node', 'w-0')).toBeDefined();
  });
});

describe('the deletion of a Node that is tried again', () => {
  test('409, and another Node has its name at the next try -> the other one stays, the Machine goes', async () => {
    const { world } = await begin({ nodeDeletionTimeoutSeconds: 10 });
    let tries = 0;
    world.workload.setFaults(
      breaking(({ resource, verb }) => resource === 'nodes' && verb === 'delete' && (tries += 1) === 1, {
        kind: 'status',
        code: 409,
      }),
    );
    await remove(world);
    expect(tries).toBe(1);
    await world.remote.delete(at('Node', 'w-0'));
    await world.remote.create(at('Node', 'w-0').resource, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'w-0' },
    });
    await pass(world, 30_000);
    expect(tries).toBe(1);
    expect(await isGone(world)).toBe(true);
    expect(await find(world.remote, 'Node', 'w-0')).toBeDefined();
  });
});
