// The Machine controller as a process of its own, on a real API server that plays the management and the workload cluster.
//
// A bare API server has no controllers: what kubelets, providers, disruption and attach/detach controllers do is played here.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { bootstrapDefinitions, coreDefinitions } from '../../src/embedded/crds.js';
import type { FullApiClient } from '../../src/kube/client.js';
import { seededRandom } from '../../src/cli/seeded-random.js';
import { providerDefinitions } from '../unit/machine/definitions.js';
import { allowDisruptions, at, put, putBudget, putCluster } from '../unit/machine/objects.js';
import type { World } from '../unit/machine/world.js';
import { printedSeed, sized } from '../test-size.js';
import type { ApiProxy } from '../worlds/api-proxy.js';
import {
  attachVolume,
  createWorker,
  detachVolume,
  earlyDeletion,
  hooks,
  leftovers,
  putKubeconfig,
  read,
  runPod,
  saying,
  startPlayers,
  type Players,
} from '../worlds/machine-world.js';
import { bundle, pause, startOperatorProcess, until, type OperatorProcess } from '../worlds/operator-process.js';
import { startProxiedServer, type ProxiedServer } from './proxied-server.js';

jest.setTimeout(3_600_000);

const seed = printedSeed('machine worlds');
const random = seededRandom(seed);
const between = (least: number, most: number): number => least + Math.floor(random.next() * (most - least + 1));

let proxied: ProxiedServer | null = null;
let client: FullApiClient;
let proxy: ApiProxy;
let kubeconfigFile: string;
let operator: OperatorProcess | null = null;
let players: Players | null = null;
const violations: string[] = [];

beforeAll(async () => {
  proxied = await startProxiedServer([...coreDefinitions, ...bootstrapDefinitions, ...providerDefinitions]);
  const { kubeconfig } = proxied;
  ({ client, proxy, kubeconfigFile } = proxied);
  await putCluster({ user: client } as unknown as World);
  await putKubeconfig(client, kubeconfig);
}, 180_000);

afterEach(async () => {
  proxy.disturb({});
  await operator?.kill();
  operator = null;
  await players?.stop();
  players = null;
  violations.length = 0;
});

afterAll(async () => {
  await proxied?.stop();
});

const start = (): OperatorProcess => startOperatorProcess(kubeconfigFile, ['--controllers=machine']);
const remove = (name: string): Promise<unknown> => client.delete(at('Machine', name));
const reached = (name: string, field: 'state' | 'phase' | 'deleting', value: string, withinMs = 60_000) =>
  until(
    `${name}: ${field} ${value}`,
    () => saying(client, name),
    (seen) => seen[field] === value,
    withinMs,
  );
/** What the command says that a Machine waits for, and what would let it go on. */
async function explained(name: string): Promise<{ readonly what: string; readonly unblocks: string }> {
  const args = [bundle, 'explain', `machine/${name}`, '-n', 'default', `--kubeconfig=${kubeconfigFile}`, '-o', 'json'];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { waitsFor, unblocks } = JSON.parse(stdout) as { waitsFor: { what: string } | null; unblocks: string };
  return { what: waitsFor?.what ?? '', unblocks };
}
const judge = async (request: Parameters<typeof earlyDeletion>[1]): Promise<void> => {
  const violation = await earlyDeletion(client, request);
  if (violation !== null) violations.push(violation);
};
const play = (names: readonly string[], playsPeople = true): Players =>
  startPlayers({ client, delayMs: () => between(0, 250), isOurs: (name) => names.includes(name), playsPeople });

