// Cuts a template's text into tokens, as Go's text/template/parse does: the same tokens, places and complaints.
//
// The text is a Go string; positions are indexes into it (error messages count bytes, see tree.ts). After an error token the
// text is used up.
import { isGoPrintable } from '../go-format/unicode-tables.js';
import { goQuote } from '../go-format/go-quote.js';

/** The kinds of tokens. Keywords are named by themselves. */
export type TokenType =
  | 'error'
  | 'bool'
  | 'char'
  | 'charConstant'
  | 'complex'
  | 'assign'
  | 'declare'
  | 'eof'
  | 'field'
  | 'identifier'
  | 'leftDelim'
  | 'leftParen'
  | 'number'
  | 'pipe'
  | 'rawString'
  | 'rightDelim'
  | 'rightParen'
  | 'space'
  | 'string'
  | 'text'
  | 'variable'
  | 'dot'
  | Keyword;

export type Keyword =
  'block' | 'break' | 'continue' | 'define' | 'else' | 'end' | 'if' | 'nil' | 'range' | 'template' | 'with';

/** One token. `line` counts from 1. */
export interface Token {
  readonly type: TokenType;
  readonly value: string;
  readonly at: number;
  readonly line: number;
}

const KEYWORDS: ReadonlySet<string> = new Set<Keyword>([
  'block',
  'break',
  'continue',
  'define',
  'else',
  'end',
  'if',
  'nil',
  'range',
  'template',
  'with',
]);
const LEFT = '{{';
const RIGHT = '}}';
const TRIM_MARKER_LENGTH = 2;

/** Hands out one token after the other; after the last one, `eof` for ever. */
export interface Lexer {
  next(): Token;
}

/** Whether a token is a keyword, which messages show in angle brackets. */
export function isKeyword(type: TokenType): type is Keyword | 'dot' {
  return type === 'dot' || KEYWORDS.has(type);
}

