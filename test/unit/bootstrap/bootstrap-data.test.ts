// Parts of bootstrap data that no recorded input shows: the size limit, tokens, certificate reads that fail, lists of what
// is needed, and the waits of an evaluation without a cluster.
import { describe, expect, test } from '@jest/globals';

import {
  completeDiscovery,
  loadCertificates,
  neededSecrets,
  needsControlPlaneVersion,
  prepareControlPlaneJoin,
  prepareInit,
  sizeReport,
  withToken,
} from '../../../src/bootstrap/bootstrap-data.js';
import type { CertificatePurpose, ClusterFacts, SecretRead } from '../../../src/bootstrap/bootstrap-types.js';
import { newBootstrapToken, splitBootstrapToken } from '../../../src/bootstrap/bootstrap-token.js';
import { refuseTooLarge } from '../../../src/bootstrap/size-report.js';

const cluster: ClusterFacts = {
  name: 'c',
  namespace: 'ns',
  controlPlaneEndpoint: { host: 'fd00::1', port: 6443 },
  serviceDomain: '',
  serviceCidrBlocks: [],
  podCidrBlocks: [],
  hasControlPlaneRef: false,
};
const nowhere: ClusterFacts = { ...cluster, controlPlaneEndpoint: { host: 'h', port: 0 } };

function found(text: string, key = 'key'): SecretRead {
  return { kind: 'found', data: { 'tls.crt': btoa(text), ...(key === '' ? {} : { 'tls.key': btoa(key) }) } };
}

function reads(given: Partial<Record<CertificatePurpose, SecretRead>>): ReadonlyMap<string, SecretRead> {
  return new Map(Object.entries(given).map(([purpose, read]) => [`c-${purpose}`, read]));
}

describe('size', () => {
  const contributors = [
    { field: 'spec.files[0]', bytes: 2 },
    { field: 'fixed text', bytes: 0 },
    { field: 'spec.files[1]', bytes: 7 },
  ];

  test('sizeReport: data -> three sizes, the largest contributor first', () => {
    const report = sizeReport(new TextEncoder().encode('123456789'), contributors);
    expect(report).toMatchObject({ raw: 9, base64: 12, contributors: [contributors[2], contributors[0]] });
    expect(report.gzip).toBeGreaterThan(9);
  });

  test('refuseTooLarge: more than the limit -> refused, naming what to shrink', () => {
    expect(refuseTooLarge(new Uint8Array(9), contributors, 8)).toMatchObject({
      conditionType: 'DataSecretAvailable',
      status: 'False',
      reason: 'NotAvailable',
      field: 'spec.files[1]',
      message:
        'bootstrap data has 9 bytes, more than the limit of 8; largest parts: spec.files[1] (7 bytes), spec.files[0] (2 bytes)',
    });
  });

  test('refuseTooLarge: at the limit, or without one -> allowed', () => {
    expect(refuseTooLarge(new Uint8Array(9), contributors, 9)).toBeNull();
    expect(refuseTooLarge(new Uint8Array(9), contributors, 0)).toBeNull();
  });
});

describe('bootstrap tokens', () => {
  test('newBootstrapToken: random bytes -> a token, without the bytes that would favour letters', () => {
    const bytes = [255, 252, 0, 25, 26, 35, 36, 251];
    let calls = 0;
    const token = newBootstrapToken((count) => {
      calls += 1;
      return Uint8Array.from({ length: count }, (_, index) => bytes[index % bytes.length] ?? 0);
    });
    expect(token).toMatch(/^az09a9\.[a-z0-9]{16}$/);
    expect(splitBootstrapToken(token)).toEqual({ id: 'az09a9', secret: token.slice(7) });
    expect(calls).toBe(2);
  });

  test.each(['', 'abcdef', 'abcdef.0123', 'ABCDEF.0123456789abcdef', 'abcdef.0123456789abcdef\n'])(
    'splitBootstrapToken: %j -> none',
    (text) => {
      expect(splitBootstrapToken(text)).toBeNull();
    },
  );
});

