// Validates a value against a structural schema, with the texts of a real API server.
//
// Only the keywords that `unsupportedKeywords` lets through exist here, so nothing is silently skipped.
import type { FieldProblem } from '../failure.js';
import { canonical, isObject, type Fields } from '../json.js';
import { satisfies } from './rules.js';
import { memberSchema, type Schema } from './schema.js';

/** All problems of a value. Rules are looked at only where the types are right, as upstream does. */
export function validate(value: unknown, schema: Schema, path: string): FieldProblem[] {
  const problems: FieldProblem[] = [];
  check(value, schema, path, problems);
  if (!hasRules(schema)) return problems;
  if (problems.some(({ reason }) => blocking.has(reason))) problems.push(rulesNotChecked);
  else checkRules(value, schema, path, problems);
  return problems;
}

const blocking = new Set<FieldProblem['reason']>([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const rulesNotChecked: FieldProblem = {
  field: '<nil>',
  reason: 'FieldValueInvalid',
  detail:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

const rulesInside = new WeakMap<Schema, boolean>();

function hasRules(schema: Schema): boolean {
  const known = rulesInside.get(schema);
  if (known !== undefined) return known;
  const { properties = {}, items, additionalProperties } = schema;
  const children = [...Object.values(properties), ...(items === undefined ? [] : [items])];
  if (isObject(additionalProperties)) children.push(additionalProperties as Schema);
  const found = (schema['x-kubernetes-validations'] ?? []).length > 0 || children.some(hasRules);
  rulesInside.set(schema, found);
  return found;
}

function check(value: unknown, schema: Schema, path: string, problems: FieldProblem[]): void {
  if (value === null && schema.nullable === true) return;
  const wrong = typeProblem(value, schema, path);
  if (wrong !== null) problems.push(wrong);
  if (schema.enum !== undefined && !schema.enum.includes(value)) {
    const supported = schema.enum.map((item) => JSON.stringify(item)).join(', ');
    const detail = `Unsupported value: ${JSON.stringify(value)}: supported values: ${supported}`;
    problems.push({ field: path, reason: 'FieldValueNotSupported', detail });
  }
  if (wrong !== null) return;
  if (typeof value === 'string') checkText(value, schema, path, problems);
  else if (typeof value === 'number') checkNumber(value, schema, path, problems);
  else if (Array.isArray(value)) checkList(value, schema, path, problems);
  else if (isObject(value)) checkObject(value, schema, path, problems);
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function typeProblem(value: unknown, schema: Schema, path: string): FieldProblem | null {
  const actual = jsonType(value);
  if (schema['x-kubernetes-int-or-string'] === true) {
    if (actual === 'integer' || actual === 'string') return null;
    return { field: path, reason: 'FieldValueTypeInvalid', detail: wrongType(path, 'integer,string', actual) };
  }
  if (schema.type === undefined || schema.type === actual) return null;
  if (schema.type === 'number' && actual === 'integer') return null;
  return { field: path, reason: 'FieldValueTypeInvalid', detail: wrongType(path, schema.type, actual) };
}

function wrongType(path: string, expected: string, actual: string): string {
  return `Invalid value: "${actual}": ${path} in body must be of type ${expected}: "${actual}"`;
}

function checkText(value: string, schema: Schema, path: string, problems: FieldProblem[]): void {
  const length = [...value].length;
  const bad = (rule: string): void => {
    const detail = `Invalid value: ${JSON.stringify(value)}: ${path} in body should ${rule}`;
    problems.push({ field: path, reason: 'FieldValueInvalid', detail });
  };
  // One text is one problem: upstream stops at the first of length and pattern.
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    const detail = `Too long: may not be more than ${schema.maxLength} bytes`;
    problems.push({ field: path, reason: 'FieldValueTooLong', detail });
  } else if (schema.minLength !== undefined && length < schema.minLength) {
    bad(`be at least ${schema.minLength} chars long`);
  } else if (schema.pattern !== undefined && !expression(schema.pattern).test(value)) {
    bad(`match '${schema.pattern}'`);
  }
  if (schema.format !== undefined && !hasFormat(value, schema.format)) {
    const detail = `Invalid value: ${JSON.stringify(value)}: ${path} in body must be of type ${schema.format}: ${JSON.stringify(value)}`;
    problems.push({ field: path, reason: 'FieldValueTypeInvalid', detail });
  }
}

const expressions = new Map<string, RegExp>();

function expression(pattern: string): RegExp {
  let found = expressions.get(pattern);
  if (found === undefined) expressions.set(pattern, (found = new RegExp(pattern)));
  return found;
}

const dateTime = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:?\d\d)$/;
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function hasFormat(value: string, format: string): boolean {
  switch (format) {
    case 'date-time':
      return dateTime.test(value);
    case 'byte':
      return base64.test(value);
    default:
      return true;
  }
}

function checkNumber(value: number, schema: Schema, path: string, problems: FieldProblem[]): void {
  const { minimum, maximum } = schema;
  const bad = (rule: string): void => {
    problems.push({
      field: path,
      reason: 'FieldValueInvalid',
      detail: `Invalid value: ${value}: ${path} in body should be ${rule}`,
    });
  };
  const isBelow = minimum !== undefined && (schema.exclusiveMinimum === true ? value <= minimum : value < minimum);
  if (isBelow) bad(`greater than ${schema.exclusiveMinimum === true ? '' : 'or equal to '}${minimum}`);
  const isAbove = maximum !== undefined && (schema.exclusiveMaximum === true ? value >= maximum : value > maximum);
  if (isAbove) bad(`less than ${schema.exclusiveMaximum === true ? '' : 'or equal to '}${maximum}`);
}

function checkList(value: readonly unknown[], schema: Schema, path: string, problems: FieldProblem[]): void {
  const { items, minItems, maxItems } = schema;
  if (maxItems !== undefined && value.length > maxItems) {
    const detail = `Too many: ${value.length}: must have at most ${maxItems} items`;
    problems.push({ field: path, reason: 'FieldValueTooMany', detail });
  }
  if (minItems !== undefined && value.length < minItems) {
    const detail = `Invalid value: ${value.length}: ${path} in body should have at least ${minItems} items`;
    problems.push({ field: path, reason: 'FieldValueInvalid', detail });
  }
  if (items !== undefined) value.forEach((item, index) => check(item, items, `${path}[${index}]`, problems));
  checkDuplicates(value, schema, path, problems);
}

/** The identity of an item in a list of type map: its keys, with the defaults of those that are left out. */
export function listItemKey(item: unknown, schema: Schema): Fields {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const found: Record<string, unknown> = {};
  for (const key of keys) {
    const value = isObject(item) ? item[key] : undefined;
    const resolved = value ?? schema.items?.properties?.[key]?.default;
    if (resolved !== undefined) found[key] = resolved;
  }
  return found;
}

function checkDuplicates(value: readonly unknown[], schema: Schema, path: string, problems: FieldProblem[]): void {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'map' && type !== 'set') return;
  const seen = new Set<string>();
  value.forEach((item, index) => {
    const key = canonical(type === 'map' ? listItemKey(item, schema) : item);
    if (seen.has(key)) {
      problems.push({ field: `${path}[${index}]`, reason: 'FieldValueDuplicate', detail: `Duplicate value: ${key}` });
    }
    seen.add(key);
  });
}

function checkObject(value: Fields, schema: Schema, path: string, problems: FieldProblem[]): void {
  for (const name of schema.required ?? []) {
    if (value[name] !== undefined) continue;
    problems.push({
      field: path === '' ? name : `${path}.${name}`,
      reason: 'FieldValueRequired',
      detail: 'Required value',
    });
  }
  const keys = Object.keys(value);
  if (schema.minProperties !== undefined && keys.length < schema.minProperties) {
    const detail = `Invalid value: ${keys.length}: ${path} in body should have at least ${schema.minProperties} properties`;
    problems.push({ field: path, reason: 'FieldValueInvalid', detail });
  }
  if (schema.maxProperties !== undefined && keys.length > schema.maxProperties) {
    const detail = `Too many: ${keys.length}: must have at most ${schema.maxProperties} items`;
    problems.push({ field: path, reason: 'FieldValueTooMany', detail });
  }
  for (const key of keys) {
    const member = memberSchema(schema, key);
    if (member !== undefined) check(value[key], member, path === '' ? key : `${path}.${key}`, problems);
  }
}

function checkRules(value: unknown, schema: Schema, path: string, problems: FieldProblem[]): void {
  if (!hasRules(schema)) return;
  for (const { rule, message } of schema['x-kubernetes-validations'] ?? []) {
    if (satisfies(rule, value)) continue;
    const shown = typeof value === 'object' ? '' : `${JSON.stringify(value)}: `;
    const detail = `Invalid value: ${shown}${message ?? `failed rule: ${rule}`}`;
    problems.push({ field: path, reason: 'FieldValueInvalid', detail });
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items !== undefined) value.forEach((item, index) => checkRules(item, items, `${path}[${index}]`, problems));
    return;
  }
  if (!isObject(value)) return;
  for (const key of Object.keys(value)) {
    const member = memberSchema(schema, key);
    if (member !== undefined) checkRules(value[key], member, path === '' ? key : `${path}.${key}`, problems);
  }
}
