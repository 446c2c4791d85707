// Stories about ControlPlaneInitialized and MachinesUpToDate, told on whatever API server a stage has.
//
// A story says what is put into the world and what has to be seen; how time passes until then is the stage's business.

import { expect, test } from '@jest/globals';
import { explainClusterLive, explainControlPlaneLive } from '../../src/cli/explain-condition.js';
import { resources } from '../../src/api/names.js';
import { isApiError } from '../../src/kube/failures.js';
import type { ApiClient, KubeObject, Target } from '../../src/kube/contract.js';
import { resourceOf } from '../../src/kube/resource-paths.js';
import { definition } from '../unit/machine/definitions.js';
import type { ConditionOperator } from './condition-operator.js';

/** Where stories are told. */
export interface ConditionStage {
  readonly client: ApiClient;
  /** The operator under test. */
  readonly operator: ConditionOperator;
  /** Looks until something holds; throws with what was seen last. */
  see<T>(what: string, look: () => Promise<T>, holds: (seen: T) => boolean): Promise<T>;
  /** Lets everything come to rest: nothing is written any more. */
  rest(): Promise<void>;
  /** The time that Machines are created at. */
  readonly nowMs: () => number;
  /** Writes of other conditions that are interleaved with ours. */
  readonly interleaved: number;
}

/** Control planes of another provider: the v1beta1 contract, and no contract at all. */
export const storyDefinitions: readonly object[] = [
  definition({
    group: 'controlplane.cluster.x-k8s.io',
    kind: 'OldControlPlane',
    plural: 'oldcontrolplanes',
    version: 'v1beta1',
    labels: { 'cluster.x-k8s.io/v1beta1': 'v1alpha4_v1beta1' },
  }),
  definition({
    group: 'controlplane.cluster.x-k8s.io',
    kind: 'LostControlPlane',
    plural: 'lostcontrolplanes',
    labels: {},
  }),
];

type Entry = {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
};
type Seen = KubeObject & {
  readonly status?: {
    readonly conditions?: readonly Entry[];
    readonly deprecated?: {
      readonly v1beta1?: {
        readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
      };
    };
  };
};

const oldKind = {
  group: 'controlplane.cluster.x-k8s.io',
  version: 'v1beta1',
  plural: 'oldcontrolplanes',
  kind: 'OldControlPlane',
  namespaced: true,
};
const kinds = {
  Cluster: resourceOf(resources.Cluster),
  Machine: resourceOf(resources.Machine),
  KubeadmControlPlane: resourceOf(resources.KubeadmControlPlane),
  OldControlPlane: oldKind,
};
type Kind = keyof typeof kinds;
const endpoint = { host: 'api.example.com', port: 6443 };
const controlPlaneGroup = 'controlplane.cluster.x-k8s.io';
const controlPlaneLabel = { 'cluster.x-k8s.io/control-plane': '' };
const cause = 'Please check controller logs for errors';
const firstNode = 'Waiting for the first control plane machine to have status.nodeRef set';

