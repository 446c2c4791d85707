// Reads a regular expression in Go's syntax (RE2): no look-around and no back references, as there.

import { folded, readClass, readEscape, unicodeClass, type CharTest, type Reader } from './go-regexp-chars.js';

/** Whether a place in the text fits, by the code points around it; null at the ends. */
export type Assertion = (before: number | null, after: number | null) => boolean;

/** An expression as a tree. */
export type GoRegExpNode =
  | { readonly kind: 'chars'; readonly has: CharTest }
  | { readonly kind: 'assert'; readonly holds: Assertion }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly GoRegExpNode[] }
  | { readonly kind: 'repeat'; readonly part: GoRegExpNode; readonly min: number; readonly max: number | null };

interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
}

/** As Go: `{1001}` is refused there, too. */
const REPEATS_MAX = 1000;
/** As Go: more parentheses inside each other are refused there, too. */
const NESTING_MAX = 1000;
const NEWLINE = 10;

/** Reads an expression; throws an Error that says what is wrong with it. */
export function parseGoRegExp(text: string): GoRegExpNode {
  const reader: Reader = { text, at: 0, ignoresCase: false };
  const node = readChoice(reader, { i: false, m: false, s: false }, 0);
  if (reader.at < text.length) throw new Error('unexpected )');
  return node;
}

function readChoice(reader: Reader, flags: Flags, depth: number): GoRegExpNode {
  if (depth > NESTING_MAX) throw new Error('expression nests too deeply');
  const choices: GoRegExpNode[] = [];
  let parts: GoRegExpNode[] = [];
  let now = flags;
  for (;;) {
    const char = reader.text[reader.at];
    if (char === undefined || char === ')') break;
    if (char === '|') {
      reader.at += 1;
      choices.push({ kind: 'sequence', parts });
      parts = [];
      continue;
    }
    const changed = readFlags(reader, now);
    if (changed !== null) now = changed;
    else if (reader.text.startsWith('\\Q', reader.at)) parts.push(...readQuoted(reader, now));
    else parts.push(readRepeat(reader, readAtom(reader, now, depth)));
  }
  choices.push({ kind: 'sequence', parts });
  return { kind: 'choice', parts: choices };
}

/** `(?i)` and the like, which hold until the group ends; null where there is none. */
function readFlags(reader: Reader, flags: Flags): Flags | null {
  const match = /^\(\?([a-zA-Z-]+)\)/.exec(reader.text.slice(reader.at));
  if (match === null) return null;
  reader.at += match[0].length;
  return withFlags(flags, match[1] ?? '');
}

function withFlags(flags: Flags, letters: string): Flags {
  const match = /^([imsU]*)(?:-([imsU]+))?$/.exec(letters);
  if (match === null || letters === '') throw new Error(`invalid or unsupported Perl syntax: (?${letters}`);
  const on = Object.fromEntries([...(match[1] ?? '')].map((letter) => [letter, true]));
  const off = Object.fromEntries([...(match[2] ?? '')].map((letter) => [letter, false]));
  return { ...flags, ...on, ...off };
}

/** `\Q...\E`: the text as it is. */
function readQuoted(reader: Reader, flags: Flags): readonly GoRegExpNode[] {
  const end = reader.text.indexOf('\\E', reader.at);
  const text = reader.text.slice(reader.at + 2, end < 0 ? undefined : end);
  reader.at = end < 0 ? reader.text.length : end + 2;
  return Array.from(text, (char) => literal(char, flags));
}

function readAtom(reader: Reader, flags: Flags, depth: number): GoRegExpNode {
  const char = String.fromCodePoint(reader.text.codePointAt(reader.at) ?? 0);
  switch (char) {
    case '(':
      return readGroup(reader, flags, depth);
    case '[':
      reader.ignoresCase = flags.i;
      return { kind: 'chars', has: readClass(reader) };
    case '\\':
      return readBackslash(reader, flags);
    case '*':
    case '+':
    case '?':
      throw new Error(`missing argument to repetition operator: ${char}`);
    default:
  }
  reader.at += char.length;
  switch (char) {
    case '.':
      return { kind: 'chars', has: (code) => flags.s || code !== NEWLINE };
    case '^':
      return { kind: 'assert', holds: (before) => before === null || (flags.m && before === NEWLINE) };
    case '$':
      return { kind: 'assert', holds: (_before, after) => after === null || (flags.m && after === NEWLINE) };
    default:
      return literal(char, flags);
  }
}

function readGroup(reader: Reader, flags: Flags, depth: number): GoRegExpNode {
  const rest = reader.text.slice(reader.at);
  const special = /^\(\?(?:P?<(\w+)>|([a-zA-Z-]*):)/.exec(rest);
  if (special === null && rest.startsWith('(?'))
    throw new Error(`invalid or unsupported Perl syntax: ${rest.slice(0, 3)}`);
  reader.at += special?.[0].length ?? 1;
  const letters = special?.[2] ?? '';
  const node = readChoice(reader, letters === '' ? flags : withFlags(flags, letters), depth + 1);
  if (reader.text[reader.at] !== ')') throw new Error('missing closing )');
  reader.at += 1;
  return node;
}

function isWord(code: number | null): boolean {
  return code !== null && /\w/.test(String.fromCodePoint(code));
}

const PLACES: Readonly<Record<string, Assertion>> = {
  A: (before) => before === null,
  z: (_before, after) => after === null,
  b: (before, after) => isWord(before) !== isWord(after),
  B: (before, after) => isWord(before) === isWord(after),
};

function readBackslash(reader: Reader, flags: Flags): GoRegExpNode {
  const place = PLACES[reader.text[reader.at + 1] ?? ''];
  if (place === undefined) {
    reader.ignoresCase = flags.i;
    return { kind: 'chars', has: unicodeClass(reader) ?? readEscape(reader) };
  }
  reader.at += 2;
  return { kind: 'assert', holds: place };
}

/** `*`, `+`, `?`, `{n,m}` and their lazy forms after an atom; one alone, as in Go. */
function readRepeat(reader: Reader, part: GoRegExpNode): GoRegExpNode {
  const match = /^(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/.exec(reader.text.slice(reader.at));
  if (match === null) return part;
  reader.at += match[0].length;
  const [, sign, least, comma, most] = match;
  const min = sign === undefined ? Number(least) : sign === '+' ? 1 : 0;
  const max =
    sign === undefined ? (comma === undefined ? min : most === '' ? null : Number(most)) : sign === '?' ? 1 : null;
  if (min > REPEATS_MAX || (max ?? 0) > REPEATS_MAX || (max !== null && max < min))
    throw new Error(`invalid repeat count: ${match[0]}`);
  if (/^(?:[*+?]|\{\d+(?:,\d*)?\})/.test(reader.text.slice(reader.at)))
    throw new Error(`invalid nested repetition operator: ${match[0]}${reader.text[reader.at]}`);
  return { kind: 'repeat', part, min, max };
}

function literal(char: string, flags: Flags): GoRegExpNode {
  const wanted = char.codePointAt(0) ?? 0;
  return { kind: 'chars', has: folded((code) => code === wanted, { ignoresCase: flags.i }) };
}
