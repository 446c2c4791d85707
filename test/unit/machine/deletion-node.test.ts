import { describe, expect, test } from '@jest/globals';
import type { KubeObject } from '../../../src/kube/contract.js';
import { definition, infrastructureGroup } from './definitions.js';
import {
  at,
  change,
  endPod,
  find,
  machine,
  oldSaysOf,
  put,
  putMachine,
  putNode,
  putObjects,
  remove,
  saysOf,
} from './objects.js';
import {
  annotate,
  attach,
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
  stay,
} from './running.js';
import type { Operator, World } from './world.js';

const eventsOf = (operator: Operator): string[] => operator.events.map(({ reason, message }) => `${reason} ${message}`);
const causes = (operator: Operator): unknown[] =>
  operator.logs.flatMap((line) =>
    String(line['msg']).startsWith('Skipping deletion of Kubernetes Node') ? [line['cause']] : [],
  );
const hold = (world: World, kind: 'InfraMachine' | 'KubeadmConfig'): Promise<void> =>
  change(world.user, kind, 'w-0', { metadata: { finalizers: ['example.com/cleanup'] } });
/** Breaks deletions of Nodes. */
const refuseNodes = (world: World, message = 'nodes are dear'): void =>
  world.workload.setFaults({
    request: ({ verb, resource }) =>
      verb === 'delete' && resource === 'nodes' ? { kind: 'status', code: 403, message } : undefined,
  });
const triesOf = (world: World): number =>
  world.seen.filter(({ verb, what }) => verb === 'delete' && what === 'nodes/w-0').length;

describe('a deletion from its begin to its end', () => {
  test('MA-133 everything in its way: each thing goes in turn -> hooks, drain, volumes, hooks, infrastructure, bootstrap, Node', async () => {
    const { world, operator } = await running({ annotations: { [hook.preDrain]: '', [hook.preTerminate]: '' } });
    await putApp(world, 'app');
    await attach(world, 'data');
    await hold(world, 'InfraMachine');
    await hold(world, 'KubeadmConfig');
    world.seen.length = 0;
    const steps: string[] = [];
    const note = async (): Promise<void> =>
      void steps.push(`${await deletingReason(world)}: ${deletions(world).join(' ')}`);
    await remove(world);
    await note();
    await annotate(world, hook.preDrain, null);
    await note();
    await endPod(world, 'app');
    await world.settle();
    await note();
    await world.remote.delete(at('VolumeAttachment', 'csi-data'));
    await nodeVolumes(world, []);
    await world.settle();
    await note();
    await annotate(world, hook.preTerminate, null);
    await note();
    await release(world, 'InfraMachine');
    await note();
    await release(world, 'KubeadmConfig');
    const [infra, bootstrap] = ['inframachines/default/w-0', 'kubeadmconfigs/default/w-0'];
    expect(steps).toEqual([
      'WaitingForPreDrainHook: ',
      'DrainingNode: ',
      'WaitingForVolumeDetach: ',
      'WaitingForPreTerminateHook: ',
      `WaitingForInfrastructureDeletion: ${infra}`,
      `WaitingForBootstrapDeletion: ${infra} ${bootstrap}`,
    ]);
    expect(deletions(world)).toEqual([infra, bootstrap, 'nodes/w-0']);
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });

  test('no bootstrap object to delete: data given by hand -> infrastructure, then Node', async () => {
    const { world, operator } = await running();
    await putObjects(world, 'w-1');
    await putMachine(world, 'w-1', { spec: { bootstrap: { dataSecretName: 'by-hand' } } });
    await putNode(world, 'w-1');
    await world.settle();
    world.seen.length = 0;
    await remove(world, 'w-1');
    expect(deletions(world)).toEqual(['inframachines/default/w-1', 'nodes/w-1']);
    operator.kill();
  });

  test.each([
    ['MA-023 the bootstrap object', 'KubeadmConfig', ['inframachines/default/w-0', 'nodes/w-0']],
    ['MA-030 the infrastructure object', 'InfraMachine', ['kubeadmconfigs/default/w-0', 'nodes/w-0']],
  ] as const)(
    '%s: gone before -> the deletion goes on without it, and without an error',
    async (_title, kind, deleted) => {
      const { world, operator } = await running({ annotations: { [hook.preTerminate]: '' } });
      await remove(world);
      await world.user.delete(at(kind, 'w-0'));
      await world.settle();
      expect(await deletingReason(world)).toBe('WaitingForPreTerminateHook');
      await annotate(world, hook.preTerminate, null);
      expect(deletions(world)).toEqual(deleted);
      expect(await isGone(world)).toBe(true);
      expect(operator.transitions.filter(({ event }) => event === 'EFFECT_FAILED')).toEqual([]);
      operator.kill();
    },
  );

  test('a finalizer of somebody else: -> all is cleaned up, the Machine stays and says that we are done', async () => {
    const { world, operator } = await running({ finalizers: ['example.com/mine'] });
    await remove(world);
    expect((await machine(world)).metadata.finalizers).toEqual(['example.com/mine']);
    expect(await saysOf(world, 'Deleting')).toBe('True DeletionCompleted Deletion completed');
    expect(await find(world.remote, 'Node', 'w-0')).toBeUndefined();
    const before = world.seen.length;
    await pass(world, 120_000);
    expect(world.seen.slice(before)).toEqual([]);
    operator.kill();
  });
});

