import { describe, expect, test } from '@jest/globals';
import { rowOnFacts } from '../../../machines/kit/step.js';
import { chart } from '../../../machines/cluster-initialized/chart.js';
import { controlPlaneFacts, factsOf } from '../../../src/controllers/cluster-initialized/facts-of-view.js';
import { clusterIndexes, machineIndexes } from '../../../src/controllers/cluster-initialized/indexes.js';
import { initializedField } from '../../../src/controllers/cluster-initialized/initialized-field.js';
import type { StoredCluster, StoredMachine } from '../../../src/controllers/cluster-initialized/objects.js';
import { viewOf } from '../../../src/controllers/cluster-initialized/view.js';
import { clusterOfMachine } from '../../../src/controllers/cluster-initialized/wiring.js';
import { crdName, externalKind } from '../../../src/controllers/machine/external/contract-version.js';
import type { ExternalLook } from '../../../src/controllers/machine/external/readings.js';

const reference = { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: 'cp' };
const cluster = (more: object = {}, metadata: object = {}): StoredCluster =>
  ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name: 'c1', namespace: 'ns', uid: 'u', ...metadata },
    ...more,
  }) as StoredCluster;
const machine = (
  name: string,
  { labels = {}, node = '', ...metadata }: { labels?: object; node?: string; deletionTimestamp?: string } = {},
): StoredMachine =>
  ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { name, namespace: 'ns', labels: { 'cluster.x-k8s.io/cluster-name': 'c1', ...labels }, ...metadata },
    spec: { clusterName: 'c1' },
    ...(node === '' ? {} : { status: { nodeRef: { name: node } } }),
  }) as unknown as StoredMachine;
const controlPlaneLabel = { 'cluster.x-k8s.io/control-plane': '' };

/** The view of a Cluster with Machines and what the cache shows of its control plane object. */
const look = (given: {
  cluster: StoredCluster;
  machines?: readonly StoredMachine[];
  look?: ExternalLook;
  synced?: boolean;
  watchFilter?: string;
  kind?: object | null;
}) =>
  viewOf(
    {
      clusters: { get: () => given.cluster },
      machines: {
        synced: given.synced ?? true,
        byIndex: (index, value) =>
          (given.machines ?? []).filter((each) => machineIndexes[index]?.(each).includes(value)),
      },
      controlPlanes: { look: () => given.look ?? { kind: 'unwatched' }, kindOf: () => (given.kind ?? null) as never },
      watchFilter: given.watchFilter ?? '',
    },
    'ns/c1',
  );
const rowOf = (given: Parameters<typeof look>[0]): string => {
  const view = look(given);
  return view === null ? 'gone' : rowOnFacts(chart, factsOf(view, 'table'));
};
const found = (status: unknown, contract: 'v1beta1' | 'v1beta2' = 'v1beta2', metadata: object = {}): ExternalLook =>
  ({
    kind: 'found',
    contract,
    object: { apiVersion: 'x/v1', kind: 'X', metadata: { name: 'cp', ...metadata }, status },
  }) as ExternalLook;

