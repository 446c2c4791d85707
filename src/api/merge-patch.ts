// RFC 7386: JSON merge patch.
import { isObject } from './wire.js';

/** The value after a merge patch: null removes, undefined is not there, everything but objects replaces. */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  // Members of a map and not of an object: a key may be called __proto__.
  const result = new Map<string, unknown>(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else if (value !== undefined) result.set(key, mergePatch(result.get(key), value));
  }
  return Object.fromEntries(result);
}
