// Bugs that upstream's KubeadmConfig controller once had, by the numbers of docs/upstream-bugs.md, as far as no other test
// would find them.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { kubeadmConfigSpec } from '../../../src/api/kubeadmconfig/v1beta2.js';
import { certificateFiles } from '../../../src/bootstrap/certificates/certificate-files.js';
import { clusterFacts, loadCertificates } from '../../../src/bootstrap/bootstrap-data.js';
import { ownerOf } from '../../../src/controllers/kubeadmconfig/owner.js';
import { kinds, type StoredConfig, type StoredMachinePool } from '../../../src/controllers/kubeadmconfig/objects.js';
import { parseGoTime } from '../../../src/controllers/kubeadmconfig/time-text.js';
import {
  addClusterSecrets,
  addMachine,
  addPool,
  cluster,
  clusterStatus,
  config,
  create,
  decoded,
  machine,
  patch,
  patchStatus,
  pool,
  read,
  remove,
  tokens,
} from './objects.js';
import { calls, configOf, exists, lockOf, payload, says, secretOf, stateOf, tokenOf, writes } from './readings.js';
import { createInitWorld, createWorld, TTL_MS, type World } from './world.js';

/** An initialised cluster. */
async function initialized(): Promise<World> {
  const world = createWorld();
  await create(world.user, cluster({ initialized: true }));
  await addClusterSecrets(world.user);
  return world;
}

const tokenTarget = (name: string) => ({ resource: kinds.secret, namespace: 'kube-system', name });

