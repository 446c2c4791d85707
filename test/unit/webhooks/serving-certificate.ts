// Serving certificates for tests, and folders that change as a mounted Secret does.
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
  return issue(commonName, undefined);
}

/** A certificate authority. */
export function certificateAuthority(commonName: string): ServingCertificate {
  return issue(commonName, undefined, [{ name: 'basicConstraints', cA: true, critical: true }]);
}

/** A certificate for localhost that an authority vouches for. */
export function signedCertificate(commonName: string, authority: ServingCertificate): ServingCertificate {
  return issue(commonName, authority);
}

const altNames = [
  { type: 2, value: 'localhost' },
  { type: 7, ip: '127.0.0.1' },
];

function issue(
  commonName: string,
  authority: ServingCertificate | undefined,
  extensions: object[] = [{ name: 'subjectAltName', altNames }],
): ServingCertificate {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const key = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
  const forgeKey = forge.pki.privateKeyFromPem(key);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = forge.pki.setRsaPublicKey(forgeKey.n, forgeKey.e);
  certificate.serialNumber = authority === undefined ? '01' : `02${Buffer.from(commonName).toString('hex')}`;
  certificate.validity.notBefore = new Date('2020-01-01T00:00:00Z');
  certificate.validity.notAfter = new Date('2049-01-01T00:00:00Z');
  const subject = [{ name: 'commonName', value: commonName }];
  certificate.setSubject(subject);
  certificate.setIssuer(
    authority === undefined ? subject : forge.pki.certificateFromPem(authority.cert).subject.attributes,
  );
  certificate.setExtensions(extensions);
  certificate.sign(
    authority === undefined ? forgeKey : forge.pki.privateKeyFromPem(authority.key),
    forge.md.sha256.create(),
  );
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
