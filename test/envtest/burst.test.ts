// A burst on a real API server: many control planes are initialised at once while watches lag and are closed, and still every
// worker gets one token and one data Secret. A turn that began on a view older than its own writes would mint a second token.
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { seededRandom } from '../../src/cli/seeded-random.js';
import type { FullApiClient } from '../../src/kube/client.js';
import { tailAudit } from '../bench/system/audit-tail.js';
import { dataWrites, providerUser, tokensMinted, workloadUser } from '../bench/system/figures.js';
import { makeCas, namespace, namesOf } from '../bench/system/manifests.js';
import { initialize, populate, provision } from '../bench/system/world.js';
import { printedSeed } from '../test-size.js';
import { startApiProxy, type ApiProxy } from '../worlds/api-proxy.js';
import { startOperatorProcess, until, type OperatorProcess } from '../worlds/operator-process.js';
import { clientOf, lookAt } from '../worlds/world.js';
import { kubeconfigText, startApiServer, type EnvtestServer } from './api-server.js';
import { installDefinitions } from './definitions.js';

jest.setTimeout(600_000);

const seed = printedSeed('burst');
const clusters = namesOf(20, 5);
const workers = clusters.flatMap((names) => names.workers);
const all = clusters.flatMap((names) => [names.controlPlane, ...names.workers]);

let server: EnvtestServer;
let client: FullApiClient;
let proxy: ApiProxy;
let operator: OperatorProcess;
let closing: NodeJS.Timeout;

beforeAll(async () => {
  const users = [providerUser, workloadUser].map((name) => ({ name, groups: ['system:masters'] }));
  server = await startApiServer({ audit: true, users });
  await installDefinitions(server);
  client = clientOf(server.kubeconfig());
  proxy = await startApiProxy(server.url);
  const random = seededRandom(seed);
  proxy.disturb({ watchDelayMs: () => (random.next() < 0.3 ? random.next() * 1_500 : 0) });
  closing = setInterval(() => proxy.closeWatches(), 1_700);
  const file = `${server.folder}/proxied.kubeconfig`;
  const token = server.token(providerUser);
  writeFileSync(file, kubeconfigText({ url: proxy.url, ca: '', user: providerUser, token }));
  operator = startOperatorProcess(file);
}, 180_000);

afterAll(async () => {
  clearInterval(closing);
  await operator?.kill();
  await proxy?.close();
  await client?.close();
  await server?.stop();
});

describe('burst', () => {
  test('20 clusters x 5 workers initialised at once, watches late and closed -> one token and one data Secret per worker', async () => {
    await populate(client, clusters, { cas: await makeCas(), kubeconfig: server.kubeconfig(workloadUser) });
    const created = (names: readonly string[]) =>
      until(
        `${names.length} KubeadmConfigs have data`,
        async () => (await lookAt(client, namespace)).configs.filter((config) => config.dataSecretCreated),
        (seen) => names.every((name) => seen.some((config) => config.name === name)),
        180_000,
      );
    await provision(client, clusters);
    await created(clusters.map(({ controlPlane }) => controlPlane));
    await initialize(client, clusters, 0);
    const seen = await created(all);

    const calls = tailAudit(server.folder).calls();
    const data = dataWrites(calls, new Set(all));
    expect(all.filter((name) => data.get(name)?.length !== 1)).toEqual([]);
    expect(tokensMinted(calls)).toBe(workers.length);
    const joined = seen.filter((config) => workers.includes(config.name));
    expect(joined.filter((config) => config.specToken === '' || !config.data?.includes(config.specToken))).toEqual([]);
    expect(new Set(joined.map((config) => config.specToken)).size).toBe(workers.length);
  });
});
