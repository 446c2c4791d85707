import { X509Certificate } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import { silentLogger } from '../../../src/log.js';
import { startWebhookServer, type WebhookServer, type WebhookServerOptions } from '../../../src/webhooks/server.js';
import { emptyFolder, mountCertificate, servingCertificate } from './serving-certificate.js';

const configPath = '/validate-bootstrap-cluster-x-k8s-io-v1beta2-kubeadmconfig';
const review = (object: unknown) =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'u-1', operation: 'CREATE', object },
  });
const one = servingCertificate('one');
const goodConfig = {
  apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
  kind: 'KubeadmConfig',
  metadata: { name: 'c', namespace: 'ns' },
  spec: { verbosity: 1 },
};

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly commonName: string;
}

interface Post {
  readonly port: number;
  readonly path: string;
  readonly body: string;
  readonly agent?: Agent;
  readonly type?: string;
}

function post({ port, path, body, agent, type = 'application/json' }: Post): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const call = request(
      {
        host: 'localhost',
        port,
        path,
        method: 'POST',
        rejectUnauthorized: false,
        headers: { 'content-type': type },
        agent: agent ?? false,
      },
      (response) => {
        const socket = response.socket as TLSSocket;
        const commonName = new X509Certificate(socket.getPeerCertificate().raw).subject;
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text, commonName }));
      },
    );
    call.on('error', reject);
    call.end(body);
  });
}

const faults: unknown[] = [];
const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

