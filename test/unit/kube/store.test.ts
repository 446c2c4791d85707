import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { resources } from '../../../src/api/names.js';
import type { CacheChange, KubeObject } from '../../../src/kube/contract.js';
import { projectSecret } from '../../../src/kube/projections.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { compareVersions, versionAfter } from '../../../src/kube/resource-version.js';
import { createStore, type Store } from '../../../src/kube/store.js';
import { machine } from './scripted-client.js';

const resource = resourceOf(resources.Machine);
const whole = { mark: 0, consistent: true };

function storeWith(...objects: KubeObject[]): { store: Store<KubeObject>; changes: CacheChange<KubeObject>[] } {
  const store = createStore<KubeObject>({
    resource,
    indexes: { label: ({ metadata }) => Object.values(metadata.labels ?? {}) },
  });
  const changes: CacheChange<KubeObject>[] = [];
  store.replace(objects, '10', { ...whole, mark: store.mark() });
  store.subscribe((change) => changes.push(change));
  return { store, changes };
}

const brief = (changes: readonly CacheChange<KubeObject>[]): string[] =>
  changes.map(
    ({ type, sync, before, after }) =>
      `${type}${sync ? ' sync' : ''} ${before?.metadata.resourceVersion ?? '-'}>${after?.metadata.resourceVersion ?? '-'}`,
  );

describe('store: events', () => {
  test('added, changed and deleted -> told with before and after', () => {
    const { store, changes } = storeWith();
    store.apply('ADDED', machine('a', '11'));
    store.apply('MODIFIED', machine('a', '12'));
    store.apply('DELETED', machine('a', '13'));
    expect(brief(changes)).toEqual(['added ->11', 'updated 11>12', 'deleted 12>-']);
    expect([store.get('default', 'a'), store.resourceVersion]).toEqual([undefined, '13']);
  });

  test('older or equal version -> dropped, whatever its type', () => {
    const { store, changes } = storeWith(machine('a', '9'));
    store.apply('MODIFIED', machine('a', '8'));
    store.apply('ADDED', machine('a', '9'));
    store.apply('DELETED', machine('a', '7'));
    expect(changes).toEqual([]);
  });

  test('bookmark -> the version moves, nothing is told', () => {
    const { store, changes } = storeWith();
    store.bookmark('99');
    store.bookmark('50');
    expect([store.resourceVersion, changes]).toEqual(['99', []]);
  });

  test('objects -> frozen and without managedFields', () => {
    const { store } = storeWith(machine('a', '1', { managedFields: [{}], labels: { a: 'b' } } as object));
    const object = store.get('default', 'a');
    expect(object?.metadata).not.toHaveProperty('managedFields');
    expect(Object.isFrozen(object?.metadata.labels)).toBe(true);
  });

  test('listener that throws -> the others are told, the error is reported', () => {
    const errors: unknown[] = [];
    const store = createStore<KubeObject>({ resource, onError: (error) => errors.push(error) });
    const told: string[] = [];
    store.subscribe(() => {
      throw new Error('bug');
    });
    store.subscribe(({ after }) => told.push(after?.metadata.name ?? ''));
    store.apply('ADDED', machine('a', '1'));
    expect([told, errors.length]).toEqual([['a'], 1]);
  });

  test('listener that reads the store -> sees the whole list', () => {
    const store = createStore<KubeObject>({ resource });
    const seen: number[] = [];
    store.subscribe(() => seen.push(store.list().length));
    store.replace([machine('a', '1'), machine('b', '2')], '5', whole);
    expect(seen).toEqual([2, 2]);
  });
});

describe('store: lists', () => {
  test('relist -> only differences are told, as sync', () => {
    const { store, changes } = storeWith(machine('same', '1'), machine('changed', '2'), machine('gone', '3'));
    store.replace([machine('same', '1'), machine('changed', '12'), machine('new', '13')], '20', {
      ...whole,
      mark: store.mark(),
    });
    expect(brief(changes).sort()).toEqual(['added sync ->13', 'deleted sync 3>-', 'updated sync 2>12']);
  });

  test('relist: another version of the same generation -> told, for only its status has changed', () => {
    const of = (version: string) => machine('a', version, { generation: 1 } as object);
    const { store, changes } = storeWith(of('2'));
    store.replace([of('12')], '20', { ...whole, mark: store.mark() });
    expect(brief(changes)).toEqual(['updated sync 2>12']);
  });

  test('first list -> synced, once', async () => {
    const store = createStore<KubeObject>({ resource });
    expect(store.synced).toBe(false);
    store.replace([], '1', whole);
    await store.whenSynced();
    expect(store.synced).toBe(true);
  });

  test('server whose etcd was restored -> a current list takes the store back', () => {
    const { store } = storeWith(machine('a', '900'), machine('lost', '901'));
    store.replace([machine('a', '5')], '6', { ...whole, mark: store.mark() });
    expect([
      store.get('default', 'a')?.metadata.resourceVersion,
      store.get('default', 'lost'),
      store.resourceVersion,
    ]).toEqual(['5', undefined, '6']);
  });
});

