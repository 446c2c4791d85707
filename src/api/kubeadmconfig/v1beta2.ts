// KubeadmConfig and KubeadmConfigTemplate in version v1beta2: the version that is stored, and the one our code works with.
//
// It describes the wire shape only. Meaning lives in machines/ and src/bootstrap; conversion from v1beta1 in conversion.ts.
// An object that says nothing must be absent: never write `{}`, except for joinConfiguration.controlPlane.

import type { ObjectMeta, TypeMeta } from '../meta.js';
import { dictionary, evenEmpty, flag, int32, int64, list, object, required, text, type TypeOf } from '../schema.js';
import { asBootstrapToken } from '../text-forms.js';
import { strict } from './dialect.js';
import { conditions, legacyConditions, taint } from './kubernetes-types.js';
import * as shared from './shared.js';

const { group, items } = strict;

const extraArgs = (description: string, field: string) =>
  list(
    description,
    object('An argument of a program.', {
      name: required(text('Name of the argument, without leading dashes.', { minLength: 1, maxLength: 256 })),
      value: required(evenEmpty(text('Value of the argument. May be empty.', { minLength: 0, maxLength: 1024 }))),
    }),
    {
      minItems: 1,
      maxItems: 100,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name', 'value'],
      'x-kubernetes-validations': [
        { message: `${field} name must be unique`, rule: 'self.all(x, self.exists_one(y, x.name == y.name))' },
      ],
    },
  );

const component = {
  extraArgs: extraArgs('Additional arguments of the component. They win over those that kubeadm sets.', 'extraArgs'),
  extraVolumes: shared.extraVolumes(strict),
  extraEnvs: evenEmpty(shared.extraEnvs(strict)),
};

const clusterConfiguration = group(
  'Settings of the whole cluster. They are used when its first control plane is made.',
  {
    etcd: group("The cluster's etcd. Local when empty.", {
      local: group('An etcd member on each control plane node. Cannot be set together with `external`.', {
        ...shared.image,
        dataDir: shared.bounded('Directory of the data on the node. `/var/lib/etcd` when empty.', 512),
        extraArgs: component.extraArgs,
        extraEnvs: component.extraEnvs,
        serverCertSANs: shared.certificateNames(strict, "Additional names in etcd's server certificate."),
        peerCertSANs: shared.certificateNames(strict, "Additional names in etcd's peer certificate."),
      }),
      external: shared.externalEtcd(strict),
    }),
    controlPlaneEndpoint: shared.controlPlaneEndpoint,
    apiServer: group('The API server.', {
      ...component,
      certSANs: shared.certificateNames(strict, "Additional names in the API server's certificate."),
    }),
    controllerManager: group('The controller manager.', component),
    scheduler: group('The scheduler.', component),
    dns: group("The cluster's DNS add-on.", shared.image),
    ...shared.clusterWide,
  },
);

const { name, criSocket, ...registration } = shared.registration(strict);

const nodeRegistration = group('How the node registers itself in the cluster.', {
  name,
  criSocket,
  taints: evenEmpty(
    list(
      'Taints of the new Node. When absent, kubeadm taints control plane nodes; an empty list means no taints at all.',
      taint,
      { minItems: 0, maxItems: 100 },
    ),
  ),
  kubeletExtraArgs: extraArgs(
    'Additional arguments of the kubelet. They win over those that kubeadm sets.',
    'kubeletExtraArgs',
  ),
  ...registration,
});

const seconds = (description: string) => evenEmpty(int32(`${description}, in seconds.`, { minimum: 0 }));

const timeouts = group('How long kubeadm waits.', {
  controlPlaneComponentHealthCheckSeconds: seconds('For a control plane component to be healthy'),
  kubeletHealthCheckSeconds: seconds('For the kubelet to be healthy'),
  kubernetesAPICallSeconds: seconds('For one call of the Kubernetes API'),
  etcdAPICallSeconds: seconds('For one call of the etcd API'),
  tlsBootstrapSeconds: seconds("For the kubelet's TLS bootstrap"),
  discoverySeconds: seconds('For the discovery of the cluster by a joining node'),
});

