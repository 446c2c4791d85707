// Keys: making them off the event loop, and their PEM forms.
//
// Generation runs on libuv's threads; only the finished key comes back. PEM types follow Go: PKCS#1 for RSA, SEC 1 for
// ECDSA, PKIX for public keys. This is the one file that makes keys.
import { createPrivateKey, generateKeyPair as generateKeyPairCallback, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

import { algorithmProfile } from './encryption-algorithm.js';
import { readPemBlocks } from './pem.js';
import type { EncryptionAlgorithm, GeneratedKey } from './types.js';

const generateAsync = promisify(generateKeyPairCallback);

/** Makes one key on a thread of its own. Rejects only when the platform has no such algorithm. */
export async function generateKeyPair(algorithm: EncryptionAlgorithm): Promise<GeneratedKey> {
  const profile = algorithmProfile(algorithm);
  const pair =
    profile.family === 'RSA'
      ? await generateAsync('rsa', { modulusLength: profile.modulusBits })
      : await generateAsync('ec', { namedCurve: profile.curve });
  return { algorithm, ...pair };
}

/** The private key as Go writes it: `RSA PRIVATE KEY` or `EC PRIVATE KEY`. */
export function privateKeyPem(key: GeneratedKey): string {
  const type = algorithmProfile(key.algorithm).family === 'RSA' ? 'pkcs1' : 'sec1';
  return String(key.privateKey.export({ type, format: 'pem' }));
}

/** The public key as Go writes it: `PUBLIC KEY`. */
export function publicKeyPem(key: GeneratedKey): string {
  return String(key.publicKey.export({ type: 'spki', format: 'pem' }));
}

/** The forms a private key may come in. */
export type PrivateKeyForm = 'pkcs1' | 'pkcs8' | 'sec1';

/** What reading somebody's private key can give. The message never holds the text. */
export type PrivateKeyRead =
  | { readonly kind: 'key'; readonly form: PrivateKeyForm; readonly key: KeyObject }
  | { readonly kind: 'unreadable'; readonly message: string };

const FORM_BY_PEM_TYPE: Readonly<Record<string, PrivateKeyForm>> = {
  'RSA PRIVATE KEY': 'pkcs1',
  'EC PRIVATE KEY': 'sec1',
  'PRIVATE KEY': 'pkcs8',
};

/** Reads the first private key of a text in PKCS#1, PKCS#8 or SEC 1 form. `EC PARAMETERS` blocks before it are skipped. */
export function readPrivateKey(text: string): PrivateKeyRead {
  for (const block of readPemBlocks(text)) {
    const form = FORM_BY_PEM_TYPE[block.type];
    if (block.type === 'ENCRYPTED PRIVATE KEY' || (form !== undefined && block.hasHeaders)) {
      return { kind: 'unreadable', message: 'the private key is encrypted; kubeadm needs it in clear' };
    }
    if (form === undefined) continue;
    try {
      return { kind: 'key', form, key: createPrivateKey({ key: Buffer.from(block.bytes), format: 'der', type: form }) };
    } catch {
      return {
        kind: 'unreadable',
        message: `the block ${block.type} does not hold a ${form.toUpperCase()} private key`,
      };
    }
  }
  return { kind: 'unreadable', message: 'there is no private key in it (PKCS#1, PKCS#8 or SEC 1, as PEM)' };
}
