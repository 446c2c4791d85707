// KubeadmConfigs in which every field holds a value, in as many specs as the fields that exclude each other need, and the
// surroundings to make bootstrap data from them.
import type { KubernetesObject, Secret } from '../../src/api/core.js';
import type { KubeadmConfig } from '../../src/api/kubeadmconfig/v1beta2.js';
import type { ReadingContext } from '../../src/bootstrap/field-reads.js';
import { evaluateOffline, type OfflineResult } from '../../src/bootstrap/offline.js';
import { vector } from '../golden/bootstrap-vector.js';

const extraArgs = [{ name: 'v', value: '2' }];
const extraEnvs = [
  {
    name: 'A',
    value: 'b',
    valueFrom: {
      fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' },
      resourceFieldRef: { containerName: 'c', resource: 'limits.cpu', divisor: '1m' },
      configMapKeyRef: { name: 'n', key: 'k', optional: true },
      secretKeyRef: { name: 'n', key: 'k', optional: true },
      fileKeyRef: { volumeName: 'v', path: 'p', key: 'k', optional: true },
    },
  },
];
const extraVolumes = [{ name: 'n', hostPath: '/h', mountPath: '/m', readOnly: true, pathType: 'File' }];
const component = { extraArgs, extraEnvs, extraVolumes };
const nodeRegistration = {
  name: 'node',
  criSocket: 'unix:///run/c.sock',
  taints: [{ key: 'k', value: 'v', effect: 'NoSchedule', timeAdded: '2026-01-02T03:04:05Z' }],
  kubeletExtraArgs: extraArgs,
  ignorePreflightErrors: ['Swap'],
  imagePullPolicy: 'Always',
  imagePullSerial: true,
};
const localAPIEndpoint = { advertiseAddress: '10.0.0.1', bindPort: 6443 };
const timeouts = {
  controlPlaneComponentHealthCheckSeconds: 1,
  kubeletHealthCheckSeconds: 2,
  kubernetesAPICallSeconds: 3,
  etcdAPICallSeconds: 4,
  tlsBootstrapSeconds: 5,
  discoverySeconds: 6,
};
const node = { nodeRegistration, skipPhases: ['addon/kube-proxy'], patches: { directory: '/p' }, timeouts };
const additionalConfig = 'unknown_key: 1\nsystemd:\n  units:\n  - name: extra.service\n    enabled: false\n';

const main = {
  clusterConfiguration: {
    etcd: {
      local: {
        imageRepository: 'r',
        imageTag: 't',
        dataDir: '/d',
        extraArgs,
        extraEnvs,
        serverCertSANs: ['s'],
        peerCertSANs: ['p'],
      },
    },
    controlPlaneEndpoint: 'example.com:6443',
    apiServer: { ...component, certSANs: ['s'] },
    controllerManager: component,
    scheduler: component,
    dns: { imageRepository: 'r', imageTag: 't' },
    certificatesDir: '/pki',
    imageRepository: 'r',
    featureGates: { Gate: true },
    certificateValidityPeriodDays: 100,
    caCertificateValidityPeriodDays: 200,
    encryptionAlgorithm: 'RSA-2048',
  },
  initConfiguration: {
    ...node,
    bootstrapTokens: [
      {
        token: 'abcdef.0123456789abcdef',
        description: 'd',
        ttlSeconds: 60,
        expires: '2026-01-02T03:04:05Z',
        usages: ['signing'],
        groups: ['g'],
      },
    ],
    localAPIEndpoint,
  },
  joinConfiguration: {
    ...node,
    caCertPath: '/ca',
    discovery: {
      bootstrapToken: {
        token: 'abcdef.0123456789abcdef',
        apiServerEndpoint: 'example.com:6443',
        caCertHashes: ['sha256:00'],
        unsafeSkipCAVerification: true,
      },
      tlsBootstrapToken: 'abcdef.0123456789abcdef',
    },
  },
  files: [
    { path: '/a', owner: 'root:root', permissions: '0640', encoding: 'base64', append: true, content: 'aGk=' },
    { path: '/t', permissions: '0640', content: '{{ "t" }}', contentFormat: 'Raw' },
  ],
  diskSetup: {
    partitions: [{ device: '/dev/sdb', layout: true, overwrite: true, tableType: 'gpt' }],
    filesystems: [
      {
        device: '/dev/sdb1',
        filesystem: 'ext4',
        label: 'data',
        partition: 'auto',
        overwrite: true,
        replaceFS: 'ntfs',
        extraOpts: ['-F'],
      },
    ],
  },
  mounts: [['data', '/mnt/data', 'defaults']],
  bootCommands: ['boot'],
  preKubeadmCommands: ['pre'],
  postKubeadmCommands: ['post'],
  users: [
    {
      name: 'u',
      gecos: 'g',
      groups: 'a, b',
      homeDir: '/home/u',
      inactive: true,
      shell: '/bin/sh',
      passwd: '$6$abc',
      primaryGroup: 'p',
      lockPassword: false,
      sudo: 'ALL',
      sshAuthorizedKeys: ['ssh-ed25519 AAAA'],
    },
  ],
  ntp: { servers: ['time'], enabled: true },
  verbosity: 5,
  ignition: { containerLinuxConfig: { additionalConfig, strict: false } },
};

