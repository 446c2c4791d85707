// What the server knows of one resource: names, scope, schema, columns, and where its kind differs from the general rules.
import type { FieldProblem, Named } from '../failure.js';
import type { Schema } from '../schema/schema.js';
import type { FieldReader } from '../selectors.js';
import type { ApiObject } from '../types.js';

/** One column of `kubectl get`. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly cell: (object: ApiObject, nowMs: number) => unknown;
}

/** How names of a kind must look. */
export type NameRule = 'subdomain' | 'label' | 'segment';

/** Where a custom kind keeps its replicas. */
export interface ScalePaths {
  readonly specReplicas: readonly string[];
  readonly statusReplicas: readonly string[];
  readonly selector: readonly string[] | null;
}

/** One served resource. */
export interface ResourceDefinition extends Named {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
  /** Set for custom kinds with a scale subresource. */
  readonly scale?: ScalePaths;
  /** From a CustomResourceDefinition: pruned, defaulted and validated. */
  readonly custom: boolean;
  /** Of the whole object for custom kinds; of the list types only for built-in ones. */
  readonly schema: Schema;
  readonly columns: readonly Column[];
  readonly fields: FieldReader;
  readonly nameRule: NameRule;
  /** Whether an update without resourceVersion is accepted. */
  readonly unconditionalUpdate: boolean;
  /** Whether a PUT creates what is not there. */
  readonly createOnUpdate: boolean;
  /** Whether metadata.generation counts changes. */
  readonly hasGeneration: boolean;
  /** Whether a deletion answers with the object instead of a Status. */
  readonly returnsDeleted: boolean;
  /** Defaults of the kind, part of decoding: a client that relies on them owns them. */
  readonly normalize?: (object: ApiObject) => ApiObject;
  /** Changes an object before it is first stored; nobody owns what this sets. */
  readonly prepareCreate?: (object: ApiObject) => ApiObject;
  /** Changes an object before it replaces `old`. */
  readonly prepareUpdate?: (object: ApiObject, old: ApiObject) => ApiObject;
  /** More problems than the schema finds; `old` is null at creation. */
  readonly validate?: (object: ApiObject, old: ApiObject | null) => readonly FieldProblem[];
  /** A 400 text for what could not even be decoded. */
  readonly decodeProblem?: (object: ApiObject) => string | null;
}

/** `group/plural`: what the store files it under. */
export function storageOf(definition: Pick<ResourceDefinition, 'group' | 'plural'>): string {
  return `${definition.group}/${definition.plural}`;
}

/** `v1`, `cluster.x-k8s.io/v1beta2`. */
export function apiVersionOf(definition: Pick<ResourceDefinition, 'group' | 'version'>): string {
  return definition.group === '' ? definition.version : `${definition.group}/${definition.version}`;
}
