// What Kubernetes asks of keys and values of labels and annotations, in its own words.
//
// Lengths count bytes. Of several errors the one with the smallest key comes first, so that a message does not change from
// one try to the next.

import { invalid, tooLong, type FieldError } from './field-errors.js';

const namePattern = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const subdomainPattern = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const alphanumeric = "alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const nameBytesMax = 63;
const prefixBytesMax = 253;
const annotationsBytesMax = 256 * 1024;

/** Checks labels. */
export function labelErrors(labels: Readonly<Record<string, string>>, field: string): readonly FieldError[] {
  return sorted(labels).flatMap(([key, value]) => [
    ...keyProblems(key).map((problem) => invalid(field, key, problem)),
    ...valueProblems(value).map((problem) => invalid(field, value, problem)),
  ]);
}

/** Checks annotations. Upper case letters are allowed in their keys' prefixes. */
export function annotationErrors(annotations: Readonly<Record<string, string>>, field: string): readonly FieldError[] {
  const entries = sorted(annotations);
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value), 0);
  return [
    ...entries.flatMap(([key]) => keyProblems(key.toLowerCase()).map((problem) => invalid(field, key, problem))),
    ...(bytes > annotationsBytesMax ? [tooLong(field, annotationsBytesMax)] : []),
  ];
}

/** What is wrong with one label key. */
export function labelKeyErrors(key: string, field: string): readonly FieldError[] {
  const problems = keyProblems(key);
  return problems.length === 0 ? [] : [invalid(field, key, problems.join('; '))];
}

/** What is wrong with one label value. */
export function labelValueErrors(value: string, field: string): readonly FieldError[] {
  const problems = valueProblems(value);
  return problems.length === 0 ? [] : [invalid(field, value, problems.join('; '))];
}

function sorted(map: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(map).sort(([a], [b]) => (a < b ? -1 : 1));
}

function keyProblems(key: string): readonly string[] {
  const parts = key.split('/');
  const name = parts.at(-1) ?? '';
  const mismatch = described(`must consist of ${alphanumeric}`, ['MyName', 'my.name', '123-abc'], namePattern);
  if (parts.length > 2) {
    return [`a valid label key ${mismatch} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  }
  const problems = parts.length === 2 ? prefixProblems(parts[0] ?? '') : [];
  if (name === '') problems.push('name part must be non-empty');
  if (Buffer.byteLength(name) > nameBytesMax) problems.push(`name part must be no more than ${nameBytesMax} bytes`);
  if (!matches(namePattern, name)) problems.push(`name part ${mismatch}`);
  return problems;
}

function prefixProblems(prefix: string): string[] {
  if (prefix === '') return ['prefix part must be non-empty'];
  const problems: string[] = [];
  if (Buffer.byteLength(prefix) > prefixBytesMax) {
    problems.push(`prefix part must be no more than ${prefixBytesMax} bytes`);
  }
  if (!matches(subdomainPattern, prefix)) {
    const rule =
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
    problems.push(`prefix part ${described(rule, ['example.com'], subdomainPattern)}`);
  }
  return problems;
}

function valueProblems(value: string): readonly string[] {
  const problems: string[] = [];
  if (Buffer.byteLength(value) > nameBytesMax) problems.push(`must be no more than ${nameBytesMax} bytes`);
  if (!matches(`(${namePattern})?`, value)) {
    const rule = `a valid label must be an empty string or consist of ${alphanumeric}`;
    problems.push(described(rule, ['MyValue', 'my_value', '12345'], `(${namePattern})?`));
  }
  return problems;
}

function matches(pattern: string, text: string): boolean {
  return new RegExp(`^(?:${pattern})$`).test(text);
}

function described(rule: string, examples: readonly string[], pattern: string): string {
  const quoted = examples.map((example) => `'${example}', `).join(' or ');
  return `${rule} (e.g. ${quoted}regex used for validation is '${pattern}')`;
}
