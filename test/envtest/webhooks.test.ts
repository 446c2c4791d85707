// The built components on a real kube-apiserver: CRDs, conversion, validation, defaulting, rotation, migration.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
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

describe('components on kube-apiserver', () => {
  const authority = certificateAuthority('ca');
  const folder = emptyFolder();
  const gates = { KubeadmBootstrapFormatIgnition: false };
  let server: EnvtestServer;
  let webhooks: WebhookServer;

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
      monotonicMs: systemClock.monotonicMs,
      logger: silentLogger,
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

  test('rotation: certificates change while admissions and conversions run -> none fails', async () => {
    const object = {
      apiVersion: `${group}/v1beta1`,
      kind: 'KubeadmConfig',
      metadata: { name: 'load' },
      spec: { useExperimentalRetryJoin: true },
    };
    const failures: unknown[] = [];
    let sent = 0;
    let rotations = 0;
    const total = 1200;
    const client = async (): Promise<void> => {
      while (sent < total) {
        sent += 1;
        if (sent % 100 === 0) {
          rotations += 1;
          mountCertificate(folder, rotations, signedCertificate(`serving-${rotations}`, authority));
        }
        const { status, text } = await server.call('POST', `${path('v1beta1', 'KubeadmConfig')}?dryRun=All`, object);
        if (status !== 201) failures.push(text);
      }
    };
    const startedMs = performance.now();
    await Promise.all(Array.from({ length: 12 }, client));
    const perSecond = Math.round(sent / ((performance.now() - startedMs) / 1000));
    process.stdout.write(
      `${sent} admissions at ${perSecond} a second, ${rotations} rotations, ${failures.length} failed\n`,
    );
    expect(failures).toEqual([]);
    expect(rotations).toBe(12);
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