describe('ControlPlaneInitialized: the initialized field', () => {
  test.each([
    ['R-1', { initialization: { controlPlaneInitialized: true } }, 'initialized'],
    ['R-2', { initialization: { controlPlaneInitialized: false } }, 'notInitialized'],
    ['CI-011 R-3 no status', undefined, 'notInitialized'],
    ['CI-011 R-3 no parent', {}, 'notInitialized'],
    ['CI-011 R-3 parent null', { initialization: null }, 'notInitialized'],
    ['CI-011 R-3 status null', null, 'notInitialized'],
    ['CI-011 R-3 no leaf', { initialization: {} }, 'notInitialized'],
    ['CI-010 R-4 string', { initialization: { controlPlaneInitialized: 'true' } }, 'unreadable'],
    ['CI-010 R-4 empty string', { initialization: { controlPlaneInitialized: '' } }, 'unreadable'],
    ['CI-010 R-4 number', { initialization: { controlPlaneInitialized: 1 } }, 'unreadable'],
    ['CI-010 R-4 object', { initialization: { controlPlaneInitialized: {} } }, 'unreadable'],
    ['CI-010 R-4 null', { initialization: { controlPlaneInitialized: null } }, 'unreadable'],
    ['CI-010 R-5 scalar parent', { initialization: true }, 'unreadable'],
    ['CI-010 R-5 list parent', { initialization: [] }, 'unreadable'],
    ['CI-010 R-5 scalar status', 'yes', 'unreadable'],
    ['R-6 the other contract’s field', { initialized: true }, 'notInitialized'],
  ])('%s: contract v1beta2, status %j -> %s', (_, status, kind) => {
    expect(
      initializedField({ apiVersion: 'x/v1', kind: 'X', metadata: { name: 'cp' }, status } as never, 'v1beta2').kind,
    ).toBe(kind);
  });

  test.each([
    [{ initialized: true }, 'initialized'],
    [{ initialized: false }, 'notInitialized'],
    [{ initialization: { controlPlaneInitialized: true } }, 'notInitialized'],
    [{ initialized: 'true' }, 'unreadable'],
    [{}, 'notInitialized'],
  ])('SD-C3: contract v1beta1, status %j -> %s', (status, kind) => {
    expect(
      initializedField({ apiVersion: 'x/v1', kind: 'X', metadata: { name: 'cp' }, status } as never, 'v1beta1').kind,
    ).toBe(kind);
  });

  test('a field of the wrong type: -> the problem names path and type', () => {
    const said = controlPlaneFacts(found({ initialization: { controlPlaneInitialized: 'true' } }));
    expect(said).toEqual({
      controlPlane: 'unreadable',
      isControlPlaneDeleting: false,
      problem: '.status.initialization.controlPlaneInitialized is a string, not a bool',
    });
    expect(controlPlaneFacts(found({ initialization: 7 })).problem).toBe(
      '.status.initialization is a number, not a map',
    );
    expect(controlPlaneFacts(found({ initialized: null }, 'v1beta1')).problem).toBe(
      '.status.initialized is null, not a bool',
    );
  });
});

describe('ControlPlaneInitialized: contract versions', () => {
  const crd = (labels: Record<string, string>) => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName(reference), labels },
  });
  const contract = (name: string, versions: string) => ({ [`cluster.x-k8s.io/${name}`]: versions });

  test('CRD name: -> plural of the kind and the group', () => {
    expect(crdName(reference)).toBe('kubeadmcontrolplanes.controlplane.cluster.x-k8s.io');
  });

  test.each([
    ['K-1', {}, null],
    ['K-2', contract('v1beta2', 'v1alpha3_v1alpha4'), 'v1beta2 v1alpha4'],
    ['K-3', contract('v1beta1', 'v1alpha1_v1alpha2'), 'v1beta1 v1alpha2'],
    [
      'K-4',
      { ...contract('v1beta2', 'v1alpha3_v1alpha4'), ...contract('v1beta1', 'v1alpha1_v1alpha2') },
      'v1beta2 v1alpha4',
    ],
    ['K-5', { ...contract('v1beta1', 'v1beta1'), ...contract('v1beta2', 'v1beta2') }, 'v1beta2 v1beta2'],
    ['empty label', { ...contract('v1beta2', ''), ...contract('v1beta1', 'v1') }, 'v1beta1 v1'],
    ['order of versions', contract('v1beta2', 'v1beta2_foo_v2_v10alpha1_v1'), 'v1beta2 v2'],
  ])('%s: labels %j -> %s', (_, labels, expected) => {
    const answer = externalKind(reference, crd(labels));
    expect('kind' in answer ? `${answer.kind.contract} ${answer.kind.resource.version}` : null).toBe(expected);
  });

  test('C-18: no CRD -> a problem, not an absence', () => {
    expect(externalKind(reference, undefined)).toHaveProperty('problem');
  });
});

