// `clusterConfiguration.encryptionAlgorithm`: which keys a cluster's certificates use.
//
// Admission allows only these words; objects from files (`render`) may hold anything, so an unknown word is an answer,
// not an exception.
import type { EncryptionAlgorithm } from './types.js';

/** What a word means to node:crypto and to X.509. */
export type AlgorithmProfile =
  | { readonly family: 'RSA'; readonly modulusBits: 2048 | 3072 | 4096; readonly digest: 'sha256' }
  | { readonly family: 'ECDSA'; readonly curve: 'P-256' | 'P-384'; readonly digest: 'sha256' | 'sha384' };

const PROFILES: Readonly<Record<EncryptionAlgorithm, AlgorithmProfile>> = {
  'RSA-2048': { family: 'RSA', modulusBits: 2048, digest: 'sha256' },
  'RSA-3072': { family: 'RSA', modulusBits: 3072, digest: 'sha256' },
  'RSA-4096': { family: 'RSA', modulusBits: 4096, digest: 'sha256' },
  'ECDSA-P256': { family: 'ECDSA', curve: 'P-256', digest: 'sha256' },
  'ECDSA-P384': { family: 'ECDSA', curve: 'P-384', digest: 'sha384' },
};

/** The algorithm to use when the field is absent or empty. */
export const DEFAULT_ENCRYPTION_ALGORITHM: EncryptionAlgorithm = 'RSA-2048';

/** What an algorithm stands for. */
export function algorithmProfile(algorithm: EncryptionAlgorithm): AlgorithmProfile {
  return PROFILES[algorithm];
}

/** Reads the field. The message is upstream's. */
export function parseEncryptionAlgorithm(
  text: string | undefined,
):
  | { readonly kind: 'known'; readonly algorithm: EncryptionAlgorithm }
  | { readonly kind: 'unknown'; readonly message: string } {
  if (text === undefined || text === '') return { kind: 'known', algorithm: DEFAULT_ENCRYPTION_ALGORITHM };
  if (isEncryptionAlgorithm(text)) return { kind: 'known', algorithm: text };
  return { kind: 'unknown', message: `cannot obtain key size from unknown RSA algorithm: ${JSON.stringify(text)}` };
}

function isEncryptionAlgorithm(text: string): text is EncryptionAlgorithm {
  return Object.hasOwn(PROFILES, text);
}
