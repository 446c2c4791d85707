// JSON as Go's encoding/json prints it: compact, `<`, `>`, `&`, U+2028 and U+2029 escaped, invalid UTF-8 as U+FFFD.
//
// Objects keep the order in which their keys were put in (Go's structs do), unless asked to sort (Go's maps do).
import { toValidUtf8 } from './go-string.js';

const special: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
};
// eslint-disable-next-line no-control-regex
const needsEscape = /["\\\x00-\x1f<>&\u2028\u2029]/g;

/** A value that can be printed. A member that is `undefined` is left out. */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue | undefined };

/** A string as Go's JSON encoder writes it, with its quotes. */
export function goJsonString(text: string): string {
  return `"${toValidUtf8(text).replace(needsEscape, escapeChar)}"`;
}

/** A value as Go's JSON encoder writes it. With `sortKeys`, objects print like Go maps: by UTF-8 order of the keys. */
export function goJson(value: JsonValue, sortKeys = false): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return goJsonString(value);
  if (typeof value === 'number') return goJsonNumber(value);
  if (typeof value === 'boolean') return String(value);
  if (isList(value)) return `[${value.map((item) => goJson(item, sortKeys)).join(',')}]`;
  const keys = Object.keys(value).filter((key) => value[key] !== undefined);
  if (sortKeys) keys.sort(byCodePoint);
  return `{${keys.map((key) => `${goJsonString(key)}:${goJson(value[key] as JsonValue, sortKeys)}`).join(',')}}`;
}

/** Compares by code point, which is the order of the UTF-8 bytes. */
export function byCodePoint(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function isList(value: object): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function escapeChar(char: string): string {
  const code = char.charCodeAt(0);
  return special[char] ?? `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Go's float form is JavaScript's: exponents below 1e-6 and from 1e21 on. Only minus zero differs. */
function goJsonNumber(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
