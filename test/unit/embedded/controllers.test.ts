import { describe, expect, test } from '@jest/globals';

import { createHandleClient } from '../../../src/embedded/client.js';
import { configMaps, secrets } from '../../../src/embedded/infrastructure/resources.js';
import type { KubeObject } from '../../../src/api/rest.js';
import type { InfrastructureClient } from '../../../src/embedded/infrastructure/ports.js';
import type { EmbeddedApiServer } from '../../../src/embedded/types.js';
import { createTestClock, type TestClock } from '../kube/test-clock.js';
import { testServer } from './fixture.js';

interface Given {
  readonly clock: TestClock;
  readonly server: EmbeddedApiServer;
  readonly client: InfrastructureClient;
}

function start(): Given {
  const clock = createTestClock();
  const server = testServer(clock);
  return { clock, server, client: createHandleClient(server.handle) };
}

async function put(
  { client }: Given,
  name: string,
  owners: readonly KubeObject[] = [],
  more: object = {},
): Promise<KubeObject> {
  const ownerReferences = owners.map(({ metadata }) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name: metadata.name,
    uid: metadata.uid ?? '',
    ...more,
  }));
  return await client.create(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', ownerReferences },
  });
}

function names({ server }: Given): string[] {
  return server.store.list('configmaps', 'default').map(({ metadata }) => metadata.name);
}

async function remove({ server }: Given, name: string, propagationPolicy?: string): Promise<number> {
  const url = `/api/v1/namespaces/default/configmaps/${name}`;
  const body = propagationPolicy === undefined ? {} : { body: JSON.stringify({ propagationPolicy }) };
  return (await server.handle({ method: 'DELETE', url, headers: {}, ...body })).status;
}

describe('embedded garbage collector', () => {
  test('background: the owner is deleted -> dependents and theirs go too', async () => {
    const given = start();
    const owner = await put(given, 'owner');
    const child = await put(given, 'child', [owner]);
    await put(given, 'grandchild', [child]);
    await put(given, 'other');
    await remove(given, 'owner');
    await given.clock.advance(1_000);
    expect(names(given)).toEqual(['other']);
  });

  test('two owners: one is deleted -> the reference goes, the object stays', async () => {
    const given = start();
    const [one, two] = [await put(given, 'one'), await put(given, 'two')];
    await put(given, 'child', [one, two]);
    await remove(given, 'one');
    await given.clock.advance(1_000);
    expect(names(given)).toEqual(['child', 'two']);
    const child = given.server.store.get('configmaps', 'default', 'child');
    expect(child?.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['two']);
  });

  test('an owner that never was: -> the object goes', async () => {
    const given = start();
    await put(given, 'child', [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ghost', uid: 'nobody' } }]);
    await given.clock.advance(1_000);
    expect(names(given)).toEqual([]);
  });

  test('an owner in another namespace: -> does not count', async () => {
    const given = start();
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'far', namespace: 'kube-system' } };
    const far = await given.client.create<KubeObject>(configMaps, object);
    await put(given, 'child', [far]);
    await given.clock.advance(1_000);
    expect(names(given)).toEqual([]);
  });

  test('foreground: -> the owner goes last', async () => {
    const given = start();
    const owner = await put(given, 'owner');
    await put(given, 'child', [owner], { blockOwnerDeletion: true });
    const gone: string[] = [];
    given.server.store.subscribe((event) => event.type === 'DELETED' && gone.push(event.object.metadata.name));
    await remove(given, 'owner', 'Foreground');
    expect(given.server.store.get('configmaps', 'default', 'owner')?.metadata.finalizers).toEqual([
      'foregroundDeletion',
    ]);
    await given.clock.advance(1_000);
    expect(gone).toEqual(['child', 'owner']);
  });

  test('orphan: -> dependents stay without the reference', async () => {
    const given = start();
    const owner = await put(given, 'owner');
    await put(given, 'child', [owner]);
    await remove(given, 'owner', 'Orphan');
    await given.clock.advance(1_000);
    expect(names(given)).toEqual(['child']);
    expect(given.server.store.get('configmaps', 'default', 'child')?.metadata.ownerReferences).toBeUndefined();
  });

  test('off: -> nothing is collected', async () => {
    const clock = createTestClock();
    const server = testServer(clock, { garbageCollector: false });
    const given = { clock, server, client: createHandleClient(server.handle) };
    const owner = await put(given, 'owner');
    await put(given, 'child', [owner]);
    await remove(given, 'owner');
    await clock.advance(1_000);
    expect(names(given)).toEqual(['child']);
  });
});

describe('embedded namespace controller', () => {
  test('deleted: -> takes its content along, held back by finalizers', async () => {
    const given = start();
    const { server, client, clock } = given;
    const post = (url: string, body: object): Promise<unknown> =>
      server.handle({ method: 'POST', url, headers: {}, body: JSON.stringify(body) });
    await post('/api/v1/namespaces', { metadata: { name: 'x' } });
    await client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'x' } });
    await client.create(secrets, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'held', namespace: 'x', finalizers: ['a.io/b'] },
    });
    await server.handle({ method: 'DELETE', url: '/api/v1/namespaces/x', headers: {} });
    await clock.advance(1_000);
    expect(server.store.list('secrets', 'x').map(({ metadata }) => metadata.name)).toEqual(['held']);
    expect(server.store.get('namespaces', '', 'x')?.status).toEqual({ phase: 'Terminating' });
    await client.mergePatch({ resource: secrets, namespace: 'x', name: 'held' }, { metadata: { finalizers: null } });
    await clock.advance(1_000);
    expect(server.store.get('namespaces', '', 'x')).toBeUndefined();
  });
});
