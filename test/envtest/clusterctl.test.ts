// The real clusterctl with a repository made by our build: install, go back to the Go provider, come again.
//
// Go is needed to build clusterctl. Where it is not there, that is said, and only CI counts it as a failure.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApiServer, type EnvtestServer } from './api-server.js';
import { clusterctlPrograms } from './clusterctl/programs.mjs';

const programs = clusterctlPrograms();
const namespace = 'capi-kubeadm-bootstrap-system';
const upstream = 'v1.13.5';

interface Container {
  readonly image: string;
  readonly args: readonly string[];
}

test('clusterctl: on this machine -> built, or the reason why not is said', () => {
  if (programs.reason !== null) process.stderr.write(`clusterctl: nothing was run: ${programs.reason}\n`);
  expect(programs.reason === null || process.env['CI'] !== 'true').toBe(true);
});

describe.each(programs.program === null ? [] : [programs])('clusterctl', ({ program, moduleFolder }) => {
  const folder = mkdtempSync(join(tmpdir(), 'clusterctl-'));
  const repository = join(folder, 'repository');
  let server: EnvtestServer;
  let ours = '';

  const clusterctl = (...args: readonly string[]): string => {
    const common = ['--config', join(folder, 'clusterctl.yaml'), '--kubeconfig', server.kubeconfigFile()];
    const env = {
      ...process.env,
      HOME: folder,
      XDG_CONFIG_HOME: folder,
      CLUSTERCTL_DISABLE_VERSIONCHECK: 'true',
      EXP_KUBEADM_BOOTSTRAP_FORMAT_IGNITION: 'true',
    };
    const { status, stderr } = spawnSync(program, [...args, ...common], { encoding: 'utf8', env });
    expect([status, stderr]).toEqual([0, expect.anything()]);
    return stderr;
  };

  /** Manifests of a Go provider, as its release holds them. */
  const release = (label: string, config: string, file: string): void => {
    const target = join(repository, label, upstream);
    mkdirSync(target, { recursive: true });
    const kubectl = join(process.env['KUBEBUILDER_ASSETS'] ?? '', 'kubectl');
    const yaml = execFileSync(kubectl, ['kustomize', join(moduleFolder, config)], { maxBuffer: 64 * 1024 * 1024 });
    writeFileSync(join(target, file), yaml);
    copyFileSync(join(moduleFolder, 'metadata.yaml'), join(target, 'metadata.yaml'));
  };

  const installed = async (): Promise<{ readonly version: string; readonly container: Container }> => {
    const provider = `/apis/clusterctl.cluster.x-k8s.io/v1alpha3/namespaces/${namespace}/providers/bootstrap-kubeadm`;
    const { body } = await server.call('GET', provider);
    const path = `/apis/apps/v1/namespaces/${namespace}/deployments/capi-kubeadm-bootstrap-controller-manager`;
    const deployment = (await server.call('GET', path)).body as {
      spec: { template: { spec: { containers: [Container] } } };
    };
    return { version: String(body['version']), container: deployment.spec.template.spec.containers[0] };
  };

  beforeAll(async () => {
    server = await startApiServer();
    release('cluster-api', 'config/default', 'core-components.yaml');
    release('bootstrap-kubeadm', 'bootstrap/kubeadm/config/default', 'bootstrap-components.yaml');
    execFileSync(process.execPath, ['.ci/manifests.mjs', '--release', repository]);
    ours = readdirSync(join(repository, 'bootstrap-kubeadm')).find((version) => version !== upstream) ?? '';
    writeFileSync(
      join(folder, 'clusterctl.yaml'),
      JSON.stringify({
        providers: [
          {
            name: 'cluster-api',
            type: 'CoreProvider',
            url: join(repository, 'cluster-api', upstream, 'core-components.yaml'),
          },
          {
            name: 'kubeadm',
            type: 'BootstrapProvider',
            url: join(repository, 'bootstrap-kubeadm', ours, 'bootstrap-components.yaml'),
          },
        ],
      }),
    );
    await pretendCertManager(server);
  }, 300_000);

  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test('init: a repository of our build -> installed, variables filled in', async () => {
    clusterctl(
      'init',
      ...['--core', `cluster-api:${upstream}`, '--bootstrap', `kubeadm:${ours}`],
      ...['--control-plane', '-', '--infrastructure', '-'],
    );
    const { version, container } = await installed();
    expect(version).toBe(ours);
    expect(container.image).toContain('kubeadm-bootstrap-operator:');
    expect(container.args.join(' ')).toContain('KubeadmBootstrapFormatIgnition=true');
    expect(container.args.join(' ')).not.toContain('${');
  }, 120_000);

  test('upgrade: back to the Go provider and to ours again -> both work in place', async () => {
    clusterctl('upgrade', 'apply', '--bootstrap', `${namespace}/kubeadm:${upstream}`);
    const before = await installed();
    expect(before.version).toBe(upstream);
    expect(before.container.image).toContain('kubeadm-bootstrap-controller');
    clusterctl('upgrade', 'apply', '--bootstrap', `${namespace}/kubeadm:${ours}`);
    const { version, container } = await installed();
    expect(version).toBe(ours);
    expect(container.image).toContain('kubeadm-bootstrap-operator:');
  }, 240_000);
});

/** clusterctl installs cert-manager unless its kinds are there. No controller of cert-manager runs here. */
async function pretendCertManager(server: EnvtestServer): Promise<void> {
  const kinds = { certificates: 'Certificate', issuers: 'Issuer', certificaterequests: 'CertificateRequest' };
  for (const [plural, kind] of Object.entries(kinds)) {
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const { status } = await server.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.cert-manager.io` },
      spec: {
        group: 'cert-manager.io',
        names: { plural, kind },
        scope: 'Namespaced',
        versions: [{ name: 'v1', served: true, storage: true, schema }],
      },
    });
    expect(status).toBe(201);
  }
}
