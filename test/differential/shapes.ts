// Objects that histories are made of. Pure: randomness comes in as a stream.
import { group, label, resources } from '../../src/api/names.js';
import type { Stream } from '../simulation/engine/seeded.js';
import type { ActObject, Json, Kind } from './history.js';
import type { PURPOSES } from './material.js';

/** The address of a kind's objects in owner references. */
export function ownerOf(kind: 'Machine' | 'MachinePool' | 'Cluster', name: string): Json {
  return { apiVersion: resources[kind].apiVersion, kind, name, uid: `<uid:${kind}/${name}>` };
}

/** The Cluster. */
export function clusterObject(name: string, random: Stream, labels: Json): ActObject {
  const isNetworked = random.chance(0.7);
  return {
    apiVersion: resources.Cluster.apiVersion,
    kind: 'Cluster',
    metadata: { name, labels: { [label.clusterName]: name, ...labels } },
    spec: {
      ...(isNetworked
        ? {
            clusterNetwork: {
              pods: { cidrBlocks: ['10.244.0.0/16'] },
              services: { cidrBlocks: random.chance(0.3) ? ['10.96.0.0/12', 'fd00::/108'] : ['10.96.0.0/12'] },
              serviceDomain: 'cluster.local',
            },
          }
        : {}),
      ...(random.chance(0.8) ? { controlPlaneEndpoint: endpoint(name) } : {}),
      ...(random.chance(0.2)
        ? { controlPlaneRef: { apiGroup: group.controlPlane, kind: 'KubeadmControlPlane', name: `${name}-cp` } }
        : {}),
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AnyCluster', name },
    },
  };
}

/** Where a cluster's control plane is reached. */
export function endpoint(name: string): Json {
  return { host: `${name}.example.com`, port: 6443 };
}

const VERSIONS = ['v1.34.1', 'v1.34.1', 'v1.30.5', '1.33.0', 'v1.36.0'] as const;

/** A Machine of a cluster. */
export function machineObject(cluster: string, name: string, isControlPlane: boolean, random: Stream): ActObject {
  return {
    apiVersion: resources.Machine.apiVersion,
    kind: 'Machine',
    metadata: {
      name,
      labels: { [label.clusterName]: cluster, ...(isControlPlane ? { [label.controlPlane]: '' } : {}) },
    },
    spec: {
      clusterName: cluster,
      version: random.pick(VERSIONS),
      bootstrap: { configRef: configRef(name) },
      infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AnyMachine', name },
    },
  };
}

/** A reference to a KubeadmConfig. */
export function configRef(name: string): Json {
  return { apiGroup: group.bootstrap, kind: 'KubeadmConfig', name };
}

/** A MachinePool of a cluster. */
export function poolObject(cluster: string, name: string, random: Stream): ActObject {
  return {
    apiVersion: resources.MachinePool.apiVersion,
    kind: 'MachinePool',
    metadata: { name, labels: { [label.clusterName]: cluster } },
    spec: {
      clusterName: cluster,
      replicas: random.int(1, 3),
      template: {
        metadata: { labels: { pool: name } },
        spec: {
          clusterName: cluster,
          version: random.pick(VERSIONS),
          bootstrap: { configRef: configRef(name) },
          infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'AnyPool', name },
        },
      },
    },
  };
}

/** The KubeadmConfig of an owner. */
export function configObject(given: {
  readonly cluster: string;
  readonly name: string;
  readonly owner: Json | null;
  readonly spec: Json;
  readonly finalizer: boolean;
}): ActObject {
  const { cluster, name, owner, spec, finalizer } = given;
  return {
    apiVersion: resources.KubeadmConfig.apiVersion,
    kind: 'KubeadmConfig',
    metadata: {
      name,
      labels: { [label.clusterName]: cluster },
      ...(owner === null ? {} : { ownerReferences: [{ ...owner, controller: true, blockOwnerDeletion: true }] }),
      ...(finalizer ? { finalizers: ['example.com/hold'] } : {}),
    },
    spec,
  };
}

