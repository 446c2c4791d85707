import { afterEach, expect, test } from '@jest/globals';
import { label, resources } from '../../../src/api/names.js';
import { createEmbeddedApiServer } from '../../../src/embedded/api-server.js';
import { fixedAccess } from '../../../src/kube/access.js';
import { createApiClient } from '../../../src/kube/client.js';
import type { ApiClient, KubeObject } from '../../../src/kube/contract.js';
import { managementAnswers } from '../../../src/kube/exchange.js';
import { createHttpsTransport } from '../../../src/kube/https-transport.js';
import { createInformer } from '../../../src/kube/informer.js';
import { resourceOf } from '../../../src/kube/resource-paths.js';
import { projectSecret, type CachedSecret } from '../../../src/kube/projections.js';
import { systemClock } from '../../../src/system.js';
import { fixedRandom } from './test-clock.js';

const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const secrets = resourceOf(resources.Secret);
const SECRETS = 120;
const SECRET_BYTES = 20_000;

/** A management cluster with a tenant's labelled Secrets, and a client that takes less than a tenth of them in one answer. */
async function crowded(): Promise<ApiClient> {
  const server = createEmbeddedApiServer({ clock: systemClock, random: fixedRandom(0.5) });
  const { url } = await server.listen();
  const access = fixedAccess(
    { server: url, tlsServerName: '', insecureSkipTlsVerify: false, proxyUrl: '' },
    { headers: {}, ca: '', clientCertificate: '', clientKey: '' },
  );
  const client = createApiClient({
    transport: createHttpsTransport({ access, clock: systemClock, environment: {} }),
    clock: systemClock,
    userAgent: 'x',
    fieldManager: 'x',
    timeoutMs: 10_000,
    answers: { ...managementAnswers, listBytesMax: 400_000 },
  });
  closers.push(
    () => server.close(),
    () => client.close(),
  );
  const data = { value: Buffer.alloc(SECRET_BYTES, 'x').toString('base64') };
  const names = [...Array.from({ length: SECRETS }, (_, at) => `junk-${at}`), 'c1-ca', 'c1-kubeconfig'];
  for (const name of names) {
    const metadata = { name, namespace: 'default', labels: { [label.clusterName]: 'c1' } };
    await client.create(secrets, { apiVersion: 'v1', kind: 'Secret', metadata, data });
  }
  return client;
}

test('Secrets: a tenant has far more labelled data than one answer may bring -> the cache fills, with the data of CAs and kubeconfigs alone', async () => {
  const client = await crowded();
  const waiting: number[] = [];
  let projected = 0;
  const project = (object: KubeObject): CachedSecret => {
    projected += 1;
    return projectSecret(object);
  };
  let listed = 0;
  const counting: ApiClient = {
    ...client,
    async list(resource, options) {
      // What earlier pages brought and nobody has looked at yet.
      if (options?.continueToken !== undefined) waiting.push(listed - projected);
      else listed = projected;
      const page = await client.list(resource, options);
      listed += page.items.length;
      return page as never;
    },
  };
  const informer = createInformer<CachedSecret>(
    { client: counting, clock: systemClock, random: fixedRandom(0.5) },
    { resource: secrets, labelSelector: label.clusterName, project },
  );
  const controller = new AbortController();
  const run = informer.run(controller.signal);
  await informer.store.whenSynced();
  controller.abort();
  await run;
  expect(informer.store.size).toBe(SECRETS + 2);
  expect(waiting.length).toBeGreaterThan(3);
  expect(waiting.every((left) => left === 0)).toBe(true);
  expect(projected).toBe(listed);
  const kept = informer.store.list().filter(({ data }) => data !== undefined);
  expect(kept.map(({ metadata }) => metadata.name).toSorted()).toEqual(['c1-ca', 'c1-kubeconfig']);
  expect(JSON.stringify(informer.store.list()).length).toBeLessThan(SECRET_BYTES * 2 * 1.4 + (SECRETS + 2) * 600);
});
