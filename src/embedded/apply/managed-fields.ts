// managedFields: which manager set which fields, kept with every write, and the conflicts of server-side apply.
//
//   M1. An update takes the fields that it changes from everybody else.
//   M2. An apply conflicts with the fields of others that it would change, unless forced; what it no longer names and nobody
//       else owns is removed.
//   M3. A write that changes nothing but times is no write.
import { failure, type ApiStatusError } from '../failure.js';
import { equal, isObject, withPath } from '../json.js';
import type { Schema } from '../schema/schema.js';
import type { ApiObject, ManagedFieldsEntry } from '../types.js';
import {
  difference,
  emptySet,
  fromJson,
  intersection,
  isEmpty,
  leafSet,
  memberPaths,
  node,
  toJson,
  union,
  type FieldSet,
} from './field-set.js';
import { ownLastApplied } from './last-applied.js';
import { compare, fieldsOf, mergeApplied, unionOf, withoutFields } from './typed.js';

/** Who writes, and how. */
export interface Writer {
  readonly manager: string;
  readonly apiVersion: string;
  readonly subresource: string;
  /** RFC 3339 seconds. */
  readonly now: string;
}

interface Owned {
  readonly entry: Omit<ManagedFieldsEntry, 'fieldsV1' | 'fieldsType'>;
  readonly fields: FieldSet;
}

/** Fields of metadata that belong to the server. */
const unowned = node(false, [
  ['f:apiVersion', leafSet],
  ['f:kind', leafSet],
  [
    'f:metadata',
    node(
      true,
      [
        'name',
        'namespace',
        'creationTimestamp',
        'selfLink',
        'uid',
        'clusterName',
        'generation',
        'managedFields',
        'resourceVersion',
      ]
        .concat('deletionTimestamp', 'deletionGracePeriodSeconds')
        .map((name) => [`f:${name}`, leafSet] as const),
    ),
  ],
]);

function owners(object: ApiObject | null): Owned[] {
  return entriesOf(object?.metadata.managedFields ?? []);
}

function entriesOf(entries: readonly ManagedFieldsEntry[]): Owned[] {
  return entries.map(({ fieldsV1, fieldsType: _fieldsType, ...entry }) => ({ entry, fields: fromJson(fieldsV1) }));
}

/** A client may edit the entries themselves; one empty entry clears them, none keeps those that are stored. */
function ownersSent(old: ApiObject | null, sent: readonly ManagedFieldsEntry[] = []): Owned[] {
  const [only] = sent;
  if (sent.length === 1 && only !== undefined && Object.keys(only).length === 0) return [];
  const valid = sent.every(
    ({ manager, operation, fieldsV1 }) => manager !== '' && operation !== undefined && isObject(fieldsV1),
  );
  return sent.length === 0 || !valid ? owners(old) : entriesOf(sent);
}

function isSame(owned: Owned, operation: 'Apply' | 'Update', writer: Writer): boolean {
  const { entry } = owned;
  if (entry.operation !== operation || entry.manager !== writer.manager) return false;
  if ((entry.subresource ?? '') !== writer.subresource) return false;
  return operation === 'Apply' || entry.apiVersion === writer.apiVersion;
}

function entryOf(operation: 'Apply' | 'Update', writer: Writer): Owned['entry'] {
  return {
    manager: writer.manager,
    operation,
    apiVersion: writer.apiVersion,
    time: writer.now,
    ...(writer.subresource === '' ? {} : { subresource: writer.subresource }),
  };
}

/** An apply that changes nothing leaves the time of the one before. */
function withTime({ time: _time, ...entry }: Owned['entry'], time: string | undefined): Owned['entry'] {
  return time === undefined ? entry : { ...entry, time };
}

function withOwners(object: ApiObject, owned: readonly Owned[]): ApiObject {
  const entries = owned
    .filter(({ fields }) => !isEmpty(fields))
    .map(({ entry, fields }) => ({ ...entry, fieldsType: 'FieldsV1' as const, fieldsV1: toJson(fields) }));
  entries.sort(inOrder);
  return withPath(object, ['metadata', 'managedFields'], entries.length === 0 ? undefined : entries) as ApiObject;
}

function inOrder(left: ManagedFieldsEntry, right: ManagedFieldsEntry): number {
  const keys = ['operation', 'time', 'manager', 'apiVersion', 'subresource'] as const;
  for (const key of keys) {
    const [a, b] = [left[key] ?? '', right[key] ?? ''];
    if (a !== b) return a < b ? -1 : 1;
  }
  return 0;
}

/** What tracking asks about a kind. */
export interface Kind {
  readonly schema: Schema;
  readonly custom: boolean;
}

/** Built-in kinds always have their spec and status: nobody ever adds them. */
const emptyBuiltin = { spec: {}, status: {} };

