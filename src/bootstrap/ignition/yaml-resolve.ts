// What an unquoted YAML scalar means to Go's yaml.v3: null, a bool, a number, a time, or just text.
//
// The rules mix YAML 1.1 and 1.2: `0640`, `0o640` and `0x1a0` are numbers, `_` in numbers is skipped, `yes` and `on` are text
// (a bool field takes them nevertheless, see clc-decode.ts), `2024-01-01` is a time and so not a number. An explicit tag
// must fit the value.
import type { YamlScalar } from './yaml-tree.js';

/** A scalar's meaning. `tag` is what messages call it. A time and a merge key carry no value: nothing here wants one. */
export type Resolved =
  | { readonly kind: 'null'; readonly tag: string }
  | { readonly kind: 'bool'; readonly tag: string; readonly value: boolean }
  | { readonly kind: 'int'; readonly tag: string; readonly value: bigint }
  | { readonly kind: 'float'; readonly tag: string; readonly value: number }
  | { readonly kind: 'text'; readonly tag: string; readonly value: string }
  | { readonly kind: 'other'; readonly tag: string };

/** A scalar that cannot be decoded at all: the whole document fails with this message. */
export interface ResolveFailure {
  readonly kind: 'failed';
  readonly message: string;
}

const NULLS = new Set(['', '~', 'null', 'Null', 'NULL']);
const TRUES = new Set(['true', 'True', 'TRUE']);
const FALSES = new Set(['false', 'False', 'FALSE']);
const FLOATS: ReadonlyMap<string, number> = new Map([
  ...['.nan', '.NaN', '.NAN'].map((word): [string, number] => [word, Number.NaN]),
  ...['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'].map((word): [string, number] => [
    word,
    Number.POSITIVE_INFINITY,
  ]),
  ...['-.inf', '-.Inf', '-.INF'].map((word): [string, number] => [word, Number.NEGATIVE_INFINITY]),
]);
const DECIMAL_FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]*|[1-9][0-9]*)$/;
const RESOLVABLE_TAGS = new Set(['', '!!str', '!!bool', '!!int', '!!float', '!!null', '!!timestamp']);

/** What a scalar means, with its tag and quotes. `!!binary` is left to the caller as text with that tag. */
export function resolveScalar(scalar: YamlScalar): Resolved | ResolveFailure {
  const { tag, value, isQuoted } = scalar;
  if (tag === '!!str' || (tag === '' && isQuoted)) return { kind: 'text', tag: '!!str', value };
  if (!RESOLVABLE_TAGS.has(tag)) return { kind: 'text', tag, value };
  const found = resolvePlain(value, tag === '' || tag === '!!timestamp');
  if (tag === '' || tag === found.tag) return found;
  if (tag === '!!float' && found.kind === 'int') return { kind: 'float', tag, value: Number(found.value) };
  return { kind: 'failed', message: `yaml: cannot decode ${found.tag} \`${value}\` as a ${tag}` };
}

function resolvePlain(text: string, mayBeTime: boolean): Resolved {
  if (NULLS.has(text)) return { kind: 'null', tag: '!!null' };
  if (TRUES.has(text)) return { kind: 'bool', tag: '!!bool', value: true };
  if (FALSES.has(text)) return { kind: 'bool', tag: '!!bool', value: false };
  if (text === '<<') return { kind: 'other', tag: '!!merge' };
  const named = FLOATS.get(text);
  if (named !== undefined) return { kind: 'float', tag: '!!float', value: named };
  if (text.startsWith('.'))
    return /^\.[0-9]/.test(text) ? decimal(text.replace(/(?<=[0-9])_(?=[0-9])/g, ''), text) : asText(text);
  if (!/^[-+0-9]/.test(text)) return asText(text);
  if (mayBeTime && isTime(text)) return { kind: 'other', tag: '!!timestamp' };
  const packed = text.replaceAll('_', '');
  const integer = parseInteger(packed);
  return integer === null ? decimal(packed, text) : { kind: 'int', tag: '!!int', value: integer };
}

function decimal(packed: string, text: string): Resolved {
  if (!DECIMAL_FLOAT.test(packed)) return asText(text);
  const value = Number(packed);
  return Number.isFinite(value) ? { kind: 'float', tag: '!!float', value } : asText(text);
}

function asText(value: string): Resolved {
  return { kind: 'text', tag: '!!str', value };
}

/** A number of at most 64 bits; a leading zero means octal. */
function parseInteger(text: string): bigint | null {
  const match = INTEGER.exec(text);
  if (match === null) return null;
  const [, sign = '', digits = ''] = match;
  const magnitude = BigInt(/^0[0-7]+$/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
  const value = sign === '-' ? -magnitude : magnitude;
  const max = sign === '' ? 2n ** 64n : 2n ** 63n;
  return value >= -(2n ** 63n) && value < max ? value : null;
}

const TIME =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[-+](\d\d):(\d\d))| (\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$/;

/** Whether a text is a date, or a date and time, that exists. */
function isTime(text: string): boolean {
  const match = TIME.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0] = match.slice(1, 4).map(Number);
  const [hour = 0, minute = 0, second = 0] = (match[4] === undefined ? match.slice(9, 12) : match.slice(4, 7)).map(
    (part) => Number(part ?? 0),
  );
  const daysOfMonth = new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
  return month >= 1 && month <= 12 && day >= 1 && day <= daysOfMonth && hour < 24 && minute < 60 && second < 60;
}
