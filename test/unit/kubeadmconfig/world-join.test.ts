import { beforeAll, describe, expect, test } from '@jest/globals';
import {
  addClusterSecrets,
  addMachine,
  cluster,
  clusterStatus,
  create,
  decoded,
  patch,
  patchStatus,
  secret,
  tokens,
} from './objects.js';
import {
  calls,
  configOf,
  exists,
  logged,
  payload,
  says,
  secretOf,
  stateOf,
  tokenOf,
  writes,
  type Config,
  type WithData,
} from './readings.js';
import { createInitWorld, createWorld, TTL_MS, type Operator, type World } from './world.js';

const controlPlaneJoin = { joinConfiguration: { nodeRegistration: { name: 'n' } } };

interface Joined {
  readonly world: World;
  readonly operator: Operator;
  readonly config: Config;
  readonly data: WithData;
  readonly calls: readonly string[];
  /** Milliseconds until the next look. */
  readonly wakeInMs: number;
}

/** One Machine that joins an initialised cluster whose Secrets are in no cache, so that each look at one is a call. */
async function joinedMachine(name: string, given: Parameters<typeof addMachine>[2]): Promise<Joined> {
  const world = createWorld({ hasOwnWorkload: true });
  await create(world.user, cluster({ initialized: true }));
  await addClusterSecrets(world.user, { isLabelled: false });
  const operator = await world.start();
  await world.settle();
  world.seen.length = 0;
  await addMachine(world.user, name, given);
  await world.settle();
  return {
    world,
    operator,
    config: await configOf(world.user, name),
    data: await secretOf(world.user, name),
    calls: calls(world),
    wakeInMs: (operator.host.rest(`default/${name}`)?.rest.context.wakeAtMs ?? 0) - world.clock.nowMs(),
  };
}

describe('kubeadmconfig worlds: a control plane joins', () => {
  let joined: Joined;

  beforeAll(async () => {
    joined = await joinedMachine('cp-1', { controlPlane: true, spec: controlPlaneJoin });
  }, 30_000);

  test('KC-051 control plane join: its calls -> certificates, discovery with its token, data, status, then TTL/3', () => {
    expect(joined.calls).toEqual([
      'get secrets/default/c1-ca',
      'get secrets/default/c1-sa',
      'get secrets/default/c1-proxy',
      'get secrets/default/c1-etcd',
      'get secrets/default/c1-kubeconfig',
      'patch kubeadmconfigs/default/cp-1',
      'create workload:secrets/kube-system',
      'create secrets/default',
      'patch kubeadmconfigs/default/cp-1/status',
    ]);
    expect(joined.wakeInMs).toBe(TTL_MS / 3);
  });

  test('KC-085 control plane join: payload -> kubeadm join for a control plane, with the certificates that it needs', () => {
    const text = decoded(joined.data, 'value');
    expect(text).toContain('kubeadm join --config');
    expect(text).not.toContain('kubeadm init');
    expect(text).toContain('controlPlane:');
    for (const file of ['ca.key', 'sa.key', 'front-proxy-ca.key', 'etcd/ca.key']) {
      expect(text).toContain(`/etc/kubernetes/pki/${file}`);
    }
    expect(text).not.toContain('node.cluster.x-k8s.io/uninitialized');
  });

  test('KC-086 control plane join: rendered -> the bootstrap Secret holds it, and the status names the Secret', () => {
    const { config, data } = joined;
    expect(data.metadata.ownerReferences).toEqual([
      expect.objectContaining({ kind: 'KubeadmConfig', name: 'cp-1', uid: config.metadata.uid, controller: true }),
    ]);
    expect(Object.keys(data.data).toSorted()).toEqual(['format', 'value']);
    expect(config.status).toMatchObject({ dataSecretName: 'cp-1', initialization: { dataSecretCreated: true } });
  });

  test('KC-083 control plane join: one certificate missing -> it is waited for, none is made, nothing is stored', async () => {
    for (const missing of ['ca', 'sa', 'proxy', 'etcd']) {
      const world = createWorld();
      await create(world.user, cluster({ initialized: true }));
      await addClusterSecrets(world.user, { without: [missing] });
      await addMachine(world.user, 'cp-1', { controlPlane: true, spec: controlPlaneJoin });
      await world.start();
      await world.settle();
      expect(says(await configOf(world.user, 'cp-1'), 'CertificatesAvailable')).toMatch(/^Unknown InternalError/);
      expect(writes(world)).toEqual(['patch kubeadmconfigs/default/cp-1/status']);
    }
  });
});

