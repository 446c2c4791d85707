// Bugs that upstream's Machine controller once had in deletions, by the numbers of docs/upstream-bugs.md.
import { describe, expect, test } from '@jest/globals';
import { infrastructureGroup } from './definitions.js';
import {
  at,
  change,
  endPod,
  find,
  machine,
  nodeStatus,
  put,
  putBudget,
  putMachine,
  putNode,
  putPod,
  remove,
  saysOf,
} from './objects.js';
import {
  annotate,
  attach,
  attachVolume,
  deletingReason,
  deletions,
  evictions,
  hook,
  isGone,
  limits,
  nodeVolumes,
  pass,
  putApp,
  release,
  running,
  silence,
  stay,
} from './running.js';
import { createWorld, type World } from './world.js';

const cutOff = (world: World): void => {
  world.isReachable = false;
  silence(world);
};

describe('upstream bugs of deletions', () => {
  test.each(['WaitingForPreDrainHook', 'DrainingNode', 'WaitingForPreTerminateHook'])(
    'upstream bug 60: the operator restarts in %s, before the infrastructure is deleted -> the deletion goes on to its end',
    async (stage) => {
      const annotations = {
        ...(stage === 'WaitingForPreDrainHook' ? { [hook.preDrain]: '' } : {}),
        ...(stage === 'WaitingForPreTerminateHook' ? { [hook.preTerminate]: '' } : {}),
      };
      const { world, operator } = await running({ annotations });
      if (stage === 'DrainingNode') await putApp(world, 'app', stay);
      await remove(world);
      expect(await deletingReason(world)).toBe(stage);
      operator.kill();
      await change(world.user, 'Machine', 'w-0', { metadata: { annotations: null } });
      if (stage === 'DrainingNode') await endPod(world, 'app');
      const second = await world.start();
      await world.settle();
      expect(await isGone(world)).toBe(true);
      expect(deletions(world)).toEqual(['inframachines/default/w-0', 'kubeadmconfigs/default/w-0', 'nodes/w-0']);
      second.kill();
    },
  );

  test.each(['the Machine', 'the infrastructure object'])(
    'upstream bug 61: no nodeRef yet, the provider ID is on %s -> its Node is found, drained and deleted',
    async (where) => {
      const { world, operator } = await running();
      await putMachine(world, 'new', { spec: where === 'the Machine' ? { providerID: 'test://new' } : {} });
      await put(world.user, 'InfraMachine', 'new', { spec: {}, status: {} });
      await world.settle();
      operator.kill();
      if (where !== 'the Machine')
        await change(world.user, 'InfraMachine', 'new', { spec: { providerID: 'test://new' } });
      await putNode(world, 'new');
      await putPod(world, 'app', 'new');
      expect((await machine(world, 'new')).status?.nodeRef).toBeUndefined();
      await remove(world, 'new');
      const second = await world.start();
      await world.settle();
      expect(evictions(world)).toEqual(['app']);
      await endPod(world, 'app');
      await world.settle();
      expect(await find(world.remote, 'Node', 'new')).toBeUndefined();
      second.kill();
    },
  );

  test('upstream bug 62: a Node that does not answer -> a grace of 1 s, no wait for Pods or volumes that nobody will end', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app', stay);
    await attach(world, 'data', { node: false });
    await change(world.remote, 'Node', 'w-0', { status: nodeStatus('Unknown') });
    await world.settle();
    await remove(world);
    expect((await find(world.remote, 'Pod', 'app'))?.metadata).toMatchObject({ deletionGracePeriodSeconds: 1 });
    await pass(world);
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('upstream bug 62: a dead machine whose Pod has a budget -> the budget is named, the time limit ends it', async () => {
    const { world, operator } = await running(limits({ nodeDrainTimeoutSeconds: 60 }));
    await putApp(world, 'app');
    await putBudget(world, 'app-pdb', 'app', 0);
    await change(world.remote, 'Node', 'w-0', { status: nodeStatus('Unknown') });
    await world.settle();
    await remove(world);
    expect(await saysOf(world, 'Deleting')).toContain('The disruption budget app-pdb needs');
    await pass(world, 80_000);
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('upstream bug 63: drained and detached, a new Pod and a new volume come while a hook holds it -> neither is looked at again', async () => {
    const { world, operator } = await running({ annotations: { [hook.preTerminate]: '' } });
    await remove(world);
    expect(await deletingReason(world)).toBe('WaitingForPreTerminateHook');
    await putApp(world, 'late');
    await attach(world, 'late-data');
    await pass(world, 120_000);
    expect(await deletingReason(world)).toBe('WaitingForPreTerminateHook');
    expect(evictions(world)).toEqual([]);
    await annotate(world, hook.preTerminate, null);
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('upstream bug 63: the infrastructure is going, a new Pod comes -> the deletion does not go back to the drain', async () => {
    const { world, operator } = await running();
    await change(world.user, 'InfraMachine', 'w-0', stay);
    await remove(world);
    await putApp(world, 'late');
    await annotate(world, 'example.com/touched', 'yes');
    expect(await deletingReason(world)).toBe('WaitingForInfrastructureDeletion');
    expect(evictions(world)).toEqual([]);
    await release(world, 'InfraMachine');
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('upstream bug 63: a read of the infrastructure object fails while the Node is drained -> the drain is not skipped', async () => {
    const { world, operator } = await running({ annotations: { [hook.preTerminate]: '' } });
    await putApp(world, 'app', stay);
    await remove(world);
    const labels = { 'cluster.x-k8s.io/v1beta2': null };
    await change(world.user, 'CustomResourceDefinition', `inframachines.${infrastructureGroup}`, {
      metadata: { labels },
    });
    await pass(world);
    expect(await saysOf(world, 'InfrastructureReady')).toContain('Unknown InternalError');
    expect(deletions(world)).toEqual([]);
    expect(await find(world.remote, 'Pod', 'app')).toBeDefined();
    expect(await deletingReason(world)).toBe('DrainingNode');
    operator.kill();
  });

  test('upstream bug 64: only an attachment knows the volume, and one belongs to a Pod that stays -> the first alone is waited for', async () => {
    const { world, operator } = await running();
    await attach(world, 'data', { node: false });
    await attach(world, 'logs', { node: false });
    await putPod(world, 'stays', 'w-0', {
      metadata: { labels: { 'cluster.x-k8s.io/drain': 'skip' } },
      spec: { volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'logs' } }] },
    });
    await remove(world);
    expect((await saysOf(world, 'Deleting')).split('\n')[1]).toBe('* PersistentVolumeClaims: default/data');
    await world.remote.delete(at('VolumeAttachment', 'csi-data'));
    await nodeVolumes(world, []);
    await world.settle();
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('upstream bug 65: a control plane Machine of a KubeadmControlPlane, without its hook -> drained like any other', async () => {
    const { world, operator } = await running({}, { keepsHookTimes: true });
    await put(world.user, 'InfraMachine', 'cp-1', {
      spec: { providerID: 'test://cp-1' },
      status: { initialization: { provisioned: true } },
    });
    const owner = {
      apiVersion: 'controlplane.cluster.x-k8s.io/v1beta1',
      kind: 'KubeadmControlPlane',
      name: 'c1-cp',
      uid: 'u',
      controller: true,
    };
    await putMachine(world, 'cp-1', {
      labels: { 'cluster.x-k8s.io/control-plane': '' },
      ownerReferences: [owner],
      spec: { bootstrap: { dataSecretName: 'x' } },
    });
    await putNode(world, 'cp-1');
    await putPod(world, 'app', 'cp-1');
    await world.settle();
    await remove(world, 'cp-1');
    expect(evictions(world)).toEqual(['app']);
    expect(await saysOf(world, 'Deleting', 'cp-1')).toContain('DrainingNode');
    operator.kill();
  });

  test('upstream bug 65: an order, a skip, a wait and a static Pod on one Node -> each as its rule says', async () => {
    const { world, operator } = await running();
    const rule = (name: string, drain: object) =>
      put(world.user, 'MachineDrainRule', name, {
        spec: { drain, pods: [{ selector: { matchLabels: { app: name } } }] },
      });
    await rule('first', { behavior: 'Drain', order: -1 });
    await rule('skipped', { behavior: 'Skip' });
    await rule('job', { behavior: 'WaitCompleted' });
    for (const name of ['first', 'skipped', 'job', 'plain']) await putApp(world, name);
    await putApp(world, 'static', { metadata: { annotations: { 'kubernetes.io/config.mirror': 'x' } } });
    await remove(world);
    expect(evictions(world)).toEqual(['first']);
    await endPod(world, 'first');
    await world.settle();
    expect(evictions(world)).toEqual(['first', 'plain']);
    await endPod(world, 'plain');
    await world.settle();
    expect((await saysOf(world, 'Deleting')).split('\n').slice(1)).toEqual([
      '* Pod default/job: waiting for completion',
    ]);
    await endPod(world, 'job');
    await world.settle();
    expect(await isGone(world)).toBe(true);
    expect(await find(world.remote, 'Pod', 'skipped')).toBeDefined();
    operator.kill();
  });

  test('upstream bug 66: many changes of the Machine while its Node is drained -> one pass in 20 s, not one for each', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app');
    await putBudget(world, 'app', 'app', 0);
    await remove(world);
    for (let count = 0; count < 10; count += 1) await annotate(world, 'example.com/count', String(count));
    expect(evictions(world)).toHaveLength(1);
    operator.kill();
  });

  test('upstream bug 66: the drain began long ago by status.deletion, its condition is young -> the recorded time counts', async () => {
    const { world, operator } = await running(limits({ nodeDrainTimeoutSeconds: 600 }));
    await putApp(world, 'app');
    await putBudget(world, 'app', 'app', 0);
    operator.kill();
    await change(world.user, 'Machine', 'w-0', {
      status: { deletion: { nodeDrainStartTime: '2023-11-14T21:00:00Z' } },
    });
    await remove(world);
    const second = await world.start();
    await world.settle();
    expect(await isGone(world)).toBe(true);
    expect(evictions(world)).toEqual([]);
    second.kill();
  });

  test('upstream bug 67: the cluster is out of reach when its Node is to be deleted -> tried until the time limit, then left behind', async () => {
    const { world, operator } = await running({
      ...limits({ nodeDeletionTimeoutSeconds: 60 }),
      annotations: { [hook.preTerminate]: '' },
    });
    await remove(world);
    cutOff(world);
    await annotate(world, hook.preTerminate, null);
    await pass(world, 30_000);
    expect(await deletingReason(world)).toBe('DeletingNode');
    await pass(world, 120_000);
    expect(await isGone(world)).toBe(true);
    expect(await find(world.remote, 'Node', 'w-0')).toBeDefined();
    operator.kill();
  });

  test('upstream bug 68: the Cluster is being deleted and out of reach -> neither drain nor Node hold the Machine up', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app', stay);
    cutOff(world);
    await change(world.user, 'Cluster', 'c1', { metadata: { finalizers: ['cluster.cluster.x-k8s.io'] } });
    await world.user.delete(at('Cluster', 'c1'));
    await remove(world);
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('upstream bug 68: a Machine of a Cluster that never was -> it can be deleted', async () => {
    const world = createWorld();
    const operator = await world.start();
    await putMachine(world, 'w-0');
    await world.settle();
    await remove(world);
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('upstream bug 68: infrastructure and bootstrap object end slowly -> the Node and the finalizer wait for both', async () => {
    const { world, operator } = await running();
    await change(world.user, 'InfraMachine', 'w-0', stay);
    await change(world.user, 'KubeadmConfig', 'w-0', stay);
    await remove(world);
    await pass(world, 300_000);
    expect(deletions(world)).toEqual(['inframachines/default/w-0']);
    await release(world, 'InfraMachine');
    await pass(world, 300_000);
    expect(deletions(world)).toEqual(['inframachines/default/w-0', 'kubeadmconfigs/default/w-0']);
    expect(await find(world.remote, 'Node', 'w-0')).toBeDefined();
    await release(world, 'KubeadmConfig');
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('upstream bug 69: both objects have lost their owner -> they are deleted all the same, none is left behind', async () => {
    const { world, operator } = await running();
    operator.kill();
    for (const kind of ['InfraMachine', 'KubeadmConfig']) {
      await change(world.user, kind, 'w-0', { metadata: { ownerReferences: null } });
    }
    await remove(world);
    const second = await world.start();
    await world.settle();
    expect(await isGone(world)).toBe(true);
    expect(await find(world.user, 'InfraMachine', 'w-0')).toBeUndefined();
    expect(await find(world.user, 'KubeadmConfig', 'w-0')).toBeUndefined();
    second.kill();
  });

  test.each(['close', 'break', 'gone'] as const)(
    'upstream bug 70: all watches end (%s) while the infrastructure goes -> the Machine hears of it without a restart',
    async (how) => {
      const { world, operator } = await running();
      await change(world.user, 'InfraMachine', 'w-0', stay);
      await remove(world);
      expect(await deletingReason(world)).toBe('WaitingForInfrastructureDeletion');
      world.management.store.closeWatches(how);
      await change(world.user, 'InfraMachine', 'w-0', { metadata: { finalizers: null } });
      await pass(world, 5_000);
      expect(await isGone(world)).toBe(true);
      operator.kill();
    },
  );

  test('upstream bug 70: all watches of the workload cluster end while Pods and volumes go -> heard of without a restart', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app');
    await attachVolume(world, 'data');
    await remove(world);
    world.workload.store.closeWatches('break');
    await endPod(world, 'app');
    await pass(world, 5_000);
    expect(await deletingReason(world)).toBe('WaitingForVolumeDetach');
    world.workload.store.closeWatches('gone');
    await world.remote.delete(at('VolumeAttachment', 'csi-data'));
    await pass(world, 5_000);
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });
});
