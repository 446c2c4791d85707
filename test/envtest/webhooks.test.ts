// The built components on a real kube-apiserver: CRDs, conversion, validation, defaulting, rotation, migration.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../../src/api/wire.js';
import { createCrdMigrator } from '../../src/controllers/crd-migrator/migrator.js';
import { MIGRATION_PHASES } from '../../src/controllers/crd-migrator/plan.js';
import { createApiClient } from '../../src/kube/client.js';
import { createHttpsTransport } from '../../src/kube/https-transport.js';
import { accessOfKubeconfig } from '../../src/kube/kubeconfig.js';
import { silentLogger } from '../../src/log.js';
import { systemClock } from '../../src/system.js';
import { startWebhookServer, type WebhookServer } from '../../src/webhooks/server.js';
import {
  certificateAuthority,
  emptyFolder,
  mountCertificate,
  signedCertificate,
} from '../unit/webhooks/serving-certificate.js';
import { startApiServer, type EnvtestServer } from './api-server.js';
import { installComponents } from './components.js';

type Json = Record<string, unknown>;

interface ConversionVector {
  readonly id: string;
  readonly title: string;
  readonly kind: 'KubeadmConfig' | 'KubeadmConfigTemplate';
  readonly direction: string;
  readonly source: JsonObject;
  readonly result?: JsonObject;
  readonly roundTrip?: JsonObject;
  readonly schemaErrors?: readonly string[];
}

interface AdmissionVector {
  readonly id: string;
  readonly title: string;
  readonly kind: 'KubeadmConfig' | 'KubeadmConfigTemplate';
  readonly operation: string;
  readonly featureGates: { readonly KubeadmBootstrapFormatIgnition: boolean };
  readonly new?: JsonObject;
  readonly allowed: boolean;
  readonly errorMessage?: string;
  readonly schemaErrors?: readonly string[];
}

const group = 'bootstrap.cluster.x-k8s.io';
const plural = { KubeadmConfig: 'kubeadmconfigs', KubeadmConfigTemplate: 'kubeadmconfigtemplates' } as const;
const operator = 'system:serviceaccount:capi-kubeadm-bootstrap-system:capi-kubeadm-bootstrap-manager';
const load = <T>(folder: string): readonly T[] =>
  readdirSync(`test/golden/vectors/${folder}`).map(
    (name) => JSON.parse(readFileSync(`test/golden/vectors/${folder}/${name}`, 'utf8')) as T,
  );
const conversions = load<ConversionVector>('conversion');
const admissions = load<AdmissionVector>('webhook');

const OFFERED_PER_SECOND = 200;
const OFFERED_SECONDS = 6;

/** Waits for a moment of the monotonic clock. */
function until(atMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, atMs - performance.now())));
}

type Sender = ((path: string, body: object) => Promise<{ readonly status: number; readonly text: string }>) & {
  close(): void;
};

/** Sends to the API server over few connections that stay open, as a client of a cluster does. */
function createSender(server: EnvtestServer): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  const headers = { authorization: `Bearer ${server.token()}`, 'content-type': 'application/json' };
  const options = { agent, method: 'POST', headers, rejectUnauthorized: false };
  const send = (path: string, body: object): Promise<{ readonly status: number; readonly text: string }> =>
    new Promise((resolve) => {
      const sent = request(`${server.url}${path}`, options, (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      });
      sent.on('error', (error) => resolve({ status: 0, text: error.message }));
      sent.end(JSON.stringify(body));
    });
  return Object.assign(send, { close: () => agent.destroy() });
}

