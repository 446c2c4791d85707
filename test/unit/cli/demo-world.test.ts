// What `demo -f FILE` makes of a person's own manifests.
import { afterEach, describe, expect, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDemo } from '../../../src/cli/demo-flags.js';
import { startDemoWorld, type DemoWorld } from '../../../src/cli/demo-world.js';
import { seededRandom } from '../../../src/cli/seeded-random.js';
import { systemClock } from '../../../src/system.js';

const folders: string[] = [];
let world: DemoWorld | undefined;

afterEach(async () => {
  await world?.close();
  world = undefined;
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function started(text: string): Promise<DemoWorld> {
  const folder = mkdtempSync(join(tmpdir(), 'demo-world-'));
  folders.push(folder);
  const file = join(folder, 'own.yaml');
  writeFileSync(file, text);
  world = await startDemoWorld(parseDemo([`-f=${file}`]), {
    clock: systemClock,
    random: seededRandom(1),
    onNote: () => undefined,
  });
  return world;
}

async function read(path: string): Promise<unknown> {
  const response = await world?.management.handle({
    method: 'GET',
    url: path,
    headers: { accept: 'application/json' },
  });
  return JSON.parse(typeof response?.body === 'string' ? response.body : '{}') as unknown;
}

const config = (version: string): string =>
  `apiVersion: bootstrap.cluster.x-k8s.io/${version}\nkind: KubeadmConfig\nmetadata: {name: mine, namespace: team}\nspec: {joinConfiguration: {nodeRegistration: {name: node}}}\n`;

describe('demo -f', () => {
  test('a namespace that no manifest makes -> is made; lists are taken apart', async () => {
    const made = await started(
      `apiVersion: v1\nkind: List\nitems:\n- ${config('v1beta2').trim().replaceAll('\n', '\n  ')}\n`,
    );
    expect(await made.populate()).toBe(1);
    expect(await read('/apis/bootstrap.cluster.x-k8s.io/v1beta2/namespaces/team/kubeadmconfigs/mine')).toMatchObject({
      kind: 'KubeadmConfig',
      metadata: { name: 'mine', namespace: 'team' },
    });
  });

  test('a KubeadmConfig of v1beta1 -> is taken', async () => {
    const made = await started(config('v1beta1'));
    await made.populate();
    expect(await read('/apis/bootstrap.cluster.x-k8s.io/v1beta2/namespaces/team/kubeadmconfigs/mine')).toMatchObject({
      apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
      spec: { joinConfiguration: { nodeRegistration: { name: 'node' } } },
    });
  });

  test.each([
    [
      'a version that is not served',
      'apiVersion: cluster.x-k8s.io/v1beta1\nkind: Machine\nmetadata: {name: m}',
      /^Machine \/?default\/m: the demo's API server knows no Machine in cluster.x-k8s.io\/v1beta1: write it in cluster.x-k8s.io\/v1beta2, or let a management cluster convert it \(kubectl get machine.v1beta2.cluster.x-k8s.io NAME -o yaml\)$/,
    ],
    [
      'a kind that is not served',
      'apiVersion: cluster.x-k8s.io/v1beta2\nkind: Spaceship\nmetadata: {name: m}',
      /^Spaceship default\/m: the demo's API server knows no Spaceship in cluster.x-k8s.io\/v1beta2$/,
    ],
    [
      'an object that does not fit',
      'apiVersion: cluster.x-k8s.io/v1beta2\nkind: Machine\nmetadata: {name: m}\nspec: {}',
      /^Machine default\/m: .*spec.clusterName: Required value/,
    ],
  ] as const)('%s -> one line that names it', async (_, text, problem) => {
    const made = await started(text);
    await expect(made.populate()).rejects.toThrow(problem);
  });

  test.each([
    ['an empty file', ''],
    ['a file of comments and separators', '# nothing\n---\n---\n'],
    ['an empty list', 'apiVersion: v1\nkind: List\nitems: []\n'],
  ])('%s -> one line that says so, instead of a world without objects', async (_, text) => {
    await expect(started(text)).rejects.toThrow(
      /own.yaml holds no Kubernetes object: without -f, demo brings a world of its own$/,
    );
  });

  test('a file that is not there -> one line that names it', async () => {
    await expect(
      startDemoWorld(parseDemo(['-f=/does/not/exist']), {
        clock: systemClock,
        random: seededRandom(1),
        onNote: () => undefined,
      }),
    ).rejects.toThrow('cannot read /does/not/exist: no such file');
  });
});
