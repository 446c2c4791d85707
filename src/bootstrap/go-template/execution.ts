// The state of one execution: where it is, how much it has done, and what it has written.
//
// Every step and every character is counted against the bounds of go-template-limits.ts. A failure names the node that was
// looked at last, as Go's does.
import { byteLength } from '../go-format/go-string.js';
import { goQuote } from '../go-format/go-quote.js';
import { TemplateFailure } from './failure.js';
import type { TemplateBudget } from './budget.js';
import {
  RENDERED_BYTES_IN_ALL_MAX,
  RENDERED_BYTES_MAX,
  STEPS_MAX,
  TEXT_LENGTH_MAX,
  TEXT_PER_STEP,
} from './go-template-limits.js';
import { locationOf, printNode, type TemplatePart, type TemplateTree } from './tree.js';
import { joinTexts, type Value } from './values.js';

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
  /** Goes to the first node of a template that another one uses: a failure from now on names it. Its use was a step already. */
  enter(scope: Scope): void;
  step(): void;
  /** Counts work on so many things (characters, variables), of which so many count as one step. */
  work(count: number, perStep: number): void;
  /** Counts a new text of this length as work, and stops one that is too long. */
  grow(length: number): void;
  write(part: string): void;
  fail(message: string): never;
  output(): string;
}

/** An execution that has done nothing yet, at the start of a template. */
export function createExecution(main: TemplateTree, budget: TemplateBudget): Execution {
  const output: string[] = [];
  let remaining = RENDERED_BYTES_MAX;
  let current: { readonly node: TemplatePart; readonly tree: TemplateTree } = { node: main.root, tree: main };

  function step(count = 1): void {
    budget.steps -= count;
    if (budget.steps < 0) stop(`exceeded the limit of ${STEPS_MAX} steps`);
  }
  function work(count: number, perStep: number): void {
    if (count >= perStep) step(Math.floor(count / perStep));
  }
  function fail(message: string, limit?: string): never {
    const { node, tree } = current;
    const place = `${locationOf(tree, node.at)}: executing ${goQuote(tree.name)} at <${printNode(node)}>`;
    throw new TemplateFailure('execute', `template: ${place}: ${message}`, limit);
  }
  function stop(limit: string): never {
    return fail(limit, limit);
  }
  function stopWriting(limit: string): never {
    throw new TemplateFailure('execute', limit, limit);
  }
  return {
    step,
    fail: (message) => fail(message),
    look: (scope, node) => {
      current = { node, tree: scope.tree };
      step();
    },
    enter: (scope) => {
      current = { node: scope.tree.root, tree: scope.tree };
    },
    work,
    grow: (length) => {
      work(length, TEXT_PER_STEP);
      if (length > TEXT_LENGTH_MAX) stop(`a text exceeds the limit of ${TEXT_LENGTH_MAX} characters`);
    },
    write: (part) => {
      const bytes = byteLength(part);
      remaining -= bytes;
      budget.outputBytes -= bytes;
      if (remaining < 0) stopWriting(`rendered output exceeds the ${RENDERED_BYTES_MAX} byte limit`);
      if (budget.outputBytes < 0) {
        stopWriting(`rendered output of all files exceeds the ${RENDERED_BYTES_IN_ALL_MAX} byte limit`);
      }
      output.push(part);
    },
    output: () => joinTexts(output),
  };
}