const localAPIEndpoint = group('Where the API server of this node listens.', {
  advertiseAddress: shared.bounded('IP address to advertise. Found by kubeadm when empty.', 39),
  bindPort: int32('Port to bind to. 6443 when empty.', { minimum: 1 }),
});

const initConfiguration = group('Settings of the node that creates the cluster (kubeadm init).', {
  bootstrapTokens: items(
    'Bootstrap tokens to create with the cluster.',
    object('A bootstrap token.', {
      token: required(
        asBootstrapToken(shared.bounded('The token, `<id>.<secret>` (6 and 16 lower-case letters or digits).', 23)),
      ),
      description: shared.tokenDescription,
      ttlSeconds: evenEmpty(
        int32('Life time of the token in seconds. Cannot be set together with `expires`.', { minimum: 0 }),
      ),
      ...shared.tokenScope(strict),
    }),
    { min: 1, max: 100 },
  ),
  nodeRegistration,
  localAPIEndpoint,
  skipPhases: shared.skipPhases(strict),
  patches: shared.patches(strict),
  timeouts,
});

const joinConfiguration = group('Settings of a node that joins the cluster (kubeadm join).', {
  nodeRegistration,
  caCertPath: shared.bounded(
    "Path on the node of the cluster's certificate authority. `/etc/kubernetes/pki/ca.crt` when empty.",
    512,
  ),
  discovery: group('How the node finds the cluster and learns to trust it.', {
    bootstrapToken: shared.tokenDiscovery(strict),
    file: shared.fileDiscovery(strict),
    tlsBootstrapToken: shared.bounded(
      "Token for the kubelet's TLS bootstrap. That of `bootstrapToken` when empty.",
      512,
    ),
  }),
  controlPlane: evenEmpty(
    object('The node becomes a control plane. An empty object is enough; absent means worker.', { localAPIEndpoint }),
  ),
  skipPhases: shared.skipPhases(strict),
  patches: shared.patches(strict),
  timeouts,
});

const diskSetup = group('Partitions and filesystems to create on the node.', {
  partitions: items(
    'Partition tables to write.',
    object(
      'A partition table.',
      {
        device: shared.partitionTable.device,
        layout: flag(
          'True makes one partition of the whole disk, false makes none. Exactly one of `layout` and `diskLayout` is set.',
        ),
        diskLayout: items('Partitions to make, in order.', shared.partitionSpec, { min: 1, max: 100 }),
        overwrite: shared.partitionTable.overwrite,
        tableType: shared.partitionTable.tableType,
      },
      {
        'x-kubernetes-validations': [
          {
            message: 'exactly one of the fields in [layout diskLayout] must be set',
            rule: '[has(self.layout),has(self.diskLayout)].filter(x,x==true).size() == 1',
          },
        ],
      },
    ),
    { max: 100 },
  ),
  filesystems: shared.filesystems(strict),
});

/** Description of what a user asks for. */
export const kubeadmConfigSpec = group(
  'What the node should look like. At least one of clusterConfiguration, initConfiguration and joinConfiguration is usual.',
  {
    clusterConfiguration,
    initConfiguration,
    joinConfiguration,
    files: shared.files(strict),
    diskSetup,
    mounts: shared.mounts(strict, { minItems: 1, maxItems: 100 }),
    bootCommands: shared.commands(strict, 'Commands that run early, at every boot. Only with format cloud-config.'),
    preKubeadmCommands: shared.commands(strict, 'Commands that run before kubeadm.'),
    postKubeadmCommands: shared.commands(strict, 'Commands that run after kubeadm.'),
    users: shared.users(strict),
    ntp: shared.ntp(strict),
    format: shared.format,
    verbosity: evenEmpty(int32("Verbosity of kubeadm's log.")),
    ignition: shared.ignition(strict),
  },
);

/** Description of what the operator reports. */
export const kubeadmConfigStatus = group('What is known about the bootstrap data.', {
  conditions,
  initialization: group('Facts that Cluster API waits for.', {
    dataSecretCreated: flag('True once the Secret with the bootstrap data is complete. It never becomes false again.'),
  }),
  dataSecretName: shared.bounded('Name of the Secret that holds the bootstrap data.', 253),
  observedGeneration: int64('The metadata.generation that was acted upon last.', { minimum: 1 }),
  deprecated: evenEmpty(
    object('What is kept for readers of older versions.', {
      v1beta1: evenEmpty(
        object('What is kept for readers of v1beta1.', {
          conditions: legacyConditions,
          failureReason: shared.bounded(
            'Why the object failed for good, in one word. Nothing is done for such an object.',
            256,
          ),
          failureMessage: shared.bounded('Why the object failed for good, for people.', 10240),
        }),
      ),
    }),
  ),
});

