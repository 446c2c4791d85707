// Structural schemas of Cluster API's kinds: defaults, limits, list types and rules, with the server's own words.
import type { Dialogue, Step } from './dialogue.js';
import { machine } from './dialogues-objects.js';

const machines = '/apis/cluster.x-k8s.io/v1beta2/namespaces/{ns}/machines';
const clusters = '/apis/cluster.x-k8s.io/v1beta2/namespaces/{ns}/clusters';
const pools = '/apis/cluster.x-k8s.io/v1beta2/namespaces/{ns}/machinepools';
const configs = '/apis/bootstrap.cluster.x-k8s.io/v1beta2/namespaces/{ns}/kubeadmconfigs';

function config(name: string, spec: object): object {
  return { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2', kind: 'KubeadmConfig', metadata: { name }, spec };
}

function refused(path: string, body: object): Step {
  return { do: 'POST', path, body, show: ['code', 'details.causes'] };
}

function refusedConfig(spec: object): Step {
  return refused(configs, config('k', spec));
}

const clusterSpec = { clusterNetwork: { pods: { cidrBlocks: ['10.0.0.0/16'] } } };

/** Stories about schemas. */
export const schemaDialogues: readonly Dialogue[] = [
  {
    title: 'machines: types, limits, patterns and unique keys',
    steps: [
      refused(machines, { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', metadata: { name: 'm' } }),
      refused(machines, { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', metadata: { name: 'm' }, spec: {} }),
      refused(machines, machine('m', { clusterName: 7 })),
      refused(machines, machine('m', { clusterName: '' })),
      refused(machines, machine('m', { clusterName: 'x'.repeat(64) })),
      refused(machines, machine('m', { bootstrap: {} })),
      refused(machines, machine('m', { minReadySeconds: -1, providerID: '' })),
      refused(machines, machine('m', { minReadySeconds: '1', version: 1 })),
      refused(machines, machine('m', { readinessGates: [{ conditionType: 'a' }, { conditionType: 'a' }] })),
      refused(machines, machine('m', { readinessGates: [{ conditionType: '/' }, { polarity: 'Sideways' }] })),
      refused(machines, machine('m', { infrastructureRef: { apiGroup: '', kind: '-', name: 'X' } })),
      { ...refused(machines, machine('m', { deletion: { nodeDrainTimeoutSeconds: 1.5 } })), show: ['code', 'reason'] },
      refused(machines, machine('m', { infrastructureRef: null })),
      refused(machines, machine('m', { infrastructureRef: [] })),
    ],
  },
  {
    title: 'status: validated like spec, and list keys must be there',
    steps: [
      { do: 'POST', path: machines, body: machine('m1'), show: [] },
      {
        do: 'PATCH',
        path: `${machines}/m1/status`,
        body: { status: { conditions: [{ type: 'Ready' }] } },
        contentType: 'application/merge-patch+json',
        show: ['code', 'details.causes'],
      },
      {
        do: 'PATCH',
        path: `${machines}/m1/status`,
        body: { status: { phase: 1, nodeRef: { name: '' } } },
        contentType: 'application/merge-patch+json',
        show: ['code', 'details.causes'],
      },
      {
        do: 'PATCH',
        path: `${machines}/m1/status`,
        body: {
          status: {
            conditions: [{ type: 'Ready', status: 'Maybe', reason: 'R', lastTransitionTime: 'yesterday', message: '' }],
          },
        },
        contentType: 'application/merge-patch+json',
        show: ['code', 'details.causes'],
      },
      {
        do: 'PATCH',
        path: `${machines}/m1/status`,
        body: {
          status: {
            conditions: [
              { type: 'Ready', status: 'True', reason: 'R', lastTransitionTime: '2026-01-01T00:00:00Z', message: '' },
            ],
          },
        },
        contentType: 'application/merge-patch+json',
      },
    ],
  },
  {
    title: 'kubeadmconfigs: rules, enums, bytes and defaults',
    steps: [
      refusedConfig({ joinConfiguration: {} }),
      refusedConfig({ format: 'other' }),
      refusedConfig({ files: [{ path: '/x' }] }),
      refusedConfig({ files: [{ content: 'x' }] }),
      refusedConfig({ files: [{ path: '/x', content: 'x', encoding: 'none' }] }),
      refusedConfig({ files: [{ path: '/x', contentFrom: { secret: { name: 'x' } } }] }),
      refusedConfig({ users: [{ name: '' }] }),
      refusedConfig({ preKubeadmCommands: [''] }),
      refusedConfig({ verbosity: 'high' }),
      refusedConfig({ ntp: {} }),
      refusedConfig({
        initConfiguration: {
          nodeRegistration: {
            kubeletExtraArgs: [
              { name: 'a', value: '1' },
              { name: 'a', value: '2' },
            ],
          },
        },
      }),
      refusedConfig({ clusterConfiguration: { apiServer: { extraArgs: [{ name: 'a' }] } } }),
      refusedConfig({
        clusterConfiguration: {
          apiServer: {
            extraArgs: [
              { name: 'a', value: '1' },
              { name: 'a', value: '1' },
            ],
          },
        },
      }),
      refusedConfig({ diskSetup: { partitions: [{ device: '/dev/a' }] } }),
      refusedConfig({
        diskSetup: {
          partitions: [{ device: '/dev/a', layout: true, diskLayout: [{ percentage: 50, partitionType: 'ext4' }] }],
        },
      }),
      refusedConfig({ diskSetup: { filesystems: [{ device: 'a', filesystem: 'ext4', replaceFS: 1 }] } }),
      refusedConfig({ joinConfiguration: { discovery: { bootstrapToken: { token: '' } } } }),
      refusedConfig({ joinConfiguration: { nodeRegistration: { taints: [{ key: 'a' }] } } }),
      refusedConfig({ mounts: [[]] }),
      refusedConfig({ ignition: { containerLinuxConfig: {} } }),
      {
        do: 'POST',
        path: configs,
        body: config('k1', {
          joinConfiguration: { nodeRegistration: { kubeletExtraArgs: [{ name: 'v', value: '' }] } },
        }),
      },
      {
        do: 'POST',
        path: configs,
        body: config('k2', {
          clusterConfiguration: { networking: { dnsDomain: 'x' } },
          initConfiguration: { bootstrapTokens: [{ token: 'abcdef.0123456789abcdef' }] },
        }),
      },
      { do: 'POST', path: configs, body: config('k3', {}) },
      {
        do: 'POST',
        path: configs,
        body: { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2', kind: 'KubeadmConfig', metadata: { name: 'k4' } },
      },
    ],
  },
  {
    title: 'clusters and machine pools: maps, numbers and references',
    steps: [
      refused(clusters, { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata: { name: 'c' }, spec: {} }),
      refused(clusters, {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Cluster',
        metadata: { name: 'c' },
        spec: { controlPlaneEndpoint: { host: 'x', port: 99999 } },
      }),
      {
        do: 'POST',
        path: clusters,
        body: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', metadata: { name: 'c' }, spec: clusterSpec },
      },
      refused(pools, {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'MachinePool',
        metadata: { name: 'p' },
        spec: { clusterName: 'c', template: {} },
      }),
      refused(pools, {
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'MachinePool',
        metadata: { name: 'p' },
        spec: { clusterName: 'c', template: { metadata: { labels: { a: 1 } }, spec: {} } },
      }),
    ],
  },
  {
    title: 'metadata: labels, annotations, finalizers and owners are checked',
    steps: [
      refused(machines, machine('m', {}, { labels: { 'a b': 'x' } })),
      refused(machines, machine('m', {}, { labels: { a: 'b c' } })),
      refused(machines, machine('m', {}, { finalizers: ['no good'] })),
      refused(machines, machine('m', {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: '', uid: 'u' }] })),
      refused(machines, machine('m', {}, { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'a', uid: '' }] })),
      refused(
        machines,
        machine(
          'm',
          {},
          {
            ownerReferences: [
              { apiVersion: 'v1', kind: 'X', name: 'a', uid: 'u', controller: true },
              { apiVersion: 'v1', kind: 'X', name: 'b', uid: 'v', controller: true },
            ],
          },
        ),
      ),
      refused(machines, machine('M')),
    ],
  },
];
