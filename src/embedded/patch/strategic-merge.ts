// Strategic merge patch of built-in kinds, as kubectl sends it: lists with a merge key are merged item by item, and the
// directives `$patch`, `$retainKeys`, `$setElementOrder` and `$deleteFromPrimitiveList` are carried out.
import { equal, isObject, type Fields } from '../json.js';
import { memberSchema, type Schema } from '../schema/schema.js';

const orderPrefix = '$setElementOrder/';
const deletePrefix = '$deleteFromPrimitiveList/';

/** The value after a strategic merge patch. */
export function strategicMerge(target: unknown, patch: unknown, schema: Schema | undefined): unknown {
  if (!isObject(patch)) return patch;
  if (patch.$patch === 'replace') return without(patch, '$patch');
  if (patch.$patch === 'delete') return {};
  const base = retained(isObject(target) ? target : {}, patch);
  const result: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (key.startsWith('$')) continue;
    const member = memberSchema(schema, key);
    if (value === null) delete result[key];
    else if (Array.isArray(value)) result[key] = mergedList(result[key], value, member);
    else result[key] = isObject(value) ? strategicMerge(result[key], value, member) : value;
  }
  applyListDirectives(result, target, patch, schema);
  return result;
}

/** `$retainKeys` names all that may stay beside what the patch sets. */
function retained(target: Fields, patch: Fields): Fields {
  const keys = patch.$retainKeys;
  if (!Array.isArray(keys)) return target;
  return Object.fromEntries(Object.entries(target).filter(([key]) => keys.includes(key)));
}

function before(target: unknown, field: string): readonly unknown[] {
  const list = isObject(target) ? target[field] : undefined;
  return Array.isArray(list) ? list : [];
}

function applyListDirectives(
  result: Record<string, unknown>,
  target: unknown,
  patch: Fields,
  schema: Schema | undefined,
): void {
  for (const [key, value] of Object.entries(patch)) {
    if (!Array.isArray(value)) continue;
    if (key.startsWith(deletePrefix)) {
      const field = key.slice(deletePrefix.length);
      const list = result[field];
      if (Array.isArray(list)) result[field] = list.filter((item) => !value.some((gone) => equal(gone, item)));
    } else if (key.startsWith(orderPrefix)) {
      const field = key.slice(orderPrefix.length);
      const list = result[field];
      if (Array.isArray(list))
        result[field] = ordered(list, value, before(target, field), mergeKeyOf(memberSchema(schema, field)));
    }
  }
}

function mergeKeyOf(schema: Schema | undefined): string | null | undefined {
  return schema?.['x-kubernetes-patch-merge-key'];
}

function mergedList(current: unknown, patch: readonly unknown[], schema: Schema | undefined): unknown {
  const mergeKey = mergeKeyOf(schema);
  const list = Array.isArray(current) ? current : [];
  if (mergeKey === undefined) return patch;
  if (mergeKey === null) {
    const merged = [...list, ...patch.filter((item) => !list.some((old) => equal(old, item)))];
    return ordered(merged, patch, list, mergeKey);
  }
  if (patch.some((item) => isObject(item) && item.$patch === 'replace')) {
    return patch.filter((item) => !(isObject(item) && item.$patch === 'replace'));
  }
  let result: unknown[] = [...list];
  for (const item of patch) {
    const id = isObject(item) ? item[mergeKey] : undefined;
    const position = result.findIndex((old) => isObject(old) && equal(old[mergeKey], id));
    if (isObject(item) && item.$patch === 'delete') {
      result = result.filter((old) => !(isObject(old) && equal(old[mergeKey], id)));
    } else if (position === -1) {
      result.push(strategicMerge({}, item, schema?.items));
    } else {
      result[position] = strategicMerge(result[position], item, schema?.items);
    }
  }
  return ordered(result, patch, list, mergeKey);
}

function isSameItem(left: unknown, right: unknown, mergeKey: string | null | undefined): boolean {
  if (typeof mergeKey === 'string' && isObject(left) && isObject(right)) return equal(left[mergeKey], right[mergeKey]);
  return equal(left, right);
}

/**
 * The items that `order` names, in its order, merged with the others: two items that both were there before keep their order,
 * and what is new comes first.
 */
function ordered(
  list: readonly unknown[],
  order: readonly unknown[],
  before: readonly unknown[],
  mergeKey: string | null | undefined,
): unknown[] {
  const rank = (items: readonly unknown[], item: unknown): number =>
    items.findIndex((other) => isSameItem(other, item, mergeKey));
  const named = list
    .filter((item) => rank(order, item) !== -1)
    .sort((left, right) => rank(order, left) - rank(order, right));
  const others = list.filter((item) => rank(order, item) === -1);
  const result: unknown[] = [];
  while (named.length > 0 && others.length > 0) {
    const [left, right] = [rank(before, named[0]), rank(before, others[0])];
    const othersFirst = left !== -1 && right !== -1 && right < left;
    result.push(othersFirst ? others.shift() : named.shift());
  }
  return [...result, ...named, ...others];
}

function without(object: Fields, key: string): Fields {
  const copy: Record<string, unknown> = { ...object };
  delete copy[key];
  return copy;
}
