// Where the two versions of the API say the same thing with different strictness.
//
// v1beta2 refuses empty objects and empty lists and names each list's merge strategy; v1beta1 does neither. A part of the
// API that both versions share is described once, in words of a dialect, and each version speaks it with its own.

import { evenEmpty, flag, list, object, unlessFalse, type ObjectOf, type Properties, type Schema } from '../schema.js';

/** How many items a list may hold. `min` counts in v1beta2 only, unless the dialect is told otherwise. */
export interface Bounds {
  readonly min?: number;
  readonly max: number;
}

/** The words that differ between the API versions. */
export interface Dialect {
  /** A list that is replaced as a whole. */
  readonly items: <T>(description: string, items: Schema<T>, bounds: Bounds) => Schema<readonly T[], false>;
  /** An object of which at least one property must be set (v1beta2), or which may be empty (v1beta1). */
  readonly group: <P extends Properties>(description: string, properties: P) => Schema<ObjectOf<P>, false>;
  /** A truth value of which false and absence differ (v1beta2), or mean the same (v1beta1). */
  readonly choice: (description: string) => Schema<boolean, false>;
}

/** v1beta2: lists are atomic and bounded from both sides; an object that says nothing must be absent. */
export const strict: Dialect = {
  items: (description, items, { min, max }) =>
    list(description, items, {
      'x-kubernetes-list-type': 'atomic',
      maxItems: max,
      ...(min === undefined ? {} : { minItems: min }),
    }),
  group: (description, properties) => object(description, properties, { minProperties: 1 }),
  choice: flag,
};

/** v1beta1: lists are bounded from above only, objects may be empty. */
export const lenient: Dialect = {
  items: (description, items, { max }) => list(description, items, { maxItems: max }),
  group: (description, properties) => evenEmpty(object(description, properties)),
  choice: (description) => unlessFalse(flag(description)),
};
