// The rows of the requirement that speak of bootstrap data itself, each proven on the bytes.
import { describe, expect, test } from '@jest/globals';
import { parseAllDocuments } from 'yaml';

import { dataSecret } from '../../../src/bootstrap/data-secret.js';
import { loadCertificates, wantedCertificates } from '../../../src/bootstrap/bootstrap-data.js';
import type { ReadingContext } from '../../../src/bootstrap/field-reads.js';
import type { OfflineResult } from '../../../src/bootstrap/offline.js';
import { evaluateSpec } from '../../property/full-spec.js';

const cluster = {
  name: 'c',
  namespace: 'default',
  controlPlaneEndpoint: { host: 'h', port: 6443 },
  serviceDomain: '',
  serviceCidrBlocks: [],
  podCidrBlocks: [],
  hasControlPlaneRef: false,
} as const;

interface Made {
  readonly text: string;
  readonly result: OfflineResult;
  readonly format: string;
}

async function made(mode: ReadingContext['mode'], spec: object, api: ReadingContext['api'] = 'v1beta4'): Promise<Made> {
  const result = await evaluateSpec(spec, { mode, api, format: 'cloud-config' });
  if (result.kind !== 'data') throw new Error(`no data: ${result.message}`);
  return { text: Buffer.from(result.bytes).toString(), result, format: result.format };
}

const header = '## template: jinja\n#cloud-config\n';
const file = { path: '/f', permissions: '0640', contentFrom: { secret: { name: 'source', key: 'key' } } };
const user = { name: 'u', passwdFrom: { secret: { name: 'source', key: 'key' } } };
const modes = ['init', 'controlPlaneJoin', 'workerJoin'] as const;

