// Constants in templates: quoted texts, characters and numbers, as Go's strconv reads them.
//
// Null means "not a constant"; the parser knows the words for it. Texts are Go strings: `\xff` is a byte.
import { bytesToText, textToBytes } from '../go-format/go-string.js';
import type { NumberConstant } from './tree.js';

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};
const ESCAPE = /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3})|(.))/suy;

/** A text in double quotes or backquotes, with its quotes. */
export function unquoteText(quoted: string): string | null {
  if (quoted.startsWith('`')) return quoted.slice(1, -1).replaceAll('\r', '');
  const parts: Uint8Array[] = [];
  const inner = quoted.slice(1, -1);
  for (let at = 0; at < inner.length;) {
    if (inner.charAt(at) !== '\\') {
      const end = inner.indexOf('\\', at);
      parts.push(textToBytes(inner.slice(at, end === -1 ? undefined : end)));
      at = end === -1 ? inner.length : end;
      continue;
    }
    const escape = readEscape(inner, at, '"');
    if (escape === null) return null;
    parts.push(escape.isByte ? Uint8Array.of(escape.code) : textToBytes(String.fromCodePoint(escape.code)));
    at += escape.length;
  }
  return bytesToText(Buffer.concat(parts));
}

/** A character in single quotes, with its quotes: its code point. `malformed` when more than one stands there. */
export function unquoteChar(quoted: string): number | null | 'malformed' {
  const inner = quoted.slice(1);
  let code: number;
  let length: number;
  if (inner.startsWith("'")) return null;
  if (inner.startsWith('\\')) {
    const escape = readEscape(inner, 0, "'");
    if (escape === null) return null;
    ({ code, length } = escape);
  } else {
    code = inner.codePointAt(0) ?? 0;
    length = code > 0xffff ? 2 : 1;
    if (code >= 0xdc80 && code <= 0xdcff) code = 0xfffd;
  }
  return inner.slice(length) === "'" ? code : 'malformed';
}

/** One escape sequence. `isByte`: it stands for a byte, not for a character. */
function readEscape(
  text: string,
  at: number,
  quote: string,
): { readonly code: number; readonly isByte: boolean; readonly length: number } | null {
  ESCAPE.lastIndex = at;
  const match = ESCAPE.exec(text);
  if (match === null) return null;
  const [whole, hex, short, long, octal, simple] = match;
  const { length } = whole;
  if (hex !== undefined) return { code: Number.parseInt(hex, 16), isByte: true, length };
  if (octal !== undefined) {
    const code = Number.parseInt(octal, 8);
    return code > 0xff ? null : { code, isByte: true, length };
  }
  const unicode = short ?? long;
  if (unicode !== undefined) {
    const code = Number.parseInt(unicode, 16);
    return code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? null : { code, isByte: false, length };
  }
  if (simple === quote) return { code: quote.charCodeAt(0), isByte: false, length };
  const char = simple === undefined || !Object.hasOwn(SIMPLE_ESCAPES, simple) ? undefined : SIMPLE_ESCAPES[simple];
  return char === undefined ? null : { code: char.charCodeAt(0), isByte: false, length };
}

/** What reading a number gave: a constant, or Go's complaint about it. */
export type NumberRead =
  | { readonly kind: 'constant'; readonly constant: NumberConstant }
  | { readonly kind: 'integerOverflow' }
  | { readonly kind: 'illegal' };

/** A number without a complex part, or a lone imaginary one. */
export function readNumber(text: string): NumberRead {
  if (text.endsWith('i')) {
    const im = parseFloatText(text.slice(0, -1));
    if (im !== null) return { kind: 'constant', constant: { kind: 'complex', re: 0, im } };
  }
  const whole = parseWhole(text);
  if (whole !== null) return { kind: 'constant', constant: whole };
  const value = parseFloatText(text);
  if (value === null) return { kind: 'illegal' };
  return /[.eEpP]/.test(text) ? { kind: 'constant', constant: { kind: 'float', value } } : { kind: 'integerOverflow' };
}

/** A complex number with both parts, such as `1+2i`; null when Go's scanner does not take it. */
export function readComplex(text: string): NumberConstant | null {
  const match = /^([-+]?[^-+]*(?:[eEpP][-+][^-+]*)?)([-+].*)i$/.exec(text);
  const re = parseFloatText(match?.[1] ?? '');
  const im = parseFloatText(match?.[2] ?? '');
  return re === null || im === null ? null : { kind: 'complex', re, im };
}

/** A whole number of 64 bits. One that only fits without a sign overflows Go's int when it is used. */
function parseWhole(text: string): NumberConstant | null {
  const match = /^([-+]?)(0[xX][0-9a-fA-F_]+|0[bB][01_]+|0[oO][0-7_]+|0[0-7_]*|[1-9][0-9_]*)$/.exec(text);
  if (match === null || !areUnderscoresFine(text)) return null;
  const [, sign = '', digits = ''] = match;
  const packed = digits.replaceAll('_', '').toLowerCase();
  const magnitude = BigInt(/^0[0-7]+$/.test(packed) ? `0o${packed.slice(1)}` : packed);
  const value = sign === '-' ? -magnitude : magnitude;
  if (value >= -(2n ** 63n) && value < 2n ** 63n) return { kind: 'int', value };
  return sign === '' && magnitude < 2n ** 64n ? { kind: 'overflow' } : null;
}

/** A decimal or hexadecimal floating-point number; null when it is none or too large. */
export function parseFloatText(text: string): number | null {
  if (!areUnderscoresFine(text)) return null;
  const packed = text.replaceAll('_', '');
  const hex = /^([-+]?)0[xX]([0-9a-fA-F]*)(?:\.([0-9a-fA-F]*))?[pP]([-+]?[0-9]+)$/.exec(packed);
  if (hex !== null) {
    const [, sign = '', whole = '', fraction = '', exponent = ''] = hex;
    if (whole + fraction === '') return null;
    const value = Number(BigInt(`0x${whole}${fraction}`)) * 2 ** (Number(exponent) - 4 * fraction.length);
    return Number.isFinite(value) ? (sign === '-' ? -value : value) : null;
  }
  if (!/^[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/.test(packed)) return null;
  const value = Number(packed);
  return Number.isFinite(value) ? value : null;
}

/** Underscores stand between digits, or after the prefix of a base. */
function areUnderscoresFine(text: string): boolean {
  if (!text.includes('_')) return true;
  const digits = text.replace(/^[-+]/, '').replace(/^0[bBoOxX]/, '0');
  return !/(^|[^0-9a-fA-F])_|_([^0-9a-fA-F]|$)/.test(digits);
}
