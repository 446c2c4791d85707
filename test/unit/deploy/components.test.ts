import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { ADMISSION_ENDPOINTS, CONVERSION_PATH } from '../../../src/webhooks/endpoints.js';
import { manifests, type Manifest } from './manifests.js';

const path = 'deploy/bootstrap-components.yaml';
const objects = manifests(path);
const namespace = 'capi-kubeadm-bootstrap-system';
const prefix = 'capi-kubeadm-bootstrap-';

function only(kind: string): Manifest {
  const found = objects.filter((one) => one.kind === kind);
  const [first] = found;
  if (first === undefined || found.length > 1) throw new Error(`${found.length} objects of kind ${kind}`);
  return first;
}

describe('components for clusterctl', () => {
  test('objects: kinds and names -> those of the Go provider, so that it is upgraded in place', () => {
    expect(objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`).sort()).toEqual(
      [
        `Namespace/${namespace}`,
        'CustomResourceDefinition/kubeadmconfigs.bootstrap.cluster.x-k8s.io',
        'CustomResourceDefinition/kubeadmconfigtemplates.bootstrap.cluster.x-k8s.io',
        `ServiceAccount/${prefix}manager`,
        `Role/${prefix}leader-election-role`,
        `ClusterRole/${prefix}manager-role`,
        `RoleBinding/${prefix}leader-election-rolebinding`,
        `ClusterRoleBinding/${prefix}manager-rolebinding`,
        `Service/${prefix}webhook-service`,
        `Deployment/${prefix}controller-manager`,
        `Certificate/${prefix}serving-cert`,
        `Issuer/${prefix}selfsigned-issuer`,
        `MutatingWebhookConfiguration/${prefix}mutating-webhook-configuration`,
        `ValidatingWebhookConfiguration/${prefix}validating-webhook-configuration`,
      ].sort(),
    );
  });

  test('labels and namespaces: every object -> the provider label; every namespaced one in the one namespace', () => {
    const clusterWide = /^(Namespace|CustomResourceDefinition|Cluster|Mutating|Validating)/;
    for (const { kind, metadata } of objects) {
      expect(metadata.labels?.['cluster.x-k8s.io/provider']).toBe('bootstrap-kubeadm');
      expect(metadata.namespace).toBe(clusterWide.test(kind) ? undefined : namespace);
    }
  });

  test('CustomResourceDefinitions: labels and conversion -> both contracts, the conversion webhook, an injected CA', () => {
    for (const { metadata, spec } of objects.filter(({ kind }) => kind === 'CustomResourceDefinition')) {
      expect(metadata.labels).toMatchObject({
        'cluster.x-k8s.io/v1beta1': 'v1beta1',
        'cluster.x-k8s.io/v1beta2': 'v1beta2',
      });
      expect(metadata.annotations).toEqual({ 'cert-manager.io/inject-ca-from': `${namespace}/${prefix}serving-cert` });
      expect(spec?.['conversion']).toEqual({
        strategy: 'Webhook',
        webhook: {
          conversionReviewVersions: ['v1'],
          clientConfig: { service: { name: `${prefix}webhook-service`, namespace, path: CONVERSION_PATH } },
        },
      });
    }
  });

  test('webhook configurations: every endpoint of the server -> announced once, failing closed', () => {
    const configurations = objects.filter(({ kind }) => kind.endsWith('WebhookConfiguration'));
    const webhooks = configurations.flatMap((one) => one.webhooks ?? []);
    expect(webhooks.map(({ name }) => name).sort()).toEqual(ADMISSION_ENDPOINTS.map(({ name }) => name).sort());
    for (const endpoint of ADMISSION_ENDPOINTS) {
      expect(webhooks.find(({ name }) => name === endpoint.name)).toEqual({
        name: endpoint.name,
        admissionReviewVersions: ['v1'],
        clientConfig: { service: { name: `${prefix}webhook-service`, namespace, path: endpoint.path } },
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        rules: [
          {
            apiGroups: ['bootstrap.cluster.x-k8s.io'],
            apiVersions: ['v1beta2'],
            operations: ['CREATE', 'UPDATE'],
            resources: [endpoint.plural],
          },
        ],
        sideEffects: 'None',
      });
    }
  });

  test('Deployment: Pod -> the contract of clusterctl, the restricted Pod Security Standard, a read-only root', () => {
    const { replicas, selector, template } = only('Deployment').spec as {
      replicas: number;
      selector: { matchLabels: object };
      template: { metadata: { labels: object }; spec: Record<string, unknown> };
    };
    const labels = { 'cluster.x-k8s.io/provider': 'bootstrap-kubeadm', 'control-plane': 'controller-manager' };
    expect(replicas).toBe(1);
    expect(selector.matchLabels).toEqual(labels);
    expect(template.metadata.labels).toEqual(labels);
    expect(template.spec).toMatchObject({
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      serviceAccountName: `${prefix}manager`,
      terminationGracePeriodSeconds: 10,
      containers: [
        {
          name: 'manager',
          command: ['/manager'],
          readinessProbe: { httpGet: { path: '/readyz', port: 'healthz' }, timeoutSeconds: 5 },
          livenessProbe: { httpGet: { path: '/healthz', port: 'healthz' }, timeoutSeconds: 5 },
          ports: [
            { name: 'webhook-server', containerPort: 9443, protocol: 'TCP' },
            { name: 'healthz', containerPort: 9440, protocol: 'TCP' },
            { name: 'metrics', containerPort: 8443, protocol: 'TCP' },
          ],
          securityContext: {
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
            privileged: false,
            readOnlyRootFilesystem: true,
            runAsGroup: 65532,
            runAsUser: 65532,
          },
        },
      ],
    });
  });

  test('release: without an image that can be pulled -> refused, with what to add; with one -> made with it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'release-'));
    const make = (...args: string[]) =>
      spawnSync(process.execPath, ['.ci/manifests.mjs', '--release', folder, ...args], { encoding: 'utf8' });
    try {
      for (const args of [[], ['--image', 'registry.invalid/kubeadm-bootstrap-operator:v0.1.0']]) {
        const { status, stderr } = make(...args);
        expect([status, stderr]).toEqual([
          2,
          'error: --release needs --image: the name under which the cluster can pull the operator\n',
        ]);
      }
      const { status, stdout } = make('--image', 'registry.example.com/operator:v0.1.0');
      expect(status).toBe(0);
      expect(readFileSync(join(stdout.trim(), 'bootstrap-components.yaml'), 'utf8')).toContain(
        'image: registry.example.com/operator:v0.1.0',
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  test('Deployment: image -> names no registry that exists: whoever installs names one', () => {
    const [container] = (only('Deployment').spec as { template: { spec: { containers: { image: string }[] } } })
      .template.spec.containers;
    expect(container?.image).toMatch(/^registry\.invalid\//);
  });

  test('Deployment: image -> canonical and tagged, as clusterctl asks', () => {
    const [container] = (only('Deployment').spec as { template: { spec: { containers: { image: string }[] } } })
      .template.spec.containers;
    expect(container?.image).toMatch(/^[a-z0-9.-]+\.[a-z]+\/[a-z0-9./-]+:v\d+\.\d+\.\d+$/);
  });

  test('variables: the file -> upstream names, each with a default', () => {
    const variables = [...readFileSync(path, 'utf8').matchAll(/\$\{(\w+)([^}]*)\}/g)];
    expect(Object.fromEntries(variables.map(([, name, rest]) => [name, rest]))).toEqual({
      CAPI_DIAGNOSTICS_ADDRESS: ':=:8443',
      CAPI_INSECURE_DIAGNOSTICS: ':=false',
      EXP_MACHINE_POOL: ':=true',
      EXP_KUBEADM_BOOTSTRAP_FORMAT_IGNITION: ':=false',
      EXP_PRIORITY_QUEUE: ':=true',
      EXP_RECONCILER_RATE_LIMITING: ':=true',
      KUBEADM_BOOTSTRAP_TOKEN_TTL: ':=15m',
    });
  });

  test('metadata.yaml: release series -> the own one and those it is upgraded from, all of contract v1beta2', () => {
    const [metadata] = manifests('deploy/metadata.yaml') as unknown as readonly {
      readonly apiVersion: string;
      readonly kind: string;
      readonly releaseSeries: readonly { readonly major: number; readonly minor: number; readonly contract: string }[];
    }[];
    expect(metadata).toMatchObject({ apiVersion: 'clusterctl.cluster.x-k8s.io/v1alpha3', kind: 'Metadata' });
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const [major, minor] = version.split('.').map(Number);
    expect(metadata?.releaseSeries).toContainEqual({ major, minor, contract: 'v1beta2' });
    expect(metadata?.releaseSeries).toContainEqual({ major: 1, minor: 13, contract: 'v1beta2' });
    const ofUpstream = (metadata?.releaseSeries ?? []).filter((series) => series.major === 1);
    expect(ofUpstream.map((series) => `1.${series.minor} ${series.contract}`)).toEqual([
      ...[14, 13, 12, 11].map((each) => `1.${each} v1beta2`),
      ...[10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((each) => `1.${each} v1beta1`),
    ]);
  });
});
