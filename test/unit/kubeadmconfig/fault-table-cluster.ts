// What goes wrong around a KubeadmConfig: in the workload cluster, with tokens, locks, stored data and permissions.
import { CANARY, type Fault } from './fault-kit.js';
import {
  data,
  certificates,
  worker,
  first,
  lock,
  kubeconfig,
  refuse,
  base64,
  tokenTarget,
  touch,
  type Json,
} from './fault-worlds.js';
import {
  addClusterSecrets,
  addPool,
  cluster,
  config,
  create,
  machine,
  patch,
  remove,
  secret,
  tokens,
} from './objects.js';

/** Faults of connections, tokens, versions, stored data, the lock and the API server. */
export const clusterFaults: readonly Fault[] = [
  {
    fault: 'the kubeconfig Secret is missing',
    inject: worker({ kubeconfig: null }),
    condition: [data, 'NotAvailable'],
    object: 'Secret default/c1-kubeconfig',
    cause: 'secrets "c1-kubeconfig" not found',
  },
  {
    fault: 'the kubeconfig is no YAML',
    inject: worker({ kubeconfig: `{ "users": [ ${CANARY}` }),
    condition: [data, 'NotAvailable'],
    object: 'Secret default/c1-kubeconfig',
    cause: 'error parsing kubeconfig: it is not YAML',
  },
  {
    fault: 'the kubeconfig has an exec plugin',
    inject: worker({ kubeconfig: kubeconfig({ exec: { command: CANARY } }) }),
    condition: [data, 'NotAvailable'],
    object: 'Secret default/c1-kubeconfig',
    cause: 'ExecProvider is not supported',
  },
  {
    fault: 'the workload API server is not reachable',
    inject: worker({ kubeconfig: kubeconfig({ token: CANARY }) }),
    condition: [data, 'NotAvailable'],
    object: 'Secret default/c1-kubeconfig',
    cause: 'cannot reach the API server at 127.0.0.1:1: connection refused',
  },
  {
    fault: 'the workload cluster answers 401',
    inject: worker({ faults: refuse('create', 'secrets', 401, 'Unauthorized', 'kube-system') }),
    condition: [data, 'NotAvailable'],
    place: 'in workload cluster default/c1',
    cause: 'failed to create new bootstrap token: Unauthorized',
  },
  {
    fault: 'the workload cluster answers 403',
    inject: worker({
      faults: refuse(
        'create',
        'secrets',
        403,
        'secrets is forbidden: User "capi" cannot create resource "secrets" in API group "" in the namespace "kube-system"',
        'kube-system',
      ),
    }),
    condition: [data, 'NotAvailable'],
    place: 'in workload cluster default/c1',
    cause: 'secrets is forbidden: User "capi" cannot create resource "secrets"',
  },
  {
    fault: 'the version of a Machine is none',
    inject: worker({ machine: { version: 'one.two' } }),
    condition: [data, 'NotAvailable'],
    object: 'Machine default/x',
    place: 'spec.version',
    cause: 'failed to parse kubernetes version "one.two"',
  },
  {
    fault: 'the version of a Machine is too old',
    inject: first({ machine: { version: 'v1.20.0' } }),
    condition: [data, 'NotAvailable'],
    object: 'Machine default/x',
    place: 'spec.version',
    cause: "doesn't support Kubernetes version lower than v1.22.0",
  },
  {
    fault: 'a Machine has no version',
    inject: async (world) => {
      await create(world.user, cluster({}));
      await addClusterSecrets(world.user);
      const { spec, ...rest } = machine('x', { controlPlane: true });
      const { version: _, ...others } = spec as { readonly version: string };
      const owner = await create(world.user, { ...rest, spec: others });
      await create(world.user, config(owner, 'x', { verbosity: 1 }));
    },
    condition: [data, 'NotAvailable'],
    object: 'Machine default/x',
    place: 'spec.version',
    cause: 'failed to parse kubernetes version ""',
  },
  {
    fault: 'the user’s token is none',
    inject: worker({ spec: { joinConfiguration: { discovery: { bootstrapToken: { token: CANARY } } } } }),
    later: touch,
    condition: ['ActorState', 'TokenMonitoring'],
    place: 'spec.joinConfiguration.discovery.bootstrapToken.token',
    cause: 'was not of the form',
  },
  {
    fault: 'the user’s token is not in the workload cluster',
    inject: worker({ spec: { joinConfiguration: { discovery: { bootstrapToken: { token: `abcdef.${CANARY}` } } } } }),
    later: touch,
    condition: [data, 'NotAvailable'],
    place: 'spec.joinConfiguration.discovery.bootstrapToken',
    cause: 'is not in workload cluster',
  },
  {
    fault: 'the lost token of a Machine may not be made again',
    settings: { recreateLostTokens: false },
    inject: worker(),
    later: async (world) => {
      for (const { metadata } of await tokens(world.user))
        await remove(world.user, 'Secret', metadata.name, 'kube-system');
      await touch(world);
    },
    condition: ['ActorState', 'TokenMonitoring'],
    place: 'in workload cluster default/c1',
    cause: 'failed to get bootstrap token secret in order to refresh it',
  },
  {
    fault: 'file discovery without a CA to put into its kubeconfig',
    inject: worker({
      without: ['ca'],
      secrets: [secret('c1-ca', { 'tls.key': CANARY })],
      spec: {
        joinConfiguration: {
          discovery: { file: { kubeConfigPath: '/k', kubeConfig: { user: { exec: { command: 'c' } } } } },
        },
      },
    }),
    condition: [certificates, 'InternalError'],
    object: 'Secret default/c1-ca',
    cause: 'missing data for key tls.crt',
  },
  {
    fault: 'a worker has control plane settings',
    inject: worker({ spec: { joinConfiguration: { controlPlane: { certificateKey: CANARY } } } }),
    condition: [data, 'NotAvailable'],
    place: 'spec.joinConfiguration.controlPlane',
    cause: 'Machine is a Worker, but JoinConfiguration.ControlPlane is set',
  },
  {
    fault: 'the data Secret belongs to somebody else',
    inject: worker({
      secrets: [
        secret(
          'x',
          { value: CANARY },
          { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u', controller: true }] },
        ),
      ],
    }),
    condition: [data, 'NotAvailable'],
    object: 'Secret default/x',
    cause: 'controlled by Deployment web',
  },
  {
    fault: 'the data Secret may not be created',
    inject: worker({
      faults: refuse(
        'create',
        'secrets',
        403,
        'secrets is forbidden: User "capi" cannot create resource "secrets" in API group "" in the namespace "default"',
        'default',
      ),
    }),
    condition: [data, 'NotAvailable'],
    object: 'Secret default/x',
    cause: 'cannot create resource "secrets"',
  },
  {
    fault: 'the data Secret exceeds the quota',
    inject: worker({
      faults: refuse(
        'create',
        'secrets',
        403,
        'secrets "x" is forbidden: exceeded quota: small, requested: count/secrets=1, used: count/secrets=9, limited: count/secrets=9',
        'default',
      ),
    }),
    condition: [data, 'NotAvailable'],
    object: 'Secret default/x',
    cause: 'exceeded quota: small',
  },
  {
    fault: 'the lock may not be created',
    inject: first({
      faults: refuse(
        'create',
        'configmaps',
        403,
        'configmaps is forbidden: User "capi" cannot create resource "configmaps" in API group "" in the namespace "default"',
      ),
    }),
    condition: [data, 'NotAvailable'],
    object: 'ConfigMap default/c1-lock',
    cause: 'cannot create resource "configmaps"',
  },
  {
    fault: 'the lock cannot be read as one',
    inject: first({ objects: [lock('scribble')] }),
    condition: [data, 'NotAvailable'],
    object: 'ConfigMap default/c1-lock',
    place: 'lock-information',
    cause: 'is not JSON',
  },
  {
    fault: 'the lock names no Machine and has no label',
    inject: first({ objects: [lock('{}', {})] }),
    condition: [data, 'NotAvailable'],
    object: 'ConfigMap default/c1-lock',
    place: 'lock-information',
    cause: 'names no Machine',
  },
  {
    fault: 'Ignition cannot do what a file wants',
    inject: worker({ spec: { format: 'ignition', files: [{ path: 'relative', content: 'x' }] } }),
    condition: [data, 'NotAvailable'],
    place: 'spec.files[0].path',
    cause: 'path not absolute',
  },
  {
    fault: 'the additional Ignition configuration is none',
    inject: worker({
      spec: { format: 'ignition', ignition: { containerLinuxConfig: { additionalConfig: 'storage: [' } } },
    }),
    condition: [data, 'NotAvailable'],
    place: 'spec.ignition.containerLinuxConfig.additionalConfig',
    cause: 'error parsing Container Linux Config',
  },
  {
    fault: 'the data is larger than allowed',
    settings: { bootstrapDataSizeLimitBytes: 4_000 },
    inject: worker({
      spec: {
        files: [
          { path: '/a', content: 'small' },
          { path: '/b', content: 'x'.repeat(9_000) },
        ],
      },
    }),
    condition: [data, 'NotAvailable'],
    place: 'spec.files[1]',
    cause: 'more than the limit of 4000',
  },
  {
    fault: 'the kubeconfig Secret lacks its key',
    inject: async (world) => {
      await worker({ kubeconfig: null, secrets: [secret('c1-kubeconfig', { other: CANARY })] })(world);
    },
    condition: [data, 'NotAvailable'],
    object: 'Secret default/c1-kubeconfig',
    cause: 'missing key "value" in secret data',
  },
  {
    fault: 'the kubeconfig names a file',
    inject: worker({ kubeconfig: kubeconfig({ tokenFile: '/var/run/token' }) }),
    condition: [data, 'NotAvailable'],
    object: 'Secret default/c1-kubeconfig',
    cause: 'tokenFile names a file',
  },
  {
    fault: 'the token in the workload cluster has a garbled expiry',
    inject: worker(),
    later: async (world) => {
      for (const { metadata } of await tokens(world.user))
        await world.user.mergePatch(tokenTarget(metadata.name), { data: { expiration: base64('tomorrow') } });
      await touch(world);
    },
    condition: ['ActorState', 'TokenMonitoring'],
    place: 'key expiration',
    cause: "can't parse expiration time of bootstrap token",
  },
  {
    fault: 'another token has the id in the workload cluster, and the data is in use',
    inject: worker(),
    later: async (world) => {
      await patch(world.user, 'Machine', 'x', { spec: { bootstrap: { dataSecretName: 'x' } } });
      await world.settle();
      for (const { metadata } of await tokens(world.user))
        await world.user.mergePatch(tokenTarget(metadata.name), { data: { 'token-secret': base64(CANARY) } });
      await touch(world);
    },
    condition: [data, 'NotAvailable'],
    object: 'Machine default/x',
    place: 'spec.joinConfiguration.discovery.bootstrapToken.token',
    cause: 'holds another bootstrap token with the id',
  },
  {
    fault: 'the spec has another token than data that is in use',
    inject: worker(),
    later: async (world) => {
      await patch(world.user, 'Machine', 'x', { spec: { bootstrap: { dataSecretName: 'x' } } });
      await patch(world.user, 'KubeadmConfig', 'x', {
        spec: { joinConfiguration: { discovery: { bootstrapToken: { token: `abcdef.${CANARY}` } } } },
      });
    },
    condition: [data, 'NotAvailable'],
    object: 'Secret default/x',
    place: 'spec.joinConfiguration.discovery.bootstrapToken.token',
    cause: 'holds another token',
  },
  {
    fault: 'a Secret of the needed name is being deleted',
    inject: async (world) => {
      const ending = secret('x', { value: CANARY }) as { readonly metadata: Json };
      const metadata = { ...ending.metadata, finalizers: ['example.com/hold'] };
      await worker({ secrets: [{ ...ending, metadata }] })(world);
      await remove(world.user, 'Secret', 'x');
    },
    condition: [data, 'NotAvailable'],
    object: 'Secret default/x',
    cause: 'deleted',
  },
  {
    fault: 'the version of a MachinePool is none',
    inject: async (world) => {
      await create(world.user, cluster({ initialized: true }));
      await addClusterSecrets(world.user);
      await addPool(world.user, 'x');
      await patch(world.user, 'MachinePool', 'x', { spec: { template: { spec: { version: 'v1.x' } } } });
    },
    condition: [data, 'NotAvailable'],
    object: 'MachinePool default/x',
    place: 'spec.template.spec.version',
    cause: 'failed to parse kubernetes version "v1.x"',
  },
  {
    fault: 'the Cluster cannot be read before an init',
    inject: first({
      faults: refuse(
        'get',
        'clusters',
        403,
        'clusters.cluster.x-k8s.io "c1" is forbidden: User "capi" cannot get resource "clusters"',
      ),
    }),
    condition: [data, 'NotAvailable'],
    object: 'Cluster default/c1',
    cause: 'is forbidden: User "capi" cannot get resource "clusters"',
  },
  {
    fault: 'the KubeadmConfig itself may not be patched',
    inject: worker({
      faults: {
        request: (info) =>
          info.userAgent.startsWith('operator-under-test') &&
          info.verb === 'patch' &&
          info.resource === 'kubeadmconfigs' &&
          info.subresource === ''
            ? {
                kind: 'status',
                code: 403,
                message: 'kubeadmconfigs "x" is forbidden: User "capi" cannot patch resource "kubeadmconfigs"',
              }
            : undefined,
      },
    }),
    condition: [data, 'NotAvailable'],
    cause: 'cannot patch resource "kubeadmconfigs"',
  },
  {
    fault: 'the Cluster is paused',
    inject: worker({ cluster: { paused: true } }),
    condition: ['Paused', 'Paused'],
    object: 'Cluster',
    place: 'spec.paused',
    cause: 'is set to true',
  },
];
