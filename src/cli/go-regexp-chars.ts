// Sets of characters in Go's regular expressions: escapes, `[...]`, `[:alpha:]`, `\pL`.

import { orbitOf } from './go-regexp-fold.js';

/** Whether a code point belongs to a set. */
export type CharTest = (code: number) => boolean;

/** A text and how far it was read. */
export interface Reader {
  readonly text: string;
  at: number;
  /** Whether case counts where the reader is: sets are folded before they are negated. */
  ignoresCase: boolean;
}

/** A set with all cases of what is in it. */
export function folded(has: CharTest, { ignoresCase }: Pick<Reader, 'ignoresCase'>): CharTest {
  return ignoresCase ? (code) => orbitOf(code).some(has) : has;
}

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 };

const PERL: Readonly<Record<string, RegExp>> = { d: /[0-9]/, s: /[\t\n\f\r ]/, w: /[0-9A-Za-z_]/ };

const POSIX: Readonly<Record<string, RegExp>> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  // eslint-disable-next-line no-control-regex -- Go's class of all ASCII characters.
  ascii: /[\x00-\x7F]/,
  blank: /[\t ]/,
  // eslint-disable-next-line no-control-regex -- Go's class of control characters.
  cntrl: /[\x00-\x1F\x7F]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[\t\n\v\f\r ]/,
  upper: /[A-Z]/,
  word: /[0-9A-Za-z_]/,
  xdigit: /[0-9A-Fa-f]/,
};

function byExpression(reader: Reader, expression: RegExp, isNegated: boolean): CharTest {
  const has = folded((code) => expression.test(String.fromCodePoint(code)), reader);
  return (code) => has(code) !== isNegated;
}

/** `\pL`, `\p{Greek}` and their negations; null where there is none. */
export function unicodeClass(reader: Reader): CharTest | null {
  const match = /^\\([pP])(?:([A-Za-z])|\{(\^?)(\w+)\})/.exec(reader.text.slice(reader.at));
  if (match === null) return null;
  reader.at += match[0].length;
  const name = match[2] ?? match[4] ?? '';
  const isNegated = (match[1] === 'P') !== (match[3] === '^');
  if (name === 'Any') return () => !isNegated;
  for (const property of [name, `Script=${name}`]) {
    try {
      return byExpression(reader, new RegExp(`^\\p{${property}}$`, 'u'), isNegated);
    } catch {
      // Not a category: then a script, or nothing.
    }
  }
  throw new Error(`invalid character class range: ${match[0]}`);
}

/** An escape that stands for characters: `\d`, `\.`, `\x41`. */
export function readEscape(reader: Reader): CharTest {
  const letter = reader.text[reader.at + 1] ?? '';
  const perl = PERL[letter.toLowerCase()];
  if (perl !== undefined && letter !== '') {
    reader.at += 2;
    return byExpression(reader, perl, letter !== letter.toLowerCase());
  }
  const wanted = readEscapedCode(reader);
  return folded((code) => code === wanted, reader);
}

function readEscapedCode(reader: Reader): number {
  const rest = reader.text.slice(reader.at + 1);
  if (rest === '') throw new Error('trailing backslash at end of expression');
  const hex = /^x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/.exec(rest);
  const octal = /^(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(rest);
  const char = rest[0] ?? '';
  reader.at += 1 + (hex?.[0] ?? octal?.[0] ?? char).length;
  if (hex !== null) {
    const code = parseInt(hex[1] ?? hex[2] ?? '', 16);
    if (code <= 0x10ffff) return code;
  } else if (octal !== null) return parseInt(octal[0], 8);
  const control = CONTROLS[char];
  if (control !== undefined) return control;
  if (/^[!-/:-@[-`{-~]$/.test(char)) return char.charCodeAt(0);
  throw new Error(`invalid escape sequence: \\${char}`);
}

/** `[...]`. */
export function readClass(reader: Reader): CharTest {
  const from = reader.at;
  reader.at += 1;
  const isNegated = reader.text[reader.at] === '^';
  if (isNegated) reader.at += 1;
  const tests: CharTest[] = [];
  for (let isFirst = true; isFirst || reader.text[reader.at] !== ']'; isFirst = false) {
    if (reader.at >= reader.text.length) throw new Error(`missing closing ]: ${reader.text.slice(from)}`);
    tests.push(posixClass(reader) ?? unicodeClass(reader) ?? readRange(reader));
  }
  reader.at += 1;
  const has = folded((code) => tests.some((test) => test(code)), reader);
  return (code) => has(code) !== isNegated;
}

/** `[:alpha:]` inside of a class; null where there is none. */
function posixClass(reader: Reader): CharTest | null {
  const match = /^\[:(\^?)(\w+):\]/.exec(reader.text.slice(reader.at));
  if (match === null) return null;
  const expression = POSIX[match[2] ?? ''];
  if (expression === undefined) throw new Error(`invalid character class range: ${match[0]}`);
  reader.at += match[0].length;
  return byExpression(reader, expression, match[1] === '^');
}

function readRange(reader: Reader): CharTest {
  const start = reader.at;
  if (/^\\[dDsSwW]/.test(reader.text.slice(start))) return readEscape(reader);
  const low = readClassCode(reader);
  const isRange = reader.text[reader.at] === '-' && !['', ']'].includes(reader.text[reader.at + 1] ?? '');
  if (!isRange) return (code) => code === low;
  reader.at += 1;
  const high = readClassCode(reader);
  if (high < low) throw new Error(`invalid character class range: ${reader.text.slice(start, reader.at)}`);
  return (code) => code >= low && code <= high;
}

function readClassCode(reader: Reader): number {
  if (reader.text[reader.at] === '\\') return readEscapedCode(reader);
  const code = reader.text.codePointAt(reader.at);
  if (code === undefined) throw new Error('missing closing ]');
  reader.at += String.fromCodePoint(code).length;
  return code;
}
