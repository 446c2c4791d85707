// The built program as a process, and strangers on all its ports: it lives, leads and serves as before.

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { seededRandom } from '../../src/cli/seeded-random.js';
import { createEmbeddedApiServer } from '../../src/embedded/api-server.js';
import { bootstrapDefinitions, coreDefinitions } from '../../src/embedded/crds.js';
import type { EmbeddedApiServer } from '../../src/embedded/types.js';
import { systemClock, systemRandom } from '../../src/system.js';
import { printedSeed, sized } from '../test-size.js';
import { emptyFolder, mountCertificate, servingCertificate } from '../unit/webhooks/serving-certificate.js';
import { bundle, until } from '../worlds/operator-process.js';
import { drawFrom, requestBytes, review, soundReview, type Draw, type Review } from './inputs.js';

const INPUTS = sized(20_000, 800_000);
const AT_ONCE = 32;
/** An input that never ends is ended by us; nothing is judged by this time. */
const UNANSWERED_MS = 50;
const NAMESPACE = 'capi-kubeadm-bootstrap-system';
const LEASE = 'kubeadm-bootstrap-manager-leader-election-capi';
const FIRST_PORT = 20_000 + (process.pid % 5_000) * 4;
const [HEALTH, METRICS, WEBHOOK, INSPECTOR] = [FIRST_PORT, FIRST_PORT + 1, FIRST_PORT + 2, FIRST_PORT + 3];

const folder = mkdtempSync(join(tmpdir(), 'fuzz-'));
const certificates = emptyFolder();
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE, rejectUnauthorized: false });
let server: EmbeddedApiServer;
/** The port of the API server in memory is a port, too: another one, so that its objects may be anything. */
let victim: EmbeddedApiServer;
let operator: ChildProcess;
let lastOutput = '';
const complaints: string[] = [];

const apiServer = (): EmbeddedApiServer =>
  createEmbeddedApiServer({
    clock: systemClock,
    random: systemRandom,
    crds: [...coreDefinitions, ...bootstrapDefinitions],
    namespaces: [NAMESPACE],
  });

function listen(): ChildProcess {
  const flags = [
    `--kubeconfig=${join(folder, 'kubeconfig')}`,
    `--health-addr=127.0.0.1:${HEALTH}`,
    `--diagnostics-address=127.0.0.1:${METRICS}`,
    `--webhook-port=${WEBHOOK}`,
    `--webhook-cert-dir=${certificates}`,
    `--inspector-bind-address=127.0.0.1:${INSPECTOR}`,
    '--inspector-protocols=ui,stately,xstate-inspect',
    '--inspector-auth=token',
    `--inspector-token-file=${join(folder, 'token')}`,
    '--leader-elect',
    '--v=0',
  ];
  const child = spawn(process.execPath, [bundle, 'run', ...flags], { env: {}, stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr?.on('data', (data: Buffer) => {
    const text = data.toString();
    lastOutput = `${lastOutput}${text}`.slice(-20_000);
    for (const line of text.split('\n'))
      if (
        /Handler of a port failed|Webhook handler failed|Nothing caught|Unhandled|Warning:/.test(line) &&
        complaints.length < 20
      )
        complaints.push(line.slice(0, 1_000));
  });
  return child;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function post({ path, type, body }: Review): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { ...(type === '' ? {} : { 'content-type': type }), 'content-length': body.length };
    const call = request({ host: '127.0.0.1', port: WEBHOOK, path, method: 'POST', agent, headers }, (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(pieces).toString() }));
    });
    call.on('error', reject);
    call.end(body);
  });
}

/** Sends bytes on a connection of their own; resolves with whatever came back until it was closed. */
function sendRaw(port: number, isTls: boolean, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    let timer: NodeJS.Timeout | undefined;
    const where = { port, host: '127.0.0.1' };
    const begin = (): void => {
      socket.write(bytes);
      timer = setTimeout(() => socket.end(), UNANSWERED_MS);
    };
    const socket: Socket = isTls ? connectTls({ ...where, rejectUnauthorized: false }, begin) : connect(where, begin);
    socket.on('data', (data: Buffer) => {
      text += data.toString('latin1');
      // A stream of events and a WebSocket stay open: the head is what is looked at.
      if (/^HTTP\/1\.1 (?:101|200) [^]*(?:event-stream|websocket)[^]*\r\n\r\n/i.test(text)) socket.destroy();
      else socket.end();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(text);
    });
  });
}

const ANSWER = /^HTTP\/1\.[01] [1-5]\d\d [^\r\n]*\r\n(?:[!-9;-~]+:[^\r\n]*\r\n)*\r\n/;

