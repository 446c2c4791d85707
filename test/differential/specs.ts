// Random specs of KubeadmConfigs. Pure.
import type { Stream } from '../simulation/engine/seeded.js';
import type { Json } from './history.js';

/** Secrets that specs name; histories create and delete them. */
export const SOURCE = 'source';

const args = [{ name: 'v', value: '2' }];

/** Pieces of a spec by field: a patch takes one, a new spec some. */
const pieces: Readonly<Record<string, readonly Json[]>> = {
  files: [
    { files: [{ path: '/etc/motd', owner: 'root:root', permissions: '0644', content: 'A node.\n' }] },
    {
      files: [
        { path: '/a', permissions: '0640', contentFrom: { secret: { name: SOURCE, key: 'key' } } },
        { path: '/b', permissions: '0600', encoding: 'base64', content: 'aGk=' },
      ],
    },
    { files: [{ path: '/c', permissions: '0600', contentFrom: { secret: { name: SOURCE, key: 'missing' } } }] },
    { files: [{ path: '/d', permissions: '0640', append: true, content: 'more: "quoted"\n\ttab \\ back' }] },
  ],
  templates: [
    { files: [{ path: '/t', permissions: '0640', content: '{{ .KubernetesVersion }}', contentFormat: 'Template' }] },
  ],
  users: [
    { users: [{ name: 'u', sudo: 'ALL', groups: 'a, b', shell: '/bin/sh', sshAuthorizedKeys: ['ssh-ed25519 AAAA'] }] },
    { users: [{ name: 'u', passwdFrom: { secret: { name: SOURCE, key: 'key' } }, lockPassword: false }] },
    { users: [{ name: 'u', passwd: '$6$abc', inactive: true, homeDir: '/h', gecos: 'g', primaryGroup: 'p' }] },
  ],
  commands: [
    { preKubeadmCommands: ['hostname', 'echo "a: b"'], postKubeadmCommands: ['true'] },
    { bootCommands: ['echo boot'], preKubeadmCommands: ["echo 'it''s' # no comment"] },
  ],
  ntp: [{ ntp: { servers: ['time.example.com'], enabled: true } }, { ntp: { enabled: false } }],
  disks: [
    {
      diskSetup: {
        partitions: [{ device: '/dev/sdb', layout: true, overwrite: true, tableType: 'gpt' }],
        filesystems: [{ device: '/dev/sdb1', filesystem: 'ext4', label: 'data', overwrite: false, partition: 'auto' }],
      },
      mounts: [['LABEL=data', '/mnt', 'defaults']],
    },
  ],
  verbosity: [{ verbosity: 5 }, { verbosity: 0 }],
  init: [
    { initConfiguration: { nodeRegistration: { kubeletExtraArgs: args, name: 'cp' }, skipPhases: ['addon/coredns'] } },
    { initConfiguration: { localAPIEndpoint: { advertiseAddress: '10.0.0.1', bindPort: 6443 } } },
    { initConfiguration: { timeouts: { controlPlaneComponentHealthCheckSeconds: 300 }, patches: { directory: '/p' } } },
  ],
  cluster: [
    {
      clusterConfiguration: { apiServer: { certSANs: ['a.example.com'], extraArgs: args }, imageRepository: 'r.io/x' },
    },
    { clusterConfiguration: { featureGates: { A: true, B: false }, scheduler: { extraArgs: args } } },
    { clusterConfiguration: { controlPlaneEndpoint: 'own.example.com:6443', certificatesDir: '/pki' } },
    { clusterConfiguration: { encryptionAlgorithm: 'ECDSA-P256', caCertificateValidityPeriodDays: 100 } },
    { clusterConfiguration: { etcd: { local: { dataDir: '/d', extraArgs: args, imageTag: '3.5' } } } },
  ],
  externalEtcd: [
    {
      clusterConfiguration: {
        etcd: { external: { endpoints: ['https://e:2379'], caFile: '/ca', certFile: '/cert', keyFile: '/key' } },
      },
    },
  ],
  join: [
    { joinConfiguration: { nodeRegistration: { kubeletExtraArgs: args, taints: [] } } },
    {
      joinConfiguration: {
        nodeRegistration: { taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }], ignorePreflightErrors: ['Swap'] },
      },
    },
    { joinConfiguration: { caCertPath: '/own/ca.crt', timeouts: { discoverySeconds: 60 } } },
    { joinConfiguration: { discovery: { tlsBootstrapToken: 'abcdef.0123456789abcdef' } } },
    { joinConfiguration: { discovery: { bootstrapToken: { caCertHashes: ['sha256:00'] } } } },
    { joinConfiguration: { discovery: { bootstrapToken: { apiServerEndpoint: 'own.example.com:6443' } } } },
    { joinConfiguration: { discovery: { bootstrapToken: { unsafeSkipCAVerification: true } } } },
  ],
  controlPlane: [
    { joinConfiguration: { controlPlane: { localAPIEndpoint: { advertiseAddress: '10.0.0.2', bindPort: 6443 } } } },
  ],
  fileDiscovery: [
    {
      joinConfiguration: {
        discovery: {
          file: {
            kubeConfigPath: '/kc',
            kubeConfig: {
              user: { exec: { command: 'c', args: ['a'], apiVersion: 'client.authentication.k8s.io/v1' } },
            },
          },
        },
      },
    },
    {
      joinConfiguration: {
        discovery: {
          file: {
            kubeConfigPath: '/kc',
            kubeConfig: {
              cluster: { server: 'https://s', tlsServerName: 'n' },
              user: { authProvider: { name: 'n', config: { k: 'v' } } },
            },
          },
        },
      },
    },
    { joinConfiguration: { discovery: { file: { kubeConfigPath: '/kc' } } } },
  ],
  ignition: [
    { format: 'ignition' },
    {
      format: 'ignition',
      ignition: {
        containerLinuxConfig: {
          additionalConfig: 'systemd:\n  units:\n  - name: extra.service\n    enabled: false\n',
          strict: true,
        },
      },
    },
    { format: 'cloud-config' },
  ],
};

