import { describe, expect, test } from '@jest/globals';
import type { StoredMachine } from '../../../src/controllers/machine/objects.js';
import { definition, infrastructureGroup } from './definitions.js';
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
} from './objects.js';
import { annotate, deletingReason, hook, pass, putApp, running, stay, writes } from './running.js';
import type { World } from './world.js';
import { breaking, calls, errorsOf, useWorlds } from './worlds.js';

const start = useWorlds();
const ready = (message: string) => ({
  conditions: [{ type: 'Ready', status: 'False', reason: 'Busy', message, lastTransitionTime: '2024-02-03T04:05:06Z' }],
});

/** Lets somebody write to the Machine just before the operator's first patch of it arrives. */
function meanwhile(world: World, subresource: string, write: object): () => number {
  let count = 0;
  const isPatch = calls('patch', 'machines', subresource);
  world.management.setFaults({
    request(info) {
      if (!info.userAgent.startsWith('operator-under-test') || !isPatch(info) || info.name !== 'w-0') return undefined;
      count += 1;
      if (count === 1) void world.user.mergePatch(at('Machine', 'w-0'), write);
      return undefined;
    },
  });
  return () => count;
}

describe('Machine: the generation that is said to be observed', () => {
  test('spec changes while the status is written -> the generation that was looked at, in status and in each condition', async () => {
    const { world } = await start();
    await putRunning(world);
    const evaluated = (await machine(world)).metadata.generation ?? 0;
    const seen: StoredMachine[] = [];
    const stop = world.management.store.subscribe(({ object, resource: of }) => {
      if (of.endsWith('/machines') && object.metadata.name === 'w-0') seen.push(object as unknown as StoredMachine);
    });
    const count = meanwhile(world, 'status', { spec: { readinessGates: [{ conditionType: 'MyGate' }] } });
    await change(world.user, 'InfraMachine', 'w-0', { status: ready('one') });
    await world.settle();
    stop();
    expect(count()).toBeGreaterThan(1);
    const says = ({ status }: StoredMachine): string =>
      status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '';
    const unaware = seen.filter(
      (each) => each.metadata.generation === evaluated + 1 && says(each) !== '' && !says(each).includes('MyGate'),
    );
    expect(unaware.length).toBeGreaterThan(0);
    for (const { status } of unaware) {
      expect(status?.observedGeneration).toBe(evaluated);
      const generations = (status?.conditions ?? []).flatMap(({ observedGeneration = [] }) => observedGeneration);
      expect(Math.max(...generations)).toBe(evaluated);
    }
    const after = await machine(world);
    expect(after.status?.observedGeneration).toBe(evaluated + 1);
    expect(says(after)).toContain('MyGate');
  });
});

describe('Machine: writes beside those of others', () => {
  test('somebody adds a finalizer while ours is added -> both stay', async () => {
    const { world } = await start();
    const count = meanwhile(world, '', { metadata: { finalizers: ['example.com/mine'] } });
    await putObjects(world, 'w-0');
    await putMachine(world, 'w-0');
    await world.settle();
    expect(count()).toBeGreaterThan(1);
    const { finalizers = [] } = (await machine(world)).metadata;
    expect(finalizers.toSorted()).toEqual(['example.com/mine', 'machine.cluster.x-k8s.io']);
  });

  test('a finalizer of somebody else goes while ours is removed -> refused by its version, and the Machine goes', async () => {
    const { world, operator } = await running({
      finalizers: ['example.com/mine'],
      annotations: { [hook.preTerminate]: '' },
    });
    await remove(world);
    const refused: number[] = [];
    let isChanged = false;
    world.management.setFaults({
      request(info) {
        if (!info.userAgent.startsWith('operator-under-test') || !calls('patch', 'machines')(info) || isChanged)
          return undefined;
        isChanged = true;
        void world.user.mergePatch(at('Machine', 'w-0'), { metadata: { finalizers: ['machine.cluster.x-k8s.io'] } });
        return undefined;
      },
    });
    await annotate(world, hook.preTerminate, null);
    await pass(world, 5_000);
    refused.push(
      ...world.seen
        .filter(({ verb, what }) => verb === 'patch' && what === 'machines/default/w-0')
        .map(({ status }) => status),
    );
    expect(refused).toContain(409);
    expect(await find(world.user, 'Machine', 'w-0')).toBeUndefined();
    operator.kill();
  });

  test('MA-066 a drain begins -> its start and the deprecated conditions are written together, before the first eviction', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app', stay);
    const states: string[] = [];
    const stop = world.management.store.subscribe(({ object, resource: of }) => {
      const { metadata, status } = object as unknown as StoredMachine;
      if (!of.endsWith('/machines') || metadata.name !== 'w-0') return;
      const draining = status?.deprecated?.v1beta1?.conditions?.find(({ type }) => type === 'DrainingSucceeded');
      const summary = status?.deprecated?.v1beta1?.conditions?.find(({ type }) => type === 'Ready');
      const begun = status?.deletion?.nodeDrainStartTime !== undefined;
      states.push(`${begun} ${draining?.message ?? 'none'} ${summary?.reason ?? 'none'}`);
    });
    await remove(world);
    stop();
    const [first] = states.filter((state) => state.startsWith('true'));
    expect(first).toBe('true Draining the node before deletion Draining');
    operator.kill();
  });

  test('a drain begins while somebody writes to the Machine -> its start is written all the same', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app', stay);
    const count = meanwhile(world, 'status', { metadata: { annotations: { 'example.com/touched': 'yes' } } });
    await remove(world);
    expect(count()).toBeGreaterThan(1);
    expect((await machine(world)).status?.deletion?.nodeDrainStartTime).toBeDefined();
    expect(await oldSaysOf(world, 'DrainingSucceeded')).toContain('Drain not completed yet');
    expect(operator.effects.some(({ request, failure }) => request === 'drainNode' && failure !== null)).toBe(false);
    operator.kill();
  });
});

