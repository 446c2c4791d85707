// When the webhook server runs, and what health says of it.
import { createServer } from 'node:net';
import { rmSync } from 'node:fs';
import { afterEach, describe, expect, test } from '@jest/globals';
import { parseConfig } from '../../../src/cli/config.js';
import { startWebhooks, type RunningWebhooks } from '../../../src/cli/webhooks.js';
import { createLogger } from '../../../src/log.js';
import { createMetrics } from '../../../src/metrics.js';
import { systemClock, systemRandom } from '../../../src/system.js';
import { until } from '../../worlds/operator-process.js';
import { emptyFolder, mountCertificate, servingCertificate } from '../webhooks/serving-certificate.js';

const POD = { KUBERNETES_SERVICE_HOST: '10.0.0.1', KUBERNETES_SERVICE_PORT: '443' };
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function folder(): string {
  const path = emptyFolder();
  cleanups.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const lines: string[] = [];
async function start(environment: Record<string, string>, ...flags: string[]): Promise<RunningWebhooks | null> {
  lines.length = 0;
  const webhooks = await startWebhooks({
    config: parseConfig(flags, environment),
    environment,
    clock: systemClock,
    random: systemRandom,
    log: createLogger({ format: 'text', level: 2, nowMs: () => 0, write: (line) => void lines.push(line) }),
    metrics: createMetrics(),
  });
  cleanups.push(() => webhooks?.stop());
  return webhooks;
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe('webhook server of the operator', () => {
  test('in a pod without a certificate -> alive, not ready, and the reason; with the certificate -> ready', async () => {
    const path = folder();
    const port = await freePort();
    const webhooks = await start(POD, `--webhook-cert-dir=${path}`, `--webhook-port=${port}`);
    expect(await webhooks?.live()).toBeNull();
    expect(await webhooks?.ready()).toContain(`${path}/tls.crt does not exist`);
    expect(lines.join('')).toContain('Webhook server waits for its certificate');
    mountCertificate(path, 0, servingCertificate('pod'));
    await until(
      'ready',
      () => webhooks?.ready(),
      (problem) => problem === null,
    );
    expect(await webhooks?.live()).toBeNull();
  });

  test('in a pod, a server that is dead -> neither alive nor ready', async () => {
    const path = folder();
    mountCertificate(path, 0, servingCertificate('pod'));
    const webhooks = await start(POD, `--webhook-cert-dir=${path}`, '--webhook-port=0');
    expect([await webhooks?.live(), await webhooks?.ready()]).toEqual([null, null]);
    await webhooks?.stop();
    expect(await webhooks?.live()).toContain('webhook server does not listen any more');
    expect(await webhooks?.ready()).toContain('webhook server is not reachable');
  });

  test('elsewhere without a certificate: no port given -> off, and the log says why', async () => {
    expect(await start({}, `--webhook-cert-dir=${folder()}`)).toBeNull();
    expect(lines.join('')).toContain('Webhook server is off');
  });

  test.each([
    ['elsewhere', {}, []],
    ['in a pod that works on another cluster', POD, ['--kubeconfig=/x']],
  ])('%s without a certificate: a port given -> an error that names the folder', async (_, environment, flags) => {
    const path = folder();
    const starting = start(environment, `--webhook-cert-dir=${path}`, '--webhook-port=0', ...flags);
    await expect(starting).rejects.toThrow(`no usable certificate in ${path}`);
  });
});
