// `--shadow` beside a provider that runs: everything is decided and told, nothing is written, and nothing secret is told.
import { describe, expect, test } from '@jest/globals';
import {
  addClusterSecrets,
  addMachine,
  addPool,
  cluster,
  create,
  decoded,
  patch,
  patchStatus,
  secret,
  tokens,
} from './objects.js';
import { configOf, payload, secretOf, tokenOf, writes } from './readings.js';
import { createWorld, TTL_MS, type Operator, type World } from './world.js';

/** A line of the log: what would have been written. */
interface Told {
  readonly verb: string;
  readonly kind: string;
  readonly object: string;
  readonly subresource?: string;
  readonly outcome: 'agrees' | 'differs' | 'unknown';
  readonly fields: readonly string[];
  readonly differing: readonly string[] | null;
}

const told = ({ logs }: Operator): readonly Told[] =>
  logs.filter(({ msg, v }) => msg === 'Would write' && v === 0) as unknown as readonly Told[];
const line = ({ verb, kind, object, subresource, outcome }: Told): string =>
  [verb, kind, object, subresource ?? '', outcome].filter((part) => part !== '').join(' ');

/** Lets a provider do all of its work, and leaves behind what the Go provider would have written. */
async function provided(world: World, names: readonly string[]): Promise<void> {
  const provider = await world.start();
  await world.settle();
  provider.kill();
  for (const name of names) {
    const { status } = await configOf(world.user, name);
    const mark = { 'kubeadm-bootstrap-operator/token': null };
    await patch(world.user, 'KubeadmConfig', name, { metadata: { annotations: mark } });
    await patch(world.user, 'Secret', name, { metadata: { annotations: mark } });
    await patchStatus(world.user, 'KubeadmConfig', name, {
      conditions: status?.conditions?.filter(({ type }) => type !== 'ActorState'),
    });
  }
  world.seen.length = 0;
}

/** Starts a shadow, lets it settle, and proves that nothing moved on any server. */
async function shadowed(world: World): Promise<Operator> {
  const before = [world.server.store.revision(), world.workload.store.revision()];
  const operator = await world.start({ shadow: true });
  await world.settle();
  await world.clock.advance(2 * TTL_MS);
  await world.settle();
  expect(writes(world)).toEqual([]);
  expect([world.server.store.revision(), world.workload.store.revision()]).toEqual(before);
  return operator;
}

/** No part of a token, key or data is in the logs. */
async function expectNoSecret(world: World, operator: Operator, names: readonly string[]): Promise<void> {
  const logs = JSON.stringify(operator.logs);
  const values = [decoded(await secretOf(world.user, 'c1-ca'), 'tls.key').slice(40, 100)];
  for (const name of names) {
    const token = tokenOf(await configOf(world.user, name)).split('.')[1] ?? '';
    values.push(token, (await secretOf(world.user, name)).data['value']?.slice(200, 260) ?? '');
  }
  for (const { data } of await tokens(world.remote)) values.push(data['token-secret'] ?? '');
  for (const value of values.filter((each) => each !== '')) expect(logs).not.toContain(value);
}

