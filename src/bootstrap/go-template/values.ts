// What a template computes with: Go's values, as far as a template can get at them.
//
// `invalid` is Go's zero reflect.Value: nothing at all. `interface` marks a value that was taken out of a map: its static type
// is `interface {}`, which shows in messages. Maps have text keys; there are no methods and no functions. Numbers are exact:
// a Go int is a bigint.
import { byteLength, bytesToText, isValidUtf8, textToBytes } from '../go-format/go-string.js';

/** A value. */
export type Value = ConcreteValue | InterfaceValue | InvalidValue;

export interface InvalidValue {
  readonly kind: 'invalid';
}

/** A value behind `interface {}`; null when there is none. */
export interface InterfaceValue {
  readonly kind: 'interface';
  readonly value: ConcreteValue | null;
}

export type ConcreteValue =
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'int'; readonly value: bigint }
  /** A byte of a text. */
  | { readonly kind: 'uint8'; readonly value: bigint }
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'complex'; readonly re: number; readonly im: number }
  | { readonly kind: 'bool'; readonly value: boolean }
  | { readonly kind: 'map'; readonly entries: ReadonlyMap<string, ConcreteValue | null> }
  | { readonly kind: 'slice'; readonly items: readonly (ConcreteValue | null)[] };

/** Data for a template: plain JSON values. Only own members of plain objects are seen. */
export type TemplateData =
  string | number | boolean | null | readonly TemplateData[] | { readonly [key: string]: TemplateData };

export const invalid: InvalidValue = { kind: 'invalid' };

/** Go's view of plain data. Whole numbers are ints, others floats. */
export function valueOf(data: TemplateData): ConcreteValue | null {
  if (data === null) return null;
  switch (typeof data) {
    case 'string':
      return text(data);
    case 'boolean':
      return { kind: 'bool', value: data };
    case 'number':
      return Number.isSafeInteger(data) ? int(BigInt(data)) : { kind: 'float', value: data };
    default:
      return isList(data)
        ? { kind: 'slice', items: data.map(valueOf) }
        : { kind: 'map', entries: new Map(Object.entries(data).map(([key, member]) => [key, valueOf(member)])) };
  }
}

export function text(value: string): ConcreteValue {
  return { kind: 'string', value };
}

export function int(value: bigint | number): ConcreteValue {
  return { kind: 'int', value: BigInt(value) };
}

export function bool(value: boolean): ConcreteValue {
  return { kind: 'bool', value };
}

/** The value with its interface taken off; `invalid` when there is nothing behind it. */
export function concrete(value: Value): ConcreteValue | InvalidValue {
  return value.kind === 'interface' ? (value.value ?? invalid) : value;
}

/** The type as Go prints it. */
export function typeName(value: ConcreteValue | InterfaceValue): string {
  switch (value.kind) {
    case 'float':
      return 'float64';
    case 'complex':
      return 'complex128';
    case 'map':
      return 'map[string]interface {}';
    case 'slice':
      return '[]interface {}';
    case 'interface':
      return 'interface {}';
    default:
      return value.kind;
  }
}

/** Whether a value counts as true: not zero, not empty. */
export function isTrue(value: Value): boolean {
  const inner = concrete(value);
  switch (inner.kind) {
    case 'invalid':
      return false;
    case 'string':
      return inner.value !== '';
    case 'int':
    case 'uint8':
      return inner.value !== 0n;
    case 'float':
      return inner.value !== 0;
    case 'complex':
      return inner.re !== 0 || inner.im !== 0;
    case 'bool':
      return inner.value;
    case 'map':
      return inner.entries.size > 0;
    case 'slice':
      return inner.items.length > 0;
  }
}

/** A map's entries in the order in which Go visits them: by the bytes of their keys. */
export function sortedEntries(
  map: Extract<ConcreteValue, { kind: 'map' }>,
): readonly (readonly [string, ConcreteValue | null])[] {
  return [...map.entries].sort(([a], [b]) => compareTexts(a, b));
}

/** Compares two Go strings by their bytes. */
export function compareTexts(a: string, b: string): number {
  return Buffer.compare(textToBytes(a), textToBytes(b));
}

/** Puts Go strings together. Halves of a character that meet become that character again. */
export function joinTexts(parts: readonly string[]): string {
  const joined = parts.join('');
  return isValidUtf8(joined) ? joined : bytesToText(textToBytes(joined));
}

/** A part of a Go string, by bytes. */
export function sliceText(value: string, from: number, to: number): string {
  return bytesToText(textToBytes(value).subarray(from, to));
}

export { byteLength };

function isList(data: object): data is readonly TemplateData[] {
  return Array.isArray(data);
}
