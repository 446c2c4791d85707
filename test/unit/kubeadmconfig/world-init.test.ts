import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  addClusterSecrets,
  addMachine,
  cluster,
  clusterStatus,
  config,
  create,
  decoded,
  machine,
  patch,
  patchStatus,
  remove,
  secret,
} from './objects.js';
import {
  calls,
  configOf,
  exists,
  lockOf,
  logged,
  payload,
  says,
  secretOf,
  stateOf,
  writes,
  type Config,
  type WithData,
} from './readings.js';
import { createInitWorld, createWorld, type Operator, type World } from './world.js';

/** A standalone control plane: infrastructure, then initialisation. */
describe('kubeadmconfig worlds: one control plane', () => {
  let world: World;
  let operator: Operator;
  let waiting: Config;
  let stored: Config;
  let data: WithData;
  let lock: WithData;
  let initWrites: readonly string[];
  let initCalls: readonly string[];
  let kinds: readonly string[];

  beforeAll(async () => {
    world = createWorld();
    operator = await world.start();
    await addMachine(world.user, 'cp-0', {
      controlPlane: true,
      spec: { clusterConfiguration: { controlPlaneEndpoint: 'mine:6443' } },
    });
    await world.settle();
    await create(world.user, cluster({ provisioned: false }));
    await world.settle();
    waiting = await configOf(world.user, 'cp-0');
    world.seen.length = 0;
    await patchStatus(world.user, 'Cluster', 'c1', clusterStatus({}));
    await world.settle();
    stored = await configOf(world.user, 'cp-0');
    data = await secretOf(world.user, 'cp-0');
    lock = await lockOf(world.user);
    initWrites = writes(world);
    initCalls = calls(world);
    kinds = ['secrets', 'configmaps', 'events', 'pods', 'leases.coordination.k8s.io'].filter(
      (resource) => world.server.store.list(resource, 'default').length > 0,
    );
  }, 30_000);

  test('KC-056 Cluster not found: looked at -> that line is logged', () => {
    expect(logged(operator)).toContain('Cluster does not exist yet, waiting until it is created');
  });

  test('KC-061 infrastructure not provisioned: looked at -> that line is logged', () => {
    expect(logged(operator)).toContain('Cluster infrastructure is not ready, waiting');
  });

  test('KC-140 lock taken: named -> <cluster>-lock', () => {
    expect(lock.metadata.name).toBe('c1-lock');
  });

  test('KC-141 lock taken: placed -> in the namespace of the Cluster', () => {
    expect(lock.metadata.namespace).toBe('default');
  });

  test('KC-142 lock taken: read -> JSON with machineName under lock-information, and the uid of the holder', async () => {
    const { uid } = (
      await world.user.get({
        resource: {
          group: 'cluster.x-k8s.io',
          version: 'v1beta2',
          plural: 'machines',
          kind: 'Machine',
          namespaced: true,
        },
        namespace: 'default',
        name: 'cp-0',
      })
    ).metadata;
    expect(JSON.parse(lock.data['lock-information'] ?? '')).toEqual({ machineName: 'cp-0', machineUID: uid });
  });

  test('KC-143 lock taken: owned -> by the Cluster', () => {
    expect(lock.metadata.ownerReferences).toEqual([
      expect.objectContaining({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', name: 'c1' }),
    ]);
    expect(lock.metadata.labels).toEqual({ 'cluster.x-k8s.io/cluster-name': 'c1' });
  });

  test('KC-144 no lock ConfigMap: taken -> created, and init goes on', () => {
    expect(initWrites[0]).toBe('create configmaps/default');
    expect(stateOf(stored)).toBe('Initializing');
  });

  test('KC-050 lock held: init -> certificates, then data, then status, with one live read of the Cluster in between', () => {
    expect(initCalls).toEqual([
      'create configmaps/default',
      'get clusters/default/c1',
      'get secrets/default/c1-ca',
      'get secrets/default/c1-sa',
      'get secrets/default/c1-proxy',
      'get secrets/default/c1-etcd',
      'create secrets/default',
      'create secrets/default',
      'create secrets/default',
      'create secrets/default',
      'create secrets/default',
      'patch kubeadmconfigs/default/cp-0/status',
    ]);
  });

  test('KC-070 payload rendered: stored -> the bootstrap Secret exists', () => {
    expect(decoded(data, 'value')).toContain('kubeadm init');
  });

  test('KC-069 init path: no format -> cloud-config', () => {
    expect(decoded(data, 'format')).toBe('cloud-config');
    expect(decoded(data, 'value')).toContain('#cloud-config');
  });

  test('KC-153 generation: made -> from spec, certificates, files, users and Cluster', () => {
    const text = decoded(data, 'value');
    expect(text).toContain('controlPlaneEndpoint: mine:6443');
    expect(text).toContain('/etc/kubernetes/pki/ca.crt');
    expect(text).toContain('clusterName: c1');
  });

  test('KC-005 a whole init: everything that exists -> lock, certificates, data and Events, nothing else', () => {
    expect(kinds).toEqual(['secrets', 'configmaps']);
    expect(
      world.server.store
        .list('secrets', 'default')
        .map(({ metadata }) => metadata.name)
        .toSorted(),
    ).toEqual(['c1-ca', 'c1-etcd', 'c1-proxy', 'c1-sa', 'cp-0']);
    expect(new Set(initWrites.map((write) => write.split('/')[0]))).toEqual(
      new Set(['create configmaps', 'create secrets', 'patch kubeadmconfigs']),
    );
  });

  test('generated certificates: owned -> by the Cluster, neither controller nor blocking', async () => {
    for (const name of ['c1-ca', 'c1-etcd', 'c1-proxy', 'c1-sa']) {
      const [owner, ...others] = (await secretOf(world.user, name)).metadata.ownerReferences ?? [];
      expect(others).toEqual([]);
      expect(owner).toEqual({
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        kind: 'Cluster',
        name: 'c1',
        uid: expect.any(String),
      });
    }
  });

  test('KC-058 any KubeadmConfig: waiting or done -> no finalizer of ours', () => {
    expect([waiting.metadata.finalizers, stored.metadata.finalizers]).toEqual([undefined, undefined]);
  });

  test('KC-011 data generated: stored -> a Secret of the management cluster, in the namespace of the KubeadmConfig', () => {
    expect(data.metadata).toMatchObject({ name: 'cp-0', namespace: 'default' });
    expect(data.type).toBe('cluster.x-k8s.io/secret');
  });

  test('KC-004 rendered data: stored -> in the bootstrap Secret', () => {
    expect(Object.keys(data.data).toSorted()).toEqual(['format', 'value']);
  });

  test('BC-001 bootstrap resource: handled -> has bootstrap data', () => {
    expect(decoded(data, 'value').length).toBeGreaterThan(1_000);
  });

  test('BC-015 Secret created: named -> as status.dataSecretName says', () => {
    expect(stored.status?.dataSecretName).toBe(data.metadata.name);
  });

  test('BC-016 Secret created: labelled -> with the cluster’s name', () => {
    expect(data.metadata.labels?.['cluster.x-k8s.io/cluster-name']).toBe('c1');
  });

  test('BC-017 Secret created: owned -> controlled by the KubeadmConfig', () => {
    expect(data.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
        kind: 'KubeadmConfig',
        name: 'cp-0',
        uid: stored.metadata.uid,
        controller: true,
      },
    ]);
  });

  test('BC-018 Secret created: read -> data.value is the payload', () => {
    expect(decoded(data, 'value').startsWith('## template: jinja')).toBe(true);
  });

  test('BC-029 Secret exists: status -> the field is set', () => {
    expect(stored.status?.dataSecretName).toBe('cp-0');
  });

  test('BC-031 end of a pass: written -> one patch, the last call, with name and ready', () => {
    expect(initWrites.at(-1)).toBe('patch kubeadmconfigs/default/cp-0/status');
    expect(initWrites.filter((write) => write.endsWith('/status'))).toHaveLength(1);
    expect(stored.status).toMatchObject({ dataSecretName: 'cp-0', initialization: { dataSecretCreated: true } });
  });

  test('control plane initialised: the holder -> releases the lock and is Done, with one delete', async () => {
    world.seen.length = 0;
    await patchStatus(world.user, 'Cluster', 'c1', clusterStatus({ initialized: true }));
    await world.settle();
    expect(await exists(lockOf(world.user))).toBe(false);
    expect(stateOf(await configOf(world.user, 'cp-0'))).toBe('Done');
    expect(writes(world)).toEqual(['delete configmaps/default/c1-lock', 'patch kubeadmconfigs/default/cp-0/status']);
  });

  test('control plane initialised and the lock is seen only then: -> its holder is woken and releases it', async () => {
    const { apiVersion, kind, metadata, data: information } = lock as WithData & { apiVersion: string; kind: string };
    const { name, namespace, labels, ownerReferences } = metadata;
    await create(world.user, {
      apiVersion,
      kind,
      metadata: { name, namespace, labels, ownerReferences },
      data: information,
    });
    await world.settle();
    expect(await exists(lockOf(world.user))).toBe(false);
    expect(stateOf(await configOf(world.user, 'cp-0'))).toBe('Done');
  });

  test('settled: a minute later -> no call at all', async () => {
    world.seen.length = 0;
    await world.clock.advance(60_000);
    await world.settle();
    expect(calls(world)).toEqual([]);
  });
});

