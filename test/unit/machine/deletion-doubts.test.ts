import { afterEach, describe, expect, test } from '@jest/globals';
import type { RequestInfo } from '../../../src/embedded/types.js';
import { at, change, find, machine, oldSaysOf, put, putMachine, putNode, putPod, remove } from './objects.js';
import {
  annotate,
  attach,
  deletingReason,
  deletions,
  evictions,
  hook,
  isGone,
  limits,
  pass,
  putApp,
  release,
  running,
  stay,
  type MachineOptions,
} from './running.js';
import type { Operator, World, WorldOptions } from './world.js';
import { breaking, calls } from './worlds.js';

const operators: Operator[] = [];
afterEach(() => {
  for (const operator of operators.splice(0)) operator.kill();
});
const begin = async (options?: MachineOptions, worldOptions?: WorldOptions): Promise<World> => {
  const { world, operator } = await running(options, worldOptions);
  operators.push(operator);
  return world;
};
const hold = (world: World, kind: 'InfraMachine' | 'KubeadmConfig'): Promise<void> =>
  change(world.user, kind, 'w-0', stay);
const isNodeThere = async (world: World): Promise<boolean> => (await find(world.remote, 'Node', 'w-0')) !== undefined;
const refuseInfrastructure = (world: World): void =>
  world.management.setFaults(breaking(calls('delete', 'inframachines'), { kind: 'status', code: 403 }));
const uncordon = (world: World): Promise<void> =>
  change(world.remote, 'Node', 'w-0', { spec: { unschedulable: false } });

describe('the deletion of the infrastructure is refused for a while', () => {
  test.each([
    ['v1.13', false],
    ['v1.14', true],
  ])(
    'beside Cluster API %s: Pods and volumes come back meanwhile -> they leave before it goes',
    async (_title, keepsHookTimes) => {
      const world = await begin({}, { keepsHookTimes });
      refuseInfrastructure(world);
      await remove(world);
      await pass(world, 60_000);
      expect(await oldSaysOf(world, 'PreTerminateDeleteHookSucceeded')).toBe('True');
      await uncordon(world);
      await putApp(world, 'database', stay);
      await attach(world, 'data');
      await pass(world, 120_000);
      world.management.setFaults(undefined);
      await pass(world, 600_000);
      expect(evictions(world)).toContain('database');
      expect(deletions(world)).toEqual([]);
      expect(await deletingReason(world)).toBe('DrainingNode');
    },
  );

  test('beside Cluster API v1.14, behind a hook that was waited for -> its Node is past its drain, as upstream remembers it', async () => {
    const world = await begin({ annotations: { [hook.preTerminate]: '' } }, { keepsHookTimes: true });
    await remove(world);
    expect(await deletingReason(world)).toBe('WaitingForPreTerminateHook');
    expect((await machine(world)).status?.deletion?.waitForPreTerminateHookStartTime).toBeDefined();
    refuseInfrastructure(world);
    await annotate(world, hook.preTerminate, null);
    await uncordon(world);
    await putApp(world, 'late');
    await pass(world, 60_000);
    world.management.setFaults(undefined);
    await pass(world, 1_000_000);
    expect(evictions(world)).toEqual([]);
    expect(await isGone(world)).toBe(true);
  });

  /** A control plane Machine of a KubeadmControlPlane whose hook is gone, or was never there. */
  const removeControlPlaneMachine = async (keepsHookTimes: boolean): Promise<World> => {
    const world = await begin({}, { keepsHookTimes });
    await put(world.user, 'InfraMachine', 'cp-1', {
      spec: { providerID: 'test://cp-1' },
      status: { initialization: { provisioned: true } },
    });
    const apiVersion = 'controlplane.cluster.x-k8s.io/v1beta2';
    await putMachine(world, 'cp-1', {
      labels: { 'cluster.x-k8s.io/control-plane': '' },
      ownerReferences: [{ apiVersion, kind: 'KubeadmControlPlane', name: 'c1-cp', uid: 'u', controller: true }],
      spec: { bootstrap: { dataSecretName: 'x' } },
    });
    await putNode(world, 'cp-1');
    await putPod(world, 'app', 'cp-1');
    await world.settle();
    await remove(world, 'cp-1');
    return world;
  };

  test.each([
    ['v1.13 -> not drained: its etcd member may be gone already', false, []],
    ['v1.14 -> drained like any other: no wait for a hook is recorded', true, ['app']],
  ])(
    'a control plane Machine without the hook of its KubeadmControlPlane, beside %s',
    async (_title, keeps, evicted) => {
      const world = await removeControlPlaneMachine(keeps);
      expect(evictions(world)).toEqual(evicted);
    },
  );
});

