import { describe, expect, test } from '@jest/globals';
import { rowOnFacts } from '../../../machines/kit/step.js';
import { chart } from '../../../machines/machines-up-to-date/chart.js';
import { machineIndexes } from '../../../src/controllers/cluster-initialized/indexes.js';
import { factsOf } from '../../../src/controllers/machines-up-to-date/facts-of-view.js';
import type {
  StoredCluster,
  StoredControlPlane,
  StoredMachine,
} from '../../../src/controllers/machines-up-to-date/objects.js';
import { viewOf } from '../../../src/controllers/machines-up-to-date/view.js';
import { keyOfCluster, keysOfMachine } from '../../../src/controllers/machines-up-to-date/wiring.js';

const now = Date.parse('2026-01-02T03:04:05Z');
const clusterOwner = { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster', name: 'c1', uid: 'c' };
const ours = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta1',
  kind: 'KubeadmControlPlane',
  name: 'cp',
  uid: 'old',
  controller: true,
};

const controlPlane = (metadata: object = {}): StoredControlPlane =>
  ({
    apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmControlPlane',
    metadata: { name: 'cp', namespace: 'ns', uid: 'u', ownerReferences: [clusterOwner], ...metadata },
  }) as StoredControlPlane;
const cluster = (more: object = {}): StoredCluster =>
  ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name: 'c1', namespace: 'ns' },
    spec: {
      controlPlaneEndpoint: { host: 'api', port: 6443 },
      controlPlaneRef: { apiGroup: 'controlplane.cluster.x-k8s.io', kind: 'KubeadmControlPlane', name: 'cp' },
    },
    status: { initialization: { infrastructureProvisioned: true } },
    ...more,
  }) as StoredCluster;
const machine = (name: string, metadata: object = {}, status = 'True'): StoredMachine =>
  ({
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: {
      name,
      namespace: 'ns',
      creationTimestamp: '2026-01-01T00:00:00Z',
      labels: { 'cluster.x-k8s.io/cluster-name': 'c1', 'cluster.x-k8s.io/control-plane': '' },
      ownerReferences: [ours],
      ...metadata,
    },
    spec: { clusterName: 'c1' },
    status: { conditions: status === '' ? [] : [{ type: 'UpToDate', status, reason: 'x', message: 'm' }] },
  }) as unknown as StoredMachine;

interface Given {
  readonly controlPlane?: StoredControlPlane;
  readonly cluster?: StoredCluster | null;
  readonly machines?: readonly StoredMachine[];
  readonly synced?: boolean;
  readonly watchFilter?: string;
}
const factsWith = (given: Given) => {
  const view = viewOf(
    {
      controlPlanes: { get: () => given.controlPlane ?? controlPlane() },
      clusters: {
        get: (_, name) => (name === 'c1' && given.cluster !== null ? (given.cluster ?? cluster()) : undefined),
      },
      machines: {
        synced: given.synced ?? true,
        byIndex: (index, value) =>
          (given.machines ?? []).filter((each) => machineIndexes[index]?.(each).includes(value)),
      },
      watchFilter: given.watchFilter ?? '',
    },
    'ns/cp',
  );
  if (view === null) throw new Error('no view');
  return factsOf(view, now, 'table');
};
const rowOf = (given: Given): string => rowOnFacts(chart, factsWith(given));
const foreign = { ...ours, name: 'other' };

