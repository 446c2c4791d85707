// Between JSON and described values.
//
// `decode` keeps what a description knows: unknown fields, nulls and empty values are dropped, texts are brought into their
// written form. `encode` writes a value in the order and with the presence its description asks for. An object that holds
// an empty list is not empty: it is written as `{}`, as the Go implementation writes it.
//
//   W1. Neither throws on any JSON. What does not fit is reported with its path, a hundred times at most.
//   W2. decode(encode(value)) equals value, apart from empty values that the description does not write.
//   W3. The length of a list or dictionary is looked at before its items are.

import { FIELD_ERRORS_MAX, LIST_ITEMS_MAX } from '../limits.js';
import type { Description } from './schema.js';

/** Any JSON value. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };

/** A JSON object. */
export type JsonObject = { readonly [name: string]: Json };

/** What became of a JSON value: the value, or why it does not fit its description. */
export type Decoded<T> = { readonly value: T | undefined } | { readonly problems: readonly string[] };

/** Tells whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Reads a JSON value as its description says. An empty value reads as undefined. */
export function decode<T>(
  schema: Description & { readonly typed?: (value: T) => T },
  json: unknown,
  path: string,
): Decoded<T> {
  const problems: string[] = [];
  const value = read(schema, json, path, problems);
  return problems.length > 0 ? { problems } : { value: (isBlank(value) ? undefined : value) as T | undefined };
}

/** Writes a value as its description says. */
export function encode(schema: Description, value: unknown): Json {
  if (schema.properties !== undefined) return encodeObject(schema, isRecord(value) ? value : {});
  const { items } = schema;
  if (items !== undefined && Array.isArray(value)) return value.map((item) => encode(items, item));
  if (items !== undefined && isRecord(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, encode(items, item)]));
  }
  return value as Json;
}

function encodeObject(schema: Description, value: Readonly<Record<string, unknown>>): Json {
  const written: Record<string, Json> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const given = value[name];
    if (given === undefined) {
      if (property.presence === 'always') written[name] = emptyOf(property);
    } else if (property.presence !== 'filled' || !isEmpty(property, given)) {
      written[name] = encode(property, given);
    }
  }
  return written;
}

function emptyOf(schema: Description): Json {
  if (schema.openApi['x-kubernetes-int-or-string'] === true) return '0';
  switch (schema.openApi.type) {
    case 'object':
      return encode(schema, {});
    case 'array':
      return [];
    case 'integer':
      return 0;
    case 'boolean':
      return false;
    default:
      return '';
  }
}

// A list or dictionary without entries is not written; an object without written properties is, because somebody set it.
function isEmpty(schema: Description, value: unknown): boolean {
  if (schema.items !== undefined) return Object.keys(value as object).length === 0;
  return schema.properties === undefined && isBlank(value);
}

function isBlank(value: unknown): boolean {
  return value === '' || value === 0 || value === false || (isRecord(value) && Object.keys(value).length === 0);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function read(schema: Description, json: unknown, path: string, problems: string[]): unknown {
  if (json === null || json === undefined || problems.length >= FIELD_ERRORS_MAX) return undefined;
  if (schema.openApi['x-kubernetes-int-or-string'] === true) return readText(schema, String(json), path, problems);
  switch (schema.openApi.type) {
    case 'object':
      return readObject(schema, json, path, problems);
    case 'array':
      if (!Array.isArray(json)) return wrongType(path, 'a list', json, problems);
      if (json.length > LIST_ITEMS_MAX) return tooMany(path, json.length, problems);
      return json.map((item, index) => readItem(schema, item, `${path}[${index}]`, problems));
    case 'integer':
      return Number.isSafeInteger(json) ? json : wrongType(path, 'a whole number', json, problems);
    case 'boolean':
      return typeof json === 'boolean' ? json : wrongType(path, 'true or false', json, problems);
    default:
      if (typeof json !== 'string') return wrongType(path, 'a string', json, problems);
      return readText(schema, json, path, problems);
  }
}

function readObject(schema: Description, json: unknown, path: string, problems: string[]): unknown {
  if (!isRecord(json)) return wrongType(path, 'an object', json, problems);
  if (schema.properties === undefined) {
    const entries = Object.entries(json);
    if (entries.length > LIST_ITEMS_MAX) return tooMany(path, entries.length, problems);
    return Object.fromEntries(
      entries.map(([name, item]) => [name, readItem(schema, item, join(path, name), problems)]),
    );
  }
  const value: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const given = read(property, json[name], join(path, name), problems);
    const isKept =
      given !== undefined && (property.presence === 'set' || property.items !== undefined || !isBlank(given));
    if (isKept) value[name] = given;
  }
  return value;
}

// An item counts even when it is empty: it has its place in the list.
function readItem(schema: Description, json: unknown, path: string, problems: string[]): unknown {
  const items = schema.items;
  if (items === undefined) return json;
  return read(items, json, path, problems) ?? (json === null ? emptyOf(items) : undefined);
}

function readText(schema: Description, given: string, path: string, problems: string[]): unknown {
  const result = schema.normalise?.(given) ?? { text: given };
  if ('text' in result) return result.text;
  problems.push(`${path}: ${result.problem}`);
  return undefined;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function tooMany(path: string, count: number, problems: string[]): undefined {
  problems.push(`${path}: Too many: ${count}: must have at most ${LIST_ITEMS_MAX} items`);
  return undefined;
}

function wrongType(path: string, wanted: string, json: unknown, problems: string[]): undefined {
  const got = Array.isArray(json)
    ? 'a list'
    : json === null
      ? 'null'
      : typeof json === 'object'
        ? 'an object'
        : `a ${typeof json}`;
  problems.push(`${path}: must be ${wanted}, is ${got}`);
  return undefined;
}