describe('a doubt about the management cluster right before the Node is deleted', () => {
  /** Breaks some calls from the moment on at which only the Node is left. */
  const beginLate = async (
    seconds: number,
    matches: (info: RequestInfo) => boolean,
    times = Infinity,
  ): Promise<{ readonly world: World; readonly broken: () => number }> => {
    const world = await begin(limits({ nodeDeletionTimeoutSeconds: seconds }));
    await hold(world, 'InfraMachine');
    await hold(world, 'KubeadmConfig');
    await remove(world);
    await pass(world, 60_000);
    await release(world, 'InfraMachine');
    expect(await deletingReason(world)).toBe('WaitingForBootstrapDeletion');
    let broken = 0;
    world.management.setFaults(
      breaking((info) => matches(info) && (broken += 1) <= times, {
        kind: 'status',
        code: 500,
        message: 'etcdserver: leader changed',
      }),
    );
    await release(world, 'KubeadmConfig');
    return { world, broken: () => broken };
  };

  test.each([
    ['of the Machine', calls('get', 'machines')],
    ['of the infrastructure object', calls('get', 'inframachines')],
    ['of the bootstrap object', calls('get', 'kubeadmconfigs')],
  ])(
    'one live read %s fails, and the time for the Node is over -> the Node is deleted all the same',
    async (_title, which) => {
      const { world, broken } = await beginLate(10, which, 1);
      await pass(world, 5_000);
      expect(broken()).toBeGreaterThan(0);
      expect(await isGone(world)).toBe(true);
      expect(await isNodeThere(world)).toBe(false);
    },
  );

  test('the reads fail for an hour, and the time for the Node is long over -> neither finalizer nor Node is given up', async () => {
    const { world } = await beginLate(10, calls('get', 'inframachines'));
    await pass(world, 3_600_000);
    expect(await isGone(world)).toBe(false);
    expect(await isNodeThere(world)).toBe(true);
    world.management.setFaults(undefined);
    await pass(world, 1_100_000);
    expect(await isGone(world)).toBe(true);
    expect(await isNodeThere(world)).toBe(false);
  });

  test.each([
    ['InfraMachine', 'inframachines', { spec: { providerID: 'test://w-0' } }],
    ['KubeadmConfig', 'kubeadmconfigs', { spec: { joinConfiguration: { nodeRegistration: { name: 'w-0' } } } }],
  ] as const)(
    '%s is there again, and no cache shows it yet -> the Node stays, and so does the finalizer',
    async (kind, resource, body) => {
      const world = await begin({ annotations: { [hook.preTerminate]: '' } });
      await remove(world);
      await world.user.delete(at(kind, 'w-0'));
      await world.settle();
      world.management.setFaults({
        watchEvent: (info, { type, object }) =>
          info.resource === resource && type !== 'DELETED' && object.metadata.name === 'w-0'
            ? { kind: 'delay', ms: 600_000 }
            : undefined,
      });
      await put(world.user, kind, 'w-0', body);
      await annotate(world, hook.preTerminate, null);
      await pass(world, 5_000);
      expect(await find(world.user, kind, 'w-0')).toBeDefined();
      expect(deletions(world)).not.toContain('nodes/w-0');
      expect(await isNodeThere(world)).toBe(true);
      expect(await isGone(world)).toBe(false);
      world.management.setFaults(undefined);
      world.management.store.closeWatches('gone');
      await pass(world, 1_100_000);
      expect(await find(world.user, kind, 'w-0')).toBeUndefined();
      expect(await isGone(world)).toBe(true);
      expect(await isNodeThere(world)).toBe(false);
    },
  );
});
