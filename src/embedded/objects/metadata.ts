// The rules of metadata that hold for every kind: names, what the server sets, what an update may not change.
import { invalid, type FieldProblem } from '../failure.js';
import { equal, isObject } from '../json.js';
import type { NameRule, ResourceDefinition } from '../resources/definition.js';
import type { ApiObject, ObjectMeta } from '../types.js';

const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const qualifiedName = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;

const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const qualifiedNameText =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";

/** Problems of an object's metadata, before it is stored. */
export function metadataProblems(definition: ResourceDefinition, object: ApiObject): FieldProblem[] {
  const { metadata } = object;
  const problems: FieldProblem[] = [];
  if (metadata.name === undefined || metadata.name === '') {
    problems.push({
      field: 'metadata.name',
      reason: 'FieldValueRequired',
      detail: 'Required value: name or generateName is required',
    });
  } else {
    const wrong = nameProblem(metadata.name, definition.nameRule);
    if (wrong !== null) problems.push(bad('metadata.name', metadata.name, wrong));
  }
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (!isQualifiedName(key)) problems.push(bad('metadata.labels', key, qualifiedNameText));
    if (value.length > 63 || !labelValue.test(value)) problems.push(bad('metadata.labels', value, labelValueText));
  }
  for (const key of Object.keys(metadata.annotations ?? {})) {
    if (!isQualifiedName(key.toLowerCase())) problems.push(bad('metadata.annotations', key, qualifiedNameText));
  }
  for (const finalizer of metadata.finalizers ?? []) {
    if (!isQualifiedName(finalizer)) problems.push(bad('metadata.finalizers', finalizer, qualifiedNameText));
  }
  problems.push(...ownerProblems(metadata));
  return problems;
}

function bad(field: string, value: string, why: string): FieldProblem {
  return { field, reason: 'FieldValueInvalid', detail: `Invalid value: ${JSON.stringify(value)}: ${why}` };
}

function nameProblem(name: string, rule: NameRule): string | null {
  switch (rule) {
    case 'label':
      return name.length <= 63 && label.test(name) ? null : labelText;
    case 'segment':
      return name === '.' || name === '..' || /[/%]/.test(name) ? 'may not be a path segment' : null;
    case 'subdomain':
      return name.length <= 253 && subdomain.test(name) ? null : subdomainText;
  }
}

function isQualifiedName(key: string): boolean {
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  if (parts.length > 2 || name.length > 63 || !qualifiedName.test(name)) return false;
  return parts.length === 1 || subdomain.test(parts[0] ?? '');
}

const whatIsEmpty = { apiVersion: 'version ', kind: 'kind ', name: '', uid: '' } as const;

function ownerProblems(metadata: ObjectMeta): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const owners = metadata.ownerReferences ?? [];
  for (const owner of owners) {
    for (const field of ['apiVersion', 'kind', 'name', 'uid'] as const) {
      if (owner[field]) continue;
      problems.push({
        field: `metadata.ownerReferences.${field}`,
        reason: 'FieldValueInvalid',
        detail: `Invalid value: "": ${whatIsEmpty[field]}must not be empty`,
      });
    }
  }
  const controllers = owners.filter((owner) => owner.controller === true);
  if (controllers.length > 1) {
    const names = controllers.map((owner) => `${owner.kind}/${owner.name}`);
    const shown = owners.map(({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }) => ({
      apiVersion,
      kind,
      name,
      uid,
      controller,
      blockOwnerDeletion,
    }));
    problems.push({
      field: 'metadata.ownerReferences',
      reason: 'FieldValueInvalid',
      detail: `Invalid value: ${JSON.stringify(shown)}: Only one reference can have Controller set to true. Found "true" in references for ${names[0]} and ${names[1]}`,
    });
  }
  return problems;
}

/** Metadata that an update keeps, whatever it says. Throws 422 for new finalizers on an object that is being deleted. */
export function updatedMetadata(definition: ResourceDefinition, next: ApiObject, old: ApiObject): ObjectMeta {
  const { metadata } = next;
  const { namespace, uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds } = old.metadata;
  const { generation, resourceVersion } = old.metadata;
  if (deletionTimestamp !== undefined) {
    const added = (metadata.finalizers ?? []).filter(
      (finalizer) => !(old.metadata.finalizers ?? []).includes(finalizer),
    );
    if (added.length > 0) {
      const found = added.map((finalizer) => JSON.stringify(finalizer)).join(', ');
      const detail = `Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{${found}}`;
      throw invalid(definition, old.metadata.name, [
        { field: 'metadata.finalizers', reason: 'FieldValueForbidden', detail },
      ]);
    }
  }
  const kept = {
    namespace,
    uid,
    creationTimestamp,
    deletionTimestamp,
    deletionGracePeriodSeconds,
    generation,
    resourceVersion,
  };
  return tidyMetadata({ ...metadata, ...kept, name: old.metadata.name, managedFields: old.metadata.managedFields });
}

/** Metadata without what is empty, as a server stores it. */
export function tidyMetadata(metadata: Readonly<Record<string, unknown>>): ObjectMeta {
  const tidy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(metadata)) {
    const isEmptyMap = isObject(value) && Object.keys(value).length === 0;
    if (value === undefined || value === null || value === '' || isEmptyMap) continue;
    if (Array.isArray(value) && value.length === 0) continue;
    tidy[key] = value;
  }
  return tidy as unknown as ObjectMeta;
}

/** The object's content without metadata and status: what a generation counts. */
export function sameContent(left: ApiObject, right: ApiObject, countsStatus: boolean): boolean {
  return equal(content(left, countsStatus), content(right, countsStatus));
}

function content(object: ApiObject, countsStatus: boolean): object {
  const { metadata: _metadata, status, ...rest } = object;
  return countsStatus ? { ...rest, status } : rest;
}
