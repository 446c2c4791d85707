// The hashes by which a joining node recognises its cluster's CA.
//
// One `sha256:<hex>` for each CERTIFICATE block without headers, in the order of the text, over the DER of its
// SubjectPublicKeyInfo exactly as it stands in the certificate. Other blocks are skipped. Messages are upstream's and
// never hold the text.
import { createHash, X509Certificate } from 'node:crypto';

import { readDerElements } from './der.js';
import { readPemBlocks } from './pem.js';
import { remembered } from './remembered.js';
import type { CaCertHashes } from './types.js';

const CONTEXT_0 = 0xa0;

/** Hashes of all certificates in a PEM text. */
export const caCertHashes: (pem: string) => CaCertHashes = remembered(hashesOf);

function hashesOf(pem = ''): CaCertHashes {
  const hashes: string[] = [];
  for (const block of readPemBlocks(pem)) {
    if (block.type !== 'CERTIFICATE' || block.hasHeaders) continue;
    const publicKeys = publicKeyInfos(block.bytes);
    if (publicKeys === null) return unusable('x509: malformed certificate');
    for (const info of publicKeys) hashes.push(`sha256:${createHash('sha256').update(info).digest('hex')}`);
  }
  if (hashes.length === 0) return unusable('data does not contain any valid RSA or ECDSA certificates');
  return { kind: 'hashes', hashes };
}

/** The public key infos of a block, which may hold several certificates one after the other; null when one is broken. */
function publicKeyInfos(block: Uint8Array): readonly Uint8Array[] | null {
  const certificates = readDerElements(block);
  if (certificates === null || certificates.length === 0) return null;
  const infos: Uint8Array[] = [];
  for (const certificate of certificates) {
    const info = publicKeyInfo(certificate.content);
    if (info === null || !isParsable(certificate.bytes)) return null;
    infos.push(info);
  }
  return infos;
}

/** tbsCertificate: [0] version (may be absent), serial, algorithm, issuer, validity, subject, subjectPublicKeyInfo. */
function publicKeyInfo(certificate: Uint8Array): Uint8Array | null {
  const [toBeSigned] = readDerElements(certificate) ?? [];
  const fields = readDerElements(toBeSigned?.content ?? new Uint8Array()) ?? [];
  const info = fields[fields[0]?.tag === CONTEXT_0 ? 6 : 5];
  return info?.bytes ?? null;
}

function isParsable(der: Uint8Array): boolean {
  try {
    new X509Certificate(der);
    return true;
  } catch {
    return false;
  }
}

function unusable(cause: string): CaCertHashes {
  return { kind: 'unusable', message: `unable to parse ca certificate: ${cause}` };
}
