// Killed before and after each write that a small world needs, in turn: the world always comes up whole.
//
// The operator is a process of its own behind a proxy that knows when a write is about to leave and when it has happened; nothing in
// the operator knows of it. In CI every tenth point is taken, beginning with another one each time.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { seededRandom } from '../../src/cli/seeded-random.js';
import { createSharedWorkloads } from '../../src/embedded/clusters.js';
import { createSimulatedInfrastructure } from '../../src/embedded/infrastructure/infrastructure.js';
import type { SimulatedInfrastructure } from '../../src/embedded/infrastructure/ports.js';
import { sampleWorld } from '../../src/embedded/sample-world.js';
import type { FullApiClient } from '../../src/kube/client.js';
import { systemClock } from '../../src/system.js';
import { isNightly, printedSeed } from '../test-size.js';
import type { ApiProxy, ProxiedRequest } from '../worlds/api-proxy.js';
import { startOperatorProcess, until, type OperatorProcess } from '../worlds/operator-process.js';
import { createObject, hasArrived, lookAt, tokenIds, violations } from '../worlds/world.js';
import { crashPoints, type CrashPoint } from './crash-points.js';
import { startProxiedServer, type ProxiedServer } from './proxied-server.js';

jest.setTimeout(3_600_000);

const seed = printedSeed('crash-sweep');
/** Two control planes, so that one waits for the other, a worker, and a pool. */
const size = { controlPlanes: 2, workers: 1, poolReplicas: 1, ignition: false };

let proxied: ProxiedServer | null = null;
let client: FullApiClient;
let proxy: ApiProxy;
let infrastructure: SimulatedInfrastructure;
let kubeconfigFile: string;

beforeAll(async () => {
  proxied = await startProxiedServer();
  // The workload clusters are behind the proxy, too: tokens are writes like all others.
  const { kubeconfig } = proxied;
  ({ client, proxy, kubeconfigFile } = proxied);
  infrastructure = createSimulatedInfrastructure({
    client: client as never,
    workloads: createSharedWorkloads({ client: client as never, kubeconfig }),
    clock: systemClock,
    random: seededRandom(seed),
    delays: { clusterMs: [50, 200], machineMs: [50, 200], bootMs: [50, 200], retryMs: [100, 300] },
  });
  await infrastructure.start();
}, 180_000);

afterAll(async () => {
  await infrastructure?.stop();
  await proxied?.stop();
});

/** Plays one world with one kill; how many writes it took, and what is wrong with it. */
async function play(
  namespace: string,
  point: CrashPoint | null,
): Promise<{ writes: number; problems: readonly string[] }> {
  const minted: string[] = [];
  let operator: OperatorProcess | null = null;
  let writes = 0;
  let hit: ProxiedRequest | null = null;
  let isOver = false;
  const restart = async (): Promise<false> => {
    const killed = operator;
    operator = null;
    await killed?.kill();
    // The last writes come when the world is whole already.
    if (!isOver) operator = startOperatorProcess(kubeconfigFile, [`--namespace=${namespace}`]);
    return false;
  };
  proxy.disturb({
    before(request) {
      if (!request.isWrite) return true;
      writes += 1;
      if (writes !== point?.write) return true;
      hit = request;
      return point.when === 'before' ? restart() : true;
    },
    after(request, status) {
      if (!request.isWrite) return true;
      if (status === 201 && request.path.includes('/kube-system/secrets')) minted.push(request.path);
      return point?.when === 'after' && request === hit ? restart() : true;
    },
  });
  const objects = sampleWorld({ ...size, namespace });
  for (const object of objects) {
    await createObject(client, object);
  }
  const count = objects.filter((object) => (object as { kind: string }).kind === 'KubeadmConfig').length;
  operator = startOperatorProcess(kubeconfigFile, [`--namespace=${namespace}`]);
  try {
    const world = await until(
      `${namespace} arrives`,
      () => lookAt(client, namespace),
      (seen) => hasArrived(seen, count),
      120_000,
    );
    const problems = [...(await violations(world, () => tokenIds(client)))];
    // One node begins the cluster, every other one joins with a token that was made once.
    if (minted.length !== count - 1) problems.push(`${minted.length} tokens were made for ${count - 1} nodes`);
    return { writes, problems };
  } finally {
    isOver = true;
    await (operator as OperatorProcess | null)?.kill();
    proxy.disturb({});
  }
}

describe('crash sweep', () => {
  test('SIGKILL before and after each write, in turn -> every world arrives, with one init and one token a node', async () => {
    const whole = await play('sweep-whole', null);
    expect(whole.problems).toEqual([]);
    const all = crashPoints(whole.writes);
    const points = isNightly ? all : all.filter((_, index) => index % 10 === seed % 10);
    process.stdout.write(`crash sweep: ${points.length} of ${all.length} points of ${whole.writes} writes\n`);
    for (const point of points) {
      const { problems } = await play(`sweep-${point.when}-${point.write}`, point);
      expect({ point, problems }).toEqual({ point, problems: [] });
    }
  });
});
