// Certificates that histories hand to both worlds: two sets, made once a process, so that a CA
// can be exchanged for another. In a history they stand as `<given first ca.crt>`.
import { generateKeyPairSync } from 'node:crypto';
import { createCaCertificate } from '../../src/bootstrap/certificates/ca-certificate.js';
import { privateKeyPem, publicKeyPem } from '../../src/bootstrap/certificates/keys.js';
import type { GeneratedKey } from '../../src/bootstrap/certificates/types.js';

/** A certificate and its key as PEM; for service accounts the public and the private key. */
export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** Pairs by purpose. */
export type PairSet = Readonly<Record<string, Pair>>;

/** Two sets of pairs. */
export interface Material {
  readonly first: PairSet;
  readonly second: PairSet;
}

/** What a cluster has certificates for. */
export const PURPOSES = ['ca', 'etcd', 'proxy', 'sa'] as const;

/** Makes both sets. */
export async function makeMaterial(): Promise<Material> {
  return { first: await makeSet(), second: await makeSet() };
}

async function makeSet(): Promise<PairSet> {
  const pairs: Record<string, Pair> = {};
  for (const purpose of PURPOSES) {
    const key: GeneratedKey = { algorithm: 'RSA-2048', ...generateKeyPairSync('rsa', { modulusLength: 2048 }) };
    const cert =
      purpose === 'sa'
        ? publicKeyPem(key)
        : await createCaCertificate({ key, nowMs: Date.parse('2025-01-01T00:00:00Z'), validityDays: 3650 });
    pairs[purpose] = { cert, key: privateKeyPem(key) };
  }
  return pairs;
}