/** What excludes something in `main`. */
const others = [
  {
    clusterConfiguration: {
      etcd: { external: { endpoints: ['https://e'], caFile: '/ca', certFile: '/cert', keyFile: '/key' } },
    },
    joinConfiguration: {
      discovery: {
        file: {
          kubeConfigPath: '/kc',
          kubeConfig: {
            cluster: {
              server: 'https://s',
              tlsServerName: 'n',
              insecureSkipTLSVerify: true,
              certificateAuthorityData: 'Y2E=',
              proxyURL: 'http://p',
            },
            user: {
              authProvider: { name: 'n', config: { k: 'v' } },
              exec: {
                command: 'c',
                args: ['a'],
                env: [{ name: 'n', value: 'v' }],
                apiVersion: 'v',
                provideClusterInfo: true,
              },
            },
          },
        },
      },
    },
    files: [{ path: '/a', permissions: '0640', contentFrom: { secret: { name: 'source', key: 'key' } } }],
    users: [{ name: 'u', passwdFrom: { secret: { name: 'source', key: 'key' } } }],
  },
  { joinConfiguration: { controlPlane: { localAPIEndpoint } } },
  {
    diskSetup: { partitions: [{ device: '/dev/sdb', diskLayout: [{ percentage: 30, partitionType: 'Linux' }] }] },
  },
];

/** Specs that hold every field among them. */
export const fullSpecs: readonly Readonly<Record<string, unknown>>[] = [main, ...others];

/** All places where data is made. */
export const contexts: readonly ReadingContext[] = (['init', 'controlPlaneJoin', 'workerJoin'] as const).flatMap(
  (mode) =>
    (['cloud-config', 'ignition'] as const).flatMap((format) =>
      (['v1beta3', 'v1beta4'] as const).map((api) => ({ mode, format, api })),
    ),
);

/** Makes bootstrap data of a spec. All certificates exist; the token would be `aaaaaa.bbbbbbbbbbbbbbbb`. */
export function evaluateSpec(spec: unknown, { mode, api }: ReadingContext): Promise<OfflineResult> {
  const { input } = vector('kc-vec-151');
  const version = api === 'v1beta3' ? 'v1.30.5' : 'v1.34.1';
  const machine = changed(input.machine as KubernetesObject, (object) => {
    object.spec = { ...object.spec, version };
    if (mode === 'workerJoin') object.metadata.labels = {};
  });
  const cluster = changed(input.cluster, (object) => {
    const conditions = mode === 'init' ? [] : [{ type: 'ControlPlaneInitialized', status: 'True' }];
    object.status = { ...object.status, conditions };
  });
  const config = { ...input.kubeadmConfig, spec } as KubeadmConfig;
  const source: KubernetesObject = secret('source', { key: 'c2VjcmV0' });
  const [ca] = input.secrets as readonly Secret[];
  const secrets = input.secrets.map((object) =>
    object.metadata.name === 'my-cluster-etcd' ? secret('my-cluster-etcd', ca?.data ?? {}) : object,
  );
  return evaluateOffline({
    objects: [cluster, machine, config, source, ...secrets],
    config,
    token: () => 'aaaaaa.bbbbbbbbbbbbbbbb',
    generate: () => Promise.resolve({ kind: 'failed', message: 'nothing is generated here' }),
    hasMachinePools: true,
    sizeLimitBytes: 0,
    respectsStoredData: true,
  });
}

function secret(name: string, data: Readonly<Record<string, string>>): KubernetesObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'default' }, data } as KubernetesObject;
}

interface LooseObject {
  metadata: { labels?: Record<string, string> };
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

function changed(object: KubernetesObject, change: (object: LooseObject) => void): KubernetesObject {
  const copy = structuredClone(object) as unknown as LooseObject;
  change(copy);
  return copy as unknown as KubernetesObject;
}