describe('kubeadmconfig worlds: a worker joins', () => {
  let joined: Joined;

  beforeAll(async () => {
    joined = await joinedMachine('w-0', {});
  }, 30_000);

  test('KC-052 worker join: its calls -> CA, discovery with its token, data, status, then TTL/3; wrong settings before all', async () => {
    expect(joined.calls).toEqual([
      'get secrets/default/c1-ca',
      'get secrets/default/c1-kubeconfig',
      'patch kubeadmconfigs/default/w-0',
      'create workload:secrets/kube-system',
      'create secrets/default',
      'patch kubeadmconfigs/default/w-0/status',
    ]);
    expect(joined.wakeInMs).toBe(TTL_MS / 3);
    expect(decoded(joined.data, 'value')).toContain('node.cluster.x-k8s.io/uninitialized');
    expect(joined.config.spec.joinConfiguration?.nodeRegistration?.taints).toBeUndefined();

    const { world } = joined;
    world.seen.length = 0;
    const spec = { joinConfiguration: { nodeRegistration: { name: 'w' }, controlPlane: {} } };
    await addMachine(world.user, 'w-1', { spec });
    await world.settle();
    expect(calls(world)).toEqual(['patch kubeadmconfigs/default/w-1/status']);
  });

  test('KC-100 worker join: payload -> kubeadm join, for no control plane, without a key of the cluster', () => {
    const text = decoded(joined.data, 'value');
    expect(text).toContain('kubeadm join --config');
    expect(text).not.toContain('controlPlane:');
    expect(text).not.toContain('PRIVATE KEY');
  });

  test('KC-101 worker join: rendered -> the bootstrap Secret holds it, and the status names the Secret', () => {
    const { config, data } = joined;
    expect(data.metadata.ownerReferences).toEqual([
      expect.objectContaining({ kind: 'KubeadmConfig', name: 'w-0', uid: config.metadata.uid, controller: true }),
    ]);
    expect(Object.keys(data.data).toSorted()).toEqual(['format', 'value']);
    expect(config.status).toMatchObject({ dataSecretName: 'w-0', initialization: { dataSecretCreated: true } });
  });
});

