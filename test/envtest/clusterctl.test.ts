// The real clusterctl with a repository made by our build: install, go back to the Go provider, come again, and swap the image alone.
//
// Go is needed to build clusterctl. Where it is not there, that is said, and only CI counts it as a failure.
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { get as httpGet } from 'node:http';
import { get as httpsGet, type RequestOptions } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { dirname } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApiServer, type EnvtestServer } from './api-server.js';
import { clusterctlPrograms } from './clusterctl/programs.mjs';
import {
  createWorkbench,
  NAMESPACE,
  pretendCertManager,
  UPSTREAM,
  withoutWebhooks,
  type Workbench,
} from './clusterctl/workbench.js';
import { coreDefinitions } from '../../src/embedded/crds.js';
import { installDefinitions } from './definitions.js';
import { ACCOUNT, ACCOUNT_USER, accountKubeconfig } from './installed.js';
import { until } from '../worlds/operator-process.js';

const programs = clusterctlPrograms();

interface Container {
  readonly image: string;
  readonly command: readonly string[];
  readonly args: readonly string[];
  readonly env: readonly {
    readonly name: string;
    readonly valueFrom: { readonly fieldRef: { readonly fieldPath: string } };
  }[];
}

test('clusterctl: on this machine -> built, or the reason why not is said', () => {
  if (programs.reason !== null) process.stderr.write(`clusterctl: nothing was run: ${programs.reason}\n`);
  expect(programs.reason === null || process.env['CI'] !== 'true').toBe(true);
});