describe('Nodes that are left alone', () => {
  test('the Cluster is being deleted: -> no drain, no hook before it, no deletion of the Node; hooks before the end count', async () => {
    const { world, operator } = await running({ annotations: { [hook.preDrain]: '', [hook.preTerminate]: '' } });
    await putApp(world, 'app');
    await change(world.user, 'Cluster', 'c1', { metadata: { finalizers: ['cluster.cluster.x-k8s.io'] } });
    await world.user.delete(at('Cluster', 'c1'));
    await remove(world);
    expect(await deletingReason(world)).toBe('WaitingForPreTerminateHook');
    await annotate(world, hook.preTerminate, null);
    expect(await isGone(world)).toBe(true);
    expect(evictions(world)).toEqual([]);
    expect(await find(world.remote, 'Node', 'w-0')).toBeDefined();
    expect(
      (await find<{ spec?: { unschedulable?: boolean } } & never>(world.remote, 'Node', 'w-0'))?.['spec'],
    ).not.toMatchObject({ unschedulable: true });
    expect(causes(operator)).toContain('cluster is being deleted');
    operator.kill();
  });

  test('the Cluster begins to be deleted while the Node is drained: -> the drain ends at once', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app', stay);
    await remove(world);
    expect(await deletingReason(world)).toBe('DrainingNode');
    await change(world.user, 'Cluster', 'c1', { metadata: { finalizers: ['cluster.cluster.x-k8s.io'] } });
    await world.user.delete(at('Cluster', 'c1'));
    await world.settle();
    expect(await isGone(world)).toBe(true);
    expect(await find(world.remote, 'Node', 'w-0')).toBeDefined();
    operator.kill();
  });

  test('the control plane is being deleted: -> the Node is left alone', async () => {
    const { world, operator } = await running();
    await change(world.user, 'KubeadmControlPlane', 'c1-cp', stay);
    await world.user.delete(at('KubeadmControlPlane', 'c1-cp'));
    await world.settle();
    await remove(world);
    expect(await isGone(world)).toBe(true);
    expect(await find(world.remote, 'Node', 'w-0')).toBeDefined();
    expect(causes(operator)).toContain('control plane is being deleted');
    operator.kill();
  });

  test('no control plane Machine lives: -> the Node of a worker is left alone', async () => {
    const { world, operator } = await running();
    await change(world.user, 'Machine', 'cp-0', { metadata: { finalizers: null } });
    await world.user.delete(at('Machine', 'cp-0'));
    await world.settle();
    await remove(world);
    expect(await find(world.remote, 'Node', 'w-0')).toBeDefined();
    expect(causes(operator)).toContain('no control plane members');
    operator.kill();
  });

  test('the last control plane Machine: -> its Node is left alone', async () => {
    const { world, operator } = await running();
    await put(world.user, 'InfraMachine', 'cp-0', {
      spec: { providerID: 'test://cp-0' },
      status: { initialization: { provisioned: true } },
    });
    await putNode(world, 'cp-0');
    await world.settle();
    await remove(world, 'cp-0');
    expect(await find(world.user, 'Machine', 'cp-0')).toBeUndefined();
    expect(await find(world.remote, 'Node', 'cp-0')).toBeDefined();
    expect(causes(operator)).toContain('last control plane member');
    operator.kill();
  });

  test('a control plane that is managed elsewhere: no control plane Machine -> the Node is drained and deleted', async () => {
    const hosted = { group: infrastructureGroup, kind: 'HostedControlPlane', plural: 'hostedcontrolplanes' };
    const { world, operator } = await running({}, { crds: [definition(hosted)] });
    await put(world.user, 'HostedControlPlane', 'far', { spec: {}, status: { externalManagedControlPlane: true } });
    const controlPlaneRef = { apiGroup: infrastructureGroup, kind: 'HostedControlPlane', name: 'far' };
    await change(world.user, 'Cluster', 'c1', { spec: { controlPlaneRef } });
    await change(world.user, 'Machine', 'cp-0', { metadata: { finalizers: null } });
    await world.user.delete(at('Machine', 'cp-0'));
    await world.settle();
    expect(await find(world.user, 'Machine', 'cp-0')).toBeUndefined();
    await remove(world);
    expect(await find(world.remote, 'Node', 'w-0')).toBeUndefined();
    operator.kill();
  });

  test('no Node was ever seen: -> infrastructure and bootstrap object go, nothing else is asked for', async () => {
    const { world, operator } = await running();
    await putObjects(world, 'w-1');
    await putMachine(world, 'w-1');
    await world.settle();
    await remove(world, 'w-1');
    expect(await find(world.user, 'Machine', 'w-1')).toBeUndefined();
    expect(causes(operator)).toContain('noderef is nil');
    operator.kill();
  });
});

