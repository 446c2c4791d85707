// The built program as a process: how it starts, how it ends, and what it does with signals and errors that nothing caught.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { createEmbeddedApiServer } from '../../../src/embedded/api-server.js';
import { bootstrapDefinitions, coreDefinitions } from '../../../src/embedded/crds.js';
import type { EmbeddedApiServer } from '../../../src/embedded/types.js';
import { systemClock, systemRandom } from '../../../src/system.js';
import { bundle, until } from '../../worlds/operator-process.js';

const folder = mkdtempSync(join(tmpdir(), 'process-'));
const NAMESPACE = 'capi-kubeadm-bootstrap-system';
let server: EmbeddedApiServer;
/** Takes connections and never answers; its port serves as one that is taken, too. */
let silent: Server;
let silentPort = 0;

beforeAll(async () => {
  const crds = [...coreDefinitions, ...bootstrapDefinitions];
  server = createEmbeddedApiServer({ clock: systemClock, random: systemRandom, crds, namespaces: [NAMESPACE] });
  await server.listen();
  writeFileSync(join(folder, 'kubeconfig'), server.kubeconfig());
  silent = createServer((socket) => socket.on('error', () => undefined));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  const address = silent.address();
  silentPort = typeof address === 'object' && address !== null ? address.port : 0;
  writeFileSync(
    join(folder, 'silent'),
    server.kubeconfig().replace(server.url() ?? '', `http://127.0.0.1:${silentPort}`),
  );
});

const children: { kill(signal: 'SIGKILL'): boolean }[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

afterAll(async () => {
  silent.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly output: () => string;
  readonly exited: Promise<readonly [number | null, NodeJS.Signals | null]>;
  readonly hasExited: () => boolean;
  readonly signal: (name: NodeJS.Signals) => void;
}

function run(flags: readonly string[], more: { readonly kubeconfig?: string; readonly preload?: string } = {}): Run {
  const off = ['--health-addr=', '--diagnostics-address=', '--inspector-bind-address='];
  const { kubeconfig = 'kubeconfig', preload } = more;
  const preloads =
    preload === undefined ? [] : ['--import', `data:text/javascript;base64,${Buffer.from(preload).toString('base64')}`];
  const args = [...preloads, bundle, 'run', `--kubeconfig=${join(folder, kubeconfig)}`, ...off, ...flags];
  const child = spawn(process.execPath, args, { env: {}, stdio: ['ignore', 'pipe', 'pipe'] });
  children.push(child);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  return {
    output: () => output,
    exited: new Promise((resolve) => child.once('close', (code, signal) => resolve([code, signal]))),
    hasExited: () => child.exitCode !== null,
    signal: (name) => void child.kill(name),
  };
}

const says = (one: Run, text: string): Promise<string> =>
  until(
    text,
    () => one.output(),
    (output) => output.includes(text) || one.hasExited(),
  );

describe('a start that fails', () => {
  test.each([
    ['port of health', '--health-addr=127.0.0.1:TAKEN', 1, '--health-addr: cannot listen on port'],
    ['port of metrics', '--diagnostics-address=127.0.0.1:TAKEN', 1, '--diagnostics-address: cannot listen on port'],
    ['folder of webhooks', '--webhook-port=0', 1, 'no usable certificate in'],
    ['cipher suites', '--tls-cipher-suites=TLS_NONE', 2, 'TLS_NONE'],
    ['address of the inspector', '--inspector-bind-address=0.0.0.0:0', 2, '--inspector-bind-address'],
    ['token of the inspector', '--inspector-token-file=/', 1, '--inspector-token-file: / cannot be read (EISDIR)'],
  ])('%s that cannot be used -> the error, and the process ends', async (_, flag, code, text) => {
    const more = flag.includes('token') ? ['--inspector-bind-address=127.0.0.1:0', '--inspector-auth=token'] : [];
    const one = run(['--diagnostics-address=127.0.0.1:0', ...more, flag.replace('TAKEN', String(silentPort))]);
    expect([await one.exited, one.output()]).toEqual([[code, null], expect.stringContaining(text)]);
  });
});

describe('signals', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s while it starts, on an API server that never answers -> ends at once with 0',
    async (signal) => {
      const one = run(['--leader-elect'], { kubeconfig: 'silent' });
      await says(one, 'Webhook server is off');
      one.signal(signal);
      expect(await one.exited).toEqual([0, null]);
    },
  );

  test('SIGUSR1: the signal of the debugger -> nothing listens, and it goes on', async () => {
    const one = run([]);
    await says(one, 'Starting manager');
    one.signal('SIGUSR1');
    one.signal('SIGUSR1');
    one.signal('SIGTERM');
    expect(await one.exited).toEqual([0, null]);
    expect(one.output()).not.toContain('Debugger');
  });
});

describe('errors that nothing caught', () => {
  const secret = 'abcdef.0123456789abcdef';
  test.each([
    ['exception', `process.on('SIGUSR2', () => { throw new Error('token ${secret} of nobody'); });`],
    ['rejection', `process.on('SIGUSR2', () => void Promise.reject(new Error('token ${secret} of nobody')));`],
  ])('%s: while it leads -> logged without the secret, the Lease is given back, exit code 1', async (kind, preload) => {
    const one = run(['--leader-elect'], { preload });
    await says(one, 'Lease acquired');
    one.signal('SIGUSR2');
    expect(await one.exited).toEqual([1, null]);
    expect(one.output()).toContain('Nothing caught this error, the process ends');
    expect(one.output()).toContain(`kind="${kind}"`);
    expect(one.output()).toContain('of nobody');
    expect(one.output()).not.toContain(secret);
    const lease = server.store.get(
      'leases.coordination.k8s.io',
      NAMESPACE,
      'kubeadm-bootstrap-manager-leader-election-capi',
    ) as { readonly spec?: { readonly holderIdentity?: string } } | null;
    expect(lease?.spec?.holderIdentity ?? '').toBe('');
  });
});
