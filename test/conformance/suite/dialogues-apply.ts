// Server-side apply and managedFields: who owns what, conflicts, force, and what goes when nobody wants it any more.
import type { Dialogue, Step } from './dialogue.js';

const machines = '/apis/cluster.x-k8s.io/v1beta2/namespaces/{ns}/machines';
const configMaps = '/api/v1/namespaces/{ns}/configmaps';
const apply = 'application/apply-patch+yaml';
const merge = 'application/merge-patch+json';

const base = {
  clusterName: 'c1',
  bootstrap: { dataSecretName: 'm1' },
  infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DemoMachine', name: 'm1' },
};

function applied(
  manager: string,
  spec: object,
  options: { force?: boolean; metadata?: object; sub?: string; status?: object } = {},
): Step {
  const force = options.force === true ? '&force=true' : '';
  const body = {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { name: 'm1', ...options.metadata },
    ...(Object.keys(spec).length === 0 ? {} : { spec }),
    ...(options.status === undefined ? {} : { status: options.status }),
  };
  return {
    do: 'PATCH',
    path: `${machines}/m1${options.sub ?? ''}?fieldManager=${manager}${force}`,
    contentType: apply,
    body,
  };
}

function condition(type: string, status: string): object {
  return { type, status, reason: 'R', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
}

const owners = { operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' };

/** Stories about apply. */
export const applyDialogues: readonly Dialogue[] = [
  {
    title: 'apply: creates, repeats without a write, changes, and drops what it no longer names',
    steps: [
      applied('one', { ...base, version: 'v1.0.0' }, { metadata: { labels: { a: 'b', c: 'd' } } }),
      applied('one', { ...base, version: 'v1.0.0' }, { metadata: { labels: { a: 'b', c: 'd' } } }),
      applied('one', { ...base, version: 'v1.1.0' }, { metadata: { labels: { a: 'x' } } }),
      applied('one', base),
    ],
  },
  {
    title: 'apply: two managers share, conflict, and one takes over by force',
    steps: [
      applied('one', { ...base, version: 'v1.0.0' }),
      applied('two', { version: 'v1.0.0', minReadySeconds: 5 }),
      applied('two', { version: 'v2.0.0', minReadySeconds: 6 }),
      applied('two', { version: 'v2.0.0', providerID: 'demo://x' }, { force: true }),
      applied('one', base),
      applied('two', { minReadySeconds: 1 }),
    ],
  },
  {
    title: 'apply: an update takes fields away, and apply conflicts with it',
    steps: [
      applied('one', { ...base, version: 'v1.0.0', minReadySeconds: 5 }),
      { do: 'PATCH', path: `${machines}/m1`, contentType: merge, body: { spec: { version: 'v3.0.0' } } },
      applied('one', { ...base, version: 'v1.0.0', minReadySeconds: 7 }),
      applied('one', { ...base, version: 'v3.0.0' }),
      {
        do: 'PATCH',
        path: `${machines}/m1`,
        contentType: merge,
        body: { spec: { minReadySeconds: null, version: null } },
      },
    ],
  },
  {
    title: 'apply: list items by key, in status, each manager its own conditions',
    steps: [
      applied('one', base),
      applied('one', {}, { sub: '/status', status: { conditions: [condition('Ready', 'True')], phase: 'Running' } }),
      applied('two', {}, { sub: '/status', status: { conditions: [condition('Other', 'True')] } }),
      applied('two', {}, { sub: '/status', status: { conditions: [condition('Ready', 'False')] } }),
      applied('one', {}, { sub: '/status', status: { conditions: [] } }),
      applied('two', {}, { sub: '/status', status: { conditions: [condition('Other', 'False')] } }),
      {
        do: 'PATCH',
        path: `${machines}/m1/status`,
        contentType: merge,
        body: { status: { conditions: [condition('Other', 'False'), condition('Third', 'True')] } },
      },
      applied('one', {}, { sub: '/status', status: { conditions: [condition('Third', 'Unknown')] } }),
    ],
  },
  {
    title: 'apply: finalizers and owners are sets',
    steps: [
      applied('one', base, {
        metadata: {
          finalizers: ['a.io/one'],
          ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'u-1' }],
        },
      }),
      applied(
        'two',
        {},
        {
          metadata: {
            finalizers: ['a.io/two'],
            ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'y', uid: 'u-2' }],
          },
        },
      ),
      applied('one', base),
    ],
  },
  {
    title: 'apply: what is refused',
    steps: [
      {
        do: 'PATCH',
        path: `${machines}/m1`,
        contentType: apply,
        body: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', metadata: { name: 'm1' } },
        show: ['code', 'reason'],
      },
      applied('one', { clusterName: 'c1' }),
      {
        do: 'PATCH',
        path: `${machines}/m1?fieldManager=one`,
        contentType: apply,
        body: {
          apiVersion: 'cluster.x-k8s.io/v1beta2',
          kind: 'Machine',
          metadata: { name: 'm1', managedFields: [] },
          spec: base,
        },
        show: ['code', 'reason'],
      },
      {
        do: 'PATCH',
        path: `${machines}/m1?fieldManager=one`,
        contentType: apply,
        body: { kind: 'Machine', metadata: { name: 'm1' }, spec: base },
        show: ['code', 'reason'],
      },
      {
        do: 'PATCH',
        path: `${machines}/none/status?fieldManager=one`,
        contentType: apply,
        body: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Machine', metadata: { name: 'none' } },
        show: ['code', 'reason'],
      },
      applied('one', { ...base, nonsense: 1 }),
      { ...applied('one', { ...base, nonsense: 1 }), path: `${machines}/m1?fieldManager=one&fieldValidation=Strict` },
    ],
  },
  {
    title: 'apply: built-in kinds, as YAML',
    steps: [
      {
        do: 'PATCH',
        path: `${configMaps}/c1?fieldManager=one`,
        contentType: apply,
        body: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c1\ndata:\n  a: b\n  c: d\n',
      },
      {
        do: 'PATCH',
        path: `${configMaps}/c1?fieldManager=two`,
        contentType: apply,
        body: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c1\ndata:\n  e: f\n',
      },
      {
        do: 'PATCH',
        path: `${configMaps}/c1?fieldManager=two`,
        contentType: apply,
        body: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c1\ndata:\n  a: x\n',
      },
      {
        do: 'PATCH',
        path: `${configMaps}/c1?fieldManager=one`,
        contentType: apply,
        body: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: c1\ndata:\n  c: d\n',
      },
      { do: 'PUT', path: `${configMaps}/c1`, body: { metadata: { name: 'c1' }, data: { z: 'z' } } },
    ],
  },
  {
    title: 'managedFields: edited by hand, cleared, and kept when nothing is said',
    steps: [
      { do: 'POST', path: configMaps, body: { metadata: { name: 'c1' }, data: { a: 'b', c: 'd' } } },
      {
        do: 'PATCH',
        path: `${configMaps}/c1`,
        contentType: 'application/json-patch+json',
        body: [
          {
            op: 'replace',
            path: '/metadata/managedFields',
            value: [
              { ...owners, manager: 'other', time: '2026-01-01T00:00:00Z', fieldsV1: { 'f:data': { 'f:a': {} } } },
            ],
          },
        ],
      },
      { do: 'PUT', path: `${configMaps}/c1`, body: { metadata: { name: 'c1' }, data: { a: 'b', c: 'd' } } },
      { do: 'PATCH', path: `${configMaps}/c1`, contentType: merge, body: { metadata: { managedFields: [{}] } } },
      { do: 'PATCH', path: `${configMaps}/c1`, contentType: merge, body: { data: { c: 'e' } } },
      {
        do: 'PATCH',
        path: `${configMaps}/c1?fieldManager=one`,
        contentType: apply,
        body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c1' }, data: { c: 'e' } },
      },
    ],
  },
  {
    title: 'managedFields: updates by several managers',
    steps: [
      {
        do: 'POST',
        path: configMaps,
        body: { metadata: { name: 'c1', labels: { a: 'b' } }, data: { a: 'b', c: 'd' } },
        userAgent: 'alpha/1.0 (linux)',
      },
      { do: 'PATCH', path: `${configMaps}/c1`, contentType: merge, body: { data: { a: 'x' } }, userAgent: 'beta' },
      {
        do: 'PATCH',
        path: `${configMaps}/c1?fieldManager=gamma`,
        contentType: merge,
        body: { data: { c: null }, metadata: { labels: null } },
      },
      { do: 'PATCH', path: `${configMaps}/c1`, contentType: merge, body: { data: { a: 'x' } }, userAgent: 'delta' },
      { do: 'PUT', path: `${configMaps}/c1`, body: { metadata: { name: 'c1' } }, userAgent: 'alpha/2.0' },
    ],
  },
];
