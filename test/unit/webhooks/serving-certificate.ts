import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import forge from 'node-forge';

export interface ServingCertificate {
  readonly cert: string;
  readonly key: string;
}

/** A self-signed certificate for localhost. */
export function servingCertificate(commonName: string): ServingCertificate {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const forgeKey = forge.pki.privateKeyFromPem(key);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.setRsaPublicKey(forgeKey.n, forgeKey.e);
  certificate.serialNumber = '01';
  certificate.validity.notBefore = new Date('2020-01-01T00:00:00Z');
  certificate.validity.notAfter = new Date('2049-01-01T00:00:00Z');
  certificate.setSubject([{ name: 'commonName', value: commonName }]);
  certificate.setIssuer([{ name: 'commonName', value: commonName }]);
  certificate.setExtensions([{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }]);
  certificate.sign(forgeKey, forge.md.sha256.create());
  return { cert: forge.pki.certificateToPem(certificate), key };
}

export function emptyFolder(): string {
  return mkdtempSync(join(tmpdir(), 'webhook-cert-'));
}

/** Puts a certificate into a folder as the kubelet does with a Secret: all files change at once, by one rename. */
export function mountCertificate(folder: string, generation: number, { cert, key }: ServingCertificate): void {
  const data = `..data_${generation}`;
  mkdirSync(join(folder, data));
  writeFileSync(join(folder, data, 'tls.crt'), cert);
  writeFileSync(join(folder, data, 'tls.key'), key);
  symlinkSync(data, join(folder, '..data_tmp'));
  renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
  if (generation > 0) return;
  symlinkSync('..data/tls.crt', join(folder, 'tls.crt'));
  symlinkSync('..data/tls.key', join(folder, 'tls.key'));
}
