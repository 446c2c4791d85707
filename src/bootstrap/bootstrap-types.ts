// What goes into and comes out of the pure making of bootstrap data (see bootstrap-data.ts for the functions).
//
//   B1. Everything that was read from a cluster arrives as a value: also "not found" and "the read failed".
//   B2. A refusal is a value that names the field and carries everything the status needs to say.
//   B3. Nothing is random and nothing reads a clock: a new token and new keys are asked for, never made.
import type { BootstrapFormat, BootstrapMode, Contributor } from './node-data.js';
import type { KubeadmConfigSpec } from './spec-types.js';

/** What one read of a Secret gave. `data` is base64, as in the API's JSON. */
export type SecretRead =
  | { readonly kind: 'found'; readonly data: Readonly<Record<string, string>> }
  | { readonly kind: 'notFound' }
  | { readonly kind: 'failed'; readonly cause: string };

/** Reads of Secrets in the KubeadmConfig's namespace, by name. A name that is not there was not found. */
export type SecretReads = ReadonlyMap<string, SecretRead>;

/** What bootstrap data takes from the Cluster. */
export interface ClusterFacts {
  readonly name: string;
  readonly namespace: string;
  readonly controlPlaneEndpoint: { readonly host: string; readonly port: number };
  readonly serviceDomain: string;
  readonly serviceCidrBlocks: readonly string[];
  readonly podCidrBlocks: readonly string[];
  /** Whether `spec.controlPlaneRef` is defined: then certificates are only looked up, never generated. */
  readonly hasControlPlaneRef: boolean;
}

/** The certificate Secrets by purpose: the Secret's name is `<cluster>-<purpose>`. */
export type CertificatePurpose = 'ca' | 'etcd' | 'proxy' | 'sa' | 'apiserver-etcd-client';

/** One certificate that a node needs: where it is stored, where it goes, and what must be there. */
export interface CertificateWant {
  readonly purpose: CertificatePurpose;
  readonly secretName: string;
  readonly certFile: string;
  /** Empty: no file is written for the key. */
  readonly keyFile: string;
  /** Supplied by the user (external etcd): never generated, and its key may be missing. */
  readonly isExternal: boolean;
}

/** A certificate and its key as Go strings (PEM texts, normally). Empty means not there. */
export interface KeyPair {
  readonly want: CertificateWant;
  readonly cert: string;
  readonly key: string;
}

/** The certificates that were found (or generated), in lookup order. */
export type Certificates = readonly KeyPair[];

/** The control plane's version, for file templates. `absent`: there is no reference, or no version in the object. */
export type ControlPlaneVersion =
  | { readonly kind: 'absent' }
  | { readonly kind: 'version'; readonly version: string }
  | { readonly kind: 'failed'; readonly cause: string };

/** All that rendering takes. For joins, `spec` has its discovery completed. */
export interface RenderInput {
  readonly spec: KubeadmConfigSpec;
  readonly namespace: string;
  readonly cluster: ClusterFacts;
  /** The owner's Kubernetes version, empty if it has none. */
  readonly kubernetesVersion: string;
  readonly certificates: Certificates;
  /** What `neededSecrets(spec)` asked for. */
  readonly secrets: SecretReads;
  /** Looked at only if `needsControlPlaneVersion(spec)`. */
  readonly controlPlaneVersion: ControlPlaneVersion;
  /** Larger data is refused; 0 is no limit. */
  readonly sizeLimitBytes: number;
}

/** Why there is no data: the condition to set, in both API versions' words. */
export interface Refused {
  readonly kind: 'refused';
  readonly conditionType: 'DataSecretAvailable' | 'CertificatesAvailable';
  readonly status: 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** The error itself; also the v1beta1 condition's message. */
  readonly cause: string;
  /** The field of the KubeadmConfig (or the object) that must change. */
  readonly field: string;
  readonly v1beta1: { readonly reason: string; readonly severity: 'Warning' | 'Error' };
}

/** Bootstrap data, or why there is none. */
export type RenderResult =
  | {
      readonly kind: 'data';
      readonly format: BootstrapFormat;
      readonly bytes: Uint8Array;
      readonly contributors: readonly Contributor[];
      /** What is doubtful in the user's additional configuration, but does not stop the data. */
      readonly warnings: readonly string[];
    }
  | Refused;

/** The answer of a check that comes before any side effect. `spec` is the spec to store, also with a refusal. */
export type PrepareResult =
  { readonly kind: 'ready'; readonly spec: KubeadmConfigSpec } | (Refused & { readonly spec: KubeadmConfigSpec });

/** The answer of looking at the certificate Secrets. `missing`: these are to be generated (init without reference). */
export type CertificatesResult =
  | { readonly kind: 'loaded'; readonly certificates: Certificates }
  | {
      readonly kind: 'missing';
      readonly certificates: Certificates;
      readonly toGenerate: readonly CertificateWant[];
    }
  | Refused;

/** The answer of completing a join's discovery. `spec` is always what is known by now, to be stored. */
export type DiscoveryResult =
  | { readonly kind: 'complete'; readonly spec: KubeadmConfigSpec }
  | { readonly kind: 'waitEndpoint'; readonly spec: KubeadmConfigSpec }
  | { readonly kind: 'needToken'; readonly spec: KubeadmConfigSpec }
  | (Refused & { readonly spec: KubeadmConfigSpec });

export type { BootstrapFormat, BootstrapMode, Contributor };
