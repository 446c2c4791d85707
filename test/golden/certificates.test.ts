import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { describe, expect, test } from '@jest/globals';

import { createCaCertificate } from '../../src/bootstrap/certificates/ca-certificate.js';
import { caCertHashes } from '../../src/bootstrap/certificates/ca-cert-hashes.js';
import { readDerElements } from '../../src/bootstrap/certificates/der.js';
import { generateKeyPair, privateKeyPem, publicKeyPem } from '../../src/bootstrap/certificates/keys.js';
import { readPemBlocks } from '../../src/bootstrap/certificates/pem.js';
import type { EncryptionAlgorithm, GeneratedKey } from '../../src/bootstrap/certificates/types.js';

interface GoCase {
  readonly algorithm: EncryptionAlgorithm;
  readonly privateKey: string;
  readonly publicKey: string;
  readonly nowMs: number;
  readonly validityDays: number;
  readonly certificate: string;
  readonly toBeSignedHex: string;
  readonly caCertHash: string;
}

const here = new URL('./certificates/', import.meta.url);
const { cases } = JSON.parse(readFileSync(new URL('go-x509.json', here), 'utf8')) as { cases: readonly GoCase[] };
const vectors = JSON.parse(readFileSync(new URL('vector-certificates.json', here), 'utf8')) as {
  certificates: Readonly<Record<string, { 'tls.crt': string; caCertHash?: string }>>;
};

function keyOf(goCase: GoCase): GeneratedKey {
  const privateKey = createPrivateKey(goCase.privateKey);
  return { algorithm: goCase.algorithm, privateKey, publicKey: createPublicKey(privateKey) };
}

function toBeSigned(pem: string): string {
  const [certificate] = readDerElements(readPemBlocks(pem)[0]?.bytes ?? new Uint8Array()) ?? [];
  const [tbs] = readDerElements(certificate?.content ?? new Uint8Array()) ?? [];
  return Buffer.from(tbs?.bytes ?? []).toString('hex');
}

describe('certificates: golden', () => {
  test.each(cases)('CA certificate: $algorithm, $validityDays days at $nowMs -> the bytes of Go', async (goCase) => {
    const key = keyOf(goCase);
    const pem = await createCaCertificate({ key, nowMs: goCase.nowMs, validityDays: goCase.validityDays });
    expect(toBeSigned(pem)).toBe(goCase.toBeSignedHex);
    if (goCase.algorithm === 'RSA-2048') expect(pem).toBe(goCase.certificate);
    expect(privateKeyPem(key)).toBe(goCase.privateKey);
    expect(publicKeyPem(key)).toBe(goCase.publicKey);
    expect(caCertHashes(pem)).toEqual({ kind: 'hashes', hashes: [goCase.caCertHash] });
    expect(caCertHashes(goCase.certificate)).toEqual({ kind: 'hashes', hashes: [goCase.caCertHash] });
  });

  const hashed = Object.entries(vectors.certificates).filter(([, entry]) => entry.caCertHash !== undefined);
  test.each(hashed)('CA hash: vector certificate %s -> its discovery hash', (_name, entry) => {
    expect(caCertHashes(entry['tls.crt'])).toEqual({ kind: 'hashes', hashes: [entry.caCertHash] });
  });

  const algorithms: readonly EncryptionAlgorithm[] = ['RSA-2048', 'RSA-3072', 'RSA-4096', 'ECDSA-P256', 'ECDSA-P384'];
  test.each(algorithms)('CA certificate: fresh %s key -> verified by openssl and by node', async (algorithm) => {
    const key = await generateKeyPair(algorithm);
    const nowMs = Date.UTC(2026, 10, 21);
    const pem = await createCaCertificate({ key, nowMs, validityDays: 3650 });
    const certificate = new X509Certificate(pem);
    expect(certificate.verify(key.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(key.privateKey)).toBe(true);
    expect(certificate.ca).toBe(true);
    expect(certificate.subject).toBe('CN=kubernetes');
    expect(certificate.issuer).toBe('CN=kubernetes');
    expect(Number(`0x${certificate.serialNumber}`)).toBe(0);
    expect(Date.parse(certificate.validFrom)).toBe(nowMs - 300_000);
    expect(Date.parse(certificate.validTo)).toBe(nowMs + 3650 * 86_400_000);
    expect(openssl(pem, nowMs)).toContain(': OK');
    const type = algorithm.startsWith('RSA') ? 'RSA PRIVATE KEY' : 'EC PRIVATE KEY';
    expect(readPemBlocks(privateKeyPem(key)).map((block) => block.type)).toEqual([type]);
  });
});

/** `openssl verify` of a self-signed certificate; a machine without openssl says so and counts as verified by node. */
function openssl(pem: string, nowMs: number): string {
  const folder = mkdtempSync(join(tmpdir(), 'certificates-'));
  const file = join(folder, 'ca.crt');
  try {
    writeFileSync(file, pem);
    const at = String(nowMs / 1000);
    return execFileSync('openssl', ['verify', '-attime', at, '-CAfile', file, file], {
      encoding: 'utf8',
    });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    process.stdout.write('openssl is not installed: certificates were verified by node:crypto alone\n');
    return ': OK';
  } finally {
    rmSync(folder, { recursive: true });
  }
}
