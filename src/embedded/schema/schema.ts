// The vocabulary of structural schemas, as CustomResourceDefinitions write it. Built-in kinds use the same words for their
// list types, so that patching and server-side apply know one vocabulary only.
import { isObject } from '../json.js';

/** A structural schema, as far as this server reads it. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly nullable?: boolean;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly anyOf?: readonly Schema[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'granular' | 'atomic';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
  /** Built-in kinds: fields exist that are not named here, and they are declared all the same. */
  readonly 'x-embedded-open'?: true;
  /** Strategic merge patch only; `null` merges plain values as a set. */
  readonly 'x-kubernetes-patch-merge-key'?: string | null;
}

/** One CEL rule. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
}

/** Of everything inside a built-in kind that is not described further. */
export const openSchema: Schema = { 'x-embedded-open': true };

/** What describes a member of an object; undefined when nothing is known of it. */
export function memberSchema(schema: Schema | undefined, key: string): Schema | undefined {
  if (schema === undefined) return undefined;
  const own = schema.properties?.[key];
  if (own !== undefined) return own;
  if (schema['x-embedded-open'] === true) return openSchema;
  return isObject(schema.additionalProperties) ? (schema.additionalProperties as Schema) : undefined;
}

const known = new Set([
  'type',
  'properties',
  'additionalProperties',
  'items',
  'required',
  'enum',
  'default',
  'nullable',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
  'anyOf',
  'description',
  'title',
  'example',
  'externalDocs',
  'x-kubernetes-preserve-unknown-fields',
  'x-kubernetes-int-or-string',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-validations',
]);

/** Keywords that this server would silently ignore, with their paths: a definition that has any is refused. */
export function unsupportedKeywords(schema: Schema, path: string, isKnownRule: (rule: string) => boolean): string[] {
  const found = Object.keys(schema)
    .filter((key) => !known.has(key))
    .map((key) => `${path}: ${key}`);
  if (schema.anyOf !== undefined && schema['x-kubernetes-int-or-string'] !== true) found.push(`${path}: anyOf`);
  for (const { rule } of schema['x-kubernetes-validations'] ?? []) {
    if (!isKnownRule(rule)) found.push(`${path}: rule ${JSON.stringify(rule)}`);
  }
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    found.push(...unsupportedKeywords(child, `${path}.${name}`, isKnownRule));
  }
  if (isObject(schema.additionalProperties)) {
    found.push(...unsupportedKeywords(schema.additionalProperties as Schema, `${path}.*`, isKnownRule));
  }
  if (schema.items !== undefined) found.push(...unsupportedKeywords(schema.items, `${path}[]`, isKnownRule));
  return found;
}