describe('shadow mode: beside a provider', () => {
  test('objects of the Go provider -> their data agrees, differing fields are told by path, nothing is written', async () => {
    const world = createWorld({ hasOwnWorkload: true });
    await create(world.user, cluster({ initialized: true }));
    await addClusterSecrets(world.user);
    await addMachine(world.user, 'w-0');
    await addMachine(world.user, 'cp-1', { controlPlane: true });
    await provided(world, ['w-0', 'cp-1']);
    const operator = await shadowed(world);
    for (const name of ['w-0', 'cp-1']) {
      const mine = told(operator).filter(({ object }) => object === `default/${name}`);
      expect(mine.filter(({ kind }) => kind === 'Secret')).toEqual([
        expect.objectContaining({ outcome: 'agrees', fields: ['data.value', 'data.format'], differing: [] }),
      ]);
      expect(mine.filter(({ subresource }) => subresource === 'status')).toEqual([
        expect.objectContaining({ verb: 'patch', outcome: 'differs', differing: ['status.conditions'] }),
      ]);
    }
    await expectNoSecret(world, operator, ['w-0', 'cp-1']);
  });

  test('data that differs -> told as data.value, without a byte of it', async () => {
    const world = createWorld({ hasOwnWorkload: true });
    await create(world.user, cluster({ initialized: true }));
    await addClusterSecrets(world.user);
    await addMachine(world.user, 'w-0');
    await provided(world, ['w-0']);
    const value = Buffer.from(`${await payload(world.user, 'w-0')}# canary-of-the-data\n`).toString('base64');
    await patch(world.user, 'Secret', 'w-0', { data: { value } });
    const operator = await shadowed(world);
    expect(told(operator).map(({ kind, differing }) => [kind, ...(differing ?? [])])).toEqual([
      ['Secret', 'data.value'],
      ['KubeadmConfig', 'status.conditions'],
      ['KubeadmConfig', 'metadata.annotations[kubeadm-bootstrap-operator/token]'],
      ['Secret', 'data.expiration'],
    ]);
    expect(JSON.stringify(operator.logs)).not.toContain('canary-of-the-data');
  });

  test('init data of the Go provider, its lock left over -> agrees; releasing the lock is told', async () => {
    const world = createWorld({ hasOwnWorkload: true });
    await create(world.user, cluster());
    await addClusterSecrets(world.user);
    await addMachine(world.user, 'cp-0', { controlPlane: true });
    await provided(world, ['cp-0']);
    await patchStatus(world.user, 'Cluster', 'c1', {
      initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true },
      conditions: [
        {
          type: 'ControlPlaneInitialized',
          status: 'True',
          reason: 'Initialized',
          message: '',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    });
    const operator = await shadowed(world);
    expect(told(operator).map(line)).toContain('patch Secret default/cp-0 agrees');
    expect(told(operator).map(line)).toContain('delete ConfigMap default/c1-lock differs');
    await expectNoSecret(world, operator, ['cp-0']);
  });
});

describe('shadow mode: before the provider', () => {
  test('worker and pool without a token -> the whole join is told with a placeholder, nothing is written', async () => {
    const world = createWorld({ hasOwnWorkload: true });
    await create(world.user, cluster({ initialized: true }));
    await addClusterSecrets(world.user);
    await addMachine(world.user, 'w-0');
    await addPool(world.user, 'p-0');
    const operator = await shadowed(world);
    const lines = told(operator).map(line);
    for (const name of ['w-0', 'p-0']) {
      expect([...new Set(lines.filter((each) => each.includes(`default/${name}`)))]).toEqual([
        `patch KubeadmConfig default/${name} differs`,
        `create Secret default/${name} differs`,
        `patch KubeadmConfig default/${name} status differs`,
      ]);
    }
    expect(lines).toContain('create Secret kube-system/bootstrap-token-shadow differs');
    const spec = told(operator).find(({ kind, subresource }) => kind === 'KubeadmConfig' && subresource === undefined);
    expect(spec?.fields).toEqual(
      expect.arrayContaining([
        'spec.joinConfiguration.discovery.bootstrapToken.token',
        'spec.joinConfiguration.discovery.bootstrapToken.caCertHashes',
        'spec.joinConfiguration.discovery.bootstrapToken.apiServerEndpoint',
      ]),
    );
    expect(JSON.stringify(operator.logs)).not.toContain('placeholder');
    expect(operator.controller.markedTokensWithoutData()).toBe(0);
  });

  test('a token of the spec -> is used, and looked for nowhere', async () => {
    const world = createWorld({ hasOwnWorkload: true });
    await create(world.user, cluster({ initialized: true }));
    await addClusterSecrets(world.user);
    const token = 'abcdef.0123456789abcdef';
    await addMachine(world.user, 'w-0', {
      spec: { joinConfiguration: { discovery: { bootstrapToken: { token } } } },
    });
    const operator = await shadowed(world);
    expect(told(operator).map(line)).not.toContainEqual(expect.stringContaining('bootstrap-token-'));
    expect(told(operator).map(line)).toContain('create Secret default/w-0 differs');
    expect(JSON.stringify(operator.logs)).not.toContain('0123456789abcdef');
  });

  test('first control plane -> lock, certificates, data and status are told; no key is made', async () => {
    const world = createWorld({ hasOwnWorkload: true });
    await create(world.user, cluster());
    await addMachine(world.user, 'cp-0', { controlPlane: true });
    const operator = await shadowed(world);
    const lines = [...new Set(told(operator).map(line))];
    expect(lines).toEqual(
      expect.arrayContaining([
        'create ConfigMap default/c1-lock differs',
        ...['c1-ca', 'c1-sa', 'c1-proxy', 'c1-etcd'].map((name) => `create Secret default/${name} differs`),
        'create Secret default/cp-0 differs',
        'patch KubeadmConfig default/cp-0 status differs',
      ]),
    );
    expect(JSON.stringify(operator.logs)).not.toMatch(/BEGIN|PLACEHOLDER/);
  });

  test('a write that asks for the next look at once -> no busy loop, and told once', async () => {
    const world = createWorld({ hasOwnWorkload: true });
    await create(world.user, cluster({ initialized: true }));
    await addClusterSecrets(world.user);
    await addMachine(world.user, 'w-0');
    await create(world.user, secret('w-0', { value: 'x', format: 'cloud-config' }));
    const operator = await world.start({ shadow: true });
    await world.settle();
    await world.clock.advance(10 * 60_000);
    await world.settle();
    const repairs = operator.transitions.filter(({ key, event }) => key === 'default/w-0' && event === 'OBSERVED');
    expect(repairs.length).toBeGreaterThan(0);
    expect(repairs.length).toBeLessThanOrEqual(12);
    const texts = told(operator).map((each) => `${line(each)}: ${each.differing?.join()}`);
    expect(texts[0]).toBe('patch Secret default/w-0 differs: metadata.ownerReferences');
    expect(new Set(texts).size).toBe(texts.length);
    expect(writes(world)).toEqual([]);
  });
});
