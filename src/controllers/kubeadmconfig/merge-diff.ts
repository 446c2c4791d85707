// The merge patch (RFC 7386) that turns one JSON value into another. Pure.
//
// Lists are replaced whole. Numbers of any form are compared as values.
import { JSON_RECURSION_MAX } from '../../limits.js';

type Json = unknown;

/** What must be patched; undefined when nothing must. Keys that are gone become null. */
export function mergeDiff(before: Json, after: Json): Json | undefined {
  if (!isObject(before) || !isObject(after)) return whole(before, after);
  // A list of members and not an object: a key may be called __proto__.
  const patch: (readonly [string, Json])[] = [];
  for (const key of Object.keys(before)) {
    if (member(after, key) === undefined && before[key] !== undefined) patch.push([key, null]);
  }
  for (const [key, value] of Object.entries(after)) {
    if (value === undefined) continue;
    const old = member(before, key);
    const change = isObject(old) && isObject(value) ? mergeDiff(old, value) : whole(old, value);
    if (change !== undefined) patch.push([key, change]);
  }
  return patch.length === 0 ? undefined : Object.fromEntries(patch);
}

/**
 * Whether two JSON values are the same; an absent key is an undefined one. What is deeper than the stack goes counts as different: somebody
 * looks once too often, and nothing ends.
 */
export function isSame(one: Json, other: Json, depth = 0): boolean {
  if (one === other) return true;
  if (depth > JSON_RECURSION_MAX) return false;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => isSame(each, other[index], depth + 1));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].every((key) => isSame(member(one, key), member(other, key), depth + 1));
}

function member(object: Record<string, Json>, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function whole(before: Json, after: Json): Json | undefined {
  return isSame(before, after) ? undefined : after;
}

function isObject(value: Json): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
