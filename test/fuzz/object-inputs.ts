// What users of a management cluster may store, from a seed: objects that the API takes and that are extreme in at least one place.
//
// An input is a scene: a Cluster with its Secrets, somebody who owns a KubeadmConfig, the KubeadmConfig, and what others write to it
// later. Names are unique by the number of the scene.

import type { Draw } from './inputs.js';
import { DATES, DURATIONS, KUBECONFIGS, QUANTITIES, SERVERS, TEMPLATES, WORDS } from './odd-values.js';

type Json = Readonly<Record<string, unknown>>;

/** One write. */
export interface Write {
  readonly kind: 'Cluster' | 'Machine' | 'MachinePool' | 'Secret' | 'ConfigMap' | 'KubeadmConfig';
  readonly version: 'v1beta1' | 'v1beta2' | 'v1';
  readonly body: Json;
  /** Written to the status of an object that is there. */
  readonly status?: Json;
}

/** Where scenes take place. */
export const SCENE_NAMESPACE = 'fuzz';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const nested = (depth: number, key: string): unknown =>
  JSON.parse(`${`{${JSON.stringify(key)}:`.repeat(depth)}{}${'}'.repeat(depth)}`);
/** A key of this name of the object's own, as JSON brings it. */
const proto = (value: unknown): Json => JSON.parse(`{"__proto__":${JSON.stringify(value)}}`) as Json;

/** A kubeconfig that is one, with something in it that it should not have. */
function kubeconfigOf(draw: Draw): string {
  if (draw.chance(0.5)) return draw.pick(KUBECONFIGS);
  const user = draw.pick<Json>([
    { token: draw.pick(WORDS) },
    { exec: { command: '/bin/true', apiVersion: 'client.authentication.k8s.io/v1' } },
    { 'auth-provider': { name: 'x' } },
    { tokenFile: '/etc/passwd' },
    { 'client-certificate-data': base64(draw.pick(WORDS)), 'client-key-data': base64(draw.pick(WORDS)) },
    { as: draw.pick(WORDS), 'as-user-extra': proto(['x']) },
  ]);
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'c',
        cluster: {
          server: draw.pick(SERVERS),
          ...(draw.chance(0.3) ? { 'certificate-authority-data': base64(draw.pick(WORDS)) } : {}),
          ...(draw.chance(0.2) ? { 'proxy-url': draw.pick(['socks5://127.0.0.1:1', 'http://%', 'ftp://x']) } : {}),
        },
      },
    ],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': draw.pick(['x', 'y', '__proto__']),
  });
}

/** Metadata that others may write. */
function oddMetadata(draw: Draw): Json {
  const fieldsV1 = nested(draw.pick([3, 100, 900, 2_000]), 'f:a');
  return draw.pick<() => Json>([
    () => ({}),
    () => ({ annotations: proto('x') }),
    () => ({ annotations: { [draw.pick(['x', 'a.b/c'])]: 'y'.repeat(draw.pick([10, 100_000, 250_000])) } }),
    () => ({ annotations: { 'kubeadm-bootstrap-operator/token': draw.pick(WORDS) } }),
    () => ({ annotations: { 'kubeadm-bootstrap-operator/actor': forgedActor(draw) } }),
    () => ({
      annotations: {
        'cluster.x-k8s.io/conversion-data': draw.pick(['{', '{"spec":[]}', JSON.stringify(nested(900, 'spec'))]),
      },
    }),
    () => ({ annotations: { 'cluster.x-k8s.io/paused': draw.pick(WORDS) } }),
    () => ({
      managedFields: [{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }],
    }),
    () => ({ finalizers: ['example.com/stay'] }),
    () => ({ labels: { [`${'a'.repeat(63)}.b/${'c'.repeat(63)}`]: 'd'.repeat(63) } }),
    () => ({
      ownerReferences: Array.from({ length: draw.pick([1, 200]) }, (_, index) => ({
        apiVersion: draw.pick(['v1', 'cluster.x-k8s.io/v1alpha3', 'x']),
        kind: draw.pick(['Pod', 'Machine', 'Cluster', '__proto__']),
        name: `o${index}`,
        uid: `u${index}`,
      })),
    }),
  ])();
}