describe('kubeadmconfig worlds: several control planes', () => {
  async function three(): Promise<{ world: World; operator: Operator }> {
    const world = createWorld();
    await create(world.user, cluster());
    await addClusterSecrets(world.user);
    for (const name of ['cp-0', 'cp-1', 'cp-2']) await addMachine(world.user, name, { controlPlane: true });
    const operator = await world.start();
    await world.settle();
    return { world, operator };
  }

  test('KC-139 three race: settled -> exactly one has init data; KC-145 the others wait 30 s; KC-076 KC-135 and say why', async () => {
    const { world, operator } = await three();
    const all = await Promise.all(['cp-0', 'cp-1', 'cp-2'].map((name) => configOf(world.user, name)));
    const winners = all.filter(({ status }) => status?.initialization?.dataSecretCreated === true);
    expect(winners).toHaveLength(1);
    expect(JSON.parse((await lockOf(world.user)).data['lock-information'] ?? '')).toMatchObject({
      machineName: winners[0]?.metadata.name,
    });
    const losers = all.filter((each) => each !== winners[0]);
    for (const loser of losers) {
      expect(says(loser, 'DataSecretAvailable')).toBe(
        'False NotAvailable Waiting for Cluster control plane to be initialized',
      );
      const resting = operator.host.rest(`default/${loser.metadata.name}`);
      const since =
        operator.transitions.filter(({ key }) => key === `default/${loser.metadata.name}`).at(-1)?.atMs ?? 0;
      expect(resting?.rest.context.wakeAtMs).toBe(since + 30_000);
    }
    const lines = operator.logs.filter(({ msg }) => msg === 'A control plane is already being initialized');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({ Machine: `default/${winners[0]?.metadata.name}` });
  });

  test('KC-147 lock found held by another: judged -> the lock and its holder are read live', async () => {
    const world = createWorld();
    await create(world.user, cluster());
    await addClusterSecrets(world.user);
    const holder = await create(world.user, machine('cp-9', { controlPlane: true }));
    // Without the label it is in no cache: only the failed creation tells of it.
    await create(world.user, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c1-lock', namespace: 'default' },
      data: { 'lock-information': JSON.stringify({ machineName: 'cp-9', machineUID: holder.metadata.uid }) },
    });
    await addMachine(world.user, 'cp-1', { controlPlane: true });
    await world.start();
    await world.settle();
    expect(calls(world).slice(0, 4)).toEqual([
      'create configmaps/default',
      'get configmaps/default/c1-lock',
      'get machines/default/cp-9',
      'get kubeadmconfigs/default/cp-9',
    ]);
  });

  test('KC-148 holder deleted: noticed -> lock deleted, created and acquired in one turn', async () => {
    const { world, operator } = await three();
    const first = JSON.parse((await lockOf(world.user)).data['lock-information'] ?? '').machineName as string;
    const before = (await lockOf(world.user)).metadata.uid;
    operator.transitions.length = 0;
    await remove(world.user, 'KubeadmConfig', first);
    await remove(world.user, 'Machine', first);
    await world.settle();
    const lock = await lockOf(world.user);
    expect(lock.metadata.uid).not.toBe(before);
    const next = JSON.parse(lock.data['lock-information'] ?? '').machineName as string;
    expect(next).not.toBe(first);
    expect(await payload(world.user, next)).toContain('kubeadm init');
    const events = operator.transitions.filter(({ key }) => key === `default/${next}`).map(({ event }) => event);
    expect(events).toContain('LOCK_ACQUIRED');
    expect(operator.transitions.at(0)?.atMs).toBe(operator.transitions.at(-1)?.atMs);
  });

  test('KC-047 initialised, no data yet: two rivals and a worker -> the lock is deleted once, then they join', async () => {
    const { world } = await three();
    await addMachine(world.user, 'w-0');
    await world.settle();
    world.seen.length = 0;
    await patchStatus(world.user, 'Cluster', 'c1', clusterStatus({ initialized: true }));
    await world.settle();
    expect(await exists(lockOf(world.user))).toBe(false);
    expect(writes(world).filter((write) => write === 'delete configmaps/default/c1-lock')).toHaveLength(1);
    for (const name of ['cp-0', 'cp-1', 'cp-2', 'w-0']) {
      expect((await configOf(world.user, name)).status?.initialization?.dataSecretCreated).toBe(true);
    }
    const firstJoin = writes(world).findIndex((write) => write === 'create secrets/kube-system');
    expect(writes(world).indexOf('delete configmaps/default/c1-lock')).toBeLessThan(firstJoin);
  });

  test('holder created again under the same name: another uid, no data -> the new Machine takes the lock', async () => {
    const world = createWorld();
    await create(world.user, cluster());
    await addClusterSecrets(world.user);
    await create(world.user, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c1-lock', namespace: 'default', labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
      data: { 'lock-information': JSON.stringify({ machineName: 'cp-0', machineUID: 'an-earlier-life' }) },
    });
    await addMachine(world.user, 'cp-0', { controlPlane: true });
    await world.start();
    await world.settle();
    expect(stateOf(await configOf(world.user, 'cp-0'))).toBe('Initializing');
    expect(JSON.parse((await lockOf(world.user)).data['lock-information'] ?? '').machineUID).not.toBe(
      'an-earlier-life',
    );
  });

  test('lock of the Go provider: name only, ours -> is ours; another’s -> is waited for', async () => {
    const world = createWorld();
    await create(world.user, cluster());
    await addClusterSecrets(world.user);
    await create(world.user, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c1-lock', namespace: 'default', labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
      data: { 'lock-information': '{"machineName":"cp-0"}' },
    });
    await addMachine(world.user, 'cp-0', { controlPlane: true });
    await addMachine(world.user, 'cp-1', { controlPlane: true });
    await world.start();
    await world.settle();
    expect(stateOf(await configOf(world.user, 'cp-0'))).toBe('Initializing');
    expect(stateOf(await configOf(world.user, 'cp-1'))).toBe('WaitingCPInit');
    expect((await lockOf(world.user)).data['lock-information']).toBe('{"machineName":"cp-0"}');
  });

  test('lock unreadable: met -> never stolen, named in condition and Event; repaired -> goes on', async () => {
    const world = createWorld();
    await create(world.user, cluster());
    await addClusterSecrets(world.user);
    await create(world.user, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c1-lock', namespace: 'default', labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
      data: { 'lock-information': 'scribble' },
    });
    await addMachine(world.user, 'cp-0', { controlPlane: true });
    const operator = await world.start();
    await world.settle();
    expect(says(await configOf(world.user, 'cp-0'), 'DataSecretAvailable')).toContain(
      'ConfigMap default/c1-lock is not a readable init lock',
    );
    expect(operator.events).toEqual([expect.objectContaining({ type: 'Warning', reason: 'InitLockUnreadable' })]);
    expect(await exists(lockOf(world.user))).toBe(true);
    await remove(world.user, 'ConfigMap', 'c1-lock');
    await world.settle();
    expect(stateOf(await configOf(world.user, 'cp-0'))).toBe('Initializing');
  });

  test('stale Cluster in the cache: already initialised -> the lock is released without data, and the Machine joins', async () => {
    const world = await createInitWorld();
    world.setFaults({
      watchEvent: (info, { object }) =>
        info.resource === 'clusters' && JSON.stringify(object).includes('"True"')
          ? { kind: 'delay', ms: 600_000 }
          : undefined,
      request: (info) =>
        info.verb === 'create' && info.resource === 'configmaps' ? { kind: 'delay', ms: 5_000 } : undefined,
    });
    await world.start();
    await world.settle();
    await patchStatus(world.user, 'Cluster', 'c1', clusterStatus({ initialized: true }));
    await world.clock.advance(6_000);
    await world.settle();
    const object = await configOf(world.user, 'cp-0');
    expect(await payload(world.user, 'cp-0')).toContain('kubeadm join');
    expect(stateOf(object)).toBe('TokenMonitoring');
    expect(await exists(lockOf(world.user))).toBe(false);
  });

  test('a failing init: another control plane is there -> the lock is given up and the other one initialises', async () => {
    const world = createWorld();
    await create(world.user, cluster());
    await addClusterSecrets(world.user);
    await addMachine(world.user, 'cp-0', {
      controlPlane: true,
      spec: { files: [{ path: '/x', contentFrom: { secret: { name: 'nowhere', key: 'k' } } }] },
    });
    const operator = await world.start();
    await world.settle();
    expect(stateOf(await configOf(world.user, 'cp-0'))).toBe('AcquiringLock');
    expect(await exists(lockOf(world.user))).toBe(false);
    await addMachine(world.user, 'cp-1', { controlPlane: true });
    await world.settle();
    expect(stateOf(await configOf(world.user, 'cp-1'))).toBe('Initializing');
    await world.clock.advance(5_000);
    await world.settle();
    expect(stateOf(await configOf(world.user, 'cp-0'))).toBe('WaitingCPInit');
    expect(operator.events.map(({ reason }) => reason)).toContain('FilesUnreadable');
  });

  test('KC-212 Secret absent, present: data to store -> created, updated with what others put there kept', async () => {
    const world = createWorld();
    await create(world.user, cluster());
    await addClusterSecrets(world.user);
    const owner = await create(world.user, machine('cp-0', { controlPlane: true }));
    const object = await create(world.user, config(owner, 'cp-0', { verbosity: 1 }));
    const ours = {
      apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmConfig',
      name: 'cp-0',
      uid: object.metadata.uid,
      controller: true,
    };
    await create(
      world.user,
      secret(
        'cp-0',
        { value: 'half written' },
        { labels: { 'cluster.x-k8s.io/cluster-name': 'c1', theirs: 'yes' }, ownerReferences: [ours] },
      ),
    );
    await patch(world.user, 'Secret', 'cp-0', { metadata: { annotations: { theirs: 'too' } } });
    await world.start();
    await world.settle();
    const data = await secretOf(world.user, 'cp-0');
    expect(decoded(data, 'value')).toContain('kubeadm init');
    expect(data.metadata.labels).toMatchObject({ theirs: 'yes' });
    expect(data.metadata.annotations).toMatchObject({ theirs: 'too' });
  });

  test('BC-027 Secret with init data exists, lock held, status lost: looked at -> kept byte for byte and adopted', async () => {
    const world = createWorld();
    await create(world.user, cluster());
    await addClusterSecrets(world.user);
    const owner = await create(world.user, machine('cp-0', { controlPlane: true }));
    const object = await create(world.user, config(owner, 'cp-0', { verbosity: 1 }));
    const ours = {
      apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmConfig',
      name: 'cp-0',
      uid: object.metadata.uid,
      controller: true,
    };
    const before = await create(
      world.user,
      secret('cp-0', { value: '#cloud-config\nkubeadm init\n', format: 'cloud-config' }, { ownerReferences: [ours] }),
    );
    await create(world.user, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'c1-lock', namespace: 'default', labels: { 'cluster.x-k8s.io/cluster-name': 'c1' } },
      data: { 'lock-information': JSON.stringify({ machineName: 'cp-0', machineUID: owner.metadata.uid }) },
    });
    await world.start();
    await world.settle();
    expect((await secretOf(world.user, 'cp-0')).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    expect(await configOf(world.user, 'cp-0')).toMatchObject({
      status: { dataSecretName: 'cp-0', initialization: { dataSecretCreated: true } },
    });
    expect(stateOf(await configOf(world.user, 'cp-0'))).toBe('Initializing');
  });
});

describe('kubeadmconfig worlds: who comes first', () => {
  test('workers made before their control plane: infrastructure, then initialisation -> those who can go on have the first turn', async () => {
    const world = createWorld();
    const operator = await world.start();
    await create(world.user, cluster({ provisioned: false }));
    await addClusterSecrets(world.user);
    for (const name of ['a-worker', 'b-worker']) await addMachine(world.user, name);
    await addMachine(world.user, 'cp-0', { controlPlane: true });
    await addMachine(world.user, 'z-worker');
    await world.settle();
    const orderAfter = async (status: ReturnType<typeof clusterStatus>): Promise<readonly string[]> => {
      operator.transitions.length = 0;
      await patchStatus(world.user, 'Cluster', 'c1', status);
      await world.settle();
      return [...new Set(operator.transitions.map(({ key }) => key.replace('default/', '')))];
    };
    expect((await orderAfter(clusterStatus({})))[0]).toBe('cp-0');
    expect(await orderAfter(clusterStatus({ initialized: true }))).toEqual([
      'a-worker',
      'b-worker',
      'z-worker',
      'cp-0',
    ]);
  });
});