function folder(): string {
  const path = emptyFolder();
  cleanups.push(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

// Waiting for complete files takes one round of the event loop here, and nothing is looked at by the clock.
const timers = {
  schedule: (delayMs: number, run: () => void) => {
    if (delayMs > 1000) return () => undefined;
    const immediate = setImmediate(run);
    return () => clearImmediate(immediate);
  },
};

async function start(certFolder: string, more: Partial<WebhookServerOptions> = {}): Promise<WebhookServer> {
  const server = await startWebhookServer({
    port: 0,
    host: 'localhost',
    certificate: { folder: certFolder, certificateName: 'tls.crt', keyName: 'tls.key' },
    gates: { KubeadmBootstrapFormatIgnition: false },
    timers,
    monotonicMs: () => 0,
    logger: silentLogger,
    onFault: ({ error }) => faults.push(error),
    ...more,
  });
  cleanups.push(() => server.stop());
  return server;
}

describe('webhook server', () => {
  test('admission: a valid object -> allowed, with the uid of the request', async () => {
    const path = folder();
    mountCertificate(path, 0, one);
    const { port } = await start(path);
    const { status, body } = await post({ port, path: configPath, body: review(goodConfig) });
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({
      kind: 'AdmissionReview',
      apiVersion: 'admission.k8s.io/v1',
      response: { uid: 'u-1', allowed: true, status: { metadata: {}, code: 200 } },
    });
  });

  test('conversion: an object of the other version -> converted', async () => {
    const path = folder();
    mountCertificate(path, 0, one);
    const { port } = await start(path);
    const desiredAPIVersion = 'bootstrap.cluster.x-k8s.io/v1beta1';
    const body = JSON.stringify({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      request: { uid: 'u-2', desiredAPIVersion, objects: [goodConfig] },
    });
    const reply = await post({ port, path: '/convert', body });
    const { response } = JSON.parse(reply.body);
    expect(response.uid).toBe('u-2');
    expect(response.result.status).toBe('Success');
    expect(response.convertedObjects).toHaveLength(1);
    expect(response.convertedObjects[0].apiVersion).toBe(desiredAPIVersion);
  });

  test.each([
    ['no body', configPath, '', 'application/json', 200, 'request body is empty'],
    ['no JSON', configPath, '{', 'application/json', 200, "couldn't read the body as JSON"],
    ['no review', configPath, '[]', 'application/json', 200, 'the AdmissionReview has no request'],
    ['wrong content type', configPath, '{}', 'text/plain', 200, 'contentType=text/plain, expected application/json'],
    ['no object', configPath, review(null), 'application/json', 200, 'there is no content to decode'],
    [
      'another kind',
      configPath,
      review({ ...goodConfig, kind: 'Pod' }),
      'application/json',
      200,
      'this webhook is about bootstrap.cluster.x-k8s.io/v1beta2, Kind=KubeadmConfig',
    ],
    [
      'a field of the wrong type',
      configPath,
      review({ ...goodConfig, spec: { verbosity: 'high' } }),
      'application/json',
      200,
      'spec.verbosity: must be a whole number, is a string',
    ],
    ['conversion without a review', '/convert', '{}', 'application/json', 400, 'ConversionReview'],
    ['unknown path', '/mutate', '{}', 'application/json', 404, '404 page not found'],
  ])('bad reviews: %s -> a clear answer', async (_, path, body, type, status, message) => {
    const certFolder = folder();
    mountCertificate(certFolder, 0, one);
    const { port } = await start(certFolder);
    const reply = await post({ port, path, body, type });
    expect(reply.status).toBe(status);
    expect(reply.body).toContain(message.replaceAll('"', '\\"'));
    if (path === configPath) expect(JSON.parse(reply.body).response.allowed).toBe(false);
  });

  test('bad reviews: a body above the limit -> code 413 inside the review', async () => {
    const path = folder();
    mountCertificate(path, 0, one);
    const { port } = await start(path);
    const { body } = await post({ port, path: configPath, body: ' '.repeat(7 * 1024 * 1024 + 1) });
    expect(JSON.parse(body).response).toMatchObject({ allowed: false, status: { code: 413 } });
  });

  test('start: no certificate -> an error that names the folder and the port', async () => {
    const path = folder();
    await expect(start(path, { port: 9443 })).rejects.toThrow(
      `webhook server on port 9443: no usable certificate in ${path}: ${join(path, 'tls.crt')} does not exist`,
    );
  });

  test('start: key of another certificate -> an error that names the folder', async () => {
    const path = folder();
    mountCertificate(path, 0, { cert: one.cert, key: servingCertificate('two').key });
    await expect(start(path)).rejects.toThrow(`key and certificate do not belong together in ${path}`);
  });

  test('stop: a connection without a request -> does not keep the server', async () => {
    const path = folder();
    mountCertificate(path, 0, one);
    const server = await start(path);
    const socket = connect({ port: server.port, host: 'localhost', rejectUnauthorized: false });
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume();
    await server.stop();
    await closed;
  });

  test('check: a running server -> works; a stopped one -> says that it is not reachable', async () => {
    const path = folder();
    mountCertificate(path, 0, one);
    const server = await start(path);
    await server.check();
    await server.stop();
    await expect(server.check()).rejects.toThrow('webhook server is not reachable');
  });
});

describe('certificate rotation', () => {
  test('rotation under load: 12 rotations while admissions run -> none fails, and every certificate is used', async () => {
    const path = folder();
    const certificates = ['a', 'b', 'c'].map(servingCertificate);
    mountCertificate(path, 0, certificates[0] ?? servingCertificate('a'));
    const { port } = await start(path);
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    cleanups.push(() => agent.destroy());
    const seen: string[] = [];
    let isOver = false;
    let answered = 0;

    const client = async (own?: Agent): Promise<void> => {
      while (!isOver) {
        const reply = await post({ port, path: configPath, body: review(goodConfig), ...(own && { agent: own }) });
        expect(reply.status).toBe(200);
        expect(JSON.parse(reply.body).response.allowed).toBe(true);
        if (own === undefined && seen.at(-1) !== reply.commonName) seen.push(reply.commonName);
        answered += 1;
      }
    };
    const clients = [client(), client(), client(agent), client(agent)];
    const failed = Promise.all(clients);
    for (let generation = 1; generation <= 12; generation += 1) {
      const name = ['a', 'b', 'c'][generation % 3] ?? '';
      const certificate = certificates[generation % 3];
      if (certificate === undefined) throw new Error('no certificate');
      mountCertificate(path, generation, certificate);
      while (seen.at(-1) !== `CN=${name}`) await Promise.race([failed, new Promise(setImmediate)]);
    }
    isOver = true;
    await failed;
    expect(answered).toBeGreaterThan(50);
    expect(new Set(seen)).toEqual(new Set(['CN=a', 'CN=b', 'CN=c']));
  });

  test('half a change: a key that does not fit yet -> the last certificate stays, then the new one is used', async () => {
    const path = folder();
    const [first, second] = [servingCertificate('first'), servingCertificate('second')];
    writeFileSync(join(path, 'tls.crt'), first.cert);
    writeFileSync(join(path, 'tls.key'), first.key);
    const reads: boolean[] = [];
    const { port } = await start(path, { observer: { onCertificateRead: (isUsable) => reads.push(isUsable) } });
    writeFileSync(join(path, 'tls.crt'), second.cert);
    while (!reads.includes(false)) await new Promise(setImmediate);
    expect((await post({ port, path: configPath, body: review(goodConfig) })).commonName).toBe('CN=first');
    writeFileSync(join(path, 'tls.key'), second.key);
    while (reads.at(-1) !== true || reads.length < 3) await new Promise(setImmediate);
    expect((await post({ port, path: configPath, body: review(goodConfig) })).commonName).toBe('CN=second');
  });
});