describe('kubeadmconfig worlds: discovery', () => {
  async function initialized(
    given: { readonly endpoint?: boolean; readonly kubeconfig?: string } = {},
  ): Promise<World> {
    const world = createWorld({ hasOwnWorkload: true });
    await create(world.user, cluster({ initialized: true, endpoint: given.endpoint ?? true }));
    await addClusterSecrets(world.user, given);
    return world;
  }

  test('KC-090 endpoint missing: looked at -> that line is logged', async () => {
    const world = await initialized({ endpoint: false });
    await addMachine(world.user, 'w-0');
    const operator = await world.start();
    await world.settle();
    expect(logged(operator)).toContain('Waiting for Cluster Controller to set Cluster.Spec.ControlPlaneEndpoint');
  });

  test('KC-108 file discovery: joins -> no token anywhere, not even a connection', async () => {
    const world = await initialized({ kubeconfig: 'broken' });
    const file = {
      kubeConfigPath: '/etc/kubernetes/discovery.conf',
      kubeConfig: { user: { exec: { command: '/x' } } },
    };
    await addMachine(world.user, 'w-0', { spec: { joinConfiguration: { discovery: { file } } } });
    await world.start();
    await world.settle();
    expect(await payload(world.user, 'w-0')).toContain('/etc/kubernetes/discovery.conf');
    expect(stateOf(await configOf(world.user, 'w-0'))).toBe('Done');
    expect((await configOf(world.user, 'w-0')).spec.joinConfiguration?.discovery?.bootstrapToken).toBeUndefined();
    expect(calls(world).filter((call) => call.includes('workload:'))).toEqual([]);
    expect(await tokens(world.remote)).toEqual([]);
  });

  test('KC-132 token cannot be made: refused, no connection -> the error says so, no data is made', async () => {
    const world = await initialized();
    world.setFaults({
      request: ({ verb, namespace }) =>
        verb === 'create' && namespace === 'kube-system' ? { kind: 'status', code: 403, message: 'no' } : undefined,
    });
    await addMachine(world.user, 'w-0');
    const operator = await world.start();
    await world.settle();
    const refused = 'failed to create new bootstrap token: ';
    expect(says(await configOf(world.user, 'w-0'), 'DataSecretAvailable')).toContain(`False NotAvailable ${refused}`);
    expect(operator.logs).toContainEqual(
      expect.objectContaining({ msg: 'Reconciler error', err: expect.stringContaining(refused) }),
    );
    expect(await exists(secretOf(world.user, 'w-0'))).toBe(false);

    const cut = await initialized({ kubeconfig: 'broken' });
    await addMachine(cut.user, 'w-0');
    await cut.start();
    await cut.settle();
    expect(says(await configOf(cut.user, 'w-0'), 'DataSecretAvailable')).toMatch(
      /^False NotAvailable connection to workload cluster default\/c1 is down: /,
    );
    expect(await exists(secretOf(cut.user, 'w-0'))).toBe(false);
  });

  test('KC-178 no token: endpoint or connection missing -> discovery is waited for, no token is made', async () => {
    for (const given of [{ endpoint: false }, { kubeconfig: 'broken' }]) {
      const world = await initialized(given);
      await addMachine(world.user, 'w-0');
      await world.start();
      await world.settle();
      const config = await configOf(world.user, 'w-0');
      expect(stateOf(config)).toBe('Joining');
      expect(config.spec.joinConfiguration?.discovery?.bootstrapToken?.caCertHashes).toHaveLength(1);
      expect(tokenOf(config)).toBe('');
      expect(await tokens(world.remote)).toEqual([]);
    }
  });

  test('KC-179 discovery possible at last: endpoint set -> the token is made, in spec, workload cluster and data alike', async () => {
    const world = await initialized({ endpoint: false });
    await addMachine(world.user, 'w-0');
    await world.start();
    await world.settle();
    await patch(world.user, 'Cluster', 'c1', { spec: { controlPlaneEndpoint: { host: 'h', port: 6443 } } });
    await world.settle();
    const token = tokenOf(await configOf(world.user, 'w-0'));
    expect(token).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}$/);
    const [made, ...others] = await tokens(world.remote);
    expect(others).toEqual([]);
    expect(`${decoded(made ?? {}, 'token-id')}.${decoded(made ?? {}, 'token-secret')}`).toBe(token);
    expect(await payload(world.user, 'w-0')).toContain(token);
  });

  test('data is there, token taken out of the spec, status lost: looked at -> a new token, and data with it', async () => {
    const world = await initialized();
    await addMachine(world.user, 'w-0');
    const first = await world.start();
    await world.settle();
    const before = tokenOf(await configOf(world.user, 'w-0'));
    first.kill();
    await patch(world.user, 'KubeadmConfig', 'w-0', {
      spec: { joinConfiguration: { discovery: { bootstrapToken: { token: null } } } },
    });
    await patchStatus(world.user, 'KubeadmConfig', 'w-0', {
      conditions: null,
      initialization: null,
      dataSecretName: null,
    });
    await world.start();
    await world.settle();
    const token = tokenOf(await configOf(world.user, 'w-0'));
    expect(token).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}$/);
    expect(token).not.toBe(before);
    expect(await payload(world.user, 'w-0')).toContain(token);
  });
});