describe('ControlPlaneInitialized: facts of a view', () => {
  const withRef = cluster({ spec: { controlPlaneRef: reference } });

  test.each<[string, ExternalLook, string]>([
    ['unwatched -> its watch is opened', { kind: 'unwatched' }, 'C06'],
    ['CI-005 unreadable -> internal error', { kind: 'unreadable', message: 'no such CRD' }, 'C07'],
    ['CI-006 missing -> does not exist', { kind: 'missing' }, 'C08'],
    ['CI-010 found, wrong type -> internal error', found({ initialization: { controlPlaneInitialized: 7 } }), 'C09'],
    ['CI-008 found, true -> initialised', found({ initialization: { controlPlaneInitialized: true } }), 'C10'],
    ['CI-011 found, without status -> not initialised', found(undefined), 'C11'],
  ])('control plane object: %s', (_, seen, row) => {
    expect(rowOf({ cluster: withRef, look: seen })).toBe(row);
  });

  test('3.7 wiring: the infrastructure cluster’s absence -> plays no part', () => {
    const infra = cluster({
      spec: { controlPlaneRef: reference, infrastructureRef: { apiGroup: 'i', kind: 'I', name: 'missing' } },
    });
    expect(rowOf({ cluster: infra, look: { kind: 'missing' } })).toBe('C08');
    expect(rowOf({ cluster: infra, look: { kind: 'unreadable', message: 'x' } })).toBe('C07');
  });

  test('C-13: topology and ref, no infrastructure ref -> the object is read', () => {
    const both = cluster({
      spec: { controlPlaneRef: reference, topology: { classRef: { name: 'x' }, version: 'v1' } },
    });
    expect(rowOf({ cluster: both, look: found({ initialization: { controlPlaneInitialized: true } }) })).toBe('C10');
  });

  test('a watch that has not come up: -> opened again, for only trying tells', () => {
    const late: ExternalLook = { kind: 'unreadable', message: 'failed to add watch on external object "x": no' };
    expect(rowOf({ cluster: withRef, look: late, kind: {} })).toBe('C06');
    expect(
      rowOf({ cluster: withRef, look: { kind: 'unreadable', message: 'crds: the first list has not come in' } }),
    ).toBe('C06');
  });

  test.each([
    [{}, 'C14'],
    [{ topology: {} }, 'C14'],
    [{ topology: { classRef: { name: '' }, version: '' } }, 'C14'],
    [{ topology: { version: 'v1.33.0' } }, 'C04'],
    [{ topology: { classRef: { name: 'quick' } } }, 'C04'],
    [{ controlPlaneRef: { apiGroup: '', kind: '', name: '' } }, 'C14'],
    [{ controlPlaneRef: { apiGroup: '', kind: 'X', name: '' } }, 'C06'],
  ])('defined or not: spec %j -> %s', (spec, row) => {
    expect(rowOf({ cluster: cluster({ spec }) })).toBe(row);
  });

  test.each<[string, readonly StoredMachine[], string]>([
    ['CI-015 none', [], 'C14'],
    ['CI-014 a worker with a node', [machine('w', { node: 'n' })], 'C14'],
    ['CI-015 a control plane Machine without node', [machine('m', { labels: controlPlaneLabel })], 'C14'],
    [
      'CI-013 a control plane Machine with a node',
      [machine('w'), machine('m', { labels: controlPlaneLabel, node: 'n' })],
      'C13',
    ],
    [
      'CI-013 the label with any value',
      [machine('m', { labels: { 'cluster.x-k8s.io/control-plane': 'yes' }, node: 'n' })],
      'C13',
    ],
    [
      'CI-014 another cluster’s Machine',
      [machine('m', { labels: { ...controlPlaneLabel, 'cluster.x-k8s.io/cluster-name': 'c2' }, node: 'n' })],
      'C14',
    ],
    [
      'CI-013 a Machine that is being deleted',
      [machine('m', { labels: controlPlaneLabel, node: 'n', deletionTimestamp: 'x' })],
      'C13',
    ],
  ])('standalone: %s', (_, machines, row) => {
    expect(rowOf({ cluster: cluster(), machines })).toBe(row);
  });

  test('CI-012 Machines cannot be listed -> internal error', () => {
    expect(rowOf({ cluster: cluster(), synced: false })).toBe('C12');
  });

  test('V-8 V-9: Machines with a node, one of them staying -> node; all leaving -> leavingNode', () => {
    const staying = machine('a', { labels: controlPlaneLabel, node: 'n' });
    const leaving = machine('b', { labels: controlPlaneLabel, node: 'n', deletionTimestamp: 'x' });
    const machinesOf = (machines: readonly StoredMachine[]) =>
      factsOf(look({ cluster: cluster(), machines }) as never, 'table').machines;
    expect([machinesOf([leaving, staying]), machinesOf([leaving])]).toEqual(['node', 'leavingNode']);
  });

  test('pause, filter and latch: as the Cluster says', () => {
    const condition = { type: 'ControlPlaneInitialized', status: 'True', reason: 'x', message: '' };
    expect(rowOf({ cluster: cluster({ spec: { paused: true } }) })).toBe('C03');
    expect(rowOf({ cluster: cluster({}, { annotations: { 'cluster.x-k8s.io/paused': '' } }) })).toBe('C03');
    expect(rowOf({ cluster: cluster(), watchFilter: 'blue' })).toBe('C02');
    expect(
      rowOf({ cluster: cluster({}, { labels: { 'cluster.x-k8s.io/watch-filter': 'blue' } }), watchFilter: 'blue' }),
    ).toBe('C14');
    expect(rowOf({ cluster: cluster({ status: { conditions: [condition] } }) })).toBe('C01');
    expect(rowOf({ cluster: cluster({ status: { initialization: { controlPlaneInitialized: true } } }) })).toBe('C14');
    const twin = { deprecated: { v1beta1: { conditions: [condition] } } };
    expect(factsOf(look({ cluster: cluster({ status: twin }) }) as never, 'table').isTwinInitialized).toBe(true);
  });
});

