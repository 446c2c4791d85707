// What our own client, caches, Leases and Events need from an API server: one suite for the embedded server over HTTP and for
// a real kube-apiserver.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { resources } from '../../src/api/names.js';
import type { WriteReceipt } from '../../src/host/contract.js';
import { createApiClient, type FullApiClient } from '../../src/kube/client.js';
import { ApiError, type ApiFailure, type KubeObject } from '../../src/kube/contract.js';
import { createDiscovery } from '../../src/kube/discovery.js';
import { createEventRecorder } from '../../src/kube/event-recorder.js';
import { createHttpsTransport } from '../../src/kube/https-transport.js';
import { createInformers, type Informers } from '../../src/kube/informers.js';
import { createLeaseElector, leaseHolder, type LeaseElector } from '../../src/kube/lease-elector.js';
import { withLedger } from '../../src/kube/ledger-client.js';
import { findManagementAccess } from '../../src/kube/management-access.js';
import { createNameStream } from '../../src/kube/name-stream.js';
import { checkAccess } from '../../src/kube/preflight.js';
import { resourceOf } from '../../src/kube/resource-paths.js';
import { workloadConnect } from '../../src/kube/workload-connect.js';
import { systemClock, systemRandom } from '../../src/system.js';

/** A server under test. `bob` is a user who may do nothing. */
export interface ServerUnderTest {
  kubeconfig(user: 'admin' | 'bob' | 'stranger'): string;
  stop(): Promise<void>;
}

const configMaps = resourceOf(resources.ConfigMap);
const secrets = resourceOf(resources.Secret);
const events = resourceOf(resources.Event);
const namespace = 'kube-client';
const { signal } = new AbortController();

interface ConfigMap extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

function configMap(name: string, data: Record<string, string> = {}, metadata: object = {}): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace, ...metadata }, data };
}

async function failureOf(work: Promise<unknown>): Promise<ApiFailure> {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ApiError);
  return (error as ApiError).failure;
}