describe('Machine: what is told of phases that fail in a deletion', () => {
  test('the Node cannot be brought in line while its Pods are waited for -> each such look is an error in the log', async () => {
    const { world, operator } = await running();
    await putApp(world, 'app', stay);
    await remove(world);
    expect(await deletingReason(world)).toBe('DrainingNode');
    world.workload.setFaults(breaking(calls('patch', 'nodes'), { kind: 'status', code: 403, message: 'not for you' }));
    await change(world.remote, 'Node', 'w-0', { metadata: { annotations: { 'cluster.x-k8s.io/machine': 'other' } } });
    operator.logs.length = 0;
    await pass(world, 60_000);
    const failed = operator.effects.filter(({ request, failure }) => request === 'syncNode' && failure !== null);
    expect(failed.length).toBeGreaterThan(0);
    expect(errorsOf(operator).filter((text) => text.includes('not for you')).length).toBeGreaterThan(0);
    operator.kill();
  });

  test('MA-014 certificates of a control plane Machine on its way out: renewed while it is drained -> the date follows', async () => {
    const { world, operator } = await running({
      labels: { 'cluster.x-k8s.io/control-plane': '' },
      annotations: { 'machine.cluster.x-k8s.io/certificates-expiry': '2030-01-01T00:00:00Z' },
    });
    await putApp(world, 'app', stay);
    await remove(world);
    expect(await deletingReason(world)).toBe('DrainingNode');
    const dateOf = async () => (await machine(world)).status?.certificatesExpiryDate;
    expect(await dateOf()).toBe('2030-01-01T00:00:00Z');
    await annotate(world, 'machine.cluster.x-k8s.io/certificates-expiry', '2031-01-01T00:00:00Z');
    expect(await dateOf()).toBe('2031-01-01T00:00:00Z');
    operator.kill();
  });
});

describe('Machine: what is taken from a Node', () => {
  test('a field of nodeInfo that Machines do not have -> not copied: what is settled costs no write', async () => {
    const { world } = await start();
    await putRunning(world);
    const { nodeInfo, ...status } = nodeStatus();
    const more = { ...(nodeInfo as object), runtimeClasses: 'new', swap: { capacity: 5, used: 1 } };
    await change(world.remote, 'Node', 'w-0', { status: { ...status, nodeInfo: more } });
    await world.settle();
    expect((await machine(world)).status?.nodeInfo).toMatchObject({ kubeletVersion: 'v1.36.0', swap: { capacity: 5 } });
    world.seen.length = 0;
    for (const value of ['1', '2', '3']) await annotate(world, 'example.com/touched', value);
    expect(writes(world)).toEqual([]);
  });

  test('a Machine on its way out that never had a provider ID of its own -> it learns the name of its Node, and tells nobody', async () => {
    const { world, operator } = await start();
    await putObjects(world, 'w-0', { provisioned: false });
    await putMachine(world, 'w-0', {
      annotations: { [hook.preTerminate]: '' },
      labels: { 'node.cluster.x-k8s.io/a': 'b' },
    });
    await world.settle();
    await remove(world);
    await putNode(world, 'w-0');
    await change(world.user, 'InfraMachine', 'w-0', { spec: { providerID: 'test://w-0' } });
    await world.settle();
    const { spec, status } = await machine(world);
    expect([spec.providerID, status?.nodeRef]).toEqual([undefined, { name: 'w-0' }]);
    expect(operator.events.map(({ reason }) => reason)).not.toContain('SuccessfulSetNodeRef');
    expect((await find(world.remote, 'Node', 'w-0'))?.metadata.labels).toBeUndefined();
  });
});

describe('Machine: objects of a provider', () => {
  test.each([
    ['BootstrapConfigReady', 'KubeadmConfig', 'bootstrap'],
    ['InfrastructureReady', 'LooseMachine', 'infrastructure'],
  ])(
    '%s: a failure field of a wrong type, data and Node there -> Unknown, and the error names it',
    async (type, kind) => {
      const loose = { group: infrastructureGroup, kind: 'LooseMachine', plural: 'loosemachines' };
      const { world, operator } = await start({ crds: [definition(loose)] });
      await put(world.user, 'LooseMachine', 'w-0', {
        spec: { providerID: 'test://w-0' },
        status: { initialization: { provisioned: true } },
      });
      if (kind === 'KubeadmConfig')
        await put(world.user, 'LooseMachine', 'config', {
          spec: {},
          status: { dataSecretName: 's', initialization: { dataSecretCreated: true } },
        });
      const loosely = (name: string) => ({ apiGroup: infrastructureGroup, kind: 'LooseMachine', name });
      await putObjects(world, 'w-0');
      await putMachine(world, 'w-0', {
        spec: {
          infrastructureRef: loosely('w-0'),
          ...(kind === 'KubeadmConfig' ? { bootstrap: { configRef: loosely('config') } } : {}),
        },
      });
      await putNode(world, 'w-0');
      await world.settle();
      const of = (await machine(world)).status?.conditions?.find((each) => each.type === type);
      expect(of?.status).toBe('True');
      await change(world.user, 'LooseMachine', kind === 'KubeadmConfig' ? 'config' : 'w-0', {
        status: { failureReason: 7 },
      });
      await world.settle();
      const { status } = await machine(world);
      expect(status?.conditions?.find((each) => each.type === type)).toMatchObject({
        status: 'Unknown',
        reason: 'InternalError',
      });
      expect(errorsOf(operator).at(-1)).toContain('failed to determine failureReason');
    },
  );
});