describe('MachinesUpToDate: facts of a view', () => {
  test.each<[string, Given, string]>([
    ['UP-2 no owner Cluster', { controlPlane: controlPlane({ ownerReferences: [] }) }, 'U02'],
    [
      'UP-2 an owner of another group',
      { controlPlane: controlPlane({ ownerReferences: [{ ...clusterOwner, apiVersion: 'x/v1' }] }) },
      'U02',
    ],
    ['UP-3 Cluster does not exist', { cluster: null }, 'U03'],
    ['UP-5 Cluster paused', { cluster: cluster({ spec: { paused: true } }) }, 'U04'],
    [
      'UP-5 pause annotation',
      { controlPlane: controlPlane({ annotations: { 'cluster.x-k8s.io/paused': 'x' } }) },
      'U04',
    ],
    ['watch filter', { watchFilter: 'blue' }, 'U01'],
    [
      'UP-6 infrastructure not provisioned, a foreign Machine',
      { cluster: cluster({ status: {} }), machines: [machine('m', { ownerReferences: [foreign] })] },
      'U10',
    ],
    [
      'MU-002 UP-6 no endpoint',
      { cluster: cluster({ spec: { controlPlaneEndpoint: { host: 'api' } } }), machines: [machine('m', {}, 'False')] },
      'U10',
    ],
    ['UP-7 Machines cannot be listed', { synced: false }, 'U05'],
    [
      'UP-8 a Machine without controller',
      { machines: [machine('a'), machine('b', { ownerReferences: [{ ...ours, controller: false }] })] },
      'U06',
    ],
    ['UP-9 a foreign Machine', { machines: [machine('a'), machine('b', { ownerReferences: [foreign] })] }, 'U07'],
    [
      'UP-10 deleting: adoptable and foreign ones are left out',
      {
        controlPlane: controlPlane({ deletionTimestamp: 'x' }),
        machines: [
          machine('a', {}, 'False'),
          machine('b', { ownerReferences: [foreign] }),
          machine('c', { ownerReferences: [] }),
        ],
      },
      'U12',
    ],
    ['MU-001 owned by group, kind and name, whatever uid and version', { machines: [machine('a')] }, 'U14'],
    [
      'MU-001 a worker is none of ours',
      { machines: [machine('w', { labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } }, 'False')] },
      'U10',
    ],
    [
      'MU-001 the label with another value',
      {
        machines: [
          machine(
            'w',
            { labels: { 'cluster.x-k8s.io/cluster-name': 'c1', 'cluster.x-k8s.io/control-plane': 'true' } },
            'False',
          ),
        ],
      },
      'U10',
    ],
    [
      'MU-001 another cluster’s Machine',
      {
        machines: [
          machine(
            'w',
            { labels: { 'cluster.x-k8s.io/cluster-name': 'c2', 'cluster.x-k8s.io/control-plane': '' } },
            'False',
          ),
        ],
      },
      'U10',
    ],
    ['MU-005 a deleting Machine counts', { machines: [machine('a', { deletionTimestamp: 'x' }, 'False')] }, 'U12'],
    ['MU-007 an old Machine without the condition', { machines: [machine('a', {}, '')] }, 'U13'],
  ])('%s -> %s', (_, given, row) => {
    expect(rowOf(given)).toBe(row);
  });

  test('MU-015 the ten-second rule: a young Machine -> left out, with the time until it counts', () => {
    const given = { machines: [machine('a', { creationTimestamp: '2026-01-02T03:04:00Z' }, '')] };
    expect(factsWith(given)).toMatchObject({ machines: 'none', nextOldEnoughInMs: 5_001 });
    expect(factsWith({ machines: [machine('a', { creationTimestamp: null }, '')] })).toMatchObject({
      machines: 'Unknown',
      nextOldEnoughInMs: null,
    });
  });
});

describe('MachinesUpToDate: who is woken', () => {
  const clusters = { get: (_: string, name: string) => (name === 'c1' ? cluster() : undefined) };

  test('MU-017 a Machine: -> the object that controls it, and the one whose Cluster its labels name', () => {
    expect(keysOfMachine(machine('a'), clusters)).toEqual(['ns/cp', 'ns/cp']);
    expect(keysOfMachine(machine('a', { ownerReferences: [] }), clusters)).toEqual(['ns/cp']);
    expect(keysOfMachine(machine('a', { labels: {} }), clusters)).toEqual(['ns/cp']);
    expect(
      keysOfMachine(machine('a', { labels: {}, ownerReferences: [{ ...ours, controller: false }] }), clusters),
    ).toEqual([]);
    expect(
      keysOfMachine(machine('a', { labels: {}, ownerReferences: [{ ...ours, apiVersion: 'x/v1' }] }), clusters),
    ).toEqual([]);
  });

  test('MU-017 a Cluster: -> the KubeadmControlPlane that it names, no other kind', () => {
    expect(keyOfCluster(cluster())).toBe('ns/cp');
    expect(
      keyOfCluster(cluster({ spec: { controlPlaneRef: { kind: 'Other', name: 'cp', apiGroup: 'x' } } })),
    ).toBeNull();
    expect(keyOfCluster(cluster({ spec: {} }))).toBeNull();
  });
});
