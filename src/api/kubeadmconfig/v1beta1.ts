// KubeadmConfig and KubeadmConfigTemplate in version v1beta1: deprecated, served through conversion, never stored.
//
// It describes the wire shape only. Nothing but conversion works with this version. Here an empty object and an absent one
// mean the same, and the objects marked `always` are written even when they say nothing, as readers of old expect.

import type { ObjectMeta, TypeMeta } from '../meta.js';
import {
  always,
  dictionary,
  evenEmpty,
  flag,
  int32,
  int64,
  list,
  object,
  required,
  text,
  unlessFalse,
  type TypeOf,
} from '../schema.js';
import { asBootstrapToken, goDuration } from '../text-forms.js';
import { lenient } from './dialect.js';
import { conditions, legacyConditions, taint } from './kubernetes-types.js';
import * as shared from './shared.js';

const { group, items } = lenient;

const typeMeta = {
  kind: text('Kind of the object in kubeadm. Ignored.'),
  apiVersion: text('Version of the object in kubeadm. Ignored.'),
};

const extraArgs = (description: string) => dictionary(description, text('Value of one argument. May be empty.'));

const component = {
  extraArgs: extraArgs('Additional arguments of the component. They win over those that kubeadm sets.'),
  extraVolumes: shared.extraVolumes(lenient),
  extraEnvs: shared.extraEnvs(lenient),
};

const clusterConfiguration = group(
  'Settings of the whole cluster. They are used when its first control plane is made.',
  {
    ...typeMeta,
    etcd: always(
      group("The cluster's etcd. Local when empty.", {
        local: group('An etcd member on each control plane node. Cannot be set together with `external`.', {
          ...shared.image,
          dataDir: shared.bounded('Directory of the data on the node. `/var/lib/etcd` when empty.', 512),
          extraArgs: component.extraArgs,
          extraEnvs: component.extraEnvs,
          serverCertSANs: shared.certificateNames(lenient, "Additional names in etcd's server certificate."),
          peerCertSANs: shared.certificateNames(lenient, "Additional names in etcd's peer certificate."),
        }),
        external: shared.externalEtcd(lenient),
      }),
    ),
    networking: always(
      group('Ignored: the Cluster says it.', {
        serviceSubnet: shared.bounded('Address ranges of Services. Ignored.', 1024),
        podSubnet: shared.bounded('Address ranges of Pods. Ignored.', 1024),
        dnsDomain: shared.bounded('DNS domain of Services. Ignored.', 253),
      }),
    ),
    kubernetesVersion: shared.bounded('Ignored: the Machine says it.', 256),
    controlPlaneEndpoint: shared.controlPlaneEndpoint,
    apiServer: always(
      group('The API server.', {
        ...component,
        certSANs: shared.certificateNames(lenient, "Additional names in the API server's certificate."),
        timeoutForControlPlane: evenEmpty(goDuration('How long to wait for the API server to be healthy.')),
      }),
    ),
    controllerManager: always(group('The controller manager.', component)),
    scheduler: always(group('The scheduler.', component)),
    dns: always(group("The cluster's DNS add-on.", shared.image)),
    clusterName: shared.bounded('Ignored: the Cluster says it.', 63),
    ...shared.clusterWide,
  },
);

const { name, criSocket, ...registration } = shared.registration(lenient);

const nodeRegistration = always(
  group('How the node registers itself in the cluster.', {
    name,
    criSocket,
    taints: evenEmpty(
      list(
        'Taints of the new Node. When absent, kubeadm taints control plane nodes; an empty list means no taints at all.',
        taint,
        { maxItems: 100 },
      ),
    ),
    kubeletExtraArgs: extraArgs('Additional arguments of the kubelet. They win over those that kubeadm sets.'),
    ...registration,
  }),
);

const localAPIEndpoint = always(
  group('Where the API server of this node listens.', {
    advertiseAddress: shared.bounded('IP address to advertise. Found by kubeadm when empty.', 39),
    bindPort: int32('Port to bind to. 6443 when empty.'),
  }),
);

const initConfiguration = group('Settings of the node that creates the cluster (kubeadm init).', {
  ...typeMeta,
  bootstrapTokens: items(
    'Bootstrap tokens to create with the cluster.',
    object('A bootstrap token.', {
      token: required(asBootstrapToken(text('The token, `<id>.<secret>` (6 and 16 lower-case letters or digits).'))),
      description: shared.tokenDescription,
      ttl: evenEmpty(goDuration('Life time of the token. Cannot be set together with `expires`.')),
      ...shared.tokenScope(lenient),
    }),
    { max: 100 },
  ),
  nodeRegistration,
  localAPIEndpoint,
  skipPhases: shared.skipPhases(lenient),
  patches: shared.patches(lenient),
});

