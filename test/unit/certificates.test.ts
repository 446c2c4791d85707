import { createPrivateKey, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';

import { describe, expect, test } from '@jest/globals';

import { caCertHashes } from '../../src/bootstrap/certificates/ca-cert-hashes.js';
import { checkCompleteness, inspectKeyPair } from '../../src/bootstrap/certificates/certificate-checks.js';
import { certificateFiles } from '../../src/bootstrap/certificates/certificate-files.js';
import { certificateSet, readKeyPair } from '../../src/bootstrap/certificates/certificate-sets.js';
import { derTime } from '../../src/bootstrap/certificates/der.js';
import { parseEncryptionAlgorithm } from '../../src/bootstrap/certificates/encryption-algorithm.js';
import { generateCertificates } from '../../src/bootstrap/certificates/generate-certificates.js';
import { readPrivateKey } from '../../src/bootstrap/certificates/keys.js';
import { createKeyPool } from '../../src/bootstrap/certificates/key-pool.js';
import { readPemBlocks, writePem } from '../../src/bootstrap/certificates/pem.js';
import { servingCertificate } from './webhooks/serving-certificate.js';
import type { KeyPair } from '../../src/bootstrap/bootstrap-types.js';
import type { CertificateSetKind, CertificateSettings } from '../../src/bootstrap/certificates/types.js';

const cluster = { name: 'my-cluster' };
const golden = JSON.parse(readFileSync(new URL('../golden/certificates/go-x509.json', import.meta.url), 'utf8')) as {
  cases: readonly { algorithm: string; privateKey: string; publicKey: string; certificate: string; nowMs: number }[];
};
const rsa = golden.cases[0] as (typeof golden.cases)[number];
const ec = golden.cases.find((goCase) => goCase.algorithm === 'ECDSA-P256') as (typeof golden.cases)[number];

const externalEtcd: CertificateSettings = {
  certificatesDir: '/pki/./a/../',
  etcd: { external: { endpoints: ['https://e:2379'], caFile: '/e/ca', certFile: '/e/crt', keyFile: '/e/key' } },
};

function pairs(
  kind: CertificateSetKind,
  settings: CertificateSettings | undefined,
  change: Partial<KeyPair> = {},
): KeyPair[] {
  return certificateSet(kind, cluster, settings).map((want) => ({ want, cert: 'CERT\n', key: 'KEY\n', ...change }));
}

describe('certificates', () => {
  test('set: control plane with stacked etcd -> ca, sa, proxy, etcd with the Secret names and paths', () => {
    expect(certificateSet('initialControlPlane', cluster, undefined)).toEqual([
      {
        purpose: 'ca',
        secretName: 'my-cluster-ca',
        isExternal: false,
        certFile: '/etc/kubernetes/pki/ca.crt',
        keyFile: '/etc/kubernetes/pki/ca.key',
      },
      {
        purpose: 'sa',
        secretName: 'my-cluster-sa',
        isExternal: false,
        certFile: '/etc/kubernetes/pki/sa.pub',
        keyFile: '/etc/kubernetes/pki/sa.key',
      },
      {
        purpose: 'proxy',
        secretName: 'my-cluster-proxy',
        isExternal: false,
        certFile: '/etc/kubernetes/pki/front-proxy-ca.crt',
        keyFile: '/etc/kubernetes/pki/front-proxy-ca.key',
      },
      {
        purpose: 'etcd',
        secretName: 'my-cluster-etcd',
        isExternal: false,
        certFile: '/etc/kubernetes/pki/etcd/ca.crt',
        keyFile: '/etc/kubernetes/pki/etcd/ca.key',
      },
    ]);
    expect(certificateSet('controlPlaneJoin', cluster, {})).toEqual(
      certificateSet('initialControlPlane', cluster, undefined),
    );
  });

  test('set: external etcd -> its client certificate before its CA, user paths, no key path for the CA', () => {
    const set = certificateSet('initialControlPlane', cluster, externalEtcd);
    expect(set.map((want) => [want.purpose, want.certFile, want.keyFile, want.isExternal])).toEqual([
      ['ca', '/pki/ca.crt', '/pki/ca.key', false],
      ['sa', '/pki/sa.pub', '/pki/sa.key', false],
      ['proxy', '/pki/front-proxy-ca.crt', '/pki/front-proxy-ca.key', false],
      ['apiserver-etcd-client', '/e/crt', '/e/key', true],
      ['etcd', '/e/ca', '', true],
    ]);
    expect(certificateSet('controlPlaneJoin', cluster, { etcd: { external: {} } })).toHaveLength(4);
  });

  test('set: worker -> the cluster CA alone, and no file', () => {
    expect(certificateSet('worker', cluster, externalEtcd)).toEqual([
      { purpose: 'ca', secretName: 'my-cluster-ca', isExternal: false, certFile: '', keyFile: '' },
    ]);
    expect(certificateFiles(pairs('worker', undefined))).toEqual([]);
  });

  test('files: all pairs -> ca, etcd, front proxy, sa, client; certificate before key; 0640 and 0600', () => {
    const files = certificateFiles(pairs('controlPlaneJoin', externalEtcd));
    expect(files.map((file) => `${file.path} ${file.permissions} ${file.owner}`)).toEqual([
      '/pki/ca.crt 0640 root:root',
      '/pki/ca.key 0600 root:root',
      '/e/ca 0640 root:root',
      '/pki/front-proxy-ca.crt 0640 root:root',
      '/pki/front-proxy-ca.key 0600 root:root',
      '/pki/sa.pub 0640 root:root',
      '/pki/sa.key 0600 root:root',
      '/e/crt 0640 root:root',
      '/e/key 0600 root:root',
    ]);
    expect(files[0]?.field).toBe('certificate ca');
    expect(files.some((file) => 'encoding' in file || 'append' in file)).toBe(false);
  });

  test('files: empty parts and missing members -> no file', () => {
    expect(certificateFiles(pairs('controlPlaneJoin', undefined, { key: '' })).map((file) => file.path)).toEqual([
      '/etc/kubernetes/pki/ca.crt',
      '/etc/kubernetes/pki/etcd/ca.crt',
      '/etc/kubernetes/pki/front-proxy-ca.crt',
      '/etc/kubernetes/pki/sa.pub',
    ]);
    expect(certificateFiles([])).toEqual([]);
  });

  test('Secret: data with and without its keys -> the bytes, an empty key, or an error that names the Secret', () => {
    const want = certificateSet('worker', cluster, undefined)[0] as KeyPair['want'];
    expect(readKeyPair(want, 'default', { 'tls.crt': 'Q0VSVA==' })).toEqual({
      kind: 'loaded',
      keyPair: { want, cert: 'CERT', key: '' },
    });
    expect(readKeyPair(want, 'default', { 'tls.key': 'S0VZ' })).toEqual({
      kind: 'corrupt',
      message: 'failed to read keypair from certificate default/my-cluster-ca: missing data for key tls.crt',
    });
  });
});

describe('certificates: completeness', () => {
  const check = (kind: CertificateSetKind, settings: CertificateSettings | undefined, found: readonly KeyPair[]) =>
    checkCompleteness(kind, certificateSet(kind, cluster, settings), found);

  test('completeness: everything there -> complete', () => {
    expect(check('controlPlaneJoin', externalEtcd, pairs('controlPlaneJoin', externalEtcd))).toEqual({
      kind: 'complete',
    });
    expect(check('worker', undefined, pairs('worker', undefined, { key: '' }))).toEqual({ kind: 'complete' });
  });

  test("completeness: a missing member -> its purpose and upstream's text", () => {
    const found = pairs('controlPlaneJoin', undefined).filter((pair) => pair.want.purpose !== 'proxy');
    expect(check('controlPlaneJoin', undefined, found)).toEqual({
      kind: 'incomplete',
      purpose: 'proxy',
      problem: 'missing',
      message: 'missing certificate',
    });
  });

  test('completeness: an empty certificate -> named', () => {
    expect(check('worker', undefined, pairs('worker', undefined, { cert: '' }))).toMatchObject({
      problem: 'missingCert',
      message: 'for certificate: ca: missing crt data',
    });
  });

  test('completeness: keys of CAs missing (held elsewhere) -> only the service account key is demanded', () => {
    const without = (purposes: readonly string[]) =>
      pairs('controlPlaneJoin', undefined).map((pair) =>
        purposes.includes(pair.want.purpose) ? { ...pair, key: '' } : pair,
      );
    expect(check('controlPlaneJoin', undefined, without(['ca', 'proxy', 'etcd']))).toEqual({ kind: 'complete' });
    expect(check('controlPlaneJoin', undefined, without(['sa']))).toMatchObject({
      problem: 'missingKey',
      message: 'for certificate: sa: missing key data',
    });
  });
});

describe('certificates: inspection of what users supply', () => {
  const [caWant, saWant] = certificateSet('controlPlaneJoin', cluster, undefined) as [KeyPair['want'], KeyPair['want']];
  const inspect = (cert: string, key: string, want = caWant) => inspectKeyPair({ want, cert, key }, rsa.nowMs);

  test('private key: PKCS#1, PKCS#8 and SEC 1 -> all read, and found to belong to the certificate', () => {
    const pkcs8 = (pem: string) => String(createPrivateKey(pem).export({ type: 'pkcs8', format: 'pem' }));
    expect(inspect(rsa.certificate, rsa.privateKey)).toMatchObject({ kind: 'sound', keyForm: 'pkcs1' });
    expect(inspect(rsa.certificate, pkcs8(rsa.privateKey))).toMatchObject({ kind: 'sound', keyForm: 'pkcs8' });
    expect(inspect(ec.certificate, ec.privateKey)).toMatchObject({ kind: 'sound', keyForm: 'sec1' });
    expect(inspect(ec.certificate, pkcs8(ec.privateKey))).toMatchObject({ kind: 'sound', keyForm: 'pkcs8' });
    expect(inspect(rsa.certificate, '')).toMatchObject({ kind: 'sound', keyForm: null });
    expect(inspect(rsa.publicKey, rsa.privateKey, saWant)).toMatchObject({ kind: 'sound', keyForm: 'pkcs1' });
  });

  test('private key: with EC PARAMETERS before it and CRLF -> read', () => {
    const parameters = writePem('EC PARAMETERS', Buffer.from('06082a8648ce3d030107', 'hex'));
    expect(readPrivateKey((parameters + ec.privateKey).replaceAll('\n', '\r\n'))).toMatchObject({
      kind: 'key',
      form: 'sec1',
    });
  });

  test('pair: wrong key, encrypted key, no key, no certificate, expired -> each named, nothing of the key shown', () => {
    const encrypted = createPrivateKey(rsa.privateKey).export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'x',
    });
    const leaf = servingCertificate('leaf');
    const found = [
      inspect(rsa.certificate, ec.privateKey),
      inspect(rsa.certificate, String(encrypted)),
      inspect(rsa.certificate, 'KEY'),
      inspect(rsa.certificate, writePem('EC PRIVATE KEY', Buffer.from('junk'))),
      inspect('CERT', rsa.privateKey),
      inspectKeyPair({ want: caWant, cert: rsa.certificate, key: '' }, Date.UTC(2099, 0)),
      inspectKeyPair({ want: caWant, cert: rsa.certificate, key: '' }, Date.UTC(2009, 0)),
      inspect(leaf.cert, leaf.key),
    ];
    expect(found.map((answer) => (answer.kind === 'doubtful' ? answer.message : answer.kind))).toEqual([
      'Secret my-cluster-ca: tls.key is not the key of tls.crt',
      'Secret my-cluster-ca: tls.key: the private key is encrypted; kubeadm needs it in clear',
      'Secret my-cluster-ca: tls.key: there is no private key in it (PKCS#1, PKCS#8 or SEC 1, as PEM)',
      'Secret my-cluster-ca: tls.key: the block EC PRIVATE KEY does not hold a SEC1 private key',
      'Secret my-cluster-ca: tls.crt holds no certificate that can be read',
      'Secret my-cluster-ca: the certificate expired on Nov 18 08:00:00 2036 GMT',
      expect.stringMatching(/^Secret my-cluster-ca: the certificate is not valid before .* 2026 GMT$/),
      'Secret my-cluster-ca: tls.crt is not the certificate of a CA',
    ]);
    // An etcd client certificate signs nothing.
    expect(inspect(leaf.cert, leaf.key, { ...caWant, purpose: 'apiserver-etcd-client' }).kind).toBe('sound');
  });
});

