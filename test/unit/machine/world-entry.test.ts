import { describe, expect, test } from '@jest/globals';
import {
  at,
  change,
  find,
  machine,
  put,
  putMachine,
  putNode,
  putObjects,
  putRunning,
  remove,
  saysOf,
} from './objects.js';
import { machineDeployment, machineSet, ofSet, putOwners, setReference } from './owners.js';
import { againInMs, breaking, calls, errorsOf, rowsOf, stateOf, useWorlds, writesOf } from './worlds.js';

const start = useWorlds();

describe('Machine: whose Machine it is, and whether it may be worked on', () => {
  test('MA-001 from nothing to a Node and back to nothing -> every phase in its turn, and nothing is left', async () => {
    const { world } = await start();
    const phases: unknown[] = [];
    world.management.store.subscribe(({ object, resource }) => {
      const { phase } = (object['status'] ?? {}) as { phase?: string };
      if (resource === 'cluster.x-k8s.io/machines' && object.metadata.name === 'w-0' && phase !== phases.at(-1))
        phases.push(phase);
    });
    await putMachine(world, 'w-0');
    await world.settle();
    await putObjects(world, 'w-0', { provisioned: false });
    await world.settle();
    await change(world.user, 'InfraMachine', 'w-0', {
      spec: { providerID: 'test://w-0' },
      status: { initialization: { provisioned: true } },
    });
    await world.settle();
    await putNode(world, 'w-0');
    await world.settle();
    await remove(world);
    expect(phases).toEqual(['Pending', 'Provisioning', 'Provisioned', 'Running', 'Deleting']);
    for (const kind of ['Machine', 'InfraMachine', 'KubeadmConfig'])
      expect(await find(world.user, kind, 'w-0')).toBeUndefined();
    expect(await find(world.remote, 'Node', 'w-0')).toBeUndefined();
  });

  test('MA-002 a new Machine with everything to do -> finalizer, then Paused, then owners, then its objects', async () => {
    const { world, operator } = await start();
    await world.user.mergePatch(at('Cluster', 'c1'), { spec: { paused: true } });
    await putObjects(world, 'w-0');
    world.seen.length = 0;
    await putMachine(world, 'w-0', { labels: ofSet, ownerReferences: [{ ...setReference, uid: 'u' }] });
    await world.settle();
    expect(writesOf(world)).toEqual(['patch machines/default/w-0', 'patch machines/default/w-0/status']);
    await world.user.mergePatch(at('Cluster', 'c1'), { spec: { paused: false } });
    await world.settle();
    expect(world.seen.map(({ verb, what }) => `${verb} ${what}`)).toContain('get machinesets/default/ms');
    expect(rowsOf(operator)).not.toContain('M07');
    await put(world.user, 'MachineDeployment', 'md', machineDeployment);
    await put(world.user, 'MachineSet', 'ms', machineSet);
    await world.settle();
    expect(rowsOf(operator).filter((row) => ['M02', 'M03', 'M04', 'M07'].includes(row))).toEqual(
      expect.arrayContaining(['M02', 'M03', 'M04', 'M07']),
    );
    const firsts = ['M02', 'M03', 'M04', 'M07'].map((row) => rowsOf(operator).indexOf(row));
    expect(firsts).toEqual(firsts.toSorted((one, other) => one - other));
  });

  test('MA-003 a key without a Machine -> no work, no error, no next look', async () => {
    const { world, operator } = await start();
    world.seen.length = 0;
    operator.host.wake('default/nobody', { kind: 'sync' });
    await world.settle();
    expect(operator.host.keys()).not.toContain('default/nobody');
    expect(rowsOf(operator, 'nobody')).toEqual([]);
    expect(world.seen).toEqual([]);
    expect(errorsOf(operator)).toEqual([]);
    expect(operator.host.isSettled).toBe(true);
  });

  test('MA-004 a Machine that cannot be read when it must be -> tried again, and nothing is done meanwhile', async () => {
    const { world, operator } = await start();
    await putRunning(world);
    let isWritten = false;
    world.management.setFaults({
      request: (info) => {
        if (!info.userAgent.startsWith('operator-under-test') || info.resource !== 'machines') return undefined;
        if (info.verb === 'list') return { kind: 'status', code: 500 };
        if (info.verb !== 'patch' || isWritten) return undefined;
        isWritten = true;
        return { kind: 'drop-after' };
      },
    });
    await change(world.user, 'InfraMachine', 'w-0', {
      status: { addresses: [{ type: 'InternalIP', address: '10.0.0.1' }] },
    });
    await world.settle();
    expect(isWritten).toBe(true);
    const looks = rowsOf(operator).length;
    world.seen.length = 0;
    await change(world.user, 'InfraMachine', 'w-0', {
      status: { addresses: [{ type: 'InternalIP', address: '10.0.0.2' }] },
    });
    await world.clock.advance(20_000);
    await world.settle();
    const failed = world.seen.filter(
      ({ verb, what, status }) => `${verb} ${what}` === 'list machines/default' && status === 500,
    );
    expect(failed.length).toBeGreaterThan(2);
    expect(writesOf(world)).toEqual([]);
    expect(rowsOf(operator)).toHaveLength(looks);
    world.management.setFaults(undefined);
    await world.clock.advance(60_000);
    await world.settle();
    expect((await machine(world)).status?.addresses).toEqual([{ type: 'InternalIP', address: '10.0.0.2' }]);
  });

  test('MA-005 a Machine without the finalizer -> it is added to what is there, and the pass ends', async () => {
    const { world, operator } = await start();
    await putObjects(world, 'w-0');
    world.management.setFaults(breaking(calls('patch', 'machines', 'status'), { kind: 'status', code: 403 }));
    world.seen.length = 0;
    await putMachine(world, 'w-0', { finalizers: ['somebody/else'] });
    await world.settle();
    expect((await machine(world)).metadata.finalizers).toEqual(['somebody/else', 'machine.cluster.x-k8s.io']);
    expect(writesOf(world)[0]).toBe('patch machines/default/w-0');
    expect(rowsOf(operator).slice(0, 2)).toEqual(['M02', 'M10']);
    expect(operator.effects.filter(({ key }) => key === 'default/w-0')[0]).toMatchObject({
      request: 'addFinalizer',
      result: 'FINALIZER_ADDED',
    });
  });

  test('MA-006 the finalizer cannot be added -> an error, tried again with growing waits', async () => {
    const { world, operator } = await start();
    world.management.setFaults(
      breaking(calls('patch', 'machines'), { kind: 'status', code: 403, message: 'no finalizers today' }),
    );
    await putMachine(world, 'w-0');
    await world.clock.advance(1_000);
    await world.settle();
    expect(rowsOf(operator).slice(0, 4)).toEqual(['M02', 'M83', 'M02', 'M83']);
    expect(new Set(rowsOf(operator))).toEqual(new Set(['M02', 'M83']));
    expect(errorsOf(operator)[0]).toContain('no finalizers today');
    world.management.setFaults(undefined);
    await world.clock.advance(10_000);
    await world.settle();
    expect((await machine(world)).metadata.finalizers).toEqual(['machine.cluster.x-k8s.io']);
  });

  test('MA-007 lines of a Machine in a MachineSet of a MachineDeployment -> name it, its Cluster and both owners', async () => {
    const { world, operator } = await start();
    await putRunning(world, 'w-0', {
      ...(await putOwners(world)),
      annotations: { 'pre-drain.delete.hook.machine.cluster.x-k8s.io/a': '' },
    });
    await remove(world);
    expect(operator.logs).toContainEqual(
      expect.objectContaining({
        msg: 'Waiting for pre-drain hooks to succeed',
        Machine: 'default/w-0',
        Cluster: 'default/c1',
        MachineSet: 'default/ms',
        MachineDeployment: 'default/md',
      }),
    );
    const lines = operator.logs.filter(({ Machine }) => Machine === 'default/w-0');
    expect(lines.filter((line) => line['MachineSet'] !== 'default/ms')).toEqual([]);
  });

  test('MA-008 a Cluster that is not there -> an error that names it; with the Cluster work starts', async () => {
    const { world, operator } = await start({ cluster: null });
    await putMachine(world, 'w-0');
    await world.settle();
    expect((await machine(world)).metadata.finalizers).toBeUndefined();
    expect(errorsOf(operator)[0]).toContain('failed to get Cluster default/c1');
    expect(new Set(rowsOf(operator))).toEqual(new Set(['M01', 'M81']));
  });

  test('MA-009 the pause annotation -> Paused is True and says so, and nothing else is done', async () => {
    const { world } = await start();
    await putObjects(world, 'w-0');
    await putMachine(world, 'w-0', { annotations: { 'cluster.x-k8s.io/paused': '' } });
    await world.settle();
    expect(await saysOf(world, 'Paused')).toBe('True Paused Machine has the cluster.x-k8s.io/paused annotation');
    expect((await machine(world)).status?.phase).toBeUndefined();
    expect((await find(world.user, 'InfraMachine', 'w-0'))?.metadata.ownerReferences).toBeUndefined();
  });

  test('MA-010 a paused Cluster -> Paused is True and says so; unpaused again it is False and work goes on', async () => {
    const { world } = await start();
    await world.user.mergePatch(at('Cluster', 'c1'), { spec: { paused: true } });
    await putObjects(world, 'w-0');
    await putMachine(world, 'w-0');
    await world.settle();
    expect(await saysOf(world, 'Paused')).toBe('True Paused Cluster spec.paused is set to true');
    expect((await find(world.user, 'InfraMachine', 'w-0'))?.metadata.ownerReferences).toBeUndefined();
    await world.user.mergePatch(at('Cluster', 'c1'), { spec: { paused: false } });
    await world.settle();
    expect(await saysOf(world, 'Paused')).toBe('False NotPaused');
    expect((await machine(world)).status?.phase).toBe('Provisioned');
  });

  test('MA-011 Paused cannot be written -> an error, tried again, and nothing else is done', async () => {
    const { world, operator } = await start();
    await putObjects(world, 'w-0');
    world.management.setFaults(
      breaking(calls('patch', 'machines', 'status'), { kind: 'status', code: 403, message: 'no status today' }),
    );
    await putMachine(world, 'w-0', { annotations: { 'cluster.x-k8s.io/paused': '' } });
    await world.clock.advance(1_000);
    await world.settle();
    expect(rowsOf(operator).filter((row) => row === 'M03').length).toBeGreaterThan(2);
    expect(errorsOf(operator)[0]).toContain('no status today');
    expect(operator.host.isSettled).toBe(false);
    expect((await find(world.user, 'InfraMachine', 'w-0'))?.metadata.ownerReferences).toBeUndefined();
    world.management.setFaults(undefined);
    await world.clock.advance(60_000);
    await world.settle();
    expect(await saysOf(world, 'Paused')).toBe('True Paused Machine has the cluster.x-k8s.io/paused annotation');
    expect(againInMs(world, operator)).toBeNull();
  });

  test('MA-012 an owner that is not there -> no phase runs; with it all do', async () => {
    const { world, operator } = await start();
    await putObjects(world, 'w-0');
    await putMachine(world, 'w-0', { labels: ofSet, ownerReferences: [{ ...setReference, uid: 'u' }] });
    await world.settle();
    expect(errorsOf(operator)[0]).toContain('failed to retrieve owner MachineSet for Machine default/w-0');
    expect((await find(world.user, 'KubeadmConfig', 'w-0'))?.metadata.ownerReferences).toBeUndefined();
    await put(world.user, 'MachineSet', 'ms', machineSet);
    await world.settle();
    expect(errorsOf(operator).at(-1)).toContain('failed to retrieve owner MachineDeployment for MachineSet default/ms');
    expect((await find(world.user, 'KubeadmConfig', 'w-0'))?.metadata.ownerReferences).toBeUndefined();
    await put(world.user, 'MachineDeployment', 'md', machineDeployment);
    await world.settle();
    expect((await find(world.user, 'KubeadmConfig', 'w-0'))?.metadata.ownerReferences).toHaveLength(1);
  });

  test('MA-013 a deletion timestamp decides -> without it life, with it deletion', async () => {
    const { world, operator } = await start();
    await putRunning(world, 'w-0', { annotations: { 'pre-drain.delete.hook.machine.cluster.x-k8s.io/a': '' } });
    expect(stateOf(operator)).toBe('Running');
    await remove(world);
    expect(stateOf(operator)).toEqual({ Deleting: 'PreDrainHooks' });
    const before = rowsOf(operator).length;
    await change(world.user, 'InfraMachine', 'w-0', { metadata: { annotations: { poke: '1' } } });
    await world.settle();
    expect(rowsOf(operator).slice(before)).toEqual(['M42']);
  });

  test('MA-014 each of four phases fails -> the ones behind it get their work done, and the pass is an error', async () => {
    const { world, operator } = await start();
    await put(world.user, 'KubeadmConfig', 'w-0', {
      metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u', controller: true }] },
    });
    await put(world.user, 'InfraMachine', 'w-0', {
      spec: { providerID: 'test://w-0' },
      status: { initialization: { provisioned: true } },
    });
    await putNode(world, 'w-0');
    world.seen.length = 0;
    await putMachine(world, 'w-0', {
      labels: { 'cluster.x-k8s.io/control-plane': '', 'node.cluster.x-k8s.io/x': 'y' },
    });
    await world.settle();
    expect(errorsOf(operator)[0]).toContain('already owned by another Pod controller p');
    expect((await find(world.user, 'InfraMachine', 'w-0'))?.metadata.ownerReferences).toHaveLength(1);
    expect((await find(world.remote, 'Node', 'w-0'))?.metadata.labels).toMatchObject({
      'node.cluster.x-k8s.io/x': 'y',
    });
    const phases = ['openWatches', 'patchMachine', 'adoptBootstrap', 'adoptInfrastructure', 'syncNode'];
    const asked = operator.effects.filter(({ key }) => key === 'default/w-0').map(({ request }) => request);
    const firsts = phases.map((phase) => asked.indexOf(phase));
    expect(firsts.every((index) => index >= 0)).toBe(true);
    expect(operator.host.isSettled).toBe(false);
  });

  test('MA-015 marked for an update in place -> looked at after all phases, and never in a deletion', async () => {
    const { world, operator } = await start();
    await putObjects(world, 'w-0');
    await putNode(world, 'w-0');
    await putMachine(world, 'w-0', {
      annotations: {
        'in-place-updates.internal.cluster.x-k8s.io/update-in-progress': '',
        'pre-drain.delete.hook.machine.cluster.x-k8s.io/a': '',
      },
    });
    await world.settle();
    expect((await machine(world)).status?.phase).toBe('Updating');
    const rows = rowsOf(operator);
    const phases = rows.slice(rows.lastIndexOf('M10') + 1, rows.indexOf('M23'));
    expect(phases).toEqual(expect.arrayContaining(['M05', 'M06', 'M07', 'M08']));
    expect(rows[rows.lastIndexOf('M09') + 1]).toBe('M23');
    const before = rows.length;
    await remove(world);
    expect((await machine(world)).status?.phase).toBe('Deleting');
    expect(rowsOf(operator).slice(before)).not.toContain('M23');
  });

  test('MA-017 a phase fails -> status is written all the same, last of all, and the generation is not observed', async () => {
    const { world } = await start();
    await putObjects(world, 'w-0');
    world.management.setFaults(breaking(calls('patch', 'inframachines'), { kind: 'status', code: 403 }));
    world.seen.length = 0;
    await putMachine(world, 'w-0');
    await world.settle();
    const { status, metadata } = await machine(world);
    expect(status?.phase).toBe('Provisioning');
    expect(status?.observedGeneration).not.toBe(metadata.generation);
    expect(await saysOf(world, 'InfrastructureReady')).toBe(
      'Unknown InternalError Please check controller logs for errors',
    );
    expect(writesOf(world).at(-1)).toBe('patch machines/default/w-0/status');
    world.management.setFaults(undefined);
    await world.clock.advance(60_000);
    await world.settle();
    expect((await machine(world)).status?.observedGeneration).toBe((await machine(world)).metadata.generation);
  });

  test('MA-018 somebody writes a condition while ours are on their way -> both are there', async () => {
    const { world } = await start();
    await putRunning(world);
    let isHeld = false;
    world.management.setFaults({
      request: (info) => {
        if (isHeld || !info.userAgent.startsWith('operator-under-test')) return undefined;
        if (info.verb !== 'patch' || info.resource !== 'machines' || info.subresource !== 'status') return undefined;
        isHeld = true;
        return { kind: 'delay', ms: 500 };
      },
    });
    await change(world.user, 'InfraMachine', 'w-0', {
      status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Broken', message: 'why' }] },
    });
    await world.settle();
    expect(isHeld).toBe(true);
    const foreign = {
      type: 'HealthCheckSucceeded',
      status: 'True',
      reason: 'Fine',
      message: 'ours',
      lastTransitionTime: '2024-01-01T00:00:00Z',
    };
    const mine = { ...foreign, type: 'Ready', status: 'True', reason: 'Wrong', message: 'never' };
    const { status } = await machine(world);
    const others = (status?.conditions ?? []).filter(({ type }) => type !== 'Ready');
    await change(world.user, 'Machine', 'w-0', { status: { conditions: [...others, foreign, mine] } });
    await world.clock.advance(1_000);
    await world.settle();
    expect(await saysOf(world, 'HealthCheckSucceeded')).toBe('True Fine ours');
    expect(await saysOf(world, 'InfrastructureReady')).toBe('False Broken why');
    expect(await saysOf(world, 'Ready')).toContain('False NotReady');
  });

  test('MA-114 an API call fails -> logged with its cause, tried again with growing waits, until it works', async () => {
    const { world, operator } = await start();
    await putObjects(world, 'w-0');
    world.management.setFaults(
      breaking(calls('patch', 'kubeadmconfigs'), { kind: 'status', code: 500, message: 'boom' }),
    );
    await putMachine(world, 'w-0');
    await world.settle();
    const counts: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const before = errorsOf(operator).length;
      await world.clock.advance(2_000);
      await world.settle();
      counts.push(errorsOf(operator).length - before);
    }
    expect(errorsOf(operator)[0]).toContain('boom');
    expect(counts[0]).toBeGreaterThan(counts[2] ?? 0);
    world.management.setFaults(undefined);
    await world.clock.advance(60_000);
    await world.settle();
    expect((await find(world.user, 'KubeadmConfig', 'w-0'))?.metadata.ownerReferences).toHaveLength(1);
    expect(operator.host.isSettled).toBe(true);
  });
});
