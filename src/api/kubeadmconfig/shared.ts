// The parts of a KubeadmConfig that mean the same in both API versions, described once per dialect.
//
// What only one version has, and everything that contains extra arguments (a list in v1beta2, a map in v1beta1), is
// described in that version's own files.

import { dictionary, flag, int32, list, object, oneOf, required, text } from '../schema.js';
import { time } from '../text-forms.js';
import type { Dialect } from './dialect.js';
import { envVar } from './kubernetes-types.js';

/** A non-empty string of bounded length. */
export const bounded = (description: string, maxLength: number) => text(description, { minLength: 1, maxLength });

/** A list of commands for the node. */
export const commands = (d: Dialect, description: string) =>
  d.items(description, bounded('One command.', 10240), { min: 1, max: 1000 });

const secretKey = (what: string) =>
  object(`A Secret of the KubeadmConfig's namespace that holds the ${what}.`, {
    name: required(bounded('Name of the Secret.', 253)),
    key: required(bounded('Key inside the Secret.', 256)),
  });

/** Files to write on the node. */
export const files = (d: Dialect) =>
  d.items(
    'Files to write on the node before kubeadm runs.',
    object('A file on the node.', {
      path: required(bounded('Absolute path of the file. Unique among all files.', 512)),
      owner: bounded('User and group that own the file, for example `root:root`.', 256),
      permissions: bounded('Mode of the file in octal, for example `0640`.', 16),
      encoding: oneOf('How the content is encoded here. It is decoded when the file is written.', [
        'base64',
        'gzip',
        'gzip+base64',
      ]),
      append: d.choice('Whether the content is added to the end of an existing file instead of replacing it.'),
      content: bounded('Content of the file.', 10240),
      contentFrom: object('Where the content comes from. Cannot be set together with `content`.', {
        secret: required(secretKey('content')),
      }),
      contentFormat: oneOf(
        'Raw (the default) takes the content as it is. Template renders it as a Go template first, which knows the Kubernetes version of the control plane.',
        ['Raw', 'Template'],
      ),
    }),
    { min: 1, max: 200 },
  );

/** Users to create on the node. */
export const users = (d: Dialect) =>
  d.items(
    'Users to create on the node.',
    object('A user on the node.', {
      name: required(bounded('Login name.', 256)),
      gecos: bounded('Full name or comment.', 256),
      groups: bounded('Additional groups, separated by commas.', 256),
      homeDir: bounded('Home directory.', 256),
      inactive: flag('Whether the account is created as inactive.'),
      shell: bounded('Login shell.', 256),
      passwd: bounded('Hashed password.', 256),
      passwdFrom: object('Where the hashed password comes from. Cannot be set together with `passwd`.', {
        secret: required(secretKey('hashed password')),
      }),
      primaryGroup: bounded('Primary group.', 256),
      lockPassword: flag('Whether login by password is disabled.'),
      sudo: bounded('Rule for sudo, for example `ALL=(ALL) NOPASSWD:ALL`.', 256),
      sshAuthorizedKeys: d.items('Public SSH keys that may log in.', bounded('One public key.', 2048), { max: 100 }),
    }),
    { min: 1, max: 100 },
  );

/** Time synchronisation of the node. */
export const ntp = (d: Dialect) =>
  d.group('Time synchronisation of the node.', {
    servers: d.items('Time servers.', bounded('Name or address of one server.', 512), { max: 100 }),
    enabled: flag('Whether time synchronisation is switched on.'),
  });

/** Filesystems to create on the node. */
export const filesystems = (d: Dialect) =>
  d.items(
    'Filesystems to create.',
    object('A filesystem on the node.', {
      device: required(bounded('Device that holds the filesystem.', 256)),
      filesystem: required(bounded('Type of the filesystem, for example `ext4`.', 128)),
      label: bounded('Label of the filesystem. If empty, none is written.', 512),
      partition: bounded('Partition to use: `auto`, `any`, `none`, or its number.', 128),
      overwrite: flag('Whether an existing filesystem is replaced. Beware: its data is lost.'),
      replaceFS: bounded('Type of an existing filesystem that may be replaced (used by some clouds).', 128),
      extraOpts: d.items('Additional options for the command that creates it.', bounded('One option.', 256), {
        max: 100,
      }),
    }),
    { max: 100 },
  );

