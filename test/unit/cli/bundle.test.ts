// The built program alone: one file in a folder with nothing else, nothing but Node on the machine.

import { execFile, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createEmbeddedApiServer } from '../../../src/embedded/api-server.js';
import { bootstrapDefinitions, coreDefinitions } from '../../../src/embedded/crds.js';
import type { EmbeddedApiServer } from '../../../src/embedded/types.js';
import { systemClock, systemRandom } from '../../../src/system.js';
import { startOperatorProcess, until } from '../../worlds/operator-process.js';

const PORT = 25_000 + (process.pid % 5_000);
const program = 'kubeadm-bootstrap-operator.js';
const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
const outside = mkdtempSync(join(tmpdir(), 'bundle-config-'));
const TOKEN = 'token-of-the-operator';
let server: EmbeddedApiServer;
let url = '';

/** A kubeconfig whose token comes from a program: Node itself, which prints it. */
function kubeconfigOfPlugin(url: string): string {
  const apiVersion = 'client.authentication.k8s.io/v1';
  const answer = JSON.stringify({ apiVersion, kind: 'ExecCredential', status: { token: TOKEN } });
  const args = ['-e', `process.stdout.write(${JSON.stringify(answer)})`];
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'x', user: 'x' } }],
    clusters: [{ name: 'x', cluster: { server: url } }],
    users: [{ name: 'x', user: { exec: { apiVersion, command: process.execPath, args, interactiveMode: 'Never' } } }],
  });
}

beforeAll(async () => {
  // Without a package.json in reach Node would take the file for CommonJS: the name says that it is a module.
  copyFileSync(`dist/${program}`, join(folder, 'operator.mjs'));
  server = createEmbeddedApiServer({
    clock: systemClock,
    random: systemRandom,
    crds: [...coreDefinitions, ...bootstrapDefinitions],
    namespaces: ['capi-kubeadm-bootstrap-system'],
    users: [{ name: 'operator', token: TOKEN, groups: ['system:masters'] }],
  });
  ({ url } = await server.listen());
  writeFileSync(join(outside, 'kubeconfig'), server.kubeconfig());
  writeFileSync(join(outside, 'kubeconfig-of-plugin'), kubeconfigOfPlugin(url));
});

afterAll(async () => {
  await server.close();
  for (const each of [folder, outside]) rmSync(each, { recursive: true, force: true });
});

const statusOf = (path: string): Promise<number> =>
  new Promise((resolve) => {
    get({ port: PORT, path, host: '127.0.0.1' }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on('error', () => resolve(0));
  });

describe('bundle in an empty folder', () => {
  test.each([
    ['an empty cluster', 'kubeconfig'],
    ['credentials from a plugin', 'kubeconfig-of-plugin'],
  ])(
    'run: %s, no environment -> ready, leads, ends with 0 on SIGTERM, and has written no file',
    async (_, kubeconfig) => {
      const flags = [
        `--kubeconfig=${join(outside, kubeconfig)}`,
        `--health-addr=127.0.0.1:${PORT}`,
        '--diagnostics-address=127.0.0.1:0',
        '--inspector-bind-address=127.0.0.1:0',
        '--controllers=kubeadmconfig',
        '--leader-elect',
      ];
      const child = spawn(process.execPath, ['operator.mjs', 'run', ...flags], {
        cwd: folder,
        env: {},
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (data: Buffer) => (output += data.toString()));
      const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
      try {
        await until(
          'ready',
          () => statusOf('/readyz'),
          (status) => status === 200 || child.exitCode !== null,
        );
        await until(
          'leads',
          () => output,
          (text) => text.includes('Lease acquired') || child.exitCode !== null,
        );
        expect(await statusOf('/healthz')).toBe(200);
      } finally {
        child.kill('SIGTERM');
      }
      expect([await exited, output]).toEqual([0, expect.stringContaining('Stopping')]);
      expect(readdirSync(folder)).toEqual(['operator.mjs']);
    },
    60_000,
  );

  test('run: no leader election, and the Go manager holds its Lease -> a warning that names Lease and holder', async () => {
    const namespace = 'capi-kubeadm-bootstrap-system';
    const name = 'kubeadm-bootstrap-manager-leader-election-capi';
    const now = new Date().toISOString().replace('Z', '000Z');
    const times = { acquireTime: now, renewTime: now, leaseDurationSeconds: 3_600, leaseTransitions: 1 };
    const path = `${url}/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    await fetch(`${path}/${name}`, { method: 'DELETE', headers });
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name, namespace } };
    const body = JSON.stringify({ ...lease, spec: { ...times, holderIdentity: 'go-manager_1' } });
    expect((await fetch(path, { method: 'POST', headers, body })).status).toBe(201);
    const operator = startOperatorProcess(join(outside, 'kubeconfig'));
    const warned = await until(
      'the warning',
      () => operator.output(),
      (text) => text.includes('Another manager holds the Lease'),
    ).finally(() => operator.stop());
    expect(warned).toContain(`Lease="${namespace}/${name}" holder="go-manager_1"`);
    await fetch(`${path}/${name}`, { method: 'DELETE', headers });
  }, 60_000);

  test.each([
    ['version', ['version', '--output=json'], /"gitVersion"|"version"/],
    ['help', ['--help'], /Usage: kubeadm-bootstrap-operator/],
    ['help of run', ['run', '--help'], /--leader-elect/],
    ['visualize', ['visualize', '--help'], /Usage/],
    ['demo', ['demo', '--exit', '--workers=1', '--timeout=60s'], /Settled after/],
  ])(
    '%s: -> works, exit code 0',
    async (_, args, expected) => {
      const { stdout } = await promisify(execFile)(process.execPath, ['operator.mjs', ...args], {
        cwd: folder,
        env: {},
      });
      expect(stdout).toMatch(expected);
      expect(readdirSync(folder)).toEqual(['operator.mjs']);
    },
    90_000,
  );
});
