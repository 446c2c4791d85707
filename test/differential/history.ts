// What a history is: acts of people and of Cluster API's other controllers, as data.
//
//   DH1. A history is JSON: it can be printed, cut and played again. The same seed gives the same history.
//   DH2. What differs between two servers stands in it as a placeholder: `<uid:Machine/w0>`, `<kubeconfig>`, `<token-secret:w0>`.
import type { resources } from '../../src/api/names.js';

/** A kind that acts are about. */
export type Kind = keyof typeof resources;

/** Any JSON object. */
export type Json = { readonly [field: string]: unknown };

/** One act. Names without a namespace are in the history's own. */
export type Act =
  | { readonly do: 'create'; readonly object: ActObject; readonly namespace?: string }
  | {
      readonly do: 'patch' | 'status';
      readonly kind: Kind;
      readonly name: string;
      readonly body: Json;
      /** The API version that the act goes through; default the storage version. */
      readonly version?: 'v1beta1';
      readonly namespace?: string;
    }
  | { readonly do: 'delete'; readonly kind: Kind; readonly name: string; readonly namespace?: string }
  /** A status as a backup restores it: none. */
  | { readonly do: 'forget'; readonly name: string }
  /** Cluster API's Machine and MachinePool controllers: the owner takes over the name of the data that its KubeadmConfig tells. */
  | { readonly do: 'adopt'; readonly kind: 'Machine' | 'MachinePool'; readonly name: string }
  /** The garbage collector: objects whose owners are all gone go. */
  | { readonly do: 'collect' }
  /** The provider is killed and started again. */
  | { readonly do: 'restart' }
  /** Real time passes. */
  | { readonly do: 'wait'; readonly seconds: number };

/** An object to create. */
export interface ActObject {
  readonly apiVersion: string;
  readonly kind: Kind;
  readonly metadata: Json & { readonly name: string };
  readonly [field: string]: unknown;
}

/** How providers are started for a history. */
export type Manner = 'plain' | 'short-ttl' | 'filter';

/** One history. Acts of a turn are made without a pause; after each turn the two worlds are compared. */
export interface History {
  readonly seed: number;
  readonly manner: Manner;
  readonly turns: readonly (readonly Act[])[];
}

/** Life of tokens where it is short: long enough for a slow machine to extend one in time. */
export const SHORT_TTL_SECONDS = 30;

/** The label value that providers are told to watch. */
export const FILTER = 'blue';

/** Every tenth history is about the filter, two are about the clock of tokens. */
export function mannerOf(seed: number): Manner {
  const last = seed % 10;
  return last === 9 ? 'filter' : last >= 7 ? 'short-ttl' : 'plain';
}

/** The acts in a form that a person can read, one a line. */
export function tell({ turns }: History): string {
  return turns.map((turn, index) => turn.map((act) => `  ${index + 1}. ${JSON.stringify(act)}`).join('\n')).join('\n');
}