describe('upstream bugs: tokens', () => {
  test('upstream bug 1: caches that lag behind our own writes -> one token, one data Secret', async () => {
    const world = await initialized();
    world.setFaults({ watchEvent: () => ({ kind: 'delay', ms: 20_000 }) });
    await world.start();
    await world.settle();
    world.setFaults({
      watchEvent: (info) =>
        ['kubeadmconfigs', 'secrets'].includes(info.resource) ? { kind: 'delay', ms: 20_000 } : undefined,
    });
    await addMachine(world.user, 'w-0');
    for (let second = 0; second < 60; second += 5) {
      await patch(world.user, 'Machine', 'w-0', { metadata: { annotations: { tick: String(second) } } });
      await world.clock.advance(5_000);
    }
    await world.settle();
    expect(await tokens(world.user)).toHaveLength(1);
    expect(writes(world).filter((write) => write === 'create secrets/default')).toHaveLength(1);
    expect(await payload(world.user, 'w-0')).toContain(tokenOf(await configOf(world.user, 'w-0')));
  });

  test('upstream bug 2: token of a pool gone between its reading and its extension -> a new token with new data', async () => {
    const world = await initialized();
    await addPool(world.user, 'p-0');
    await world.start();
    await world.settle();
    const before = tokenOf(await configOf(world.user, 'p-0'));
    world.setFaults({
      request: (info) =>
        info.verb === 'patch' && info.namespace === 'kube-system' ? { kind: 'delay', ms: 2_000 } : undefined,
    });
    await world.clock.advance(TTL_MS / 3 + 1_000);
    await remove(world.user, 'Secret', `bootstrap-token-${before.slice(0, 6)}`, 'kube-system');
    await world.clock.advance(5_000);
    await world.settle();
    const after = tokenOf(await configOf(world.user, 'p-0'));
    expect(after).not.toBe(before);
    expect(await payload(world.user, 'p-0')).toContain(after);
    expect((await tokens(world.user)).map(({ metadata }) => metadata.name)).toEqual([
      `bootstrap-token-${after.slice(0, 6)}`,
    ]);
  });

  test('upstream bug 4: pool -> joined once as many nodes as replicas are there; without replicas one is wanted', () => {
    const joined = (replicas: number | undefined, nodes: number): boolean => {
      const object = { ...(pool('p') as unknown as StoredMachinePool) };
      const { replicas: _, ...spec } = object.spec ?? {};
      const seen = {
        ...object,
        spec: { ...spec, ...(replicas === undefined ? {} : { replicas }) },
        status: { nodeRefs: Array.from({ length: nodes }, (__, index) => ({ name: `n-${index}` })) },
      } as unknown as StoredMachinePool;
      const named = config({ ...seen, metadata: { ...seen.metadata, uid: 'u' } }, 'p', {}) as unknown as StoredConfig;
      const nothing = (): undefined => undefined;
      const reader = {
        hasMachinePools: true,
        config: nothing,
        machine: nothing,
        machinePool: () => seen,
        cluster: nothing,
        secret: nothing,
        configMap: nothing,
      };
      return ownerOf(reader, named).hasJoined;
    };
    expect([joined(2, 1), joined(2, 2), joined(undefined, 0), joined(undefined, 1)]).toEqual([
      false,
      true,
      false,
      true,
    ]);
  });

  const worker = (token: string) => ({
    spec: { joinConfiguration: { discovery: { bootstrapToken: { token } } } },
  });

  test('upstream bug 9: a token of the user’s -> the data has it, and no other is made', async () => {
    const world = await initialized();
    await addMachine(world.user, 'w-0', worker('abcdef.0123456789abcdef'));
    await world.start();
    await world.settle();
    expect(await payload(world.user, 'w-0')).toContain('token: abcdef.0123456789abcdef');
    const { metadata, ...rest } = await configOf(world.user, 'w-0');
    expect([tokenOf({ metadata, ...rest }), metadata.annotations]).toEqual(['abcdef.0123456789abcdef', undefined]);
    expect(await tokens(world.user)).toEqual([]);
  });

  test('upstream bug 9: a malformed token of the user’s -> said on the object, without showing it', async () => {
    const world = await initialized();
    await addMachine(world.user, 'w-0', worker('bogus-hunter2'));
    const operator = await world.start();
    await world.settle();
    await world.clock.advance(TTL_MS);
    await world.settle();
    const said = operator.events.map(({ type, reason, message }) => `${type} ${reason} ${message}`).join('\n');
    expect(said).toContain(
      'Warning TokenFailed spec.joinConfiguration.discovery.bootstrapToken.token was not of the form',
    );
    expect(said + JSON.stringify((await configOf(world.user, 'w-0')).status)).not.toContain('bogus-hunter2');
    expect(await tokens(world.user)).toEqual([]);
  });

  test('upstream bug 10: token of ours without an expiry -> gets one at the next look', async () => {
    const world = await initialized();
    await addMachine(world.user, 'w-0');
    await world.start();
    await world.settle();
    const [token] = await tokens(world.user);
    await world.user.mergePatch(tokenTarget(token?.metadata.name ?? ''), { data: { expiration: null } });
    await world.clock.advance(TTL_MS / 3);
    await world.settle();
    const [extended] = await tokens(world.user);
    expect(parseGoTime(decoded(extended ?? {}, 'expiration'))).toBeGreaterThan(world.clock.nowMs());
  });

  test('upstream bug 11: twelve Machines whose nodes come hours later -> every token is alive all the time', async () => {
    const world = await initialized();
    const names = Array.from({ length: 12 }, (_, index) => `w-${index}`);
    for (const name of names) await addMachine(world.user, name);
    await world.start();
    await world.settle();
    for (let quarter = 0; quarter < 12; quarter += 1) {
      await world.clock.advance(TTL_MS);
      await world.settle();
      const ends = (await tokens(world.user)).map((token) => parseGoTime(decoded(token, 'expiration')) ?? 0);
      expect(ends).toHaveLength(12);
      expect(Math.min(...ends)).toBeGreaterThan(world.clock.nowMs());
    }
  });
});

