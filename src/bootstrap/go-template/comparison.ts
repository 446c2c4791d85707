// `eq`, `lt` and their like: what can be compared with what, and Go's words when it cannot.
//
// Signed and unsigned whole numbers compare by value; every other pair must be of one kind. Maps and lists only compare with
// nil.
import { goSprintf, goSprintValue } from './printf.js';
import { compareTexts, concrete, typeName, type ConcreteValue, type InvalidValue, type Value } from './values.js';

type Fail = (message: string) => never;

/** Whether the first value equals any of the others. */
export function isEqual(first: Value, others: readonly Value[], fail: Fail): boolean {
  if (others.length === 0) return fail('missing argument for comparison');
  const a = concrete(first);
  return others.some((other) => isEqualTo(a, concrete(other), fail));
}

function isEqualTo(a: ConcreteValue | InvalidValue, b: ConcreteValue | InvalidValue, fail: Fail): boolean {
  if (isWhole(a) && isWhole(b)) return a.value === b.value;
  if (basicKind(a) !== basicKind(b)) {
    if (a.kind === 'invalid' || b.kind === 'invalid') return false;
    return fail(`incompatible types for comparison: ${typeName(a)} and ${typeName(b)}`);
  }
  if (a.kind === 'invalid' || b.kind === 'invalid') return a.kind === b.kind;
  if (a.kind === 'complex' && b.kind === 'complex') return a.re === b.re && a.im === b.im;
  if (a.kind === 'map' || a.kind === 'slice') {
    if (a.kind !== b.kind) {
      return fail(`non-comparable types ${asText(a)}: ${typeName(a)}, ${typeName(b)}: ${goSprintValue(b)}`);
    }
    return fail(`non-comparable type ${asText(b)}: ${typeName(b)}`);
  }
  return 'value' in a && 'value' in b && a.value === b.value;
}

/** Go shows the value in these messages as `%s`, whatever it is. */
function asText(value: ConcreteValue): string {
  return goSprintf('%s', [value], () => undefined);
}

/** Whether `a < b`. */
export function isLess(first: Value, second: Value, fail: Fail): boolean {
  const a = concrete(first);
  const b = concrete(second);
  if (basicKind(a) === null || basicKind(b) === null) return fail('invalid type for comparison');
  if (isWhole(a) && isWhole(b)) return a.value < b.value;
  if (a.kind !== b.kind) return fail(`incompatible types for comparison: ${typeOf(a)} and ${typeOf(b)}`);
  if (a.kind === 'float' && b.kind === 'float') return a.value < b.value;
  if (a.kind === 'string' && b.kind === 'string') return compareTexts(a.value, b.value) < 0;
  return fail('invalid type for comparison');
}

/** Whether `a <= b`: less, or equal. */
export function compareValues(first: Value, second: Value, fail: Fail): { readonly isLessOrEqual: boolean } {
  return { isLessOrEqual: isLess(first, second, fail) || isEqual(first, [second], fail) };
}

function isWhole(value: ConcreteValue | InvalidValue): value is Extract<ConcreteValue, { kind: 'int' | 'uint8' }> {
  return value.kind === 'int' || value.kind === 'uint8';
}

/** The kinds that Go can order or compare directly; null for all others. */
function basicKind(value: ConcreteValue | InvalidValue): string | null {
  return value.kind === 'invalid' || value.kind === 'map' || value.kind === 'slice' ? null : value.kind;
}

function typeOf(value: ConcreteValue | InvalidValue): string {
  return value.kind === 'invalid' ? '<nil>' : typeName(value);
}
