// What is wrong with a field of an object, in the words that Kubernetes uses.
//
// People search for these words and other programs show them, so they are kept to the letter. An error is a value; which
// errors an object has is decided elsewhere.

import { goJson, goQuote } from './go-json.js';

/** Kinds of faults, as a machine reads them. */
export type FieldErrorType = 'FieldValueInvalid' | 'FieldValueRequired' | 'FieldValueForbidden' | 'FieldValueTooLong';

/** One thing that is wrong. */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  /** Type, value and explanation, without the field. */
  readonly message: string;
}

/** A value that is wrong. It is quoted: a text as such, everything else as JSON. */
export const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  type: 'FieldValueInvalid',
  field,
  message: `Invalid value: ${typeof value === 'string' ? goQuote(value) : goJson(value)}: ${detail}`,
});

/** A value that is missing. */
export const missing = (field: string, detail: string): FieldError => ({
  type: 'FieldValueRequired',
  field,
  message: `Required value: ${detail}`,
});

/** A field that must not be set here. */
export const forbidden = (field: string, detail: string): FieldError => ({
  type: 'FieldValueForbidden',
  field,
  message: `Forbidden: ${detail}`,
});

/** A value that is too long. */
export const tooLong = (field: string, bytesMax: number): FieldError => ({
  type: 'FieldValueTooLong',
  field,
  message: `Too long: may not be more than ${bytesMax} bytes`,
});

/** Says in one sentence that an object is invalid, and why. */
export function invalidMessage(groupKind: string, name: string, errors: readonly FieldError[]): string {
  return `${groupKind} ${goQuote(name)} is invalid: ${listed(errors)}`;
}

/** Errors in one line: each once, several of them in brackets. */
export function listed(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
