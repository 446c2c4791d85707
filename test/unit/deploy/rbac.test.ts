import { describe, expect, test } from '@jest/globals';
import { manifests, rulesOf, verbsOn } from './manifests.js';

const components = 'deploy/bootstrap-components.yaml';
const role = rulesOf(components, 'ClusterRole', 'capi-kubeadm-bootstrap-manager-role');
const seven = ['create', 'delete', 'get', 'list', 'patch', 'update', 'watch'];
const read = ['get', 'list', 'watch'];
const bootstrap = 'bootstrap.cluster.x-k8s.io';
const core = 'cluster.x-k8s.io';

describe('role of the bootstrap provider', () => {
  test('KC-192 kubeadmconfigs: role manifest -> all seven verbs', () => {
    expect(verbsOn(role, bootstrap, 'kubeadmconfigs')).toEqual(seven);
  });

  test('KC-193 kubeadmconfigs/status and kubeadmconfigs/finalizers: role manifest -> all seven verbs', () => {
    expect(verbsOn(role, bootstrap, 'kubeadmconfigs/status')).toEqual(seven);
    expect(verbsOn(role, bootstrap, 'kubeadmconfigs/finalizers')).toEqual(seven);
  });

  test('KC-194 BC-035 clusters and clusters/status: role manifest -> get, list, watch', () => {
    expect(verbsOn(role, core, 'clusters')).toEqual(read);
    expect(verbsOn(role, core, 'clusters/status')).toEqual(read);
  });

  test('KC-195 machines, machinesets, machinepools: role manifest -> get, list, watch', () => {
    for (const resource of ['machinesets', 'machines', 'machines/status', 'machinepools', 'machinepools/status']) {
      expect([resource, verbsOn(role, core, resource)]).toEqual([resource, read]);
    }
  });

  test('KC-196 Cluster API resources: every rule of the role -> no verb that writes', () => {
    const verbs = role.filter(({ apiGroups }) => apiGroups.includes(core)).flatMap((rule) => rule.verbs);
    expect([...new Set(verbs)].sort()).toEqual(read);
  });

  test('KC-197 BC-034 secrets and configmaps: role manifest -> all seven verbs', () => {
    expect(verbsOn(role, '', 'secrets')).toEqual(seven);
    expect(verbsOn(role, '', 'configmaps')).toEqual(seven);
  });

  test('KC-198 events: role manifest -> create, patch', () => {
    expect(verbsOn(role, '', 'events')).toEqual(['create', 'patch']);
  });

  test('BC-032 BC-033 own types and Secrets: role manifest -> rules present', () => {
    expect(verbsOn(role, bootstrap, 'kubeadmconfigs')).toEqual(seven);
    expect(verbsOn(role, bootstrap, 'kubeadmconfigs/status')).toEqual(seven);
    expect(verbsOn(role, '', 'secrets')).toEqual(seven);
  });

  test('role: everything else -> exactly what the Go provider has', () => {
    expect(verbsOn(role, bootstrap, 'kubeadmconfigtemplates')).toEqual(['get', 'list', 'patch', 'update', 'watch']);
    expect(verbsOn(role, 'authentication.k8s.io', 'tokenreviews')).toEqual(['create']);
    expect(verbsOn(role, 'authorization.k8s.io', 'subjectaccessreviews')).toEqual(['create']);
    expect(verbsOn(role, 'controlplane.cluster.x-k8s.io', 'kubeadmcontrolplanes')).toEqual(read);
    expect(verbsOn(role, 'apiextensions.k8s.io', 'customresourcedefinitions')).toEqual(read);
    expect(role.filter(({ resourceNames }) => resourceNames !== undefined)).toEqual([
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions', 'customresourcedefinitions/status'],
        resourceNames: [`kubeadmconfigs.${bootstrap}`, `kubeadmconfigtemplates.${bootstrap}`],
        verbs: ['patch', 'update'],
      },
    ]);
    expect(role).toHaveLength(10);
  });

  test('leader election: own namespace -> leases and events, nothing else', () => {
    const rules = rulesOf(components, 'Role', 'capi-kubeadm-bootstrap-leader-election-role');
    expect(verbsOn(rules, 'coordination.k8s.io', 'leases')).toEqual(seven);
    expect(verbsOn(rules, '', 'events')).toEqual(['create']);
    expect(rules).toHaveLength(2);
  });
});

describe('roles of the other controllers', () => {
  const machine = rulesOf('deploy/controllers/machine.yaml', 'ClusterRole', 'capi-kubeadm-bootstrap-machine-role');

  test('BC-036 machine: role manifest -> reads and writes everything of the bootstrap group', () => {
    expect(verbsOn(machine, bootstrap, 'kubeadmconfigs')).toEqual(seven);
    expect(verbsOn(machine, bootstrap, 'anything')).toEqual(seven);
  });

  test('BC-037 machine: own API group -> is the bootstrap group, which needs no rule of its own', () => {
    const groups = machine.filter(({ resources }) => resources.includes('*')).flatMap(({ apiGroups }) => apiGroups);
    expect(groups).toContain(bootstrap);
    const [crd] = manifests(components).filter(({ kind }) => kind === 'CustomResourceDefinition');
    expect(crd?.spec?.['group']).toBe(bootstrap);
  });

  test.each([
    ['machine', 'capi-system'],
    ['cluster-initialized', 'capi-system'],
    ['machines-up-to-date', 'capi-kubeadm-control-plane-system'],
  ])(
    '%s: its file -> a ClusterRole of its own and a Lease role in the namespace of the Go manager',
    (name, namespace) => {
      const objects = manifests(`deploy/controllers/${name}.yaml`);
      expect(objects.map(({ kind }) => kind)).toEqual(['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding']);
      for (const one of objects) {
        const isLeaseRole = one.kind === 'Role' || one.kind === 'RoleBinding';
        expect(one.metadata.namespace).toBe(isLeaseRole ? namespace : undefined);
      }
      for (const binding of objects.filter(({ roleRef }) => roleRef !== undefined)) {
        expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toContain(
          `${binding.roleRef?.kind}/${binding.roleRef?.name}`,
        );
        expect(binding.subjects).toEqual([
          {
            kind: 'ServiceAccount',
            name: 'capi-kubeadm-bootstrap-manager',
            namespace: 'capi-kubeadm-bootstrap-system',
          },
        ]);
      }
    },
  );

  test('names: all files together -> no object twice', () => {
    const files = ['machine', 'cluster-initialized', 'machines-up-to-date'].map(
      (name) => `deploy/controllers/${name}.yaml`,
    );
    const names = [components, ...files]
      .flatMap(manifests)
      .map(({ kind, metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`);
    expect(new Set(names).size).toBe(names.length);
  });
});