describe('Machines on a real API server', () => {
  test('a whole life: hooks, a budget that is lifted, a volume -> Pending to gone, each thing in its turn', async () => {
    const name = 'whole';
    proxy.disturb({ before: async (request) => (await judge(request), true) });
    operator = start();
    await createWorker(client, name, { hooks: ['preDrain', 'preTerminate'] });
    await reached(name, 'phase', 'Pending');
    players = play([name], false);
    await reached(name, 'phase', 'Running');
    await runPod(client, 'web', name);
    await attachVolume(client, `${name}-data`, name);
    await putBudget({ remote: client }, 'web', 'web', 0);
    await remove(name);
    expect((await reached(name, 'deleting', 'WaitingForPreDrainHook')).message).toBe(
      `Waiting for pre-drain hooks to succeed (hooks: ${hooks.preDrain})`,
    );
    await client.mergePatch(at('Machine', name), { metadata: { annotations: { [hooks.preDrain]: null } } });
    const refused = await until(
      'the budget refuses',
      () => saying(client, name),
      (seen) => seen.message.includes('disruption budget'),
    );
    expect(refused.message.split('\n').slice(1)).toEqual([
      "* Pod default/web: cannot evict pod as it would violate the pod's disruption budget. The disruption budget web needs 1 healthy pods and has 1 currently",
    ]);
    expect(await explained(name)).toEqual({
      what: 'PDB default/web allows 0 disruptions; Pods default/web',
      unblocks: expect.stringContaining('machine.cluster.x-k8s.io/exclude-node-draining'),
    });
    await allowDisruptions({ remote: client }, 'web', 1);
    await until(
      'the Pod is evicted',
      () => read(client, 'Pod', 'web'),
      (pod) => pod?.metadata.deletionTimestamp !== undefined,
      40_000,
    );
    await client.delete(at('Pod', 'web'), { gracePeriodSeconds: 0 });
    expect((await reached(name, 'deleting', 'WaitingForVolumeDetach', 10_000)).message.split('\n').slice(1)).toEqual([
      `* PersistentVolumeClaims: default/${name}-data`,
    ]);
    expect((await explained(name)).what).toBe(`to be detached: PersistentVolumeClaims: default/${name}-data`);
    await detachVolume(client, `${name}-data`, name);
    await reached(name, 'deleting', 'WaitingForPreTerminateHook', 10_000);
    expect(await read(client, 'InfraMachine', name)).toMatchObject({ metadata: { name } });
    await client.mergePatch(at('Machine', name), { metadata: { annotations: { [hooks.preTerminate]: null } } });
    await reached(name, 'state', 'gone');
    expect(await leftovers(client, [name])).toEqual([]);
    expect(violations).toEqual([]);
  });

  test('rules: an order, a skip and a wait -> Pods go in order, the skipped one stays with its Node', async () => {
    const name = 'ruled';
    operator = start();
    await createWorker(client, name);
    players = play([name], false);
    await reached(name, 'phase', 'Running');
    const rule = (of: string, drain: object) =>
      put(client, 'MachineDrainRule', of, { spec: { drain, pods: [{ selector: { matchLabels: { app: of } } }] } });
    await rule('later', { behavior: 'Drain', order: 10 });
    await rule('stays', { behavior: 'Skip' });
    await rule('job', { behavior: 'WaitCompleted' });
    for (const pod of ['first', 'later', 'stays', 'job']) await runPod(client, pod, name);
    await remove(name);
    const first = await until(
      'the first Pod is evicted',
      () => saying(client, name),
      (seen) => seen.message.includes('deletionTimestamp set'),
    );
    expect(first.message.split('\n').slice(1)).toEqual([
      '* Pod default/first: deletionTimestamp set, but still not removed from the Node',
      '* Pod default/job: waiting for completion',
      'After above Pods have been removed from the Node, the following Pods will be evicted: default/later',
    ]);
    const end = (pod: string) => client.delete(at('Pod', pod), { gracePeriodSeconds: 0 });
    await end('first');
    await end('job');
    await until(
      'the later Pod is evicted',
      () => read(client, 'Pod', 'later'),
      (pod) => pod?.metadata.deletionTimestamp !== undefined,
      40_000,
    );
    await end('later');
    await reached(name, 'state', 'gone', 40_000);
    expect((await read(client, 'Pod', 'stays'))?.metadata.deletionTimestamp).toBeUndefined();
    await end('stays');
  });

  test('SIGKILL in every state: whenever one is first seen -> everything goes in its turn all the same', async () => {
    const name = 'states';
    const killedIn = new Set<string>();
    proxy.disturb({ before: async (request) => (await judge(request), true) });
    operator = start();
    await createWorker(client, name, { hooks: ['preDrain', 'preTerminate'] });
    const killIn = async (state: string, next: () => Promise<unknown>): Promise<void> => {
      await reached(name, 'state', state);
      await operator?.kill();
      killedIn.add(state);
      operator = start();
      await next();
    };
    await killIn('Pending', () =>
      client.mergePatch(
        at('KubeadmConfig', name),
        { status: { dataSecretName: name, initialization: { dataSecretCreated: true } } },
        { subresource: 'status' },
      ),
    );
    await killIn('Provisioning', async () => void (players = play([name], false)));
    await killIn('Running', async () => {
      await runPod(client, 'states-web', name);
      await attachVolume(client, `${name}-data`, name);
      await client.mergePatch(at('Machine', name), {
        metadata: { finalizers: ['machine.cluster.x-k8s.io', 'example.com/last'] },
      });
      await players?.stop();
      await remove(name);
    });
    await killIn('PreDrainHooks', () =>
      client.mergePatch(at('Machine', name), { metadata: { annotations: { [hooks.preDrain]: null } } }),
    );
    await killIn('Draining', () => client.delete(at('Pod', 'states-web'), { gracePeriodSeconds: 0 }));
    await killIn('DetachingVolumes', () => detachVolume(client, `${name}-data`, name));
    await killIn('PreTerminateHooks', () =>
      client.mergePatch(at('Machine', name), { metadata: { annotations: { [hooks.preTerminate]: null } } }),
    );
    const free = (kind: string) => () => client.mergePatch(at(kind, name), { metadata: { finalizers: null } });
    await killIn('DeletingInfrastructure', free('InfraMachine'));
    let refusesNodes = true;
    proxy.disturb({
      before: async (request) => (
        await judge(request),
        !(refusesNodes && request.method === 'DELETE' && request.path.includes('/nodes/'))
      ),
    });
    await client.mergePatch(at('Machine', name), { spec: { deletion: { nodeDeletionTimeoutSeconds: 3600 } } });
    await killIn('DeletingBootstrap', free('KubeadmConfig'));
    await killIn('DeletingNode', async () => void (refusesNodes = false));
    await killIn('RemovingFinalizer', () => client.mergePatch(at('Machine', name), { metadata: { finalizers: null } }));
    await reached(name, 'state', 'gone');
    expect(await leftovers(client, [name])).toEqual([]);
    expect(violations).toEqual([]);
    expect(killedIn.size).toBe(11);
  });

  test('SIGKILL at random: before and after writes of Machines that come and go -> nothing is deleted early', async () => {
    const kills = sized(20, 200);
    const counts = { kills: 0, rounds: 0, machines: 0 };
    const byKind = new Map<string, number>();
    while (counts.kills < kills) {
      const { made, struck } = await round(`k${counts.rounds}`, Math.min(10, kills - counts.kills));
      counts.kills += struck.length;
      counts.machines += made;
      counts.rounds += 1;
      for (const each of struck) byKind.set(each, (byKind.get(each) ?? 0) + 1);
      expect({ round: counts.rounds, violations }).toEqual({ round: counts.rounds, violations: [] });
    }
    const kinds = [...byKind].toSorted().map(([kind, count]) => `${kind} ${count}`);
    process.stdout.write(`machine worlds: ${JSON.stringify(counts)}; killed at: ${kinds.join(', ')}\n`);
    expect(counts.kills).toBeGreaterThanOrEqual(kills);
  });
});