describe('certificates: CA hashes', () => {
  test('hashes: several certificates, other blocks and text between -> one hash each, in order', () => {
    const both = `text\n${rsa.privateKey}${ec.certificate}junk${'\n'}${rsa.certificate}`;
    const [first] = hashesOf(ec.certificate);
    const [second] = hashesOf(rsa.certificate);
    expect(hashesOf(both)).toEqual([first, second]);
    expect(hashesOf(rsa.certificate.replaceAll('\n', '\r\n').trimEnd())).toEqual([second]);
  });

  test.each([
    ['no PEM', 'CERT\n', 'data does not contain any valid RSA or ECDSA certificates'],
    [
      'another type',
      writePem('PUBLIC KEY', Buffer.from('x')),
      'data does not contain any valid RSA or ECDSA certificates',
    ],
    [
      'damaged base64',
      '-----BEGIN CERTIFICATE-----\n!!\n-----END CERTIFICATE-----\n',
      'data does not contain any valid RSA or ECDSA certificates',
    ],
    [
      'headers',
      rsa.certificate.replace('-----\n', '-----\nA: b\n\n'),
      'data does not contain any valid RSA or ECDSA certificates',
    ],
    ['no certificate inside', writePem('CERTIFICATE', Buffer.from('junk')), 'x509: malformed certificate'],
  ])("hashes: %s -> upstream's error text", (_name, pem, cause) => {
    expect(caCertHashes(pem)).toEqual({ kind: 'unusable', message: `unable to parse ca certificate: ${cause}` });
  });

  test('PEM: damaged block before a sound one -> the sound one is found', () => {
    const text = `-----BEGIN CERTIFICATE-----\nabc\n-----BEGIN X-----\nYWI=\n-----END X-----\n`;
    expect(readPemBlocks(text).map((block) => block.type)).toEqual(['X']);
  });

  function hashesOf(pem: string): readonly string[] {
    const answer = caCertHashes(pem);
    return answer.kind === 'hashes' ? answer.hashes : [];
  }
});

