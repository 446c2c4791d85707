// A self-signed certificate authority, byte for byte as Cluster API's Go code makes it.
//
//   C1. Version 3, serial 0, subject and issuer `CN=kubernetes` as PrintableString, for every CA alike.
//   C2. Valid from five minutes before now, to the validity after now, in whole seconds.
//   C3. Key usage and basic constraints (CA, path length 0) are critical; then the subject key id, which is the first
//       20 bytes of SHA-256 over the public key's bits. No authority key id: subject and issuer are the same.
//   C4. The same key, time and validity give the same bytes with RSA; ECDSA signatures are randomised.
import { createHash, sign as signCallback } from 'node:crypto';
import { promisify } from 'node:util';

import {
  derBitString,
  derBoolean,
  derExplicit,
  derInteger,
  derNull,
  derObjectIdentifier,
  derOctetString,
  derPrintableString,
  derSequence,
  derSetOfOne,
  derTime,
  readDerElements,
} from './der.js';
import { algorithmProfile, type AlgorithmProfile } from './encryption-algorithm.js';
import { writePem } from './pem.js';
import type { GeneratedKey } from './types.js';

/** How long a CA is valid when `caCertificateValidityPeriodDays` is absent: ten years, as upstream. */
export const CA_VALIDITY_DAYS_DEFAULT = 3650;

const BACKDATE_MS = 5 * 60 * 1000;
const DAY_MS = 24 * 60 * 60 * 1000;
const SUBJECT_KEY_ID_BYTES = 20;
/** digitalSignature, keyEncipherment, keyCertSign: bits 0, 2 and 5, so the last two of the byte are unused. */
const KEY_USAGE = derBitString(Uint8Array.of(0b1010_0100), 2);
const OID = {
  commonName: '2.5.4.3',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  sha256WithRsa: '1.2.840.113549.1.1.11',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  ecdsaWithSha384: '1.2.840.10045.4.3.3',
} as const;

const signAsync = promisify(signCallback);

/** Makes and signs the certificate; the signature is computed off the event loop. */
export async function createCaCertificate(options: {
  readonly key: GeneratedKey;
  readonly nowMs: number;
  readonly validityDays: number;
}): Promise<string> {
  const { key, nowMs, validityDays } = options;
  const publicKey = key.publicKey.export({ type: 'spki', format: 'der' });
  return selfSigned({
    key,
    nowMs,
    validityDays,
    serial: 0,
    commonName: 'kubernetes',
    extensions: extensions(publicKey),
  });
}

/** A certificate that its own key signs, as PEM: subject and issuer are the same. */
export async function selfSigned(options: {
  readonly key: GeneratedKey;
  readonly nowMs: number;
  readonly validityDays: number;
  readonly serial: number;
  /** Characters of a PrintableString. */
  readonly commonName: string;
  /** A DER sequence of extensions. */
  readonly extensions: Uint8Array;
}): Promise<string> {
  const { key, nowMs, validityDays, serial, commonName } = options;
  const profile = algorithmProfile(key.algorithm);
  const algorithm = signatureAlgorithm(profile);
  const name = derSequence(
    derSetOfOne(derSequence(derObjectIdentifier(OID.commonName), derPrintableString(commonName))),
  );
  const toBeSigned = derSequence(
    derExplicit(0, derInteger(2)),
    derInteger(serial),
    algorithm,
    name,
    derSequence(derTime(nowMs - BACKDATE_MS), derTime(nowMs + validityDays * DAY_MS)),
    name,
    key.publicKey.export({ type: 'spki', format: 'der' }),
    derExplicit(3, options.extensions),
  );
  const signature = await signAsync(profile.digest, toBeSigned, key.privateKey);
  return writePem('CERTIFICATE', derSequence(toBeSigned, algorithm, derBitString(signature)));
}

function extensions(publicKey: Uint8Array): Uint8Array {
  return derSequence(
    extension(OID.keyUsage, true, KEY_USAGE),
    extension(OID.basicConstraints, true, derSequence(derBoolean(true), derInteger(0))),
    extension(OID.subjectKeyId, false, derOctetString(subjectKeyId(publicKey))),
  );
}

/** One extension of a certificate. */
export function extension(oid: string, critical: boolean, value: Uint8Array): Uint8Array {
  const content = derOctetString(value);
  return critical
    ? derSequence(derObjectIdentifier(oid), derBoolean(true), content)
    : derSequence(derObjectIdentifier(oid), content);
}

function subjectKeyId(publicKey: Uint8Array): Uint8Array {
  const [info] = readDerElements(publicKey) ?? [];
  const [, bits] = readDerElements(info?.content ?? new Uint8Array()) ?? [];
  if (bits === undefined) throw new Error('a public key of node:crypto is not a SubjectPublicKeyInfo');
  // The first byte of a BIT STRING counts its unused bits.
  return createHash('sha256').update(bits.content.subarray(1)).digest().subarray(0, SUBJECT_KEY_ID_BYTES);
}

function signatureAlgorithm(profile: AlgorithmProfile): Uint8Array {
  if (profile.family === 'RSA') return derSequence(derObjectIdentifier(OID.sha256WithRsa), derNull);
  return derSequence(derObjectIdentifier(profile.digest === 'sha256' ? OID.ecdsaWithSha256 : OID.ecdsaWithSha384));
}