/** What is wrong with an answer; null when nothing is. */
function judgedRaw(text: string): string | null {
  if (text === '') return null;
  if (!ANSWER.test(text)) return `no HTTP answer: ${JSON.stringify(text.slice(0, 200))}`;
  return / 500 |internal error/.test(text.slice(0, 40)) ? 'an internal error' : null;
}

function judgedReview({ kind }: Review, { status, text }: Answer): string | null {
  if (status === 400 || status === 404 || status === 413) return null;
  if (status !== 200) return `status ${status}`;
  const answer = JSON.parse(text) as { readonly kind?: unknown; readonly response?: Record<string, unknown> };
  if (answer.kind !== kind) return `kind ${String(answer.kind)}`;
  if (kind === 'AdmissionReview')
    return typeof answer.response?.['allowed'] === 'boolean' ? null : 'neither yes nor no';
  const result = (answer.response?.['result'] as { readonly status?: unknown } | undefined)?.status;
  return result === 'Success' || result === 'Failure' ? null : 'neither success nor failure';
}

/** Sends one input; says what is wrong with what came back. */
async function tryOne(draw: Draw): Promise<string | null> {
  if (draw.chance(0.5)) {
    const one = review(draw);
    const problem = await post(one).then(
      (answer) => judgedReview(one, answer),
      (error: unknown) => String(error),
    );
    return problem === null ? null : `${problem} to ${one.path} ${one.body.toString().slice(0, 600)}`;
  }
  const victimPort = Number(new URL(victim.url() ?? '').port);
  const [port, isTls] = draw.chance(0.05)
    ? draw.pick([[METRICS, true] as const, [WEBHOOK, true] as const])
    : draw.pick([[HEALTH, false] as const, [INSPECTOR, false] as const, [victimPort, false] as const]);
  const bytes = requestBytes(draw, `127.0.0.1:${port}`);
  const problem = judgedRaw(await sendRaw(port, isTls, bytes));
  return problem === null
    ? null
    : `${problem} to port ${port} ${JSON.stringify(bytes.toString('latin1').slice(0, 2_000))}`;
}

const lease = (): { readonly holderIdentity?: string; readonly leaseTransitions?: number } =>
  (server.store.get('leases.coordination.k8s.io', NAMESPACE, LEASE) as { readonly spec?: object } | null)?.spec ?? {};

const statusOf = async (path: string): Promise<number> =>
  (await fetch(`http://127.0.0.1:${HEALTH}${path}`).catch(() => ({ status: 0 }))).status;

beforeAll(async () => {
  server = apiServer();
  victim = apiServer();
  await server.listen();
  await victim.listen();
  writeFileSync(join(folder, 'kubeconfig'), server.kubeconfig());
  mountCertificate(certificates, 0, servingCertificate('fuzz'));
  operator = listen();
  await until(
    'ready and leading',
    async () => [await statusOf('/readyz'), lease().holderIdentity ?? '', operator.exitCode, lastOutput],
    ([ready, holder, exitCode]) => (ready === 200 && holder !== '') || exitCode !== null,
  );
});

afterAll(async () => {
  agent.destroy();
  operator.kill('SIGKILL');
  await server.close();
  await victim.close();
  for (const each of [folder, certificates]) rmSync(each, { recursive: true, force: true });
});

describe('strangers on every port', () => {
  test(
    `${INPUTS} requests, upgrades and reviews -> every answer is one, and the process lives, leads and serves`,
    async () => {
      const draw = drawFrom(seededRandom(printedSeed('fuzz of the ports')).next);
      const before = lease();
      const problems: string[] = [];
      let left = INPUTS;
      const stranger = async (): Promise<void> => {
        while (left > 0 && problems.length < 5 && operator.exitCode === null) {
          left -= 1;
          const index = INPUTS - left;
          // The draws of an input are its own: which stranger sends it does not matter.
          const problem = await tryOne(drawFrom(seededRandom(draw.below(2 ** 31)).next));
          if (problem !== null) problems.push(`input ${index}: ${problem}`);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, stranger));
      expect([problems, complaints]).toEqual([[], []]);
      expect([operator.exitCode, operator.signalCode, lastOutput]).toEqual([null, null, expect.anything()]);
      expect([await statusOf('/healthz'), await statusOf('/readyz')]).toEqual([200, 200]);
      expect(JSON.parse((await post(soundReview)).text)).toMatchObject({ response: { allowed: true } });
      const token = readFileSync(join(folder, 'token'), 'utf8').trim();
      const headers = { authorization: `Bearer ${token}` };
      expect((await fetch(`http://127.0.0.1:${INSPECTOR}/api/charts`, { headers })).status).toBe(200);
      expect((await fetch(`${victim.url()}/version`)).status).toBe(200);
      expect(lease()).toMatchObject({
        holderIdentity: before.holderIdentity,
        leaseTransitions: before.leaseTransitions,
      });
    },
    sized(240_000, 4 * 3_600_000),
  );
});