/** Stands for the uid that the object will have. */
export const OWN_UID = 'uid-of-the-object';

/** What an envelope should not say, mostly in an envelope that would be believed. */
function forgedActor(draw: Draw): string {
  const number = (): unknown =>
    draw.pick([0, -1, 1e300, 8.64e15, 8.64e15 + 1, Number.MAX_SAFE_INTEGER, 1.5, '1', null]);
  const row = draw.chance(0.7) ? draw.pick(['K28', 'K60', 'K29', 'K19']) : draw.pick(['X', null, '__proto__']);
  const snapshot = {
    value: draw.chance(0.7)
      ? draw.pick(['Done', 'TokenMonitoring', 'Joining', 'Rotating'])
      : draw.pick<unknown>(['Nowhere', { Joining: {} }, null, '__proto__', ['x']]),
    context: { row, sinceMs: draw.chance(0.5) ? 1 : number(), wakeAtMs: draw.chance(0.5) ? null : number() },
  };
  const envelope = {
    v: draw.chance(0.8) ? 1 : draw.pick([0, 2, '1']),
    uid: draw.chance(0.9) ? OWN_UID : draw.pick(['', '__proto__']),
    since: draw.pick(DATES),
    snapshot,
    ...(draw.chance(0.2) ? { failed: draw.pick<unknown>([{}, 'x', { kind: 1 }, proto('x')]) } : {}),
  };
  const text = JSON.stringify(envelope);
  return draw.chance(0.8)
    ? text
    : draw.pick([text.slice(0, 50), JSON.stringify(nested(900, 'snapshot')), `${' '.repeat(500)}${text}`]);
}

/** A status that nobody but the program should write. */
export function forgedStatus(draw: Draw): Json {
  const condition = (type: string, message: string): Json => ({
    type,
    status: draw.pick(['True', 'False', 'Unknown']),
    reason: draw.pick(['Done', 'Joining', 'X']),
    message,
    lastTransitionTime: draw.pick(DATES),
  });
  return draw.pick<() => Json>([
    () => ({ conditions: [condition('ActorState', `Waits. ${forgedActor(draw)}`)] }),
    () => ({ conditions: [condition('ActorState', forgedActor(draw)), condition('Ready', ' '.repeat(10_000))] }),
    () => ({ conditions: ['Ready', 'DataSecretAvailable', 'Paused'].map((type) => condition(type, draw.pick(WORDS))) }),
    () => ({ dataSecretName: draw.pick(['x', 'fuzz', 'a'.repeat(253)]), initialization: { dataSecretCreated: true } }),
    () => ({ deprecated: { v1beta1: { failureMessage: ' '.repeat(5_000), conditions: [] } } }),
    () => ({ observedGeneration: draw.pick([0, 1, 9_007_199_254_740_991]) }),
  ])();
}