/** A lexer at the start of a text. */
export function createLexer(input: string): Lexer {
  let text = input;
  let at = 0;
  let start = 0;
  let line = 1;
  let startLine = 1;
  let parenDepth = 0;
  let isInAction = false;

  const token = (type: TokenType): Token => {
    const made = { type, value: text.slice(start, at), at: start, line: startLine };
    ignore();
    return made;
  };
  /** Forgets what was read since the last token. Line feeds in it are counted here and nowhere else. */
  function ignore(): void {
    for (let index = text.indexOf('\n', start); index !== -1 && index < at; index = text.indexOf('\n', index + 1))
      line += 1;
    start = at;
    startLine = line;
  }
  const failure = (message: string): Token => {
    const made: Token = { type: 'error', value: message, at: start, line: startLine };
    text = '';
    at = 0;
    start = 0;
    return made;
  };
  const charAt = (index: number): string => {
    const code = text.codePointAt(index);
    return code === undefined ? '' : String.fromCodePoint(code);
  };
  const skipWhile = (isWanted: (char: string) => boolean): void => {
    for (let char = charAt(at); char !== '' && isWanted(char); char = charAt(at)) at += char.length;
  };

  function readText(): Token {
    const delimAt = text.indexOf(LEFT, at);
    if (delimAt === -1) {
      at = text.length;
      return at > start ? token('text') : { type: 'eof', value: 'EOF', at, line: startLine };
    }
    if (delimAt > at) {
      const isTrimmed = hasLeftTrimMarker(text, delimAt + LEFT.length);
      const whole = text.slice(start, delimAt);
      at = start + (isTrimmed ? trimEnd(whole).length : whole.length);
      const made = token('text');
      at = delimAt;
      ignore();
      if (made.value !== '') return made;
    }
    return readLeftDelim();
  }

  function readLeftDelim(): Token {
    at += LEFT.length;
    const afterMarker = hasLeftTrimMarker(text, at) ? TRIM_MARKER_LENGTH : 0;
    if (text.startsWith('/*', at + afterMarker)) {
      at += afterMarker;
      ignore();
      return readComment();
    }
    const made = token('leftDelim');
    isInAction = true;
    at += afterMarker;
    ignore();
    parenDepth = 0;
    return made;
  }

  function readComment(): Token {
    const end = text.indexOf('*/', at + 2);
    if (end === -1) return failure('unclosed comment');
    at = end + 2;
    const delim = rightDelimAt();
    if (delim === null) return failure('comment ends before closing delimiter');
    at += delim.length;
    if (delim.isTrimming) skipWhile(isSpace);
    ignore();
    return readText();
  }

  function rightDelimAt(): { readonly length: number; readonly isTrimming: boolean } | null {
    if (isSpace(text.charAt(at)) && text.startsWith(`-${RIGHT}`, at + 1)) {
      return { length: TRIM_MARKER_LENGTH + RIGHT.length, isTrimming: true };
    }
    return text.startsWith(RIGHT, at) ? { length: RIGHT.length, isTrimming: false } : null;
  }

  function readRightDelim(): Token {
    const { isTrimming } = rightDelimAt() ?? { isTrimming: false };
    if (isTrimming) {
      at += TRIM_MARKER_LENGTH;
      ignore();
    }
    at += RIGHT.length;
    const made = token('rightDelim');
    if (isTrimming) {
      skipWhile(isSpace);
      ignore();
    }
    isInAction = false;
    return made;
  }

  function readInAction(): Token {
    if (rightDelimAt() !== null) return parenDepth === 0 ? readRightDelim() : failure('unclosed left paren');
    const char = charAt(at);
    if (char === '') return failure('unclosed action');
    if (isSpace(char)) return readSpace();
    at += char.length;
    switch (char) {
      case '=':
        return token('assign');
      case ':':
        if (charAt(at) !== '=') return failure('expected :=');
        at += 1;
        return token('declare');
      case '|':
        return token('pipe');
      case '"':
        return readQuoted('"', 'string', 'unterminated quoted string');
      case "'":
        return readQuoted("'", 'charConstant', 'unterminated character constant');
      case '`':
        return readRawString();
      case '$':
        return readFieldOrVariable('variable');
      case '(':
        parenDepth += 1;
        return token('leftParen');
      case ')':
        parenDepth -= 1;
        return parenDepth < 0 ? failure('unexpected right paren') : token('rightParen');
      default:
        at -= char.length;
        return readWord(char);
    }
  }

  function readWord(char: string): Token {
    if (char === '.' && at + 1 < text.length && !/[0-9]/.test(charAt(at + 1))) {
      at += 1;
      return readFieldOrVariable('field');
    }
    if (/[-+.0-9]/.test(char)) return readNumber();
    if (isAlphaNumeric(char)) return readIdentifier();
    at += char.length;
    if (/^[!-~]$/.test(char)) return token('char');
    return failure(`unrecognized character in action: ${unicodeName(char)}`);
  }

  function readSpace(): Token {
    skipWhile(isSpace);
    // The last space may belong to a trim marker.
    at -= 1;
    if (rightDelimAt()?.isTrimming === true) {
      if (at === start) return readRightDelim();
    } else {
      at += 1;
    }
    return token('space');
  }

  function readIdentifier(): Token {
    skipWhile(isAlphaNumeric);
    if (!isAtTerminator()) return failure(`bad character ${unicodeName(charAt(at))}`);
    const word = text.slice(start, at);
    if (KEYWORDS.has(word)) return token(word as Keyword);
    return token(word === 'true' || word === 'false' ? 'bool' : 'identifier');
  }

  /** A `.` or `$` has been read. Alone, they are the dot and the variable of that name. */
  function readFieldOrVariable(type: 'field' | 'variable'): Token {
    if (isAtTerminator()) return token(type === 'field' ? 'dot' : 'variable');
    skipWhile(isAlphaNumeric);
    return isAtTerminator() ? token(type) : failure(`bad character ${unicodeName(charAt(at))}`);
  }

  function isAtTerminator(): boolean {
    const char = charAt(at);
    return char === '' || isSpace(char) || '.,|:)('.includes(char) || text.startsWith(RIGHT, at);
  }

  function readQuoted(quote: string, type: 'string' | 'charConstant', unterminated: string): Token {
    for (;;) {
      const char = text.charAt(at);
      const isEscape = char === '\\';
      const last = isEscape ? text.charAt(at + 1) : char;
      if (last === '' || last === '\n') {
        at = text.length;
        return failure(unterminated);
      }
      at += isEscape ? 2 : 1;
      if (char === quote) return token(type);
    }
  }

  function readRawString(): Token {
    const end = text.indexOf('`', at);
    if (end === -1) return failure('unterminated raw quoted string');
    at = end + 1;
    return token('rawString');
  }

  function readNumber(): Token {
    if (!scanNumber()) return failure(`bad number syntax: ${goQuote(text.slice(start, at))}`);
    if (!/[-+]/.test(text.charAt(at))) return token('number');
    // A complex number: the imaginary part follows at once.
    if (scanNumber() && text.charAt(at - 1) === 'i') return token('complex');
    return failure(`bad number syntax: ${goQuote(text.slice(start, at))}`);
  }

  function scanNumber(): boolean {
    const number =
      /^[-+]?(?:0[xX][0-9a-fA-F_]*(?:\.[0-9a-fA-F_]*)?(?:[pP][-+]?[0-9_]*)?|0[oO][0-7_]*(?:\.[0-7_]*)?|0[bB][01_]*(?:\.[01_]*)?|[0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9_]*)?)i?/;
    at += number.exec(text.slice(at, at + NUMBER_LENGTH_MAX))?.[0].length ?? 0;
    const next = charAt(at);
    if (next === '' || !isAlphaNumeric(next)) return true;
    at += next.length;
    return false;
  }

  return {
    next: () => (isInAction && text !== '' ? readInAction() : isInAction ? failure('unclosed action') : readText()),
  };
}

/** No number that means anything is longer. */
const NUMBER_LENGTH_MAX = 4096;

function hasLeftTrimMarker(text: string, at: number): boolean {
  return text.charAt(at) === '-' && isSpace(text.charAt(at + 1));
}

function isSpace(char: string): boolean {
  return char === ' ' || char === '\t' || char === '\r' || char === '\n';
}

function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

function isAlphaNumeric(char: string): boolean {
  return /^[_\p{L}\p{Nd}]$/u.test(char);
}

/** `U+0040 '@'`; a byte that is not valid UTF-8 reads as U+FFFD. */
function unicodeName(char: string): string {
  const code = /[\ud800-\udfff]/u.test(char) ? 0xfffd : (char.codePointAt(0) ?? 0);
  const name = `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  return isGoPrintable(code) ? `${name} '${String.fromCodePoint(code)}'` : name;
}
