// Create, read, update, patch and delete: what our own client and kubectl send for single objects.
import type { Dialogue } from './dialogue.js';

const secrets = '/api/v1/namespaces/{ns}/secrets';
const configMaps = '/api/v1/namespaces/{ns}/configmaps';
const machines = '/apis/cluster.x-k8s.io/v1beta2/namespaces/{ns}/machines';
const merge = 'application/merge-patch+json';
const jsonPatch = 'application/json-patch+json';
const strategic = 'application/strategic-merge-patch+json';

const spec = {
  clusterName: 'c1',
  bootstrap: { dataSecretName: 'm1' },
  infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DemoMachine', name: 'm1' },
};

/** A Machine as the suite creates it. */
export function machine(name: string, more: object = {}, metadata: object = {}): object {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Machine',
    metadata: { name, ...metadata },
    spec: { ...spec, ...more },
  };
}

/** Stories about single objects. */
export const objectDialogues: readonly Dialogue[] = [
  {
    title: 'secrets: created, read, replaced, deleted',
    steps: [
      {
        do: 'POST',
        path: secrets,
        body: { metadata: { name: 's1' }, stringData: { a: 'b' }, data: { c: 'ZA==' } },
        save: 's',
      },
      { do: 'POST', path: secrets, body: { metadata: { name: 's1' } } },
      { do: 'GET', path: `${secrets}/s1` },
      { do: 'PUT', path: `${secrets}/s1`, body: { metadata: { name: 's1', labels: { x: 'y' } }, data: { c: 'ZQ==' } } },
      {
        do: 'PUT',
        path: `${secrets}/s1`,
        body: { metadata: { name: 's1', resourceVersion: '{s.metadata.resourceVersion}' } },
      },
      { do: 'PUT', path: `${secrets}/s1`, body: { metadata: { name: 's1' }, type: 'other' } },
      { do: 'PUT', path: `${secrets}/s1`, body: { metadata: { name: 'other' } } },
      { do: 'PUT', path: `${secrets}/s1`, body: { metadata: {} } },
      { do: 'PUT', path: `${secrets}/none`, body: { metadata: { name: 'none' } } },
      { do: 'DELETE', path: `${secrets}/s1` },
      { do: 'DELETE', path: `${secrets}/s1` },
      { do: 'GET', path: `${secrets}/s1` },
    ],
  },
  {
    title: 'secrets: an immutable one stays as it is',
    steps: [
      { do: 'POST', path: secrets, body: { metadata: { name: 's1' }, immutable: true, data: { a: 'YQ==' } } },
      { do: 'PATCH', path: `${secrets}/s1`, body: { data: { a: 'Yg==' } }, contentType: merge },
      { do: 'PATCH', path: `${secrets}/s1`, body: { immutable: false }, contentType: merge },
      { do: 'PATCH', path: `${secrets}/s1`, body: { metadata: { labels: { a: 'b' } } }, contentType: merge },
    ],
  },
  {
    title: 'bodies: what is refused before it is an object',
    steps: [
      { do: 'POST', path: secrets, body: { metadata: { name: 's1' }, data: { a: 'x' } } },
      { do: 'POST', path: secrets, body: { metadata: { name: 'S_1' } } },
      { do: 'POST', path: secrets, body: { metadata: {} } },
      { do: 'POST', path: secrets, body: { metadata: { name: 's1', namespace: 'elsewhere' } } },
      { do: 'POST', path: secrets, body: { metadata: { name: 's1', resourceVersion: '5' } } },
      {
        do: 'POST',
        path: secrets,
        body: { apiVersion: 'v2', kind: 'Secret', metadata: { name: 's1' } },
        show: ['code', 'reason'],
      },
      { do: 'POST', path: '/api/v1/namespaces/nowhere-at-all/secrets', body: { metadata: { name: 's1' } } },
      { do: 'POST', path: machines, body: { kind: 'Machine', metadata: { name: 'm' } } },
      {
        do: 'POST',
        path: machines,
        body: { apiVersion: 'cluster.x-k8s.io/v1beta2', metadata: { name: 'm' } },
        show: ['code', 'reason'],
      },
      {
        do: 'POST',
        path: machines,
        body: { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Machine', metadata: { name: 'm' } },
      },
      {
        do: 'POST',
        path: machines,
        body: { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Other', metadata: { name: 'm' } },
      },
      { do: 'POST', path: machines, body: '{bad', show: ['code', 'reason'] },
      { do: 'POST', path: machines, body: 'x', contentType: 'text/plain', show: ['code', 'reason'] },
    ],
  },
  {
    title: 'names: generated ones are new each time',
    steps: [
      {
        do: 'POST',
        path: secrets,
        body: { metadata: { generateName: 'g-' } },
        show: ['metadata.generateName', 'type'],
        save: 'a',
      },
      {
        do: 'POST',
        path: secrets,
        body: { metadata: { generateName: 'g-' } },
        show: ['metadata.generateName', 'type'],
      },
      { do: 'GET', path: `${secrets}/{a.metadata.name}`, show: ['metadata.generateName'] },
    ],
  },
  {
    title: 'custom objects: created, generation counts spec and not status',
    steps: [
      { do: 'POST', path: machines, body: { ...machine('m1'), status: { phase: 'Pending' } }, save: 'm' },
      { do: 'PUT', path: `${machines}/m1`, body: machine('m1') },
      {
        do: 'PUT',
        path: `${machines}/m1`,
        body: machine('m1', { version: 'v1.2.3' }, { resourceVersion: '{m.metadata.resourceVersion}' }),
        save: 'n',
      },
      {
        do: 'PUT',
        path: `${machines}/m1`,
        body: machine('m1', {}, { resourceVersion: '{m.metadata.resourceVersion}' }),
      },
      {
        do: 'PUT',
        path: `${machines}/m1`,
        body: machine('m1', { version: 'v1.2.3' }, { resourceVersion: '{n.metadata.resourceVersion}' }),
      },
      {
        do: 'PATCH',
        path: `${machines}/m1/status`,
        body: { status: { phase: 'Running' }, spec: { version: 'v9.9.9' }, metadata: { labels: { a: 'b' } } },
        contentType: merge,
      },
      { do: 'PATCH', path: `${machines}/m1`, body: { status: { phase: 'Failed' } }, contentType: merge },
      {
        do: 'PATCH',
        path: `${machines}/m1`,
        body: { metadata: { labels: { a: 'b' }, annotations: { c: 'd' } } },
        contentType: merge,
      },
      { do: 'GET', path: `${machines}/m1/status` },
      {
        do: 'PUT',
        path: `${machines}/m1`,
        body: machine('m1', {}, { resourceVersion: '1', uid: '00000000-0000-0000-0000-000000000000' }),
        show: ['code', 'reason'],
      },
      {
        do: 'PUT',
        path: `${machines}/none`,
        body: machine('none', {}, { resourceVersion: '1' }),
        show: ['code', 'reason', 'message'],
      },
    ],
  },
  {
    title: 'merge patch: guarded by resourceVersion and uid, null removes, nothing changed is no write',
    steps: [
      { do: 'POST', path: machines, body: machine('m1', {}, { labels: { a: 'b' } }), save: 'm' },
      {
        do: 'PATCH',
        path: `${machines}/m1`,
        body: { metadata: { resourceVersion: '{m.metadata.resourceVersion}', labels: { a: null, c: 'd' } } },
        contentType: merge,
      },
      {
        do: 'PATCH',
        path: `${machines}/m1`,
        body: { metadata: { resourceVersion: '{m.metadata.resourceVersion}', labels: { e: 'f' } } },
        contentType: merge,
      },
      {
        do: 'PATCH',
        path: `${machines}/m1`,
        body: { metadata: { uid: '00000000-0000-0000-0000-000000000000', labels: { e: 'f' } } },
        contentType: merge,
        show: ['code', 'reason'],
      },
      {
        do: 'PATCH',
        path: `${machines}/m1`,
        body: { metadata: { uid: '{m.metadata.uid}', labels: { c: 'd' } } },
        contentType: merge,
      },
      { do: 'PATCH', path: `${machines}/none`, body: {}, contentType: merge },
      {
        do: 'PATCH',
        path: `${machines}/m1`,
        body: { metadata: { name: 'm2' } },
        contentType: merge,
        show: ['code', 'reason'],
      },
      { do: 'PATCH', path: `${machines}/m1`, body: { spec: { clusterName: null } }, contentType: merge },
      {
        do: 'PATCH',
        path: `${machines}/m1/status`,
        body: { metadata: { resourceVersion: '1' }, status: { phase: 'x' } },
        contentType: merge,
        show: ['code', 'reason'],
      },
    ],
  },
  {
    title: 'JSON patch: operations, tests that fail, media types that are not taken',
    steps: [
      { do: 'POST', path: machines, body: machine('m1', {}, { labels: { a: 'b' } }) },
      {
        do: 'PATCH',
        path: `${machines}/m1`,
        body: [
          { op: 'test', path: '/metadata/labels/a', value: 'b' },
          { op: 'replace', path: '/metadata/labels/a', value: 'c' },
          { op: 'add', path: '/spec/version', value: 'v1.0.0' },
        ],
        contentType: jsonPatch,
      },
      {
        do: 'PATCH',
        path: `${machines}/m1`,
        body: [{ op: 'test', path: '/metadata/labels/a', value: 'b' }],
        contentType: jsonPatch,
        show: ['code', 'reason'],
      },
      {
        do: 'PATCH',
        path: `${machines}/m1`,
        body: [{ op: 'remove', path: '/metadata/labels/none' }],
        contentType: jsonPatch,
        show: ['code', 'reason'],
      },
      { do: 'PATCH', path: `${machines}/m1`, body: { op: 'remove' }, contentType: jsonPatch, show: ['code', 'reason'] },
      { do: 'PATCH', path: `${machines}/m1`, body: { metadata: {} }, contentType: strategic },
    ],
  },
  {
    title: 'strategic merge patch: finalizers and owners merge, maps merge, values are replaced',
    steps: [
      {
        do: 'POST',
        path: configMaps,
        body: {
          metadata: {
            name: 'c1',
            finalizers: ['a.io/one'],
            ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'u-1' }],
          },
          data: { a: 'b' },
        },
      },
      {
        do: 'PATCH',
        path: `${configMaps}/c1`,
        body: {
          metadata: {
            finalizers: ['a.io/two'],
            ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'y', uid: 'u-2' }],
          },
          data: { c: 'd' },
        },
        contentType: strategic,
      },
      {
        do: 'PATCH',
        path: `${configMaps}/c1`,
        body: {
          metadata: {
            ownerReferences: [{ $patch: 'delete', uid: 'u-1' }],
            '$deleteFromPrimitiveList/finalizers': ['a.io/one'],
          },
          data: { a: null },
        },
        contentType: strategic,
      },
      { do: 'PATCH', path: `${configMaps}/c1`, body: { metadata: { finalizers: null } }, contentType: strategic },
    ],
  },
  {
    title: 'deletion: preconditions, finalizers, and no new finalizers while it lasts',
    steps: [
      { do: 'POST', path: machines, body: machine('m1', {}, { finalizers: ['a.io/one', 'a.io/two'] }), save: 'm' },
      {
        do: 'DELETE',
        path: `${machines}/m1`,
        body: { preconditions: { uid: '00000000-0000-0000-0000-000000000000' } },
      },
      { do: 'DELETE', path: `${machines}/m1`, body: { preconditions: { resourceVersion: '1' } } },
      {
        do: 'DELETE',
        path: `${machines}/m1`,
        body: { preconditions: { uid: '{m.metadata.uid}', resourceVersion: '{m.metadata.resourceVersion}' } },
      },
      { do: 'DELETE', path: `${machines}/m1` },
      {
        do: 'PATCH',
        path: `${machines}/m1`,
        body: { metadata: { finalizers: ['a.io/one', 'a.io/two', 'a.io/three'] } },
        contentType: merge,
        show: ['code', 'reason', 'message'],
      },
      {
        do: 'PATCH',
        path: `${machines}/m1`,
        body: { metadata: { finalizers: ['a.io/two'] }, spec: { version: 'v1.0.0' } },
        contentType: merge,
      },
      { do: 'PATCH', path: `${machines}/m1`, body: { metadata: { deletionTimestamp: null } }, contentType: merge },
      { do: 'PATCH', path: `${machines}/m1`, body: { metadata: { finalizers: null } }, contentType: merge },
      { do: 'GET', path: `${machines}/m1` },
      { do: 'POST', path: machines, body: machine('m2') },
      { do: 'DELETE', path: `${machines}/m2` },
    ],
  },
  {
    title: 'deletion: propagation policies leave their finalizers',
    steps: [
      { do: 'POST', path: configMaps, body: { metadata: { name: 'c1' } } },
      { do: 'DELETE', path: `${configMaps}/c1`, body: { propagationPolicy: 'Sideways' }, show: ['code', 'reason'] },
      { do: 'DELETE', path: `${configMaps}/c1?propagationPolicy=Background` },
      { do: 'POST', path: configMaps, body: { metadata: { name: 'c2' } } },
      {
        do: 'DELETE',
        path: `${configMaps}/c2`,
        body: { kind: 'DeleteOptions', apiVersion: 'v1', propagationPolicy: 'Background' },
      },
    ],
  },
  {
    title: 'dry run: answers as if, and nothing is stored',
    steps: [
      { do: 'POST', path: `${machines}?dryRun=All`, body: machine('m1'), show: ['metadata.name', 'spec'] },
      { do: 'GET', path: `${machines}/m1` },
      { do: 'POST', path: machines, body: machine('m1'), save: 'm' },
      {
        do: 'PATCH',
        path: `${machines}/m1?dryRun=All`,
        body: { spec: { version: 'v1.0.0' } },
        contentType: merge,
        show: ['spec', 'metadata.generation'],
      },
      { do: 'DELETE', path: `${machines}/m1?dryRun=All`, show: ['status'] },
      { do: 'GET', path: `${machines}/m1` },
      { do: 'POST', path: `${machines}?dryRun=Some`, body: machine('m2'), show: ['code', 'reason'] },
    ],
  },
  {
    title: 'unknown fields: dropped with a warning, refused when strict, dropped in silence when ignored',
    steps: [
      {
        do: 'POST',
        path: machines,
        body: machine('m1', { nonsense: 1, bootstrap: { dataSecretName: 'x', more: { a: 1 } } }),
      },
      { do: 'POST', path: `${machines}?fieldValidation=Strict`, body: machine('m2', { nonsense: 1 }, { wrong: 'x' }) },
      { do: 'POST', path: `${machines}?fieldValidation=Ignore`, body: machine('m3', { nonsense: 1 }) },
      {
        do: 'PATCH',
        path: `${machines}/m1?fieldValidation=Strict`,
        body: { spec: { nonsense: 1 } },
        contentType: merge,
        show: ['code', 'reason', 'details.causes.0.field'],
      },
      { do: 'PATCH', path: `${machines}/m1`, body: { spec: { nonsense: 1 } }, contentType: merge },
    ],
  },
];
