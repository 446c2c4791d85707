// Probes are answered before the server is asked anything: what it has to convert may need this very pod.
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parseConfig } from '../../../src/cli/config.js';
import { startOperator } from '../../../src/cli/operator.js';
import { createEmbeddedApiServer } from '../../../src/embedded/api-server.js';
import { bootstrapDefinitions, coreDefinitions } from '../../../src/embedded/crds.js';
import { silentLogger } from '../../../src/log.js';
import { createMetrics } from '../../../src/metrics.js';
import { systemClock, systemRandom } from '../../../src/system.js';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('lists of KubeadmConfigs hang -> probes are answered meanwhile, and the start goes on without them', async () => {
  const server = createEmbeddedApiServer({
    clock: systemClock,
    random: systemRandom,
    crds: [...coreDefinitions, ...bootstrapDefinitions],
  });
  const folder = mkdtempSync(join(tmpdir(), 'start-'));
  await server.listen();
  writeFileSync(join(folder, 'kubeconfig'), server.kubeconfig());
  const port = await freePort();
  let listed: () => void = () => undefined;
  const isListing = new Promise<void>((resolve) => (listed = resolve));
  server.setFaults({
    request: ({ verb, resource }) => {
      if (verb !== 'list' || resource !== 'kubeadmconfigs') return undefined;
      listed();
      return { kind: 'hang-before' };
    },
  });
  let isStarted = false;
  const starting = startOperator({
    config: parseConfig(
      [
        `--kubeconfig=${join(folder, 'kubeconfig')}`,
        `--health-addr=127.0.0.1:${port}`,
        '--diagnostics-address=',
        '--inspector-bind-address=',
      ],
      {},
    ),
    environment: {},
    clock: systemClock,
    random: systemRandom,
    log: silentLogger,
    metrics: createMetrics(),
  }).finally(() => (isStarted = true));
  try {
    await isListing;
    const answers = await Promise.all(
      ['healthz', 'readyz'].map(async (path) => (await fetch(`http://127.0.0.1:${port}/${path}`)).status),
    );
    expect([answers, isStarted]).toEqual([[200, 200], false]);
    const operator = await starting;
    await operator.drop();
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}, 30_000);
