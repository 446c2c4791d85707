// What the two writers (cloud-config and Ignition) turn into bytes: one node's files, users, commands and kubeadm
// documents, with every reference resolved.
//
// Texts are Go strings (see go-format/go-string.ts): a byte that is not valid UTF-8 is carried as a lone surrogate
// U+DC80..U+DCFF, so that Secrets with arbitrary bytes survive. Nothing here reads or decides.
import type { DiskSetup, IgnitionSpec, Ntp } from './spec-types.js';

/** The three kinds of bootstrap data. */
export type BootstrapMode = 'init' | 'controlPlaneJoin' | 'workerJoin';

/** The formats of `spec.format`, and of the key `format` in the bootstrap Secret. */
export type BootstrapFormat = 'cloud-config' | 'ignition';

/** A file to be written on the node. */
export interface NodeFile {
  /** The field it comes from, for messages and the size report: `spec.files[2]`, `certificate ca`. */
  readonly field: string;
  readonly path: string;
  readonly owner?: string;
  readonly permissions?: string;
  readonly encoding?: string;
  readonly append?: boolean;
  readonly content: string;
}

/** A user to be created on the node; `passwd` is resolved. */
export interface NodeUser {
  readonly name: string;
  readonly passwd?: string;
  readonly gecos?: string;
  readonly groups?: string;
  readonly homeDir?: string;
  readonly inactive?: boolean;
  readonly shell?: string;
  readonly primaryGroup?: string;
  readonly lockPassword?: boolean;
  readonly sudo?: string;
  readonly sshAuthorizedKeys?: readonly string[];
}

/** The kubeadm YAML of a node. Each document ends in one LF. */
export type KubeadmDocuments =
  | { readonly mode: 'init'; readonly clusterConfiguration: string; readonly initConfiguration: string }
  | { readonly mode: 'controlPlaneJoin' | 'workerJoin'; readonly joinConfiguration: string };

/** All a writer needs. */
export interface NodeData {
  readonly kubeadm: KubeadmDocuments;
  /** Certificates, then `spec.files`, then the discovery kubeconfig: the order of the output. */
  readonly files: readonly NodeFile[];
  readonly users: readonly NodeUser[];
  readonly bootCommands: readonly string[];
  readonly preKubeadmCommands: readonly string[];
  readonly postKubeadmCommands: readonly string[];
  /** `--v N`, or empty. */
  readonly verbosityFlag: string;
  /** Present when `spec.ntp` is, whatever is in it. */
  readonly ntp?: Ntp;
  /** Present when `spec.diskSetup` is, whatever is in it. */
  readonly diskSetup?: DiskSetup;
  readonly mounts: readonly (readonly string[])[];
  readonly ignition?: IgnitionSpec;
}

/** How many bytes of the output one field is responsible for. */
export interface Contributor {
  readonly field: string;
  readonly bytes: number;
}

/** What a writer answers. `message` names the field in the user's words; `field` is its path in the spec. */
export type WriteResult =
  | {
      readonly kind: 'written';
      readonly bytes: Uint8Array;
      readonly contributors: readonly Contributor[];
      readonly warnings?: readonly string[];
    }
  | { readonly kind: 'invalid'; readonly field: string; readonly message: string };
