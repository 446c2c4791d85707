// What strangers and odd objects do to the webhook server: an answer each, and nothing else.
import { rmSync, writeFileSync } from 'node:fs';
import { generateKeyPairSync } from 'node:crypto';
import { request } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { jsonText } from '../../../src/json-text.js';
import type { Logger } from '../../../src/log.js';
import { silentLogger } from '../../../src/log.js';
import { createTurns } from '../../../src/webhooks/body.js';
import { answerConversion } from '../../../src/webhooks/conversion-review.js';
import { ADMISSION_ENDPOINTS } from '../../../src/webhooks/endpoints.js';
import { startWebhookServer, type WebhookServer, type WebhookServerOptions } from '../../../src/webhooks/server.js';
import { emptyFolder, mountCertificate, servingCertificate } from './serving-certificate.js';

const good = servingCertificate('good');
const group = 'bootstrap.cluster.x-k8s.io';
const cleanups: (() => Promise<void> | void)[] = [];
const faults: unknown[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  faults.length = 0;
});

function folder(): string {
  const path = emptyFolder();
  cleanups.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Every look at the files is made by hand. */
function handTimers() {
  const waiting = new Set<() => void>();
  return {
    schedule(_delayMs: number, run: () => void): () => void {
      waiting.add(run);
      return () => waiting.delete(run);
    },
    runAll(): void {
      const now = [...waiting];
      waiting.clear();
      for (const run of now) run();
    },
  };
}

async function start(certFolder: string, more: Partial<WebhookServerOptions> = {}): Promise<WebhookServer> {
  const server = await startWebhookServer({
    port: 0,
    host: 'localhost',
    certificate: { folder: certFolder, certificateName: 'tls.crt', keyName: 'tls.key' },
    gates: { KubeadmBootstrapFormatIgnition: false },
    timers: handTimers(),
    monotonicMs: () => 0,
    logger: silentLogger,
    onFault: ({ error }) => faults.push(error),
    ...more,
  });
  cleanups.push(() => server.stop());
  return server;
}

async function started(more: Partial<WebhookServerOptions> = {}): Promise<WebhookServer> {
  const path = folder();
  mountCertificate(path, 0, good);
  return start(path, more);
}

interface Reply {
  readonly status: number;
  readonly body: string;
}

function post(
  port: number,
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: 'localhost',
        port,
        path,
        method: 'POST',
        rejectUnauthorized: false,
        agent: false,
        headers: { 'content-type': 'application/json', ...headers },
      },
      (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: Buffer.concat(pieces).toString('utf8') }),
        );
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}

const fieldsOf = (depth: number): unknown => JSON.parse(`${'{"f:a":'.repeat(depth)}{}${'}'.repeat(depth)}`);
const object = (version: string, depth: number) => ({
  apiVersion: `${group}/${version}`,
  kind: 'KubeadmConfig',
  metadata: { name: 'deep', namespace: 'ns', managedFields: [{ manager: 'm', fieldsV1: fieldsOf(depth) }] },
  spec: { verbosity: 1 },
});
const conversion = (desired: string, objects: readonly unknown[]): string =>
  jsonText({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: 'u', desiredAPIVersion: `${group}/${desired}`, objects },
  });

interface Converted {
  readonly response: {
    readonly result: { readonly status: string };
    readonly convertedObjects: readonly { readonly apiVersion: string; readonly metadata: Record<string, unknown> }[];
  };
}