/** One entry of an explicit partition table. */
export const partitionSpec = object('One partition of an explicit layout.', {
  percentage: required(int32('Share of the disk in percent.', { minimum: 1, maximum: 100 })),
  partitionType: text('Type of the partition: a well-known name or a GPT partition GUID. Linux by default.', {
    minLength: 1,
    maxLength: 36,
    'x-kubernetes-validations': [
      {
        message:
          'partitionType must be one of Linux, LinuxSwap, LinuxRAID, LVM, Fat32, NTFS, LinuxExtended or a full GPT partition GUID',
        rule: "self.matches('^(Linux|LinuxSwap|LinuxRAID|LVM|Fat32|NTFS|LinuxExtended|[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})$')",
      },
    ],
  }),
});

/** What both versions say of a partition table. */
export const partitionTable = {
  device: required(bounded('Device to partition.', 256)),
  overwrite: flag('Whether an existing partition table is replaced. Beware: its data is lost.'),
  tableType: oneOf('Type of the partition table. `mbr` by default.', ['mbr', 'gpt']),
} as const;

/** Configuration for nodes that boot with Ignition. */
export const ignition = (d: Dialect) =>
  d.group('Configuration for nodes that boot with Ignition. Only with format `ignition`.', {
    containerLinuxConfig: d.group('A Container Linux Config to merge into the generated one.', {
      additionalConfig: bounded(
        'YAML text of the Container Linux Config. Systemd units, files and other settings are merged.',
        32768,
      ),
      strict: d.choice('Whether warnings of the Container Linux Config parser are errors.'),
    }),
  });

/** Format of the bootstrap data. */
export const format = oneOf('Format of the bootstrap data. `cloud-config` when empty.', ['cloud-config', 'ignition']);

/** Environment variables of a component. */
export const extraEnvs = (d: Dialect) =>
  d.items('Additional environment variables of the component.', envVar, { min: 1, max: 100 });

/** Host paths that are mounted into a component. */
export const extraVolumes = (d: Dialect) =>
  d.items(
    'Additional host paths to mount into the component.',
    object('A host path that is mounted into a component.', {
      name: required(bounded("Name of the volume inside the component's Pod.", 512)),
      hostPath: required(bounded('Path on the node.', 512)),
      mountPath: required(bounded('Path inside the component.', 512)),
      readOnly: d.choice('Whether the mount is read-only.'),
      pathType: text('Type of the host path, for example `File` or `DirectoryOrCreate`.'),
    }),
    { min: 1, max: 100 },
  );

/** Names for which a certificate is valid. */
export const certificateNames = (d: Dialect, description: string) =>
  d.items(description, bounded('One DNS name or IP address.', 253), { min: 1, max: 100 });

/** Image of a component. */
export const image = {
  imageRepository: bounded('Registry and path of the image. Overrides the one of the cluster configuration.', 512),
  imageTag: bounded('Tag of the image. Overrides the one that belongs to the Kubernetes version.', 256),
} as const;

/** An etcd that runs elsewhere. */
export const externalEtcd = (d: Dialect) =>
  object('An etcd that runs elsewhere. Cannot be set together with `local`.', {
    endpoints: required(d.items('Addresses of the members.', bounded('One address.', 512), { min: 1, max: 50 })),
    caFile: required(bounded("Path on the node of the CA that signed etcd's certificates.", 512)),
    certFile: required(bounded('Path on the node of the client certificate.', 512)),
    keyFile: required(bounded("Path on the node of the client certificate's key.", 512)),
  });

/** Address of the control plane. */
export const controlPlaneEndpoint = bounded(
  "Address of the control plane, `host:port`. Taken from the Cluster's endpoint when empty.",
  512,
);

/** What both versions say of the cluster, apart from its components. */
export const clusterWide = {
  certificatesDir: bounded('Directory of the certificates on the node. `/etc/kubernetes/pki` when empty.', 512),
  imageRepository: bounded('Registry and path from which images are pulled. `registry.k8s.io` when empty.', 512),
  featureGates: dictionary('Feature gates of kubeadm.', flag('Whether the gate is on.')),
  certificateValidityPeriodDays: int32(
    'Days for which certificates of the components are valid (Kubernetes 1.31 or later). 365 when empty.',
    { minimum: 1, maximum: 1095 },
  ),
  caCertificateValidityPeriodDays: int32(
    'Days for which certificate authorities are valid. 3650 when empty. Used when this provider creates them.',
    { minimum: 1, maximum: 36500 },
  ),
  encryptionAlgorithm: oneOf('Algorithm of keys for generated certificates. RSA-2048 when empty.', [
    'ECDSA-P256',
    'ECDSA-P384',
    'RSA-2048',
    'RSA-3072',
    'RSA-4096',
  ]),
} as const;

/** Directory with patches for kubeadm. */
export const patches = (d: Dialect) =>
  d.group('Patches that kubeadm applies to the manifests it generates.', {
    directory: bounded('Directory on the node that holds the patches.', 512),
  });