/** The Secret of a cluster's certificate, in any shape. */
export function certificateSecret(cluster: string, purpose: (typeof PURPOSES)[number], random: Stream): ActObject {
  const set = random.chance(0.85) ? 'first' : 'second';
  const whole = { 'tls.crt': `<given ${set} ${purpose}.crt>`, 'tls.key': `<given ${set} ${purpose}.key>` };
  const shape = random.chance(0.7)
    ? 'good'
    : random.pick(['no-key', 'no-cert', 'no-label', 'other-label', 'opaque', 'malformed', 'empty', 'no-data', 'owned']);
  const data: Readonly<Record<string, Json>> = {
    'no-key': { 'tls.crt': whole['tls.crt'] },
    'no-cert': { 'tls.key': whole['tls.key'] },
    malformed: { 'tls.crt': 'no certificate', 'tls.key': 'no key' },
    empty: { 'tls.crt': '', 'tls.key': '' },
    'no-data': {},
  };
  const labels = shape === 'no-label' ? {} : { [label.clusterName]: shape === 'other-label' ? 'other' : cluster };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: shape === 'opaque' ? 'Opaque' : 'cluster.x-k8s.io/secret',
    metadata: {
      name: `${cluster}-${purpose}`,
      labels,
      ...(shape === 'owned' ? { ownerReferences: [ownerOf('Cluster', cluster)] } : {}),
    },
    stringData: data[shape] ?? whole,
  };
}

/** The kubeconfig Secret of a cluster, in any shape. */
export function kubeconfigSecret(cluster: string, random: Stream): ActObject {
  const shape = random.chance(0.85)
    ? 'good'
    : random.pick(['no-label', 'unreachable', 'malformed', 'no-data', 'opaque']);
  const values: Readonly<Record<string, string>> = {
    unreachable: '<unreachable kubeconfig>',
    malformed: '{"kind": "Config", "clusters": 1',
  };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: shape === 'opaque' ? 'Opaque' : 'cluster.x-k8s.io/secret',
    metadata: {
      name: `${cluster}-kubeconfig`,
      labels: shape === 'no-label' ? {} : { [label.clusterName]: cluster },
    },
    ...(shape === 'no-data' ? {} : { stringData: { value: values[shape] ?? '<kubeconfig>' } }),
  };
}

/** A Secret that stands where data of a KubeadmConfig goes. */
export function dataSecret(cluster: string, name: string, random: Stream): ActObject {
  const owner = random.pick<Json | null>([
    null,
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'somebody',
      uid: '00000000-0000-4000-8000-00000000000a',
      controller: true,
    },
    {
      apiVersion: resources.KubeadmConfig.apiVersion,
      kind: 'KubeadmConfig',
      name,
      uid: '00000000-0000-4000-8000-00000000000b',
      controller: true,
    },
    {
      apiVersion: resources.KubeadmConfig.apiVersion,
      kind: 'KubeadmConfig',
      name,
      uid: `<uid:KubeadmConfig/${name}>`,
      controller: true,
    },
  ]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: random.chance(0.7) ? 'cluster.x-k8s.io/secret' : 'Opaque',
    metadata: {
      name,
      labels: random.chance(0.7) ? { [label.clusterName]: cluster, mine: 'yes' } : { mine: 'yes' },
      annotations: { mine: 'yes' },
      ...(owner === null ? {} : { ownerReferences: [owner] }),
    },
    stringData: random.chance(0.5)
      ? { value: '#cloud-config\n# of somebody\n', format: 'cloud-config' }
      : { other: 'yes' },
  };
}

/** A lock as others leave it. */
export function lockObject(cluster: string, holder: string, random: Stream): ActObject {
  const information = random.pick([`{"machineName":"${holder}"}`, `{"machineName":"${holder}"}`, '{', '']);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: `${cluster}-lock`,
      labels: { [label.clusterName]: cluster },
      ownerReferences: [ownerOf('Cluster', cluster)],
    },
    data: { 'lock-information': information },
  };
}

/** A token of the workload cluster as a user makes it. */
export function tokenSecret(token: string, random: Stream): ActObject {
  const [id = '', secret = ''] = token.split('.');
  return {
    apiVersion: 'v1',
    kind: 'Secret' satisfies Kind,
    type: 'bootstrap.kubernetes.io/token',
    metadata: { name: `bootstrap-token-${id}` },
    stringData: {
      'token-id': id,
      'token-secret': secret,
      'usage-bootstrap-signing': 'true',
      'usage-bootstrap-authentication': 'true',
      description: 'made by a user',
      ...(random.chance(0.5) ? { expiration: '2049-01-01T00:00:00Z' } : {}),
    },
  };
}
