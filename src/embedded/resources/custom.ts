// CustomResourceDefinitions as resources: names, storage version, schema, columns, and the definition's own status.
//
// Only the storage version is served, as with conversion strategy None and one version. A definition with a keyword or CEL rule
// that this server does not carry out is refused with 501: it never validates less than it seems to.
import { invalid, notImplemented } from '../failure.js';
import { at, isObject, listAt, textAt, type Fields } from '../json.js';
import { isKnownRule } from '../schema/rules.js';
import { unsupportedKeywords, type Schema } from '../schema/schema.js';
import type { ApiObject } from '../types.js';
import { objectMetaSchema } from './builtin-schemas.js';
import { nameColumn, pathColumn } from './columns.js';
import type { ResourceDefinition } from './definition.js';
import { fieldReader } from './field-reader.js';

const allVerbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const definitions = {
  group: 'apiextensions.k8s.io',
  plural: 'customresourcedefinitions',
  kind: 'CustomResourceDefinition',
};
const defaultColumns = [{ name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' }];

/** The resource that a CustomResourceDefinition defines. Throws 422 or 501 when it cannot be served. */
export function customResource(crd: ApiObject): ResourceDefinition {
  const group = textAt(crd, 'spec', 'group');
  const plural = textAt(crd, 'spec', 'names', 'plural');
  const kind = textAt(crd, 'spec', 'names', 'kind');
  checkName(crd, `${plural}.${group}`);
  const version = storageVersion(crd);
  const schema = schemaOf(crd, version);
  const columns = listAt(version, 'additionalPrinterColumns').filter(isObject);
  const namespaced = textAt(crd, 'spec', 'scope') === 'Namespaced';
  return {
    group,
    version: textAt(version, 'name'),
    plural,
    kind,
    singular: textAt(crd, 'spec', 'names', 'singular') || kind.toLowerCase(),
    listKind: textAt(crd, 'spec', 'names', 'listKind') || `${kind}List`,
    shortNames: texts(at(crd, 'spec', 'names', 'shortNames')),
    categories: texts(at(crd, 'spec', 'names', 'categories')),
    namespaced,
    verbs: allVerbs,
    subresources: ['status', 'scale'].filter((name) => isObject(at(version, 'subresources', name))),
    ...scalePaths(version),
    custom: true,
    schema,
    columns: [nameColumn, ...(columns.length === 0 ? defaultColumns : columns).map(pathColumn)],
    fields: fieldReader(namespaced, selectable(version)),
    nameRule: 'subdomain',
    unconditionalUpdate: false,
    createOnUpdate: false,
    hasGeneration: true,
    returnsDeleted: false,
  };
}

function scalePaths(version: Fields): Pick<ResourceDefinition, 'scale'> {
  const scale = at(version, 'subresources', 'scale');
  if (!isObject(scale)) return {};
  const path = (name: string): string[] => textAt(scale, name).replace(/^\./, '').split('.');
  const selector = textAt(scale, 'labelSelectorPath') === '' ? null : path('labelSelectorPath');
  return { scale: { specReplicas: path('specReplicasPath'), statusReplicas: path('statusReplicasPath'), selector } };
}

function checkName(crd: ApiObject, expected: string): void {
  const { name } = crd.metadata;
  if (name === expected) return;
  const detail = `Invalid value: ${JSON.stringify(name)}: must be spec.names.plural+"."+spec.group`;
  throw invalid(definitions, name, [{ field: 'metadata.name', reason: 'FieldValueInvalid', detail }]);
}

/** The one version of a definition that is served here, as a definition of its own with conversion strategy None. */
export function storageVersionOnly(crd: object): ApiObject {
  const object = crd as ApiObject;
  const versions = listAt(object, 'spec', 'versions').filter((version) => at(version, 'storage') === true);
  const spec = isObject(object.spec) ? object.spec : {};
  const { status: _status, ...rest } = object;
  return { ...rest, spec: { ...spec, versions, conversion: { strategy: 'None' } } } as unknown as ApiObject;
}

function storageVersion(crd: ApiObject): Fields {
  const versions = listAt(crd, 'spec', 'versions').filter(isObject);
  const storage = versions.filter((version) => version.storage === true);
  const [only] = storage;
  if (only === undefined || storage.length > 1) {
    throw invalid(definitions, crd.metadata.name, [
      {
        field: 'spec.versions',
        reason: 'FieldValueInvalid',
        detail: 'Invalid value: must have exactly one version marked as storage version',
      },
    ]);
  }
  if (versions.some((version) => version.served === true && version !== only)) {
    throw notImplemented(`conversion between versions (${crd.metadata.name} serves more than its storage version)`);
  }
  return only;
}

/** apiVersion, kind and metadata are part of every object, whatever the definition says. */
function schemaOf(crd: ApiObject, version: Fields): Schema {
  const given = at(version, 'schema', 'openAPIV3Schema');
  const schema = (isObject(given) ? given : {}) as Schema;
  const { metadata: _metadata, ...properties } = schema.properties ?? {};
  const unsupported = unsupportedKeywords({ ...schema, properties }, '', isKnownRule);
  if (unsupported.length > 0) {
    throw notImplemented(`what ${crd.metadata.name} asks of its schema: ${unsupported.slice(0, 5).join('; ')}`);
  }
  return {
    ...schema,
    properties: { ...properties, apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: objectMetaSchema },
  };
}

function selectable(version: Fields): Record<string, string[]> {
  const paths = listAt(version, 'selectableFields').map((field) => textAt(field, 'jsonPath').replace(/^\./, ''));
  return Object.fromEntries(paths.map((path) => [path, path.split('.')]));
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

/** A definition with the names that may be left out. */
export function withDefinitionDefaults(crd: ApiObject): ApiObject {
  const names = at(crd, 'spec', 'names');
  const kind = textAt(names, 'kind');
  const spec = isObject(crd.spec) ? crd.spec : {};
  const complete = { listKind: `${kind}List`, singular: kind.toLowerCase(), ...(isObject(names) ? names : {}) };
  return { ...crd, spec: { conversion: { strategy: 'None' }, ...spec, names: complete } };
}

/** The status of a definition that is served. */
export function establishedStatus(crd: ApiObject, now: string): object {
  const condition = (type: string, reason: string, message: string): object => ({
    type,
    status: 'True',
    lastTransitionTime: now,
    reason,
    message,
  });
  return {
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    acceptedNames: at(crd, 'spec', 'names'),
    storedVersions: [textAt(storageVersion(crd), 'name')],
  };
}
