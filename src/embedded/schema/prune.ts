// Removes what a structural schema does not know, and fills in its defaults.
//
// Values are copied only where something changes: an object that is already clean comes back as it is.
import { isObject, type Fields } from '../json.js';
import { memberSchema, type Schema } from './schema.js';

/** A value without its unknown fields; their paths are added to `unknown`. */
export function prune(value: unknown, schema: Schema | undefined, path: string, unknown: string[]): unknown {
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    const items = schema.items;
    if (items === undefined) return value;
    return mapList(value, (item, index) => prune(item, items, `${path}[${index}]`, unknown));
  }
  if (!isObject(value)) return value;
  const keepsUnknown =
    schema['x-kubernetes-preserve-unknown-fields'] === true ||
    schema.additionalProperties === true ||
    isUntyped(schema);
  return mapMembers(value, (member, key) => {
    const known = memberSchema(schema, key);
    const memberPath = path === '' ? key : `${path}.${key}`;
    // A null where none is allowed counts as absent; where there is a default, that takes its place.
    if (member === null && known !== undefined && known.nullable !== true) return undefined;
    if (known !== undefined) return prune(member, known, memberPath, unknown);
    if (keepsUnknown) return member;
    unknown.push(memberPath);
    return undefined;
  });
}

function isUntyped(schema: Schema): boolean {
  return schema.type === undefined && schema.properties === undefined && schema.additionalProperties === undefined;
}

/** A value with the schema's defaults wherever their parent exists. */
export function withDefaults(value: unknown, schema: Schema | undefined): unknown {
  if (schema === undefined) return value;
  if (Array.isArray(value)) {
    const items = schema.items;
    if (items === undefined || !hasDefaults(items)) return value;
    return mapList(value, (item) => withDefaults(item, items));
  }
  if (!isObject(value) || !hasDefaults(schema)) return value;
  const result = mapMembers(value, (member, key) => withDefaults(member, memberSchema(schema, key)));
  let filled: Record<string, unknown> | null = null;
  for (const [key, child] of Object.entries(schema.properties ?? {})) {
    if (child.default === undefined) continue;
    const isMissing = result[key] === undefined || (result[key] === null && child.nullable !== true);
    if (!isMissing) continue;
    filled ??= { ...result };
    filled[key] = withDefaults(child.default, child);
  }
  return filled ?? result;
}

const defaultsInside = new WeakMap<Schema, boolean>();

/** Most schemas have no default anywhere below: those are not walked. */
function hasDefaults(schema: Schema): boolean {
  const known = defaultsInside.get(schema);
  if (known !== undefined) return known;
  const { properties = {}, items, additionalProperties, default: own } = schema;
  const children = [...Object.values(properties), ...(items === undefined ? [] : [items])];
  if (isObject(additionalProperties)) children.push(additionalProperties as Schema);
  const found = own !== undefined || children.some(hasDefaults);
  defaultsInside.set(schema, found);
  return found;
}

function mapList(list: readonly unknown[], change: (item: unknown, index: number) => unknown): readonly unknown[] {
  let copy: unknown[] | null = null;
  list.forEach((item, index) => {
    const next = change(item, index);
    if (next === item) return;
    copy ??= [...list];
    copy[index] = next;
  });
  return copy ?? list;
}

function mapMembers(object: Fields, change: (member: unknown, key: string) => unknown): Fields {
  let copy: Record<string, unknown> | null = null;
  for (const key of Object.keys(object)) {
    const next = change(object[key], key);
    if (next === object[key]) continue;
    copy ??= { ...object };
    if (next === undefined) delete copy[key];
    else copy[key] = next;
  }
  return copy ?? object;
}