describe('certificates', () => {
  test('loadCertificates: a read that failed -> refused with its cause', () => {
    const secrets = reads({ ca: { kind: 'failed', cause: 'timeout' } });
    expect(loadCertificates('init', { cluster, spec: {}, secrets })).toMatchObject({
      kind: 'refused',
      cause: 'failed to get certificate : timeout',
      field: 'Secret ns/c-ca',
      v1beta1: { reason: 'CertificatesGenerationFailed', severity: 'Warning' },
    });
  });

  test('loadCertificates: init with some Secrets -> what is there, and what is to be generated', () => {
    const loaded = loadCertificates('init', {
      cluster,
      spec: {},
      secrets: reads({ ca: found('ca'), etcd: found('e') }),
    });
    expect(loaded).toMatchObject({
      kind: 'missing',
      certificates: [{ cert: 'ca', key: 'key' }, { cert: 'e' }],
      toGenerate: [{ secretName: 'c-sa' }, { secretName: 'c-proxy' }],
    });
  });

  test('loadCertificates: external etcd without its Secrets -> refused, never generated', () => {
    const etcd = { external: { endpoints: ['e'], caFile: '/ca', certFile: '/c', keyFile: '/k' } };
    const secrets = reads({ ca: found('ca'), sa: found('sa'), proxy: found('p') });
    expect(loadCertificates('init', { cluster, spec: { clusterConfiguration: { etcd } }, secrets })).toMatchObject({
      kind: 'refused',
      field: 'Secret ns/c-apiserver-etcd-client',
      cause: 'external certificate not found: failed to get certificate : secrets "c-apiserver-etcd-client" not found',
    });
  });
});

describe('preparation', () => {
  test('prepareInit: no endpoint in the spec -> that of the Cluster, as soon as it has one', () => {
    const endpointOf = (facts: ClusterFacts, spec = {}) =>
      prepareInit({ spec, cluster: facts, kubernetesVersion: 'v1.34.1' }).spec.clusterConfiguration
        ?.controlPlaneEndpoint;
    expect(endpointOf(cluster)).toBe('[fd00::1]:6443');
    expect(endpointOf(nowhere)).toBeUndefined();
    expect(endpointOf(cluster, { clusterConfiguration: { controlPlaneEndpoint: 'mine:1' } })).toBe('mine:1');
  });

  test('prepareInit: a malformed bootstrap token -> refused, without showing it', () => {
    const spec = { initConfiguration: { bootstrapTokens: [{ token: 'Secret.Token' }] } };
    const prepared = prepareInit({ spec, cluster, kubernetesVersion: 'v1.34.1' });
    expect(prepared).toMatchObject({ kind: 'refused', field: 'spec.initConfiguration.bootstrapTokens[0].token' });
    expect(JSON.stringify({ ...prepared, spec: undefined })).not.toContain('Secret.Token');
  });

  test('prepareInit: a text that YAML cannot hold -> refused by its field', () => {
    const spec = { clusterConfiguration: { apiServer: { extraArgs: [{ name: 'a', value: '\x80' }] } } };
    expect(prepareInit({ spec, cluster, kubernetesVersion: 'v1.34.1' })).toMatchObject({
      kind: 'refused',
      field: 'spec.clusterConfiguration.apiServer.extraArgs[0].value',
    });
  });

  test('prepareControlPlaneJoin: no controlPlane -> an empty one', () => {
    expect(prepareControlPlaneJoin({ spec: { verbosity: 1 } }).spec).toEqual({
      verbosity: 1,
      joinConfiguration: { controlPlane: {} },
    });
  });

  test('completeDiscovery: no endpoint yet -> a wait, with the hashes that are known', () => {
    const spec = { joinConfiguration: { discovery: { bootstrapToken: { caCertHashes: ['sha256:00'] } } } };
    expect(completeDiscovery({ spec, cluster: nowhere, certificates: [] })).toEqual({ kind: 'waitEndpoint', spec });
    const completed = completeDiscovery({ spec, cluster, certificates: [] });
    expect(completed.kind).toBe('needToken');
    expect(withToken(completed.spec, 't').joinConfiguration?.discovery?.bootstrapToken).toEqual({
      caCertHashes: ['sha256:00'],
      apiServerEndpoint: '[fd00::1]:6443',
      token: 't',
    });
  });

  test('neededSecrets: files and users -> each Secret once, files first', () => {
    const from = (name: string) => ({ secret: { name, key: 'k' } });
    const spec = {
      users: [{ name: 'u', passwdFrom: from('b') }, { name: 'v', passwdFrom: from('c') }, { name: 'w' }],
      files: [{ path: '/1', contentFrom: from('a') }, { path: '/2', contentFrom: from('b') }, { path: '/3' }],
    };
    expect(neededSecrets(spec)).toEqual(['a', 'b', 'c']);
  });

  test('needsControlPlaneVersion: some file is a template -> yes', () => {
    expect(needsControlPlaneVersion({ files: [{ path: '/a' }, { path: '/b', contentFormat: 'Raw' }] })).toBe(false);
    expect(needsControlPlaneVersion({ files: [{ path: '/a' }, { path: '/b', contentFormat: 'Template' }] })).toBe(true);
  });
});
