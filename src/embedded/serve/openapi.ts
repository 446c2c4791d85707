// OpenAPI v3 as far as kubectl asks for it: that writes know `fieldValidation`, which patches a kind takes, and the fields of
// custom kinds for `kubectl explain`.
//
// Patches of built-in kinds do not offer strategic merge here, on purpose: kubectl then takes the merge keys from its own Go
// types, which know more of them than this server describes. There is no OpenAPI v2: kubectl does without it.
import type { Catalog } from '../resources/catalog.js';
import { apiVersionOf, type ResourceDefinition } from '../resources/definition.js';
import { groupVersions } from './discovery.js';

const metaSchema = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';

function pathOf(apiVersion: string): string {
  return apiVersion.includes('/') ? `apis/${apiVersion}` : `api/${apiVersion}`;
}

/** The index: one document for each group version. */
export function openApiIndex(catalog: Catalog): object {
  const hash = catalog.generation();
  const entries = groupVersions(catalog).map((apiVersion) => {
    const path = pathOf(apiVersion);
    return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
  });
  return { paths: Object.fromEntries(entries) as object };
}

/** One document, or null when nothing is served there. */
export function openApiDocument(catalog: Catalog, path: string): object | null {
  const definitions = catalog.all().filter((definition) => pathOf(apiVersionOf(definition)) === path);
  if (definitions.length === 0) return null;
  return {
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'embedded' },
    paths: Object.fromEntries(definitions.flatMap(pathsOf)) as object,
    components: {
      schemas: Object.fromEntries([
        [metaSchema, { type: 'object', description: "Standard object's metadata." }],
        ...definitions.map((definition) => [schemaName(definition), schemaOf(definition)]),
      ]) as object,
    },
  };
}

function schemaName({ group, version, kind }: ResourceDefinition): string {
  const reversed = (group === '' ? 'io.k8s.api.core' : group.split('.').reverse().join('.')).replace(
    /^apps$/,
    'io.k8s.api.apps',
  );
  return `${reversed}.${version}.${kind}`;
}

function typeOf({ group, version, kind }: ResourceDefinition): object {
  return { group, version, kind };
}

function schemaOf(definition: ResourceDefinition): object {
  const own = definition.custom ? definition.schema : { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const properties = definition.custom ? definition.schema.properties : {};
  return {
    ...own,
    properties: {
      ...properties,
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { allOf: [{ $ref: `#/components/schemas/${metaSchema}` }] },
    },
    'x-kubernetes-group-version-kind': [typeOf(definition)],
  };
}

const text = { type: 'string', uniqueItems: true };
const writeParameters = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
  name,
  in: 'query',
  schema: text,
}));
const patchParameters = [
  ...writeParameters,
  { name: 'force', in: 'query', schema: { type: 'boolean', uniqueItems: true } },
];
const patchContent = Object.fromEntries(
  ['application/apply-patch+yaml', 'application/json-patch+json', 'application/merge-patch+json'].map((type) => [
    type,
    { schema: { type: 'object' } },
  ]),
);

function pathsOf(definition: ResourceDefinition): [string, object][] {
  const base = `/${pathOf(apiVersionOf(definition))}${definition.namespaced ? '/namespaces/{namespace}' : ''}/${definition.plural}`;
  const schema = { $ref: `#/components/schemas/${schemaName(definition)}` };
  const responses = { 200: { description: 'OK', content: { 'application/json': { schema } } } };
  const operation = (action: string, more: object): object => ({
    responses,
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': typeOf(definition),
    ...more,
  });
  const body = { content: { 'application/json': { schema } }, required: true };
  return [
    [base, { get: operation('list', {}), post: operation('post', { parameters: writeParameters, requestBody: body }) }],
    [
      `${base}/{name}`,
      {
        get: operation('get', {}),
        put: operation('put', { parameters: writeParameters, requestBody: body }),
        patch: operation('patch', {
          parameters: patchParameters,
          requestBody: { content: patchContent, required: true },
        }),
        delete: operation('delete', {}),
      },
    ],
  ];
}
