import { describe, expect, test } from '@jest/globals';
import {
  at,
  change,
  find,
  machine,
  nodeStatus,
  oldSaysOf,
  put,
  putMachine,
  putNode,
  putObjects,
  putRunning,
  remove,
  saysOf,
} from './objects.js';
import { againInMs, errorsOf, rowsOf, stateOf, useWorlds } from './worlds.js';

const start = useWorlds();
type Condition = { type: string; status: string; reason: string; message: string; lastTransitionTime: string };

/** The conditions of a Node with some of them changed. */
function conditions(changes: Readonly<Record<string, readonly [status: string, message: string]>>): Condition[] {
  return (nodeStatus()['conditions'] as Condition[]).map((each) => {
    const [status, message] = changes[each.type] ?? [each.status, each.message];
    return { ...each, status, message };
  });
}

const nodeCalls = (what: string, seen: readonly { cluster: string; what: string }[]) =>
  seen.filter((each) => each.cluster === 'workload' && each.what.startsWith(what));

describe('Machine: Node', () => {
  test('MA-040 no provider ID -> no Node is looked for, though one has the name of the Machine', async () => {
    const { world } = await start();
    await put(world.remote, 'Node', 'w-0', { spec: {}, status: nodeStatus() });
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0', { provisioned: false });
    await world.settle();
    const { status } = await machine(world);
    expect(status?.nodeRef).toBeUndefined();
    expect(status?.nodeInfo).toBeUndefined();
    expect(nodeCalls('nodes/', world.seen)).toEqual([]);
    expect(await saysOf(world, 'NodeReady')).toBe(
      'Unknown InspectionFailed Waiting for InfraMachine to report spec.providerID',
    );
    expect(await oldSaysOf(world, 'NodeHealthy')).toBe('False Info WaitingForNodeRef');
  });

  test('MA-041 a node reference -> the Node is found by provider ID, not by that name; the reference stays', async () => {
    const { world } = await start();
    await putRunning(world);
    await world.remote.delete(at('Node', 'w-0'));
    await put(world.remote, 'Node', 'w-0', { spec: { providerID: 'test://stranger' }, status: nodeStatus() });
    await putNode(world, 'renamed', {
      spec: { providerID: 'test://w-0' },
      status: { ...nodeStatus(), conditions: conditions({ Ready: ['False', 'kubelet stopped'] }) },
    });
    await world.clock.advance(1_000);
    await world.settle();
    const { status } = await machine(world);
    expect(status?.nodeRef).toEqual({ name: 'w-0' });
    expect(await saysOf(world, 'NodeReady')).toBe('False NodeNotReady * Node.Ready: kubelet stopped');
  });

  test('MA-042 no node reference -> the Node with exactly this provider ID in the workload cluster is found', async () => {
    const { world } = await start();
    await putNode(world, 'almost', { spec: { providerID: 'test://w-00' } });
    await putNode(world, 'the-one', { spec: { providerID: 'test://w-0' }, status: nodeStatus() });
    await put(world.user, 'Node', 'here', { spec: { providerID: 'test://w-0' } });
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0');
    await world.settle();
    expect((await machine(world)).status?.nodeRef).toEqual({ name: 'the-one' });
  });

  test('MA-043 no Node has the provider ID -> NodeHealthy is Unknown at once, and hours later too', async () => {
    const { world, operator } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0');
    await world.settle();
    const says = 'Unknown InspectionFailed Waiting for a Node with spec.providerID test://w-0 to exist';
    expect(await saysOf(world, 'NodeHealthy')).toBe(says);
    await world.clock.advance(7_200_000);
    await world.settle();
    expect(await saysOf(world, 'NodeHealthy')).toBe(says);
    expect((await machine(world)).status?.phase).toBe('Provisioned');
    expect(errorsOf(operator)).toEqual([]);
  });

  test('MA-044 no Node yet -> no timer; the Node that comes wakes the Machine', async () => {
    const { world, operator } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0');
    await world.settle();
    expect(againInMs(world, operator)).toBeNull();
    const looks = rowsOf(operator).length;
    await putNode(world, 'w-0');
    await world.settle();
    expect(rowsOf(operator).length).toBeGreaterThan(looks);
    expect((await machine(world)).status?.nodeRef).toEqual({ name: 'w-0' });
  });

  test('MA-045 the Node is found -> nodeRef and nodeInfo are set, and an Event says so, once', async () => {
    const { world, operator } = await start();
    await putRunning(world);
    const { status } = await machine(world);
    expect(status?.nodeRef).toEqual({ name: 'w-0' });
    expect(status?.nodeInfo).toMatchObject({ kubeletVersion: 'v1.36.0', osImage: 'img' });
    await change(world.remote, 'Node', 'w-0', {
      status: { nodeInfo: { ...(nodeStatus()['nodeInfo'] as object), osImage: 'newer' } },
    });
    await world.settle();
    expect((await machine(world)).status?.nodeInfo).toMatchObject({ osImage: 'newer' });
    expect(operator.events.filter(({ reason }) => reason === 'SuccessfulSetNodeRef')).toMatchObject([
      { type: 'Normal', message: 'w-0' },
    ]);
  });

  test('MA-046 labels of the Machine -> those of its domains go to the Node; what it takes back goes, what others put stays', async () => {
    const { world } = await start();
    await putNode(world, 'w-0', {
      metadata: { labels: { theirs: 'x', 'node.cluster.x-k8s.io/b': 'old' } },
      spec: { providerID: 'test://w-0' },
      status: nodeStatus(),
    });
    await putObjects(world, 'w-0');
    await putMachine(world, 'w-0', {
      labels: {
        foo: 'no',
        'company.xyz/node.cluster.x-k8s.io': 'no',
        'gpu-node.cluster.x-k8s.io/x': 'no',
        'node-role.kubernetes.io/worker': '',
        'a.node-restriction.kubernetes.io/x': '1',
        'node.cluster.x-k8s.io/b': 'new',
      },
    });
    await world.settle();
    const labels = async () => (await find(world.remote, 'Node', 'w-0'))?.metadata.labels;
    expect(await labels()).toEqual({
      theirs: 'x',
      'node-role.kubernetes.io/worker': '',
      'a.node-restriction.kubernetes.io/x': '1',
      'node.cluster.x-k8s.io/b': 'new',
    });
    await change(world.user, 'Machine', 'w-0', {
      metadata: { labels: { 'a.node-restriction.kubernetes.io/x': null } },
    });
    await world.settle();
    expect(await labels()).toEqual({
      theirs: 'x',
      'node-role.kubernetes.io/worker': '',
      'node.cluster.x-k8s.io/b': 'new',
    });
  });

  test('MA-047 annotations of the Machine -> those of its domain, and whose Node it is, go to the Node', async () => {
    const { world } = await start();
    await putRunning(world, 'w-0', { annotations: { 'node.cluster.x-k8s.io/a': '1', 'other/b': 'no' } });
    const annotations = (await find(world.remote, 'Node', 'w-0'))?.metadata.annotations;
    expect(annotations).toMatchObject({
      'node.cluster.x-k8s.io/a': '1',
      'cluster.x-k8s.io/cluster-name': 'c1',
      'cluster.x-k8s.io/cluster-namespace': 'default',
      'cluster.x-k8s.io/machine': 'w-0',
    });
    expect(annotations).not.toHaveProperty(['other/b']);
    expect(annotations).not.toHaveProperty(['cluster.x-k8s.io/owner-kind']);
  });

  test('MA-048 the conditions of the Node change -> NodeReady and NodeHealthy follow', async () => {
    const { world } = await start();
    await putRunning(world);
    expect(await saysOf(world, 'NodeReady')).toBe('True NodeReady');
    expect(await saysOf(world, 'NodeHealthy')).toBe('True NodeHealthy');
    await change(world.remote, 'Node', 'w-0', {
      status: { conditions: conditions({ Ready: ['False', 'kubelet stopped'] }) },
    });
    await world.settle();
    expect(await saysOf(world, 'NodeReady')).toBe('False NodeNotReady * Node.Ready: kubelet stopped');
    expect(await saysOf(world, 'NodeHealthy')).toBe('False NodeNotHealthy * Node.Ready: kubelet stopped');
  });

  test('MA-050 the Node vanishes in life -> an error; with the Node it is over', async () => {
    const { world, operator } = await start();
    await putRunning(world);
    await world.remote.delete(at('Node', 'w-0'));
    await world.settle();
    expect(errorsOf(operator)[0]).toBe(
      'no matching Node for Machine "w-0" in namespace "default": cannot find node with matching ProviderID',
    );
    expect(operator.host.isSettled).toBe(false);
    await putNode(world, 'w-0');
    await world.clock.advance(60_000);
    await world.settle();
    expect(operator.host.isSettled).toBe(true);
    expect(stateOf(operator)).toBe('Running');
  });

  test('MA-093 no Node -> no reference and no error; with the Node the reference is there', async () => {
    const { world, operator } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0');
    await world.settle();
    expect((await machine(world)).status?.nodeRef).toBeUndefined();
    expect(errorsOf(operator)).toEqual([]);
    expect(await oldSaysOf(world, 'NodeHealthy')).toBe(
      'False Warning NodeProvisioning Waiting for a node with matching ProviderID to exist',
    );
    await putNode(world, 'w-0');
    await world.settle();
    expect((await machine(world)).status?.nodeRef).toEqual({ name: 'w-0' });
  });

  test('MA-109 the Node vanishes in life -> failureMessage names it; it goes when the Node is back', async () => {
    const { world } = await start();
    await putRunning(world);
    await world.remote.delete(at('Node', 'w-0'));
    await world.settle();
    expect((await machine(world)).status?.deprecated?.v1beta1?.failureMessage).toBe(
      'Node w-0 has been deleted while the Machine still exists',
    );
    await putNode(world, 'w-0');
    await world.clock.advance(60_000);
    await world.settle();
    expect((await machine(world)).status?.deprecated?.v1beta1?.failureMessage).toBeUndefined();
    expect((await machine(world)).status?.phase).toBe('Running');
  });

  test('MA-110 the Node vanishes in life -> NodeHealthy is Unknown and tells it', async () => {
    const { world } = await start();
    await putRunning(world);
    await world.remote.delete(at('Node', 'w-0'));
    await world.settle();
    const says = 'Unknown NodeDeleted Node w-0 has been deleted while the Machine still exists';
    expect(await saysOf(world, 'NodeHealthy')).toBe(says);
    expect(await saysOf(world, 'NodeReady')).toBe(says);
    expect(await oldSaysOf(world, 'NodeHealthy')).toBe('False Error NodeNotFound');
  });

  test.each([
    ['True', 'ready', 'True NodeReady'],
    ['False', 'no network', 'False NodeNotReady * Node.Ready: no network'],
    [
      'Unknown',
      'Kubelet stopped posting node status.',
      'Unknown NodeReadyUnknown * Node.Ready: Kubelet stopped posting node status.',
    ],
    ['False', '', 'False NodeNotReady'],
  ])('MA-120 Ready of the Node is %s (%s) -> NodeReady %s', async (status, message, says) => {
    const { world } = await start();
    await putRunning(world);
    await change(world.remote, 'Node', 'w-0', { status: { conditions: conditions({ Ready: [status, message] }) } });
    await world.settle();
    expect(await saysOf(world, 'NodeReady')).toBe(says);
  });

  test('MA-120 Ready of the Node changes -> NodeReady has its transition time', async () => {
    const { world } = await start();
    await putRunning(world);
    const [first, ...others] = conditions({ Ready: ['False', 'x'] }).toReversed();
    await change(world.remote, 'Node', 'w-0', {
      status: { conditions: [...others, { ...first, lastTransitionTime: '2024-05-06T07:08:09Z' }] },
    });
    await world.settle();
    const { status } = await machine(world);
    expect(status?.conditions?.find(({ type }) => type === 'NodeReady')?.lastTransitionTime).toBe(
      '2024-05-06T07:08:09Z',
    );
  });

  test.each([
    ['all is well', {}, 'True NodeHealthy'],
    ['memory runs out', { MemoryPressure: ['True', 'low'] }, 'False NodeNotHealthy * Node.MemoryPressure: low'],
    [
      'two things are wrong',
      { DiskPressure: ['True', 'full'], Ready: ['False', 'off'] },
      'False NodeNotHealthy * Node.Ready: off\n* Node.DiskPressure: full',
    ],
    [
      'one is unknown',
      { PIDPressure: ['Unknown', ''] },
      'Unknown NodeHealthyUnknown * Node.PIDPressure: Condition is Unknown',
    ],
    [
      'one is wrong, one is unknown',
      { PIDPressure: ['Unknown', 'a'], DiskPressure: ['True', 'b'] },
      'False NodeNotHealthy * Node.DiskPressure: b\n* Node.PIDPressure: a',
    ],
    [
      'all tell one story',
      Object.fromEntries(
        ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'].map((type) => [
          type,
          ['Unknown', 'Kubelet stopped'] as const,
        ]),
      ),
      'Unknown NodeHealthyUnknown * Node.AllConditions: Kubelet stopped',
    ],
  ] as const)('MA-121 conditions of the Node: %s -> NodeHealthy sums them up', async (_what, changes, says) => {
    const { world } = await start();
    await putRunning(world);
    await change(world.remote, 'Node', 'w-0', { status: { conditions: conditions(changes as never) } });
    await world.settle();
    expect(await saysOf(world, 'NodeHealthy')).toBe(says);
  });

  test('MA-045 a Node that reports nothing of itself yet -> it is the reference, and status is written without nodeInfo', async () => {
    const { world, operator } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0');
    await put(world.remote, 'Node', 'w-0', { spec: { providerID: 'test://w-0' } });
    await world.settle();
    const { status } = await machine(world);
    expect([status?.nodeRef, status?.nodeInfo]).toEqual([{ name: 'w-0' }, undefined]);
    expect(errorsOf(operator)).toEqual([]);
  });

  test('MA-049 the Node is gone before the deletion -> the Machine goes all the same', async () => {
    const { world, operator } = await start();
    await putRunning(world);
    await world.user.mergePatch(at('Machine', 'w-0'), {
      metadata: { annotations: { 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/a': '' } },
    });
    await remove(world);
    await world.remote.delete(at('Node', 'w-0'));
    await world.settle();
    expect(await saysOf(world, 'NodeHealthy')).toBe('False NodeDeleted Node w-0 has been deleted');
    expect(errorsOf(operator)).toEqual([]);
    await world.user.mergePatch(at('Machine', 'w-0'), {
      metadata: { annotations: { 'pre-terminate.delete.hook.machine.cluster.x-k8s.io/a': null } },
    });
    await world.settle();
    expect(await find(world.user, 'Machine', 'w-0')).toBeUndefined();
  });
});