describe('deep objects', () => {
  test.each([
    ['v1beta2', 'v1beta1', 3_000],
    ['v1beta2', 'v1beta1', 4_900],
    ['v1beta2', 'v1beta1', 9_900],
    ['v1beta1', 'v1beta2', 9_900],
  ])(
    'conversion: %s to %s with managedFields of %d levels, among others -> all are converted',
    async (from, to, depth) => {
      const { port } = await started();
      const reply = await post(
        port,
        '/convert',
        conversion(to, [object(from, 1), object(from, depth), object(from, 2)]),
      );
      expect(reply.status).toBe(200);
      const { response } = JSON.parse(reply.body) as Converted;
      expect(response.result.status).toBe('Success');
      expect(response.convertedObjects.map(({ apiVersion }) => apiVersion)).toEqual(Array(3).fill(`${group}/${to}`));
      expect(jsonText(response.convertedObjects[1]?.metadata['managedFields'])).toBe(
        jsonText(object(from, depth).metadata.managedFields),
      );
      expect(faults).toEqual([]);
    },
  );

  test('conversion: a kept object of 20,000 levels in the annotation -> an answer', async () => {
    const { port } = await started();
    const texts = [`{"spec":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, '['.repeat(20_000)];
    for (const text of texts) {
      const annotations = { 'cluster.x-k8s.io/conversion-data': text };
      const given = { ...object('v1beta1', 1), metadata: { name: 'deep', annotations } };
      const reply = await post(port, '/convert', conversion('v1beta2', [given]));
      expect([reply.status, JSON.parse(reply.body).response.result.status]).toEqual([200, 'Failure']);
    }
  });

  test('conversion: a value that no text can be made of -> that review fails', async () => {
    const { port } = await started();
    const labels = JSON.parse(`${'['.repeat(9_000)}${']'.repeat(9_000)}`) as unknown;
    const clusterConfiguration = {
      apiServer: {
        extraVolumes: labels,
        extraEnvs: [{ name: 'a', valueFrom: { resourceFieldRef: { divisor: labels } } }],
      },
    };
    const given = { ...object('v1beta2', 1), spec: { clusterConfiguration } };
    const reply = await post(port, '/convert', conversion('v1beta1', [given]));
    const { response } = JSON.parse(reply.body) as { readonly response: { readonly result: Record<string, string> } };
    expect([reply.status, response.result['status']]).toEqual([200, 'Failure']);
  });

  test.each(['/convert', ...ADMISSION_ENDPOINTS.map(({ path }) => path)])(
    '%s: a body of 20,000 levels -> refused with the reason',
    async (path) => {
      const { port } = await started();
      const reply = await post(port, path, `${'['.repeat(20_000)}${']'.repeat(20_000)}`);
      expect(reply.body).toContain('exceeded max depth');
      expect(reply.status).toBe(path === '/convert' ? 400 : 200);
      expect(faults).toEqual([]);
    },
  );

  test.each(ADMISSION_ENDPOINTS.map(({ path }) => path))('%s: a deep operation -> refused, no bug', async (path) => {
    const { port } = await started();
    const operation = fieldsOf(9_000);
    const body = jsonText({
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: { uid: 'u', operation },
    });
    const reply = await post(port, path, body);
    expect([reply.status, JSON.parse(reply.body).response.allowed]).toEqual([200, false]);
  });
});

describe('bodies', () => {
  const huge = String(300 * 1024 * 1024);

  /** Sends a head and perhaps some of a body; resolves with the first piece of the answer. */
  function begin(
    port: number,
    headers: string,
    body = '',
  ): { readonly first: Promise<string>; pause(): void; end(): void } {
    const socket = connect({ port, host: 'localhost', rejectUnauthorized: false }, () =>
      socket.write(`POST /convert HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n${headers}\r\n\r\n${body}`),
    );
    cleanups.push(() => void socket.destroy());
    socket.on('error', () => undefined);
    return {
      first: new Promise((resolve) => socket.once('data', (data: Buffer) => resolve(data.toString()))),
      pause: () => void socket.pause(),
      end: () => void socket.destroy(),
    };
  }

  test('a length above the limit -> refused before anything of it is read', async () => {
    const { port } = await started();
    expect(await begin(port, `content-length: ${huge}`).first).toMatch(/^HTTP\/1\.1 413 /);
  });

  test('all together more than there may be in memory -> the one too many is told to come back, and later it is answered', async () => {
    const { port } = await started({ bytesInFlightMax: 10_000 });
    const holder = begin(port, 'content-length: 9000', ' '.repeat(8_999));
    const review = conversion('v1beta1', [object('v1beta2', 300)]);
    let status = 0;
    while (status !== 503) ({ status } = await post(port, '/convert', review));
    holder.end();
    while (status !== 200) ({ status } = await post(port, '/convert', review));
  });

  test('what a request held -> is given back, also where it broke off or was refused', async () => {
    const { port } = await started({ bytesInFlightMax: 10_000 });
    const review = conversion('v1beta1', [object('v1beta2', 1)]);
    for (let round = 0; round < 8; round += 1) {
      expect((await post(port, '/convert', review)).status).toBe(200);
      expect((await post(port, '/convert', `{${' '.repeat(1_000)}`)).status).toBe(400);
      expect((await post(port, '/convert', ' '.repeat(10_001))).status).toBe(503);
    }
  });

  test('answers that are not taken -> count: the one too many is told to come back, and later it is answered', async () => {
    const large = { ...object('v1beta2', 1), metadata: { name: 'large', annotations: { a: 'x'.repeat(20_000_000) } } };
    const review = conversion('v1beta1', [large]);
    const { port } = await started({ bytesInFlightMax: 45_000_000 });
    const holder = begin(port, `content-length: ${Buffer.byteLength(review)}`, review);
    holder.pause();
    const small = conversion('v1beta1', [object('v1beta2', 1)]);
    expect((await post(port, '/convert', small)).status).toBe(200);
    // Its body is given back; its answer, twice as long as one half of the rest, is not.
    let status = 0;
    while (status !== 503) ({ status } = await post(port, '/convert', conversion('v1beta1', [large, large])));
    holder.end();
    while (status !== 200) ({ status } = await post(port, '/convert', review));
  });

  test('a body that comes byte by byte -> is put together', async () => {
    const { port } = await started();
    const review = conversion('v1beta1', [object('v1beta2', 1)]);
    const chunks = [...review].map((character) => `1\r\n${character}\r\n`).join('');
    expect(await begin(port, 'transfer-encoding: chunked', `${chunks}0\r\n\r\n`).first).toMatch(/^HTTP\/1\.1 200 /);
  });
});

describe('bodies that would hold the process', () => {
  const validate = '/validate-bootstrap-cluster-x-k8s-io-v1beta2-kubeadmconfig';
  const admission = (spec: string): string =>
    `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE","object":${kubeadmConfig(spec)}}}`;
  const kubeadmConfig = (spec: string): string =>
    `{"apiVersion":"${group}/v1beta2","kind":"KubeadmConfig","metadata":{"name":"x"},"spec":${spec}}`;
  const times = (count: number, text: string): string => Array(count).fill(text).join(',');
  const statusIn = (reply: Reply): Record<string, unknown> & { readonly details?: { readonly causes: unknown[] } } =>
    JSON.parse(reply.body).response.status;

  test('admission: more values than two objects have -> refused with the reason', async () => {
    const { port } = await started();
    const reply = await post(port, validate, admission(`{"files":[${times(160_000, '{"path":"a"}')}]}`));
    expect(statusIn(reply)).toMatchObject({ message: "couldn't read the body as JSON: more than 300000 values" });
  });

  test.each([
    ['files', `{"files":[${times(10_001, '{"path":"a"}')}]}`, 'spec.files'],
    [
      'certSANs',
      `{"clusterConfiguration":{"apiServer":{"certSANs":[${times(10_001, '"a"')}]}}}`,
      'spec.clusterConfiguration.apiServer.certSANs',
    ],
  ])('admission: far more %s than the API allows -> refused with the field', async (_, spec, field) => {
    const { port } = await started();
    const reply = await post(port, validate, admission(spec));
    expect(statusIn(reply)).toMatchObject({
      code: 400,
      message: `${field}: Too many: 10001: must have at most 10000 items`,
    });
  });

  test('admission: faults in each of a thousand files -> the first hundred are told', async () => {
    const { port } = await started();
    const reply = await post(port, validate, admission(`{"files":[${times(1_000, '{"path":"a"}')}]}`));
    expect(statusIn(reply).details?.causes).toHaveLength(100);
  });

  test('conversion: far more files than the API allows, or a hundred thousand wrong types -> that review fails, with a short reason', async () => {
    const { port } = await started();
    for (const spec of [`{"files":[${times(100_000, '{}')}]}`, `{"mounts":[${times(9_000, '[1,{}]')}]}`]) {
      const reply = await post(port, '/convert', conversion('v1beta1', [JSON.parse(kubeadmConfig(spec))]));
      const { result } = JSON.parse(reply.body).response;
      expect(result.status).toBe('Failure');
      expect(result.message.length).toBeLessThan(10_000);
    }
  });

  test('conversion: an object with more values than one that can be stored -> refused with the reason', async () => {
    const { port } = await started();
    const spec = `{"a":[${times(500_000, '{}')}]}`;
    const reply = await post(port, '/convert', conversion('v1beta1', [JSON.parse(kubeadmConfig(spec))]));
    expect([reply.status, reply.body]).toEqual([
      400,
      "couldn't read the body as JSON: more than 500000 values in one object\n",
    ]);
  });

  test('conversion: a list of three -> others may run between two of them', async () => {
    let rests = 0;
    const review: unknown = JSON.parse(conversion('v1beta1', Array(3).fill(object('v1beta2', 1))));
    const answer = await answerConversion(review, async () => void (rests += 1));
    expect([rests, 'review' in answer]).toEqual([2, true]);
  });

  test('turns: one fails -> each begins when the one before it ended', async () => {
    const inTurn = createTurns();
    const told: string[] = [];
    const run = (name: string) => async (): Promise<void> => {
      told.push(`${name} begins`);
      await new Promise(setImmediate);
      told.push(`${name} ends`);
      if (name === 'first') throw new Error('a bug');
    };
    await Promise.allSettled([inTurn(run('first')), inTurn(run('second'))]);
    expect(told).toEqual(['first begins', 'first ends', 'second begins', 'second ends']);
  });
});

describe('bodies that fill the memory once they are read', () => {
  test('more values than there may be -> refused with the reason', async () => {
    const { port } = await started();
    const reply = await post(port, '/convert', `[${'{},'.repeat(4_000_000)}{}]`);
    expect([reply.status, reply.body]).toEqual([400, "couldn't read the body as JSON: more than 4000000 values\n"]);
  });
});

describe('certificates that TLS refuses', () => {
  const brokenChain = {
    cert: `${good.cert}\n-----BEGIN CERTIFICATE-----\nbm90IG9uZQ!!\n-----END CERTIFICATE-----\n`,
    key: good.key,
  };

  test('at the start: a broken certificate behind a good one -> an error that names the folder', async () => {
    const path = folder();
    mountCertificate(path, 0, brokenChain);
    await expect(start(path)).rejects.toThrow(
      `TLS refuses key or certificate (ERR_OSSL_PEM_BAD_BASE64_DECODE) in ${path}`,
    );
  });

  test('while it runs: a broken certificate behind a good one -> the last one stays, the log says so, the next good one is used', async () => {
    const path = folder();
    mountCertificate(path, 0, good);
    const timers = handTimers();
    const said: string[] = [];
    const note = (message: string, fields?: object): number => said.push(`${message} ${JSON.stringify(fields ?? {})}`);
    const logger: Logger = { ...silentLogger, error: note, info: note };
    const reads: boolean[] = [];
    const { port } = await start(path, {
      timers,
      logger,
      observer: { onCertificateRead: (isUsable) => reads.push(isUsable) },
    });
    mountCertificate(path, 1, brokenChain);
    timers.runAll();
    while (reads.at(-1) !== false) await new Promise(setImmediate);
    expect((await post(port, '/convert', '')).status).toBe(400);
    expect(said.join('\n')).toContain('Webhook certificate cannot be used, keeping the last one');
    expect(said.join('\n')).toContain('ERR_OSSL_PEM_BAD_BASE64_DECODE');
    mountCertificate(path, 2, servingCertificate('next'));
    timers.runAll();
    while (!said.join('\n').includes('Webhook certificate loaded')) await new Promise(setImmediate);
    expect((await post(port, '/convert', '')).status).toBe(400);
  });

  test('a key that is too short for TLS -> is no certificate', async () => {
    const path = folder();
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    writeFileSync(join(path, 'tls.crt'), good.cert);
    writeFileSync(join(path, 'tls.key'), privateKey.export({ type: 'pkcs1', format: 'pem' }));
    await expect(start(path)).rejects.toThrow('no usable certificate');
  });
});

describe('a certificate that is not there yet', () => {
  test('waited for: none, then one -> not ready with the reason, then it serves', async () => {
    const path = folder();
    const timers = handTimers();
    const server = await start(path, { timers, waitForCertificate: true });
    expect(server.waitsFor()).toBe(`${join(path, 'tls.crt')} does not exist`);
    await expect(server.check()).rejects.toThrow('waits for its certificate');
    mountCertificate(path, 0, good);
    while (server.waitsFor() !== null) {
      timers.runAll();
      await new Promise(setImmediate);
    }
    await server.check();
    expect((await post(server.port, '/convert', '')).status).toBe(400);
  });

  test('waited for: stopped before it comes -> ends', async () => {
    const server = await start(folder(), { waitForCertificate: true });
    await server.stop();
  });
});
