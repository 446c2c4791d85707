// The functions that every template has. There are no others.
//
// A function gets its arguments as Go's reflect.Value (`Value`) or as `any` (`Argument`), as its Go signature says, and
// answers a value or fails with Go's words. `and`, `or` and `call` are part of the evaluator.
import { isGoPrintable } from '../go-format/unicode-tables.js';
import { textToBytes } from '../go-format/go-string.js';
import { ESCAPED_TEXT_PER_STEP, TEXT_PER_STEP } from './go-template-limits.js';
import { compareValues, isEqual, isLess } from './comparison.js';
import { goSprint, goSprintf, goSprintln, goSprintValue, type Argument } from './printf.js';
import {
  bool,
  byteLength,
  concrete,
  int,
  isTrue,
  joinTexts,
  sliceText,
  text,
  typeName,
  type ConcreteValue,
  type InvalidValue,
  type Value,
} from './values.js';

/** What a parameter takes: any value as it is, any value as `interface {}`, or a text. */
export type Parameter = 'value' | 'any' | 'string';

/** A function: its parameters (the last one repeated if variadic) and what it does. */
export interface Builtin {
  readonly parameters: readonly Parameter[];
  readonly isVariadic: boolean;
  /** So many characters of its texts count as one step. */
  readonly textPerStep: number;
  readonly call: (args: readonly Value[], grow: (length: number) => void) => Value;
}

/** A function's own failure; the evaluator adds the place. */
export class BuiltinFailure extends Error {}

/** Looks a function up by name. Names of Object's prototype are no functions. */
export function findBuiltin(name: string): Builtin | undefined {
  return BUILTINS.get(name);
}

const fail = (message: string): never => {
  throw new BuiltinFailure(message);
};

const fixed = (count: number, call: Builtin['call']): Builtin => ({
  parameters: Array.from({ length: count }, () => 'value' as const),
  isVariadic: false,
  textPerStep: TEXT_PER_STEP,
  call,
});
const oneOrMore = (call: Builtin['call']): Builtin => ({
  parameters: ['value', 'value'],
  isVariadic: true,
  textPerStep: TEXT_PER_STEP,
  call,
});
const anyNumber = (call: (args: readonly Argument[]) => string, textPerStep = TEXT_PER_STEP): Builtin => ({
  parameters: ['any'],
  isVariadic: true,
  textPerStep,
  call: (args, grow) => {
    const printed = call(args.map(argument));
    grow(printed.length);
    return text(printed);
  },
});

const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  // Evaluated without calling anything.
  ['and', oneOrMore(() => fail('unreachable'))],
  ['or', oneOrMore(() => fail('unreachable'))],
  ['call', oneOrMore(([callee]) => callNothing(callee))],
  ['not', fixed(1, ([value]) => bool(!isTrue(at(value))))],
  ['len', fixed(1, ([value]) => int(lengthOf(at(value))))],
  ['index', oneOrMore(([item, ...indexes]) => indexValue(concrete(at(item)), indexes))],
  ['slice', oneOrMore(([item, ...indexes]) => sliceValue(concrete(at(item)), indexes))],
  ['print', anyNumber(goSprint)],
  ['println', anyNumber(goSprintln)],
  [
    'printf',
    {
      parameters: ['string', 'any'],
      isVariadic: true,
      textPerStep: ESCAPED_TEXT_PER_STEP,
      call: ([format, ...args], grow) => {
        const pattern = concrete(at(format));
        return text(goSprintf(pattern.kind === 'string' ? pattern.value : '', args.map(argument), grow));
      },
    },
  ],
  ['html', anyNumber((args) => escapeHtml(plainText(args)), ESCAPED_TEXT_PER_STEP)],
  ['js', anyNumber((args) => escapeJs(plainText(args)), ESCAPED_TEXT_PER_STEP)],
  ['urlquery', anyNumber((args) => escapeQuery(plainText(args)), ESCAPED_TEXT_PER_STEP)],
  ['eq', oneOrMore(([first, ...others]) => bool(isEqual(at(first), others, fail)))],
  ['ne', fixed(2, ([a, b]) => bool(!isEqual(at(a), [at(b)], fail)))],
  ['lt', fixed(2, ([a, b]) => bool(isLess(at(a), at(b), fail)))],
  ['le', fixed(2, ([a, b]) => bool(compareValues(at(a), at(b), fail).isLessOrEqual))],
  ['gt', fixed(2, ([a, b]) => bool(!compareValues(at(a), at(b), fail).isLessOrEqual))],
  ['ge', fixed(2, ([a, b]) => bool(!isLess(at(a), at(b), fail)))],
]);

/** The evaluator hands out as many arguments as the parameters say. */
function at(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a builtin was called with too few arguments');
  return value;
}

function argument(value: Value): Argument {
  const inner = concrete(value);
  return inner.kind === 'invalid' ? null : inner;
}

/** There are no functions among the values, so nothing can be called. */
function callNothing(callee: Value | undefined): never {
  const inner = concrete(at(callee));
  return inner.kind === 'invalid' ? fail('call of nil') : fail(`non-function of type ${typeName(inner)}`);
}

