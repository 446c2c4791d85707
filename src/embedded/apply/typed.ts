// Values seen through a schema: which fields a value has, what differs between two, how one is merged into another.
//
// A list is atomic unless its schema says set or map; a map is granular unless it says atomic. That is also the rule for fields
// that no schema knows.
import { canonical, equal, isObject, type Fields } from '../json.js';
import { listItemKey } from '../schema/validate.js';
import { memberSchema, type Schema } from '../schema/schema.js';
import { below, emptySet, isEmpty, leafSet, node, union, type FieldSet } from './field-set.js';

/** The path element of a member. */
export function fieldElement(name: string): string {
  return `f:${name}`;
}

/** The path element of an item of a set or map list. */
export function itemElement(item: unknown, schema: Schema): string {
  if (schema['x-kubernetes-list-type'] === 'map') return `k:${canonical(listItemKey(item, schema))}`;
  return `v:${canonical(item)}`;
}

function isGranularList(value: unknown, schema: Schema | undefined): value is readonly unknown[] {
  const type = schema?.['x-kubernetes-list-type'];
  return Array.isArray(value) && (type === 'map' || type === 'set');
}

function isGranularMap(value: unknown, schema: Schema | undefined): value is Fields {
  return isObject(value) && schema?.['x-kubernetes-map-type'] !== 'atomic';
}

/** The fields that an applied value owns: its leaves, and the items of its lists. */
export function fieldsOf(value: unknown, schema: Schema | undefined): FieldSet {
  if (isGranularList(value, schema)) {
    const items = value.map((item): [string, FieldSet] => {
      const inside = fieldsOf(item, schema?.items);
      return [itemElement(item, schema ?? {}), { member: true, children: inside.children }];
    });
    return node(false, items);
  }
  if (!isGranularMap(value, schema)) return leafSet;
  const members = Object.entries(value).map(([key, member]): [string, FieldSet] => {
    const inside = fieldsOf(member, memberSchema(schema, key));
    const isEmptyValue = member === null || (isObject(member) && Object.keys(member).length === 0);
    const isDeclared = schema?.properties?.[key] !== undefined || schema?.['x-embedded-open'] === true;
    return [fieldElement(key), { member: inside.member || isEmptyValue || !isDeclared, children: inside.children }];
  });
  return node(false, members);
}

/** What changed between two values. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

const unchanged: Comparison = { added: emptySet, modified: emptySet, removed: emptySet };

/** Compares two values field by field; undefined is absent. */
export function compare(left: unknown, right: unknown, schema: Schema | undefined): Comparison {
  if (left === right) return unchanged;
  if (left === undefined) return { ...unchanged, added: everything(right, schema) };
  if (right === undefined) return { ...unchanged, removed: everything(left, schema) };
  if (isGranularMap(left, schema) && isGranularMap(right, schema)) return compareMaps(left, right, schema);
  if (isGranularList(left, schema) && isGranularList(right, schema)) return compareLists(left, right, schema ?? {});
  return equal(left, right) ? unchanged : { ...unchanged, modified: leafSet };
}

/** All of a value that appears or disappears as a whole: containers are members too. */
function everything(value: unknown, schema: Schema | undefined): FieldSet {
  if (isGranularList(value, schema)) {
    const items = value.map((item): [string, FieldSet] => [
      itemElement(item, schema ?? {}),
      everything(item, schema?.items),
    ]);
    return node(true, items);
  }
  if (!isGranularMap(value, schema)) return leafSet;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return node(
    true,
    members.map(([key, member]) => [fieldElement(key), everything(member, memberSchema(schema, key))] as const),
  );
}

function compareMaps(left: Fields, right: Fields, schema: Schema | undefined): Comparison {
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  const parts: [string, Comparison][] = [];
  for (const key of keys) {
    const found = compare(left[key], right[key], memberSchema(schema, key));
    if (found !== unchanged) parts.push([fieldElement(key), found]);
  }
  return combined(parts);
}

function compareLists(left: readonly unknown[], right: readonly unknown[], schema: Schema): Comparison {
  const before = new Map(left.map((item) => [itemElement(item, schema), item]));
  const after = new Map(right.map((item) => [itemElement(item, schema), item]));
  const parts: [string, Comparison][] = [];
  for (const element of new Set([...before.keys(), ...after.keys()])) {
    const found = compare(before.get(element), after.get(element), schema.items);
    if (found !== unchanged) parts.push([element, found]);
  }
  return combined(parts);
}

function combined(parts: readonly (readonly [string, Comparison])[]): Comparison {
  if (parts.length === 0) return unchanged;
  const pick = (which: keyof Comparison): FieldSet =>
    node(
      false,
      parts.map(([key, part]) => [key, part[which]] as const),
    );
  return { added: pick('added'), modified: pick('modified'), removed: pick('removed') };
}

/** Merges an applied value into the live one: the applied side wins, lists keep the live order and append. */
export function mergeApplied(live: unknown, applied: unknown, schema: Schema | undefined): unknown {
  if (applied === undefined) return live;
  if (live === undefined) return applied;
  if (isGranularMap(live, schema) && isGranularMap(applied, schema)) {
    const merged: Record<string, unknown> = { ...live };
    for (const [key, value] of Object.entries(applied)) {
      merged[key] = mergeApplied(live[key], value, memberSchema(schema, key));
    }
    return merged;
  }
  if (isGranularList(live, schema) && isGranularList(applied, schema)) {
    const list = schema ?? {};
    const pending = new Map(applied.map((item) => [itemElement(item, list), item]));
    const merged = live.map((item) => {
      const element = itemElement(item, list);
      const update = pending.get(element);
      pending.delete(element);
      return update === undefined ? item : mergeApplied(item, update, list.items);
    });
    return [...merged, ...pending.values()];
  }
  return applied;
}

/** A value without the members of `gone` that nobody in `kept` owns; emptied containers go with them. */
export function withoutFields(value: unknown, gone: FieldSet, kept: FieldSet, schema: Schema | undefined): unknown {
  if (isEmpty(gone)) return value;
  if (isGranularMap(value, schema)) {
    const result: Record<string, unknown> = {};
    for (const [key, member] of Object.entries(value)) {
      const element = fieldElement(key);
      const rest = remaining(member, below(gone, element), below(kept, element), memberSchema(schema, key));
      if (rest !== undefined) result[key] = rest;
    }
    return result;
  }
  if (isGranularList(value, schema)) {
    const list = schema ?? {};
    return value.flatMap((item) => {
      const element = itemElement(item, list);
      const rest = remaining(item, below(gone, element), below(kept, element), list.items);
      return rest === undefined ? [] : [rest];
    });
  }
  return value;
}

function remaining(value: unknown, gone: FieldSet, kept: FieldSet, schema: Schema | undefined): unknown {
  if (isEmpty(gone)) return value;
  if (isEmpty(kept)) return onlyForeign(value, gone, schema);
  return withoutFields(value, gone, kept, schema);
}

/** Nobody else owns anything here: a list item that was owned goes whole, a container when nothing is left inside. */
function onlyForeign(value: unknown, gone: FieldSet, schema: Schema | undefined): unknown {
  if (gone.member || gone.children.size === 0) return undefined;
  const rest = withoutFields(value, gone, emptySet, schema);
  const isLeft = Array.isArray(rest) ? rest.length > 0 : isObject(rest) && Object.keys(rest).length > 0;
  return isLeft ? rest : undefined;
}

/** Joins what several managers own. */
export function unionOf(sets: Iterable<FieldSet>): FieldSet {
  let all = emptySet;
  for (const set of sets) all = union(all, set);
  return all;
}