/** How often a piece is in a new spec. */
const shares: Readonly<Record<string, number>> = {
  files: 0.35,
  templates: 0.02,
  users: 0.2,
  commands: 0.4,
  ntp: 0.15,
  disks: 0.1,
  verbosity: 0.15,
  ignition: 0.12,
  init: 0.4,
  cluster: 0.4,
  externalEtcd: 0.03,
  join: 0.5,
  controlPlane: 0.03,
  fileDiscovery: 0.06,
};

/** A new spec. Control planes say how the cluster is made; a worker seldom does, as a mistake. */
export function randomSpec(random: Stream, isControlPlane: boolean, userToken: string | null): Json {
  let spec: Json = {};
  for (const [name, share] of Object.entries(shares)) {
    const isMistake = ['init', 'cluster', 'externalEtcd'].includes(name) && !isControlPlane;
    if (!random.chance(isMistake ? share / 10 : share)) continue;
    spec = merged(spec, random.pick(pieces[name] ?? []));
  }
  const isOrphan = Object.keys(spec).every((field) => !field.endsWith('Configuration'));
  if (isOrphan) spec = merged(spec, random.pick(pieces['join'] ?? []));
  if (userToken === null) return spec;
  return merged(spec, { joinConfiguration: { discovery: { bootstrapToken: { token: userToken } } } });
}

/** A change of a spec, as a merge patch. */
export function randomSpecPatch(random: Stream): Json {
  const name = random.pick(Object.keys(pieces));
  const piece = random.pick(pieces[name] ?? []);
  if (random.chance(0.2)) return Object.fromEntries(Object.keys(piece).map((field) => [field, null]));
  return piece;
}

/** Two objects as one; lists are replaced. */
export function merged(into: Json, from: Json): Json {
  const result: Record<string, unknown> = { ...into };
  for (const [field, value] of Object.entries(from)) {
    const before = result[field];
    result[field] = isJson(before) && isJson(value) ? merged(before, value) : value;
  }
  return result;
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