const many = (count: number, make: (index: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** What is in the spec in either version. */
function oddSpec(draw: Draw, number: number): Json {
  const count = draw.chance(0.03) ? draw.pick([200, 1_000, 3_000]) : draw.pick([1, 5, 20]);
  const contentFrom = { secret: { name: `s-${number}`, key: draw.pick(['k', 'missing', '__proto__']) } };
  return draw.pick<() => Json>([
    () => ({
      files: many(count, (index) => ({
        path: `/f${index}`,
        content: draw.pick(WORDS),
        permissions: draw.pick(['0644', 'x', '']),
      })),
    }),
    () => ({
      files: [
        { path: '/s', content: ' '.repeat(10_000) },
        { path: '/t', content: `${'\n'.repeat(5_000)}x` },
      ],
    }),
    () => ({
      files: many(draw.pick([1, 3]), (index) => ({
        path: `/t${index}`,
        contentFormat: 'Template',
        content: draw.pick(TEMPLATES),
      })),
    }),
    () => ({ files: [{ path: '/c', contentFrom, encoding: draw.pick(['base64', 'gzip', 'gzip+base64']) }] }),
    () => ({ files: [{ path: '/c', contentFrom, contentFormat: 'Template' }] }),
    () => ({
      users: many(count, (index) => ({ name: `u${index}`, gecos: draw.pick(WORDS), passwdFrom: contentFrom })),
    }),
    () => ({
      users: [{ name: draw.pick(['a', ...WORDS.slice(3, 8)]), sshAuthorizedKeys: many(count, () => draw.pick(WORDS)) }],
    }),
    () => ({ preKubeadmCommands: many(count, () => draw.pick([...WORDS, ' '.repeat(9_000)])) }),
    () => ({ ntp: { enabled: true, servers: many(count, () => draw.pick(['a', ' '.repeat(500), 'é'])) } }),
    () => ({
      mounts: many(Math.min(count, 90), () => [
        draw.pick(['LABEL=a', 'a b']),
        draw.pick(['/a', '//', '/a/../b', '/-']),
        'x,y',
      ]),
    }),
    () => ({
      format: 'ignition',
      ignition: { containerLinuxConfig: { additionalConfig: draw.pick([...KUBECONFIGS.slice(1, 10), 'systemd: {}']) } },
    }),
    () => ({ verbosity: draw.pick([0, 2_147_483_647, 5]) }),
    () => ({ diskSetup: { filesystems: [{ device: draw.pick(['/dev/x', '-']), filesystem: 'ext4', label: 'a' }] } }),
  ])();
}

/** The parts of kubeadm's configuration, in the words of a version. */
function kubeadmParts(draw: Draw, version: 'v1beta1' | 'v1beta2'): Json {
  const args = draw.pick([1, 10, draw.chance(0.05) ? 2_000 : 3]);
  const isOld = version === 'v1beta1';
  const kubeletExtraArgs = isOld
    ? { ...Object.fromEntries(many(args, (index) => [`a${index}`, 'x']) as [string, string][]), ...proto('y') }
    : many(args, (index) => ({ name: `a${index}`, value: draw.pick(['x', '%', 'é']) }));
  const nodeRegistration = { name: draw.pick(['n', '{{ ds.meta_data.local_hostname }}']), kubeletExtraArgs };
  const env = {
    name: 'E',
    valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor: draw.pick(QUANTITIES) } },
  };
  const token = draw.pick(['abcdef.0123456789abcdef', 'x', '', 'ABCDEF.0123456789ABCDEF']);
  const discovery = draw.pick<Json>([
    {},
    { bootstrapToken: { token, ...(draw.chance(0.5) ? { unsafeSkipCAVerification: true } : {}) } },
    { file: { kubeConfigPath: '/f', kubeConfig: { user: { exec: { command: draw.pick(['/x', ' ']) } } } } },
    isOld ? { timeout: draw.pick(DURATIONS) } : { tlsBootstrapToken: draw.pick(['x', 'é']) },
  ]);
  const cluster = isOld
    ? { apiServer: { timeoutForControlPlane: draw.pick(DURATIONS), extraEnvs: [env] }, featureGates: proto(true) }
    : { apiServer: { extraEnvs: [env] }, certificateValidityPeriodDays: draw.pick([1, 36_500]) };
  return {
    joinConfiguration: { nodeRegistration, discovery },
    ...(draw.chance(0.4) ? { clusterConfiguration: cluster } : {}),
    ...(draw.chance(0.3) ? { initConfiguration: { nodeRegistration } } : {}),
  };
}

function secretsOf(draw: Draw, number: number, cluster: string): readonly Write[] {
  const labels = draw.chance(0.6) ? { 'cluster.x-k8s.io/cluster-name': cluster } : {};
  const type = draw.pick(['Opaque', 'cluster.x-k8s.io/secret', 'x/y']);
  const secret = (name: string, data: Json): Write => ({
    kind: 'Secret',
    version: 'v1',
    body: { metadata: { name, labels, ...(draw.chance(0.2) ? oddMetadata(draw) : {}) }, type, data },
  });
  const all: Write[] = [
    secret(`s-${number}`, {
      k: base64(draw.pick([...WORDS, ...TEMPLATES, 'x'.repeat(200_000)])),
      ...proto(base64('x')),
    }),
  ];
  if (draw.chance(0.3))
    all.push(secret(`k-${number}`, { value: base64(draw.pick(WORDS)), format: base64(draw.pick(WORDS)) }));
  return all;
}

