// Built-in kinds with rules of their own, discovery, access, and what is not there.
import type { Dialogue } from './dialogue.js';

const pods = '/api/v1/namespaces/{ns}/pods';
const budgets = '/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets';
const pools = '/apis/cluster.x-k8s.io/v1beta2/namespaces/{ns}/machinepools';
const leases = '/apis/coordination.k8s.io/v1/namespaces/{ns}/leases';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const merge = 'application/merge-patch+json';
const strategic = 'application/strategic-merge-patch+json';
const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

function pod(name: string, more: object = {}): object {
  return { metadata: { name, labels: { app: 'x' } }, spec: { containers: [{ name: 'c', image: 'i' }], ...more } };
}

function pool(name: string, replicas: number): object {
  const template = {
    clusterName: 'c1',
    bootstrap: { dataSecretName: 'x' },
    infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DemoMachinePool', name },
  };
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'MachinePool',
    metadata: { name },
    spec: { clusterName: 'c1', replicas, template: { spec: template } },
  };
}

function scale(resourceVersion: string, replicas: number): object {
  return {
    apiVersion: 'autoscaling/v1',
    kind: 'Scale',
    metadata: { name: 'p1', namespace: '{ns}', resourceVersion },
    spec: { replicas },
  };
}

function definition(plural: string, kind: string): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.conformance.test` },
    spec: {
      group: 'conformance.test',
      scope: 'Namespaced',
      names: { plural, kind },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: { spec: { type: 'object', properties: { size: { type: 'integer', default: 3 } } } },
            },
          },
        },
      ],
    },
  };
}

/** Stories about built-in kinds and about the server itself. */
export const kindDialogues: readonly Dialogue[] = [
  {
    title: 'namespaces: active when created, and cannot be created twice',
    steps: [
      { do: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: '{ns}-b' } } },
      { do: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: '{ns}-b' } } },
      { do: 'POST', path: '/api/v1/namespaces', body: { metadata: { name: 'a.b' } }, show: ['code', 'reason'] },
      { do: 'DELETE', path: '/api/v1/namespaces/{ns}-b', show: ['kind', 'status', 'metadata.name'] },
      { do: 'POST', path: '/api/v1/namespaces/{ns}-b/secrets', body: { metadata: { name: 's1' } } },
    ],
  },
  {
    title: 'nodes: spec and status are separate, unknown to the namespace',
    steps: [
      {
        do: 'POST',
        path: '/api/v1/nodes',
        body: { metadata: { name: '{ns}-n', labels: { a: 'b' } }, spec: { providerID: 'demo://n' } },
        show: ['spec.providerID', 'metadata.labels'],
      },
      {
        do: 'PATCH',
        path: '/api/v1/nodes/{ns}-n',
        contentType: strategic,
        body: { spec: { unschedulable: true } },
        show: ['spec.unschedulable', 'spec.providerID'],
      },
      {
        do: 'PATCH',
        path: '/api/v1/nodes/{ns}-n/status',
        contentType: strategic,
        body: {
          status: {
            conditions: [
              { type: 'Ready', status: 'True', reason: 'R', message: 'M' },
              { type: 'Other', status: 'False' },
            ],
          },
        },
        show: [],
      },
      {
        do: 'PATCH',
        path: '/api/v1/nodes/{ns}-n/status',
        contentType: strategic,
        body: { status: { conditions: [{ type: 'Ready', status: 'Unknown' }] } },
        show: [
          'status.conditions.0.type',
          'status.conditions.0.status',
          'status.conditions.0.reason',
          'status.conditions.1.status',
        ],
      },
      {
        do: 'GET',
        path: '/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue%2Cmetadata.name%3D{ns}-n',
        show: ['items.0.metadata.name'],
      },
      { do: 'DELETE', path: '/api/v1/nodes/{ns}-n', show: ['kind', 'status', 'details.name', 'details.kind'] },
    ],
  },
  {
    title: 'pods: pending when created, graceful once scheduled, evicted as budgets allow',
    steps: [
      { do: 'POST', path: pods, body: pod('p1'), show: ['status.phase', 'metadata.labels'] },
      { do: 'POST', path: pods, body: { metadata: { name: 'p0' }, spec: {} }, show: ['code', 'reason'] },
      { do: 'DELETE', path: `${pods}/p1`, show: ['kind', 'metadata.name'] },
      { do: 'GET', path: `${pods}/p1`, show: ['code'] },
      { do: 'POST', path: pods, body: pod('p2', { nodeName: 'n1' }), show: ['spec.nodeName'] },
      { do: 'GET', path: `${pods}?fieldSelector=spec.nodeName%3Dn1`, show: ['items.0.metadata.name'] },
      { do: 'GET', path: `${pods}?fieldSelector=spec.nodeName%3Dn2`, show: ['items'] },
      {
        do: 'DELETE',
        path: `${pods}/p2`,
        show: ['kind', 'metadata.deletionGracePeriodSeconds', 'metadata.deletionTimestamp'],
      },
      { do: 'GET', path: `${pods}/p2`, show: ['metadata.deletionGracePeriodSeconds'] },
      { do: 'DELETE', path: `${pods}/p2?gracePeriodSeconds=0`, show: ['kind', 'metadata.name'] },
      { do: 'GET', path: `${pods}/p2`, show: ['code'] },
    ],
  },
  {
    title: 'eviction: refused by a budget, allowed without one',
    steps: [
      { do: 'POST', path: pods, body: pod('p1', { nodeName: 'n1' }), show: [] },
      {
        do: 'PATCH',
        path: `${pods}/p1/status`,
        contentType: merge,
        body: { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
        show: ['status.phase'],
      },
      {
        do: 'POST',
        path: budgets,
        body: { metadata: { name: 'b' }, spec: { minAvailable: 1, selector: { matchLabels: { app: 'x' } } } },
        show: ['spec.minAvailable', 'metadata.generation'],
      },
      {
        do: 'POST',
        path: `${pods}/p1/eviction`,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p1', namespace: '{ns}' } },
        show: ['code', 'reason'],
      },
      {
        do: 'PATCH',
        path: `${budgets}/b/status`,
        contentType: merge,
        body: {
          status: {
            disruptionsAllowed: 0,
            currentHealthy: 1,
            desiredHealthy: 1,
            expectedPods: 1,
            observedGeneration: 1,
          },
        },
        show: ['status.disruptionsAllowed'],
      },
      {
        do: 'POST',
        path: `${pods}/p1/eviction`,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p1', namespace: '{ns}' } },
        show: ['code', 'reason', 'message', 'details.causes'],
      },
      {
        do: 'PATCH',
        path: `${budgets}/b/status`,
        contentType: merge,
        body: { status: { disruptionsAllowed: 1 } },
        show: ['status.disruptionsAllowed'],
      },
      {
        do: 'POST',
        path: `${pods}/p1/eviction`,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p1', namespace: '{ns}' } },
        show: ['kind', 'status'],
      },
      { do: 'GET', path: `${budgets}/b`, show: ['status.disruptionsAllowed'] },
      { do: 'GET', path: `${pods}/p1`, show: ['metadata.deletionGracePeriodSeconds'] },
      { do: 'POST', path: pods, body: pod('p2', { nodeName: 'n1' }), show: [] },
      {
        do: 'PATCH',
        path: `${pods}/p2/status`,
        contentType: merge,
        body: { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] } },
        show: [],
      },
      {
        do: 'POST',
        path: `${pods}/p2/eviction`,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p2', namespace: '{ns}' } },
        show: ['kind', 'status'],
      },
      {
        do: 'POST',
        path: `${pods}/none/eviction`,
        body: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'none' } },
        show: ['code', 'reason'],
      },
    ],
  },
  {
    title: 'leases: guarded updates, micro times kept',
    steps: [
      {
        do: 'POST',
        path: leases,
        body: {
          apiVersion: 'coordination.k8s.io/v1',
          kind: 'Lease',
          metadata: { name: 'l' },
          spec: {
            holderIdentity: 'a',
            leaseDurationSeconds: 15,
            acquireTime: '2026-01-01T00:00:00.000000Z',
            renewTime: '2026-01-01T00:00:00.000000Z',
            leaseTransitions: 0,
          },
        },
        save: 'l',
      },
      {
        do: 'PUT',
        path: `${leases}/l`,
        body: { metadata: { name: 'l' }, spec: { holderIdentity: 'b' } },
        show: ['code', 'reason'],
      },
      {
        do: 'PUT',
        path: `${leases}/l`,
        body: {
          metadata: { name: 'l', resourceVersion: '{l.metadata.resourceVersion}' },
          spec: { holderIdentity: 'b', leaseDurationSeconds: 15, renewTime: '2026-01-01T00:00:10.123456Z' },
        },
      },
      {
        do: 'PUT',
        path: `${leases}/l`,
        body: {
          metadata: { name: 'l', resourceVersion: '{l.metadata.resourceVersion}' },
          spec: { holderIdentity: 'c' },
        },
      },
      {
        do: 'PUT',
        path: `${leases}/new`,
        body: { metadata: { name: 'new' }, spec: { holderIdentity: 'x' } },
        show: ['spec.holderIdentity'],
      },
    ],
  },
  {
    title: 'scale: read, set and guarded, generation counts it',
    steps: [
      { do: 'POST', path: pools, body: pool('p1', 2), save: 'p' },
      { do: 'GET', path: `${pools}/p1/scale` },
      { do: 'PATCH', path: `${pools}/p1/scale`, contentType: merge, body: { spec: { replicas: 3 } } },
      {
        do: 'PUT',
        path: `${pools}/p1/scale`,
        body: scale('{p.metadata.resourceVersion}', 4),
        show: ['code', 'reason'],
      },
      { do: 'GET', path: `${pools}/p1/scale`, save: 's' },
      {
        do: 'PUT',
        path: `${pools}/p1/scale`,
        body: scale('{s.metadata.resourceVersion}', 5),
        show: ['kind', 'spec', 'status'],
      },
      {
        do: 'PATCH',
        path: `${pools}/p1/scale`,
        contentType: merge,
        body: { spec: { replicas: -1 } },
        show: ['code', 'reason'],
      },
      {
        do: 'PATCH',
        path: `${pools}/p1/scale`,
        contentType: merge,
        body: { spec: { replicas: 0 } },
        show: ['spec', 'status'],
      },
      { do: 'GET', path: `${pools}/p1`, show: ['spec.replicas', 'metadata.generation'] },
      { do: 'GET', path: `${pools}/none/scale`, show: ['code', 'reason', 'message'] },
      { do: 'GET', path: '/apis/cluster.x-k8s.io/v1beta2/namespaces/{ns}/machines/m/scale', show: ['code'] },
    ],
  },
  {
    title: 'definitions: a new kind is served, defaulted and gone again',
    steps: [
      {
        do: 'POST',
        path: definitions,
        body: definition('wrongs', 'Wrong'),
        show: ['metadata.name', 'spec.names.plural'],
      },
      {
        do: 'POST',
        path: definitions,
        body: { ...definition('others', 'Other'), metadata: { name: 'nonsense' } },
        show: ['code', 'reason'],
      },
      { do: 'DELETE', path: `${definitions}/wrongs.conformance.test`, show: ['kind'] },
    ],
  },
  {
    title: 'discovery: groups, versions and resources of what both have',
    steps: [
      { do: 'GET', path: '/api', show: ['kind', 'versions'] },
      { do: 'GET', path: '/api/v1', show: ['kind', 'groupVersion'] },
      { do: 'GET', path: '/apis', show: ['kind', 'apiVersion'] },
      { do: 'GET', path: '/apis/bootstrap.cluster.x-k8s.io' },
      { do: 'GET', path: '/apis/bootstrap.cluster.x-k8s.io/v1beta2', show: ['kind', 'apiVersion', 'groupVersion'] },
      { do: 'GET', path: '/apis', accept: aggregated, show: ['kind', 'apiVersion'] },
      {
        do: 'GET',
        path: '/api',
        accept: aggregated,
        show: ['kind', 'apiVersion', 'items.0.versions.0.version', 'items.0.versions.0.freshness'],
      },
      { do: 'GET', path: '/version', show: ['major', 'minor'] },
      { do: 'GET', path: '/readyz' },
      { do: 'GET', path: '/healthz' },
    ],
  },
  {
    title: 'absence: unknown groups, versions, resources, subresources and methods',
    steps: [
      { do: 'GET', path: '/apis/none.x-k8s.io/v1/things' },
      { do: 'GET', path: '/apis/none.x-k8s.io' },
      { do: 'GET', path: '/apis/cluster.x-k8s.io/v1beta2/things' },
      { do: 'GET', path: '/apis/cluster.x-k8s.io/v1alpha1/machines' },
      { do: 'GET', path: '/api/v1/namespaces/{ns}/things' },
      { do: 'GET', path: '/api/v1/namespaces/{ns}/secrets/x/nothing', show: ['code', 'reason'] },
      {
        do: 'GET',
        path: '/apis/cluster.x-k8s.io/v1beta2/namespaces/{ns}/machines/x/nothing',
        show: ['code', 'reason'],
      },
      { do: 'POST', path: '/api/v1/secrets', body: { metadata: { name: 'x' } }, show: ['code', 'reason'] },
      {
        do: 'POST',
        path: '/api/v1/namespaces/{ns}/secrets/x',
        body: { metadata: { name: 'x' } },
        show: ['code', 'reason'],
      },
      {
        do: 'PUT',
        path: '/api/v1/namespaces/{ns}/secrets',
        body: { metadata: { name: 'x' } },
        show: ['code', 'reason'],
      },
      { do: 'GET', path: '/nothing/here' },
      { do: 'GET', path: '/api/v1/namespaces/{ns}/nodes', show: ['code', 'reason'] },
    ],
  },
  {
    title: 'access: who is nobody, who may not, and how that reads',
    steps: [
      { do: 'GET', path: '/api/v1/namespaces/{ns}/secrets', user: 'stranger' },
      { do: 'GET', path: '/api/v1/namespaces/{ns}/secrets', user: 'bob' },
      { do: 'GET', path: '/api/v1/secrets', user: 'bob' },
      { do: 'GET', path: '/api/v1/namespaces/{ns}/secrets/s1', user: 'bob' },
      {
        do: 'POST',
        path: '/apis/cluster.x-k8s.io/v1beta2/namespaces/{ns}/machines',
        user: 'bob',
        body: { metadata: { name: 'm' } },
      },
      {
        do: 'PATCH',
        path: '/apis/cluster.x-k8s.io/v1beta2/namespaces/{ns}/machines/m/status',
        user: 'bob',
        contentType: merge,
        body: {},
      },
      { do: 'DELETE', path: '/api/v1/nodes/n', user: 'bob' },
      { do: 'GET', path: '/api/v1/nodes?watch=true', user: 'bob' },
      { do: 'GET', path: '/apis', user: 'bob', show: ['kind'] },
      { do: 'GET', path: '/api/v1', user: 'bob', show: ['kind'] },
      { do: 'GET', path: '/metrics', user: 'bob' },
      {
        do: 'POST',
        path: '/apis/authentication.k8s.io/v1/tokenreviews',
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'token-bob' } },
        show: ['status.authenticated', 'status.user.username'],
      },
      {
        do: 'POST',
        path: '/apis/authentication.k8s.io/v1/tokenreviews',
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token: 'nonsense' } },
        show: ['status.authenticated'],
      },
      {
        do: 'POST',
        path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SubjectAccessReview',
          spec: { user: 'bob', nonResourceAttributes: { path: '/metrics', verb: 'get' } },
        },
        show: ['status.allowed'],
      },
      {
        do: 'POST',
        path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
        body: {
          apiVersion: 'authorization.k8s.io/v1',
          kind: 'SelfSubjectAccessReview',
          spec: { resourceAttributes: { verb: 'get', resource: 'secrets' } },
        },
        show: ['status.allowed'],
      },
      {
        do: 'POST',
        path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
        user: 'bob',
        show: ['status.userInfo.username'],
      },
    ],
  },
];