describe('requirements of bootstrap data', () => {
  test.each([
    ['KC-160', 'init', 'kubeadm init --config /run/kubeadm/kubeadm.yaml'],
    ['KC-161', 'controlPlaneJoin', 'kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml'],
    ['KC-162', 'workerJoin', 'kubeadm join --config /run/kubeadm/kubeadm-join-config.yaml'],
  ] as const)('%s cloud-config: %s -> its kubeadm command, with files and users', async (_, mode, command) => {
    const { text } = await made(mode, { files: [file], users: [user] });
    expect(text.startsWith(header)).toBe(true);
    expect(text).toContain(command);
    expect(text).toContain('-   path: /f\n');
    expect(text).toContain('  - name: u\n');
  });

  test.each([
    ['KC-163', 'init', 'kubeadm%20init'],
    ['KC-164', 'controlPlaneJoin', 'kubeadm%20join'],
    ['KC-165', 'workerJoin', 'kubeadm%20join'],
  ] as const)('%s ignition: %s -> its kubeadm command, with files and users', async (_, mode, command) => {
    const { text } = await made(mode, { format: 'ignition', files: [file], users: [user] });
    const config = JSON.parse(text) as {
      readonly ignition: { readonly version: string };
      readonly passwd: { readonly users: readonly { readonly name: string }[] };
      readonly storage: { readonly files: readonly { readonly path: string; readonly contents: { source: string } }[] };
    };
    expect(config.ignition.version).toBe('2.3.0');
    expect(config.passwd.users.map(({ name }) => name)).toEqual(['u']);
    expect(config.storage.files.map(({ path }) => path)).toContain('/f');
    expect(config.storage.files.find(({ path }) => path === '/etc/kubeadm.sh')?.contents.source).toContain(command);
  });

  test('KC-001 KC-002 KC-150 format: absent, empty or cloud-config -> cloud-config', async () => {
    for (const mode of modes) {
      const absent = await made(mode, { verbosity: 1 });
      expect(absent.format).toBe('cloud-config');
      expect(absent.text).toContain(mode === 'init' ? 'kubeadm init' : 'kubeadm join');
      expect((await made(mode, { verbosity: 1, format: '' })).text).toBe(absent.text);
      expect((await made(mode, { verbosity: 1, format: 'cloud-config' })).text).toBe(absent.text);
    }
  });

  test('KC-151 format: ignition -> Ignition JSON', async () => {
    for (const mode of modes) {
      const { format, text } = await made(mode, { format: 'ignition' });
      expect(format).toBe('ignition');
      expect(JSON.parse(text)).toHaveProperty('systemd.units');
    }
  });

  test('KC-068 KC-154 KC-155 sources: a file and a password in a Secret -> their values in the data', async () => {
    const { text } = await made('init', { files: [file], users: [user] });
    expect(text).toContain("-   path: /f\n    permissions: '0640'\n    content: |\n      secret\n");
    expect(text).toContain('  - name: u\n    passwd: secret\n');
  });

  test('KC-157 KC-158 init: each kubeadm API -> ClusterConfiguration and InitConfiguration of that version', async () => {
    for (const api of ['v1beta3', 'v1beta4'] as const) {
      const { text } = await made('init', {}, api);
      const [, content = ''] = /kubeadm\.yaml\n.*\n.*\n {4}content: \|\n((?: {6}.*\n)+)/.exec(text) ?? [];
      const documents = parseAllDocuments(content.replace(/^ {6}/gm, '')).map((document) => document.toJS() as object);
      expect(documents).toMatchObject([
        { apiVersion: `kubeadm.k8s.io/${api}`, kind: 'ClusterConfiguration' },
        { apiVersion: `kubeadm.k8s.io/${api}`, kind: 'InitConfiguration' },
      ]);
    }
  });

  test('KC-159 joins: each kubeadm API -> JoinConfiguration of that version', async () => {
    for (const mode of ['controlPlaneJoin', 'workerJoin'] as const) {
      for (const api of ['v1beta3', 'v1beta4'] as const) {
        const { text } = await made(mode, {}, api);
        expect(text).toContain(`      apiVersion: kubeadm.k8s.io/${api}\n`);
        expect(text).toContain('      kind: JoinConfiguration\n');
      }
    }
  });

  test('KC-214 init: names and networks of the Cluster, version of the Machine -> in ClusterConfiguration', async () => {
    const { text } = await made('init', {});
    expect(text).toContain('      clusterName: my-cluster\n');
    expect(text).toContain('      controlPlaneEndpoint: 172.18.0.3:6443\n');
    expect(text).toContain('      kubernetesVersion: v1.34.1\n');
    expect(text).toContain(
      '        dnsDomain: cluster.local\n        podSubnet: 192.168.0.0/16\n        serviceSubnet: 10.128.0.0/12\n',
    );
  });

  test('KC-097 KC-098 worker join: any taints -> the uninitialized taint in the data, never in the spec', async () => {
    const taint = '        - effect: NoSchedule\n          key: node.cluster.x-k8s.io/uninitialized\n';
    for (const nodeRegistration of [{}, { taints: [] }, { taints: [{ key: 'k', effect: 'NoExecute' }] }]) {
      const { text, result } = await made('workerJoin', { joinConfiguration: { nodeRegistration } });
      expect(text).toContain(taint);
      expect(JSON.stringify(result.specAfter)).not.toContain('uninitialized');
    }
    expect((await made('controlPlaneJoin', {})).text).not.toContain('uninitialized');
  });

  test('KC-084 KC-099 KC-202 KC-203 KC-204 KC-206 joins: no discovery -> token, hashes and endpoint in spec and data', async () => {
    for (const mode of ['controlPlaneJoin', 'workerJoin'] as const) {
      const { text, result } = await made(mode, {});
      expect(result.specAfter.joinConfiguration?.discovery?.bootstrapToken).toEqual({
        token: 'aaaaaa.bbbbbbbbbbbbbbbb',
        apiServerEndpoint: '172.18.0.3:6443',
        caCertHashes: [expect.stringMatching(/^sha256:[0-9a-f]{64}$/)],
      });
      expect(text).toContain('token: aaaaaa.bbbbbbbbbbbbbbbb\n');
    }
  });

  test('KC-156 KC-205 KC-207 KC-208 KC-209 joins: file discovery -> a kubeconfig file, completed, and no token', async () => {
    const user = { exec: { command: 'c' } };
    const discovery = { file: { kubeConfigPath: '/kc', kubeConfig: { user } } };
    const { text, result } = await made('workerJoin', { joinConfiguration: { discovery } });
    const after = result.specAfter.joinConfiguration?.discovery;
    expect(after).not.toHaveProperty('bootstrapToken');
    expect(after?.file?.kubeConfig?.cluster?.server).toBe('https://172.18.0.3:6443');
    expect(Buffer.from(after?.file?.kubeConfig?.cluster?.certificateAuthorityData ?? '', 'base64').toString()).toMatch(
      /^-----BEGIN CERTIFICATE-----/,
    );
    expect(after?.file?.kubeConfig?.user).toEqual(user);
    expect(text).toContain("-   path: /kc\n    owner: root:root\n    permissions: '0640'\n");
    expect(text).toContain('          server: https://172.18.0.3:6443\n');
  });

  test('KC-065 certificates: init without a control plane object -> what is missing is to be generated', () => {
    const loaded = loadCertificates('init', { cluster, spec: {}, secrets: new Map() });
    expect(loaded).toMatchObject({
      kind: 'missing',
      toGenerate: [{ purpose: 'ca' }, { purpose: 'sa' }, { purpose: 'proxy' }, { purpose: 'etcd' }],
    });
  });

  test('KC-066 certificates: init with a control plane object -> nothing is generated', () => {
    const managed = { ...cluster, hasControlPlaneRef: true };
    const loaded = loadCertificates('init', { cluster: managed, spec: {}, secrets: new Map() });
    expect(loaded).toMatchObject({ kind: 'refused', cause: 'missing certificate', field: 'Secret default/c-ca' });
  });

  test('KC-067 KC-096 certificates: init and worker -> their sets', () => {
    const purposes = (mode: (typeof modes)[number]) =>
      wantedCertificates(mode, { cluster, spec: {} }).map(({ purpose }) => purpose);
    expect(purposes('init')).toEqual(['ca', 'sa', 'proxy', 'etcd']);
    expect(purposes('controlPlaneJoin')).toEqual(['ca', 'sa', 'proxy', 'etcd']);
    expect(purposes('workerJoin')).toEqual(['ca']);
  });

  test('KC-092 KC-093 certificates: missing at a join -> CertificatesAvailable Unknown, and nothing else', () => {
    for (const mode of ['controlPlaneJoin', 'workerJoin'] as const) {
      expect(loadCertificates(mode, { cluster, spec: {}, secrets: new Map() })).toMatchObject({
        kind: 'refused',
        conditionType: 'CertificatesAvailable',
        status: 'Unknown',
        reason: 'InternalError',
        message: 'Please check controller logs for errors',
        v1beta1: { reason: 'CertificatesCorrupted', severity: 'Error' },
      });
    }
  });

  test('KC-104 KC-105 worker join: joinConfiguration.controlPlane -> refused with that text', async () => {
    const spec = { joinConfiguration: { controlPlane: {} } };
    const result = await evaluateSpec(spec, { mode: 'workerJoin', api: 'v1beta4', format: 'cloud-config' });
    expect(result).toMatchObject({
      kind: 'refused',
      cause: 'Machine is a Worker, but JoinConfiguration.ControlPlane is set in the KubeadmConfig object',
    });
  });

  test('KC-166 KC-167 KC-168 KC-169 KC-170 KC-171 KC-172 KC-173 Secret: data -> the Secret that providers read', () => {
    const owner = { name: 'kc', namespace: 'ns', uid: 'u' };
    const bytes = new TextEncoder().encode('data');
    expect(dataSecret(owner, { clusterName: 'c', format: 'cloud-config', bytes, token: '' })).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'kc',
        namespace: 'ns',
        labels: { 'cluster.x-k8s.io/cluster-name': 'c' },
        ownerReferences: [
          {
            apiVersion: 'bootstrap.cluster.x-k8s.io/v1beta2',
            kind: 'KubeadmConfig',
            name: 'kc',
            uid: 'u',
            controller: true,
          },
        ],
      },
      type: 'cluster.x-k8s.io/secret',
      data: { value: 'ZGF0YQ==', format: 'Y2xvdWQtY29uZmln' },
    });
  });
});
