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

/** One line and the character that ended it. */
interface Line {
  readonly text: string;
  readonly lineEnd: string;
}

/** A text (a Go string) whose lines upstream indents, after its way through YAML. */
export function literalBlock(text: string, indent: number): BlockText {
  const unreadable = unreadableReason(text);
  if (unreadable !== null) return refused(unreadable);
  const lines = splitLines(text, indent);
  if (lines === null) return refused('a lone CR, U+0085, U+2028 or U+2029 ends a line here; use LF');
  const first = lines.find((line) => line.text !== '');
  if (first !== undefined && /^ *\t/.test(first.text))
    return refused('the first line starts with a tab; start it with a space or text');
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
  for (const [, raw = '', end = ''] of text.matchAll(
    /([^\n\r\u0085\u2028\u2029]*)(\r\n|[\n\r\u0085\u2028\u2029]|$)/g,
  )) {
    const line = isIndented ? raw : unindented(raw, indent);
    if (line === null) return null;
    // The template ends the last line with a line feed of its own.
    lines.push({ text: line, lineEnd: end === '\u2028' || end === '\u2029' ? end : '\n' });
    if (end === '') break;
    isIndented = end === '\n' || end === '\r\n';
  }
  return lines;
}

function unindented(line: string, indent: number): string | null {
  if (line.startsWith(' '.repeat(indent))) return line.slice(indent);
  return /^ *$/.test(line) ? '' : null;
}

function refused(message: string): BlockText {
  return { kind: 'refused', message };
}