describe.each(programs.program === null ? [] : [programs])('clusterctl', ({ program, moduleFolder }) => {
  let server: EnvtestServer;
  let bench: Workbench;

  const installed = async (): Promise<{ readonly version: string; readonly container: Container }> => {
    const provider = `/apis/clusterctl.cluster.x-k8s.io/v1alpha3/namespaces/${NAMESPACE}/providers/bootstrap-kubeadm`;
    const { body } = await server.call('GET', provider);
    const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/capi-kubeadm-bootstrap-controller-manager`;
    const deployment = (await server.call('GET', path)).body as {
      spec: { template: { spec: { containers: [Container] } } };
    };
    return { version: String(body['version']), container: deployment.spec.template.spec.containers[0] };
  };

  beforeAll(async () => {
    server = await startApiServer({ audit: true });
    bench = createWorkbench(program, moduleFolder);
  }, 300_000);

  afterAll(async () => {
    await server?.stop();
    bench?.close();
  });

  test('init: a repository of our build -> installed, variables filled in', async () => {
    await bench.init(server);
    const { version, container } = await installed();
    expect(version).toBe(bench.ours);
    expect(container.image).toContain('kubeadm-bootstrap-operator:');
    expect(container.args.join(' ')).toContain('KubeadmBootstrapFormatIgnition=true');
    expect(container.args.join(' ')).not.toContain('${');
  }, 120_000);

  test('upgrade: back to the Go provider -> its image, in place', async () => {
    bench.clusterctl(server, 'upgrade', 'apply', '--bootstrap', `${NAMESPACE}/kubeadm:${UPSTREAM}`);
    const before = await installed();
    expect(before.version).toBe(UPSTREAM);
    expect(before.container.image).toContain('kubeadm-bootstrap-controller');
  }, 240_000);

  test('swap of the image alone: the command line, account, role and definitions of the Go provider’s Deployment -> our program leads and answers on its ports', async () => {
    const { container } = await installed();
    expect(container.image).toContain('kubeadm-bootstrap-controller');
    expect(container.command).toEqual(['/manager']);
    const fields: Readonly<Record<string, string>> = {
      'metadata.namespace': NAMESPACE,
      'metadata.name': 'manager-0',
      'metadata.uid': '1',
    };
    const env = Object.fromEntries(
      (container.env ?? []).map(({ name, valueFrom }) => [name, fields[valueFrom.fieldRef.fieldPath] ?? '']),
    );
    // What a pod has and a process has not: the account's token comes in a kubeconfig.
    const kubeconfig = await accountKubeconfig(server, ACCOUNT);
    const child = spawn(process.execPath, ['dist/kubeadm-bootstrap-operator.js', ...container.args], {
      env: { ...env, KUBECONFIG: kubeconfig, PATH: process.env['PATH'] ?? '' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let output = '';
    child.stderr.on('data', (data: Buffer) => (output += data.toString()));
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    try {
      await until(
        'it leads',
        () => output,
        (text) => text.includes('Lease acquired') || child.exitCode !== null,
      );
      expect(output).toContain('Lease acquired');
      for (const path of ['/healthz', '/readyz']) expect(await statusOf(httpGet, { port: 9440, path })).toBe(200);
      const metrics = { port: 8443, path: '/metrics', rejectUnauthorized: false };
      expect(await statusOf(httpsGet, metrics)).toBe(401);
      const headers = { authorization: `Bearer ${server.token()}` };
      expect(await statusOf(httpsGet, { ...metrics, headers })).toBe(200);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await exited).toBe(0);
    const refused = server
      .auditEntries()
      .filter(({ user, responseStatus }) => user.username === ACCOUNT_USER && responseStatus?.code === 403)
      .map(({ verb, requestURI }) => `${verb} ${requestURI}`);
    expect(refused).toEqual([]);
  }, 120_000);

  test('documents: the kubectl commands of install.md, swap.md and troubleshooting.md, on a server without anything of ours -> work as they stand', async () => {
    const fresh = await startApiServer();
    const run = (command: string): string => {
      const bin = `${dirname(program)}:${process.env['KUBEBUILDER_ASSETS']}:${process.env['PATH']}`;
      const env = { ...process.env, PATH: bin, KUBECONFIG: fresh.kubeconfigFile(), HOME: fresh.folder };
      const ours = `kubeadm-bootstrap-operator() { ${process.execPath} dist/kubeadm-bootstrap-operator.js "$@"; }; `;
      const named = command.replaceAll('NAMESPACE', 'default').replaceAll(/\bNAME\b/g, 'caught');
      const { status, stdout, stderr } = spawnSync('bash', ['-c', `set -eo pipefail; ${ours}${named}`], {
        encoding: 'utf8',
        env: { ...env, CLUSTERCTL_DISABLE_VERSIONCHECK: 'true' },
      });
      expect([named, stderr, status]).toEqual([named, stderr, 0]);
      return stdout;
    };
    const commands = ['install', 'swap', 'troubleshooting'].flatMap(commandsOf);
    const uses = (word: string): string => commands.find((command) => command.includes(word)) ?? '';
    try {
      await pretendCertManager(fresh);
      await installDefinitions(fresh, coreDefinitions);
      run(uses('clusterctl generate yaml'));
      const path = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments/capi-kubeadm-bootstrap-controller-manager`;
      const deployment = async (): Promise<string> => JSON.stringify((await fresh.call('GET', path)).body['spec']);
      expect(await deployment()).toContain('"image":"registry.example.com/kubeadm-bootstrap-operator:v0.1.0"');
      run(commands.find((command) => command.includes('set image') && !command.includes('clusterctl')) ?? '');

      await withoutWebhooks(fresh);
      const configs = '/apis/bootstrap.cluster.x-k8s.io/v1beta2/namespaces/default/kubeadmconfigs';
      const created = await fresh.call('POST', configs, {
        apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
        kind: 'KubeadmConfig',
        metadata: { name: 'caught', annotations: { 'kubeadm-bootstrap-operator/token': 'abcdef' } },
        // As the operator writes it: token, endpoint and hash in one patch.
        spec: {
          joinConfiguration: {
            discovery: {
              bootstrapToken: {
                token: 'abcdef.0123456789abcdef',
                apiServerEndpoint: 'example:6443',
                caCertHashes: [`sha256:${'0'.repeat(64)}`],
              },
            },
          },
        },
      });
      expect(created.status).toBe(201);
      expect(run(uses('explain kubeadmconfig/'))).toContain('caught');
      run(uses('--replicas=0'));
      expect(await deployment()).toContain('"replicas":0');
      // Without jq on a machine its filter cannot be run.
      if (spawnSync('jq', ['--version']).status === 0) expect(run(uses('jq -r')).trim()).toBe('default\tcaught');
      run(uses('--type=json'));
      const { body } = await fresh.call('GET', `${configs}/caught`);
      expect(JSON.stringify(body['spec'])).not.toContain('abcdef');
    } finally {
      await fresh.stop();
    }
  }, 120_000);

  test('upgrade: from the Go provider to ours -> in place', async () => {
    bench.clusterctl(server, 'upgrade', 'apply', '--bootstrap', `${NAMESPACE}/kubeadm:${bench.ours}`);
    const { version, container } = await installed();
    expect(version).toBe(bench.ours);
    expect(container.image).toContain('kubeadm-bootstrap-operator:');
  }, 240_000);
});

/** Commands of a document, each block of `sh` as one. */
function commandsOf(name: string): readonly string[] {
  const text = readFileSync(`docs/${name}.md`, 'utf8');
  return [...text.matchAll(/^( *)```sh\n(.*?)^ *```/gms)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

type Get = (
  options: RequestOptions,
  answer: (response: IncomingMessage) => void,
) => {
  on(event: 'error', listener: (error: Error) => void): unknown;
};

function statusOf(get: Get, options: RequestOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', ...options }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on('error', reject);
  });
}
