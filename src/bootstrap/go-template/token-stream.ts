// The tokens of one tree: looking ahead, giving back, and complaining.
//
// Trees of one text share a lexer; each has its own look-ahead and its own idea of the current line, which is the line of the
// token that it cut last. That is the line of its messages.
import { byteLength } from '../go-format/go-string.js';
import { goQuote } from '../go-format/go-quote.js';
import { TemplateFailure } from './failure.js';
import { NESTING_MAX } from './go-template-limits.js';
import { isKeyword, type Lexer, type Token, type TokenType } from './lexer.js';

const SHOWN_RUNES_MAX = 10;

/** What all trees of one text share. */
export interface ParsedFile {
  readonly name: string;
  readonly text: string;
  readonly lexer: Lexer;
  readonly isFunction: (name: string) => boolean;
  /** How many parentheses and blocks are open. */
  readonly nesting: { depth: number };
}

/** One tree's view of the tokens. */
export interface TokenStream {
  next(): Token;
  peek(): Token;
  nextNonSpace(): Token;
  peekNonSpace(): Token;
  /** Gives tokens back; the last one is next. */
  giveBack(...tokens: readonly Token[]): void;
  expect(types: readonly TokenType[], context: string): Token;
  unexpected(token: Token, context: string): never;
  fail(message: string): never;
  /** Fails by a bound, in words that quote nothing of the template. */
  exceed(limit: string): never;
  /** The line where the action began that is being read; 0 outside of actions. */
  setActionLine(line: number): void;
  /** Makes messages carry another tree's line. */
  line(): number;
  /** Does this work one level deeper, if there may be one. */
  nested<T>(work: () => T): T;
  setLine(line: number): void;
}

/** A stream that has looked at nothing yet. */
export function createTokenStream(file: ParsedFile): TokenStream {
  /** Tokens that were looked at and given back, the next one last. */
  const pending: Token[] = [];
  let lastLine = 0;
  let actionLine = 0;

  function next(): Token {
    const given = pending.pop();
    if (given !== undefined) return given;
    const token = file.lexer.next();
    lastLine = token.line;
    return token;
  }
  function peek(): Token {
    const token = next();
    pending.push(token);
    return token;
  }
  function nextNonSpace(): Token {
    for (;;) {
      const token = next();
      if (token.type !== 'space') return token;
    }
  }
  function peekNonSpace(): Token {
    const token = nextNonSpace();
    pending.push(token);
    return token;
  }
  function expect(types: readonly TokenType[], context: string): Token {
    const token = nextNonSpace();
    return types.includes(token.type) ? token : unexpected(token, context);
  }

  function fail(message: string): never {
    throw new TemplateFailure('parse', `template: ${file.name}:${lastLine}: ${message}`);
  }
  function unexpected(token: Token, context: string): never {
    if (token.type !== 'error') return fail(`unexpected ${showToken(token)} in ${context}`);
    let extra = '';
    if (actionLine !== 0 && actionLine !== token.line) {
      const isAboutAction = token.value.endsWith(' action');
      extra = `${isAboutAction ? '' : ' in action'} started at ${file.name}:${actionLine}`;
    }
    return fail(token.value + extra);
  }

  function exceed(limit: string): never {
    throw new TemplateFailure('parse', `template: ${file.name}:${lastLine}: ${limit}`, limit);
  }
  function nested<T>(work: () => T): T {
    if (file.nesting.depth >= NESTING_MAX) {
      exceed(`exceeded the limit of ${NESTING_MAX} levels: nested too deeply`);
    }
    file.nesting.depth += 1;
    const made = work();
    file.nesting.depth -= 1;
    return made;
  }

  return {
    nested,
    exceed,
    next,
    peek,
    nextNonSpace,
    peekNonSpace,
    giveBack: (...tokens) => void pending.push(...tokens),
    expect,
    unexpected,
    fail,
    setActionLine: (line) => {
      actionLine = line;
    },
    line: () => lastLine,
    setLine: (line) => {
      lastLine = line;
    },
  };
}

/** A token as Go's messages show it. */
function showToken({ type, value }: Token): string {
  if (type === 'eof') return 'EOF';
  if (isKeyword(type)) return `<${value}>`;
  if (byteLength(value) <= SHOWN_RUNES_MAX) return goQuote(value);
  return `${goQuote([...value].slice(0, SHOWN_RUNES_MAX).join(''))}...`;
}