/** The words of the stories, on a stage and in a namespace of their own. */
export function storyTools(stage: () => ConditionStage, namespace: string) {
  const target = (kind: Kind, name: string): Target => ({ resource: kinds[kind], namespace, name });
  const get = (kind: Kind, name: string): Promise<Seen> => stage().client.get<Seen>(target(kind, name));
  const tools = {
    target,
    get,
    async open(): Promise<void> {
      const name = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
      await stage()
        .client.create(resourceOf(resources.Namespace), name)
        .catch((error: unknown) => {
          if (!isApiError(error, 'AlreadyExists')) throw error;
        });
    },
    async create(
      kind: Kind,
      name: string,
      { metadata = {}, spec = {}, status }: { metadata?: object; spec?: object; status?: object } = {},
    ): Promise<Seen> {
      const { group, version } = kinds[kind];
      const object = { apiVersion: `${group}/${version}`, kind, metadata: { name, namespace, ...metadata }, spec };
      const made = await stage().client.create<Seen>(kinds[kind], object);
      return status === undefined
        ? made
        : stage().client.mergePatch<Seen>(target(kind, name), { status }, { subresource: 'status' });
    },
    patch: (kind: Kind, name: string, body: object) => stage().client.mergePatch(target(kind, name), body),
    patchStatus: (kind: Kind, name: string, status: object) =>
      stage().client.mergePatch(target(kind, name), { status }, { subresource: 'status' }),
    cluster: (name: string, spec: object = {}, metadata: object = {}) =>
      tools.create('Cluster', name, { metadata, spec: { controlPlaneEndpoint: endpoint, ...spec } }),
    machine(
      name: string,
      cluster: string,
      {
        labels = {},
        owners = [],
        node = '',
        upToDate,
      }: { labels?: object; owners?: readonly object[]; node?: string; upToDate?: readonly [string, string] } = {},
    ) {
      const status = {
        ...(node === '' ? {} : { nodeRef: { name: node } }),
        ...(upToDate === undefined
          ? {}
          : {
              conditions: [
                {
                  type: 'UpToDate',
                  status: upToDate[0],
                  reason: 'Any',
                  message: upToDate[1],
                  lastTransitionTime: '2026-01-01T00:00:00Z',
                },
              ],
            }),
      };
      return tools.create('Machine', name, {
        metadata: { labels: { 'cluster.x-k8s.io/cluster-name': cluster, ...labels }, ownerReferences: owners },
        spec: {
          clusterName: cluster,
          version: 'v1.36.0',
          bootstrap: { dataSecretName: 'x' },
          infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'InfraMachine', name },
        },
        ...(Object.keys(status).length === 0 ? {} : { status }),
      });
    },
    controlPlane: (name: string, metadata: object = {}) =>
      tools.create('KubeadmControlPlane', name, {
        metadata,
        spec: {
          replicas: 1,
          version: 'v1.36.0',
          machineTemplate: {
            spec: {
              infrastructureRef: { apiGroup: 'infrastructure.cluster.x-k8s.io', kind: 'InfraMachineTemplate', name },
            },
          },
        },
      }),
    /** The condition as `status/reason/message`. */
    async says(kind: Kind, name: string, type: string): Promise<string> {
      const entry = (await get(kind, name)).status?.conditions?.find((each) => each.type === type);
      return entry === undefined ? '' : `${entry.status}/${entry.reason}/${entry.message}`;
    },
    see: (kind: Kind, name: string, type: string, text: string) =>
      stage().see(
        `${kind} ${name} says ${text}`,
        () => tools.says(kind, name, type),
        (said) => said === text,
      ),
    seeCluster: (name: string, text: string) => tools.see('Cluster', name, 'ControlPlaneInitialized', text),
    async twin(name: string): Promise<string> {
      const entry = (await get('Cluster', name)).status?.deprecated?.v1beta1?.conditions?.find(
        ({ type }) => type === 'ControlPlaneInitialized',
      );
      return entry === undefined ? '' : `${entry.status}/${entry.reason ?? ''}`;
    },
  };
  return tools;
}