describe('ControlPlaneInitialized: who is woken', () => {
  const initialized = cluster({
    status: { conditions: [{ type: 'ControlPlaneInitialized', status: 'True', reason: 'x', message: '' }] },
  });
  const get = (given: StoredCluster | undefined) => ({ get: () => given });

  test.each<[string, StoredMachine, StoredCluster | undefined, string | null]>([
    ['CM-1 no label, node', machine('m', { node: 'n' }), cluster(), null],
    ['CM-2 no label, no node', machine('m'), cluster(), null],
    ['CM-3 label, no node', machine('m', { labels: controlPlaneLabel }), cluster(), null],
    ['CM-4 label and node, no Cluster', machine('m', { labels: controlPlaneLabel, node: 'n' }), undefined, null],
    [
      'CM-5 label and node, Cluster initialised',
      machine('m', { labels: controlPlaneLabel, node: 'n' }),
      initialized,
      null,
    ],
    [
      'CI-020 CM-6 label and node, Cluster not initialised',
      machine('m', { labels: controlPlaneLabel, node: 'n' }),
      cluster(),
      'c1',
    ],
  ])('%s', (_, given, known, woken) => {
    expect(clusterOfMachine(given, get(known))?.metadata.name ?? null).toBe(woken);
  });

  test('indexes: a Cluster by its control plane object, a Machine by its label', () => {
    expect(clusterIndexes['control-plane']?.(cluster({ spec: { controlPlaneRef: reference } }))).toEqual([
      'ns/controlplane.cluster.x-k8s.io/KubeadmControlPlane/cp',
    ]);
    expect(clusterIndexes['control-plane']?.(cluster())).toEqual([]);
    expect(machineIndexes['cluster-label']?.(machine('m'))).toEqual(['ns/c1']);
  });
});

test('CI-021 infrastructure not there, unknown, there: looked at, in every stage of the control plane -> decided in the same way', () => {
  const stages = [
    { look: found({ initialization: { controlPlaneInitialized: true } }), row: 'initialized' },
    { look: found({ initialization: { controlPlaneInitialized: false } }), row: 'not yet' },
    { look: { kind: 'missing' } as ExternalLook, row: 'missing' },
  ];
  const rows = stages.map((stage) =>
    [
      {},
      { initialization: {} },
      ...[false, true].map((is) => ({ initialization: { infrastructureProvisioned: is } })),
    ].map((status) => rowOf({ cluster: cluster({ spec: { controlPlaneRef: reference }, status }), look: stage.look })),
  );
  for (const of of rows) expect(new Set(of).size).toBe(1);
  expect(new Set(rows.map(([row]) => row)).size).toBe(stages.length);
});
