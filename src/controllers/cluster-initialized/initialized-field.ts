// The field by which a control plane object says that its control plane is initialised. Pure.
//
// Absence counts as no; a value of the wrong type has no meaning, and is never taken for true or false.

import type { KubeObject } from '../../kube/contract.js';
import type { Contract } from '../machine/external/contract-version.js';

/** What the field says. */
export type InitializedField =
  { readonly kind: 'initialized' | 'notInitialized' } | { readonly kind: 'unreadable'; readonly problem: string };

const paths: Readonly<Record<Contract, readonly string[]>> = {
  v1beta2: ['status', 'initialization', 'controlPlaneInitialized'],
  v1beta1: ['status', 'initialized'],
};

/** Reads the field where the contract has it. */
export function initializedField(object: KubeObject, contract: Contract): InitializedField {
  const path = paths[contract];
  let value: unknown = object;
  for (const [depth, name] of path.entries()) {
    if (value === null || value === undefined) return { kind: 'notInitialized' };
    if (typeof value !== 'object' || Array.isArray(value)) return wrong(path.slice(0, depth), value, 'a map');
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  if (value === undefined) return { kind: 'notInitialized' };
  if (typeof value !== 'boolean') return wrong(path, value, 'a bool');
  return { kind: value ? 'initialized' : 'notInitialized' };
}

function wrong(path: readonly string[], value: unknown, wanted: string): InitializedField {
  const type = value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`;
  return { kind: 'unreadable', problem: `.${path.join('.')} is ${type}, not ${wanted}` };
}
