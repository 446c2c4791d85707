// The words of the certificates: which key pairs a cluster has, what is in them, and how handling them can end.
//
// Types only. Texts are Go strings (see go-format/go-string.ts): a byte that is not valid UTF-8 is carried as a lone
// surrogate, so that a Secret's bytes reach the node unchanged. A PEM text never leaves this folder inside a message.
import type { KeyObject } from 'node:crypto';

import type { CertificatePurpose, KeyPair } from '../bootstrap-types.js';

/** The values of `clusterConfiguration.encryptionAlgorithm`. Absent means RSA-2048. */
export type EncryptionAlgorithm = 'RSA-2048' | 'RSA-3072' | 'RSA-4096' | 'ECDSA-P256' | 'ECDSA-P384';

/** Which machines need the set. */
export type CertificateSetKind = 'initialControlPlane' | 'controlPlaneJoin' | 'worker';

/** The part of `clusterConfiguration` that certificates depend on. */
export interface CertificateSettings {
  readonly certificatesDir?: string;
  readonly etcd?: {
    readonly external?: {
      readonly endpoints?: readonly string[];
      readonly caFile?: string;
      readonly certFile?: string;
      readonly keyFile?: string;
    };
  };
  readonly encryptionAlgorithm?: string;
  readonly caCertificateValidityPeriodDays?: number;
}

/** What reading a pair from a Secret's data can give. An absent `tls.key` is an empty key. */
export type KeyPairRead =
  { readonly kind: 'loaded'; readonly keyPair: KeyPair } | { readonly kind: 'corrupt'; readonly message: string };

/** Whether a set is complete. `message` is upstream's text, without a secret in it. */
export type CompletenessCheck =
  | { readonly kind: 'complete' }
  | {
      readonly kind: 'incomplete';
      readonly purpose: CertificatePurpose;
      readonly problem: 'missing' | 'missingCert' | 'missingKey';
      readonly message: string;
    };

/** The discovery hashes of a CA: `sha256:<hex>`, one for each certificate in the text, in its order. */
export type CaCertHashes =
  | { readonly kind: 'hashes'; readonly hashes: readonly string[] }
  | { readonly kind: 'unusable'; readonly message: string };

/** A fresh key, in memory only. */
export interface GeneratedKey {
  readonly algorithm: EncryptionAlgorithm;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Makes one key off the event loop. Rejects only when the platform refuses. */
export type KeyGenerator = (algorithm: EncryptionAlgorithm) => Promise<GeneratedKey>;

/** What asking the pool for keys can give. */
export type KeyPoolAnswer =
  | { readonly kind: 'generated'; readonly keys: readonly GeneratedKey[] }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly message: string };

/** A request for keys. Requests of different owners are served in turns. */
export interface KeyRequest {
  /** The cluster as `namespace/name`. */
  readonly owner: string;
  readonly algorithm: EncryptionAlgorithm;
  readonly count: number;
  readonly signal: AbortSignal;
}

/** How busy the pool is, for metrics and tests. */
export interface KeyPoolLoad {
  readonly running: number;
  readonly waiting: number;
  readonly preparedSets: number;
}

/** The process's only source of keys: at most two are made at a time, whoever asks. */
export interface KeyPool {
  /** `count` fresh keys, the prepared ones of this owner first. Each key is handed out once. Never rejects. */
  take(request: KeyRequest): Promise<KeyPoolAnswer>;
  /**
   * Starts making a set ahead of need, behind every request that waits. Safe to repeat. Answers false when the bound on
   * sets in memory is reached: then `take` simply makes the keys when they are needed.
   */
  prepare(owner: string, algorithm: EncryptionAlgorithm): boolean;
  /** Drops what was prepared for this owner. */
  forget(owner: string): void;
  /** Aborts every waiting request and drops every prepared key. The pool answers `aborted` from then on. */
  close(): void;
  load(): KeyPoolLoad;
}

/** What generating the missing members of a set can give. */
export type GenerateResult =
  | { readonly kind: 'generated'; readonly made: readonly KeyPair[] }
  | { readonly kind: 'aborted' }
  | { readonly kind: 'failed'; readonly field: string; readonly message: string };