const joinConfiguration = group('Settings of a node that joins the cluster (kubeadm join).', {
  ...typeMeta,
  nodeRegistration,
  caCertPath: shared.bounded(
    "Path on the node of the cluster's certificate authority. `/etc/kubernetes/pki/ca.crt` when empty.",
    512,
  ),
  discovery: always(
    group('How the node finds the cluster and learns to trust it.', {
      bootstrapToken: shared.tokenDiscovery(lenient),
      file: shared.fileDiscovery(lenient),
      tlsBootstrapToken: shared.bounded(
        "Token for the kubelet's TLS bootstrap. That of `bootstrapToken` when empty.",
        512,
      ),
      timeout: evenEmpty(goDuration('How long the node waits for the TLS bootstrap.')),
    }),
  ),
  controlPlane: evenEmpty(
    object('The node becomes a control plane. An empty object is enough; absent means worker.', { localAPIEndpoint }),
  ),
  skipPhases: shared.skipPhases(lenient),
  patches: shared.patches(lenient),
});

const diskSetup = group('Partitions and filesystems to create on the node.', {
  partitions: items(
    'Partition tables to write.',
    object('A partition table.', {
      device: shared.partitionTable.device,
      layout: required(
        always(flag('True makes one partition of the whole disk, false makes none, or those of `diskLayout`.')),
      ),
      diskLayout: list('Partitions to make, in order.', shared.partitionSpec, { minItems: 1, maxItems: 100 }),
      overwrite: shared.partitionTable.overwrite,
      tableType: shared.partitionTable.tableType,
    }),
    { max: 100 },
  ),
  filesystems: shared.filesystems(lenient),
});

/** Description of what a user asks for. */
export const kubeadmConfigSpec = group(
  'What the node should look like. At least one of clusterConfiguration, initConfiguration and joinConfiguration is usual.',
  {
    clusterConfiguration,
    initConfiguration,
    joinConfiguration,
    files: shared.files(lenient),
    diskSetup,
    mounts: shared.mounts(lenient, {}),
    bootCommands: shared.commands(lenient, 'Commands that run early, at every boot. Only with format cloud-config.'),
    preKubeadmCommands: shared.commands(lenient, 'Commands that run before kubeadm.'),
    postKubeadmCommands: shared.commands(lenient, 'Commands that run after kubeadm.'),
    users: shared.users(lenient),
    ntp: shared.ntp(lenient),
    format: shared.format,
    verbosity: evenEmpty(int32("Verbosity of kubeadm's log.")),
    useExperimentalRetryJoin: unlessFalse(flag('Ignored: kubeadm itself repeats what fails.')),
    ignition: shared.ignition(lenient),
  },
);

/** Description of what the operator reports. */
export const kubeadmConfigStatus = object('What is known about the bootstrap data.', {
  ready: always(flag('Whether the Secret with the bootstrap data is complete.')),
  dataSecretName: shared.bounded('Name of the Secret that holds the bootstrap data.', 253),
  failureReason: shared.bounded(
    'Why the object failed for good, in one word. Nothing is done for such an object.',
    256,
  ),
  failureMessage: shared.bounded('Why the object failed for good, for people.', 10240),
  observedGeneration: int64('The metadata.generation that was acted upon last.'),
  conditions: legacyConditions,
  v1beta2: object('What readers of v1beta2 see.', { conditions }),
});

/** Description of a template's content. */
export const kubeadmConfigTemplateSpec = object('What objects made from this template look like.', {
  template: required(
    always(
      object('The object to make.', {
        metadata: always(
          object('Labels and annotations of the object to make.', {
            labels: dictionary('Labels.', text('Value of one label.')),
            annotations: dictionary('Annotations.', text('Value of one annotation.')),
          }),
        ),
        spec: always(kubeadmConfigSpec),
      }),
    ),
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

/** Settings of the whole cluster. */
export type ClusterConfiguration = TypeOf<typeof clusterConfiguration>;
/** Settings of the node that creates the cluster. */
export type InitConfiguration = TypeOf<typeof initConfiguration>;
/** Settings of a node that joins the cluster. */
export type JoinConfiguration = TypeOf<typeof joinConfiguration>;
/** How a node registers itself. */
export type NodeRegistration = TypeOf<typeof nodeRegistration>;
