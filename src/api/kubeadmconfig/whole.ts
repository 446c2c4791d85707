// Building one object from another without forgetting a field.

/** Every property of a type, each of which may be undefined. */
export type Whole<T> = { readonly [K in keyof T]-?: T[K] | undefined };

/** Makes an object of which every property is given, and leaves out those that are undefined. */
export function whole<T extends object>(properties: Whole<T>): T {
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined)) as T;
}

/** A list, unless it is empty. */
export function nonEmpty<T>(items: readonly T[] | undefined): readonly T[] | undefined {
  return items !== undefined && items.length > 0 ? items : undefined;
}