/** Looks until it is true; the suite's own time limit ends it otherwise. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise<void>((resolve) => systemClock.schedule(5, resolve));
}

/** Registers the suite. */
export function kubeClientSuite(title: string, start: () => Promise<ServerUnderTest>): void {
  describe(`${title}: our client`, () => {
    let server: ServerUnderTest;
    let folder: string;
    let admin: FullApiClient;
    const clients: FullApiClient[] = [];
    const target = (name: string) => ({ resource: configMaps, namespace, name });

    async function clientFor(user: 'admin' | 'bob' | 'stranger', timeoutMs = 30_000): Promise<FullApiClient> {
      const file = join(folder, `${user}.kubeconfig`);
      writeFileSync(file, server.kubeconfig(user));
      const access = await findManagementAccess({
        kubeconfig: file,
        environment: {},
        clock: systemClock,
        parseYaml: (text) => parse(text) as unknown,
      });
      const client = createApiClient({
        transport: createHttpsTransport({ access, clock: systemClock, environment: {} }),
        clock: systemClock,
        userAgent: `test-${user}`,
        fieldManager: 'kubeadm-bootstrap-operator',
        timeoutMs,
      });
      clients.push(client);
      return client;
    }

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'kbo-client-'));
      server = await start();
      admin = await clientFor('admin');
      const namespaces = resourceOf(resources.Namespace);
      await admin.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    }, 90_000);

    afterAll(async () => {
      for (const client of clients) await client.close();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test('create, get, update, patch, apply, delete -> each answer is the object as it is then', async () => {
      const created = await admin.create<ConfigMap>(configMaps, configMap('crud', { a: '1' }));
      expect(created).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { a: '1' } });
      expect(await admin.get(target('crud'))).toEqual(created);
      const updated = await admin.update<ConfigMap>(target('crud'), { ...created, data: { a: '2', b: '2' } });
      const patched = await admin.mergePatch<ConfigMap>(target('crud'), {
        metadata: { resourceVersion: updated.metadata.resourceVersion },
        data: { b: null },
      });
      expect(patched.data).toEqual({ a: '2' });
      const applied = await admin.apply<ConfigMap>(target('crud'), configMap('crud', { c: '3' }), {
        fieldManager: 'other',
        force: true,
      });
      expect(applied.data).toEqual({ a: '2', c: '3' });
      const { uid = '', resourceVersion = '' } = applied.metadata;
      await admin.delete(target('crud'), { preconditions: { uid, resourceVersion } });
      expect((await failureOf(admin.get(target('crud')))).kind).toBe('NotFound');
    });

    test('dry run -> an answer and no object', async () => {
      await admin.create(configMaps, configMap('dry'), { dryRun: true });
      expect((await failureOf(admin.get(target('dry')))).kind).toBe('NotFound');
    });

    test('refusals -> their kinds', async () => {
      const one = await admin.create<ConfigMap>(configMaps, configMap('refuse'));
      const two = await admin.mergePatch<ConfigMap>(target('refuse'), { data: { a: '1' } });
      const stale = { metadata: { resourceVersion: one.metadata.resourceVersion }, data: { a: '2' } };
      const unknown = { resource: { ...configMaps, plural: 'nothings' }, namespace, name: 'x' };
      const stranger = {
        resource: { group: 'none.example.com', version: 'v1', plural: 'nothings', kind: 'Nothing', namespaced: true },
        namespace,
        name: 'x',
      };
      const kinds = await Promise.all(
        [
          admin.create(configMaps, configMap('refuse')),
          admin.mergePatch(target('refuse'), stale),
          admin.update(target('refuse'), { ...one, data: {} }),
          admin.delete(target('refuse'), { preconditions: { uid: 'another' } }),
          admin.delete(target('refuse'), { preconditions: { resourceVersion: one.metadata.resourceVersion ?? '' } }),
          admin.create(configMaps, configMap('Not A Name')),
          admin.get(unknown),
          admin.get(stranger),
          admin.list(stranger.resource),
          admin.create(configMaps, {
            ...configMap('elsewhere'),
            metadata: { name: 'elsewhere', namespace: 'no-such-namespace' },
          }),
          admin.delete(target('none')),
        ].map(async (work) => (await failureOf(work)).kind),
      );
      expect(kinds).toEqual([
        'AlreadyExists',
        'Conflict',
        'Conflict',
        'Conflict',
        'Conflict',
        'Invalid',
        'NoSuchResource',
        'NoSuchResource',
        'NoSuchResource',
        'NotFound',
        'NotFound',
      ]);
      expect((await admin.get<ConfigMap>(target('refuse'))).metadata.resourceVersion).toBe(
        two.metadata.resourceVersion,
      );
    });

    test('users without a name or without permission -> Unauthorized, Forbidden, and the preflight says what to add', async () => {
      const [bob, stranger] = [await clientFor('bob'), await clientFor('stranger')];
      expect((await failureOf(stranger.list(configMaps))).kind).toBe('Unauthorized');
      expect((await failureOf(bob.list(configMaps))).kind).toBe('Forbidden');
      const needs = [
        { resource: configMaps, verbs: ['list', 'create'] },
        { resource: { ...configMaps, group: 'none.example.com' }, verbs: ['list'] },
      ];
      expect(await checkAccess(admin, needs, signal)).toEqual({
        unreachable: null,
        problems: [
          'the API server does not serve configmaps.none.example.com in version v1: install the components of its provider first',
        ],
        missingRights: [],
      });
      const missing = (verbs: string, quoted: string): string =>
        `the operator may not ${verbs} configmaps: add a rule with apiGroups [""], resources ["configmaps"], verbs [${quoted}] to its ClusterRole`;
      expect(await checkAccess(bob, needs.slice(0, 1), signal)).toEqual({
        unreachable: null,
        problems: [],
        missingRights: [missing('list, create', '"list","create"')],
      });
      const essential = [{ resource: configMaps, verbs: ['list', 'create'], essential: ['list'] }];
      expect(await checkAccess(bob, essential, signal)).toEqual({
        unreachable: null,
        problems: [missing('list', '"list"')],
        missingRights: [missing('create', '"create"')],
      });
      expect((await checkAccess(stranger, needs, signal)).unreachable).toMatch(/401/);
    });

    test('metadata only -> objects without their data, one by one and in lists', async () => {
      await admin.create(configMaps, configMap('meta', { secret: 'x' }));
      const one = await admin.get<ConfigMap>(target('meta'), { metadataOnly: true });
      expect([one.kind, one.metadata.name, one.data]).toEqual(['ConfigMap', 'meta', undefined]);
      const list = await admin.list<ConfigMap>(configMaps, {
        namespace,
        fieldSelector: 'metadata.name=meta',
        metadataOnly: true,
      });
      expect(list.items.map(({ kind, data }) => [kind, data])).toEqual([['ConfigMap', undefined]]);
    });

    test('watch with a timeout -> events, then a polite end', async () => {
      const { resourceVersion } = await admin.list(configMaps, { namespace, limit: 1 });
      await admin.create(configMaps, configMap('watched'));
      const types: string[] = [];
      for await (const event of admin.watch(configMaps, { namespace, resourceVersion, timeoutSeconds: 1 }))
        types.push(event.type);
      expect(types[0]).toBe('ADDED');
    });

    test('watch that is given up -> Aborted at once', async () => {
      const controller = new AbortController();
      const { resourceVersion } = await admin.list(configMaps, { namespace, limit: 1 });
      const watching = (async () => {
        for await (const event of admin.watch(configMaps, { namespace, resourceVersion, signal: controller.signal }))
          expect(event.type).toBe('BOOKMARK');
      })();
      systemClock.schedule(50, () => controller.abort());
      expect((await failureOf(watching)).kind).toBe('Aborted');
    });

    test('discovery -> plural, scope and preferred version', async () => {
      const discovery = createDiscovery(admin, systemClock);
      expect(await discovery.find({ group: '', version: 'v1', kind: 'ConfigMap' })).toEqual(configMaps);
      expect(await discovery.find({ group: 'coordination.k8s.io', kind: 'Lease' })).toEqual(
        resourceOf(resources.Lease),
      );
      expect(await discovery.find({ group: 'none.example.com', kind: 'Lease' })).toBeNull();
    });

    test('workload kubeconfig -> a client of that user', async () => {
      const connect = workloadConnect({
        parseYaml: (text) => parse(text) as unknown,
        clock: systemClock,
        environment: {},
        userAgent: 'x',
        fieldManager: 'x',
        qps: 20,
        burst: 30,
        ownPod: null,
      });
      const client = await connect(server.kubeconfig('admin'), signal);
      clients.push(client);
      expect((await client.get(target('meta'))).metadata.name).toBe('meta');
      await expect(connect(server.kubeconfig('stranger'), signal)).rejects.toThrow(
        /cluster is not reachable: Unauthorized/,
      );
    });

    test('events -> written, and their count raised', async () => {
      const recorder = createEventRecorder({ client: admin, clock: systemClock, component: 'test' });
      const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'meta', uid: 'u' };
      recorder.record({ object, type: 'Warning', reason: 'Testing', message: 'once' });
      await recorder.flush();
      const found = await admin.list<KubeObject & { readonly reason: string; readonly count: number }>(events, {
        namespace,
        fieldSelector: 'involvedObject.name=meta',
      });
      expect(found.items.map(({ reason, count }) => [reason, count])).toEqual([['Testing', 1]]);
    });

    describe('caches', () => {
      let informers: Informers;
      const controller = new AbortController();
      beforeAll(() => {
        informers = createInformers({ client: admin, clock: systemClock, random: systemRandom });
      });
      afterAll(() => controller.abort());

      test('more objects than a page -> all of them, then every change', async () => {
        const names = Array.from({ length: 510 }, (_, index) => `page-${String(index).padStart(3, '0')}`);
        for (let from = 0; from < names.length; from += 30) {
          await Promise.all(
            names
              .slice(from, from + 30)
              .map((name) => admin.create(configMaps, configMap(name, {}, { labels: { page: 'yes' } }))),
          );
        }
        const cache = informers.declare<ConfigMap>({
          resource: configMaps,
          labelSelector: 'page=yes',
          firstList: 'current',
        });
        informers.start(controller.signal);
        expect(await informers.whenSynced()).toBe(true);
        expect(cache.list(namespace)).toHaveLength(510);
        await admin.mergePatch(target('page-000'), { data: { a: 'changed' } });
        await admin.mergePatch(target('page-001'), { metadata: { labels: { page: null } } });
        await admin.delete(target('page-002'));
        await until(() => cache.get(namespace, 'page-000')?.data?.['a'] === 'changed' && cache.list().length === 508);
        expect(informers.problems()).toEqual([]);
      }, 60_000);

      test('our own writes -> receipts that the cache shows soon, deletions too', async () => {
        const receipts: WriteReceipt[] = [];
        const unknown: unknown[] = [];
        const client = withLedger(admin, {
          note: (receipt) => receipts.push(receipt),
          noteUnknown: (object) => unknown.push(object),
        });
        const created = await client.create<ConfigMap>(configMaps, configMap('own', {}, { labels: { page: 'yes' } }));
        await client.mergePatch(target('own'), { data: { a: '1' } });
        const { resourceVersion = '' } = (await client.get(target('own'))).metadata;
        await client.delete(target('own'), { preconditions: { uid: created.metadata.uid ?? '', resourceVersion } });
        const shown = receipts.map(
          (receipt) => new Promise<void>((resolve) => void informers.freshness.whenShown(receipt, resolve)),
        );
        await Promise.all(shown);
        expect([receipts.length, unknown]).toEqual([3, []]);
        expect(informers.freshness.shows(receipts[2] as WriteReceipt)).toBe(true);
      });

      test('live read -> the object or its absence is in the cache when it ends', async () => {
        const name = 'live';
        const read = () => informers.freshness.readLive({ kind: 'ConfigMap', namespace, name }, signal);
        const cache = informers.hold<ConfigMap>({ resource: configMaps, labelSelector: 'page=yes' }).cache;
        await admin.create(configMaps, configMap(name, {}, { labels: { page: 'yes' } }));
        await read();
        expect(cache.get(namespace, name)).toBeDefined();
        await admin.delete(target(name));
        await read();
        expect(cache.get(namespace, name)).toBeUndefined();
      });

      test('stream of names -> tells names of changed Secrets', async () => {
        const stream = createNameStream(
          { client: admin, clock: systemClock, random: systemRandom },
          { resource: secrets },
        );
        const told: string[] = [];
        stream.subscribe((change) => told.push(change.kind === 'missed' ? 'missed' : change.name));
        void stream.run(controller.signal);
        await until(() => told.includes('missed'));
        await admin.create(secrets, {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'told', namespace },
          data: { value: 'eA==' },
        });
        await until(() => told.includes('told'));
      });
    });

    describe('leases', () => {
      const electors: LeaseElector[] = [];
      const acquired: string[] = [];
      const elector = async (identity: string): Promise<LeaseElector> => {
        const client = await clientFor('admin', 5_000);
        const made = createLeaseElector({
          client,
          namespace,
          name: 'lease',
          identity,
          leaseDurationMs: 15_000,
          renewDeadlineMs: 10_000,
          retryPeriodMs: 2_000,
          clock: systemClock,
          random: systemRandom,
          onAcquired: () => acquired.push(identity),
          onLost: () => acquired.push(`${identity} lost`),
        });
        electors.push(made);
        return made;
      };
      afterAll(() => Promise.all(electors.map((each) => each.stop())));

      test('released Lease -> in the other hand within a retry period', async () => {
        const one = await elector('one');
        one.start();
        await until(() => acquired.includes('one'));
        expect(await leaseHolder(admin, { namespace, name: 'lease' }, { nowMs: systemClock.nowMs(), signal })).toBe(
          'one',
        );
        const two = await elector('two');
        two.start();
        await new Promise<void>((resolve) => systemClock.schedule(300, resolve));
        const startedMs = systemClock.monotonicMs();
        await one.stop();
        await until(() => acquired.includes('two'));
        expect([acquired, systemClock.monotonicMs() - startedMs < 3_000]).toEqual([['one', 'two'], true]);
      }, 30_000);
    });
  });
}
