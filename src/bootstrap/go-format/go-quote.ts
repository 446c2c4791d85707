// Go's %q: a Go string in double quotes with Go's escapes, which are neither YAML's nor JSON's.
import { isGoPrintable } from './unicode-tables.js';

const named: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};
const notPlainAscii = /[^ !#-[\]-~]/gu;

/** The Go string as `fmt.Sprintf("%q", text)` prints it. */
export function goQuote(text: string): string {
  return `"${text.replace(notPlainAscii, quoteChar)}"`;
}

function quoteChar(char: string): string {
  const escape = named[char];
  if (escape !== undefined) return escape;
  const code = char.codePointAt(0) as number;
  if (isGoPrintable(code)) return char;
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  // A lone surrogate stands for a byte that is not valid UTF-8 (see go-string.ts).
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${hex(code - 0xdc00, 2)}`;
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`;
}

function hex(code: number, width: number): string {
  return code.toString(16).padStart(width, '0');
}
