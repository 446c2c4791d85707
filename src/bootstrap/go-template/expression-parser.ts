// Parses what stands inside an action: pipelines, commands and operands. See parser.ts.
//
// Variables are known from their declaration to the end of the block around it; the statements' parser says when that is.
import { goQuote } from '../go-format/go-quote.js';
import { readComplex, readNumber, unquoteChar, unquoteText } from './constants.js';
import { VARIABLES_MAX } from './go-template-limits.js';
import type { Token, TokenType } from './lexer.js';
import type { ParsedFile, TokenStream } from './token-stream.js';
import {
  printNode,
  type CommandNode,
  type NumberNode,
  type OperandNode,
  type PipeNode,
  type VariableNode,
} from './tree.js';

const OPERAND_STARTS: ReadonlySet<TokenType> = new Set<TokenType>([
  'bool',
  'charConstant',
  'complex',
  'dot',
  'field',
  'identifier',
  'number',
  'nil',
  'rawString',
  'string',
  'variable',
  'leftParen',
]);
const NOT_EXECUTABLE: ReadonlySet<OperandNode['type']> = new Set<OperandNode['type']>([
  'bool',
  'dot',
  'nil',
  'number',
  'string',
]);

/** Parses expressions from one tree's tokens. */
export interface ExpressionParser {
  /** A pipeline up to its end, which is read too. `context` is what messages call it. */
  parsePipeline(context: string, end: 'rightDelim' | 'rightParen'): PipeNode;
  /** The text of a quoted token. */
  unquoted(token: Token): string;
  /** How many variables are known. */
  variableCount(): number;
  /** Forgets the variables beyond this count. */
  forgetVariables(count: number): void;
}