describe('components on kube-apiserver', () => {
  const authority = certificateAuthority('ca');
  const folder = emptyFolder();
  const gates = { KubeadmBootstrapFormatIgnition: false };
  let server: EnvtestServer;
  let webhooks: WebhookServer;
  let asked = 0;

  const path = (version: string, kind: keyof typeof plural, name = ''): string =>
    `/apis/${group}/${version}/namespaces/default/${plural[kind]}${name === '' ? '' : `/${name}`}`;

  beforeAll(async () => {
    mountCertificate(folder, 0, signedCertificate('serving-0', authority));
    webhooks = await startWebhookServer({
      port: 0,
      host: '127.0.0.1',
      certificate: { folder, certificateName: 'tls.crt', keyName: 'tls.key' },
      gates,
      timers: systemClock,
      onFault: () => undefined,
      monotonicMs: systemClock.monotonicMs,
      logger: silentLogger,
      observer: { onAnswer: () => void (asked += 1) },
    });
    server = await startApiServer({ users: [{ name: operator }] });
    const webhook = { url: `https://127.0.0.1:${webhooks.port}`, caPem: authority.cert };
    await installComponents(server, webhook, 'deploy/bootstrap-components.yaml');
    // The API server needs a moment until it serves a new definition and asks a new webhook.
    for (;;) {
      const { status } = await server.call('POST', `${path('v1beta2', 'KubeadmConfig')}?dryRun=All`, {
        apiVersion: `${group}/v1beta2`,
        kind: 'KubeadmConfig',
        metadata: { name: 'bad' },
        spec: { format: 'ignition' },
      });
      if (status === 422) break;
    }
  }, 120_000);

  afterAll(async () => {
    await server.stop();
    await webhooks.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  // v1beta1 cannot leave `layout` out, v1beta2 refuses it beside `diskLayout`: such objects have never been storable.
  const isStorable = ({ source }: ConversionVector): boolean =>
    !(JSON.stringify(source).includes('"layout":false') && JSON.stringify(source).includes('"diskLayout"'));
  const valid = conversions
    .filter(({ schemaErrors, result }) => schemaErrors === undefined && result !== undefined)
    .filter(isStorable);
  test.each(valid.map((vector) => [`${vector.id} ${vector.title}`, vector] as const))(
    'apply and read as the other version: %s',
    async (_, { id, kind, direction, source, result, roundTrip }) => {
      const [, from = '', to = ''] = /^(\w+)-to-(\w+)$/.exec(direction) ?? [];
      const {
        finalizers: _finalizers,
        uid: _uid,
        resourceVersion: _version,
        generation: _generation,
        ...metadata
      } = source['metadata'] as Json;
      const { status, text } = await server.call('POST', path(from, kind), {
        ...source,
        metadata: { ...metadata, name: id },
      });
      expect([status, text]).toEqual([201, expect.anything()]);
      const other = await server.call('GET', path(to, kind, id));
      expect(other.body['spec'] ?? {}).toEqual(result?.['spec'] ?? {});
      const same = await server.call('GET', path(from, kind, id));
      if (from === 'v1beta1') expect(same.body['spec'] ?? {}).toEqual(roundTrip?.['spec'] ?? {});
      else expect(same.body['spec'] ?? {}).toEqual(source['spec'] ?? {});
    },
  );

  const judged = admissions.filter(
    ({ operation, featureGates }) => operation === 'create' && !featureGates.KubeadmBootstrapFormatIgnition,
  );
  test.each(judged.map((vector) => [`${vector.id} ${vector.title}`, vector] as const))(
    'create: %s',
    async (_, { kind, new: object, allowed, errorMessage, schemaErrors }) => {
      const { status, body } = await server.call('POST', `${path('v1beta2', kind)}?dryRun=All`, object);
      expect(status).toBe(allowed && schemaErrors === undefined ? 201 : 422);
      if (allowed || schemaErrors !== undefined) return;
      const webhook = `validation.${kind.toLowerCase()}.${group}`;
      expect(body['message']).toBe(`admission webhook "${webhook}" denied the request: ${errorMessage}`);
    },
  );

  test('template: dry run of the topology controller -> defaulted; a real write -> as given', async () => {
    const object = (name: string): Json => ({
      apiVersion: `${group}/v1beta2`,
      kind: 'KubeadmConfigTemplate',
      metadata: { name, annotations: { 'topology.cluster.x-k8s.io/dry-run': '' } },
      spec: { template: { spec: { verbosity: 1 } } },
    });
    const where = path('v1beta2', 'KubeadmConfigTemplate');
    const dry = await server.call('POST', `${where}?dryRun=All`, object('dry'));
    expect(dry.body['spec']).toEqual({
      template: {
        spec: {
          format: 'cloud-config',
          initConfiguration: { nodeRegistration: { imagePullPolicy: 'IfNotPresent' } },
          joinConfiguration: { nodeRegistration: { imagePullPolicy: 'IfNotPresent' } },
          verbosity: 1,
        },
      },
    });
    const real = await server.call('POST', where, object('real'));
    expect(real.body['spec']).toEqual({ template: { spec: { verbosity: 1 } } });
  });

  test('status: written in v1beta2 -> a v1beta1 reader sees ready', async () => {
    const { body } = await server.call('POST', path('v1beta2', 'KubeadmConfig'), {
      apiVersion: `${group}/v1beta2`,
      kind: 'KubeadmConfig',
      metadata: { name: 'with-status' },
      spec: { verbosity: 1 },
    });
    const status = { initialization: { dataSecretCreated: true }, dataSecretName: 'with-status' };
    const where = path('v1beta2', 'KubeadmConfig', 'with-status');
    expect((await server.call('PUT', `${where}/status`, { ...body, status })).status).toBe(200);
    const old = await server.call('GET', path('v1beta1', 'KubeadmConfig', 'with-status'));
    expect(old.body['status']).toEqual({ ready: true, dataSecretName: 'with-status' });
  });

  test('rotation: certificates change under 200 admissions a second, conversions among them -> none fails', async () => {
    const object = (version: string): Json => ({
      apiVersion: `${group}/${version}`,
      kind: 'KubeadmConfig',
      metadata: { name: 'load' },
      spec: { verbosity: 1 },
    });
    const failures: string[] = [];
    const tookMs: number[] = [];
    const askedBefore = asked;
    let rotations = 0;
    // Made before: whoever makes keys in production does so in another process.
    const coming = Array.from({ length: OFFERED_SECONDS * 2 }, (_, index) =>
      signedCertificate(`serving-${index + 1}`, authority),
    );
    const rotate = (): void => {
      const next = coming.shift();
      if (next === undefined) return;
      rotations += 1;
      mountCertificate(folder, rotations, next);
    };
    const timer = setInterval(rotate, 500);
    const send = createSender(server);
    const startedMs = performance.now();
    // Offered at its own pace, whatever is still unanswered: a slow answer does not lower the rate.
    const answers = await Promise.all(
      Array.from({ length: OFFERED_PER_SECOND * OFFERED_SECONDS }, async (_, index) => {
        await until(startedMs + (index * 1000) / OFFERED_PER_SECOND);
        const version = index % 10 === 0 ? 'v1beta1' : 'v1beta2';
        const sentMs = performance.now();
        const { status, text } = await send(`${path(version, 'KubeadmConfig')}?dryRun=All`, object(version));
        tookMs.push(performance.now() - sentMs);
        if (status !== 201) failures.push(text);
        return performance.now();
      }),
    );
    clearInterval(timer);
    send.close();
    const seconds = (Math.max(...answers) - startedMs) / 1000;
    const sorted = tookMs.toSorted((x, y) => x - y);
    process.stdout.write(
      `${answers.length} admissions offered at ${OFFERED_PER_SECOND} a second, answered at ${Math.round(answers.length / seconds)}` +
        ` (median ${Math.round(sorted[sorted.length >> 1] ?? 0)} ms, 99th ${Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0)} ms);` +
        ` the webhooks answered ${Math.round((asked - askedBefore) / seconds)} requests a second; ${rotations} rotations, ${failures.length} failed\n`,
    );
    expect(failures).toEqual([]);
    expect(asked - askedBefore).toBeGreaterThanOrEqual(answers.length);
    expect(rotations).toBeGreaterThanOrEqual(OFFERED_SECONDS);
  }, 120_000);

  test('storage migration: old stored versions and managed fields, as the account of the operator -> all cleaned', async () => {
    const name = `kubeadmconfigs.${group}`;
    const definition = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
    const merge = { contentType: 'application/merge-patch+json' };
    const status = { storedVersions: ['v1beta1', 'v1beta2'] };
    expect((await server.call('PATCH', `${definition}/status`, { status }, merge)).status).toBe(200);
    const where = path('v1beta2', 'KubeadmConfig', 'with-status');
    const [entry] = ((await server.call('GET', where)).body['metadata'] as { managedFields: Json[] }).managedFields;
    const managedFields = [{ ...entry, apiVersion: `${group}/v1alpha4` }];
    await server.call('PATCH', where, { metadata: { managedFields } }, merge);

    const access = accessOfKubeconfig(JSON.parse(server.kubeconfig(operator)));
    const client = createApiClient({
      transport: createHttpsTransport({ access, clock: systemClock, environment: {} }),
      clock: systemClock,
      userAgent: 'test',
      fieldManager: 'test',
      timeoutMs: 10_000,
    });
    const migrator = createCrdMigrator({ client, phases: MIGRATION_PHASES, logger: silentLogger });
    const { metadata } = (await server.call('GET', definition)).body as {
      metadata: { name: string; generation: number };
    };
    expect(await migrator.look({ metadata }, new AbortController().signal)).toBe('migrated');
    await client.close();

    const after = (await server.call('GET', definition)).body as {
      metadata: { annotations: Json };
      status: { storedVersions: string[] };
    };
    expect(after.status.storedVersions).toEqual(['v1beta2']);
    expect(after.metadata.annotations['crd-migration.cluster.x-k8s.io/observed-generation']).toBe(
      String(metadata.generation),
    );
    const object = (await server.call('GET', where)).body['metadata'] as { managedFields: { apiVersion: string }[] };
    expect(object.managedFields.map(({ apiVersion }) => apiVersion)).not.toContain(`${group}/v1alpha4`);
  });
});
