// What becomes of a text that upstream writes into a YAML literal block: file contents, unit texts, kubeadm's YAML.
//
// Upstream indents the text line by line, and YAML gives it back changed: CRLF becomes LF, trailing empty lines go, exactly
// one LF ends what is left, a text of blank lines alone becomes empty. Characters that YAML takes for a line end but upstream
// does not indent after (a lone CR, U+0085, U+2028, U+2029) push the rest out of the block; that is refused here.
//
// PARITY: YAML takes the indent of the first line for the block's own, so that upstream cuts it from every line, or fails
// when a later line has less. The indent is kept here (docs/parity.md). A first line that starts with a tab is refused, as
// upstream.
import { isValidUtf8 } from '../go-format/go-string.js';
import { forbiddenCharacter } from './yaml-tree.js';

/** The text as it arrives, or why it cannot. */
export type BlockText =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: 'refused'; readonly message: string };

/** The columns that upstream's template indents file contents and unit texts by. */
export const FILE_INDENT = 10;
export const UNIT_INDENT = 8;

const LF = 0x0a;
const CR = 0x0d;
const FIRST_TAB = / *\t/y;
const startsWithTab = refused('the first line starts with a tab; start it with a space or text');

/** One line and the character that ended it. */
interface Line {
  readonly text: string;
  readonly lineEnd: string;
}

/** A text (a Go string) whose lines upstream indents, after its way through YAML. */
export function literalBlock(text: string, indent: number): BlockText {
  const unreadable = unreadableReason(text);
  if (unreadable !== null) return refused(unreadable);
  // Nearly every text ends its lines with LF or CRLF alone: then nothing but the first line and the end is looked at.
  const source = text.replaceAll('\r\n', '\n');
  if (!/[\r\u0085\u2028\u2029]/.test(source)) return blockOfLines(source);
  const lines = splitLines(text, indent);
  if (lines === null) return refused('a lone CR, U+0085, U+2028 or U+2029 ends a line here; use LF');
  const first = lines.find((line) => line.text !== '');
  if (first !== undefined && /^ *\t/.test(first.text)) return startsWithTab;
  if (lines.every((line) => /^ *$/.test(line.text))) return { kind: 'text', text: '' };
  const last = lines.findLastIndex((line) => line.text !== '');
  return {
    kind: 'text',
    text: lines
      .slice(0, last + 1)
      .map((line) => line.text + line.lineEnd)
      .join(''),
  };
}

/** A text whose only line ends are LF. */
function blockOfLines(text: string): BlockText {
  let start = 0;
  while (text.charCodeAt(start) === LF) start += 1;
  FIRST_TAB.lastIndex = start;
  if (FIRST_TAB.test(text)) return startsWithTab;
  if (!/[^ \n]/.test(text)) return { kind: 'text', text: '' };
  let end = text.length;
  while (text.charCodeAt(end - 1) === LF) end -= 1;
  return { kind: 'text', text: `${text.slice(0, end)}\n` };
}

/**
 * A value that upstream puts into a block without indenting its lines. Further lines must bring the block's indent
 * themselves; it is taken off here. Null when one does not: it would become YAML of its own.
 */
export function embeddedValue(value: string, indent: number): string | null {
  const [first = '', ...others] = value.split('\n');
  const lines = others.map((line) => unindented(line, indent));
  return lines.includes(null) ? null : [first, ...lines].join('\n');
}

/** Why YAML cannot carry a text at all; null when it can. */
export function unreadableReason(text: string): string | null {
  if (!isValidUtf8(text)) return 'it is not valid UTF-8; use encoding base64';
  const control = forbiddenCharacter(text);
  if (control === null) return null;
  const code = control.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return `the control character U+${code} is not allowed; use encoding base64`;
}

/** The lines of a text. Null when text stands after a line end that upstream does not indent after. */
function splitLines(text: string, indent: number): readonly Line[] | null {
  const lines: Line[] = [];
  let isIndented = true;
  for (let at = 0, from = 0; at <= text.length; from = at) {
    while (at < text.length && !isLineEnd(text.charCodeAt(at))) at += 1;
    const raw = text.slice(from, at);
    const end = text.startsWith('\r\n', at) ? '\r\n' : text.charAt(at);
    const line = isIndented ? raw : unindented(raw, indent);
    if (line === null) return null;
    // The template ends the last line with a line feed of its own.
    lines.push({ text: line, lineEnd: end === '\u2028' || end === '\u2029' ? end : '\n' });
    if (end === '') break;
    at += end.length;
    isIndented = end === '\n' || end === '\r\n';
  }
  return lines;
}

function isLineEnd(code: number): boolean {
  return code === LF || code === CR || code === 0x85 || code === 0x2028 || code === 0x2029;
}

function unindented(line: string, indent: number): string | null {
  if (line.startsWith(' '.repeat(indent))) return line.slice(indent);
  return /^ *$/.test(line) ? '' : null;
}

function refused(message: string): BlockText {
  return { kind: 'refused', message };
}
