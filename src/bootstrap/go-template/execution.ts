// The state of one execution: where it is, how much it has done, and what it has written.
//
// Every step and every character is counted against the bounds of go-template-limits.ts. A failure names the node that was
// looked at last, as Go's does.
import { byteLength } from '../go-format/go-string.js';
import { goQuote } from '../go-format/go-quote.js';
import { TemplateFailure } from './failure.js';
import { STEPS_MAX, TEXT_LENGTH_MAX } from './go-template-limits.js';
import { locationOf, printNode, type TemplatePart, type TemplateTree } from './tree.js';
import { joinTexts, type Value } from './values.js';

/** So many characters of text count as one step. */
const TEXT_PER_STEP = 64;

/** One use of a template: its tree and its variables. */
export interface Scope {
  readonly tree: TemplateTree;
  readonly depth: number;
  readonly variables: { readonly name: string; value: Value }[];
}

/** What statements and expressions share. */
export interface Execution {
  /** Looks at a node: a failure from now on names it. Counts a step. */
  look(scope: Scope, node: TemplatePart): void;
  step(): void;
  /** Counts work on a text of this length. */
  work(length: number): void;
  /** Counts a new text of this length as work, and stops one that is too long. */
  grow(length: number): void;
  write(part: string): void;
  fail(message: string): never;
  output(): string;
}

/** An execution that has done nothing yet, at the start of a template. */
export function createExecution(main: TemplateTree, outputBytesMax: number): Execution {
  const output: string[] = [];
  let remaining = outputBytesMax;
  let steps = 0;
  let current: { readonly node: TemplatePart; readonly tree: TemplateTree } = { node: main.root, tree: main };

  function step(count = 1): void {
    steps += count;
    if (steps > STEPS_MAX) fail(`exceeded the limit of ${STEPS_MAX} steps`);
  }
  function work(length: number): void {
    if (length >= TEXT_PER_STEP) step(Math.floor(length / TEXT_PER_STEP));
  }
  function fail(message: string): never {
    const { node, tree } = current;
    const place = `${locationOf(tree, node.at)}: executing ${goQuote(tree.name)} at <${printNode(node)}>`;
    throw new TemplateFailure('execute', `template: ${place}: ${message}`);
  }
  return {
    step,
    fail,
    look: (scope, node) => {
      current = { node, tree: scope.tree };
      step();
    },
    work,
    grow: (length) => {
      work(length);
      if (length > TEXT_LENGTH_MAX) fail(`a text exceeds the limit of ${TEXT_LENGTH_MAX} characters`);
    },
    write: (part) => {
      const bytes = byteLength(part);
      if (bytes > remaining)
        throw new TemplateFailure('execute', `rendered output exceeds the ${outputBytesMax} byte limit`);
      remaining -= bytes;
      output.push(part);
    },
    output: () => joinTexts(output),
  };
}
