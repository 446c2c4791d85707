// Small operations on JSON values that the server needs everywhere: reading paths, comparing, recognising objects.
//
// Values are never changed in place; `withPath` copies along the path only.

/** A JSON object that may be read by any key. */
export type Fields = Readonly<Record<string, unknown>>;

/** True for a JSON object, not for arrays or null. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path, or undefined. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  let current = value;
  for (const key of path) {
    if (!isObject(current)) return undefined;
    current = current[key];
  }
  return current;
}

/** The string at a path, or the empty string. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** The list at a path, or an empty one. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}

/** A copy with one path set, or removed when `next` is undefined. */
export function withPath(value: unknown, path: readonly string[], next: unknown): Fields {
  const [key, ...rest] = path;
  const base = isObject(value) ? value : {};
  if (key === undefined) return base;
  const child = rest.length === 0 ? next : withPath(base[key], rest, next);
  if (child !== undefined) return { ...base, [key]: child };
  if (!(key in base)) return base;
  const copy: Record<string, unknown> = { ...base };
  delete copy[key];
  return copy;
}

/** Deep equality of JSON values; a key whose value is undefined counts as absent. */
export function equal(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left)) {
    if (!Array.isArray(right) || left.length !== right.length) return false;
    return left.every((item, index) => equal(item, right[index]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  let count = 0;
  for (const key in left) {
    const value = left[key];
    if (value === undefined) continue;
    count += 1;
    if (!equal(value, right[key])) return false;
  }
  for (const key in right) if (right[key] !== undefined) count -= 1;
  return count === 0;
}

/** JSON text with sorted keys: equal values give equal texts. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  return `{${keys
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`)
    .join(',')}}`;
}

/** Parses text, or answers with `otherwise`. */
export function parseOr(text: string, otherwise: unknown): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return otherwise;
  }
}