describe('upstream bugs: init lock', () => {
  test('upstream bug 14: a control plane that fails, while another holds the lock -> the lock stays', async () => {
    const world = await createInitWorld();
    await world.start();
    await world.settle();
    const { uid } = (await lockOf(world.user)).metadata;
    await addMachine(world.user, 'cp-1', {
      controlPlane: true,
      spec: { files: [{ path: '/x', contentFrom: { secret: { name: 'nowhere', key: 'k' } } }] },
    });
    await world.settle();
    await world.clock.advance(120_000);
    await world.settle();
    expect((await lockOf(world.user)).metadata.uid).toBe(uid);
    expect(writes(world).filter((write) => write.startsWith('delete configmaps'))).toEqual([]);
  });

  test('upstream bug 15: somebody patches the KubeadmConfig while it initialises -> one init, and the change is kept', async () => {
    const world = await createInitWorld();
    world.setFaults({
      request: (info) =>
        info.verb === 'create' && info.resource === 'configmaps' ? { kind: 'delay', ms: 2_000 } : undefined,
    });
    await world.start();
    await world.settle();
    await patch(world.user, 'KubeadmConfig', 'cp-0', {
      metadata: { labels: { theirs: 'yes' } },
      spec: { verbosity: 3 },
    });
    await world.clock.advance(10_000);
    await world.settle();
    const object = await configOf(world.user, 'cp-0');
    expect(object.metadata.labels).toMatchObject({ theirs: 'yes' });
    expect(object.status?.initialization?.dataSecretCreated).toBe(true);
    expect(await payload(world.user, 'cp-0')).toContain('--v 3');
    expect(stateOf(object)).toBe('Initializing');
  });

  test('upstream bug 19: first control plane without init and cluster configuration -> init data; a later one joins', async () => {
    const world = createWorld();
    await create(world.user, cluster());
    await addClusterSecrets(world.user);
    await addMachine(world.user, 'cp-0', { controlPlane: true, spec: { verbosity: 1 } });
    await world.start();
    await world.settle();
    expect(await payload(world.user, 'cp-0')).toContain('kubeadm init');
    await patchStatus(world.user, 'Cluster', 'c1', clusterStatus({ initialized: true }));
    await addMachine(world.user, 'cp-1', { controlPlane: true, spec: { verbosity: 1 } });
    await world.settle();
    expect(await payload(world.user, 'cp-1')).toContain('kubeadm join');
  });
});

describe('upstream bugs: rendering', () => {
  test('upstream bug 23: paths of certificates -> with slashes, wherever this runs', () => {
    const facts = clusterFacts(cluster() as never);
    const data = { 'tls.crt': 'Yw==', 'tls.key': 'aw==' };
    const secrets = new Map(
      ['ca', 'sa', 'proxy', 'etcd'].map((purpose) => [`c1-${purpose}`, { kind: 'found', data } as const]),
    );
    const loaded = loadCertificates('init', {
      cluster: facts,
      spec: { clusterConfiguration: { certificatesDir: '/x/pki' } },
      secrets,
    });
    const paths = loaded.kind === 'loaded' ? certificateFiles(loaded.certificates).map(({ path }) => path) : [];
    expect(paths).toEqual(expect.arrayContaining(['/x/pki/ca.crt', '/x/pki/etcd/ca.key', '/x/pki/front-proxy-ca.crt']));
    expect(paths.join()).not.toContain('\\');
    // Where this runs a slash is the separator: what makes paths must not ask for that of its own system.
    const sources = readdirSync('src/bootstrap', { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const imports = sources.flatMap((name) =>
      [...readFileSync(`src/bootstrap/${name}`, 'utf8').matchAll(/import (.+) from '(?:node:)?path(?:\/\w+)?'/g)].map(
        ([, what]) => what,
      ),
    );
    expect(imports).toEqual(['{ posix }']);
  });

  test('upstream bug 27: experimental retry join -> is no field, and no such script is written', async () => {
    expect(Object.keys(kubeadmConfigSpec.properties ?? {})).not.toContain('useExperimentalRetryJoin');
    const world = await initialized();
    await addMachine(world.user, 'w-0');
    await world.start();
    await world.settle();
    expect(await payload(world.user, 'w-0')).not.toMatch(/retry/i);
  });

  test('upstream bug 39: what says that kubeadm succeeded -> is written only after kubeadm did', async () => {
    const world = await initialized();
    await addMachine(world.user, 'w-0', { spec: { postKubeadmCommands: ['after'] } });
    const ignition = { format: 'ignition', postKubeadmCommands: ['after'] };
    await addMachine(world.user, 'w-1', { spec: ignition });
    await world.start();
    await world.settle();
    const command = (await payload(world.user, 'w-0')).split('\n').find((line) => line.includes('kubeadm join')) ?? '';
    expect(command).toMatch(/kubeadm join [^&;]*&& echo success > \/run\/cluster-api\/bootstrap-success\.complete/);
    const text = decodeURIComponent(await payload(world.user, 'w-1'));
    expect(text.indexOf('kubeadm join')).toBeGreaterThan(0);
    expect(text.indexOf('bootstrap-success.complete')).toBeGreaterThan(text.indexOf('kubeadm join'));
    expect(text).toContain('set -e');
  });
});

describe('upstream bugs: data that comes late', () => {
  test('upstream bug 78: data could not be rendered until its token had run out -> the data that comes carries a token that lives', async () => {
    const world = createWorld({ hasOwnWorkload: true });
    await create(world.user, cluster({ initialized: true }));
    await addClusterSecrets(world.user);
    const users = [{ name: 'u', passwdFrom: { secret: { name: 'late', key: 'k' } } }];
    await addMachine(world.user, 'w-0', { spec: { joinConfiguration: { nodeRegistration: { name: 'w' } }, users } });
    const operator = await world.start();
    await world.settle();
    const token = tokenOf(await configOf(world.user, 'w-0'));
    const name = `bootstrap-token-${token.split('.')[0]}`;
    await world.clock.advance(TTL_MS / 2);
    await world.remote.delete(tokenTarget(name));
    await world.clock.advance(TTL_MS);
    await create(world.user, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'late', namespace: 'default' },
      data: { k: 'eA==' },
    });
    await world.settle(operator);
    expect(await payload(world.user, 'w-0')).toContain(tokenOf(await configOf(world.user, 'w-0')));
    const [living] = await tokens(world.remote);
    if (living === undefined) throw new Error('there is no token');
    expect(await payload(world.user, 'w-0')).toContain(`${decoded(living, 'token-id')}.`);
    expect(Date.parse(decoded(living, 'expiration')) - world.clock.nowMs()).toBeGreaterThan((TTL_MS * 4) / 5);
  });
});

