// Every controller as its own process and account, with the role of its file in deploy/ and nothing else, on a real kube-apiserver.
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { resources } from '../../src/api/names.js';
import { createEmbeddedWorkloads, type EmbeddedWorkloads } from '../../src/embedded/clusters.js';
import { infrastructureDefinitions } from '../../src/embedded/infrastructure/definitions.js';
import { createSimulatedInfrastructure } from '../../src/embedded/infrastructure/infrastructure.js';
import type { SimulatedInfrastructure } from '../../src/embedded/infrastructure/ports.js';
import { sampleWorld } from '../../src/embedded/sample-world.js';
import type { FullApiClient } from '../../src/kube/client.js';
import { isApiError } from '../../src/kube/failures.js';
import { resourceOf } from '../../src/kube/resource-paths.js';
import { systemClock, systemRandom } from '../../src/system.js';
import { storyTools, type ConditionStage } from '../worlds/condition-stories.js';
import { startOperatorProcess, until, type OperatorProcess } from '../worlds/operator-process.js';
import { clientOf, hasArrived, lookAt } from '../worlds/world.js';
import { accountKubeconfig, installControllerRole, startInstalledServer, type InstalledServer } from './installed.js';
import { installDefinitions } from './definitions.js';

jest.setTimeout(300_000);

let server: InstalledServer;
let client: FullApiClient;
let workloads: EmbeddedWorkloads;
let infrastructure: SimulatedInfrastructure;
let operator: OperatorProcess | null = null;

beforeAll(async () => {
  server = await startInstalledServer();
  await installDefinitions(server, infrastructureDefinitions);
  client = clientOf(server.kubeconfig());
  workloads = createEmbeddedWorkloads({ clock: systemClock, random: systemRandom, listen: true });
  infrastructure = createSimulatedInfrastructure({
    client: client as never,
    workloads,
    clock: systemClock,
    random: systemRandom,
    playsMachineController: false,
    reportsControlPlaneInitialized: false,
  });
  await infrastructure.start();
}, 180_000);

afterEach(async () => {
  await operator?.kill();
  operator = null;
});

afterAll(async () => {
  await infrastructure?.stop();
  await workloads?.close();
  await client?.close();
  await server?.stop();
});

const namespace = 'roles';
const create = async (path: string, object: object): Promise<void> => {
  const { status, text } = await server.call('POST', path, object);
  expect([status, text]).toEqual([201, expect.anything()]);
};