/** Phases of kubeadm to leave out. */
export const skipPhases = (d: Dialect) =>
  d.items('Phases of kubeadm to leave out.', bounded('Name of one phase.', 256), { min: 1, max: 50 });

/** What a bootstrap token is for. */
export const tokenDescription = bounded('Why the token exists and what it is for.', 512);

/** Until when and for what a bootstrap token is good. */
export const tokenScope = (d: Dialect) => ({
  expires: time('When the token ends. Cannot be set together with its life time.'),
  usages: d.items('What the token may be used for.', bounded('`signing` or `authentication`.', 256), {
    min: 1,
    max: 100,
  }),
  groups: d.items('Additional groups of a client that authenticates with it.', bounded('One group.', 256), {
    min: 1,
    max: 100,
  }),
});

/** What both versions say of a node's registration, apart from arguments of the kubelet and taints. */
export const registration = (d: Dialect) => ({
  name: bounded("Name of the Node. The machine's host name when empty.", 253),
  criSocket: bounded('Socket of the container runtime. Found by kubeadm when empty.', 512),
  ignorePreflightErrors: d.items('Preflight errors that do not stop kubeadm.', bounded('Name of one check.', 512), {
    min: 1,
    max: 50,
  }),
  imagePullPolicy: oneOf('When kubeadm pulls images. IfNotPresent when empty.', ['Always', 'IfNotPresent', 'Never']),
  imagePullSerial: flag('Whether kubeadm pulls images one after the other. True when empty.'),
});

/** Discovery of the cluster through a bootstrap token. */
export const tokenDiscovery = (d: Dialect) =>
  d.group('Discovery through a bootstrap token. Used unless `file` is set; what is empty is filled in.', {
    token: bounded('Token to verify what the cluster says of itself. Created when empty.', 512),
    apiServerEndpoint: bounded('Address of the API server, `host:port`. Taken from the Cluster when empty.', 512),
    caCertHashes: d.items(
      "Hashes of the certificate authorities to trust, `<type>:<value>`. Taken from the cluster's CA when empty.",
      bounded('One hash.', 512),
      { min: 1, max: 100 },
    ),
    unsafeSkipCAVerification: d.choice('Whether any certificate authority is trusted. Unsafe.'),
  });

const kubeConfigUser = (d: Dialect) =>
  d.group('How the node authenticates. Exactly one of `authProvider` and `exec`.', {
    authProvider: object('An authentication plugin that is built in.', {
      name: required(bounded('Name of the plugin.', 256)),
      config: dictionary('Configuration of the plugin.', text('One setting.')),
    }),
    exec: object('A command that returns credentials.', {
      command: required(bounded('Command to run.', 1024)),
      args: d.items('Arguments of the command.', bounded('One argument.', 512), { min: 1, max: 100 }),
      env: d.items(
        "Additional environment variables of the command, besides the host's.",
        object('An environment variable.', {
          name: required(bounded('Name of the variable.', 512)),
          value: required(bounded('Value of the variable.', 512)),
        }),
        { min: 1, max: 100 },
      ),
      apiVersion: bounded("Version of the plugin's protocol. `client.authentication.k8s.io/v1` when empty.", 512),
      provideClusterInfo: d.choice('Whether the command is told about the cluster it authenticates to.'),
    }),
  });

/** Discovery of the cluster through a kubeconfig file. */
export const fileDiscovery = (d: Dialect) =>
  object('Discovery through a kubeconfig file. Wins over `bootstrapToken`.', {
    kubeConfigPath: required(bounded('Path or URL of the kubeconfig file on the node.', 512)),
    kubeConfig: object('Content of a kubeconfig file to write to `kubeConfigPath`.', {
      cluster: d.group('The cluster. What is empty is filled in from the Cluster.', {
        server: bounded('Address of the API server, `https://host:port`.', 512),
        tlsServerName: bounded('Name to expect in the certificate of the API server.', 512),
        insecureSkipTLSVerify: d.choice('Whether the certificate of the API server is not checked. Unsafe.'),
        certificateAuthorityData: text('Certificate authorities of the API server: base64 of PEM.', {
          format: 'byte',
          minLength: 1,
          maxLength: 51200,
        }),
        proxyURL: bounded('Proxy for requests to the API server.', 512),
      }),
      user: required(kubeConfigUser(d)),
    }),
  });

/** Mounts of the node: lines of fstab, each a list of fields. */
export const mounts = (d: Dialect, line: { readonly minItems?: number; readonly maxItems?: number }) =>
  d.items(
    'Mounts of the node, in the order of the fields of fstab.',
    list('Fields of one mount.', bounded('One field.', 512), line),
    { min: 1, max: 100 },
  );
