// What the operator may do. The bootstrap role is the Go provider's, so that an image swap works; every other controller has
// a role of its own, which is installed only where that controller is switched on.
//
// Each rule says what it is used for, or which requirement asks for it although nothing here uses it: docs/rbac.md is made
// from that.

import { NAMESPACE, PREFIX, PROVIDER_LABELS, SERVICE_ACCOUNT, metadata, namespaced } from './names.mjs';

const read = ['get', 'list', 'watch'];
const full = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];

/** The rules of the bootstrap provider. */
export const BOOTSTRAP_RULES = [
  {
    apiGroups: [''],
    resources: ['configmaps', 'secrets'],
    verbs: full,
    why: 'Init lock, bootstrap data, certificates, kubeconfigs, contents of files; snapshots with `--snapshot-store=configmap`. `update`: KC-197, BC-034.',
  },
  { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'], why: 'Events on KubeadmConfigs (KC-198).' },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions'],
    verbs: read,
    why: 'Contract versions of other providers; storage version migration.',
  },
  {
    apiGroups: ['apiextensions.k8s.io'],
    resources: ['customresourcedefinitions', 'customresourcedefinitions/status'],
    resourceNames: ['kubeadmconfigs.bootstrap.cluster.x-k8s.io', 'kubeadmconfigtemplates.bootstrap.cluster.x-k8s.io'],
    verbs: ['patch', 'update'],
    why: 'Storage version migration (patch). `update`: as the Go provider.',
  },
  {
    apiGroups: ['authentication.k8s.io'],
    resources: ['tokenreviews'],
    verbs: ['create'],
    why: 'Who asks for `/metrics` or the inspector.',
  },
  {
    apiGroups: ['authorization.k8s.io'],
    resources: ['subjectaccessreviews'],
    verbs: ['create'],
    why: 'Whether they may have it.',
  },
  {
    apiGroups: ['bootstrap.cluster.x-k8s.io'],
    resources: ['kubeadmconfigs', 'kubeadmconfigs/finalizers', 'kubeadmconfigs/status'],
    verbs: full,
    why: 'Reading and patching KubeadmConfigs and their status; `finalizers` lets owner references block deletion. `create`, `delete`, `update`: KC-192, KC-193, BC-033.',
  },
  {
    apiGroups: ['bootstrap.cluster.x-k8s.io'],
    resources: ['kubeadmconfigtemplates'],
    verbs: ['get', 'list', 'patch', 'update', 'watch'],
    why: 'Storage version migration (list, patch). The others: as the Go provider.',
  },
  {
    apiGroups: ['cluster.x-k8s.io'],
    resources: [
      'clusters',
      'clusters/status',
      'machinepools',
      'machinepools/status',
      'machines',
      'machines/status',
      'machinesets',
    ],
    verbs: read,
    why: 'Owners and Clusters of KubeadmConfigs. Never written (KC-194, KC-195, KC-196, BC-035). `*/status`, `machinesets`: KC-194, KC-195.',
  },
  {
    apiGroups: ['controlplane.cluster.x-k8s.io'],
    resources: ['kubeadmcontrolplanes'],
    verbs: read,
    why: 'Kubernetes version of the control plane, for files that are templates.',
  },
];

/** The rules of a Lease and of events about it. */
export const LEADER_ELECTION_RULES = [
  { apiGroups: [''], resources: ['events'], verbs: ['create'], why: 'As the Go provider.' },
  {
    apiGroups: ['coordination.k8s.io'],
    resources: ['leases'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
    why: 'Leader election. `list`, `delete`: as the Go provider.',
  },
];

/** Controllers that can be switched on, each with its own rules and the namespace and name of the Lease it takes. */
export const OTHER_CONTROLLERS = [
  {
    name: 'machine',
    leaseNamespace: 'capi-system',
    rules: [
      { apiGroups: [''], resources: ['events'], verbs: ['create', 'patch'], why: 'Events on Machines.' },
      { apiGroups: [''], resources: ['secrets'], verbs: read, why: 'Kubeconfigs of workload clusters.' },
      {
        apiGroups: ['bootstrap.cluster.x-k8s.io', 'infrastructure.cluster.x-k8s.io'],
        resources: ['*'],
        verbs: full,
        why: 'Objects that Machines refer to: owner reference and label are set, and they are deleted with their Machine (BC-036, BC-038).',
      },
      {
        apiGroups: ['cluster.x-k8s.io'],
        resources: ['machines', 'machines/finalizers', 'machines/status'],
        verbs: full,
        why: 'Machines: finalizer, spec and status. `create`, `delete`: as the Go provider.',
      },
      {
        apiGroups: ['cluster.x-k8s.io'],
        resources: ['clusters', 'clusters/status', 'machinedeployments', 'machinedrainrules', 'machinesets'],
        verbs: read,
        why: 'Owners, Clusters and drain rules.',
      },
      {
        apiGroups: ['controlplane.cluster.x-k8s.io'],
        resources: ['*'],
        verbs: read,
        why: 'Whether a control plane is being deleted.',
      },
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        verbs: read,
        why: 'Contract versions of other providers.',
      },
    ],
  },
  {
    name: 'cluster-initialized',
    leaseNamespace: 'capi-system',
    rules: [
      {
        apiGroups: ['cluster.x-k8s.io'],
        resources: ['clusters', 'machines'],
        verbs: read,
        why: 'Clusters and their Machines.',
      },
      {
        apiGroups: ['cluster.x-k8s.io'],
        resources: ['clusters/status'],
        verbs: ['patch'],
        why: 'The condition ControlPlaneInitialized.',
      },
      {
        apiGroups: ['controlplane.cluster.x-k8s.io'],
        resources: ['*'],
        verbs: read,
        why: 'The control plane that a Cluster refers to.',
      },
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        verbs: read,
        why: 'Contract versions of control plane providers.',
      },
    ],
  },
  {
    name: 'machines-up-to-date',
    leaseNamespace: 'capi-kubeadm-control-plane-system',
    rules: [
      {
        apiGroups: ['controlplane.cluster.x-k8s.io'],
        resources: ['kubeadmcontrolplanes'],
        verbs: read,
        why: 'KubeadmControlPlanes.',
      },
      {
        apiGroups: ['controlplane.cluster.x-k8s.io'],
        resources: ['kubeadmcontrolplanes/status'],
        verbs: ['patch'],
        why: 'The condition MachinesUpToDate.',
      },
      {
        apiGroups: ['cluster.x-k8s.io'],
        resources: ['clusters', 'machines'],
        verbs: read,
        why: 'Clusters and Machines.',
      },
    ],
  },
];