describe('upstream bugs: ownership, pause', () => {
  test('upstream bug 41: data Secret of another controller -> its owner references stay as they are', async () => {
    const world = await initialized();
    const theirs = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', uid: 'u', controller: true };
    await create(world.user, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'w-0', namespace: 'default', ownerReferences: [theirs] },
    });
    await addMachine(world.user, 'w-0');
    await world.start();
    await world.settle();
    await world.clock.advance(60_000);
    await world.settle();
    expect((await secretOf(world.user, 'w-0')).metadata.ownerReferences).toEqual([theirs]);
    expect(says(await configOf(world.user, 'w-0'), 'DataSecretAvailable')).toContain('controlled by Deployment web');
  });

  test('upstream bug 45: an empty dataSecretName -> is none, and data is made', async () => {
    const world = await initialized();
    const { spec, ...rest } = machine('w-0') as { readonly spec: { readonly bootstrap: object } };
    const empty = { ...rest, spec: { ...spec, bootstrap: { ...spec.bootstrap, dataSecretName: '' } } };
    const owner = await create(world.user, empty);
    await create(world.user, config(owner, 'w-0', { verbosity: 1 }));
    await world.start();
    await world.settle();
    expect((await configOf(world.user, 'w-0')).status?.dataSecretName).toBe('w-0');
  });

  test('upstream bug 46: paused -> one condition is written once, then nothing, whatever else changes', async () => {
    const world = createWorld();
    await create(world.user, cluster({ initialized: true, spec: { paused: true } }));
    await addClusterSecrets(world.user);
    await addMachine(world.user, 'w-0');
    await world.start();
    await world.settle();
    expect(writes(world)).toEqual(['patch kubeadmconfigs/default/w-0/status']);
    world.seen.length = 0;
    await patch(world.user, 'Machine', 'w-0', { metadata: { annotations: { a: 'b' } } });
    await world.clock.advance(3_600_000);
    await world.settle();
    expect(calls(world)).toEqual([]);
    expect(await exists(read(world.user, 'Secret', 'w-0'))).toBe(false);
  });
});