/** The stories about a Cluster's ControlPlaneInitialized. */
export function clusterStories(stage: () => ConditionStage): void {
  const namespace = 'control-plane-initialized';
  const { open, cluster, machine, controlPlane, seeCluster, get, patch, patchStatus, says, twin, create } = storyTools(
    stage,
    namespace,
  );
  const reference = (name: string, kind = 'KubeadmControlPlane') => ({
    controlPlaneRef: { apiGroup: controlPlaneGroup, kind, name },
  });

  test('CI-013 CI-014 CI-015 CI-020 standalone: worker, control plane Machine, node -> waits for the first control plane node', async () => {
    await open();
    await cluster('standalone');
    await seeCluster('standalone', `False/NotInitialized/${firstNode}`);
    await machine('worker', 'standalone', { node: 'n-w' });
    await machine('cp', 'standalone', { labels: controlPlaneLabel });
    await stage().rest();
    expect([await says('Cluster', 'standalone', 'ControlPlaneInitialized'), await twin('standalone')]).toEqual([
      `False/NotInitialized/${firstNode}`,
      'False/MissingNodeRef',
    ]);
    await patchStatus('Machine', 'cp', { nodeRef: { name: 'n-cp' } });
    await seeCluster('standalone', 'True/Initialized/');
    expect(await twin('standalone')).toBe('True/');
  });

  test('CI-001 CI-006 CI-007 CI-008 CI-009 CI-011 CI-017 managed: missing, there, false, true, false again, new generation', async () => {
    await open();
    await cluster('managed', reference('managed-cp'));
    await seeCluster('managed', 'Unknown/DoesNotExist/KubeadmControlPlane does not exist');
    await controlPlane('managed-cp');
    await seeCluster('managed', 'False/NotInitialized/Control plane not yet initialized');
    expect(await twin('managed')).toBe('False/WaitingForControlPlaneProviderInitialized');
    await patchStatus('KubeadmControlPlane', 'managed-cp', { initialization: { controlPlaneInitialized: true } });
    await seeCluster('managed', 'True/Initialized/');
    const before = await get('Cluster', 'managed');
    await patchStatus('KubeadmControlPlane', 'managed-cp', { initialization: { controlPlaneInitialized: false } });
    await patch('Cluster', 'managed', { spec: { clusterNetwork: { serviceDomain: 'x.local' } } });
    await stage().rest();
    const after = await get('Cluster', 'managed');
    expect(after.status).toEqual(before.status);
    expect(after.metadata.generation).not.toBe(before.metadata.generation);
    expect(after.status?.conditions?.[0]?.observedGeneration).toBe(before.metadata.generation);
  });

  test('CI-003 CI-004 topology: no control plane object yet, then deletion', async () => {
    await open();
    await cluster(
      'topology',
      { controlPlaneEndpoint: undefined, topology: { classRef: { name: 'quick' }, version: 'v1.36.0' } },
      { finalizers: ['test/hold'] },
    );
    await seeCluster('topology', 'Unknown/DoesNotExist/Waiting for cluster topology to be reconciled');
    await stage().client.delete({ resource: kinds.Cluster, namespace, name: 'topology' });
    await seeCluster('topology', 'Unknown/DoesNotExist/');
    await patch('Cluster', 'topology', { metadata: { finalizers: null } });
  });

  test('CI-005 CI-010 the v1beta1 contract, a field of the wrong type, a kind without contract, a kind without CRD', async () => {
    await open();
    await create('OldControlPlane', 'old-cp');
    await cluster('old', reference('old-cp', 'OldControlPlane'));
    await seeCluster('old', 'False/NotInitialized/Control plane not yet initialized');
    await patchStatus('OldControlPlane', 'old-cp', { initialized: 'true' });
    await seeCluster('old', `Unknown/InternalError/${cause}`);
    await patchStatus('OldControlPlane', 'old-cp', { initialized: true });
    await seeCluster('old', 'True/Initialized/');
    await cluster('lost', reference('x', 'LostControlPlane'));
    await cluster('unheard', reference('x', 'UnheardOfControlPlane'));
    await seeCluster('lost', `Unknown/InternalError/${cause}`);
    await seeCluster('unheard', `Unknown/InternalError/${cause}`);
  });

  test('CP-4 paused: -> nothing is written until it is not', async () => {
    await open();
    await cluster('paused', { paused: true });
    await stage().rest();
    expect((await get('Cluster', 'paused')).status?.conditions).toBeUndefined();
    await patch('Cluster', 'paused', { spec: { paused: false } });
    await seeCluster('paused', `False/NotInitialized/${firstNode}`);
  });

  test('CI-002 CI-016 CI-018 settled: looks that find nothing new -> no write', async () => {
    await open();
    await cluster('settled');
    await seeCluster('settled', `False/NotInitialized/${firstNode}`);
    await stage().rest();
    const before = (await get('Cluster', 'settled')).metadata.resourceVersion;
    await machine('settled-worker', 'settled', { node: 'n' });
    await stage().rest();
    expect((await get('Cluster', 'settled')).metadata.resourceVersion).toBe(before);
  });

  test('CI-016 CI-022 a writer of other conditions beside us: interleaved writes -> neither loses anything', async () => {
    await open();
    await cluster('busy', reference('busy-cp'));
    const types = ['Available', 'ControlPlaneAvailable', 'InfrastructureReady', 'RemoteConnectionProbe'];
    const target = { resource: kinds.Cluster, namespace, name: 'busy' };
    for (let round = 1; round <= stage().interleaved; round += 1) {
      if (round % 10 === 0)
        await patch('Cluster', 'busy', { spec: { clusterNetwork: { serviceDomain: `d${round}.local` } } });
      for (let tries = 1; ; tries += 1) {
        const seen = await get('Cluster', 'busy');
        const others = types.map((type, index) => ({
          type,
          status: index % 2 === 0 ? 'True' : 'False',
          reason: 'Round',
          message: String(round),
          lastTransitionTime: '2026-01-01T00:00:00Z',
        }));
        const conditions = [...others, ...(seen.status?.conditions ?? []).filter(({ type }) => !types.includes(type))];
        try {
          await stage().client.mergePatch(
            target,
            { metadata: { resourceVersion: seen.metadata.resourceVersion }, status: { conditions } },
            { subresource: 'status' },
          );
          break;
        } catch (error) {
          if (!isApiError(error, 'Conflict') || tries > 50) throw error;
        }
      }
      const now = (await get('Cluster', 'busy')).status?.conditions ?? [];
      if (types.some((type) => now.find((each) => each.type === type)?.message !== String(round)))
        throw new Error(`round ${round}: ${JSON.stringify(now)}`);
    }
    await seeCluster('busy', 'Unknown/DoesNotExist/KubeadmControlPlane does not exist');
    const { metadata } = await get('Cluster', 'busy');
    await stage().see(
      'the generation is observed',
      () => get('Cluster', 'busy'),
      ({ status }) =>
        status?.conditions?.find(({ type }) => type === 'ControlPlaneInitialized')?.observedGeneration ===
        metadata.generation,
    );
  });

  test('a rival: somebody changes it back twice -> it is left alone, and told on the object', async () => {
    await open();
    await cluster('rival', reference('rival-cp'));
    const ours = 'Unknown/DoesNotExist/KubeadmControlPlane does not exist';
    const theirs = 'Unknown/InternalError/theirs';
    const other = {
      type: 'ControlPlaneInitialized',
      status: 'Unknown',
      reason: 'InternalError',
      message: 'theirs',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    for (let round = 0; round < 2; round += 1) {
      await seeCluster('rival', ours);
      await patchStatus('Cluster', 'rival', { conditions: [other] });
    }
    await stage().see(
      'the Event',
      async () => stage().operator.events.filter((event) => event.startsWith('Cluster/rival ConditionContested')),
      (events) => events.length === 1,
    );
    await stage().rest();
    expect(await says('Cluster', 'rival', 'ControlPlaneInitialized')).toBe(theirs);
    await controlPlane('rival-cp');
    await seeCluster('rival', 'False/NotInitialized/Control plane not yet initialized');
  });
}

/** The stories about `explain`. */
export function explainStories(stage: () => ConditionStage): void {
  const namespace = 'explained';
  const { open, cluster, controlPlane, machine, create, patchStatus, seeCluster } = storyTools(stage, namespace);
  const request = (name: string) =>
    ({
      client: stage().client,
      config: { watchFilter: '', conditionReasons: 'table' },
      namespace,
      name,
      nowMs: stage().nowMs(),
    }) as never;
  const why = (name: string) => explainClusterLive(request(name));

  test('explain cluster: missing, unreadable, standalone, not there -> row, what is waited for, since', async () => {
    await open();
    await cluster('missing', {
      controlPlaneRef: { apiGroup: controlPlaneGroup, kind: 'KubeadmControlPlane', name: 'nobody' },
    });
    await seeCluster('missing', 'Unknown/DoesNotExist/KubeadmControlPlane does not exist');
    expect(await why('missing')).toMatchObject({
      machine: 'cluster-initialized',
      state: 'WaitingControlPlane',
      row: { id: 'C08' },
      waitsFor: { kind: 'KubeadmControlPlane', name: 'nobody' },
    });
    await create('OldControlPlane', 'odd', { status: { initialized: 'yes' } });
    await cluster('odd', { controlPlaneRef: { apiGroup: controlPlaneGroup, kind: 'OldControlPlane', name: 'odd' } });
    expect(await why('odd')).toMatchObject({
      state: 'Unreadable',
      row: { id: 'C09' },
      facts: { problem: '.status.initialized is a string, not a bool' },
    });
    await cluster('unheard', { controlPlaneRef: { apiGroup: controlPlaneGroup, kind: 'UnheardOf', name: 'x' } });
    expect(await why('unheard')).toMatchObject({
      row: { id: 'C07' },
      unblocks: expect.stringContaining('CustomResourceDefinition'),
    });
    await cluster('alone');
    expect(await why('alone')).toMatchObject({ row: { id: 'C14' }, state: 'WaitingFirstNode' });
    expect(await why('nobody')).toBeNull();
  });

  test('explain kubeadmcontrolplane: no owner, outdated, not there -> row and what is waited for', async () => {
    await open();
    const whyNot = (name: string) => explainControlPlaneLive(request(name));
    await controlPlane('told-cp');
    expect(await whyNot('told-cp')).toMatchObject({ machine: 'machines-up-to-date', row: { id: 'U02' } });
    await cluster('told', {
      controlPlaneRef: { apiGroup: controlPlaneGroup, kind: 'KubeadmControlPlane', name: 'told-cp' },
    });
    await patchStatus('Cluster', 'told', { initialization: { infrastructureProvisioned: true } });
    await stage().client.mergePatch(
      { resource: kinds.KubeadmControlPlane, namespace, name: 'told-cp' },
      {
        metadata: {
          ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'told', uid: 'x' }],
        },
      },
    );
    const owner = {
      apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmControlPlane',
      name: 'told-cp',
      uid: 'x',
      controller: true,
    };
    await machine('told-0', 'told', { labels: controlPlaneLabel, owners: [owner], upToDate: ['False', 'old'] });
    expect(await whyNot('told-cp')).toMatchObject({
      state: 'NotUpToDate',
      row: { id: 'U12' },
      waitsFor: { what: '* Machine told-0: old' },
    });
    expect(await whyNot('nobody')).toBeNull();
  });
}

