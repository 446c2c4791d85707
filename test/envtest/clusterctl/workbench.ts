// A folder in which clusterctl works: its configuration, and a repository with the Go providers and with what our build makes.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { EnvtestServer } from '../api-server.js';

/** The release of the Go providers. */
export const UPSTREAM = 'v1.13.5';
/** Where the bootstrap provider is installed. */
export const NAMESPACE = 'capi-kubeadm-bootstrap-system';

/** clusterctl with a repository. */
export interface Workbench {
  /** The version of our build in the repository. */
  readonly ours: string;
  /** Runs clusterctl on a server; fails unless it exits with 0. Returns what it wrote. */
  clusterctl(server: EnvtestServer, ...args: readonly string[]): string;
  /** Installs core provider and our build. */
  init(server: EnvtestServer): Promise<void>;
  close(): void;
}

/** Makes the folder. Throws when a tool fails. */
export function createWorkbench(program: string, moduleFolder: string): Workbench {
  const folder = mkdtempSync(join(tmpdir(), 'clusterctl-'));
  const repository = join(folder, 'repository');
  release(repository, moduleFolder, { label: 'cluster-api', config: 'config/default', file: 'core-components.yaml' });
  release(repository, moduleFolder, {
    label: 'bootstrap-kubeadm',
    config: 'bootstrap/kubeadm/config/default',
    file: 'bootstrap-components.yaml',
  });
  execFileSync(process.execPath, [
    '.ci/manifests.mjs',
    ...['--release', repository, '--image', 'registry.example.com/kubeadm-bootstrap-operator:v0.1.0'],
  ]);
  const ours = readdirSync(join(repository, 'bootstrap-kubeadm')).find((version) => version !== UPSTREAM) ?? '';
  const url = (label: string, version: string, file: string): string => join(repository, label, version, file);
  writeFileSync(
    join(folder, 'clusterctl.yaml'),
    JSON.stringify({
      providers: [
        { name: 'cluster-api', type: 'CoreProvider', url: url('cluster-api', UPSTREAM, 'core-components.yaml') },
        {
          name: 'kubeadm',
          type: 'BootstrapProvider',
          url: url('bootstrap-kubeadm', ours, 'bootstrap-components.yaml'),
        },
      ],
    }),
  );
  const env = {
    ...process.env,
    HOME: folder,
    XDG_CONFIG_HOME: folder,
    CLUSTERCTL_DISABLE_VERSIONCHECK: 'true',
    EXP_KUBEADM_BOOTSTRAP_FORMAT_IGNITION: 'true',
  };
  const clusterctl = (server: EnvtestServer, ...args: readonly string[]): string => {
    const common = ['--config', join(folder, 'clusterctl.yaml'), '--kubeconfig', server.kubeconfigFile()];
    const { status, stderr } = spawnSync(program, [...args, ...common], { encoding: 'utf8', env });
    expect([status, stderr]).toEqual([0, expect.anything()]);
    return stderr;
  };
  return {
    ours,
    clusterctl,
    async init(server) {
      await pretendCertManager(server);
      clusterctl(
        server,
        'init',
        ...['--core', `cluster-api:${UPSTREAM}`, '--bootstrap', `kubeadm:${ours}`],
        ...['--control-plane', '-', '--infrastructure', '-'],
      );
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Manifests of a Go provider, as its release holds them. */
function release(
  repository: string,
  moduleFolder: string,
  { label, config, file }: { readonly label: string; readonly config: string; readonly file: string },
): void {
  const target = join(repository, label, UPSTREAM);
  mkdirSync(target, { recursive: true });
  const kubectl = join(process.env['KUBEBUILDER_ASSETS'] ?? '', 'kubectl');
  const yaml = execFileSync(kubectl, ['kustomize', join(moduleFolder, config)], { maxBuffer: 64 * 1024 * 1024 });
  writeFileSync(join(target, file), yaml);
  copyFileSync(join(moduleFolder, 'metadata.yaml'), join(target, 'metadata.yaml'));
}

/** clusterctl installs cert-manager unless its kinds are there. No controller of cert-manager runs here. */
export async function pretendCertManager(server: EnvtestServer): Promise<void> {
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

/** Removes what asks webhooks: a bare API server has no Services, so nobody answers. */
export async function withoutWebhooks(server: EnvtestServer): Promise<void> {
  for (const kind of ['mutatingwebhookconfigurations', 'validatingwebhookconfigurations']) {
    await server.call('DELETE', `/apis/admissionregistration.k8s.io/v1/${kind}`);
  }
}
