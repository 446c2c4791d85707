import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDemo } from '../../src/cli/demo-flags.js';
import { startDemoWorld, type DemoWorld } from '../../src/cli/demo-world.js';
import { seededRandom } from '../../src/cli/seeded-random.js';
import { systemClock } from '../../src/system.js';
import { printedSeed, sized } from '../test-size.js';
import { pause, startOperatorProcess, until, type OperatorProcess } from '../worlds/operator-process.js';
import { clientOf, hasArrived, lookAt, tokenIds, violations } from '../worlds/world.js';

jest.setTimeout(900_000);

const seed = printedSeed('kill');
const kills = sized(20, 200);
const clusters = sized(3, 20);
/** Three control planes, three workers and a pool. */
const configsOfCluster = 7;

let folder = '';
let world: DemoWorld;
let operator: OperatorProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kill-test-'));
  world = await startDemoWorld(parseDemo([`--clusters=${clusters}`]), {
    clock: systemClock,
    random: seededRandom(seed),
    onNote: () => undefined,
  });
  writeFileSync(join(folder, 'kubeconfig'), world.kubeconfig);
});

afterAll(async () => {
  await operator?.kill();
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

const start = (): OperatorProcess =>
  startOperatorProcess(join(folder, 'kubeconfig'), [
    '--feature-gates=KubeadmBootstrapFormatIgnition=true',
    '--bootstrap-token-ttl=60s',
  ]);

describe('SIGKILL', () => {
  test(`${kills} kills at random moments while ${clusters} clusters come up: nothing is lost`, async () => {
    const random = seededRandom(seed);
    operator = start();
    await world.populate();
    for (let kill = 0; kill < kills; kill += 1) {
      await pause(200 + random.next() * 1200);
      await operator.kill();
      operator = start();
    }
    const client = clientOf(world.kubeconfig);
    const seen = await until(
      'all nodes join',
      () => lookAt(client, 'demo'),
      (each) => hasArrived(each, clusters * configsOfCluster),
      180_000,
    );
    const workload = (name: string) => clientOf(world.workloads.find({ namespace: 'demo', name })?.kubeconfig ?? '');
    expect(await violations(seen, (name) => tokenIds(workload(name)))).toEqual([]);
    const inits = world.infrastructure.notes.filter((note) => note.kind === 'control-plane-initialized');
    expect(inits).toHaveLength(clusters);
  });

  test('after a kill: since comes from the restored snapshot; without snapshots nothing but them is written again', async () => {
    const client = clientOf(world.kubeconfig);
    const before = await lookAt(client, 'demo');
    await operator.kill();
    operator = start();
    await pause(4000);
    // Whether a pool has all its nodes is the infrastructure's business: it grows meanwhile.
    const written = (world: typeof before) => world.configs.map(({ joined: _, ...config }) => config);
    expect(written(await lookAt(client, 'demo'))).toEqual(written(before));
    await operator.kill();
    for (const config of before.configs) await removeSnapshot(config.name);
    operator = start();
    const again = await until(
      'snapshots are derived again',
      () => lookAt(client, 'demo'),
      (each) => each.configs.every((config) => config.state !== ''),
    );
    const shape = (each: typeof before) =>
      each.configs.map(({ name, state, specToken, dataUid, dataVersion }) => ({
        name,
        state,
        specToken,
        dataUid,
        dataVersion,
      }));
    expect(shape(again)).toEqual(shape(before));
  });
});

async function removeSnapshot(name: string): Promise<void> {
  const path = `/apis/bootstrap.cluster.x-k8s.io/v1beta2/namespaces/demo/kubeadmconfigs/${name}`;
  const headers = { 'content-type': 'application/merge-patch+json' };
  const object = JSON.parse(
    String((await world.management.handle({ method: 'GET', url: path, headers: {} })).body),
  ) as { status: { conditions: readonly { type: string }[] } };
  const body = JSON.stringify({
    status: { conditions: object.status.conditions.filter((condition) => condition.type !== 'ActorState') },
  });
  const { status } = await world.management.handle({ method: 'PATCH', url: `${path}/status`, headers, body });
  if (status !== 200) throw new Error(`the snapshot of ${name} was not removed: ${status}`);
}