/** A parser that knows the variable `$` alone. */
export function createExpressionParser(file: ParsedFile, stream: TokenStream): ExpressionParser {
  const variables: string[] = ['$'];

  function parsePipeline(context: string, end: 'rightDelim' | 'rightParen'): PipeNode {
    const { at } = stream.peekNonSpace();
    const { declared, isAssign } = parseDeclarations(context);
    const commands: CommandNode[] = [];
    for (;;) {
      const token = stream.nextNonSpace();
      if (token.type === end) break;
      if (!OPERAND_STARTS.has(token.type)) stream.unexpected(token, context);
      stream.giveBack(token);
      commands.push(parseCommand());
    }
    checkPipeline(commands, context);
    return { type: 'pipe', at, isAssign, variables: declared, commands };
  }

  function parseDeclarations(context: string): {
    readonly declared: readonly VariableNode[];
    readonly isAssign: boolean;
  } {
    const declared: VariableNode[] = [];
    for (;;) {
      const variable = stream.peekNonSpace();
      if (variable.type !== 'variable') return { declared, isAssign: false };
      stream.next();
      const adjacent = stream.peek();
      const following = stream.peekNonSpace();
      if (following.type === 'assign' || following.type === 'declare') {
        stream.nextNonSpace();
        declare(variable, declared);
        return { declared, isAssign: following.type === 'assign' };
      }
      if (following.type !== 'char' || following.value !== ',') {
        // Not a declaration: give everything back, with the space that ends the operand.
        if (adjacent.type === 'space') stream.giveBack(adjacent);
        stream.giveBack(variable);
        return { declared, isAssign: false };
      }
      stream.nextNonSpace();
      declare(variable, declared);
      if (context !== 'range' || declared.length >= 2) stream.fail(`too many declarations in ${context}`);
      if (!['variable', 'rightDelim', 'rightParen'].includes(stream.peekNonSpace().type))
        stream.fail('range can only initialize variables');
    }
  }

  function declare(variable: Token, declared: VariableNode[]): void {
    if (variables.length > VARIABLES_MAX) stream.exceed(`has more than the limit of ${VARIABLES_MAX} variables`);
    declared.push({ type: 'variable', at: variable.at, names: variable.value.split('.') });
    variables.push(variable.value);
  }

  function checkPipeline(commands: readonly CommandNode[], context: string): void {
    if (commands.length === 0) stream.fail(`missing value for ${context}`);
    for (const [index, { args }] of commands.entries()) {
      const [first] = args;
      if (index > 0 && first !== undefined && NOT_EXECUTABLE.has(first.type)) {
        stream.fail(`non executable command in pipeline stage ${index + 1}`);
      }
    }
  }

  function parseCommand(): CommandNode {
    const { at } = stream.peekNonSpace();
    const args: OperandNode[] = [];
    for (;;) {
      stream.peekNonSpace();
      const operand = parseOperand();
      if (operand !== null) args.push(operand);
      const token = stream.next();
      if (token.type === 'space') continue;
      if (token.type === 'rightDelim' || token.type === 'rightParen') stream.giveBack(token);
      else if (token.type !== 'pipe') stream.unexpected(token, 'operand');
      break;
    }
    if (args.length === 0) stream.fail('empty command');
    return { type: 'command', at, args };
  }

  function parseOperand(): OperandNode | null {
    const node = parseTerm();
    if (node === null || stream.peek().type !== 'field') return node;
    const { at } = stream.peek();
    const names: string[] = [];
    while (stream.peek().type === 'field') names.push(stream.next().value.slice(1));
    switch (node.type) {
      case 'field':
      case 'variable':
        return { ...node, at, names: [...node.names, ...names] };
      case 'bool':
      case 'string':
      case 'number':
      case 'nil':
      case 'dot':
        return stream.fail(`unexpected . after term ${goQuote(printNode(node))}`);
      default:
        return { type: 'chain', at, of: node, names };
    }
  }

  function parseTerm(): OperandNode | null {
    const token = stream.nextNonSpace();
    const { at, value } = token;
    switch (token.type) {
      case 'identifier':
        if (!file.isFunction(value)) stream.fail(`function ${goQuote(value)} not defined`);
        return { type: 'identifier', at, name: value };
      case 'dot':
      case 'nil':
        return { type: token.type, at };
      case 'variable':
        if (!variables.includes(value)) stream.fail(`undefined variable ${goQuote(value)}`);
        return { type: 'variable', at, names: [value] };
      case 'field':
        return { type: 'field', at, names: [value.slice(1)] };
      case 'bool':
        return { type: 'bool', at, value: value === 'true' };
      case 'charConstant':
      case 'complex':
      case 'number':
        return parseNumber(token);
      case 'leftParen':
        return parseParentheses();
      case 'string':
      case 'rawString':
        return { type: 'string', at, quoted: value, value: unquoted(token) };
      default:
        stream.giveBack(token);
        return null;
    }
  }

  function parseParentheses(): PipeNode {
    return stream.nested(() => parsePipeline('parenthesized pipeline', 'rightParen'));
  }

  function parseNumber({ type, at, value: text }: Token): NumberNode {
    if (type === 'charConstant') {
      const code = unquoteChar(text);
      if (code === null) return stream.fail('invalid syntax');
      if (code === 'malformed') return stream.fail(`malformed character constant: ${text}`);
      return { type: 'number', at, text, constant: { kind: 'int', value: BigInt(code) } };
    }
    if (type === 'complex') {
      const constant = readComplex(text);
      return constant === null
        ? stream.fail('syntax error scanning complex number')
        : { type: 'number', at, text, constant };
    }
    const read = readNumber(text);
    if (read.kind === 'integerOverflow') return stream.fail(`integer overflow: ${goQuote(text)}`);
    if (read.kind === 'illegal') return stream.fail(`illegal number syntax: ${goQuote(text)}`);
    return { type: 'number', at, text, constant: read.constant };
  }

  function unquoted(token: Token): string {
    return unquoteText(token.value) ?? stream.fail('invalid syntax');
  }

  return {
    parsePipeline,
    unquoted,
    variableCount: () => variables.length,
    forgetVariables: (count) => {
      variables.length = count;
    },
  };
}