describe('objects of a successor', () => {
  /** Somebody makes a Machine of the name again as soon as the operator asks for it: its cache shows the old one. */
  const replaceOnRead = (world: World): void => {
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const url = '/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines';
    const merge = { ...headers, 'content-type': 'application/merge-patch+json' };
    let isReplaced = false;
    world.management.setFaults({
      request({ verb, resource, userAgent }) {
        if (verb !== 'get' || resource !== 'machines' || isReplaced || userAgent === 'somebody') return undefined;
        isReplaced = true;
        const body = JSON.stringify({ metadata: { finalizers: null } });
        void world.management.handle({ method: 'PATCH', url: `${url}/w-0`, headers: merge, body });
        void world.management.handle({ method: 'POST', url, headers, body: JSON.stringify(successor) });
        return undefined;
      },
    });
  };
  const successor = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { name: 'w-0', namespace: 'default', labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
    spec: {
      clusterName: 'c1',
      bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name: 'w-0' } },
      infrastructureRef: { apiGroup: infrastructureGroup, kind: 'InfraMachine', name: 'w-0' },
    },
  };
  const disown = (world: World): Promise<void> =>
    change(world.user, 'KubeadmConfig', 'w-0', { metadata: { ownerReferences: null } });
  const ownerOf = async (world: World): Promise<string | undefined> =>
    (await find(world.user, 'KubeadmConfig', 'w-0'))?.metadata.ownerReferences?.[0]?.uid;

  test('an object without an owner while the Machine is on its way out -> it is taken', async () => {
    const { world, operator } = await running();
    await hold(world, 'InfraMachine');
    await remove(world);
    await disown(world);
    await world.settle();
    expect(await ownerOf(world)).toBe((await machine(world)).metadata.uid);
    operator.kill();
  });

  test('the Machine is gone and another has its name, which no cache shows yet -> its object goes to nobody else', async () => {
    const { world, operator } = await running();
    const { uid } = (await machine(world)).metadata;
    await hold(world, 'InfraMachine');
    await remove(world);
    replaceOnRead(world);
    await disown(world);
    await world.settle();
    expect((await machine(world)).metadata.uid).not.toBe(uid);
    expect(await ownerOf(world)).not.toBe(uid);
    operator.kill();
  });

  test('a bootstrap object has come again, which no cache shows yet -> the Node waits until it has gone', async () => {
    const { world } = await running();
    await hold(world, 'KubeadmConfig');
    await remove(world);
    expect(await deletingReason(world)).toBe('WaitingForBootstrapDeletion');
    world.seen.length = 0;
    world.management.setFaults({
      watchEvent: ({ resource }, { type }) =>
        resource === 'kubeadmconfigs' && type === 'ADDED' ? { kind: 'delay', ms: 5_000 } : undefined,
    });
    // The cache sees the first one go, and not yet that another one has come.
    const gone = change(world.user, 'KubeadmConfig', 'w-0', { metadata: { finalizers: null } });
    await Promise.all([gone, gone.then(() => put(world.user, 'KubeadmConfig', 'w-0', { spec: { verbosity: 1 } }))]);
    await world.settle();
    expect(await find(world.user, 'KubeadmConfig', 'w-0')).toBeDefined();
    expect(deletions(world)).toEqual([]);
    await pass(world, 60_000);
    expect(deletions(world)).toEqual(['kubeadmconfigs/default/w-0', 'nodes/w-0']);
    expect(await isGone(world)).toBe(true);
  });

  test('bootstrap object without an owner: another Machine has the name by now -> it is not deleted', async () => {
    const { world, operator } = await running();
    await hold(world, 'InfraMachine');
    await remove(world);
    await disown(world);
    replaceOnRead(world);
    world.seen.length = 0;
    await release(world, 'InfraMachine');
    expect(deletions(world)).toEqual([]);
    expect(await find(world.user, 'KubeadmConfig', 'w-0')).toBeDefined();
    operator.kill();
  });
});