const apiVersion = 'rbac.authorization.k8s.io/v1';
const apiGroup = 'rbac.authorization.k8s.io';
const subjects = [{ kind: 'ServiceAccount', name: SERVICE_ACCOUNT, namespace: NAMESPACE }];
const plain = (rules) => rules.map(({ why: _why, ...rule }) => rule);

/** Account, roles and bindings of the bootstrap provider. */
export function bootstrapRbac() {
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: namespaced(SERVICE_ACCOUNT) },
    {
      apiVersion,
      kind: 'Role',
      metadata: namespaced(`${PREFIX}leader-election-role`),
      rules: plain(LEADER_ELECTION_RULES),
    },
    { apiVersion, kind: 'ClusterRole', metadata: metadata(`${PREFIX}manager-role`), rules: plain(BOOTSTRAP_RULES) },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata: namespaced(`${PREFIX}leader-election-rolebinding`),
      roleRef: { apiGroup, kind: 'Role', name: `${PREFIX}leader-election-role` },
      subjects,
    },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: metadata(`${PREFIX}manager-rolebinding`),
      roleRef: { apiGroup, kind: 'ClusterRole', name: `${PREFIX}manager-role` },
      subjects,
    },
  ];
}

/** Roles and bindings of a controller that is switched on. */
export function controllerRbac({ name, leaseNamespace, rules }) {
  const role = `${PREFIX}${name}-role`;
  const leaseRole = `${PREFIX}${name}-leader-election-role`;
  const inLeaseNamespace = (objectName) => ({ name: objectName, namespace: leaseNamespace, labels: PROVIDER_LABELS });
  return [
    { apiVersion, kind: 'ClusterRole', metadata: metadata(role), rules: plain(rules) },
    {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata: metadata(`${PREFIX}${name}-rolebinding`),
      roleRef: { apiGroup, kind: 'ClusterRole', name: role },
      subjects,
    },
    { apiVersion, kind: 'Role', metadata: inLeaseNamespace(leaseRole), rules: plain(LEADER_ELECTION_RULES) },
    {
      apiVersion,
      kind: 'RoleBinding',
      metadata: inLeaseNamespace(`${PREFIX}${name}-leader-election-rolebinding`),
      roleRef: { apiGroup, kind: 'Role', name: leaseRole },
      subjects,
    },
  ];
}

/** The page that explains every rule. */
export function rbacMarkdown() {
  const row = ({ apiGroups, resources, resourceNames, verbs, why }) => {
    const names = resourceNames === undefined ? '' : `, only ${resourceNames.map((one) => `\`${one}\``).join(', ')}`;
    const list = (items) => items.map((item) => `\`${item === '' ? 'core' : item}\``).join(' ');
    return `| ${list(apiGroups)} | ${list(resources)}${names} | ${verbs.join(' ')} | ${why} |`;
  };
  const table = (rules) =>
    ['| Groups | Resources | Verbs | Used for |', '|---|---|---|---|', ...rules.map(row), ''].join('\n');
  const sections = OTHER_CONTROLLERS.map(
    ({ name, leaseNamespace, rules }) =>
      `## Controller \`${name}\`\n\n\`deploy/controllers/${name}.yaml\`. Lease in \`${leaseNamespace}\`.\n\n${table(rules)}`,
  );
  return [
    '# What the operator may do',
    '',
    'Made from `.ci/manifests/rbac.mjs`. The role of the bootstrap provider is that of the Go provider in v1.14; v1.13.5 has one rule less, reading KubeadmControlPlanes, which versions in file templates need. Otherwise swapping the image needs no new rights. Rights that nothing here uses name the requirement, or the provider, that asks for them.',
    '',
    '## Bootstrap provider, in the whole cluster',
    '',
    table(BOOTSTRAP_RULES),
    '## Bootstrap provider, in its own namespace',
    '',
    table(LEADER_ELECTION_RULES),
    ...sections,
  ].join('\n');
}
