// Runs a parsed template over its data, as Go's text/template does.
//
//   E1. Nothing but own members of the given data and the builtins can be reached. Nothing is ever compiled or evaluated as
//       JavaScript.
//   E2. Steps, text and output are bounded (go-template-limits.ts); the nesting of templates as in Go.
//   E3. A message names the node that Go would name: the one looked at last.
//
// Statements run on a stack of their own, so that deep recursion of templates cannot overflow JavaScript's.
import { goQuote } from '../go-format/go-quote.js';
import type { TemplateBudget } from './budget.js';
import { printedValue } from './builtins.js';
import { createExecution, type Scope } from './execution.js';
import { createExpressions } from './expressions.js';
import { TEMPLATE_DEPTH_MAX } from './go-template-limits.js';
import { goSprintValue } from './printf.js';
import type { BranchNode, ListNode, StatementNode, TemplateNode, TemplateTree } from './tree.js';
import { concrete, int, invalid, isTrue, sortedEntries, text, type Value } from './values.js';

/** What is being run: a list of statements, or a loop between two rounds. `keep`: variables that stay afterwards. */
type Frame =
  | {
      readonly kind: 'list';
      readonly list: ListNode;
      readonly scope: Scope;
      readonly dot: Value;
      at: number;
      readonly keep: number | null;
    }
  | {
      readonly kind: 'loop';
      readonly node: BranchNode;
      readonly scope: Scope;
      readonly rounds: Iterator<readonly [Value, Value]>;
      /** Variables that stay between rounds: with those of the loop itself. */
      readonly keepInside: number;
      readonly keep: number;
    };

/** Where a statement stands. */
interface Surroundings {
  readonly scope: Scope;
  readonly dot: Value;
  readonly frames: Frame[];
}