describe('the Node that is deleted last', () => {
  test('the server refuses for 10 s: -> tried every 2 s, then an error with condition and Event', async () => {
    const { world, operator } = await running(limits({ nodeDeletionTimeoutSeconds: 3600 }));
    refuseNodes(world);
    await remove(world);
    expect(await find(world.user, 'KubeadmConfig', 'w-0')).toBeUndefined();
    await pass(world, 10_000);
    expect(triesOf(world)).toBe(6);
    expect(await saysOf(world, 'Deleting')).toBe(
      'True DeletingNode Error deleting Node, please check controller logs for errors',
    );
    expect(await oldSaysOf(world, 'NodeHealthy')).toMatch(/^False Warning DeletionFailed/);
    expect(eventsOf(operator)).toContain(
      "FailedDeleteNode error deleting Machine's Node: error deleting node w-0: nodes are dear",
    );
    world.workload.setFaults(undefined);
    await pass(world, 30_000);
    expect(await isGone(world)).toBe(true);
    expect(await find(world.remote, 'Node', 'w-0')).toBeUndefined();
    operator.kill();
  });

  test('another Node gets its name after it was looked at -> the deletion that is on its way spares it', async () => {
    const { world, operator } = await running();
    const headers = { accept: 'application/json', 'content-type': 'application/json' };
    const nodes = '/api/v1/nodes';
    const other = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'w-0' }, spec: { providerID: 'test://other' } };
    let isReplaced = false;
    world.workload.setFaults({
      request({ verb, resource }) {
        if (verb !== 'delete' || resource !== 'nodes' || isReplaced) return undefined;
        isReplaced = true;
        void world.workload.handle({ method: 'DELETE', url: `${nodes}/w-0`, headers });
        void world.workload.handle({ method: 'POST', url: nodes, headers, body: JSON.stringify(other) });
        return undefined;
      },
    });
    world.seen.length = 0;
    await remove(world);
    const tries = world.seen.filter(({ verb, what }) => verb === 'delete' && what === 'nodes/w-0');
    expect(isReplaced).toBe(true);
    expect(tries.map(({ status }) => status)).toEqual([409]);
    expect((await find<{ spec?: { providerID?: string } } & KubeObject>(world.remote, 'Node', 'w-0'))?.spec).toEqual(
      other.spec,
    );
    operator.kill();
  });

  test('time limit: 30 s after the Machine was deleted -> given up, the Node is left behind', async () => {
    const { world, operator } = await running(limits({ nodeDeletionTimeoutSeconds: 30 }));
    refuseNodes(world);
    await remove(world);
    await pass(world, 25_000);
    expect(await isGone(world)).toBe(false);
    await pass(world, 30_000);
    expect(await isGone(world)).toBe(true);
    expect(await find(world.remote, 'Node', 'w-0')).toBeDefined();
    operator.kill();
  });

  test('time limit: used up by a long drain -> one try of 10 s is made all the same', async () => {
    const { world, operator } = await running(limits({ nodeDeletionTimeoutSeconds: 10 }));
    await putApp(world, 'app', stay);
    await remove(world);
    await pass(world, 100_000);
    await endPod(world, 'app');
    await world.settle();
    expect(await isGone(world)).toBe(true);
    expect(await find(world.remote, 'Node', 'w-0')).toBeUndefined();
    operator.kill();
  });

  test('no time limit: 0 -> never given up', async () => {
    const { world, operator } = await running(limits({ nodeDeletionTimeoutSeconds: 0 }));
    refuseNodes(world);
    await remove(world);
    await pass(world, 600_000);
    expect(await isGone(world)).toBe(false);
    expect(await deletingReason(world)).toBe('DeletingNode');
    operator.kill();
  });

  test('404: somebody was faster -> the deletion ends well', async () => {
    const { world, operator } = await running({ annotations: { [hook.preTerminate]: '' } });
    await remove(world);
    await world.remote.delete(at('Node', 'w-0'));
    await world.settle();
    await annotate(world, hook.preTerminate, null);
    expect(await isGone(world)).toBe(true);
    expect(eventsOf(operator).filter((event) => event.startsWith('FailedDeleteNode'))).toEqual([]);
    operator.kill();
  });

  test('infrastructure stays: the Node is never deleted before it, however long it takes', async () => {
    const { world, operator } = await running(limits({ nodeDeletionTimeoutSeconds: 10 }));
    await hold(world, 'InfraMachine');
    await remove(world);
    await pass(world, 600_000);
    expect(deletions(world)).toEqual(['inframachines/default/w-0']);
    expect(await find(world.remote, 'Node', 'w-0')).toBeDefined();
    await release(world, 'InfraMachine');
    expect(await isGone(world)).toBe(true);
    operator.kill();
  });
});
