// Whether a systemd or networkd unit's text can be read, by the same steps as the reader that Ignition uses.
//
// The length of lines is only looked at between two steps, on what is buffered just then (a buffer of 4096 bytes), so some
// long lines pass and others do not. That is kept: what upstream accepts is accepted here.
import { textToBytes } from '../go-format/go-string.js';

const LINE_BYTES_MAX = 2048;
const BUFFER_BYTES = 4096;
const LF = 0x0a;
const CR = 0x0d;
const SPACE = /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]$/u;

/** What reading a unit gave: the sections that have options, or the reason why it cannot be read. */
export type UnitContent =
  | { readonly kind: 'readable'; readonly sections: ReadonlySet<string> }
  | { readonly kind: 'unreadable'; readonly message: string };

/** Reads a unit's text (a Go string). */
export function readUnitContent(content: string): UnitContent {
  const reader = bufferedReader(textToBytes(content));
  const sections = new Set<string>();
  let section: string | null = null;
  const unreadable = (message: string): UnitContent => ({ kind: 'unreadable', message });
  for (;;) {
    if (reader.hasLongLine()) return unreadable(`line too long (max ${LINE_BYTES_MAX} bytes)`);
    const char = reader.nextChar();
    if (char === null) return { kind: 'readable', sections };
    if (char === '[') {
      if (reader.hasLongLine()) return unreadable(`line too long (max ${LINE_BYTES_MAX} bytes)`);
      const name = reader.upTo(']');
      if (name === null) return unreadable('unable to find end of section');
      if (reader.hasLongLine()) return unreadable(`line too long (max ${LINE_BYTES_MAX} bytes)`);
      const garbage = reader.line().trim();
      if (garbage !== '') {
        return unreadable(`found garbage after section name : [${[...textToBytes(garbage)].join(' ')}]`);
      }
      section = name;
    } else if (char === '#' || char === ';') {
      if (reader.hasLongLine()) return unreadable(`line too long (max ${LINE_BYTES_MAX} bytes)`);
      while (reader.line().replace(/ $/, '').endsWith('\\'));
    } else if (section !== null && !SPACE.test(char)) {
      reader.giveBack();
      if (reader.hasLongLine()) return unreadable(`line too long (max ${LINE_BYTES_MAX} bytes)`);
      const problem = readOption(reader);
      if (problem !== null) return unreadable(problem);
      sections.add(section);
    }
  }
}

type Reader = ReturnType<typeof bufferedReader>;

/** One `name=value`, with its continuation lines; the problem, or null. */
function readOption(reader: Reader): string | null {
  for (let char = reader.nextChar(); char !== '='; char = reader.nextChar()) {
    if (char === null) return 'EOF';
    if (char === '\n' || char === '\r') return 'unexpected newline encountered while parsing option name';
  }
  for (;;) {
    if (reader.hasLongLine()) return `line too long (max ${LINE_BYTES_MAX} bytes)`;
    const line = reader.line();
    if (line.trim() === '' || !line.endsWith('\\')) return null;
  }
}

/** The bytes with a window on them: what a buffered reader would hold at this moment. */
function bufferedReader(bytes: Uint8Array) {
  let at = 0;
  let bufferedTo = 0;
  let lastWidth = 0;
  /** The first line break from `at` on, or the end. Looked for once: asking at every byte of a line would cost its square. */
  let breakAt = -1;
  const fill = (): void => {
    bufferedTo = Math.min(bytes.length, at + BUFFER_BYTES);
  };
  const take = (delimiter: number): { readonly bytes: Uint8Array; readonly isFound: boolean } => {
    const found = bytes.indexOf(delimiter, at);
    const end = found === -1 ? bytes.length : found + 1;
    const taken = bytes.subarray(at, end);
    while (end > bufferedTo) {
      if (bufferedTo - at >= BUFFER_BYTES) at = bufferedTo;
      fill();
    }
    at = end;
    return { bytes: taken, isFound: found !== -1 };
  };
  return {
    /** Whether so much is buffered that a line break must be in it, and none is. */
    hasLongLine: (): boolean => {
      if (bufferedTo - at < LINE_BYTES_MAX) return false;
      if (breakAt < at) {
        breakAt = at;
        while (breakAt < bytes.length && bytes[breakAt] !== LF && bytes[breakAt] !== CR) breakAt += 1;
      }
      return breakAt - at >= LINE_BYTES_MAX;
    },
    nextChar: (): string | null => {
      if (at >= bytes.length) return null;
      lastWidth = charWidth(bytes, at);
      if (at + lastWidth > bufferedTo) fill();
      const char =
        (bytes[at] as number) < 0x80
          ? String.fromCharCode(bytes[at] as number)
          : Buffer.from(bytes.subarray(at, at + lastWidth)).toString('utf8');
      at += lastWidth;
      return char;
    },
    giveBack: (): void => {
      at -= lastWidth;
    },
    /** What stands before the delimiter; null when there is none. */
    upTo: (delimiter: string): string | null => {
      const { bytes: taken, isFound } = take(delimiter.charCodeAt(0));
      return isFound ? Buffer.from(taken.subarray(0, -1)).toString('latin1') : null;
    },
    /** The rest of the line without its line feed; bytes as Latin-1, which is enough to look at its ends. */
    line: (): string => Buffer.from(take(LF).bytes).toString('latin1').replace(/\n$/, ''),
  };
}

function charWidth(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  const width = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return Math.min(width, bytes.length - at);
}
