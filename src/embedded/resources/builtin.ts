// The built-in resources that are served: what Cluster API's providers and kubectl need of a management and of a workload
// cluster. Their fields are kept as they come; only lists, names, statuses and the rules of builtin-rules.ts are known.
import { builtinRules } from './builtin-rules.js';
import { builtinSchema } from './builtin-schemas.js';
import { ageColumn, builtinColumns, definitionColumns, eventColumns, nameColumn } from './columns.js';
import type { NameRule, ResourceDefinition } from './definition.js';
import { fieldReader } from './field-reader.js';

const allVerbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

interface Entry {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly clusterScoped?: true;
  readonly subresources?: readonly string[];
  readonly selectable?: Readonly<Record<string, readonly string[]>>;
  readonly nameRule?: NameRule;
  readonly guardedUpdate?: true;
  readonly createOnUpdate?: true;
  readonly hasGeneration?: true;
  readonly returnsDeleted?: true;
}

const eventFields = {
  'involvedObject.kind': ['involvedObject', 'kind'],
  'involvedObject.namespace': ['involvedObject', 'namespace'],
  'involvedObject.name': ['involvedObject', 'name'],
  'involvedObject.uid': ['involvedObject', 'uid'],
  'involvedObject.apiVersion': ['involvedObject', 'apiVersion'],
  'involvedObject.resourceVersion': ['involvedObject', 'resourceVersion'],
  'involvedObject.fieldPath': ['involvedObject', 'fieldPath'],
  reason: ['reason'],
  reportingComponent: ['reportingComponent'],
  source: ['source', 'component'],
  type: ['type'],
};

const podFields = {
  'spec.nodeName': ['spec', 'nodeName'],
  'spec.restartPolicy': ['spec', 'restartPolicy'],
  'spec.schedulerName': ['spec', 'schedulerName'],
  'spec.serviceAccountName': ['spec', 'serviceAccountName'],
  'status.phase': ['status', 'phase'],
  'status.podIP': ['status', 'podIP'],
  'status.nominatedNodeName': ['status', 'nominatedNodeName'],
};

const core = { group: '', version: 'v1' };
const apps = {
  group: 'apps',
  version: 'v1',
  categories: ['all'],
  subresources: ['status'],
  hasGeneration: true,
} as const;

const entries: readonly Entry[] = [
  { ...core, kind: 'ConfigMap', plural: 'configmaps', shortNames: ['cm'] },
  { ...core, kind: 'Event', plural: 'events', shortNames: ['ev'], selectable: eventFields, createOnUpdate: true },
  {
    ...core,
    kind: 'Namespace',
    plural: 'namespaces',
    shortNames: ['ns'],
    clusterScoped: true,
    nameRule: 'label',
    subresources: ['finalize', 'status'],
    selectable: { 'status.phase': ['status', 'phase'] },
    returnsDeleted: true,
  },
  {
    ...core,
    kind: 'Node',
    plural: 'nodes',
    shortNames: ['no'],
    clusterScoped: true,
    subresources: ['status'],
    selectable: { 'spec.unschedulable': ['spec', 'unschedulable'] },
  },
  {
    ...core,
    kind: 'PersistentVolume',
    plural: 'persistentvolumes',
    shortNames: ['pv'],
    clusterScoped: true,
    subresources: ['status'],
    returnsDeleted: true,
  },
  {
    ...core,
    kind: 'PersistentVolumeClaim',
    plural: 'persistentvolumeclaims',
    shortNames: ['pvc'],
    subresources: ['status'],
    returnsDeleted: true,
  },
  {
    ...core,
    kind: 'Pod',
    plural: 'pods',
    shortNames: ['po'],
    categories: ['all'],
    subresources: ['eviction', 'status'],
    selectable: podFields,
    returnsDeleted: true,
    hasGeneration: true,
  },
  { ...core, kind: 'Secret', plural: 'secrets', selectable: { type: ['type'] } },
  { ...core, kind: 'ServiceAccount', plural: 'serviceaccounts', shortNames: ['sa'], returnsDeleted: true },
  { ...apps, kind: 'DaemonSet', plural: 'daemonsets', shortNames: ['ds'] },
  { ...apps, kind: 'Deployment', plural: 'deployments', shortNames: ['deploy'] },
  { ...apps, kind: 'ReplicaSet', plural: 'replicasets', shortNames: ['rs'] },
  { ...apps, kind: 'StatefulSet', plural: 'statefulsets', shortNames: ['sts'] },
  {
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    shortNames: ['crd', 'crds'],
    clusterScoped: true,
    categories: ['api-extensions'],
    subresources: ['status'],
    guardedUpdate: true,
    hasGeneration: true,
  },
  {
    group: 'coordination.k8s.io',
    version: 'v1',
    kind: 'Lease',
    plural: 'leases',
    guardedUpdate: true,
    createOnUpdate: true,
  },
  {
    group: 'policy',
    version: 'v1',
    kind: 'PodDisruptionBudget',
    plural: 'poddisruptionbudgets',
    shortNames: ['pdb'],
    subresources: ['status'],
    hasGeneration: true,
  },
  {
    group: 'storage.k8s.io',
    version: 'v1',
    kind: 'VolumeAttachment',
    plural: 'volumeattachments',
    clusterScoped: true,
    subresources: ['status'],
  },
];

/** All built-in resources. */
export const builtinResources: readonly ResourceDefinition[] = entries.map(definition);

function definition(entry: Entry): ResourceDefinition {
  const { group, version, kind, plural } = entry;
  return {
    group,
    version,
    kind,
    plural,
    singular: kind.toLowerCase(),
    listKind: `${kind}List`,
    shortNames: entry.shortNames ?? [],
    categories: entry.categories ?? [],
    namespaced: entry.clusterScoped !== true,
    verbs: allVerbs,
    subresources: entry.subresources ?? [],
    custom: false,
    schema: builtinSchema(kind),
    columns: columnsOf(plural),
    fields: fieldReader(entry.clusterScoped !== true, entry.selectable ?? {}),
    nameRule: entry.nameRule ?? 'subdomain',
    unconditionalUpdate: entry.guardedUpdate !== true,
    createOnUpdate: entry.createOnUpdate === true,
    hasGeneration: entry.hasGeneration === true,
    returnsDeleted: entry.returnsDeleted === true,
    ...builtinRules[kind],
  };
}

function columnsOf(plural: string): ResourceDefinition['columns'] {
  if (plural === 'events') return eventColumns;
  if (plural === 'customresourcedefinitions') return definitionColumns;
  return [nameColumn, ...(builtinColumns[plural] ?? []), ageColumn];
}