function lengthOf(given: Value): number {
  const value = concrete(given);
  if (value.kind === 'invalid' && given.kind === 'interface') return fail('len of nil pointer');
  switch (value.kind) {
    case 'string':
      return byteLength(value.value);
    case 'map':
      return value.entries.size;
    case 'slice':
      return value.items.length;
    case 'invalid':
      return fail('reflect: call of reflect.Value.Type on zero Value');
    default:
      return fail(`len of type ${typeName(value)}`);
  }
}

function indexValue(item: ConcreteValue | InvalidValue, indexes: readonly Value[]): Value {
  if (item.kind === 'invalid') return fail('index of untyped nil');
  let current: Value = item;
  for (const index of indexes) {
    const container = concrete(current);
    const key = concrete(index);
    if (container.kind === 'invalid') return fail('index of nil pointer');
    current = member(container, key);
  }
  return current;
}

function member(container: ConcreteValue, key: ConcreteValue | InvalidValue): Value {
  switch (container.kind) {
    case 'string': {
      const position = indexArgument(key, byteLength(container.value));
      const byte = textToBytes(container.value)[position];
      return byte === undefined ? fail('reflect: string index out of range') : { kind: 'uint8', value: BigInt(byte) };
    }
    case 'slice': {
      const found = container.items[indexArgument(key, container.items.length)];
      return found === undefined ? fail('reflect: slice index out of range') : { kind: 'interface', value: found };
    }
    case 'map':
      if (key.kind === 'invalid') return fail('value is nil; should be of type string');
      if (key.kind !== 'string') return fail(`value has type ${typeName(key)}; should be string`);
      return { kind: 'interface', value: container.entries.get(key.value) ?? null };
    default:
      return fail(`can't index item of type ${typeName(container)}`);
  }
}

function sliceValue(item: ConcreteValue | InvalidValue, indexes: readonly Value[]): Value {
  if (item.kind === 'invalid') return fail('slice of untyped nil');
  if (indexes.length > 3) return fail(`too many slice indexes: ${indexes.length}`);
  if (item.kind !== 'string' && item.kind !== 'slice') return fail(`can't slice item of type ${typeName(item)}`);
  if (item.kind === 'string' && indexes.length === 3) return fail('cannot 3-index slice a string');
  const length = lengthOf(item);
  const [from = 0, to = length, capacity = to] = indexes.map((index) => {
    // Unlike `index`, Go does not look behind the interface of a value that came out of a map.
    if (index.kind === 'interface') return fail('cannot index slice/array with type interface {}');
    return indexArgument(index, length);
  });
  if (from > to) return fail(`invalid slice index: ${from} > ${to}`);
  if (to > capacity) return fail(`invalid slice index: ${to} > ${capacity}`);
  if (item.kind === 'string') return text(sliceText(item.value, from, to));
  return { kind: 'slice', items: item.items.slice(from, to) };
}

function indexArgument(index: ConcreteValue | InvalidValue, capacity: number): number {
  if (index.kind === 'invalid') return fail('cannot index slice/array with nil');
  if (index.kind !== 'int' && index.kind !== 'uint8')
    return fail(`cannot index slice/array with type ${typeName(index)}`);
  if (index.value < 0n || index.value > BigInt(capacity)) return fail(`index out of range: ${index.value}`);
  return Number(index.value);
}

/** The arguments as `print` shows them; nil shows as `<no value>`. */
function plainText(args: readonly Argument[]): string {
  const [only] = args;
  if (args.length === 1 && only?.kind === 'string') return only.value;
  return goSprint(args.map((arg) => arg ?? text('<no value>')));
}

const HTML_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\0', '\ufffd'],
  ['"', '&#34;'],
  ["'", '&#39;'],
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
]);

function escapeHtml(value: string): string {
  // eslint-disable-next-line no-control-regex
  return value.replace(/[\x00"'&<>]/g, (char) => HTML_ESCAPES.get(char) ?? char);
}

const JS_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ["'", "\\'"],
  ['"', '\\"'],
  ['<', '\\u003C'],
  ['>', '\\u003E'],
  ['&', '\\u0026'],
  ['=', '\\u003D'],
]);

function escapeJs(value: string): string {
  // eslint-disable-next-line no-control-regex
  return value.replace(/[\x00-\x1f\\'"<>&=]|[^\x00-\x7f]/gu, escapeJsChar);
}

function escapeJsChar(char: string): string {
  const known = JS_ESCAPES.get(char);
  if (known !== undefined) return known;
  const code = char.codePointAt(0) ?? 0;
  // A byte that is not valid UTF-8 stays.
  const isPlain = code < 0x80 ? code >= 0x20 : isGoPrintable(code) || (code >= 0xdc80 && code <= 0xdcff);
  return isPlain ? char : `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`;
}

function escapeQuery(value: string): string {
  let escaped = '';
  for (const byte of textToBytes(value)) escaped += QUERY_FORMS[byte];
  return escaped;
}

/** Each byte as a query shows it. */
const QUERY_FORMS: readonly string[] = Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte);
  if (/[A-Za-z0-9\-_.~]/.test(char)) return char;
  return char === ' ' ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
});

/** A value as `{{ }}` prints it. */
export function printedValue(value: Value): string {
  if (value.kind === 'invalid') return '<no value>';
  return joinTexts([goSprintValue(value.kind === 'interface' ? value.value : value)]);
}
