// Writes one scalar as go-yaml v2 does: which of plain, single quotes, double quotes and literal block, and where long
// lines fold.
//
//   Y1. A line folds at the first space after column 80; inside words it never does. Keys never fold.
//   Y2. A text that starts with a byte order mark is escaped character by character (go-yaml looks at the wrong index).
import { analyzeText, isBreak, isPrintable } from './yaml-analyze.js';
import { isReadAsString } from './yaml-resolve.js';
import { put, putBreak, putIndent, putIndicator, type Pen } from './yaml-writer.js';

const foldColumn = 80;
const lineOrBreak = /[\n\r\x85\u2028\u2029]|[^\n\r\x85\u2028\u2029]+/g;
const namedEscapes: Readonly<Record<string, string>> = {
  '\0': '0',
  '\x07': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\x1b': 'e',
  '"': '"',
  '\\': '\\',
  '\x85': 'N',
  '\xa0': '_',
  '\u2028': 'L',
  '\u2029': 'P',
};

/** Where a scalar stands: a key on one line may neither fold nor be a block. */
export interface ScalarPlace {
  readonly indent: number;
  readonly isSimpleKey: boolean;
}

/** Writes a string in the style go-yaml picks for it. */
export function writeString(pen: Pen, text: string, place: ScalarPlace): void {
  const analysis = analyzeText(text);
  const wish = text.includes('\n') ? 'literal' : isReadAsString(text) ? 'plain' : 'double';
  if (place.isSimpleKey && analysis.isMultiline) return writeDouble(pen, text, place);
  if (wish === 'literal' && analysis.isBlockAllowed && !place.isSimpleKey) return writeLiteral(pen, text, place.indent);
  if (wish !== 'plain') return writeDouble(pen, text, place);
  if (analysis.isPlainAllowed) return writePlain(pen, text, place);
  if (analysis.isSingleAllowed) return writeSingle(pen, text, place);
  writeDouble(pen, text, place);
}

/** Writes a text without quotes: numbers, booleans, null, and strings that need none. */
export function writePlain(pen: Pen, text: string, place: ScalarPlace): void {
  if (!pen.isSpace) put(pen, ' ');
  if (place.isSimpleKey || pen.column + text.length <= foldColumn) put(pen, text);
  else putWithFolds(pen, text, place.indent);
  pen.isSpace = false;
  pen.isIndentation = false;
}

/** Only a single space is a place to fold. */
function putWithFolds(pen: Pen, text: string, indent: number): void {
  let wasSpace = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text.charAt(index);
    if (char === ' ') {
      if (!wasSpace && pen.column > foldColumn && text.charAt(index + 1) !== ' ') putIndent(pen, indent);
      else put(pen, char);
      wasSpace = true;
    } else {
      put(pen, char);
      pen.isIndentation = false;
      wasSpace = false;
    }
  }
}

function writeSingle(pen: Pen, text: string, place: ScalarPlace): void {
  putIndicator(pen, "'", { needsSpace: true });
  const chars = Array.from(text);
  let wasSpace = false;
  let wasBreak = false;
  chars.forEach((char, index) => {
    if (char === ' ') {
      const isInside = index > 0 && index < chars.length - 1;
      const folds = !place.isSimpleKey && !wasSpace && pen.column > foldColumn && isInside && chars[index + 1] !== ' ';
      if (folds) putIndent(pen, place.indent);
      else put(pen, char);
      wasSpace = true;
      return;
    }
    if (isBreak(char)) {
      putBreak(pen, char);
      pen.isIndentation = true;
      wasBreak = true;
      return;
    }
    if (wasBreak) putIndent(pen, place.indent);
    put(pen, char === "'" ? "''" : char);
    pen.isIndentation = false;
    wasSpace = false;
    wasBreak = false;
  });
  putIndicator(pen, "'", { needsSpace: false });
  pen.isSpace = false;
  pen.isIndentation = false;
}

function writeDouble(pen: Pen, text: string, place: ScalarPlace): void {
  putIndicator(pen, '"', { needsSpace: true });
  const chars = Array.from(text);
  const escapesAll = chars[0] === '\ufeff';
  let wasSpace = false;
  chars.forEach((char, index) => {
    if (escapesAll || !isPrintable(char) || isBreak(char) || char === '"' || char === '\\') {
      put(pen, escape(char));
      wasSpace = false;
      return;
    }
    if (char !== ' ') {
      put(pen, char);
      wasSpace = false;
      return;
    }
    const isInside = index > 0 && index < chars.length - 1;
    if (!place.isSimpleKey && !wasSpace && pen.column > foldColumn && isInside) {
      putIndent(pen, place.indent);
      if (chars[index + 1] === ' ') put(pen, '\\');
    } else {
      put(pen, char);
    }
    wasSpace = true;
  });
  putIndicator(pen, '"', { needsSpace: false });
  pen.isSpace = false;
  pen.isIndentation = false;
}

function escape(char: string): string {
  const named = namedEscapes[char];
  if (named !== undefined) return `\\${named}`;
  const code = char.codePointAt(0) as number;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** `|`, an indent hint if the text starts with white space, and how many line ends to keep. */
function writeLiteral(pen: Pen, text: string, indent: number): void {
  putIndicator(pen, '|', { needsSpace: true });
  const last = text.length - 1;
  if (text.startsWith(' ') || isBreak(text[0])) put(pen, '2');
  if (!isBreak(text[last])) put(pen, '-');
  else if (last === 0 || isBreak(text[last - 1])) put(pen, '+');
  putBreak(pen);
  pen.isIndentation = true;
  pen.isSpace = true;
  let wasBreak = true;
  for (const part of text.match(lineOrBreak) ?? []) {
    if (isBreak(part)) {
      putBreak(pen, part);
      pen.isIndentation = true;
      wasBreak = true;
      continue;
    }
    if (wasBreak) putIndent(pen, indent);
    put(pen, part);
    pen.isIndentation = false;
    wasBreak = false;
  }
}