/** Runs a template. Answers its output (a Go string); mistakes leave as TemplateFailure. */
export function runTemplate(
  trees: ReadonlyMap<string, TemplateTree>,
  name: string,
  { data, budget }: { readonly data: Value; readonly budget: TemplateBudget },
): string {
  const main = trees.get(name);
  if (main === undefined) throw new Error('a parsed template has no tree of its own');
  const execution = createExecution(main, budget);
  const expressions = createExpressions(execution);

  function run(main: TemplateTree): void {
    const scope: Scope = { tree: main, depth: 0, variables: [{ name: '$', value: data }] };
    const frames: Frame[] = [{ kind: 'list', list: main.root, scope, dot: data, at: 0, keep: null }];
    execution.look(scope, main.root);
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      if (frame.kind === 'loop') {
        nextRound(frame, frames);
        continue;
      }
      const node = frame.list.nodes[frame.at];
      if (node === undefined) {
        frames.pop();
        if (frame.keep !== null) frame.scope.variables.length = frame.keep;
        continue;
      }
      frame.at += 1;
      runStatement(node, frame, frames);
    }
  }

  function runStatement(node: StatementNode, { scope, dot }: Extract<Frame, { kind: 'list' }>, frames: Frame[]): void {
    execution.look(scope, node);
    switch (node.type) {
      case 'text':
        return execution.write(node.text);
      case 'action': {
        const value = expressions.evaluatePipe(node.pipe, dot, scope);
        if (node.pipe.variables.length > 0) return;
        execution.look(scope, node);
        return execution.write(printedValue(value));
      }
      case 'break':
      case 'continue':
        return leaveLoop(node.type, frames);
      case 'range':
        return startLoop(node, { scope, dot, frames });
      case 'template':
        return useTemplate(node, { scope, dot, frames });
      default:
        return runBranch(node, { scope, dot, frames });
    }
  }

  function runBranch(node: BranchNode, { scope, dot, frames }: Surroundings): void {
    const keep = scope.variables.length;
    const value = expressions.evaluatePipe(node.pipe, dot, scope);
    const isChosen = isTrue(value);
    const list = isChosen ? node.list : node.elseList;
    if (list === null) {
      scope.variables.length = keep;
      return;
    }
    execution.look(scope, list);
    frames.push({ kind: 'list', list, scope, dot: isChosen && node.type === 'with' ? value : dot, at: 0, keep });
  }

  function startLoop(node: BranchNode, { scope, dot, frames }: Surroundings): void {
    const keep = scope.variables.length;
    const value = concrete(expressions.evaluatePipe(node.pipe, dot, scope));
    const rounds = roundsOf(value, node);
    const first = rounds.next();
    if (first.done === true) {
      if (node.elseList === null) {
        scope.variables.length = keep;
        return;
      }
      execution.look(scope, node.elseList);
      frames.push({ kind: 'list', list: node.elseList, scope, dot, at: 0, keep });
      return;
    }
    const loop: Frame = { kind: 'loop', node, scope, rounds, keepInside: scope.variables.length, keep };
    frames.push(loop);
    startRound(loop, first.value, frames);
  }

  /** Pairs of index and element, in Go's order. A whole number counts up to itself and has no index. */
  function roundsOf(value: ReturnType<typeof concrete>, node: BranchNode): Iterator<readonly [Value, Value]> {
    switch (value.kind) {
      case 'int':
      case 'uint8':
        if (node.pipe.variables.length > 1) {
          execution.fail(`can't use ${value.value} to iterate over more than one variable`);
        }
        return countUp(value);
      case 'map':
        return sortedEntries(value)
          .map(([key, member]): [Value, Value] => [text(key), { kind: 'interface', value: member }])
          .values();
      case 'slice':
        return value.items
          .map((item, index): [Value, Value] => [int(index), { kind: 'interface', value: item }])
          .values();
      case 'invalid':
        return [].values();
      default:
        return execution.fail(`range can't iterate over ${goSprintValue(value)}`);
    }
  }

  function nextRound(loop: Extract<Frame, { kind: 'loop' }>, frames: Frame[]): void {
    const round = loop.rounds.next();
    if (round.done !== true) return startRound(loop, round.value, frames);
    frames.pop();
    loop.scope.variables.length = loop.keep;
  }

  function startRound(
    loop: Extract<Frame, { kind: 'loop' }>,
    [index, element]: readonly [Value, Value],
    frames: Frame[],
  ): void {
    const { node, scope } = loop;
    const { variables: declared, isAssign } = node.pipe;
    const values = declared.length > 1 ? [index, element] : [element];
    for (const [position, { names }] of declared.entries()) {
      const value = values[position] ?? invalid;
      if (isAssign) expressions.setVariable(scope, names[0] ?? '', value);
      else {
        const variable = scope.variables[loop.keepInside - declared.length + position];
        if (variable !== undefined) variable.value = value;
      }
    }
    execution.look(scope, node.list);
    frames.push({ kind: 'list', list: node.list, scope, dot: element, at: 0, keep: loop.keepInside });
  }

  function leaveLoop(how: 'break' | 'continue', frames: Frame[]): void {
    while (frames.at(-1)?.kind === 'list') frames.pop();
    const loop = frames.at(-1);
    if (loop?.kind !== 'loop') throw new Error('the parser let a break stand outside of a loop');
    if (how === 'continue') loop.scope.variables.length = loop.keepInside;
    else {
      frames.pop();
      loop.scope.variables.length = loop.keep;
    }
  }

  function useTemplate(node: TemplateNode, { scope, dot, frames }: Surroundings): void {
    const tree = trees.get(node.name);
    if (tree === undefined) return execution.fail(`template ${goQuote(node.name)} not defined`);
    if (scope.depth === TEMPLATE_DEPTH_MAX) execution.fail(`exceeded maximum template depth (${TEMPLATE_DEPTH_MAX})`);
    const value = node.pipe === null ? invalid : expressions.evaluatePipe(node.pipe, dot, scope);
    const inner: Scope = { tree, depth: scope.depth + 1, variables: [{ name: '$', value }] };
    execution.enter(inner);
    frames.push({ kind: 'list', list: tree.root, scope: inner, dot: value, at: 0, keep: null });
  }

  run(main);
  return execution.output();
}

function* countUp({
  kind,
  value,
}: {
  readonly kind: 'int' | 'uint8';
  readonly value: bigint;
}): Generator<readonly [Value, Value]> {
  for (let count = 0n; count < value; count += 1n) yield [invalid, { kind, value: count }];
}
