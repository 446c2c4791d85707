// A YAML text as a plain tree, the way Go's yaml.v3 sees it: tags, quoting and places are kept, nothing is resolved yet.
//
// The grammar is read by the `yaml` package without any schema. Only the first document counts. What Go's reader refuses and
// `yaml` takes (control characters, bytes that are not UTF-8) is refused here. Deep nesting is an answer, not a crash.
import {
  Composer,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  Parser,
  type Document,
  type Node,
  type Pair,
} from 'yaml';

import { isValidUtf8 } from '../go-format/go-string.js';
import { YAML_DEPTH_MAX } from '../render-limits.js';
import { yamlDepthBound } from '../yaml-depth.js';
import type { Position } from './report.js';

/** A node of the tree. `tag` is empty when none was written. */
export type YamlNode = YamlScalar | YamlMapping | YamlSequence | YamlAlias;

export interface YamlScalar extends Position {
  readonly kind: 'scalar';
  readonly value: string;
  readonly tag: string;
  /** Written in quotes or as a block: then it is a text, whatever it looks like. */
  readonly isQuoted: boolean;
}

export interface YamlMapping extends Position {
  readonly kind: 'mapping';
  readonly entries: readonly YamlEntry[];
}

export interface YamlEntry {
  readonly key: YamlNode;
  readonly value: YamlNode;
}

export interface YamlSequence extends Position {
  readonly kind: 'sequence';
  readonly items: readonly YamlNode[];
}

/** A reference to an anchored node, which may contain the alias itself. */
export interface YamlAlias extends Position {
  readonly kind: 'alias';
  readonly name: string;
  readonly target: () => YamlNode;
}

/** The answer of reading a text: `root` is null when there is no content at all. */
export type YamlRead =
  { readonly kind: 'tree'; readonly root: YamlNode | null } | { readonly kind: 'failed'; readonly message: string };

/** Reads the first document of a text (a Go string). One that is made of more than `tokensMax` tokens is refused while it is read. */
export function readYaml(text: string, tokensMax = Number.POSITIVE_INFINITY): YamlRead {
  if (!isValidUtf8(text)) return { kind: 'failed', message: 'yaml: invalid leading UTF-8 octet' };
  const control = forbiddenCharacter(text);
  if (control !== null) return { kind: 'failed', message: 'yaml: control characters are not allowed' };
  if (/[\u2028\u2029]/.test(text)) {
    return {
      kind: 'failed',
      message: 'yaml: U+2028 and U+2029 end a line in YAML; write them as an escape in double quotes',
    };
  }
  if (yamlDepthBound(text) > YAML_DEPTH_MAX) return { kind: 'failed', message: 'yaml: exceeded max depth' };
  const lines = new LineCounter();
  // A lone CR and U+0085 end a line in YAML 1.1.
  const source = text.replace(/\r(?!\n)|\u0085/g, '\n');
  try {
    const document = firstDocument(source, lines, tokensMax);
    if (document === 'tooMany') {
      const message = `yaml: it has more than ${tokensMax} names, values, marks and line ends outside of block texts`;
      return { kind: 'failed', message };
    }
    const error = document?.errors[0] ?? document?.warnings.find((warning) => warning.code === 'BAD_DIRECTIVE');
    if (error !== undefined) {
      return { kind: 'failed', message: `yaml: line ${lines.linePos(error.pos[0]).line}: ${error.message}` };
    }
    if (document !== null) return treeOf(document, lines);
    const isBlank = source.split('\n').every((line) => /^\ufeff?\s*(#|$)/.test(line));
    return isBlank
      ? { kind: 'tree', root: null }
      : { kind: 'failed', message: 'yaml: could not find expected directive name' };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { kind: 'failed', message: 'yaml: exceeded max depth' };
  }
}

/** The first character that Go's YAML reader refuses; null when there is none. */
export function forbiddenCharacter(text: string): string | null {
  // eslint-disable-next-line no-control-regex
  return /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]/.exec(text)?.[0] ?? null;
}

function firstDocument(source: string, lines: LineCounter, tokensMax: number): Document.Parsed | null | 'tooMany' {
  const composer = new Composer({
    schema: 'failsafe',
    strict: true,
    uniqueKeys: false,
    prettyErrors: false,
    logLevel: 'silent',
  });
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let tokens = 0;
  for (const lexeme of new Lexer().lex(source)) {
    tokens += 1;
    if (tokens > tokensMax) return 'tooMany';
    for (const token of parser.next(lexeme)) {
      for (const document of composer.next(token)) return document;
    }
  }
  for (const token of parser.end()) {
    for (const document of composer.next(token)) return document;
  }
  for (const document of composer.end(false)) return document;
  return null;
}

/** Converts the nodes of one document. Aliases are left as aliases: a tree may refer to itself. */
function treeOf(document: Document.Parsed, lines: LineCounter): YamlRead {
  const converted = new Map<Node, YamlNode>();
  const anchors = new Map<string, Node>();
  let problem: string | null = null;

  function convert(node: Node): YamlNode {
    if ('anchor' in node && typeof node.anchor === 'string') anchors.set(node.anchor, node);
    const place = position(node);
    const tree = isAlias(node) ? aliasOf(node.source, place) : contentOf(node, place);
    converted.set(node, tree);
    return tree;
  }

  function contentOf(node: Node, place: Position): YamlNode {
    if (isSeq(node)) return { kind: 'sequence', items: node.items.map((item) => child(item, place)), ...place };
    if (isMap(node)) {
      const entries = node.items.map(({ key, value }: Pair) => ({
        key: keyOf(key, place),
        value: child(value, place),
      }));
      return { kind: 'mapping', entries, ...place };
    }
    if (!isScalar(node)) throw new Error('a YAML node is neither scalar, list, mapping nor alias');
    const value = node.source ?? String(node.value ?? '');
    return { kind: 'scalar', value, tag: shortTag(node.tag), isQuoted: isQuotedStyle(node.type), ...place };
  }

  /** An alias means the last anchor of its name before it. */
  function aliasOf(name: string, place: Position): YamlNode {
    const anchored = anchors.get(name);
    if (anchored === undefined) problem ??= `yaml: unknown anchor '${name}' referenced`;
    return { kind: 'alias', name, target: () => (anchored && converted.get(anchored)) ?? nullAt(place), ...place };
  }

  /** A mapping's key. One that was left out is not YAML to Go. */
  function keyOf(node: unknown, parent: Position): YamlNode {
    const key = child(node, parent);
    if (key.kind === 'scalar' && key.value === '' && !key.isQuoted && key.tag === '') {
      problem ??= `yaml: line ${key.line}: did not find expected key`;
    }
    return key;
  }

  /** An item or value that was left out counts as null. */
  function child(node: unknown, parent: Position): YamlNode {
    return node === null || node === undefined ? nullAt(parent) : convert(node as Node);
  }

  function position(node: Node): Position {
    const { line, col } = lines.linePos(node.range?.[0] ?? 0);
    return { line, column: col };
  }

  const root = document.contents === null ? nullAt({ line: 1, column: 1 }) : convert(document.contents);
  if (problem !== null) return { kind: 'failed', message: problem };
  return { kind: 'tree', root };
}

function nullAt(place: Position): YamlScalar {
  return { kind: 'scalar', value: '', tag: '', isQuoted: false, ...place };
}

function isQuotedStyle(type: string | null | undefined): boolean {
  return type !== undefined && type !== null && type !== 'PLAIN';
}

function shortTag(tag: string | undefined): string {
  if (tag === undefined || tag === '!') return '';
  return tag.replace(/^tag:yaml\.org,2002:/, '!!');
}