describe('certificates: generation', () => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const pool = createKeyPool({ generate: async (algorithm) => ({ algorithm, publicKey, privateKey }) });
  const generate = (settings: CertificateSettings | undefined, signal = new AbortController().signal) =>
    generateCertificates({
      wants: certificateSet('initialControlPlane', cluster, settings),
      settings: { encryptionAlgorithm: 'ECDSA-P256', ...settings },
      owner: 'default/my-cluster',
      pool,
      nowMs: rsa.nowMs,
      signal,
    });

  test('generation: stacked etcd -> four pairs, the service account with a public key', async () => {
    const answer = await generate(undefined);
    expect(answer.kind).toBe('generated');
    const made = answer.kind === 'generated' ? answer.made : [];
    expect(
      made.map((pair) => [pair.want.purpose, readPemBlocks(pair.cert)[0]?.type, readPemBlocks(pair.key)[0]?.type]),
    ).toEqual([
      ['ca', 'CERTIFICATE', 'EC PRIVATE KEY'],
      ['sa', 'PUBLIC KEY', 'EC PRIVATE KEY'],
      ['proxy', 'CERTIFICATE', 'EC PRIVATE KEY'],
      ['etcd', 'CERTIFICATE', 'EC PRIVATE KEY'],
    ]);
    expect(made.every((pair) => inspectKeyPair(pair, rsa.nowMs).kind === 'sound')).toBe(true);
    expect(createPublicKey(made[1]?.cert ?? '').asymmetricKeyType).toBe('ec');
  });

  test('generation: external etcd -> nothing of it is made', async () => {
    const answer = await generate(externalEtcd);
    expect(answer.kind === 'generated' && answer.made.map((pair) => pair.want.purpose)).toEqual(['ca', 'sa', 'proxy']);
  });

  test('generation: unknown algorithm or impossible validity -> the field is named', async () => {
    expect(await generate({ encryptionAlgorithm: 'DSA' })).toEqual({
      kind: 'failed',
      field: 'spec.clusterConfiguration.encryptionAlgorithm',
      message: 'cannot obtain key size from unknown RSA algorithm: "DSA"',
    });
    for (const days of [-1, 1.5, 9_000_000, Number.NaN]) {
      const answer = await generate({ caCertificateValidityPeriodDays: days });
      // NaN is falsy and so counts as absent, like zero.
      if (Number.isNaN(days)) expect(answer.kind).toBe('generated');
      else
        expect(answer).toMatchObject({
          kind: 'failed',
          field: 'spec.clusterConfiguration.caCertificateValidityPeriodDays',
        });
    }
  });

  test('generation: aborted before -> aborted', async () => {
    expect(await generate(undefined, AbortSignal.abort())).toEqual({ kind: 'aborted' });
  });

  test('algorithm: prototype names -> unknown', () => {
    expect(parseEncryptionAlgorithm('constructor').kind).toBe('unknown');
    expect(parseEncryptionAlgorithm('')).toEqual({ kind: 'known', algorithm: 'RSA-2048' });
  });

  test('time: around 2050 and outside X.509 -> UTCTime, GeneralizedTime, an error', () => {
    const text = (ms: number) => Buffer.from(derTime(ms)).toString('latin1');
    expect(text(Date.UTC(2049, 11, 31, 23, 59, 59, 999))).toBe('\x17\x0d491231235959Z');
    expect(text(Date.UTC(2050, 0, 1))).toBe('\x18\x0f20500101000000Z');
    expect(() => derTime(Date.UTC(1949, 0))).toThrow(RangeError);
    expect(() => derTime(Date.UTC(10000, 0))).toThrow(RangeError);
  });
});