/** Starts a controller as an account to which the role of its file is bound, and no other. */
async function startAlone(controller: string, leaseNamespace: string): Promise<OperatorProcess> {
  const account = { namespace: leaseNamespace, name: `${controller}-alone` };
  const metadata = { name: account.name, namespace: leaseNamespace };
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const apiGroup = 'rbac.authorization.k8s.io';
  const subjects = [{ kind: 'ServiceAccount', ...metadata }];
  const role = `capi-kubeadm-bootstrap-${controller}`;
  await create(`/api/v1/namespaces/${leaseNamespace}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata,
  });
  await create(`${rbac}/clusterrolebindings`, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name: account.name },
    roleRef: { apiGroup, kind: 'ClusterRole', name: `${role}-role` },
    subjects,
  });
  await create(`${rbac}/namespaces/${leaseNamespace}/rolebindings`, {
    apiVersion,
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup, kind: 'Role', name: `${role}-leader-election-role` },
    subjects,
  });
  const file = await accountKubeconfig(server, account);
  return startOperatorProcess(file, [`--controllers=${controller}`, '--leader-elect', `--namespace=${namespace}`]);
}

/** What an account was refused. */
const refusals = (account: string): readonly string[] =>
  server
    .auditEntries()
    .filter(({ user, responseStatus }) => user.username === account && responseStatus?.code === 403)
    .map(({ verb, requestURI }) => `${verb} ${requestURI}`);

const stage = (): ConditionStage =>
  ({
    client,
    see: <T>(what: string, look: () => Promise<T>, holds: (seen: T) => boolean) => until(what, look, holds, 60_000),
  }) as unknown as ConditionStage;

const isGone = async (kind: 'Machine', name: string): Promise<boolean> =>
  client.get({ resource: resourceOf(resources[kind]), namespace, name }).then(
    () => false,
    (error: unknown) => isApiError(error, 'NotFound'),
  );

describe('controllers with their own roles', () => {
  test('a controller that is switched on without its role: -> exit 1, every missing rule in a line', async () => {
    const refused = startOperatorProcess(server.operatorKubeconfig, [
      '--controllers=kubeadmconfig,cluster-initialized',
    ]);
    expect(await refused.exited).toBe(1);
    expect(refused.output()).toContain(
      'may not patch clusters.cluster.x-k8s.io/status: add a rule with apiGroups ["cluster.x-k8s.io"], resources ["clusters/status"], verbs ["patch"] to its ClusterRole',
    );
  });

  test('cluster-initialized: its role alone -> the condition is written, nothing is refused', async () => {
    await installControllerRole(server, 'cluster-initialized');
    const { open, cluster, machine, says } = storyTools(stage, namespace);
    await open();
    await cluster('alone');
    await machine('alone-0', 'alone', { labels: { 'cluster.x-k8s.io/control-plane': '' }, node: 'node-0' });
    operator = await startAlone('cluster-initialized', 'capi-system');
    await until(
      'the condition',
      () => says('Cluster', 'alone', 'ControlPlaneInitialized'),
      (said) => said.startsWith('True/'),
    );
    expect(refusals('system:serviceaccount:capi-system:cluster-initialized-alone')).toEqual([]);
  });

  test('machines-up-to-date: its role alone -> the condition is written, nothing is refused', async () => {
    await installControllerRole(server, 'machines-up-to-date');
    const { cluster, controlPlane, machine, says } = storyTools(stage, namespace);
    await cluster('plane');
    const plane = await controlPlane('plane', { labels: { 'cluster.x-k8s.io/cluster-name': 'plane' } });
    const owner = {
      apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmControlPlane',
      name: 'plane',
      uid: plane.metadata.uid,
      controller: true,
    };
    await client.mergePatch(
      { resource: resourceOf(resources.KubeadmControlPlane), namespace, name: 'plane' },
      {
        metadata: {
          ownerReferences: [
            {
              apiVersion: 'cluster.x-k8s.io/v1beta2',
              kind: 'Cluster',
              name: 'plane',
              uid: (await client.get({ resource: resourceOf(resources.Cluster), namespace, name: 'plane' })).metadata
                .uid,
              controller: true,
            },
          ],
        },
      },
    );
    await machine('plane-0', 'plane', {
      labels: { 'cluster.x-k8s.io/control-plane': '' },
      owners: [owner],
      node: 'node-0',
      upToDate: ['True', ''],
    });
    operator = await startAlone('machines-up-to-date', 'capi-kubeadm-control-plane-system');
    await until(
      'the condition',
      () => says('KubeadmControlPlane', 'plane', 'MachinesUpToDate'),
      (said) => said.startsWith('True/'),
    );
    expect(refusals('system:serviceaccount:capi-kubeadm-control-plane-system:machines-up-to-date-alone')).toEqual([]);
  });

  test('machine: its role alone -> a Machine is taken over, and deleted with what it refers to; nothing is refused', async () => {
    await installControllerRole(server, 'machine');
    const { cluster } = storyTools(stage, namespace);
    await cluster('deleted');
    await create(`/apis/infrastructure.cluster.x-k8s.io/v1beta2/namespaces/${namespace}/demomachines`, {
      apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2',
      kind: 'DemoMachine',
      metadata: { name: 'deleted-0', namespace },
    });
    await client.create(resourceOf(resources.Machine), {
      apiVersion: 'cluster.x-k8s.io/v1beta2',
      kind: 'Machine',
      metadata: { name: 'deleted-0', namespace, labels: { 'cluster.x-k8s.io/cluster-name': 'deleted' } },
      spec: {
        clusterName: 'deleted',
        version: 'v1.36.0',
        bootstrap: { dataSecretName: 'x' },
        infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'DemoMachine', name: 'deleted-0' },
      },
    });
    operator = await startAlone('machine', 'capi-system');
    const machine = { resource: resourceOf(resources.Machine), namespace, name: 'deleted-0' };
    const path = `/apis/infrastructure.cluster.x-k8s.io/v1beta2/namespaces/${namespace}/demomachines/deleted-0`;
    const owners = async (): Promise<string> => JSON.stringify((await server.call('GET', path)).body['metadata']);
    await until('the infrastructure is owned', owners, (text) => text.includes('"kind":"Machine"'));
    await client.delete(machine);
    await until('the Machine is gone', () => isGone('Machine', 'deleted-0'), Boolean);
    expect((await server.call('GET', path)).status).toBe(404);
    expect(refusals('system:serviceaccount:capi-system:machine-alone')).toEqual([]);
  });

  test('all of them in one process, as the shipped account with the four roles: a world of Machines -> arrives; a Machine that is deleted goes; nothing is refused', async () => {
    const name = 'together';
    const size = { controlPlanes: 1, workers: 1, poolReplicas: 0, ignition: false, demoMachines: true };
    const objects = sampleWorld({ ...size, namespace: name });
    for (const object of objects) {
      const { apiVersion, kind, metadata } = object as {
        apiVersion: string;
        kind: string;
        metadata: { namespace?: string };
      };
      const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
      const where = metadata.namespace === undefined ? root : `${root}/namespaces/${metadata.namespace}`;
      await create(`${where}/${kind.toLowerCase()}s`, object);
    }
    operator = startOperatorProcess(server.operatorKubeconfig, [
      '--controllers=all',
      '--leader-elect',
      `--namespace=${name}`,
    ]);
    await until(
      'the world arrives',
      () => lookAt(client, name),
      (world) => hasArrived(world, 2),
      120_000,
    );
    await client.delete({ resource: resourceOf(resources.Machine), namespace: name, name: 'sample-worker-0' });
    await until(
      'the worker is gone',
      () => lookAt(client, name),
      (world) =>
        world.configs.length < 2 || !world.configs.some(({ name: each, joined }) => each.includes('worker') && joined),
      120_000,
    );
    expect(server.refusals()).toEqual([]);
  });
});
