// Parses a template's text into trees, one for the text itself and one for each definition, as Go's text/template/parse does.
//
// The order of checks and the line in every message follow Go. All mistakes leave as TemplateFailure. Expressions are parsed
// by expression-parser.ts.
import { goQuote } from '../go-format/go-quote.js';
import { createExpressionParser } from './expression-parser.js';
import { createLexer, type Token } from './lexer.js';
import { createTokenStream, type ParsedFile } from './token-stream.js';
import {
  isEmptyTree,
  type BranchNode,
  type ListNode,
  type StatementNode,
  type TemplateNode,
  type TemplateTree,
} from './tree.js';

/** What ends a list: `{{end}}`, or `{{else}}`, after which an `if` or `with` may be pending. */
interface ListEnd {
  readonly type: 'end' | 'else';
  readonly at: number;
}

/** Parses a text (a Go string). The trees by name; the text's own is under `name`. */
export function parseTemplate(
  name: string,
  text: string,
  isFunction: (name: string) => boolean,
): ReadonlyMap<string, TemplateTree> {
  const trees = new Map<string, TemplateTree>();
  createTreeParser({ name, text, lexer: createLexer(text), isFunction, nesting: { depth: 0 } }, trees).parseText(name);
  return trees;
}

/** Parses one tree: the whole text, a definition or a block. Each has its own variables and look-ahead. */
function createTreeParser(file: ParsedFile, trees: Map<string, TemplateTree>) {
  const stream = createTokenStream(file);
  const expressions = createExpressionParser(file, stream);
  let rangeDepth = 0;

  function parseText(name: string): void {
    const nodes: StatementNode[] = [];
    const { at } = stream.peek();
    while (stream.peek().type !== 'eof') {
      if (stream.peek().type === 'leftDelim') {
        const delim = stream.next();
        const keyword = stream.nextNonSpace();
        if (keyword.type === 'define') {
          createTreeParser(file, trees).parseDefinition();
          continue;
        }
        stream.giveBack(keyword, delim);
      }
      const node = parseStatement();
      if (isListEnd(node)) stream.fail(`unexpected {{${node.type}}}`);
      else nodes.push(node);
    }
    addTree(name, { type: 'list', at, nodes });
  }

  function parseDefinition(): void {
    const context = 'define clause';
    const name = expressions.unquoted(stream.expect(['string', 'rawString'], context));
    stream.expect(['rightDelim'], context);
    parseNamedBody(name, context);
  }

  /** The body of a definition, up to its end. */
  function parseNamedBody(name: string, context: string): void {
    const { list, end } = parseList();
    if (end.type !== 'end') stream.fail(`unexpected {{${end.type}}} in ${context}`);
    addTree(name, list);
  }

  /** An empty template never replaces another; two that are not empty cannot have one name. */
  function addTree(name: string, root: ListNode): void {
    const known = trees.get(name);
    if (known === undefined || isEmptyTree(known.root)) {
      trees.set(name, { name, parseName: file.name, text: file.text, root });
    } else if (!isEmptyTree(root)) {
      stream.fail(`template: multiple definition of template ${goQuote(name)}`);
    }
  }

  function parseList(): { readonly list: ListNode; readonly end: ListEnd } {
    const nodes: StatementNode[] = [];
    const { at } = stream.peekNonSpace();
    while (stream.peekNonSpace().type !== 'eof') {
      const node = parseStatement();
      if (isListEnd(node)) return { list: { type: 'list', at, nodes }, end: node };
      nodes.push(node);
    }
    return stream.fail('unexpected EOF');
  }

  function parseStatement(): StatementNode | ListEnd {
    const token = stream.nextNonSpace();
    if (token.type === 'text') return { type: 'text', at: token.at, text: token.value };
    if (token.type !== 'leftDelim') return stream.unexpected(token, 'input');
    stream.setActionLine(token.line);
    const node = parseAction();
    stream.setActionLine(0);
    return node;
  }

  function parseAction(): StatementNode | ListEnd {
    const token = stream.nextNonSpace();
    switch (token.type) {
      case 'block':
        return stream.nested(parseBlock);
      case 'break':
      case 'continue':
        return parseLoopControl(token.type, token.at);
      case 'else':
        return parseElse();
      case 'end':
        return { type: 'end', at: stream.expect(['rightDelim'], 'end').at };
      case 'if':
      case 'range':
      case 'with':
        return parseBranch(token.type);
      case 'template':
        return parseTemplateUse();
      default:
        stream.giveBack(token);
        return { type: 'action', at: token.at, pipe: expressions.parsePipeline('command', 'rightDelim') };
    }
  }

  function parseLoopControl(type: 'break' | 'continue', at: number): StatementNode {
    const token = stream.nextNonSpace();
    if (token.type !== 'rightDelim') stream.unexpected(token, `{{${type}}}`);
    if (rangeDepth === 0) stream.fail(`{{${type}}} outside {{range}}`);
    return { type, at };
  }

  function parseElse(): ListEnd {
    const token = stream.peekNonSpace();
    // `else if` and `else with` are an else whose `if` or `with` is pending.
    if (token.type === 'if' || token.type === 'with') return { type: 'else', at: token.at };
    return { type: 'else', at: stream.expect(['rightDelim'], 'else').at };
  }

  function parseBranch(type: BranchNode['type']): BranchNode {
    return stream.nested(() => parseOpenBranch(type));
  }

  /** One branch with all the `else if` or `else with` that follow it: a chain is no nesting. */
  function parseOpenBranch(type: BranchNode['type']): BranchNode {
    const variableCount = expressions.variableCount();
    const chain: Omit<BranchNode, 'elseList'>[] = [];
    const elseAt: number[] = [];
    let last: ListNode | null = null;
    for (let isOpen = true; isOpen;) {
      const pipe = expressions.parsePipeline(type, 'rightDelim');
      if (type === 'range') rangeDepth += 1;
      const { list, end } = parseList();
      if (type === 'range') rangeDepth -= 1;
      chain.push({ type, at: pipe.at, pipe, list });
      isOpen = end.type === 'else' && type !== 'range' && stream.peek().type === type;
      if (isOpen) {
        stream.next();
        elseAt.push(end.at);
      } else if (end.type === 'else') last = parseElseList();
    }
    expressions.forgetVariables(variableCount);
    const branch = chain.reduceRight<BranchNode | null>((after, each, index) => {
      const elseList: ListNode | null =
        after === null ? last : { type: 'list', at: elseAt[index] ?? each.at, nodes: [after] };
      return { ...each, elseList };
    }, null);
    return branch ?? stream.fail('unexpected EOF');
  }

  function parseElseList(): ListNode {
    const { list, end } = parseList();
    if (end.type !== 'end') stream.fail(`expected end; found {{${end.type}}}`);
    return list;
  }

  function parseBlock(): TemplateNode {
    const context = 'block clause';
    const token = stream.nextNonSpace();
    const name = parseTemplateName(token, context);
    const pipe = expressions.parsePipeline(context, 'rightDelim');
    createTreeParser(file, trees).parseBlockBody(name, context, stream.line);
    return { type: 'template', at: token.at, name, pipe };
  }

  /** A block's body has its own variables; a wrong end is the outer tree's complaint. */
  function parseBlockBody(name: string, context: string, outerLine: () => number): void {
    const { list, end } = parseList();
    if (end.type !== 'end') {
      stream.setLine(outerLine());
      stream.fail(`unexpected {{${end.type}}} in ${context}`);
    }
    addTree(name, list);
  }

  function parseTemplateUse(): TemplateNode {
    const context = 'template clause';
    const token = stream.nextNonSpace();
    const name = parseTemplateName(token, context);
    const after = stream.nextNonSpace();
    if (after.type === 'rightDelim') return { type: 'template', at: token.at, name, pipe: null };
    stream.giveBack(after);
    return { type: 'template', at: token.at, name, pipe: expressions.parsePipeline(context, 'rightDelim') };
  }

  function parseTemplateName(token: Token, context: string): string {
    return token.type === 'string' || token.type === 'rawString'
      ? expressions.unquoted(token)
      : stream.unexpected(token, context);
  }

  return { parseText, parseDefinition, parseBlockBody };
}

function isListEnd(node: StatementNode | ListEnd): node is ListEnd {
  return node.type === 'end' || node.type === 'else';
}
