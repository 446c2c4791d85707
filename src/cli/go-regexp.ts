// Regular expressions of flags, in Go's syntax (RE2): what is accepted there is accepted here, and matches the same.
//
// An expression becomes a little program whose states are followed side by side, so that the work grows with the text times
// the expression and never faster: the texts are keys of other people's labels.

import { GO_REGEXP_SIZE_MAX } from '../limits.js';
import type { CharTest } from './go-regexp-chars.js';
import { parseGoRegExp, type Assertion, type GoRegExpNode } from './go-regexp-parser.js';

/** A compiled expression. */
export interface GoRegExp {
  /** Whether it matches anywhere in the text. */
  test(text: string): boolean;
}

type Instruction =
  | { readonly op: 'char'; readonly has: CharTest; readonly next: number }
  | { readonly op: 'assert'; readonly holds: Assertion; readonly next: number }
  | { readonly op: 'split'; readonly next: readonly number[] }
  | { readonly op: 'match' };

/** Compiles an expression; throws an Error that says what is wrong with it. */
export function compileGoRegExp(text: string): GoRegExp {
  const program: Instruction[] = [{ op: 'match' }];
  const start = compile(program, parseGoRegExp(text), 0);
  return { test: (subject) => run(program, start, subject) };
}

/** Adds the instructions of a node that go on at `next`; returns where they begin. */
function compile(program: Instruction[], node: GoRegExpNode, next: number): number {
  switch (node.kind) {
    case 'chars':
      return emit(program, { op: 'char', has: node.has, next });
    case 'assert':
      return emit(program, { op: 'assert', holds: node.holds, next });
    case 'sequence':
      return node.parts.reduceRight((after, part) => compile(program, part, after), next);
    case 'choice':
      return emit(program, { op: 'split', next: node.parts.map((part) => compile(program, part, next)) });
    case 'repeat': {
      let after = next;
      if (node.max === null) after = compileLoop(program, node.part, next);
      else
        for (let times = node.min; times < node.max; times += 1)
          after = emit(program, { op: 'split', next: [compile(program, node.part, after), next] });
      for (let times = 0; times < node.min; times += 1) after = compile(program, node.part, after);
      return after;
    }
  }
}

function compileLoop(program: Instruction[], part: GoRegExpNode, next: number): number {
  const loop = emit(program, { op: 'split', next: [] });
  const body = compile(program, part, loop);
  program[loop] = { op: 'split', next: [body, next] };
  return loop;
}

function emit(program: Instruction[], instruction: Instruction): number {
  if (program.length >= GO_REGEXP_SIZE_MAX) throw new Error('expression is too large');
  return program.push(instruction) - 1;
}

function run(program: readonly Instruction[], start: number, text: string): boolean {
  const codes = Array.from(text, (char) => char.codePointAt(0) ?? 0);
  let states: readonly number[] = [];
  for (let at = 0; at <= codes.length; at += 1) {
    const seen = new Set<number>();
    const around = { before: codes[at - 1] ?? null, after: codes[at] ?? null };
    for (const state of [...states, start]) follow(program, state, { seen, ...around });
    const next: number[] = [];
    for (const state of seen) {
      const instruction = program[state];
      if (instruction?.op === 'match') return true;
      if (instruction?.op === 'char' && around.after !== null && instruction.has(around.after))
        next.push(instruction.next);
    }
    states = next;
  }
  return false;
}

/** Marks every state that is reached without reading on. */
function follow(
  program: readonly Instruction[],
  from: number,
  {
    seen,
    before,
    after,
  }: { readonly seen: Set<number>; readonly before: number | null; readonly after: number | null },
): void {
  const open = [from];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    if (seen.has(state)) continue;
    seen.add(state);
    const instruction = program[state];
    if (instruction?.op === 'split') open.push(...instruction.next);
    else if (instruction?.op === 'assert' && instruction.holds(before, after)) open.push(instruction.next);
  }
}
