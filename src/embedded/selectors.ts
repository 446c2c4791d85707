// Label and field selectors: parsed once per request, then a plain predicate.
//
// An unknown field is a 400, as everywhere; nothing is matched by guessing.
import { badRequest } from './failure.js';
import type { ApiObject } from './types.js';

/** Says whether an object is selected. */
export type Selector = (object: ApiObject) => boolean;

/** Reads a selectable field of an object; undefined when the resource has no such field. */
export type FieldReader = (field: string) => ((object: ApiObject) => string) | undefined;

/** Selects everything. */
export const everything: Selector = () => true;

/** Both selectors of a list or watch. Returns `everything` itself when neither is given. */
export function selectorOf(query: URLSearchParams, fields: FieldReader): Selector {
  const labels = query.get('labelSelector') ?? '';
  const field = query.get('fieldSelector') ?? '';
  const parts = [
    ...(labels === '' ? [] : [labelSelector(labels)]),
    ...(field === '' ? [] : [fieldSelector(field, fields)]),
  ];
  const [first, second] = parts;
  if (first === undefined) return everything;
  return second === undefined ? first : (object) => first(object) && second(object);
}

type LabelTest = (labels: Readonly<Record<string, string>>) => boolean;

const setRequirement = /^([^\s!=<>,()]+)\s+(in|notin)\s*\(([^()]*)\)$/;
const comparison = /^([^\s!=<>,()]+)\s*(==|=|!=|<|>)\s*([^\s!=<>,()]*)$/;
const existence = /^(!?)\s*([^\s!=<>,()]+)$/;

/** Parses `a=b,c!=d,e in (f,g),h,!i`. */
export function labelSelector(text: string): Selector {
  const tests = splitOutsideParentheses(text).map(labelTest);
  return (object) => tests.every((test) => test(object.metadata.labels ?? {}));
}

function labelTest(given: string): LabelTest {
  // Spaces around are cut first: a pattern would try each of them as the last.
  const text = given.trim();
  const set = setRequirement.exec(text);
  if (set !== null) {
    const [, key = '', operator, list = ''] = set;
    const values = new Set(list.split(',').map((value) => value.trim()));
    if (operator === 'in') return (labels) => key in labels && values.has(labels[key] ?? '');
    return (labels) => !(key in labels) || !values.has(labels[key] ?? '');
  }
  const compared = comparison.exec(text);
  if (compared !== null) return compareLabel(compared[1] ?? '', compared[2] ?? '', compared[3] ?? '');
  const exists = existence.exec(text);
  if (exists === null) throw badRequest(`unable to parse requirement: ${JSON.stringify(text)}`);
  const [, not, key = ''] = exists;
  return not === '!' ? (labels) => !(key in labels) : (labels) => key in labels;
}

function compareLabel(key: string, operator: string, value: string): LabelTest {
  switch (operator) {
    case '!=':
      return (labels) => labels[key] !== value;
    case '<':
      return (labels) => key in labels && Number(labels[key]) < Number(value);
    case '>':
      return (labels) => key in labels && Number(labels[key]) > Number(value);
    default:
      return (labels) => labels[key] === value;
  }
}

function splitOutsideParentheses(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (char === '(') depth += 1;
    if (char === ')') depth -= 1;
    if (char !== ',' || depth > 0) continue;
    parts.push(text.slice(start, index));
    start = index + 1;
  }
  return [...parts, text.slice(start)];
}

const fieldTerm = /^([^=!]+)(==|=|!=)(.*)$/;

/** Parses `metadata.name=a,type!=b`. */
export function fieldSelector(text: string, fields: FieldReader): Selector {
  const tests = text
    .split(/(?<!\\),/)
    .filter((term) => term !== '')
    .map((term) => {
      const match = fieldTerm.exec(term);
      if (match === null) throw badRequest(`invalid selector: '${term}'; can't understand '${term}'`);
      const [, field = '', operator, raw = ''] = match;
      const read = fields(field);
      if (read === undefined) throw badRequest(`field label not supported: ${field}`);
      const value = raw.replace(/\\([\\,=])/g, '$1');
      return operator === '!='
        ? (object: ApiObject): boolean => read(object) !== value
        : (object: ApiObject): boolean => read(object) === value;
    });
  return (object) => tests.every((test) => test(object));
}
