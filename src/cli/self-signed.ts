// Key and certificate for this start alone, for ports that have none of their own: /metrics and the inspector.
//
// Nobody can verify it beforehand, as with the Go manager's; it is for this machine's names and the address it is served on.

import { hostname } from 'node:os';
import { generateKeyPair, privateKeyPem } from '../bootstrap/certificates/keys.js';
import { createServingCertificate } from '../bootstrap/certificates/serving-certificate.js';
import { splitAddress } from '../inspector/guards.js';

/** Makes them. `address` is `host:port` as in a flag. */
export async function selfSignedTls(
  nowMs: number,
  address: string,
): Promise<{ readonly key: string; readonly cert: string }> {
  const key = await generateKeyPair('ECDSA-P256');
  const host = splitAddress(address)?.host ?? '';
  const hosts = ['localhost', '127.0.0.1', '::1', hostname(), ...(['', '0.0.0.0', '::'].includes(host) ? [] : [host])];
  const cert = await createServingCertificate({ key, nowMs, validityDays: 365, hosts });
  return { key: privateKeyPem(key), cert };
}