/** A Cluster of the scene's own, with Secrets that are wrong. */
function ownCluster(draw: Draw, number: number): readonly Write[] {
  const name = draw.chance(0.1) ? `c-${number}-${'x'.repeat(50)}` : `c-${number}`;
  const labels = { 'cluster.x-k8s.io/cluster-name': name };
  const secret = (purpose: string, data: Json): Write => ({
    kind: 'Secret',
    version: 'v1',
    body: { metadata: { name: `${name}-${purpose}`, labels }, type: 'cluster.x-k8s.io/secret', data },
  });
  const pem = (): string =>
    base64(draw.pick([...WORDS, `-----BEGIN CERTIFICATE-----\n${'A'.repeat(5_000)}\n-----END CERTIFICATE-----\n`]));
  return [
    {
      kind: 'Cluster',
      version: 'v1beta2',
      body: {
        metadata: { name, ...oddMetadata(draw) },
        spec: {
          ...(draw.chance(0.8)
            ? { controlPlaneEndpoint: { host: draw.pick(['h', 'é', '::1']), port: draw.pick([1, 65_535]) } }
            : {}),
          infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'InfraCluster', name },
          ...(draw.chance(0.1) ? { paused: true } : {}),
        },
      },
      status: {
        initialization: {
          infrastructureProvisioned: true,
          ...(draw.chance(0.7) ? { controlPlaneInitialized: true } : {}),
        },
        conditions: [
          {
            type: 'ControlPlaneInitialized',
            status: draw.pick(['True', 'True', 'False', 'Unknown']),
            reason: 'X',
            message: draw.pick(WORDS),
            lastTransitionTime: draw.pick(DATES),
          },
        ],
      },
    },
    secret('kubeconfig', { value: base64(kubeconfigOf(draw)) }),
    ...(draw.chance(0.7) ? [secret('ca', { 'tls.crt': pem(), 'tls.key': pem() })] : []),
    ...(draw.chance(0.2)
      ? [
          {
            kind: 'ConfigMap',
            version: 'v1',
            body: {
              metadata: { name: `${name}-lock`, labels },
              data: {
                'lock-information': draw.pick([
                  ...WORDS,
                  '{"machineName":1}',
                  JSON.stringify(nested(900, 'machineName')),
                ]),
              },
            },
          } as Write,
        ]
      : []),
  ];
}

/** The writes of a scene, in their order. `clusters` are sound ones that are there. */
export function scene(draw: Draw, number: number, clusters: readonly string[]): readonly Write[] {
  const own = draw.chance(0.4) ? ownCluster(draw, number) : [];
  const cluster = own[0] === undefined ? draw.pick(clusters) : (own[0].body['metadata'] as { name: string }).name;
  const name = draw.chance(0.05) ? `k-${number}-${'x'.repeat(230)}` : `k-${number}`;
  const version = draw.pick(['v1beta1', 'v1beta2'] as const);
  const owner = draw.pick(['Machine', 'Machine', 'MachinePool'] as const);
  const labels = {
    'cluster.x-k8s.io/cluster-name': cluster,
    ...(owner === 'Machine' && draw.chance(0.2) ? { 'cluster.x-k8s.io/control-plane': '' } : {}),
  };
  const template = {
    clusterName: cluster,
    version: draw.pick(['v1.36.0', 'v1.36.0', 'v1.2.3', 'v1.36.0-é', 'v99999999999999999999.0.0', 'x']),
    bootstrap: { configRef: { apiGroup: 'bootstrap.cluster.x-k8s.io', kind: 'KubeadmConfig', name } },
    infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'InfraMachine', name: `i-${number}` },
  };
  const spec =
    owner === 'Machine'
      ? template
      : { clusterName: cluster, replicas: draw.pick([0, 1, 2_147_483_647]), template: { spec: template } };
  const config = {
    metadata: { name, ...oddMetadata(draw) },
    spec: { ...kubeadmParts(draw, version), ...oddSpec(draw, number) },
  };
  return [
    ...own,
    ...secretsOf(draw, number, cluster),
    {
      kind: owner,
      version: 'v1beta2',
      body: { metadata: { name, labels, ...(draw.chance(0.1) ? { finalizers: ['a.b/c'] } : {}) }, spec },
    },
    { kind: 'KubeadmConfig', version, body: config, ...(draw.chance(0.3) ? { status: forgedStatus(draw) } : {}) },
  ];
}
