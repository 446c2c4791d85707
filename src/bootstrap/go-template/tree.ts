// A parsed template: its nodes, how Go prints them in messages, and the places of messages.
//
// Nodes are plain values. `at` is an index into the text; messages count lines from 1 and columns in bytes from 0.
import { byteLength } from '../go-format/go-string.js';
import { goQuote } from '../go-format/go-quote.js';

/** A named template. `text` is what it was cut from, for the places of messages. */
export interface TemplateTree {
  readonly name: string;
  /** The name of the file, which messages show. */
  readonly parseName: string;
  readonly text: string;
  readonly root: ListNode;
}

export interface ListNode {
  readonly type: 'list';
  readonly at: number;
  readonly nodes: readonly StatementNode[];
}

/** What stands in a list. */
export type StatementNode =
  | { readonly type: 'text'; readonly at: number; readonly text: string }
  | { readonly type: 'action'; readonly at: number; readonly pipe: PipeNode }
  | BranchNode
  | TemplateNode
  | { readonly type: 'break' | 'continue'; readonly at: number };

/** `if`, `range` and `with`. */
export interface BranchNode {
  readonly type: 'if' | 'range' | 'with';
  readonly at: number;
  readonly pipe: PipeNode;
  readonly list: ListNode;
  readonly elseList: ListNode | null;
}

/** The use of another template. */
export interface TemplateNode {
  readonly type: 'template';
  readonly at: number;
  readonly name: string;
  readonly pipe: PipeNode | null;
}

/** Commands, each fed with the value of the one before. */
export interface PipeNode {
  readonly type: 'pipe';
  readonly at: number;
  readonly isAssign: boolean;
  readonly variables: readonly VariableNode[];
  readonly commands: readonly CommandNode[];
}

export interface CommandNode {
  readonly type: 'command';
  readonly at: number;
  readonly args: readonly OperandNode[];
}

/** What stands in a command. */
export type OperandNode =
  | { readonly type: 'identifier'; readonly at: number; readonly name: string }
  | { readonly type: 'dot'; readonly at: number }
  | { readonly type: 'nil'; readonly at: number }
  | { readonly type: 'field'; readonly at: number; readonly names: readonly string[] }
  | VariableNode
  | { readonly type: 'bool'; readonly at: number; readonly value: boolean }
  | NumberNode
  | { readonly type: 'string'; readonly at: number; readonly quoted: string; readonly value: string }
  | ChainNode
  | PipeNode;

/** `$x`, or `$x.field`: the first name starts with the dollar sign. */
export interface VariableNode {
  readonly type: 'variable';
  readonly at: number;
  readonly names: readonly string[];
}

/** A constant number. Go decides the type by how it is written. */
export interface NumberNode {
  readonly type: 'number';
  readonly at: number;
  readonly text: string;
  readonly constant: NumberConstant;
}

export type NumberConstant =
  | { readonly kind: 'int'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'complex'; readonly re: number; readonly im: number }
  /** Written like a whole number, too large for one. */
  | { readonly kind: 'overflow' };

/** Fields of something that is not a field or variable itself. */
export interface ChainNode {
  readonly type: 'chain';
  readonly at: number;
  readonly of: OperandNode;
  readonly names: readonly string[];
}

/** Any node. */
export type TemplatePart = ListNode | StatementNode | CommandNode | OperandNode;

/** A node as Go's messages show it. */
export function printNode(node: TemplatePart): string {
  switch (node.type) {
    case 'list':
      return node.nodes.map(printNode).join('');
    case 'text':
      return node.text;
    case 'action':
      return `{{${printNode(node.pipe)}}}`;
    case 'break':
    case 'continue':
      return `{{${node.type}}}`;
    case 'if':
    case 'range':
    case 'with': {
      const otherwise = node.elseList === null ? '' : `{{else}}${printNode(node.elseList)}`;
      return `{{${node.type} ${printNode(node.pipe)}}}${printNode(node.list)}${otherwise}{{end}}`;
    }
    case 'template':
      return `{{template ${goQuote(node.name)}${node.pipe === null ? '' : ` ${printNode(node.pipe)}`}}}`;
    case 'pipe': {
      const variables = node.variables.map(printNode).join(', ');
      const declaration = variables === '' ? '' : `${variables} ${node.isAssign ? '=' : ':='} `;
      return declaration + node.commands.map(printNode).join(' | ');
    }
    case 'command':
      return node.args.map((arg) => (arg.type === 'pipe' ? `(${printNode(arg)})` : printNode(arg))).join(' ');
    case 'chain':
      return `${node.of.type === 'pipe' ? `(${printNode(node.of)})` : printNode(node.of)}.${node.names.join('.')}`;
    case 'identifier':
      return node.name;
    case 'dot':
      return '.';
    case 'nil':
      return 'nil';
    case 'field':
      return `.${node.names.join('.')}`;
    case 'variable':
      return node.names.join('.');
    case 'bool':
      return String(node.value);
    case 'number':
      return node.text;
    case 'string':
      return node.quoted;
  }
}

/** Where a node stands: `name:line:column`. */
export function locationOf(tree: TemplateTree, at: number): string {
  const before = tree.text.slice(0, at);
  const line = before.split('\n').length;
  const column = byteLength(before.slice(before.lastIndexOf('\n') + 1));
  return `${tree.parseName}:${line}:${column}`;
}

/** Whether a template holds nothing but white space. */
export function isEmptyTree(list: ListNode): boolean {
  return list.nodes.every(
    (node) =>
      node.type === 'text' &&
      /^[\t-\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$/.test(node.text),
  );
}