describe('kubeadmconfig worlds: Secrets that the data is made from', () => {
  test('key missing in a file’s or a user’s Secret: looked at -> upstream’s text in v1beta1; Event and explanation name Secret, key, and file or user', async () => {
    const world = createWorld();
    await create(world.user, cluster({ initialized: true }));
    await addClusterSecrets(world.user);
    await create(world.user, secret('content', { other: 'x' }));
    const source = { secret: { name: 'content', key: 'wanted' } };
    const joins = { joinConfiguration: { nodeRegistration: { name: 'w' } } };
    await addMachine(world.user, 'w-0', { spec: { ...joins, files: [{ path: '/etc/x', contentFrom: source }] } });
    await addMachine(world.user, 'w-1', { spec: { ...joins, users: [{ name: 'admin', passwdFrom: source }] } });
    const operator = await world.start();
    await world.settle();
    const key = 'secret references non-existent secret key: "wanted"';
    const causes = [
      ['w-0', `failed to resolve file source: ${key}`, 'spec.files[0].contentFrom.secret for /etc/x'],
      ['w-1', `failed to resolve passwd source: ${key}`, 'spec.users[0].passwdFrom.secret for user admin'],
    ] as const;
    for (const [name, cause, place] of causes) {
      const legacy = (await configOf(world.user, name)).status?.deprecated?.v1beta1?.conditions ?? [];
      expect(legacy.find(({ type }) => type === 'DataSecretAvailable')?.message).toBe(cause);
      const whole = `${cause} (Secret default/content, ${place})`;
      expect(operator.events.map(({ message }) => message)).toContain(whole);
      const explanation = operator.controller.explain(`default/${name}`, null);
      expect(explanation?.waitsFor).toMatchObject({ kind: 'Secret', name: 'content', what: cause });
      expect(explanation?.lastError).toMatchObject({ message: cause, place });
    }
  });
});

describe('kubeadmconfig worlds: certificates that a KubeadmConfig owns', () => {
  /** A control plane whose CAs are the first KubeadmConfig's, as the Go provider leaves them. */
  async function inherited(): Promise<World> {
    const world = await createInitWorld();
    const { uid } = (await configOf(world.user, 'cp-0')).metadata;
    const owner = {
      apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
      kind: 'KubeadmConfig',
      name: 'cp-0',
      uid,
      controller: true,
      blockOwnerDeletion: true,
    };
    for (const name of ['c1-ca', 'c1-etcd', 'c1-proxy', 'c1-sa']) {
      await patch(world.user, 'Secret', name, { metadata: { ownerReferences: [owner] } });
    }
    return world;
  }

  const ownersOf = async (world: World): Promise<readonly string[]> => {
    const secrets = await Promise.all(
      ['c1-ca', 'c1-etcd', 'c1-proxy', 'c1-sa'].map((name) => secretOf(world.user, name)),
    );
    return secrets.map(({ metadata }) =>
      (metadata.ownerReferences ?? [])
        .map(({ kind, name, controller, blockOwnerDeletion }) =>
          [kind, name, controller === true ? 'controller' : '', blockOwnerDeletion === true ? 'blocks' : ''].join(' '),
        )
        .join(),
    );
  };
  const byCluster = ['Cluster c1  ', 'Cluster c1  ', 'Cluster c1  ', 'Cluster c1  '];

  test('KC-065 nothing stored yet: looked at -> the Cluster owns them before lock and data', async () => {
    const world = await inherited();
    await world.start();
    await world.settle();
    expect(await ownersOf(world)).toEqual(byCluster);
    const order = writes(world).filter((write) => !write.includes('kubeadmconfigs'));
    expect(order).toEqual([
      'patch secrets/default/c1-ca',
      'patch secrets/default/c1-sa',
      'patch secrets/default/c1-proxy',
      'patch secrets/default/c1-etcd',
      'create configmaps/default',
      'create secrets/default',
    ]);
  });

  test('KC-065 data stored, not initialised: owners put back -> the Cluster owns them while the state stays Initializing', async () => {
    const world = await inherited();
    const first = await world.start();
    await world.settle();
    await first.stop();
    const { uid } = (await configOf(world.user, 'cp-0')).metadata;
    const owner = { apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2', kind: 'KubeadmConfig', name: 'cp-0', uid };
    await patch(world.user, 'Secret', 'c1-ca', { metadata: { ownerReferences: [owner] } });
    world.seen.length = 0;
    await world.start();
    await world.settle();
    expect(await ownersOf(world)).toEqual(byCluster);
    expect(stateOf(await configOf(world.user, 'cp-0'))).toBe('Initializing');
    expect(writes(world).filter((write) => write.includes('secrets'))).toEqual(['patch secrets/default/c1-ca']);
    world.seen.length = 0;
    await patchStatus(world.user, 'Cluster', 'c1', clusterStatus({ initialized: true }));
    await world.settle();
    expect(writes(world)[0]).toBe('delete configmaps/default/c1-lock');
  });
});