describe('store: indexes', () => {
  test('label that changes -> found under the new value alone; namespaces apart', () => {
    const { store } = storeWith(
      machine('a', '1', { labels: { x: 'one' } }),
      machine('b', '2', { namespace: 'other', labels: { x: 'one' } }),
    );
    store.apply('MODIFIED', machine('a', '11', { labels: { x: 'two' } }));
    expect(store.byIndex('label', 'one').map(({ metadata }) => metadata.name)).toEqual(['b']);
    expect(store.byIndex('label', 'two').map(({ metadata }) => metadata.name)).toEqual(['a']);
    expect(store.list('other').map(({ metadata }) => metadata.name)).toEqual(['b']);
    store.apply('DELETED', machine('a', '12'));
    expect(store.byIndex('label', 'two')).toEqual([]);
  });

  test('index that nobody declared -> a bug that shows itself', () => {
    expect(() => storeWith().store.byIndex('nope', 'x')).toThrow('no index nope was declared');
  });
});

describe('store: our own writes', () => {
  const wrote = (resourceVersion: string, name = 'a') => ({ namespace: 'default', name, resourceVersion });

  test('write that the watch has not shown -> not shown; shown by the event or a later one', () => {
    const { store } = storeWith(machine('a', '9'));
    expect(store.shows(wrote('12'))).toBe(false);
    store.apply('MODIFIED', machine('a', '12'));
    expect(store.shows(wrote('12'))).toBe(true);
    store.apply('MODIFIED', machine('a', '15'));
    expect(store.shows(wrote('12'))).toBe(true);
  });

  test('created object -> not shown while absent at an older version, shown by absence at a later one', () => {
    const { store } = storeWith();
    expect(store.shows(wrote('12'))).toBe(false);
    store.bookmark('12');
    expect(store.shows(wrote('12'))).toBe(true);
  });

  test('object of an earlier life -> does not pass for the later one', () => {
    const { store } = storeWith(machine('a', '9', { uid: 'old' }));
    expect(store.shows(wrote('12'))).toBe(false);
    store.apply('ADDED', machine('a', '14', { uid: 'newer' }));
    expect(store.shows(wrote('12'))).toBe(true);
  });

  test('live read -> in the store at once, and later events of the past change nothing', () => {
    const { store, changes } = storeWith(machine('a', '9'));
    store.settle('default', 'a', machine('a', '14'), '20');
    expect([store.shows(wrote('14')), store.shows(wrote('20'))]).toEqual([true, true]);
    store.apply('MODIFIED', machine('a', '12'));
    store.apply('MODIFIED', machine('a', '14'));
    expect(brief(changes)).toEqual(['updated 9>14']);
    store.apply('MODIFIED', machine('a', '21'));
    expect(store.get('default', 'a')?.metadata.resourceVersion).toBe('21');
  });

  test('live read of absence -> the object is gone and does not come back by an old event', () => {
    const { store, changes } = storeWith(machine('a', '9'));
    store.settle('default', 'a', null, '20');
    expect(store.shows(wrote('15'))).toBe(true);
    store.apply('MODIFIED', machine('a', '15'));
    store.apply('DELETED', machine('a', '16'));
    expect(brief(changes)).toEqual(['deleted 9>-']);
    store.apply('ADDED', machine('a', '25'));
    expect(store.get('default', 'a')?.metadata.resourceVersion).toBe('25');
  });

  test('live read that is older than what is known -> changes nothing', () => {
    const { store, changes } = storeWith(machine('a', '9'));
    store.apply('MODIFIED', machine('a', '30'));
    store.settle('default', 'a', machine('a', '14'), '20');
    store.settle('default', 'a', null, '20');
    expect(brief(changes)).toEqual(['updated 9>30']);
  });

  test('live read whose answer comes after the deletion -> the object does not come back', () => {
    const { store, changes } = storeWith(machine('a', '9'));
    store.apply('DELETED', machine('a', '21'));
    store.settle('default', 'a', machine('a', '9'), '20');
    expect(store.get('default', 'a')).toBeUndefined();
    expect(brief(changes)).toEqual(['deleted 9>-']);
  });

  test('live read whose answer comes after that of a later one -> absence stays', () => {
    const { store } = storeWith(machine('a', '9'));
    store.settle('default', 'a', null, '25');
    store.settle('default', 'a', machine('a', '9'), '20');
    expect(store.get('default', 'a')).toBeUndefined();
    store.settle('default', 'a', machine('a', '26'), '27');
    expect(store.get('default', 'a')?.metadata.resourceVersion).toBe('26');
  });

  test('list that began before the live read -> does not undo it; one that began after does', () => {
    const { store } = storeWith(machine('a', '9'));
    const mark = store.mark();
    store.settle('default', 'a', machine('a', '14'), '20');
    store.settle('default', 'b', null, '20');
    store.replace([machine('a', '9'), machine('b', '8')], '12', { mark, consistent: true });
    expect([store.get('default', 'a')?.metadata.resourceVersion, store.get('default', 'b')]).toEqual(['14', undefined]);
    store.replace([machine('a', '9')], '12', { mark: store.mark(), consistent: true });
    expect(store.get('default', 'a')?.metadata.resourceVersion).toBe('9');
  });
});

