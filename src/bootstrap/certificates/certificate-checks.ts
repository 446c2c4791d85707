// Whether a set of certificates is complete, and whether one pair fits together.
//
// Completeness is what upstream checks before a join (and, by our rule, before an init with a control plane object). It
// looks at presence alone: a Secret may hold what we cannot parse and kubeadm can. `inspectKeyPair` looks inside; its
// findings are advice for Events and `explain`, never a refusal.
import { X509Certificate } from 'node:crypto';

import type { CertificateWant, Certificates, KeyPair } from '../bootstrap-types.js';
import { readPrivateKey, type PrivateKeyForm } from './keys.js';
import { remembered } from './remembered.js';
import type { CertificateSetKind, CompletenessCheck } from './types.js';

/** Checks that every wanted pair is there with the parts it needs, in lookup order. Messages are upstream's. */
export function checkCompleteness(
  kind: CertificateSetKind,
  wants: readonly CertificateWant[],
  certificates: Certificates,
): CompletenessCheck {
  for (const want of wants) {
    const pair = certificates.find((candidate) => candidate.want.purpose === want.purpose);
    const { purpose } = want;
    if (pair === undefined) {
      return { kind: 'incomplete', purpose, problem: 'missing', message: 'missing certificate' };
    }
    if (pair.cert === '') {
      const message = `for certificate: ${purpose}: missing crt data`;
      return { kind: 'incomplete', purpose, problem: 'missingCert', message };
    }
    if (pair.key === '' && isKeyNeeded(kind, want)) {
      const message = `for certificate: ${purpose}: missing key data`;
      return { kind: 'incomplete', purpose, problem: 'missingKey', message };
    }
  }
  return { kind: 'complete' };
}

/**
 * Whether a node of this kind can do without the private key.
 *
 * PARITY: upstream demands the key of every certificate that is not of an external etcd, from workers too. A worker only
 * needs the CA's hashes, and a CA whose key is held elsewhere is kubeadm's external CA mode; only the service account key
 * has no such mode (docs/parity.md, Q-07).
 */
function isKeyNeeded(kind: CertificateSetKind, want: CertificateWant): boolean {
  return kind !== 'worker' && want.purpose === 'sa';
}

/** What a look inside a pair shows. Messages hold no part of the pair. */
export type KeyPairInspection =
  | { readonly kind: 'sound'; readonly keyForm: PrivateKeyForm | null; readonly notAfterMs: number | null }
  | { readonly kind: 'doubtful'; readonly message: string };

/** Looks whether the certificate (or the service account's public key) can be read and the private key belongs to it. */
export function inspectKeyPair(pair: KeyPair, nowMs: number): KeyPairInspection {
  const doubtful = (message: string): KeyPairInspection => ({
    kind: 'doubtful',
    message: `Secret ${pair.want.secretName}: ${message}`,
  });
  const { keyForm, keyProblem, certificate } = lookInside(pair.cert, pair.key);
  if (keyProblem !== null) return doubtful(`tls.key: ${keyProblem}`);
  if (pair.want.purpose === 'sa') return { kind: 'sound', keyForm, notAfterMs: null };

  if (certificate === null) return doubtful('tls.crt holds no certificate that can be read');
  const notAfterMs = Date.parse(certificate.validTo);
  const mustSign = pair.want.purpose !== 'apiserver-etcd-client';
  if (mustSign && !certificate.isAuthority) return doubtful('tls.crt is not the certificate of a CA');
  if (notAfterMs <= nowMs) return doubtful(`the certificate expired on ${certificate.validTo}`);
  if (Date.parse(certificate.validFrom) > nowMs)
    return doubtful(`the certificate is not valid before ${certificate.validFrom}`);
  if (!certificate.fitsKey) return doubtful('tls.key is not the key of tls.crt');
  return { kind: 'sound', keyForm, notAfterMs };
}

/** What does not change with time. Reading a pair costs most of a millisecond, and every join asks. */
const lookInside = remembered((cert = '', key = '') => {
  const read = key === '' ? null : readPrivateKey(key);
  const privateKey = read?.kind === 'key' ? read : null;
  const certificate = readCertificate(cert);
  return {
    keyForm: privateKey?.form ?? null,
    keyProblem: read?.kind === 'unreadable' ? read.message : null,
    certificate: certificate && {
      isAuthority: certificate.ca,
      validFrom: certificate.validFrom,
      validTo: certificate.validTo,
      fitsKey: privateKey === null || certificate.checkPrivateKey(privateKey.key),
    },
  };
});

function readCertificate(pem: string): X509Certificate | null {
  try {
    return new X509Certificate(pem);
  } catch {
    return null;
  }
}
