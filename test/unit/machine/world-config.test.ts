import { describe, expect, test } from '@jest/globals';
import type { ExternalObjectJson, StoredMachine } from '../../../src/controllers/machine/objects.js';
import {
  at,
  change,
  find,
  machine,
  oldSaysOf,
  put,
  putMachine,
  putObjects,
  putRunning,
  remove,
  saysOf,
} from './objects.js';
import { putOwners } from './owners.js';
import { againInMs, breaking, calls, errorsOf, rowsOf, useWorlds } from './worlds.js';

const start = useWorlds();
const label = 'cluster.x-k8s.io/cluster-name';
const config = (name = 'w-0') => ['KubeadmConfig', name] as const;
const joins = { joinConfiguration: { nodeRegistration: { name: 'w-0' } } };
const reports = (dataSecretName: string) => ({
  status: { dataSecretName, initialization: { dataSecretCreated: true } },
});

describe('Machine: owner, label and bootstrap object', () => {
  test('MA-019 owner or label of a Machine is taken away -> both come back', async () => {
    const { world } = await start();
    await putRunning(world);
    const owners = (await machine(world)).metadata.ownerReferences;
    expect(owners).toMatchObject([{ kind: 'Cluster', name: 'c1' }]);
    await change(world.user, 'Machine', 'w-0', {
      metadata: { ownerReferences: [], labels: { [label]: null, mine: 'x' } },
    });
    await world.settle();
    const { metadata } = await machine(world);
    expect(metadata.ownerReferences).toEqual(owners);
    expect(metadata.labels).toEqual({ [label]: 'c1', mine: 'x' });
  });

  test('MA-020 the expiry of certificates -> in status of control plane Machines, from either annotation; never of workers', async () => {
    const { world } = await start();
    const expiry = (value: string | null) => ({
      metadata: { annotations: { 'machine.cluster.x-k8s.io/certificates-expiry': value } },
    });
    await putRunning(world, 'w-0', { labels: { 'cluster.x-k8s.io/control-plane': '' } });
    await putRunning(world, 'w-1', expiry('2030-01-01T00:00:00Z').metadata as { annotations: Record<string, string> });
    const dateOf = async (name: string) => (await machine(world, name)).status?.certificatesExpiryDate;
    expect(await dateOf('w-0')).toBeUndefined();
    await change(world.user, ...config(), expiry('2031-01-01T00:00:00Z'));
    await world.settle();
    expect(await dateOf('w-0')).toBe('2031-01-01T00:00:00Z');
    await change(world.user, 'Machine', 'w-0', expiry('2032-01-01T01:00:00+01:00'));
    await world.settle();
    expect(await dateOf('w-0')).toBe('2032-01-01T00:00:00Z');
    await change(world.user, ...config(), expiry(null));
    await change(world.user, 'Machine', 'w-0', expiry(null));
    await world.settle();
    expect(await dateOf('w-0')).toBeUndefined();
    expect(await dateOf('w-1')).toBeUndefined();
  });

  test('MA-021 no bootstrap reference, data brought by the user -> the phase does nothing', async () => {
    const { world, operator } = await start();
    await put(world.user, 'InfraMachine', 'w-0', { spec: {}, status: { initialization: { provisioned: false } } });
    await putMachine(world, 'w-0', { spec: { bootstrap: { dataSecretName: 'by-hand' } } });
    await world.settle();
    const { spec, status } = await machine(world);
    expect(spec.bootstrap).toEqual({ dataSecretName: 'by-hand' });
    expect(status?.initialization?.bootstrapDataSecretCreated).toBeUndefined();
    expect(await saysOf(world, 'BootstrapConfigReady')).toBe('True DataSecretProvided');
    expect(await oldSaysOf(world, 'BootstrapReady')).toBe('none');
    expect(rowsOf(operator)).not.toContain('M07');
    expect(againInMs(world, operator)).toBeNull();
  });

  test('MA-022 a data secret name, and a bootstrap object that is not there -> the object comes first', async () => {
    const { world } = await start();
    const configRef = { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name: 'w-0' };
    await put(world.user, 'InfraMachine', 'w-0', { spec: {} });
    await putMachine(world, 'w-0', { spec: { bootstrap: { configRef, dataSecretName: 'known' } } });
    await world.settle();
    expect((await machine(world)).status?.initialization?.bootstrapDataSecretCreated).toBeUndefined();
    await put(world.user, ...config(), { spec: joins });
    await world.settle();
    expect((await machine(world)).status?.initialization?.bootstrapDataSecretCreated).toBe(true);
  });

  test('MA-023 the bootstrap object is gone before the deletion -> no error, not looked for every 30 s, and the Machine goes', async () => {
    const { world, operator } = await start();
    await putRunning(world);
    await change(world.user, 'Machine', 'w-0', {
      metadata: { finalizers: ['machine.cluster.x-k8s.io', 'test/holds'] },
    });
    await world.user.delete(at(...config()));
    await world.settle();
    await remove(world);
    expect(await saysOf(world, 'Deleting')).toBe('True DeletionCompleted Deletion completed');
    expect(againInMs(world, operator)).toBe(15 * 60_000 + 1);
    expect(errorsOf(operator)).toEqual([]);
  });

  test('MA-024 the bootstrap object is not there -> looked for again after 30 s, without an error', async () => {
    const { world, operator } = await start();
    await put(world.user, 'InfraMachine', 'w-0', { spec: {} });
    await putMachine(world, 'w-0');
    await world.settle();
    expect(againInMs(world, operator)).toBe(30_000);
    expect(errorsOf(operator)).toEqual([]);
    const looks = rowsOf(operator).length;
    await world.clock.advance(29_999);
    expect(rowsOf(operator)).toHaveLength(looks);
    await world.clock.advance(1);
    await world.settle();
    expect(rowsOf(operator).length).toBeGreaterThan(looks);
  });

  test('MA-025 a Machine that has its data secret name -> marked as having its data, whatever the object reports', async () => {
    const { world } = await start();
    await putObjects(world, 'w-0', { data: false, provisioned: false });
    await putMachine(world, 'w-0', {
      spec: {
        bootstrap: {
          configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name: 'w-0' },
          dataSecretName: 'kept',
        },
      },
    });
    await world.settle();
    const { spec, status } = await machine(world);
    expect(status?.initialization?.bootstrapDataSecretCreated).toBe(true);
    expect(spec.bootstrap.dataSecretName).toBe('kept');
    expect(await oldSaysOf(world, 'BootstrapReady')).toBe('True');
  });

  test('MA-027 the bootstrap object has data -> its Secret name is in the spec of the Machine', async () => {
    const { world } = await start();
    await putObjects(world, 'w-0', { data: false, provisioned: false });
    await putMachine(world, 'w-0');
    await world.settle();
    expect((await machine(world)).spec.bootstrap.dataSecretName).toBeUndefined();
    await change(world.user, ...config(), reports('secret-of-its-own'));
    await world.settle();
    expect((await machine(world)).spec.bootstrap.dataSecretName).toBe('secret-of-its-own');
  });

  test('MA-028 the spec cannot be written -> status does not say that there is data; both orders are never seen', async () => {
    const { world } = await start();
    await putObjects(world, 'w-0', { data: false, provisioned: false });
    await putMachine(world, 'w-0');
    await world.settle();
    const seen: string[] = [];
    world.management.store.subscribe(({ object, resource }) => {
      if (resource !== 'cluster.x-k8s.io/machines' || object.metadata.name !== 'w-0') return;
      const { spec, status } = object as unknown as StoredMachine;
      const has = [
        spec.bootstrap.dataSecretName !== undefined,
        status?.initialization?.bootstrapDataSecretCreated === true,
      ];
      seen.push(has.map((each) => (each ? 'yes' : 'no')).join('/'));
    });
    world.management.setFaults(breaking(calls('patch', 'machines'), { kind: 'status', code: 403 }));
    await change(world.user, ...config(), reports('w-0'));
    await world.settle();
    expect((await machine(world)).status?.initialization?.bootstrapDataSecretCreated).toBeUndefined();
    world.management.setFaults(undefined);
    await world.clock.advance(10_000);
    await world.settle();
    expect(seen.filter((each, index) => each !== seen[index - 1]).slice(-2)).toEqual(['yes/no', 'yes/yes']);
    expect(seen).not.toContain('no/yes');
  });

  test('MA-082 a stand-alone Machine -> owned by its Cluster, which does not control it', async () => {
    const { world } = await start();
    await putMachine(world, 'w-0');
    await world.settle();
    const cluster = await find(world.user, 'Cluster', 'c1');
    expect((await machine(world)).metadata.ownerReferences).toEqual([
      { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c1', uid: cluster?.metadata.uid },
    ]);
  });

  test.each([
    ['a MachineSet', 'cluster.x-k8s.io/set-name'],
    ['a pool', 'cluster.x-k8s.io/pool-name'],
    ['a control plane', 'cluster.x-k8s.io/control-plane-name'],
  ])('MA-082 the label of %s -> somebody else will own it: the Cluster does not', async (_owner, key) => {
    const { world } = await start();
    await putMachine(world, 'w-0', { labels: { [key]: 'x' } });
    await world.settle();
    expect((await machine(world)).metadata.ownerReferences).toBeUndefined();
  });

  test('MA-082 a controller -> it stays the only owner', async () => {
    const { world } = await start();
    const { ownerReferences } = await putOwners(world);
    await putMachine(world, 'w-0', { ownerReferences });
    await world.settle();
    expect((await machine(world)).metadata.ownerReferences).toMatchObject([{ kind: 'MachineSet', name: 'ms' }]);
  });

  test('MA-083 the bootstrap object -> controlled by the Machine and labelled, the MachineSet that made it taken off', async () => {
    const { world } = await start();
    const ofSet = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'MachineSet', name: 'ms', uid: 'u' };
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'o' };
    await put(world.user, ...config(), { metadata: { ownerReferences: [ofSet, other] }, spec: joins });
    await putMachine(world, 'w-0');
    await world.settle();
    const { metadata } = (await find<ExternalObjectJson>(world.user, ...config()))!;
    expect(metadata.ownerReferences).toEqual([
      other,
      {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Machine',
        name: 'w-0',
        uid: (await machine(world)).metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(metadata.labels).toEqual({ [label]: 'c1' });
  });

  test('MA-084 the bootstrap object changes -> the Machine is looked at at once', async () => {
    const { world, operator } = await start();
    await putObjects(world, 'w-0', { data: false, provisioned: false });
    await putMachine(world, 'w-0');
    await world.settle();
    const looks = rowsOf(operator).length;
    await change(world.user, ...config(), { metadata: { annotations: { poke: '1' } } });
    await world.settle();
    expect(rowsOf(operator).length).toBeGreaterThan(looks);
  });

  test.each([
    ['True', 'Ready', ''],
    ['False', 'Broken', 'disk is full'],
    ['Unknown', 'Lost', 'nobody knows'],
  ])(
    'MA-085 Ready of the bootstrap object is %s -> BootstrapConfigReady says the same words',
    async (status, reason, message) => {
      const { world } = await start();
      await putObjects(world, 'w-0', { data: false, provisioned: false });
      await putMachine(world, 'w-0');
      await world.settle();
      expect(await saysOf(world, 'BootstrapConfigReady')).toBe(
        'False NotReady KubeadmConfig status.initialization.dataSecretCreated is false',
      );
      const lastTransitionTime = '2024-02-03T04:05:06Z';
      const ready = { type: 'Ready', status, reason, message, lastTransitionTime };
      await change(world.user, ...config(), { status: { conditions: [ready] } });
      await world.settle();
      expect(await saysOf(world, 'BootstrapConfigReady')).toBe(`${status} ${reason} ${message}`.trimEnd());
    },
  );

  test('MA-086 data is awaited -> the deprecated BootstrapReady is False', async () => {
    const { world } = await start();
    await putObjects(world, 'w-0', { data: false, provisioned: false });
    await putMachine(world, 'w-0');
    await world.settle();
    expect(await oldSaysOf(world, 'BootstrapReady')).toBe('False Info WaitingForDataSecret');
    expect(await saysOf(world, 'BootstrapConfigReady')).toContain('False NotReady');
  });

  test('MA-087 the bootstrap object has data -> bootstrapDataSecretCreated is true, and stays so', async () => {
    const { world } = await start();
    await putObjects(world, 'w-0', { data: true, provisioned: false });
    await putMachine(world, 'w-0');
    await world.settle();
    expect((await machine(world)).status?.initialization).toEqual({ bootstrapDataSecretCreated: true });
    expect(await saysOf(world, 'BootstrapConfigReady')).toBe('True Ready');
    await change(world.user, ...config(), { status: { initialization: { dataSecretCreated: false } } });
    await world.settle();
    expect((await machine(world)).status?.initialization).toEqual({ bootstrapDataSecretCreated: true });
  });

  test('MA-128 Ready of the bootstrap object -> the deprecated BootstrapReady has its status, reason and message', async () => {
    const { world } = await start();
    await putObjects(world, 'w-0', { data: false, provisioned: false });
    await putMachine(world, 'w-0');
    const ready = {
      type: 'Ready',
      status: 'False',
      reason: 'Broken',
      message: 'why',
      lastTransitionTime: '2024-02-03T04:05:06Z',
    };
    await change(world.user, ...config(), { status: { conditions: [ready] } });
    await world.settle();
    expect(await oldSaysOf(world, 'BootstrapReady')).toBe('False Broken why');
    await change(world.user, ...config(), {
      status: { conditions: [{ ...ready, status: 'True', reason: 'Ready', message: '' }] },
    });
    await world.settle();
    expect(await oldSaysOf(world, 'BootstrapReady')).toMatch(/^True/);
  });
});