describe('store: any history', () => {
  test('events in server order with repeats, live reads and relists in between -> the store ends as the server', () => {
    const names = ['a', 'b', 'c'];
    const action = fc.record({
      name: fc.constantFrom(...names),
      kind: fc.constantFrom('write', 'delete', 'settle', 'relist', 'lag'),
    });
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const store = createStore<KubeObject>({ resource });
        const server = new Map<string, KubeObject>();
        const log: ['ADDED' | 'MODIFIED' | 'DELETED', KubeObject][] = [];
        let version = 1;
        store.replace([], '1', whole);
        for (const { name, kind } of actions) {
          if (kind === 'write') {
            version += 1;
            const object = machine(name, String(version));
            log.push([server.has(name) ? 'MODIFIED' : 'ADDED', object]);
            server.set(name, object);
          } else if (kind === 'delete' && server.has(name)) {
            version += 1;
            log.push(['DELETED', machine(name, String(version))]);
            server.delete(name);
          } else if (kind === 'settle') {
            store.settle('default', name, server.get(name) ?? null, String(version));
            expect(store.get('default', name)?.metadata.resourceVersion).toBe(
              server.get(name)?.metadata.resourceVersion,
            );
          } else if (kind === 'relist') {
            store.replace([...server.values()], String(version), { mark: store.mark(), consistent: true });
            log.length = 0;
          } else {
            const event = log.shift();
            if (event !== undefined) store.apply(...event);
          }
        }
        for (const event of log) store.apply(...event);
        expect(new Set(store.list().map((object) => object.metadata.resourceVersion))).toEqual(
          new Set([...server.values()].map((object) => object.metadata.resourceVersion)),
        );
      }),
      { numRuns: 300 },
    );
  });
});

describe('versions', () => {
  test.each([
    ['9', '10', -1],
    ['10', '9', 1],
    ['7', '7', 0],
    ['', '1', -1],
    ['007', '7', 0],
    ['9007199254740993', '9007199254740992', 1],
    ['abc', '0', -1],
  ])('%s against %s -> sign %s', (a, b, sign) => {
    expect(Math.sign(compareVersions(a, b))).toBe(sign);
  });

  test('the version after one -> one more, in a spelling that no server uses', () => {
    expect([versionAfter('9'), versionAfter('9007199254740993'), versionAfter('')]).toEqual([
      '010',
      '09007199254740994',
      '',
    ]);
    expect([compareVersions(versionAfter('9'), '10'), compareVersions('9', versionAfter('9'))]).toEqual([
      0,
      expect.any(Number),
    ]);
    expect(compareVersions('9', versionAfter('9'))).toBeLessThan(0);
  });
});

describe('secrets in caches', () => {
  const secret = (name: string, cluster?: string): KubeObject =>
    ({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'cluster.x-k8s.io/secret',
      metadata: { name, ...(cluster === undefined ? {} : { labels: { 'cluster.x-k8s.io/cluster-name': cluster } }) },
      data: { value: 'c2VjcmV0' },
      stringData: { a: 'b' },
    }) as KubeObject;

  test.each(['ca', 'etcd', 'proxy', 'sa', 'apiserver-etcd-client', 'kubeconfig'])(
    'purpose %s -> data is kept',
    (purpose) => {
      expect(projectSecret(secret(`c1-${purpose}`, 'c1'))).toHaveProperty('data');
    },
  );

  test.each([
    ['bootstrap data', secret('c1-md-0-abc', 'c1')],
    ['another cluster', secret('c1-ca', 'c2')],
    ['no label', secret('c1-ca')],
  ])('%s -> no data is kept', (_, object) => {
    expect(Object.keys(projectSecret(object))).toEqual(['apiVersion', 'kind', 'metadata', 'type']);
  });
});
