// A Machine's deletion, with hooks, a drain, a volume and its Node: the operator is killed before and after each of its writes, in
// turn. The Machine is always gone in the end, and nothing of it too early.
//
// In CI a few of the points are taken, others each time.
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { seededRandom } from '../../src/cli/seeded-random.js';
import { bootstrapDefinitions, coreDefinitions } from '../../src/embedded/crds.js';
import type { FullApiClient } from '../../src/kube/client.js';
import { isNightly, printedSeed } from '../test-size.js';
import { providerDefinitions } from '../unit/machine/definitions.js';
import { at, putCluster } from '../unit/machine/objects.js';
import type { World } from '../unit/machine/world.js';
import type { ApiProxy, ProxiedRequest } from '../worlds/api-proxy.js';
import {
  attachVolume,
  createWorker,
  earlyDeletion,
  leftovers,
  putKubeconfig,
  runPod,
  saying,
  startPlayers,
} from '../worlds/machine-world.js';
import { startOperatorProcess, until, type OperatorProcess } from '../worlds/operator-process.js';
import { crashPoints, type CrashPoint } from './crash-points.js';
import { startProxiedServer, type ProxiedServer } from './proxied-server.js';

jest.setTimeout(3_600_000);

const seed = printedSeed('machine crash sweep');
const random = seededRandom(seed);
/** Of the points of a sweep, so many are taken in CI. */
const POINTS_IN_CI = 5;

let proxied: ProxiedServer | null = null;
let client: FullApiClient;
let proxy: ApiProxy;
let kubeconfigFile: string;

beforeAll(async () => {
  proxied = await startProxiedServer([...coreDefinitions, ...bootstrapDefinitions, ...providerDefinitions]);
  const { kubeconfig } = proxied;
  ({ client, proxy, kubeconfigFile } = proxied);
  await putCluster({ user: client } as unknown as World);
  await putKubeconfig(client, kubeconfig);
}, 180_000);

afterAll(async () => {
  await proxied?.stop();
});

interface Outcome {
  /** The operator's writes from the deletion on, in order. */
  readonly writes: readonly string[];
  /** Whether the point was reached. */
  readonly isStruck: boolean;
  readonly problems: readonly string[];
}

/** Plays the life of a Machine; its deletion with one kill. */
async function play(name: string, point: CrashPoint | null): Promise<Outcome> {
  const writes: string[] = [];
  const problems: string[] = [];
  let isLeaving = false;
  let isStruck = false;
  let hit: ProxiedRequest | null = null;
  let operator: OperatorProcess | null = startOperator();
  const restart = async (): Promise<false> => {
    isStruck = true;
    const killed = operator;
    operator = null;
    await killed?.kill();
    operator = startOperator();
    return false;
  };
  proxy.disturb({
    async before(request) {
      if (isLeaving && request.isWrite && isOfMachine(request)) {
        writes.push(`${request.method} ${request.path.split('?')[0]?.split('/').slice(-2).join('/') ?? ''}`);
        if (writes.length === point?.write) {
          hit = request;
          if (point.when === 'before') return restart();
        }
      }
      const early = await earlyDeletion(client, request);
      if (early !== null) problems.push(early);
      return true;
    },
    after: (request) => (point?.when === 'after' && request === hit ? restart() : true),
  });
  const players = startPlayers({
    client,
    delayMs: () => Math.floor(random.next() * 100),
    isOurs: (each) => each === name,
  });
  try {
    await createWorker(client, name, { hooks: ['preDrain', 'preTerminate'] });
    await reached(name, 'phase', 'Running');
    await runPod(client, `${name}-pod`, name);
    await attachVolume(client, `${name}-data`, name);
    isLeaving = true;
    await client.delete(at('Machine', name));
    await reached(name, 'state', 'gone');
    return { writes, isStruck, problems: [...problems, ...(await leftovers(client, [name])), ...players.problems] };
  } finally {
    proxy.disturb({});
    await players.stop();
    await (operator as OperatorProcess | null)?.kill();
  }
}

const startOperator = (): OperatorProcess => startOperatorProcess(kubeconfigFile, ['--controllers=machine']);

/** Leases and Events say nothing of a Machine. */
const isOfMachine = ({ path }: ProxiedRequest): boolean => !/\/(leases|events)(\/|$|\?)/.test(path);

const reached = (name: string, field: 'state' | 'phase', value: string): Promise<unknown> =>
  until(
    `${name}: ${field} ${value}`,
    () => saying(client, name),
    (seen) => seen[field] === value,
    120_000,
  );

describe('crash sweep of Machines', () => {
  test('SIGKILL before and after each write of a deletion, in turn -> the Machine goes, each thing in its turn', async () => {
    const whole = await play('whole', null);
    process.stdout.write(`machine crash sweep: ${whole.writes.join(', ')}\n`);
    expect(whole.problems).toEqual([]);
    for (const kind of ['eviction', 'inframachines/', 'kubeadmconfigs/', 'nodes/'])
      expect(whole.writes.join('\n')).toContain(kind);
    const all = crashPoints(whole.writes.length);
    const stride = Math.ceil(all.length / POINTS_IN_CI);
    const points = isNightly ? all : all.filter((_, index) => index % stride === seed % stride);
    let struck = 0;
    for (const point of points) {
      const { isStruck, problems } = await play(`${point.when}-${point.write}`, point);
      struck += Number(isStruck);
      expect({ point, problems }).toEqual({ point, problems: [] });
    }
    process.stdout.write(
      `machine crash sweep: ${points.length} of ${all.length} points of ${whole.writes.length} writes, ${struck} kills\n`,
    );
    // A run may take a write less than the first one: two changes of a status come as one.
    expect(struck).toBeGreaterThanOrEqual(points.length - 4);
  });
});