/** The stories about a KubeadmControlPlane's MachinesUpToDate. */
export function controlPlaneStories(stage: () => ConditionStage): void {
  const namespace = 'machines-up-to-date';
  const tools = storyTools(stage, namespace);
  const { open, cluster, machine, controlPlane, get, patchStatus, says } = tools;
  const see = (name: string, text: string) => tools.see('KubeadmControlPlane', name, 'MachinesUpToDate', text);
  const owner = (name: string) => ({
    apiVersion: 'controlplane.cluster.x-k8s.io/v1beta2',
    kind: 'KubeadmControlPlane',
    name,
    uid: `uid-${name}`,
    controller: true,
  });

  /** A Cluster that is provisioned, with its control plane. */
  const stageSet = async (name: string): Promise<void> => {
    await open();
    const made = await cluster(name, {
      controlPlaneRef: { apiGroup: controlPlaneGroup, kind: 'KubeadmControlPlane', name: `${name}-cp` },
    });
    await controlPlane(`${name}-cp`, {
      ownerReferences: [
        { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name, uid: made.metadata.uid ?? '' },
      ],
    });
    await patchStatus('Cluster', name, { initialization: { infrastructureProvisioned: true } });
  };
  const mine = (name: string, upToDate?: readonly [string, string]) => ({
    labels: controlPlaneLabel,
    owners: [owner(`${name}-cp`)],
    ...(upToDate === undefined ? {} : { upToDate }),
  });

  test('MU-002 MU-003 MU-004 MU-017 one Machine: none, up to date, outdated, up to date', async () => {
    await stageSet('one');
    await see('one-cp', 'True/NoReplicas/');
    await machine('one-0', 'one', mine('one', ['True', '']));
    await see('one-cp', 'True/MachinesUpToDate/');
    const old = { type: 'UpToDate', reason: 'Any', lastTransitionTime: '2026-01-01T00:00:00Z' };
    await patchStatus('Machine', 'one-0', {
      conditions: [{ ...old, status: 'False', message: '* Version v1.35.0, v1.36.0 required' }],
    });
    await see('one-cp', 'False/MachinesNotUpToDate/* Machine one-0:\n  * Version v1.35.0, v1.36.0 required');
    await patchStatus('Machine', 'one-0', { conditions: [{ ...old, status: 'True', message: '' }] });
    await see('one-cp', 'True/MachinesUpToDate/');
    const seen = await get('KubeadmControlPlane', 'one-cp');
    expect(seen.status?.conditions?.find(({ type }) => type === 'MachinesUpToDate')?.observedGeneration).toBe(
      seen.metadata.generation,
    );
    expect(seen.status?.deprecated).toBeUndefined();
  });

  test('MU-005 MU-006 MU-007 MU-008 MU-012 MU-016 three Machines: False and Unknown -> False wins, both are told', async () => {
    await stageSet('three');
    await machine('three-0', 'three', mine('three', ['True', '']));
    await machine('three-1', 'three', mine('three', ['Unknown', 'who knows']));
    await see('three-cp', 'Unknown/MachinesUpToDateUnknown/* Machine three-1: who knows');
    await machine('three-2', 'three', mine('three', ['False', 'old']));
    await see('three-cp', 'False/MachinesNotUpToDate/* Machine three-2: old\n* Machine three-1: who knows');
    await patchStatus('KubeadmControlPlane', 'three-cp', {
      conditions: [
        ...((await get('KubeadmControlPlane', 'three-cp')).status?.conditions ?? []),
        {
          type: 'Available',
          status: 'False',
          reason: 'x',
          message: 'theirs',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    });
    await stage().client.delete({ resource: kinds.Machine, namespace, name: 'three-2' });
    await see('three-cp', 'Unknown/MachinesUpToDateUnknown/* Machine three-1: who knows');
    expect(await says('KubeadmControlPlane', 'three-cp', 'Available')).toBe('False/x/theirs');
  });

  test('MU-001 a hundred Machines: fifty outdated for five causes -> three causes, the rest counted', async () => {
    await stageSet('many');
    const names = Array.from({ length: 100 }, (_, index) => `many-${String(index).padStart(3, '0')}`);
    await Promise.all(
      names.map((name, index) =>
        machine(name, 'many', mine('many', index < 50 ? ['False', `cause ${index % 5}`] : ['True', ''])),
      ),
    );
    const line = (index: number): string =>
      `* Machines many-00${index}, many-00${index + 5}, many-0${index + 10}, ... (7 more): cause ${index}`;
    await see(
      'many-cp',
      `False/MachinesNotUpToDate/${line(0)}\n${line(1)}\n${line(2)}\nAnd 20 Machines with other issues`,
    );
  });

  test('MU-001 owners and labels wrong or missing: -> nothing is said while they are, then only owned ones count', async () => {
    await stageSet('odd');
    await see('odd-cp', 'True/NoReplicas/');
    await machine('odd-0', 'odd', mine('odd', ['True', '']));
    await see('odd-cp', 'True/MachinesUpToDate/');
    await machine('odd-worker', 'odd', { upToDate: ['False', 'x'] });
    await machine('odd-other-value', 'odd', {
      labels: { 'cluster.x-k8s.io/control-plane': 'yes' },
      owners: [owner('odd-cp')],
      upToDate: ['False', 'x'],
    });
    await machine('odd-orphan', 'odd', { labels: controlPlaneLabel, upToDate: ['False', 'x'] });
    await stage().rest();
    expect(await says('KubeadmControlPlane', 'odd-cp', 'MachinesUpToDate')).toBe('True/MachinesUpToDate/');
    await tools.patch('Machine', 'odd-orphan', { metadata: { ownerReferences: [owner('other-cp')] } });
    await stage().rest();
    expect(await says('KubeadmControlPlane', 'odd-cp', 'MachinesUpToDate')).toBe('True/MachinesUpToDate/');
    await tools.patch('Machine', 'odd-orphan', { metadata: { ownerReferences: [owner('odd-cp')] } });
    await see('odd-cp', 'False/MachinesNotUpToDate/* Machine odd-orphan: x');
  });

  test('MU-011 MU-013 MU-014 MU-015 a Machine younger than ten seconds: -> left out, then counts without anything else happening', async () => {
    await stageSet('young');
    await see('young-cp', 'True/NoReplicas/');
    const createdMs = stage().nowMs();
    await machine('young-0', 'young', mine('young'));
    await stage().rest();
    if (stage().nowMs() - createdMs < 8_000)
      expect(await says('KubeadmControlPlane', 'young-cp', 'MachinesUpToDate')).toBe('True/NoReplicas/');
    await see('young-cp', 'Unknown/MachinesUpToDateUnknown/* Machine young-0: Condition UpToDate not yet reported');
    expect(stage().nowMs() - createdMs).toBeGreaterThanOrEqual(9_000);
  });

  test('UP-10 deletion: -> owned Machines still count, foreign ones do not stop it', async () => {
    await stageSet('gone');
    await tools.patch('KubeadmControlPlane', 'gone-cp', { metadata: { finalizers: ['test/hold'] } });
    await machine('gone-0', 'gone', mine('gone', ['False', 'old']));
    await machine('gone-orphan', 'gone', { labels: controlPlaneLabel });
    await stage().client.delete({ resource: kinds.KubeadmControlPlane, namespace, name: 'gone-cp' });
    await see('gone-cp', 'False/MachinesNotUpToDate/* Machine gone-0: old');
    await tools.patch('KubeadmControlPlane', 'gone-cp', { metadata: { finalizers: null } });
  });

  test('UP-2 UP-6 no owner, then a Cluster that is not provisioned: -> nothing, then no replicas', async () => {
    await open();
    await cluster('bare', {
      controlPlaneRef: { apiGroup: controlPlaneGroup, kind: 'KubeadmControlPlane', name: 'bare-cp' },
    });
    await controlPlane('bare-cp');
    await machine('bare-0', 'bare', mine('bare', ['False', 'old']));
    await stage().rest();
    expect((await get('KubeadmControlPlane', 'bare-cp')).status?.conditions).toBeUndefined();
    await tools.patch('KubeadmControlPlane', 'bare-cp', {
      metadata: {
        ownerReferences: [{ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'bare', uid: 'any' }],
      },
    });
    await see('bare-cp', 'True/NoReplicas/');
    await patchStatus('Cluster', 'bare', { initialization: { infrastructureProvisioned: true } });
    await see('bare-cp', 'False/MachinesNotUpToDate/* Machine bare-0: old');
  });
}
