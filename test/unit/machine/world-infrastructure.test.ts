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
import { againInMs, breaking, calls, errorsOf, rowsOf, useWorlds } from './worlds.js';

const start = useWorlds();
const infra = ['InfraMachine', 'w-0'] as const;
const address = (last: number) => ({ type: 'InternalIP', address: `10.0.0.${last}` });
const ready = (status: string, reason: string, message: string) => ({
  conditions: [{ type: 'Ready', status, reason, message, lastTransitionTime: '2024-02-03T04:05:06Z' }],
});

describe('Machine: infrastructure object', () => {
  test('MA-029 the object changes, early and late in life -> every pass reads it', async () => {
    const { world } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0', { data: false, provisioned: false });
    await world.settle();
    await change(world.user, ...infra, { status: ready('False', 'Early', 'one') });
    await world.settle();
    expect(await saysOf(world, 'InfrastructureReady')).toBe('False Early one');
    await change(world.user, ...infra, {
      spec: { providerID: 'test://w-0' },
      status: { initialization: { provisioned: true }, addresses: [address(1)], ...ready('True', 'Fine', '') },
    });
    await world.settle();
    await change(world.user, ...infra, { status: { addresses: [address(2)], ...ready('False', 'Late', 'two') } });
    await world.settle();
    expect(await saysOf(world, 'InfrastructureReady')).toBe('False Late two');
    expect((await machine(world)).status?.addresses).toEqual([address(2)]);
  });

  test('MA-030 the object is gone before the deletion -> no error, not looked for every 30 s, and the Machine goes', async () => {
    const { world, operator } = await start();
    await putObjects(world, 'w-0', { provisioned: false });
    await putMachine(world, 'w-0', { finalizers: ['test/holds'] });
    await world.settle();
    await world.user.delete(at(...infra));
    await remove(world);
    expect(await saysOf(world, 'Deleting')).toBe('True DeletionCompleted Deletion completed');
    expect(await find(world.user, 'KubeadmConfig', 'w-0')).toBeUndefined();
    expect(errorsOf(operator)).toEqual([]);
    expect(againInMs(world, operator)).toBe(15 * 60_000 + 1);
  });

  test('MA-031 the object vanishes after it was provisioned -> an error that names it', async () => {
    const { world, operator } = await start();
    await putRunning(world);
    await world.user.delete(at(...infra));
    await world.settle();
    expect(errorsOf(operator)[0]).toBe('could not find InfraMachine default/w-0 for Machine default/w-0');
    expect(operator.host.isSettled).toBe(false);
    expect(await saysOf(world, 'InfrastructureReady')).toBe(
      'False ObjectDeleted InfraMachine has been deleted while the Machine still exists',
    );
  });

  test('MA-032 the object is not there and never was -> looked for again after 30 s, without an error', async () => {
    const { world, operator } = await start();
    await putMachine(world, 'w-0', { spec: { bootstrap: { dataSecretName: 'by-hand' } } });
    await world.settle();
    expect(againInMs(world, operator)).toBe(30_000);
    expect(errorsOf(operator)).toEqual([]);
    expect(await saysOf(world, 'InfrastructureReady')).toBe('False ObjectDoesNotExist InfraMachine does not exist');
  });

  test('MA-033 the object is not provisioned -> waited for, and nothing is copied', async () => {
    const { world, operator } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0', { provisioned: false });
    await change(world.user, ...infra, {
      spec: { providerID: 'test://w-0', failureDomain: 'a' },
      status: { addresses: [address(1)] },
    });
    await world.settle();
    const { spec, status } = await machine(world);
    expect([spec.providerID, spec.failureDomain, status?.addresses]).toEqual([undefined, undefined, undefined]);
    expect(status?.phase).toBe('Provisioning');
    expect(againInMs(world, operator)).toBeNull();
  });

  test('MA-034 provisioned, without a provider ID -> waited for, and not marked as provisioned', async () => {
    const { world, operator } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0', { provisioned: false });
    await change(world.user, ...infra, { status: { initialization: { provisioned: true }, addresses: [address(1)] } });
    await world.settle();
    expect((await machine(world)).status?.initialization?.infrastructureProvisioned).toBeUndefined();
    expect((await machine(world)).status?.addresses).toBeUndefined();
    expect(errorsOf(operator)).toEqual([]);
    await change(world.user, ...infra, { spec: { providerID: 'test://w-0' } });
    await world.settle();
    expect((await machine(world)).status?.initialization?.infrastructureProvisioned).toBe(true);
  });

  test('MA-035 everything is reported at once -> one patch of the spec, then one of the status with the mark', async () => {
    const { world } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0', { provisioned: false });
    await world.settle();
    await change(world.user, ...infra, { spec: { providerID: 'test://w-0', failureDomain: 'a' } });
    await world.settle();
    world.seen.length = 0;
    await change(world.user, ...infra, {
      status: { initialization: { provisioned: true }, addresses: [address(1)], failureDomain: 'b' },
    });
    await world.settle();
    const patches = world.seen.filter(({ what }) => what.startsWith('machines/default/w-0')).map(({ what }) => what);
    expect(patches.slice(0, 2)).toEqual(['machines/default/w-0', 'machines/default/w-0/status']);
    const { spec, status } = await machine(world);
    expect([spec.providerID, spec.failureDomain]).toEqual(['test://w-0', 'a']);
    expect([status?.addresses, status?.failureDomain]).toEqual([[address(1)], 'b']);
    expect(status?.initialization?.infrastructureProvisioned).toBe(true);
  });

  test('MA-036 the provider ID -> in the spec of the Machine; another one later replaces it', async () => {
    const { world } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0');
    await world.settle();
    expect((await machine(world)).spec.providerID).toBe('test://w-0');
    await change(world.user, ...infra, { spec: { providerID: 'test://other' } });
    await world.settle();
    expect((await machine(world)).spec.providerID).toBe('test://other');
  });

  test('MA-037 addresses -> in the status of the Machine; none on the object keeps them, an empty list empties them', async () => {
    const { world } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0');
    await change(world.user, ...infra, { status: { addresses: [address(1), { type: 'Hostname', address: 'w-0' }] } });
    await world.settle();
    const addresses = [address(1), { type: 'Hostname', address: 'w-0' }];
    expect((await machine(world)).status?.addresses).toEqual(addresses);
    await change(world.user, ...infra, { status: { addresses: null } });
    await world.settle();
    expect((await machine(world)).status?.addresses).toEqual(addresses);
    await change(world.user, ...infra, { status: { addresses: [] } });
    await world.settle();
    expect((await machine(world)).status?.addresses ?? []).toEqual([]);
  });

  test('MA-038 failure domains -> the one of spec in spec, the one of status in status', async () => {
    const { world } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0');
    await change(world.user, ...infra, { spec: { failureDomain: 'wished' }, status: { failureDomain: 'real' } });
    await world.settle();
    const { spec, status } = await machine(world);
    expect([spec.failureDomain, status?.failureDomain]).toEqual(['wished', 'real']);
  });

  test('MA-039 the spec cannot be written -> not marked as provisioned; the mark comes last and stays', async () => {
    const { world } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0', { provisioned: false });
    await world.settle();
    const seen: string[] = [];
    world.management.store.subscribe(({ object, resource }) => {
      if (resource !== 'cluster.x-k8s.io/machines' || object.metadata.name !== 'w-0') return;
      const { spec, status } = object as unknown as StoredMachine;
      seen.push(`${spec.providerID ?? ''}/${status?.initialization?.infrastructureProvisioned ?? false}`);
    });
    world.management.setFaults(breaking(calls('patch', 'machines'), { kind: 'status', code: 403 }));
    await change(world.user, ...infra, {
      spec: { providerID: 'test://w-0' },
      status: { initialization: { provisioned: true } },
    });
    await world.settle();
    expect(seen).not.toContain('/true');
    world.management.setFaults(undefined);
    await world.clock.advance(10_000);
    await world.settle();
    expect(seen.filter((each, index) => each !== seen[index - 1]).slice(-2)).toEqual([
      'test://w-0/false',
      'test://w-0/true',
    ]);
    await change(world.user, ...infra, { status: { initialization: { provisioned: false } } });
    await world.settle();
    expect((await machine(world)).status?.initialization?.infrastructureProvisioned).toBe(true);
  });

  test('MA-088 the object -> controlled by the Machine and labelled, also before there is data', async () => {
    const { world } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0', { data: false, provisioned: false });
    await world.settle();
    const { metadata } = (await find<ExternalObjectJson>(world.user, ...infra))!;
    expect(metadata.ownerReferences).toMatchObject([
      { kind: 'Machine', name: 'w-0', uid: (await machine(world)).metadata.uid, controller: true },
    ]);
    expect(metadata.labels).toEqual({ 'cluster.x-k8s.io/cluster-name': 'c1' });
  });

  test('MA-089 the object changes -> the Machine is looked at at once', async () => {
    const { world, operator } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0', { provisioned: false });
    await world.settle();
    const looks = rowsOf(operator).length;
    await change(world.user, ...infra, { metadata: { annotations: { poke: '1' } } });
    await world.settle();
    expect(rowsOf(operator).length).toBeGreaterThan(looks);
  });

  test.each([
    ['True', 'Fine', ''],
    ['False', 'Broken', 'no quota'],
    ['Unknown', 'Lost', 'nobody knows'],
  ])('MA-090 Ready of the object is %s -> InfrastructureReady says the same words', async (status, reason, message) => {
    const { world } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0', { provisioned: false });
    await world.settle();
    expect(await saysOf(world, 'InfrastructureReady')).toBe(
      'False NotReady InfraMachine status.initialization.provisioned is false',
    );
    await change(world.user, ...infra, { status: ready(status, reason, message) });
    await world.settle();
    expect(await saysOf(world, 'InfrastructureReady')).toBe(`${status} ${reason} ${message}`.trimEnd());
  });

  test('MA-091 provisioned without a provider ID -> InfrastructureReady is False whatever the object says; addresses hold nothing up', async () => {
    const { world } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0', { provisioned: false });
    await change(world.user, ...infra, {
      status: { initialization: { provisioned: true }, ...ready('True', 'Fine', '') },
    });
    await world.settle();
    expect(await saysOf(world, 'InfrastructureReady')).toBe(
      'False NotReady Waiting for InfraMachine to report spec.providerID',
    );
    expect(await oldSaysOf(world, 'InfrastructureReady')).toBe('False Info WaitingForInfrastructure');
    await change(world.user, ...infra, { spec: { providerID: 'test://w-0' } });
    await world.settle();
    expect(await saysOf(world, 'InfrastructureReady')).toBe('True Fine');
    expect((await machine(world)).status?.addresses).toBeUndefined();
  });

  test('MA-092 a provider ID -> provider ID, addresses and failure domain on the Machine, and the mark', async () => {
    const { world } = await start();
    await putMachine(world, 'w-0');
    await put(world.user, ...infra, {
      spec: { providerID: 'test://w-0', failureDomain: 'a' },
      status: { initialization: { provisioned: true }, addresses: [address(1)] },
    });
    await world.settle();
    const { spec, status } = await machine(world);
    expect({ id: spec.providerID, domain: spec.failureDomain, addresses: status?.addresses }).toEqual({
      id: 'test://w-0',
      domain: 'a',
      addresses: [address(1)],
    });
    expect(status?.initialization?.infrastructureProvisioned).toBe(true);
    expect(await saysOf(world, 'InfrastructureReady')).toBe('True Ready');
  });

  test('MA-108 the object vanishes after it was provisioned -> failureReason InvalidConfiguration, and a message', async () => {
    const { world } = await start();
    await putRunning(world);
    await world.user.delete(at(...infra));
    await world.settle();
    const { status } = await machine(world);
    expect(status?.deprecated?.v1beta1).toMatchObject({
      failureReason: 'InvalidConfiguration',
      failureMessage:
        'Machine infrastructure resource InfraMachine default/w-0 has been deleted after provisioning was completed',
    });
    expect(status?.phase).toBe('Failed');
  });

  test('MA-119 the object reports a failure -> the phase is Failed and the fields are copied; work goes on', async () => {
    const { world } = await start();
    await putRunning(world);
    await change(world.user, ...infra, { status: { failureReason: 'CreateError', failureMessage: 'no quota' } });
    await world.settle();
    const { status } = await machine(world);
    expect(status?.phase).toBe('Failed');
    expect(status?.deprecated?.v1beta1).toMatchObject({
      failureReason: 'CreateError',
      failureMessage:
        'Failure detected from referenced resource infrastructure.cluster.x-k8s.io/v1beta2, Kind=InfraMachine with name "w-0": no quota',
    });
    await change(world.user, ...infra, { status: { addresses: [address(3)] } });
    await world.settle();
    expect((await machine(world)).status?.addresses).toEqual([address(3)]);
  });

  test('MA-129 Ready of the object -> the deprecated InfrastructureReady has its status, reason and message', async () => {
    const { world } = await start();
    await putMachine(world, 'w-0');
    await putObjects(world, 'w-0', { provisioned: false });
    await world.settle();
    expect(await oldSaysOf(world, 'InfrastructureReady')).toBe('False Info WaitingForInfrastructure');
    await change(world.user, ...infra, { status: ready('False', 'Broken', 'no quota') });
    await world.settle();
    expect(await oldSaysOf(world, 'InfrastructureReady')).toBe('False Broken no quota');
    await change(world.user, ...infra, { status: ready('Unknown', 'Lost', 'nobody knows') });
    await world.settle();
    expect(await oldSaysOf(world, 'InfrastructureReady')).toBe('Unknown Lost nobody knows');
  });
});