/** One batch of Machines from their creation to their end, with so many kills in between. */
async function round(
  prefix: string,
  kills: number,
): Promise<{ readonly made: number; readonly struck: readonly string[] }> {
  const names = Array.from({ length: 3 }, (_, index) => `${prefix}-${index}`);
  const struck: string[] = [];
  // Half of the kills while the Machines come, the other half while they go.
  let allowed = Math.floor(kills / 2);
  const gap = (): number => (allowed === kills ? between(4, 24) : between(1, 8));
  let toNext = gap();
  let when: 'before' | 'after' = 'before';
  const restart = async (request: { method: string; path: string }): Promise<false> => {
    struck.push(`${when} ${request.method} ${kindOf(request.path)}`);
    toNext = gap();
    when = random.next() < 0.5 ? 'before' : 'after';
    const killed = operator;
    operator = null;
    await killed?.kill();
    operator = start();
    return false;
  };
  /** Deletions are rare among the writes and count for more. */
  const isStruck = (now: 'before' | 'after', { isWrite, method }: { isWrite: boolean; method: string }): boolean => {
    if (!isWrite || operator === null || struck.length >= allowed || now !== when) return false;
    toNext -= method === 'DELETE' ? 5 : 1;
    return toNext <= 0;
  };
  proxy.disturb({
    async before(request) {
      if (isStruck('before', request)) return restart(request);
      await judge(request);
      return true;
    },
    after: (request) => (isStruck('after', request) ? restart(request) : true),
  });
  await operator?.kill();
  operator = start();
  players = play(names);
  await Promise.all(names.map((name) => createWorker(client, name, { hooks: ['preDrain', 'preTerminate'] })));
  await Promise.all(names.map((name) => reached(name, 'phase', 'Running', 120_000)));
  for (const name of names) {
    await runPod(client, `${name}-pod`, name);
    await attachVolume(client, `${name}-data`, name);
  }
  allowed = kills;
  toNext = gap();
  await Promise.all(names.map(remove));
  await Promise.all(names.map((name) => reached(name, 'state', 'gone', 240_000)));
  violations.push(...(await leftovers(client, names)), ...players.problems);
  await players.stop();
  await pause(0);
  return { made: names.length, struck };
}

/** `machines/status` of a path, without names. */
function kindOf(path: string): string {
  const parts = path.split('/').slice(path.startsWith('/api/') ? 3 : 4);
  const plain = parts[0] === 'namespaces' && parts.length > 2 ? parts.slice(2) : parts;
  return [plain[0], ...plain.slice(2)].join('/');
}
