// Evaluates what stands inside an action: pipelines, commands, fields, variables and function calls.
//
// Every node is looked at in Go's order, because failures name the one looked at last.
import { goQuote } from '../go-format/go-quote.js';
import { BuiltinFailure, findBuiltin, type Builtin, type Parameter } from './builtins.js';
import type { Execution, Scope } from './execution.js';
import { MEMBER_AS_TEXT, VARIABLES_PER_STEP } from './go-template-limits.js';
import {
  printNode,
  type CommandNode,
  type NumberNode,
  type OperandNode,
  type PipeNode,
  type TemplatePart,
} from './tree.js';
import { bool, concrete, int, invalid, isTrue, text, typeName, type ConcreteValue, type Value } from './values.js';

/** Where a command stands. `final` is the value of the command before it in the pipeline; null when there is none. */
interface Call {
  readonly dot: Value;
  readonly scope: Scope;
  readonly final: Value | null;
}

/** Evaluates expressions within one execution. */
export interface Expressions {
  /** A pipeline's value. Variables that it declares stay in the scope. */
  evaluatePipe(pipe: PipeNode, dot: Value, scope: Scope): Value;
  /** Gives a declared variable another value. */
  setVariable(scope: Scope, name: string, value: Value): void;
}

export function createExpressions(execution: Execution): Expressions {
  function setVariable(scope: Scope, name: string, value: Value): void {
    variableOf(scope, name).value = value;
  }

  /** The variable that was declared last under this name. Those declared after it are passed, and paid for. */
  function variableOf({ variables }: Scope, name: string): Scope['variables'][number] {
    const at = variables.findLastIndex((candidate) => candidate.name === name);
    execution.work(variables.length - 1 - at, VARIABLES_PER_STEP);
    return variables[at] ?? execution.fail(`undefined variable: ${name}`);
  }

  function evaluatePipe(pipe: PipeNode, dot: Value, scope: Scope): Value {
    execution.look(scope, pipe);
    let value: Value | null = null;
    for (const command of pipe.commands) value = concrete(evaluateCommand(command, { dot, scope, final: value }));
    const result = value ?? invalid;
    for (const { names } of pipe.variables) {
      const [name = ''] = names;
      if (pipe.isAssign) setVariable(scope, name, result);
      else scope.variables.push({ name, value: result });
    }
    return result;
  }

  function evaluateCommand(command: CommandNode, call: Call): Value {
    const [first, ...args] = command.args;
    if (first === undefined) throw new Error('the parser let an empty command stand');
    const { dot, scope } = call;
    const rejectArguments = (): void => {
      if (args.length > 0 || call.final !== null)
        execution.fail(`can't give argument to non-function ${printNode(first)}`);
    };
    const hasArguments = args.length > 0 || call.final !== null;
    switch (first.type) {
      case 'field':
        execution.look(scope, first);
        return evaluateFields(dot, { names: first.names, hasArguments });
      case 'chain':
        return evaluateChain(first, { dot, scope, hasArguments });
      case 'identifier':
        execution.look(scope, first);
        return evaluateCall(first.name, args, { ...call, node: command });
      case 'pipe':
        rejectArguments();
        return evaluatePipe(first, dot, scope);
      case 'variable': {
        execution.look(scope, first);
        const [name = '', ...names] = first.names;
        const { value } = variableOf(scope, name);
        if (names.length === 0) {
          rejectArguments();
          return value;
        }
        return evaluateFields(value, { names, hasArguments });
      }
    }
    execution.look(scope, first);
    rejectArguments();
    switch (first.type) {
      case 'bool':
        return bool(first.value);
      case 'dot':
        return dot;
      case 'nil':
        return execution.fail('nil is not a command');
      case 'number':
        return evaluateNumber(first, scope);
      case 'string':
        return text(first.value);
    }
  }

  function evaluateChain(
    chain: Extract<OperandNode, { type: 'chain' }>,
    { dot, scope, hasArguments }: { readonly dot: Value; readonly scope: Scope; readonly hasArguments: boolean },
  ): Value {
    execution.look(scope, chain);
    if (chain.of.type === 'nil') return execution.fail(`indirection through explicit nil in ${printNode(chain)}`);
    return evaluateFields(evaluateOperand(chain.of, dot, scope), { names: chain.names, hasArguments });
  }

  function evaluateFields(
    receiver: Value,
    { names, hasArguments }: { readonly names: readonly string[]; readonly hasArguments: boolean },
  ): Value {
    let value = receiver;
    for (const [index, name] of names.entries()) {
      value = evaluateField(value, name, hasArguments && index === names.length - 1);
    }
    return value;
  }

  function evaluateField(receiver: Value, name: string, hasArguments: boolean): Value {
    execution.step();
    if (receiver.kind === 'invalid') return invalid;
    const inner = concrete(receiver);
    if (inner.kind === 'invalid') return execution.fail(`nil pointer evaluating ${typeName(receiver)}.${name}`);
    if (inner.kind !== 'map') return execution.fail(`can't evaluate field ${name} in type ${typeName(receiver)}`);
    if (hasArguments) return execution.fail(`${name} is not a method but has arguments`);
    const member = inner.entries.get(name);
    return member === undefined ? invalid : { kind: 'interface', value: member };
  }

  function evaluateNumber(node: NumberNode, scope: Scope): Value {
    execution.look(scope, node);
    switch (node.constant.kind) {
      case 'int':
        return int(node.constant.value);
      case 'overflow':
        return execution.fail(`${node.text} overflows int`);
      default:
        return node.constant;
    }
  }

  /** Evaluates a function. `node` is what a failure of the function itself names. */
  function evaluateCall(
    name: string,
    args: readonly OperandNode[],
    { dot, scope, final, node }: Call & { readonly node: TemplatePart },
  ): Value {
    const builtin = findBuiltin(name);
    if (builtin === undefined) return execution.fail(`${goQuote(name)} is not a defined function`);
    checkCount(name, builtin, { given: args.length, hasFinal: final !== null });
    if (name === 'and' || name === 'or') return shortCircuit(name, args, { dot, scope, final, node });
    const values = args.map((arg, index) => evaluateArgument(arg, parameterAt(builtin, index), { dot, scope }));
    if (final !== null) values.push(checkArgument(final, parameterAt(builtin, values.length)));
    // Functions read their texts from end to end.
    for (const value of values) execution.work(textLength(value), builtin.textPerStep);
    try {
      return builtin.call(values, execution.grow);
    } catch (error) {
      if (!(error instanceof BuiltinFailure)) throw error;
      execution.look(scope, node);
      const callee = args[0] === undefined ? calleeName(final) : printNode(args[0]);
      return execution.fail(
        `error calling ${name}: ${error.message.replace('non-function of', `non-function ${callee} of`)}`,
      );
    }
  }

  function checkCount(
    name: string,
    { parameters, isVariadic }: Builtin,
    { given, hasFinal }: { readonly given: number; readonly hasFinal: boolean },
  ): void {
    const count = given + (hasFinal ? 1 : 0);
    const least = parameters.length - 1;
    if (isVariadic && count < least)
      execution.fail(`wrong number of args for ${name}: want at least ${least} got ${given}`);
    if (!isVariadic && count !== parameters.length) {
      execution.fail(`wrong number of args for ${name}: want ${parameters.length} got ${count}`);
    }
  }

  /** `and` and `or` stop at the first argument that decides. */
  function shortCircuit(
    name: 'and' | 'or',
    args: readonly OperandNode[],
    { dot, scope, final }: Call & { node: TemplatePart },
  ): Value {
    let value: Value = invalid;
    for (const arg of args) {
      value = evaluateArgument(arg, 'value', { dot, scope });
      if (isTrue(value) === (name === 'or')) return value;
    }
    return final ?? value;
  }

  function evaluateArgument(
    node: OperandNode,
    parameter: Parameter,
    { dot, scope }: { readonly dot: Value; readonly scope: Scope },
  ): Value {
    execution.look(scope, node);
    if (node.type === 'nil') return parameter === 'string' ? execution.fail('cannot assign nil to string') : invalid;
    if (node.type === 'bool' || node.type === 'number') {
      if (parameter === 'string') return execution.fail(`expected string; found ${printNode(node)}`);
    }
    return checkArgument(evaluateOperand(node, dot, scope), parameter);
  }

  /** An operand where any value will do. */
  function evaluateOperand(node: OperandNode, dot: Value, scope: Scope): Value {
    execution.look(scope, node);
    switch (node.type) {
      case 'dot':
        return dot;
      case 'nil':
        return invalid;
      case 'field':
        return evaluateFields(dot, { names: node.names, hasArguments: false });
      case 'variable': {
        const [name = '', ...names] = node.names;
        return evaluateFields(variableOf(scope, name).value, { names, hasArguments: false });
      }
      case 'pipe':
        return evaluatePipe(node, dot, scope);
      case 'identifier':
        return evaluateCall(node.name, [], { dot, scope, final: null, node });
      case 'chain':
        return evaluateChain(node, { dot, scope, hasArguments: false });
      case 'bool':
        return bool(node.value);
      case 'number':
        return evaluateNumber(node, scope);
      case 'string':
        return text(node.value);
    }
  }

  /** Whether a value can be given to a parameter; only `printf`'s format is picky. */
  function checkArgument(value: Value, parameter: Parameter): Value {
    if (parameter !== 'string') return value;
    if (value.kind === 'invalid') return execution.fail('invalid value; expected string');
    const inner = concrete(value);
    if (inner.kind === 'string') return inner;
    return execution.fail(
      `wrong type for value; expected string; got ${typeName(inner.kind === 'invalid' ? { kind: 'interface', value: null } : inner)}`,
    );
  }

  return { evaluatePipe, setVariable };
}

function parameterAt({ parameters }: Builtin, index: number): Parameter {
  return parameters[Math.min(index, parameters.length - 1)] ?? 'value';
}

/** How much there is to read of a value, in characters; 0 for a number or a bool. */
function textLength(value: Value): number {
  return valueLength(concrete(value));
}

function valueLength(value: ReturnType<typeof concrete> | null): number {
  switch (value?.kind) {
    case 'string':
      return value.value.length;
    case 'map':
      return membersLength([...value.entries.values()]);
    case 'slice':
      return membersLength(value.items);
    default:
      return 0;
  }
}

function membersLength(members: readonly (ConcreteValue | null)[]): number {
  return members.reduce((length, member) => length + MEMBER_AS_TEXT + valueLength(member), 0);
}

/** What Go calls something that came through the pipeline. */
function calleeName(value: Value | null): string {
  const inner = value === null ? invalid : concrete(value);
  if (inner.kind === 'string') return inner.value;
  return inner.kind === 'invalid' ? '<invalid Value>' : `<${typeName(inner)} Value>`;
}