/** Description of a template's content. */
export const kubeadmConfigTemplateSpec = object('What objects made from this template look like.', {
  template: required(
    group('The object to make.', {
      metadata: group('Labels and annotations of the object to make.', {
        labels: dictionary('Labels.', text('Value of one label.')),
        annotations: dictionary('Annotations.', text('Value of one annotation.')),
      }),
      spec: kubeadmConfigSpec,
    }),
  ),
});

/** What a user asks for. */
export type KubeadmConfigSpec = TypeOf<typeof kubeadmConfigSpec>;
/** What the operator reports. */
export type KubeadmConfigStatus = TypeOf<typeof kubeadmConfigStatus>;
/** Configuration of the bootstrap data of one Machine or MachinePool. */
export interface KubeadmConfig extends TypeMeta {
  readonly metadata: ObjectMeta;
  readonly spec?: KubeadmConfigSpec;
  readonly status?: KubeadmConfigStatus;
}
/** Content of a template. */
export type KubeadmConfigTemplateSpec = TypeOf<typeof kubeadmConfigTemplateSpec>;
/** A template from which KubeadmConfigs are made. */
export interface KubeadmConfigTemplate extends TypeMeta {
  readonly metadata: ObjectMeta;
  readonly spec?: KubeadmConfigTemplateSpec;
}

/** Settings of the whole cluster. */
export type ClusterConfiguration = TypeOf<typeof clusterConfiguration>;
/** Settings of the node that creates the cluster. */
export type InitConfiguration = TypeOf<typeof initConfiguration>;
/** Settings of a node that joins the cluster. */
export type JoinConfiguration = TypeOf<typeof joinConfiguration>;
/** How a node registers itself. */
export type NodeRegistration = TypeOf<typeof nodeRegistration>;
/** How long kubeadm waits. */
export type Timeouts = TypeOf<typeof timeouts>;
/** Where the API server of a node listens. */
export type LocalAPIEndpoint = TypeOf<typeof localAPIEndpoint>;
/** Partitions and filesystems of the node. */
export type DiskSetup = TypeOf<typeof diskSetup>;
/** How a joining node finds the cluster. */
export type Discovery = NonNullable<JoinConfiguration['discovery']>;
/** Discovery through a bootstrap token. */
export type BootstrapTokenDiscovery = NonNullable<Discovery['bootstrapToken']>;
/** Discovery through a kubeconfig file. */
export type FileDiscovery = NonNullable<Discovery['file']>;
/** The kubeconfig file of a file discovery. */
export type FileDiscoveryKubeConfig = NonNullable<FileDiscovery['kubeConfig']>;
/** A bootstrap token of kubeadm init. */
export type BootstrapToken = NonNullable<InitConfiguration['bootstrapTokens']>[number];
/** An argument of a program. */
export type Arg = NonNullable<NodeRegistration['kubeletExtraArgs']>[number];
/** A host path that is mounted into a component. */
export type HostPathMount = NonNullable<NonNullable<ClusterConfiguration['scheduler']>['extraVolumes']>[number];
/** A file on the node. */
export type File = NonNullable<KubeadmConfigSpec['files']>[number];
/** A user on the node. */
export type User = NonNullable<KubeadmConfigSpec['users']>[number];
/** Time synchronisation of the node. */
export type NTP = NonNullable<KubeadmConfigSpec['ntp']>;
/** A partition table. */
export type Partition = NonNullable<DiskSetup['partitions']>[number];
/** A filesystem. */
export type Filesystem = NonNullable<DiskSetup['filesystems']>[number];
/** Configuration for nodes that boot with Ignition. */
export type IgnitionSpec = NonNullable<KubeadmConfigSpec['ignition']>;
/** Format of the bootstrap data. */
export type Format = NonNullable<KubeadmConfigSpec['format']>;