/** The new object with managedFields as an update leaves them. */
export function trackUpdate(
  kind: Kind,
  old: ApiObject | null,
  next: ApiObject,
  writer: Writer,
  sent?: readonly ManagedFieldsEntry[],
): ApiObject {
  const { added, modified, removed } = compare(old ?? (kind.custom ? {} : emptyBuiltin), next, kind.schema);
  const taken = difference(union(added, modified), unowned);
  const before = writer.subresource === '' ? ownersSent(old, sent) : owners(old);
  const isUntracked = old !== null && before.length === 0;
  if (isUntracked || (isEmpty(taken) && isEmpty(removed))) return withOwners(next, before);
  let own: Owned | undefined;
  const after = before.map((owned) => {
    const fields = difference(difference(owned.fields, taken), removed);
    if (!isSame(owned, 'Update', writer)) return { ...owned, fields };
    own = { entry: isEmpty(taken) ? owned.entry : entryOf('Update', writer), fields: union(fields, taken) };
    return own;
  });
  if (own === undefined) after.push({ entry: entryOf('Update', writer), fields: taken });
  return withOwners(next, after);
}

/** What an apply makes of the live object (null: there is none). Throws 409 with one cause a field. */
export function applied(
  schema: Schema,
  live: ApiObject | null,
  config: ApiObject,
  options: Writer & { force: boolean },
): ApiObject {
  const before = live === null ? [] : ownersBeforeApply(schema, live, options);
  const others = before.filter((owned) => !isSame(owned, 'Apply', options));
  const own = before.find((owned) => isSame(owned, 'Apply', options));
  const last = own?.fields ?? emptySet;
  const set = difference(fieldsOf(config, schema), unowned);
  const merged = mergeApplied(live ?? {}, config, schema);
  const kept = union(set, unionOf(others.map(({ fields }) => fields)));
  const next = withoutFields(merged, difference(last, set), kept, schema) as ApiObject;
  const { added, modified, removed } = compare(live ?? {}, next, schema);
  const changed = difference(union(added, modified), unowned);
  const allowed = live === null ? emptySet : ownLastApplied(schema, live, options.manager);
  const contested = others
    .map((owned) => ({ owned, fields: difference(intersection(owned.fields, changed), allowed) }))
    .filter(({ fields }) => !isEmpty(fields));
  if (contested.length > 0 && !options.force) throw applyConflict(contested);
  const after = others.map((owned) => ({ ...owned, fields: difference(difference(owned.fields, changed), removed) }));
  const isSilent = live !== null && isEmpty(changed) && isEmpty(removed);
  const entry = isSilent ? withTime(entryOf('Apply', options), own?.entry.time) : entryOf('Apply', options);
  return withOwners(next, [...after, { entry, fields: set }]);
}

/** What nobody is known to own belongs to one manager for all that was before the first apply. */
function ownersBeforeApply(schema: Schema, live: ApiObject, writer: Writer): Owned[] {
  const known = owners(live);
  if (known.length > 0) return known;
  const fields = difference(compare({}, live, schema).added, unowned);
  return [{ entry: entryOf('Update', { ...writer, manager: 'before-first-apply', subresource: '' }), fields }];
}

/** The new object with managedFields as its creation by server-side apply leaves them. */
export function trackFirstApply(schema: Schema, config: ApiObject, born: ApiObject, writer: Writer): ApiObject {
  return withOwners(born, [{ entry: entryOf('Apply', writer), fields: difference(fieldsOf(config, schema), unowned) }]);
}

function applyConflict(contested: readonly { owned: Owned; fields: FieldSet }[]): ApiStatusError {
  const causes = contested.flatMap(({ owned: { entry }, fields }) => {
    const subresource = entry.subresource === undefined ? '' : ` with subresource "${entry.subresource}"`;
    const version = entry.operation === 'Update' ? ` using ${entry.apiVersion}` : '';
    const message = `conflict with "${entry.manager}"${subresource}${version}`;
    return memberPaths(fields).map((field) => ({ reason: 'FieldManagerConflict', message, field }));
  });
  const plural = causes.length === 1 ? 'conflict' : 'conflicts';
  return failure(409, 'Conflict', `Apply failed with ${causes.length} ${plural}: ${conflictText(causes)}`, { causes });
}

function conflictText(causes: readonly { message: string; field: string }[]): string {
  const [only] = causes;
  if (causes.length === 1 && only !== undefined) return `${only.message}: ${only.field}`;
  const byMessage = new Map<string, string[]>();
  for (const { message, field } of causes) byMessage.set(message, [...(byMessage.get(message) ?? []), field]);
  return [...byMessage]
    .map(([message, fields]) => `${message}:\n${fields.map((field) => `- ${field}`).join('\n')}`)
    .join('\n');
}

/** Whether two objects differ in nothing but the times of managedFields and the resourceVersion. */
export function isSameButTimes(left: ApiObject, right: ApiObject): boolean {
  return equal(withoutTimes(left), withoutTimes(right));
}

function withoutTimes(object: ApiObject): ApiObject {
  const { managedFields, resourceVersion: _resourceVersion, ...metadata } = object.metadata;
  const entries = (managedFields ?? []).map(({ time: _time, ...entry }) => entry);
  return { ...object, metadata: { ...metadata, managedFields: entries } } as unknown as ApiObject;
}
