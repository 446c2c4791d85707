// Sets of fields, as managedFields store them: a tree of path elements (`f:name`, `k:{"type":"Ready"}`, `v:"x"`), each a member or
// only on the way to one.
//
//   F1. Sets are values: every operation returns a new set, sharing what did not change.
//   F2. A node that is no member and has no children does not exist.
import { isObject } from '../json.js';
import type { JsonObject } from '../types.js';

/** One node of a set. */
export interface FieldSet {
  readonly member: boolean;
  readonly children: ReadonlyMap<string, FieldSet>;
}

/** The set without members. */
export const emptySet: FieldSet = { member: false, children: new Map() };

/** A single member without children. */
export const leafSet: FieldSet = { member: true, children: new Map() };

/** Whether a set has no member. */
export function isEmpty(set: FieldSet): boolean {
  return !set.member && set.children.size === 0;
}

/** A node from its parts; children that are empty are left out. */
export function node(member: boolean, children: Iterable<readonly [string, FieldSet]>): FieldSet {
  const kept = new Map<string, FieldSet>();
  for (const [key, child] of children) if (!isEmpty(child)) kept.set(key, child);
  if (kept.size === 0) return member ? leafSet : emptySet;
  return { member, children: kept };
}

/** Members of either. */
export function union(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmpty(left)) return right;
  if (isEmpty(right) || left === right) return left;
  const children = new Map(left.children);
  for (const [key, child] of right.children) {
    const existing = children.get(key);
    children.set(key, existing === undefined ? child : union(existing, child));
  }
  return { member: left.member || right.member, children };
}

/** Members of the left that are not in the right. */
export function difference(left: FieldSet, right: FieldSet): FieldSet {
  if (isEmpty(left) || isEmpty(right)) return left;
  const children: [string, FieldSet][] = [];
  for (const [key, child] of left.children) {
    const removed = right.children.get(key);
    children.push([key, removed === undefined ? child : difference(child, removed)]);
  }
  return node(left.member && !right.member, children);
}

/** Members of both. */
export function intersection(left: FieldSet, right: FieldSet): FieldSet {
  const children: [string, FieldSet][] = [];
  for (const [key, child] of left.children) {
    const other = right.children.get(key);
    if (other !== undefined) children.push([key, intersection(child, other)]);
  }
  return node(left.member && right.member, children);
}

/** The subtree at a path element; empty when there is none. */
export function below(set: FieldSet, key: string): FieldSet {
  return set.children.get(key) ?? emptySet;
}

/** Reads `fieldsV1`. */
export function fromJson(json: unknown): FieldSet {
  if (!isObject(json)) return emptySet;
  const children = new Map<string, FieldSet>();
  for (const [key, value] of Object.entries(json)) if (key !== '.') children.set(key, nodeFromJson(value));
  return { member: false, children };
}

function nodeFromJson(json: unknown): FieldSet {
  const set = fromJson(json);
  if (set.children.size === 0) return leafSet;
  return { member: isObject(json) && '.' in json, children: set.children };
}

/** Writes `fieldsV1`, keys in order. */
export function toJson(set: FieldSet): JsonObject {
  const children: Record<string, JsonObject> = {};
  for (const key of [...set.children.keys()].sort()) children[key] = toJson(set.children.get(key) ?? emptySet);
  return set.member && set.children.size > 0 ? { '.': {}, ...children } : children;
}

/** Every member as a path in words: `.spec.version`, `.status.conditions[type="Ready"].status`. */
export function memberPaths(set: FieldSet): string[] {
  const paths: string[] = [];
  const walk = (current: FieldSet, path: string): void => {
    if (current.member) paths.push(path);
    const entries = [...current.children].sort(([left], [right]) => (left < right ? -1 : 1));
    for (const [key, child] of entries) walk(child, path + inWords(key));
  };
  walk(set, '');
  return paths;
}

function inWords(key: string): string {
  const [kind, rest] = [key[0], key.slice(2)];
  if (kind === 'f') return `.${rest}`;
  if (kind === 'v') return `[=${rest}]`;
  const fields = JSON.parse(rest) as Record<string, unknown>;
  return `[${Object.entries(fields)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(',')}]`;
}
