// The merge patch (RFC 7386) that turns one JSON value into another. Pure.
//
// Lists are replaced whole. Numbers of any form are compared as values.

type Json = unknown;

/** What must be patched; undefined when nothing must. Keys that are gone become null. */
export function mergeDiff(before: Json, after: Json): Json | undefined {
  if (isSame(before, after)) return undefined;
  if (!isObject(before) || !isObject(after)) return after;
  const patch: Record<string, Json> = {};
  for (const key of Object.keys(before)) if (after[key] === undefined && before[key] !== undefined) patch[key] = null;
  for (const [key, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const change = isObject(before[key]) && isObject(value) ? mergeDiff(before[key], value) : whole(before[key], value);
    if (change !== undefined) patch[key] = change;
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

/** Whether two JSON values are the same; an absent key is an undefined one. */
export function isSame(one: Json, other: Json): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => isSame(each, other[index]));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => isSame(one[key], other[key]));
}

function whole(before: Json, after: Json): Json | undefined {
  return isSame(before, after) ? undefined : after;
}

function isObject(value: Json): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
